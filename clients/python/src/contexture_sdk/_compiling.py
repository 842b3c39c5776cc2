"""What `wrap` does on the wire: a provider's request is compiled on its way out, and its usage is read on its way back.

It works below the provider's library, so helpers, raw responses and streams of that library behave as they do without
it. A stream is passed on chunk by chunk, byte for byte.
"""

from __future__ import annotations

import json
import logging
import time
import zlib
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union, cast

from ._errors import CONNECTION_FAILED, TIMEOUT, ContextureError

log = logging.getLogger("contexture_sdk.wrap")

SESSION_HEADER = "contexture-session"
DEFAULT_DEADLINE_MS = 5_000
# After a failure to reach the server, calls go out as they are for so long.
PAUSE_AFTER_FAILURE_S = 5.0
MAX_USAGE_BYTES = 4 * 1024 * 1024
MAX_KEPT_FOR_RETRIES = 8
# What a rule of the operator or the caller refused; anything else that fails is passed by.
REFUSALS = {"hook_denied": 403, "hook_failed": 403, "hook_timeout": 403, "over_budget": 422}

SessionOf = Union[str, Callable[[], Optional[str]], None]
OnCompiled = Callable[[Mapping[str, Any]], None]


@dataclass(frozen=True)
class Wire:
    """One kind of request of a provider: where it goes, and its members."""

    target: str
    # The end of the path.
    ends: Tuple[str, ...]
    # Members that the payload takes the place of.
    conversation: Tuple[str, ...]
    # Other members that a compile knows.
    also: Tuple[str, ...]
    # Where the largest answer is said.
    reserve: Tuple[Tuple[str, ...], ...]
    # Members with which the provider has the rest of the conversation itself.
    remote: Tuple[str, ...] = ()
    refusal: Callable[[ContextureError, int], Dict[str, Any]] = lambda error, status: {"error": str(error)}

    def reserve_of(self, body: Mapping[str, Any]) -> Optional[int]:
        """The largest answer that the request asks for."""
        for path in self.reserve:
            value: Any = body
            for name in path:
                value = value.get(name) if isinstance(value, dict) else None
            if isinstance(value, int) and not isinstance(value, bool):
                return value
        return None


@dataclass(frozen=True)
class Plan:
    """A request that is to be compiled."""

    wire: Wire
    body: Dict[str, Any]
    compile: Dict[str, Any]
    session: Optional[str]

    def compiled(self, answer: Mapping[str, Any]) -> Tuple[bytes, Dict[str, str]]:
        """The request's body with the payload in it, and headers that the payload needs."""
        rest = {name: value for name, value in self.body.items() if name not in self.wire.conversation}
        requires = answer["report"].get("requires") or {}
        body = {**rest, **(requires.get("parameters") or {}), **answer["payload"]}
        text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", "replace"), dict(requires.get("headers") or {})


@dataclass
class FailurePolicy:
    """What happens to a request that could not be compiled. `keys` are those of `/compile` that every request has."""

    fail_open: bool
    keys: Mapping[str, Any]
    _paused_until: float = 0.0

    def refusal(self, error: ContextureError) -> Optional[int]:
        """The status of a refusal, or None if the request goes out as it is.

        In the second case a pause begins if the server could not be reached.
        """
        governed = "pack" in self.keys or bool(error.problem and error.problem.get("stage"))
        status = REFUSALS.get(error.code) or (422 if governed else None if self.fail_open else 503)
        if status is None and error.code in (CONNECTION_FAILED, TIMEOUT):
            self._paused_until = time.monotonic() + PAUSE_AFTER_FAILURE_S
        return status

    @property
    def paused(self) -> bool:
        """Whether requests go out as they are, because one of them did when the server could not be reached."""
        return time.monotonic() < self._paused_until


@dataclass
class Rules:
    """What is compiled, and what happens if that fails."""

    wires: Tuple[Wire, ...]
    keys: Dict[str, Any]
    session: SessionOf
    failures: FailurePolicy
    on_compiled: Optional[OnCompiled]
    kept: Dict[int, Tuple[bytes, Dict[str, str]]] = field(default_factory=dict)

    def plan(self, method: str, path: str, content: bytes, session: Optional[str]) -> Optional[Plan]:
        """What to compile of a request, or None if it goes out as it is."""
        wire = next((wire for wire in self.wires if method == "POST" and path.endswith(wire.ends)), None)
        if wire is None or self.failures.paused:
            return None
        try:
            body = json.loads(content)
        except (ValueError, UnicodeDecodeError):
            return None
        if not isinstance(body, dict) or not body.get(wire.conversation[0]):
            return None
        if any(body.get(name) is not None for name in wire.remote):
            return None
        asked = {name: body[name] for name in (*wire.conversation, *wire.also) if body.get(name) is not None}
        model = body.get("model") or path.rsplit("/", 1)[-1].split(":", 1)[0]
        request: Dict[str, Any] = {"target": wire.target, "source": wire.target, "model": model, **asked}
        request.update(self.keys)
        reserve = wire.reserve_of(body)
        if reserve is not None:
            request["budget"] = _with_reserve(self.keys.get("budget"), reserve)
        session = session or (self.session() if callable(self.session) else self.session)
        if session is not None:
            request["session_id"] = session
        return Plan(wire, body, request, session)

    def failed(self, plan: Plan, error: ContextureError) -> Optional[Tuple[int, Dict[str, Any]]]:
        """The provider's response in the place of its own, or None if the request goes out as it is."""
        status = self.failures.refusal(error)
        if status is not None:
            return status, plan.wire.refusal(error, status)
        log.warning("a request goes out as it is, since it was not compiled: %s", error)
        return None

    def keep(self, content: bytes, compiled: Tuple[bytes, Dict[str, str]], answer: Mapping[str, Any]) -> None:
        """Keeps a compiled body for the attempts that the provider's library makes after a failure, and shows it."""
        self.kept[hash(content)] = compiled
        while len(self.kept) > MAX_KEPT_FOR_RETRIES:
            self.kept.pop(next(iter(self.kept), 0), None)
        if self.on_compiled is not None:
            try:
                self.on_compiled(answer)
            except Exception:
                log.exception("`on_compiled` failed")

    def kept_for(self, content: bytes, headers: Mapping[str, str]) -> Optional[Tuple[bytes, Dict[str, str]]]:
        """The body that was sent before, if this is another attempt."""
        return self.kept.get(hash(content)) if headers.get("x-stainless-retry-count", "0") != "0" else None


def _with_reserve(budget: Any, reserve: int) -> Any:
    """The budget of the options, with the largest answer of a request as its reserve, unless it has one."""
    if budget is None:
        return {"reserve_output": reserve}
    # A number is the window alone.
    if isinstance(budget, int) and not isinstance(budget, bool):
        budget = {"context_window": budget}
    # The server names the fault of a budget that is not an object.
    if not isinstance(budget, Mapping) or budget.get("reserve_output") is not None:
        return budget
    window = budget.get("context_window")
    # The server refuses a reserve that fills the window: the request would go out as it is.
    return budget if isinstance(window, int) and reserve >= window else {**budget, "reserve_output": reserve}


class UsageReader:
    """Finds the provider's usage in the bytes of a response, JSON or server-sent events, without changing them."""

    def __init__(self, content_type: str, encoding: str) -> None:
        self.usage: Dict[str, Any] = {}
        self._events = "event-stream" in content_type
        self._plain = encoding in ("", "identity")
        # Decodes gzip and zlib; what else a provider may send is not read.
        self._decoder = zlib.decompressobj(47) if encoding in ("gzip", "x-gzip", "deflate") else None
        self._rest = b""

    def feed(self, chunk: bytes) -> None:
        """Takes the next bytes as they came."""
        if not self._plain and self._decoder is None:
            return
        try:
            self._rest += chunk if self._decoder is None else self._decoder.decompress(chunk, MAX_USAGE_BYTES)
        except zlib.error:
            self._decoder, self._plain, self._rest = None, False, b""
        if self._events:
            *lines, self._rest = self._rest.split(b"\n")
            for line in lines:
                if line.startswith(b"data:") and b'"usage' in line:
                    self._take(line[5:])
        if len(self._rest) > MAX_USAGE_BYTES:
            self._decoder, self._plain, self._rest = None, False, b""

    def end(self) -> Optional[Dict[str, Any]]:
        """The usage, after the last byte."""
        if not self._events and self._rest:
            self._take(self._rest)
        return self.usage or None

    def _take(self, text: bytes) -> None:
        try:
            value = json.loads(text)
        except (ValueError, UnicodeDecodeError):
            return
        for holder in (value, value.get("message"), value.get("response")) if isinstance(value, dict) else ():
            found = (holder.get("usage") or holder.get("usageMetadata")) if isinstance(holder, dict) else None
            if isinstance(found, dict):
                # Anthropic says what came in first, and what went out at the end.
                self.usage.update({name: count for name, count in found.items() if count is not None})


def http_library(client: Any) -> Tuple[Any, bool]:
    """The module of an HTTP client, `httpx` or `httpx2`, and whether the client is async."""
    import importlib

    for kind in type(client).__mro__:
        root = kind.__module__.split(".", 1)[0]
        if root in ("httpx", "httpx2") and kind.__name__ in ("Client", "AsyncClient"):
            return importlib.import_module(root), kind.__name__ == "AsyncClient"
    raise TypeError(f"{type(client).__name__} is no client of httpx or httpx2")


def same_settings(client: Any) -> Dict[str, Any]:
    """The arguments for a client with the settings of another one."""
    return {
        "headers": client.headers, "cookies": client.cookies, "params": client.params, "timeout": client.timeout,
        "base_url": client.base_url, "follow_redirects": client.follow_redirects, "trust_env": False,
    }


def openai_refusal(error: ContextureError, status: int) -> Dict[str, Any]:
    """An error in the shape of OpenAI."""
    kind = "permission_error" if status == 403 else "invalid_request_error"
    return {"error": {"message": error.detail, "type": kind, "code": error.code, "param": None}}


def anthropic_refusal(error: ContextureError, status: int) -> Dict[str, Any]:
    """An error in the shape of Anthropic."""
    kind = "permission_error" if status == 403 else "invalid_request_error"
    return {"type": "error", "error": {"type": kind, "message": f"{error.code}: {error.detail}"}}


def gemini_refusal(error: ContextureError, status: int) -> Dict[str, Any]:
    """An error in the shape of Gemini."""
    word = "PERMISSION_DENIED" if status == 403 else "INVALID_ARGUMENT"
    return {"error": {"code": status, "message": f"{error.code}: {error.detail}", "status": word}}


CACHE_MEMBERS = ("prompt_cache_key", "prompt_cache_options", "prompt_cache_retention")
OPENAI_CHAT = Wire(
    "openai", ("/chat/completions",), ("messages", "tools"), CACHE_MEMBERS,
    (("max_completion_tokens",), ("max_tokens",)), (), openai_refusal,
)
OPENAI_RESPONSES = Wire(
    "openai_responses", ("/responses",), ("input", "instructions", "tools"), CACHE_MEMBERS,
    (("max_output_tokens",),), ("previous_response_id", "conversation"), openai_refusal,
)
ANTHROPIC_MESSAGES = Wire(
    "anthropic", ("/messages",), ("messages", "system", "tools"), ("cache_control",), (("max_tokens",),), (),
    anthropic_refusal,
)
GEMINI_CONTENT = Wire(
    "gemini", (":generateContent", ":streamGenerateContent"), ("contents", "systemInstruction", "tools"),
    ("cachedContent",), (("generationConfig", "maxOutputTokens"),), (), gemini_refusal,
)


# Keys of `/compile` that are no options, since each request has its own.
FIXED = (
    "target", "source", "model", "tools", "messages", "input", "instructions", "contents", "system",
    "systemInstruction", "system_instruction",
)
# Options of `wrap` that are no keys of `/compile`.
OWN_OPTIONS = ("contexture", "session", "fail_open", "on_compiled")


def check_names(keys: Mapping[str, Any], own: Sequence[str], free: Sequence[str] = ()) -> None:
    """Raises for a name that is no option. `own` are those that are no keys of `/compile`, `free` keys of `FIXED` that
    are options all the same.
    """
    from .types import CompileRequest

    fixed: List[str] = [name for name in FIXED if name in keys and name not in free]
    if fixed:
        raise TypeError(f"{fixed[0]!r} comes from each request")
    known = sorted({*own, *CompileRequest.__annotations__} - {*FIXED} | {*free})
    unknown = [name for name in keys if name not in known]
    if unknown:
        raise TypeError(f"unknown option {unknown[0]!r}; known options: {', '.join(known)}")


def rules_of(
    wires: Tuple[Wire, ...], *, session: SessionOf, fail_open: bool, on_compiled: Optional[OnCompiled],
    keys: Mapping[str, Any],
) -> Rules:
    """The rules of a wrapped client."""
    check_names(keys, OWN_OPTIONS)
    return Rules(wires, dict(keys), session, FailurePolicy(fail_open, dict(keys)), on_compiled)


def usage_body(plan: Plan, usage: Dict[str, Any]) -> Any:
    """A report of usage."""
    return cast(Any, {"usage": usage, "model": plan.compile["model"]})
