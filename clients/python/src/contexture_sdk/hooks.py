"""Hooks as functions that return values, for any web framework.

    hooks = Hooks()                              # secrets from CONTEXTURE_HOOK_SECRETS

    @hooks.guard("memory_update")
    def veto(call):
        if "password" in str(call["input"]["value"]):
            return deny("Passwords are not remembered.")

    app.add_route("/hooks", hooks.starlette, methods=["POST"])                # Starlette, FastAPI
    app.add_url_rule("/hooks", view_func=hooks.flask, methods=["POST"])       # Flask
    reply = hooks.handle(body, headers)                                       # any other framework
    hooks.server(port=8133).serve_forever()                                   # none at all, on this machine

One URL serves all functions: which one is called is decided by the hook's id, else by its kind and point.

| Kind | A function returns |
|---|---|
| guard | None or True: allowed. False, `deny(reason, code)`, or a text, which is the reason: denied. |
| transform | None: unchanged. `json_patch([...])`, `merge_patch({...})`. Else, or `replace(value)`: the new value. |
| provide | None: nothing. A text, a list of fragments, or what the point asks for (`{"evidence": [...]}`). |
| observe | Is ignored. |
"""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
from contextvars import ContextVar
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, Tuple, TypeVar, Union, cast

from ._plain import plain
from .webhooks import Secrets, WebhookVerificationError, secrets_of, verify_webhook

if TYPE_CHECKING:
    from ._client import Contexture
    from .hook_types import HookCall, Kind, Point
    from .types import HookRegistration, NewHook

log = logging.getLogger("contexture_sdk.hooks")
_message_id: ContextVar[Optional[str]] = ContextVar("contexture_message_id", default=None)

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Answer:
    """An answer as it is on the wire."""

    body: Any


@dataclass(frozen=True)
class Reply:
    """What a web framework is to send."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=lambda: {"content-type": "application/json"})


def message_id() -> Optional[str]:
    """The `webhook-id` of the call, within a function: the same when a call is sent again."""
    return _message_id.get()


def allow() -> Answer:
    """A guard's leave."""
    return Answer({"decision": "allow"})


def deny(reason: str, code: Optional[str] = None) -> Answer:
    """A guard's no; the model or the caller reads the reason."""
    return Answer({"decision": "deny", "reason": reason, **({"code": code} if code else {})})


def replace(payload: Any) -> Answer:
    """The new value of what a transform changes; `replace(None)` is null."""
    return Answer({"action": "replace", "payload": plain(payload)})


def json_patch(patch: List[Dict[str, Any]]) -> Answer:
    """A patch of the call's `input` (RFC 6902)."""
    return Answer({"action": "json_patch", "patch": patch})


def merge_patch(patch: Dict[str, Any]) -> Answer:
    """A patch of the call's `input` (RFC 7396)."""
    return Answer({"action": "merge_patch", "patch": patch})


def answer_of(kind: str, value: Any) -> Any:
    """The answer on the wire for what a function returned."""
    if isinstance(value, Answer):
        return value.body
    if kind == "guard":
        if value is None or value is True:
            return {"decision": "allow"}
        if value is False or isinstance(value, str):
            return {"decision": "deny", "reason": value or "The hook does not allow it."}
        raise TypeError(f"a guard returns None, a bool, a text or `deny(...)`, not {type(value).__name__}")
    if kind == "transform":
        return {"action": "unchanged"} if value is None else {"action": "replace", "payload": plain(value)}
    if kind == "provide":
        if isinstance(value, (list, tuple)):
            rows = [{"content": row} if isinstance(row, str) else plain(row) for row in value]
            return {"fragments": rows} if rows else None
        return plain(value) if value != "" else None
    return {}


@dataclass(frozen=True)
class _Registered:
    id: str
    kind: Kind
    points: Tuple[Point, ...]
    function: Callable[..., Any]
    options: Dict[str, Any]


class Hooks:
    """The functions of a receiver. `secrets` are `whsec_…`; `verify=False` skips the check, for local trials."""

    def __init__(self, secrets: Secrets = None, *, verify: bool = True) -> None:
        self._secrets = secrets
        self._verify = verify
        self._hooks: List[_Registered] = []

    def guard(self, *points: Point, id: Optional[str] = None, **options: Any) -> Callable[[Function], Function]:  # noqa: A002
        """The function decides whether it may go on. `options` are keys of the registration."""
        return self._adds("guard", points, id, options)

    def transform(self, *points: Point, id: Optional[str] = None, **options: Any) -> Callable[[Function], Function]:  # noqa: A002
        """The function returns what takes the place of what it was shown."""
        return self._adds("transform", points, id, options)

    def provide(self, *points: Point, id: Optional[str] = None, **options: Any) -> Callable[[Function], Function]:  # noqa: A002
        """The function returns what is to be added."""
        return self._adds("provide", points, id, options)

    def observe(self, *points: Point, id: Optional[str] = None, **options: Any) -> Callable[[Function], Function]:  # noqa: A002
        """The function is notified."""
        return self._adds("observe", points, id, options)

    def _adds(
        self, kind: Kind, points: Tuple[Point, ...], name: Optional[str], options: Dict[str, Any]
    ) -> Callable[[Function], Function]:
        if not points:
            raise ValueError(f"a {kind} needs at least one point")

        def add(function: Function) -> Function:
            own = name or function.__name__.lower()
            if any(hook.id == own for hook in self._hooks):
                raise ValueError(f"there are two hooks with the id {own!r}")
            self._hooks.append(_Registered(own, kind, points, function, options))
            return function

        return add

    def registrations(self, url: str) -> List[HookRegistration]:
        """The hooks as `PUT /hooks/{id}` takes them, with the first secret for all."""
        secret = {"secret": secrets_of(self._secrets)[0]} if self._verify else {}
        return [
            cast("HookRegistration", {"id": hook.id, "kind": hook.kind, "points": list(hook.points), "url": url,
                                      **hook.options, **secret})
            for hook in self._hooks
        ]

    def register(self, client: Contexture, url: str) -> List[NewHook]:
        """Registers every hook, or brings it up to date; those that are there as they are stay so."""
        return [client.put_hook(str(hook["id"]), hook) for hook in self.registrations(url)]

    def _find(self, call: HookCall) -> Optional[_Registered]:
        fits = [hook for hook in self._hooks if hook.kind == call["kind"] and call["point"] in hook.points]
        return next((hook for hook in fits if hook.id == call["hook"]["id"]), fits[0] if fits else None)

    def _open(self, body: bytes, headers: Mapping[str, str]) -> Union[Reply, Tuple[_Registered, Any]]:
        """The hook that is called and its call, or the reply to a call that is none."""
        try:
            call: Any = verify_webhook(body, headers, self._secrets) if self._verify else json.loads(body)
        except WebhookVerificationError as error:
            log.warning("a call was refused: %s", error.code)
            return _json(401, {"error": error.code})
        hook = self._find(call)
        if hook is None:
            return _json(404, {"error": f"no {call['kind']} is registered here at {call['point']}"})
        _message_id.set(next((value for name, value in headers.items() if name.lower() == "webhook-id"), None))
        return hook, call

    def handle(self, body: bytes, headers: Mapping[str, str]) -> Reply:
        """The reply to a call, for any `Request → Response` handler; functions must not be async."""
        opened = self._open(body, headers)
        if isinstance(opened, Reply):
            return opened
        hook, call = opened
        try:
            value = hook.function(call)
        except Exception as error:  # noqa: BLE001
            return _failed(hook, error)
        if inspect.iscoroutine(value):
            value.close()
            raise TypeError(f"the hook {hook.id} is async: use `handle_async`")
        return _answer(hook, value)

    async def handle_async(self, body: bytes, headers: Mapping[str, str]) -> Reply:
        """The reply to a call; functions that are not async run in a thread."""
        opened = self._open(body, headers)
        if isinstance(opened, Reply):
            return opened
        hook, call = opened
        try:
            if inspect.iscoroutinefunction(hook.function):
                value = await hook.function(call)
            else:
                value = await asyncio.to_thread(hook.function, call)
        except Exception as error:  # noqa: BLE001
            return _failed(hook, error)
        return _answer(hook, value)

    async def starlette(self, request: Any) -> Any:
        """An endpoint of Starlette and FastAPI."""
        from starlette.responses import Response

        reply = await self.handle_async(await request.body(), dict(request.headers))
        return Response(reply.body, reply.status, dict(reply.headers))

    def server(self, host: str = "127.0.0.1", port: int = 0) -> ThreadingHTTPServer:
        """A server of Python's own library, for this machine: `hooks.server(port=8133).serve_forever()`."""
        hooks = self

        class Receiver(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"] or 0))
                reply = hooks.handle(body, dict(self.headers))
                self.send_response(reply.status)
                for name, value in {**reply.headers, "content-length": str(len(reply.body))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(reply.body)

            def log_message(self, *_: object) -> None:
                """Writes no line for a call."""

        return ThreadingHTTPServer((host, port), Receiver)

    def flask(self) -> Any:
        """A view function of Flask."""
        from flask import Response, request

        reply = self.handle(request.get_data(), dict(request.headers))
        return Response(reply.body, reply.status, dict(reply.headers))


def _json(status: int, value: Any) -> Reply:
    return Reply(status, json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8"))


def _failed(hook: _Registered, error: Exception) -> Reply:
    """What is no 2xx is a failure, which never lets the request through. The reason is for our own log."""
    log.error("the hook %s failed", hook.id, exc_info=error)
    return _json(500, {"error": "the hook failed"})


def _answer(hook: _Registered, value: Any) -> Reply:
    try:
        return _json(200, answer_of(hook.kind, value))
    except (TypeError, ValueError) as error:
        return _failed(hook, error)
