"""The stream of events: it is read again from the last number after a cut, so each event comes once."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, AsyncIterator, Dict, Iterator, List, Optional, Sequence, cast

import httpx

from ._errors import ContextureError
from ._transport import (
    DEFAULT_CONNECT_TIMEOUT_S,
    AsyncTransport,
    SyncTransport,
    _Transport,
    backoff,
    connection_error,
    is_unsent,
    retry_after_of,
)

if TYPE_CHECKING:
    from .types import EventRow

# The server sends a heartbeat every 15 seconds; a stream that is silent for longer than two is dead.
MAX_SILENCE_S = 40.0
# The pause before the next connection if the server has named none.
DEFAULT_PAUSE_S = 2.0
# None is no response at all.
RETRIED_STATUSES = (None, 408, 429, 502, 503, 504)
# About two minutes of pauses.
MAX_FAILURES_IN_A_ROW = 20


@dataclass
class SseParser:
    """Reads server-sent events from pieces of a stream, cut anywhere."""

    last_id: Optional[str] = None
    # Seconds before the next connection, as the server asks.
    retry_s: Optional[float] = None
    _rest: str = ""
    _data: List[str] = field(default_factory=list)
    _id: Optional[str] = None

    def feed(self, text: str) -> Iterator[str]:
        """Takes a piece and yields the data of each event that is complete, after its id counts."""
        self._rest += text
        # A line feed may follow in the next piece.
        lines = self._rest.replace("\r\n", "\n").split("\n")
        self._rest = lines.pop()
        for line in lines:
            if line:
                self._line(line)
            elif self._data or self._id is not None:
                data, self._data = "\n".join(self._data), []
                if self._id is not None:
                    self.last_id, self._id = self._id, None
                if data:
                    yield data

    def _line(self, line: str) -> None:
        name, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "data":
            self._data.append(value)
        elif name == "id" and "\0" not in value:
            self._id = value
        elif name == "retry" and value.isdigit():
            self.retry_s = int(value) / 1_000

    def cut(self) -> None:
        """Forgets an event that was cut off."""
        self._rest, self._data, self._id = "", [], None


@dataclass
class EventStream:
    """What a reader of the stream asks for, and how far it has come."""

    transport: _Transport
    after: Optional[int]
    types: Optional[Sequence[str]]
    session_id: Optional[str]
    parser: SseParser = field(default_factory=SseParser)
    failures: int = 0

    def request(self) -> Dict[str, Any]:
        """The next connection, from the last event on."""
        settings = self.transport.settings
        headers = {"accept": "text/event-stream"}
        if settings.key:
            headers["authorization"] = f"Bearer {settings.key}"
        query = {"types": ",".join(self.types) if self.types else None, "session_id": self.session_id}
        if self.parser.last_id is not None:
            headers["last-event-id"] = self.parser.last_id
        elif self.after is not None:
            query["after"] = str(self.after)
        timeout = httpx.Timeout(MAX_SILENCE_S, connect=DEFAULT_CONNECT_TIMEOUT_S)
        pairs = {name: value for name, value in query.items() if value}
        return {"method": "GET", "url": settings.url + "/events", "params": pairs, "headers": headers,
                "timeout": timeout}

    def rows(self, text: str) -> Iterator[EventRow]:
        """The events in a piece of the stream."""
        for data in self.parser.feed(text):
            yield cast("EventRow", ContextureError.json_of(data))

    def pause_after(self, failure: Optional[ContextureError]) -> float:
        """Seconds before the next connection; raises if there is to be none."""
        self.parser.cut()
        if failure is None:  # A quiet stream may end as often as a proxy likes.
            self.failures = 0
            return DEFAULT_PAUSE_S if self.parser.retry_s is None else self.parser.retry_s
        self.failures += 1
        if failure.status not in RETRIED_STATUSES or self.failures > MAX_FAILURES_IN_A_ROW:
            raise failure
        return backoff(self.failures) if failure.retry_after is None else failure.retry_after


def _failure(error: httpx.TransportError) -> Optional[ContextureError]:
    """A cut in the middle is no failure; no connection is one."""
    return connection_error(error) if is_unsent(error) else None


def read_events(transport: SyncTransport, stream: EventStream) -> Iterator[EventRow]:
    """Events as they happen, without an end."""
    while True:
        failure: Optional[ContextureError] = None
        try:
            with transport.http.stream(**stream.request()) as response:
                if response.status_code != 200:
                    response.read()
                    failure = ContextureError.of_response(response, retry_after_of(response))
                else:
                    for text in response.iter_text():
                        yield from stream.rows(text)
        except httpx.TransportError as error:
            failure = _failure(error)
        time.sleep(stream.pause_after(failure))


async def read_events_async(transport: AsyncTransport, stream: EventStream) -> AsyncIterator[EventRow]:
    """Events as they happen, without an end."""
    while True:
        failure: Optional[ContextureError] = None
        try:
            async with transport.http.stream(**stream.request()) as response:
                if response.status_code != 200:
                    await response.aread()
                    failure = ContextureError.of_response(response, retry_after_of(response))
                else:
                    async for text in response.aiter_text():
                        for row in stream.rows(text):
                            yield row
        except httpx.TransportError as error:
            failure = _failure(error)
        await asyncio.sleep(stream.pause_after(failure))
