"""The two clients."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, AsyncIterator, Iterator, Optional, Sequence

from ._events import EventStream, read_events, read_events_async
from ._operations import AsyncOperations, Operations
from ._session import AsyncSessionHandle, SessionHandle

if TYPE_CHECKING:
    from .types import EventRow


# A page after more events than there can be tells how many there are.
NEWEST = 2**53 - 1


class Contexture(Operations):
    """A client for one server.

    `url` and `key` come from `CONTEXTURE_URL` and `CONTEXTURE_KEY` if they are not given.
    """

    def session(self, session_id: str, /, **defaults: Any) -> SessionHandle:
        """A session under this id; keys of `/compile` become its defaults."""
        return SessionHandle(self, session_id, defaults)

    def events(
        self, *, after: Optional[int] = None, types: Optional[Sequence[str]] = None, session_id: Optional[str] = None
    ) -> Iterator[EventRow]:
        """Events as they happen, from now or after a number, each once, also over cuts of the connection."""
        if after is None:
            after = self.list_events(after=NEWEST, limit=1)["next_after"]
        return read_events(self, EventStream(self, after, types, session_id))


class AsyncContexture(AsyncOperations):
    """A client for one server, async.

    `url` and `key` come from `CONTEXTURE_URL` and `CONTEXTURE_KEY` if they are not given.
    """

    def session(self, session_id: str, /, **defaults: Any) -> AsyncSessionHandle:
        """A session under this id; keys of `/compile` become its defaults."""
        return AsyncSessionHandle(self, session_id, defaults)

    async def events(
        self, *, after: Optional[int] = None, types: Optional[Sequence[str]] = None, session_id: Optional[str] = None
    ) -> AsyncIterator[EventRow]:
        """Events as they happen, from now or after a number, each once, also over cuts of the connection."""
        if after is None:
            after = (await self.list_events(after=NEWEST, limit=1))["next_after"]
        async for row in read_events_async(self, EventStream(self, after, types, session_id)):
            yield row
