"""Compiles the messages of a framework in the neutral shape, and finds each of them again in the payload.

A message that comes back as it was sent is the framework's own object again, with all that the neutral shape cannot
hold: reasoning, signatures, metadata.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any, Callable, Dict, Generic, List, Mapping, Optional, Sequence, TypeVar, cast

from ._client import AsyncContexture, Contexture
from ._compiling import DEFAULT_DEADLINE_MS, FailurePolicy, check_names
from ._errors import ContextureError

log = logging.getLogger("contexture_sdk.frameworks")

Message = TypeVar("Message")


@dataclass(frozen=True)
class Shown(Generic[Message]):
    """A message of a framework, and what the compile is shown of it."""

    original: Message
    role: str
    parts: List[Dict[str, Any]]


def text_part(text: str) -> Dict[str, Any]:
    """A text."""
    return {"type": "text", "text": text}


def call_part(call_id: str, name: str, arguments: str) -> Dict[str, Any]:
    """A call of a tool."""
    return {"type": "tool_call", "id": call_id, "name": name, "arguments": arguments}


def result_part(call_id: str, text: str, *, failed: bool) -> Dict[str, Any]:
    """The result of a call."""
    return {"type": "tool_result", "call_id": call_id, "content": text, "is_error": failed}


def media_part(media_type: str, data: str) -> Dict[str, Any]:
    """An image, sound or file in base64."""
    return {"type": "media", "media_type": media_type, "data": data}


def texts_of(parts: Sequence[Mapping[str, Any]]) -> List[str]:
    """The texts among parts."""
    return [str(part["text"]) for part in parts if part["type"] == "text"]


def request_of(shown: Sequence[Shown[Any]], model: Optional[str], keys: Mapping[str, Any]) -> Dict[str, Any]:
    """The body of a compile; the id of a message is its place."""
    messages = [{"id": f"at_{at}", "role": row.role, "parts": _parts_of(row)} for at, row in enumerate(shown)]
    named = {"model": model} if model else {}
    return {"source": "neutral", **named, **keys, "target": "neutral", "messages": messages}


def _parts_of(row: Shown[Any]) -> List[Dict[str, Any]]:
    """Parts of a message; one of which the neutral shape can hold nothing is a text, so that it keeps its place."""
    return row.parts or [text_part("[…]")]


def _same(sent: Mapping[str, Any], got: Mapping[str, Any]) -> bool:
    """Whether a part is as it was; the name that a result gets from its call is no change."""
    names = set(sent) | (set(got) - {"name"})
    return all(sent.get(name) == got.get(name) or (name == "is_error" and not sent.get(name)) for name in names)


def merged(
    shown: Sequence[Shown[Message]], payload: Mapping[str, Any],
    changed: Callable[[Message, List[Dict[str, Any]]], Message], added: Callable[[str, List[Dict[str, Any]]], Message],
) -> List[Message]:
    """The payload as messages of the framework.

    `changed` makes a message with other parts, `added` one that was not in the list, such as a summary.
    """
    places = {f"at_{at}": row for at, row in enumerate(shown)}
    messages: List[Message] = []
    for message in payload["messages"]:
        parts = [dict(part) for part in message["parts"]]
        row = places.get(message.get("id", ""))
        if row is None:
            messages.append(added(message["role"], parts))
        elif len(parts) == len(_parts_of(row)) and all(map(_same, _parts_of(row), parts)):
            messages.append(row.original)
        else:
            messages.append(changed(row.original, parts))
    return messages


@dataclass
class Clients:
    """A sync and an async client, made when they are first needed, and what happens if a compile fails."""

    failures: FailurePolicy
    sync: Optional[Contexture] = None
    asynchronous: Optional[AsyncContexture] = None

    def get(self) -> Contexture:
        """The sync client."""
        self.sync = self.sync or Contexture(deadline_ms=DEFAULT_DEADLINE_MS, max_retries=0)
        return self.sync

    def get_async(self) -> AsyncContexture:
        """The async client."""
        self.asynchronous = self.asynchronous or AsyncContexture(deadline_ms=DEFAULT_DEADLINE_MS, max_retries=0)
        return self.asynchronous

    def compile(self, body: Mapping[str, Any]) -> Optional[Mapping[str, Any]]:
        """The payload, or None if the messages go out as they are."""
        if self.failures.paused:
            return None
        try:
            return cast("Mapping[str, Any]", self.get().compile(cast(Any, body))["payload"])
        except ContextureError as error:
            self._pass_by(error)
            return None

    async def compile_async(self, body: Mapping[str, Any]) -> Optional[Mapping[str, Any]]:
        """The payload, or None if the messages go out as they are."""
        if self.failures.paused:
            return None
        try:
            return cast("Mapping[str, Any]", (await self.get_async().compile(cast(Any, body)))["payload"])
        except ContextureError as error:
            self._pass_by(error)
            return None

    def _pass_by(self, error: ContextureError) -> None:
        """Raises a refusal; after any other failure the messages go out as they are."""
        if self.failures.refusal(error) is not None:
            raise error
        log.warning("messages go out as they are, since they were not compiled: %s", error)

    def report(self, session: Optional[str], usage: Dict[str, Any]) -> None:
        """Reports usage to a session, if there is one."""
        if session is not None:
            try:
                self.get().report_usage(session, {"usage": usage})
            except ContextureError as error:
                log.warning("usage was not reported: %s", error)

    async def report_async(self, session: Optional[str], usage: Dict[str, Any]) -> None:
        """Reports usage to a session, if there is one."""
        if session is not None:
            try:
                await self.get_async().report_usage(session, {"usage": usage})
            except ContextureError as error:
                log.warning("usage was not reported: %s", error)


def clients_of(
    client: Any, keys: Mapping[str, Any], own: str, free: str = "", *, fail_open: bool = True
) -> Clients:
    """The clients of a framework's module, of which the caller may give one. Of `keys`, names that are no option raise:
    `own` are the options that are no keys of `/compile`, `free` keys of requests that are options here.
    """
    check_names(keys, ("client", *own.split()), free.split())
    failures = FailurePolicy(fail_open, keys)
    if isinstance(client, AsyncContexture):
        return Clients(failures, asynchronous=client)
    return Clients(failures, sync=cast("Optional[Contexture]", client))


def usage_of(input_tokens: int, output_tokens: int, cached_tokens: int) -> Dict[str, Any]:
    """Counts of a framework as the usage of OpenAI, where what was read from a cache is part of the input."""
    return {
        "prompt_tokens": input_tokens, "completion_tokens": output_tokens,
        "prompt_tokens_details": {"cached_tokens": cached_tokens},
    }
