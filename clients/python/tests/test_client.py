"""What the cases of all clients do not say: the environment, options, and Python's own values."""

from __future__ import annotations

import asyncio
import datetime
from typing import Any

import pytest
from fake_server import FakeServer

from contexture_sdk import AsyncContexture, Contexture, ContextureError
from contexture_sdk._events import SseParser
from contexture_sdk._plain import plain

HEALTH: Any = {"request": {"method": "GET", "path": "/healthz"}, "response": {
    "status": 200, "headers": {"content-type": "application/json"}, "body": {"status": "ok"}}}


def test_url_and_key_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    request = {**HEALTH["request"], "headers": {"authorization": "Bearer of-the-environment"}}
    with FakeServer([{**HEALTH, "request": request}]) as server:
        monkeypatch.setenv("CONTEXTURE_URL", server.url + "/")
        monkeypatch.setenv("CONTEXTURE_KEY", "of-the-environment")
        assert Contexture().get_health() == {"status": "ok"}
        server.finish(1)


def test_arguments_win_over_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONTEXTURE_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("CONTEXTURE_KEY", "of-the-environment")
    request = {**HEALTH["request"], "headers": {"authorization": "Bearer given"}}
    with FakeServer([{**HEALTH, "request": request}]) as server:
        assert Contexture(server.url, "given").get_health() == {"status": "ok"}
        server.finish(1)


def test_a_url_without_a_scheme_is_refused() -> None:
    with pytest.raises(ValueError, match="http://"):
        Contexture("localhost:8080")


def test_options_of_a_copy_leave_the_client_as_it_is() -> None:
    client = Contexture("http://127.0.0.1:1")
    copy = client.with_options(deadline_ms=7, max_retries=0)
    assert (copy.settings.deadline_ms, copy.settings.max_retries) == (7, 0)
    assert (client.settings.deadline_ms, client.settings.max_retries) == (None, 2)
    assert copy.http is client.http


def test_a_key_is_in_no_text_of_an_error() -> None:
    client = Contexture("http://127.0.0.1:1", "cx_live_secret", max_retries=0)
    with pytest.raises(ContextureError) as caught:
        client.get_health()
    assert caught.value.code == "connection_failed"
    assert "cx_live_secret" not in f"{caught.value} {caught.value!r} {client.settings!r}"


def test_fewer_retries_than_none_are_none() -> None:
    with pytest.raises(ContextureError) as caught:
        Contexture("http://127.0.0.1:1", max_retries=-1).get_health()
    assert caught.value.code == "connection_failed"


def test_half_of_a_surrogate_pair_is_sent() -> None:
    exchange = {"request": {"method": "POST", "path": "/tokens"}, "response": {
        "status": 200, "headers": {"content-type": "application/json"}, "body": {"tokens": 1}}}
    with FakeServer([exchange]) as server:
        Contexture(server.url).count_tokens({"text": "half \ud83d", "model": "gpt-4o"})
        server.finish(1)


def test_what_json_cannot_hold_is_refused_before_it_is_sent() -> None:
    client = Contexture("http://127.0.0.1:1")
    with pytest.raises(ValueError, match="JSON"):
        client.put_memory("k", {"value": float("nan")})
    with pytest.raises(TypeError, match="datetime"):
        client.put_memory("k", {"value": datetime.datetime.now()})


def test_events_are_read_from_pieces_of_any_size() -> None:
    text = 'retry: 50\n\nid: 1\ndata: {"a":\ndata: 1}\n\n: beat\n\nid: 2\ndata: x\n\n'
    for size in range(1, len(text)):
        parser = SseParser()
        found = [data for at in range(0, len(text), size) for data in parser.feed(text[at : at + size])]
        assert found == ['{"a":\n1}', "x"]
        assert (parser.last_id, parser.retry_s) == ("2", 0.05)


def test_objects_of_other_libraries_are_written_by_their_own_methods() -> None:
    class Model:
        def model_dump(self, **options: Any) -> Any:
            return {"role": "assistant", "options": sorted(options)}

    assert plain([{"m": Model()}, ("a", 1)]) == [
        {"m": {"role": "assistant", "options": ["by_alias", "exclude_none", "mode"]}}, ["a", 1],
    ]


def test_cancelling_an_async_call_cancels_it() -> None:
    async def run() -> None:
        with FakeServer([{**HEALTH, "response": {"silence": True}}]) as server:
            async with AsyncContexture(server.url) as client:
                with pytest.raises(asyncio.TimeoutError):
                    await asyncio.wait_for(client.get_health(), 0.1)

    asyncio.run(run())
