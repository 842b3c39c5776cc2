"""How requests are sent: one flow of attempts and waits, which a sync and an async transport carry out."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import random
import time
import uuid
from dataclasses import dataclass, field, replace
from email.utils import parsedate_to_datetime
from typing import (
    TYPE_CHECKING,
    Any,
    AsyncIterator,
    Dict,
    Generator,
    Iterator,
    Mapping,
    Optional,
    Tuple,
    TypedDict,
    Union,
)
from urllib.parse import quote

import httpx

from ._errors import CONNECTION_FAILED, TIMEOUT, ContextureError
from ._version import VERSION

if TYPE_CHECKING:
    from typing_extensions import Self

DEFAULT_URL = "http://127.0.0.1:8080"
DEFAULT_TIMEOUT_S = 60.0
DEFAULT_CONNECT_TIMEOUT_S = 5.0
DEFAULT_MAX_RETRIES = 2
DEFAULT_GZIP_MIN_BYTES = 256 * 1024
# Longer waits are left to the caller, who gets the error with `retry_after`.
MAX_WAIT_S = 30.0
MAX_BACKOFF_S = 8.0
# What a response may take to arrive after the server's own deadline.
DEADLINE_MARGIN_S = 1.0
DEADLINE_HEADER = "contexture-deadline-ms"
# Problems of which the server says that nothing was done.
NOTHING_DONE = {"rate_limited", "overloaded", "store_unavailable", "in_flight"}


class Options(TypedDict, total=False):
    """Options that every call takes, in addition to its own parameters."""

    # Milliseconds for the call with all of its attempts; the server stops its work then, too.
    deadline_ms: int
    # Names a write, so that it is carried out once. Writes that take one get one by themselves.
    idempotency_key: str
    # Attempts after the first one.
    max_retries: int
    headers: Mapping[str, str]


@dataclass(frozen=True)
class Operation:
    """A route, and what may be done with its requests."""

    method: str
    path: str
    # Whether it takes an `Idempotency-Key`.
    takes_key: bool = False
    # Whether a repetition does no harm.
    safe: bool = False
    # A member of the body with which a repetition does harm.
    safe_unless: Optional[str] = None


@dataclass(frozen=True)
class Settings:
    """Where a client sends requests, and how."""

    url: str
    key: Optional[str] = field(repr=False)
    timeout_s: float = DEFAULT_TIMEOUT_S
    deadline_ms: Optional[int] = None
    max_retries: int = DEFAULT_MAX_RETRIES
    gzip_min_bytes: Optional[int] = DEFAULT_GZIP_MIN_BYTES


@dataclass(frozen=True)
class Attempt:
    """A request to be sent."""

    method: str
    url: str
    headers: Dict[str, str] = field(repr=False)
    content: Optional[bytes] = field(repr=False)
    timeout: httpx.Timeout


@dataclass(frozen=True)
class Wait:
    """A pause before the next attempt."""

    seconds: float


Outcome = Union[httpx.Response, httpx.TransportError, None]
Flow = Generator[Union[Attempt, Wait], Outcome, httpx.Response]


def settings_from(
    url: Optional[str], key: Optional[str], timeout_s: float, deadline_ms: Optional[int], max_retries: int,
    gzip_min_bytes: Optional[int],
) -> Settings:
    """Settings from arguments, then from the environment."""
    url = url or os.environ.get("CONTEXTURE_URL") or DEFAULT_URL
    if not url.startswith(("http://", "https://")):
        raise ValueError(f"the URL must begin with http:// or https://: {url!r}")
    key = key or os.environ.get("CONTEXTURE_KEY") or None
    return Settings(url.rstrip("/"), key, timeout_s, deadline_ms, max_retries, gzip_min_bytes)


def encode(body: Any) -> bytes:
    """A body as bytes: JSON, or a text as it is."""
    if isinstance(body, bytes):
        return body
    if isinstance(body, str):
        return body.encode("utf-8")
    try:
        return json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode("utf-8")
    except UnicodeEncodeError:  # Half of a surrogate pair, which the server replaces and reports.
        return json.dumps(body, separators=(",", ":"), allow_nan=False).encode("ascii")


def path_of(template: str, parts: Tuple[str, ...]) -> str:
    """A path with its parameters, percent-encoded."""
    given = iter(parts)
    pieces = []
    for piece in template.split("/"):
        if piece.startswith("{"):
            part = next(given)
            if part in ("", ".", ".."):
                raise ValueError(f"{piece[1:-1]} must not be {part!r}, which is another path")
            piece = quote(part, safe="")
        pieces.append(piece)
    return "/".join(pieces)


def text_of(value: Any) -> str:
    """A query parameter as text."""
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def retry_after_of(response: httpx.Response) -> Optional[float]:
    """Seconds that the server asks to wait: a number, or a date."""
    value = response.headers.get("retry-after")
    if value is None:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, TypeError):
        return None


def backoff(attempt: int) -> float:
    """Seconds before the next attempt if the server names none: they double, and half of them are random."""
    return min(MAX_BACKOFF_S, 0.25 * 2.0**attempt) * random.uniform(0.5, 1.0)  # noqa: S311


def flow_of(
    settings: Settings, operation: Operation, path: Tuple[str, ...] = (), body: Any = None,
    query: Optional[Mapping[str, Any]] = None, headers: Optional[Mapping[str, Optional[str]]] = None,
    content_type: str = "application/json", options: Optional[Options] = None,
) -> Flow:
    """Yields attempts and waits, takes what came of each, and returns the response."""
    options = options or {}
    started = time.monotonic()
    deadline_ms = options.get("deadline_ms", settings.deadline_ms)
    max_retries = max(0, options.get("max_retries", settings.max_retries))
    url = settings.url + path_of(operation.path, path)
    pairs = {name: text_of(value) for name, value in (query or {}).items() if value is not None}
    if pairs:
        url += "?" + str(httpx.QueryParams(pairs))
    sent = {"accept": "application/json, text/plain;q=0.9", "user-agent": f"contexture-sdk-python/{VERSION}"}
    if settings.key:
        sent["authorization"] = f"Bearer {settings.key}"
    sent.update({name.lower(): value for name, value in (headers or {}).items() if value is not None})
    sent.update({name.lower(): value for name, value in options.get("headers", {}).items()})
    key = options.get("idempotency_key") or (uuid.uuid4().hex if operation.takes_key else None)
    if key:
        sent["idempotency-key"] = key
    content = None if body is None else encode(body)
    if content is not None:
        sent.setdefault("content-type", content_type)
        if settings.gzip_min_bytes is not None and len(content) >= settings.gzip_min_bytes:
            content = gzip.compress(content, compresslevel=1, mtime=0)
            sent["content-encoding"] = "gzip"
    harmful = operation.safe_unless is not None and isinstance(body, dict) and body.get(operation.safe_unless)
    repeatable = key is not None or (operation.safe and not harmful)
    ambiguous = False
    for number in range(max_retries + 1):
        timeout_s = settings.timeout_s
        if deadline_ms is not None:
            left_ms = deadline_ms - (time.monotonic() - started) * 1_000
            if left_ms < 1:
                raise ContextureError(TIMEOUT, f"no response within {deadline_ms} ms")
            sent[DEADLINE_HEADER] = str(min(60_000, int(left_ms)))
            timeout_s = left_ms / 1_000 + DEADLINE_MARGIN_S
        connect_s = min(DEFAULT_CONNECT_TIMEOUT_S, timeout_s)
        outcome = yield Attempt(
            operation.method, url, dict(sent), content, httpx.Timeout(timeout_s, connect=connect_s)
        )
        error, retry, unclear = verdict(outcome, repeatable=repeatable)
        if error is None or (ambiguous and operation.method == "DELETE" and error.status == 404):
            assert isinstance(outcome, httpx.Response)
            return outcome
        ambiguous = ambiguous or unclear
        pause = backoff(number) if error.retry_after is None else error.retry_after
        left_s = MAX_WAIT_S if deadline_ms is None else deadline_ms / 1_000 - (time.monotonic() - started)
        if not retry or number == max_retries or pause > min(MAX_WAIT_S, left_s):
            raise error
        yield Wait(pause)
    raise AssertionError("unreachable")


def is_unsent(error: httpx.TransportError) -> bool:
    """Whether no server has seen the request."""
    return isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout))


def connection_error(error: httpx.TransportError) -> ContextureError:
    """A failure of the way to the server, with its address: often that is what is wrong."""
    url = error.request.url
    server, reason = f"{url.scheme}://{url.netloc.decode('ascii')}", str(error) or type(error).__name__
    code = TIMEOUT if isinstance(error, httpx.TimeoutException) else CONNECTION_FAILED
    what = "cannot connect to" if isinstance(error, httpx.ConnectError) else "no response from"
    failure = ContextureError(code, f"{what} {server}: {reason}")
    failure.__cause__ = error
    return failure


def verdict(outcome: Outcome, *, repeatable: bool) -> Tuple[Optional[ContextureError], bool, bool]:
    """Returns an error or None, whether to try again, and whether the request may have been carried out."""
    if isinstance(outcome, httpx.TransportError):
        error, unsent = connection_error(outcome), is_unsent(outcome)
        return error, unsent or (repeatable and error.code != TIMEOUT), not unsent
    assert outcome is not None
    if outcome.status_code < 300 or outcome.status_code == 304:
        return None, False, False
    error = ContextureError.of_response(outcome, retry_after_of(outcome))
    if error.code in NOTHING_DONE:
        return error, True, False
    # A proxy's page, or a commit whose response was lost.
    unclear = error.code == "outcome_unknown" or (error.problem is None and error.status in (502, 503, 504))
    return error, unclear and repeatable, unclear


def value_of(response: httpx.Response) -> Any:
    """What a method returns for a response."""
    if response.status_code == 204 or not response.content:
        return None
    if "json" in response.headers.get("content-type", ""):
        return ContextureError.json_of(response.content, response)
    return response.text


class _Transport:
    settings: Settings

    def with_options(
        self, *, deadline_ms: Optional[int] = None, max_retries: Optional[int] = None
    ) -> Self:
        """The same client with other defaults; both share their connections."""
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__)
        changes: Dict[str, int] = {}
        if deadline_ms is not None:
            changes["deadline_ms"] = deadline_ms
        if max_retries is not None:
            changes["max_retries"] = max_retries
        copy.settings = replace(self.settings, **changes)  # type: ignore[arg-type]
        return copy


class SyncTransport(_Transport):
    """Sends requests and waits for them."""

    def __init__(
        self, url: Optional[str] = None, key: Optional[str] = None, *, timeout_s: float = DEFAULT_TIMEOUT_S,
        deadline_ms: Optional[int] = None, max_retries: int = DEFAULT_MAX_RETRIES,
        gzip_min_bytes: Optional[int] = DEFAULT_GZIP_MIN_BYTES, http_client: Optional[httpx.Client] = None,
    ) -> None:
        self.settings = settings_from(url, key, timeout_s, deadline_ms, max_retries, gzip_min_bytes)
        self.http = http_client or httpx.Client(follow_redirects=False)

    def send(self, operation: Operation, **call: Any) -> httpx.Response:
        """Sends a request, tries again if that is safe, and returns the response; raises `ContextureError`."""
        flow = flow_of(self.settings, operation, **call)
        outcome: Outcome = None
        while True:
            try:
                step = flow.send(outcome)
            except StopIteration as end:
                return end.value  # type: ignore[no-any-return]
            if isinstance(step, Wait):
                outcome = None
                time.sleep(step.seconds)
                continue
            try:
                outcome = self.http.request(
                    step.method, step.url, headers=step.headers, content=step.content, timeout=step.timeout
                )
            except httpx.TransportError as error:
                outcome = error

    def _call(self, operation: Operation, **call: Any) -> Any:
        return value_of(self.send(operation, **call))

    def _each(self, operation: Operation, query: Mapping[str, Any], **call: Any) -> Iterator[Any]:
        cursor: Optional[str] = None
        while True:
            page = self._call(operation, query={**query, "cursor": cursor}, **call)
            yield from page["items"]
            cursor = page.get("next_cursor")
            if not cursor:
                return

    def close(self) -> None:
        """Closes the connections."""
        self.http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncTransport(_Transport):
    """Sends requests, and lets others run while it waits."""

    def __init__(
        self, url: Optional[str] = None, key: Optional[str] = None, *, timeout_s: float = DEFAULT_TIMEOUT_S,
        deadline_ms: Optional[int] = None, max_retries: int = DEFAULT_MAX_RETRIES,
        gzip_min_bytes: Optional[int] = DEFAULT_GZIP_MIN_BYTES, http_client: Optional[httpx.AsyncClient] = None,
    ) -> None:
        self.settings = settings_from(url, key, timeout_s, deadline_ms, max_retries, gzip_min_bytes)
        self.http = http_client or httpx.AsyncClient(follow_redirects=False)

    async def send(self, operation: Operation, **call: Any) -> httpx.Response:
        """Sends a request, tries again if that is safe, and returns the response; raises `ContextureError`."""
        flow = flow_of(self.settings, operation, **call)
        outcome: Outcome = None
        while True:
            try:
                step = flow.send(outcome)
            except StopIteration as end:
                return end.value  # type: ignore[no-any-return]
            if isinstance(step, Wait):
                outcome = None
                await asyncio.sleep(step.seconds)
                continue
            try:
                outcome = await self.http.request(
                    step.method, step.url, headers=step.headers, content=step.content, timeout=step.timeout
                )
            except httpx.TransportError as error:
                outcome = error

    async def _call(self, operation: Operation, **call: Any) -> Any:
        return value_of(await self.send(operation, **call))

    async def _each(self, operation: Operation, query: Mapping[str, Any], **call: Any) -> AsyncIterator[Any]:
        cursor: Optional[str] = None
        while True:
            page = await self._call(operation, query={**query, "cursor": cursor}, **call)
            for row in page["items"]:
                yield row
            cursor = page.get("next_cursor")
            if not cursor:
                return

    async def close(self) -> None:
        """Closes the connections."""
        await self.http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
