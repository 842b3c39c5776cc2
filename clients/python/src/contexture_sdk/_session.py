"""A session under a name: one call a turn, tools included."""

from __future__ import annotations

import asyncio
import inspect
import json
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, Tuple, cast

from ._plain import plain

if TYPE_CHECKING:
    from ._client import AsyncContexture, Contexture
    from .types import AppendedTurn, Session, SessionTurn, SessionUsage, ToolCallResult, TurnPayload, UsageResponse

Functions = Mapping[str, Callable[..., Any]]


def _turn_body(append: Tuple[Any, ...], usage: Any, keys: Mapping[str, Any]) -> SessionTurn:
    body: Dict[str, Any] = {**keys, "append": [plain(message) for message in append]}
    if usage is not None:
        body["usage"] = plain(usage)
    return cast("SessionTurn", body)


def _calls(results: List[ToolCallResult], functions: Functions) -> List[Tuple[ToolCallResult, Callable[..., Any]]]:
    """The allowed calls of the caller's own tools, with their functions."""
    mine = [row for row in results if row["for"] == "caller" and row["decision"] == "allow"]
    for row in mine:
        if row["name"] not in functions:
            raise LookupError(f"there is no function for the tool {row['name']!r}")
    return [(row, functions[str(row["name"])]) for row in mine]


def _result(row: ToolCallResult, value: Any, *, failed: bool = False) -> Dict[str, Any]:
    content = value if isinstance(value, (str, list)) else json.dumps(plain(value), ensure_ascii=False)
    result = {"id": row["id"], "name": row.get("name"), "content": content, "is_error": failed}
    if "arguments" in row:
        result["arguments"] = row["arguments"]
    return result


class SessionHandle:
    """A session by its id. Keys of `/compile` that are given here are its defaults from its first turn on."""

    def __init__(self, client: Contexture, session_id: str, defaults: Mapping[str, Any]) -> None:
        self.client = client
        self.id = session_id
        self._defaults = dict(defaults)
        self._target: Optional[str] = defaults.get("target")

    def _open(self) -> None:
        if self._defaults:
            defaults, self._defaults = self._defaults, {}
            opened = self.client.create_session({"id": self.id, "defaults": defaults})
            if opened.get("defaults") != defaults:
                self.client.update_session(self.id, {"defaults": defaults})

    def turn(self, *append: Any, usage: Any = None, **keys: Any) -> TurnPayload:
        """Appends messages and returns the next payload.

        Messages and `usage` may be the objects of the provider's own library; `keys` are those of `/compile`.
        """
        self._open()
        return cast("TurnPayload", self.client.take_turn(self.id, _turn_body(append, usage, keys)))

    def append(self, *append: Any, usage: Any = None, **keys: Any) -> AppendedTurn:
        """Appends messages and judges their calls, and compiles nothing."""
        self._open()
        body = _turn_body(append, usage, {**keys, "compile": False})
        return cast("AppendedTurn", self.client.take_turn(self.id, body))

    def run(self, *append: Any, functions: Functions, usage: Any = None, **keys: Any) -> Optional[TurnPayload]:
        """Appends the model's message, runs the calls in it that are allowed, and returns the next payload.

        Returns None if the message has no call: it is the model's last word. What a function raises is the result of
        its call, for the model to read.
        """
        appended = self.append(*append, usage=usage, **keys)
        if not appended["results"]:
            return None
        results = []
        for row, function in _calls(appended["results"], functions):
            try:
                results.append(_result(row, function(**(row.get("arguments") or {}))))
            except Exception as error:  # noqa: BLE001
                results.append(_result(row, f"{type(error).__name__}: {error}", failed=True))
        messages: List[Any] = []
        if results:
            if self._target is None:
                self._target = (self.client.get_session(self.id).get("defaults") or {}).get("target", "openai")
            source = keys.get("target", self._target)
            body = {"results": results, "source": source, "session_id": self.id}
            messages = self.client.take_results(cast(Any, body))["messages"]
        return self.turn(*messages, **keys)

    def usage(self, usage: Any, **diagnostics: Any) -> UsageResponse:
        """Reports what the provider counted of the last payload."""
        return self.client.report_usage(self.id, cast("SessionUsage", {"usage": plain(usage), **plain(diagnostics)}))

    def get(self) -> Session:
        """The session as it is stored."""
        return self.client.get_session(self.id)

    def delete(self) -> None:
        """Removes the session and everything that is kept of it."""
        self.client.delete_session(self.id)


class AsyncSessionHandle:
    """A session by its id, async. Keys of `/compile` that are given here are its defaults from its first turn on."""

    def __init__(self, client: AsyncContexture, session_id: str, defaults: Mapping[str, Any]) -> None:
        self.client = client
        self.id = session_id
        self._defaults = dict(defaults)
        self._target: Optional[str] = defaults.get("target")

    async def _open(self) -> None:
        if self._defaults:
            defaults, self._defaults = self._defaults, {}
            opened = await self.client.create_session({"id": self.id, "defaults": defaults})
            if opened.get("defaults") != defaults:
                await self.client.update_session(self.id, {"defaults": defaults})

    async def turn(self, *append: Any, usage: Any = None, **keys: Any) -> TurnPayload:
        """Appends messages and returns the next payload, as `SessionHandle.turn`."""
        await self._open()
        return cast("TurnPayload", await self.client.take_turn(self.id, _turn_body(append, usage, keys)))

    async def append(self, *append: Any, usage: Any = None, **keys: Any) -> AppendedTurn:
        """Appends messages and judges their calls, and compiles nothing."""
        await self._open()
        body = _turn_body(append, usage, {**keys, "compile": False})
        return cast("AppendedTurn", await self.client.take_turn(self.id, body))

    async def run(self, *append: Any, functions: Functions, usage: Any = None, **keys: Any) -> Optional[TurnPayload]:
        """Runs the calls of the model's message, all at once, as `SessionHandle.run`; functions may be async."""
        appended = await self.append(*append, usage=usage, **keys)
        if not appended["results"]:
            return None

        async def run(row: ToolCallResult, function: Callable[..., Any]) -> Dict[str, Any]:
            try:
                value = function(**(row.get("arguments") or {}))
                if inspect.isawaitable(value):
                    value = await value
                return _result(row, value)
            except Exception as error:  # noqa: BLE001
                return _result(row, f"{type(error).__name__}: {error}", failed=True)

        calls = _calls(appended["results"], functions)
        results = await asyncio.gather(*(run(row, function) for row, function in calls))
        messages: List[Any] = []
        if results:
            if self._target is None:
                session = await self.client.get_session(self.id)
                self._target = (session.get("defaults") or {}).get("target", "openai")
            source = keys.get("target", self._target)
            body = {"results": results, "source": source, "session_id": self.id}
            messages = (await self.client.take_results(cast(Any, body)))["messages"]
        return await self.turn(*messages, **keys)

    async def usage(self, usage: Any, **diagnostics: Any) -> UsageResponse:
        """Reports what the provider counted of the last payload."""
        body = cast("SessionUsage", {"usage": plain(usage), **plain(diagnostics)})
        return await self.client.report_usage(self.id, body)

    async def get(self) -> Session:
        """The session as it is stored."""
        return await self.client.get_session(self.id)

    async def delete(self) -> None:
        """Removes the session and everything that is kept of it."""
        await self.client.delete_session(self.id)
