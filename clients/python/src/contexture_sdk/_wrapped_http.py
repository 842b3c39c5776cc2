"""HTTP clients that compile what they send, for `wrap`, sync and async."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, AsyncIterator, Dict, Iterator, Optional, Set, Tuple, cast

from ._client import AsyncContexture, Contexture
from ._compiling import (
    DEFAULT_DEADLINE_MS,
    SESSION_HEADER,
    Plan,
    Rules,
    UsageReader,
    http_library,
    log,
    same_settings,
    usage_body,
)
from ._errors import ContextureError


def compiling_client(client: Any, rules: Rules, contexture: Any = None) -> Any:
    """An HTTP client with the settings of another one, which sends by it what it has compiled."""
    library, is_async = http_library(client)
    if is_async:
        if contexture is not None and not isinstance(contexture, AsyncContexture):
            raise TypeError("an async client is wrapped with an AsyncContexture")
        contexture = contexture or AsyncContexture(deadline_ms=DEFAULT_DEADLINE_MS, max_retries=0)
        return library.AsyncClient(
            transport=_async_transport(library, client, rules, contexture), **same_settings(client)
        )
    if contexture is not None and not isinstance(contexture, Contexture):
        raise TypeError("a sync client is wrapped with a Contexture")
    contexture = contexture or Contexture(deadline_ms=DEFAULT_DEADLINE_MS, max_retries=0)
    return library.Client(transport=_sync_transport(library, client, rules, contexture), **same_settings(client))


def _with_body(library: Any, request: Any, compiled: Optional[Tuple[bytes, Dict[str, str]]]) -> Any:
    """The request with another body, and without our own header."""
    headers = request.headers.copy()
    headers.pop(SESSION_HEADER, None)
    content = request.content
    if compiled is not None:
        content, needed = compiled
        for name, value in needed.items():
            headers[name] = f"{headers[name]},{value}" if name in headers else value
        headers.pop("content-length", None)
    return library.Request(
        request.method, request.url, headers=headers, content=content, extensions=request.extensions
    )


def _refused(library: Any, request: Any, refusal: Tuple[int, Dict[str, Any]]) -> Any:
    status, body = refusal
    headers = {"content-type": "application/json", "x-should-retry": "false"}
    return library.Response(status, headers=headers, content=json.dumps(body).encode(), request=request)


def _reader(plan: Optional[Plan], response: Any) -> Optional[UsageReader]:
    """The reader of the usage in a response; None without a session, to which usage is reported."""
    if plan is None or plan.session is None or response.status_code != 200:
        return None
    headers = response.headers
    return UsageReader(headers.get("content-type", ""), headers.get("content-encoding", ""))


def _sync_transport(library: Any, client: Any, rules: Rules, contexture: Contexture) -> Any:
    """A transport of the library that the client is of."""
    reports = ThreadPoolExecutor(1, "contexture-usage")
    last: Dict[str, Future[None]] = {}

    def report(plan: Plan, usage: Dict[str, Any]) -> None:
        try:
            contexture.report_usage(str(plan.session), usage_body(plan, usage))
        except ContextureError as error:
            log.warning("usage was not reported: %s", error)

    class Stream(library.SyncByteStream):  # type: ignore[misc]
        def __init__(self, inner: Any, plan: Plan, reader: UsageReader) -> None:
            self.inner, self.plan, self.reader = inner, plan, reader

        def __iter__(self) -> Iterator[bytes]:
            for chunk in self.inner:
                self.reader.feed(chunk)
                yield chunk

        def close(self) -> None:
            self.inner.close()
            usage, self.reader = self.reader.end(), UsageReader("", "none")
            if usage is not None:
                last[str(self.plan.session)] = reports.submit(report, self.plan, usage)

    class Transport(library.BaseTransport):  # type: ignore[misc]
        def handle_request(self, request: Any) -> Any:
            content = request.read()
            compiled = rules.kept_for(content, request.headers)
            session = request.headers.get(SESSION_HEADER)
            plan = rules.plan(request.method, request.url.path, content, session)
            if plan is not None and compiled is None:
                reported = last.pop(str(plan.session), None)
                if reported is not None:
                    wait([reported])
                try:
                    answer = contexture.compile(cast(Any, plan.compile))
                except ContextureError as error:
                    refusal = rules.failed(plan, error)
                    if refusal is not None:
                        return _refused(library, request, refusal)
                    plan = None
                else:
                    compiled = plan.compiled(cast(Any, answer))
                    rules.keep(content, compiled, cast(Any, answer))
            response = client.send(_with_body(library, request, compiled), stream=True)
            reader = _reader(plan, response)
            if plan is not None and reader is not None:
                response.stream = Stream(response.stream, plan, reader)
            return response

        def close(self) -> None:
            client.close()
            reports.shutdown()

    return Transport()


def _async_transport(library: Any, client: Any, rules: Rules, contexture: AsyncContexture) -> Any:
    """A transport of the library that the client is of, async."""
    last: Dict[str, asyncio.Task[None]] = {}
    tasks: Set[asyncio.Task[None]] = set()

    async def report(plan: Plan, usage: Dict[str, Any]) -> None:
        try:
            await contexture.report_usage(str(plan.session), usage_body(plan, usage))
        except ContextureError as error:
            log.warning("usage was not reported: %s", error)

    class Stream(library.AsyncByteStream):  # type: ignore[misc]
        def __init__(self, inner: Any, plan: Plan, reader: UsageReader) -> None:
            self.inner, self.plan, self.reader = inner, plan, reader

        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for chunk in self.inner:
                self.reader.feed(chunk)
                yield chunk

        async def aclose(self) -> None:
            await self.inner.aclose()
            usage, self.reader = self.reader.end(), UsageReader("", "none")
            if usage is not None:
                task = asyncio.get_running_loop().create_task(report(self.plan, usage))
                tasks.add(task)
                task.add_done_callback(tasks.discard)
                last[str(self.plan.session)] = task

    class Transport(library.AsyncBaseTransport):  # type: ignore[misc]
        async def handle_async_request(self, request: Any) -> Any:
            content = await request.aread()
            compiled = rules.kept_for(content, request.headers)
            session = request.headers.get(SESSION_HEADER)
            plan = rules.plan(request.method, request.url.path, content, session)
            if plan is not None and compiled is None:
                reported = last.pop(str(plan.session), None)
                if reported is not None and reported.get_loop() is asyncio.get_running_loop():
                    await asyncio.wait([reported])
                try:
                    answer = await contexture.compile(cast(Any, plan.compile))
                except ContextureError as error:
                    refusal = rules.failed(plan, error)
                    if refusal is not None:
                        return _refused(library, request, refusal)
                    plan = None
                else:
                    compiled = plan.compiled(cast(Any, answer))
                    rules.keep(content, compiled, cast(Any, answer))
            response = await client.send(_with_body(library, request, compiled), stream=True)
            reader = _reader(plan, response)
            if plan is not None and reader is not None:
                response.stream = Stream(response.stream, plan, reader)
            return response

        async def aclose(self) -> None:
            if tasks:
                await asyncio.wait(tasks)
            await client.aclose()

    return Transport()
