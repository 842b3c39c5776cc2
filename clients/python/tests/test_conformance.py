"""The client against the cases of clients/conformance, sync and async."""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
import socket
import time
from types import SimpleNamespace
from typing import Any

import pytest
from cases import cases
from fake_server import FakeServer, check

from contexture_sdk import (
    AsyncContexture,
    Contexture,
    ContextureError,
    WebhookVerificationError,
    _events,
    _transport,
    hooks,
    verify_webhook,
)

FLAVOURS = ("sync", "async")


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What the client waits goes into a list, in milliseconds, and its clock goes on by it."""
    waited: list[float] = []
    passed = [0.0]

    def sleep(seconds: float) -> None:
        waited.append(seconds * 1_000)
        passed[0] += seconds

    async def sleep_async(seconds: float) -> None:
        sleep(seconds)

    clock = SimpleNamespace(sleep=sleep, time=time.time, monotonic=lambda: time.monotonic() + passed[0])
    for module in (_transport, _events):
        monkeypatch.setattr(module, "time", clock)
        monkeypatch.setattr(module, "asyncio", SimpleNamespace(sleep=sleep_async))
    return waited


def closed_port() -> str:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{listener.getsockname()[1]}"


def arguments(call: Any) -> tuple[list[Any], dict[str, Any]]:
    positional = list(call.get("path", []))
    if "body" in call:
        positional.append(call["body"])
    headers = {name.lower().replace("-", "_"): value for name, value in call.get("headers", {}).items()}
    return positional, {**call.get("query", {}), **headers, **call.get("options", {})}


def iterator(client: Any, call: Any) -> Any:
    if "events" in call:
        return client.events(**call["events"])
    positional, named = arguments(call)
    return getattr(client, "iter_" + call["operation"].removeprefix("list_"))(*positional, **named)


def run_sync(options: Any, call: Any) -> tuple[Any, list[Any]]:
    with Contexture(**options) as client:
        if not (call.get("iterate") or "events" in call):
            positional, named = arguments(call)
            return getattr(client, call["operation"])(*positional, **named), []
        rows: list[Any] = []
        try:
            rows.extend(itertools.islice(iterator(client, call), call.get("take")))
        except ContextureError as error:
            error.rows = rows  # type: ignore[attr-defined]
            raise
        return None, rows


async def run_async(options: Any, call: Any) -> tuple[Any, list[Any]]:
    async with AsyncContexture(**options) as client:
        if not (call.get("iterate") or "events" in call):
            positional, named = arguments(call)
            return await getattr(client, call["operation"])(*positional, **named), []
        rows: list[Any] = []
        stream = iterator(client, call)
        try:
            async for row in stream:
                rows.append(row)
                if len(rows) == call.get("take"):
                    break
        except ContextureError as error:
            error.rows = rows  # type: ignore[attr-defined]
            raise
        finally:
            await stream.aclose()
        return None, rows


def collect(options: Any, call: Any, flavour: str) -> tuple[Any, list[Any]]:
    return run_sync(options, call) if flavour == "sync" else asyncio.run(run_async(options, call))


def compare_error(expected: Any, error: ContextureError) -> None:
    found = {
        "code": error.code, "status": error.status, "detail": error.detail, "request_id": error.request_id,
        "errors": error.errors, "details": error.details, "retry_after_s": error.retry_after,
    }
    check(expected, {name: found[name] for name in expected}, "error", {})
    assert error.code in str(error)


FILES = ("requests.json", "retries.json", "problems.json", "pagination.json", "events.json")


@pytest.mark.parametrize("flavour", FLAVOURS)
@pytest.mark.parametrize("case", [row for name in FILES for row in cases(name)])
def test_calls(case: Any, flavour: str, waits: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CONTEXTURE_KEY", raising=False)
    expect = case["expect"]
    with FakeServer(case["exchanges"], waits) as server:
        options = {"url": server.url, **case.get("client", {})}
        if options["url"] == "{closed}":
            options["url"] = closed_port()
        if "refused" in expect:
            with pytest.raises(ValueError, match="another path"):
                collect(options, case["call"], flavour)
        elif "error" in expect:
            with pytest.raises(ContextureError) as caught:
                collect(options, case["call"], flavour)
            compare_error(expect["error"], caught.value)
            check(expect.get("rows", []), getattr(caught.value, "rows", []), "rows", {})
        else:
            result, rows = collect(options, case["call"], flavour)
            check(expect.get("result"), result, "result", {})
            check(expect.get("rows", []), rows, "rows", {})
        server.finish(len(case["exchanges"]))


@pytest.mark.parametrize("case", cases("signatures.json"))
def test_signatures(case: Any) -> None:
    options = {"now": case["now"], **({"tolerance_s": case["tolerance_s"]} if "tolerance_s" in case else {})}
    body = case["body"].encode()
    if case["expect"]["valid"]:
        assert verify_webhook(body, case["headers"], case["secrets"], **options) == case["expect"]["call"]
    else:
        with pytest.raises(WebhookVerificationError) as caught:
            verify_webhook(body, case["headers"], case["secrets"], **options)
        assert caught.value.code == case["expect"]["code"]


@pytest.mark.parametrize("flavour", FLAVOURS)
@pytest.mark.parametrize("case", cases("hooks.json"))
def test_hooks(case: Any, flavour: str, caplog: pytest.LogCaptureFixture) -> None:
    returns = case["returns"]

    def function(_: Any) -> Any:
        if isinstance(returns, dict) and "$throw" in returns:
            raise RuntimeError(returns["$throw"])
        if isinstance(returns, dict) and "$call" in returns:
            return getattr(hooks, returns["$call"])(*returns["arguments"])
        return returns

    async def function_async(call: Any) -> Any:
        return function(call)

    receiver = hooks.Hooks(verify=False)
    receiver._adds(case["kind"], ("event",), "one", {})(function if flavour == "sync" else function_async)
    body = json.dumps({"spec": "hooks/1", "point": "event", "kind": case["kind"], "hook": {"id": "one"}}).encode()
    with caplog.at_level(logging.CRITICAL):
        sync = flavour == "sync"
        reply = receiver.handle(body, {}) if sync else asyncio.run(receiver.handle_async(body, {}))
    assert reply.status == case["expect"]["status"]
    if "body" in case["expect"]:
        check(case["expect"]["body"], json.loads(reply.body), "answer", {})
    else:
        assert "database" not in reply.body.decode()
