"""The client against a real server, and the cases of the server's own side of the wire."""

from __future__ import annotations

import asyncio
import gzip
import json
import threading
import uuid
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from cases import cases
from conftest import KEY
from fake_server import FakeServer, check

from contexture_sdk import AsyncContexture, Contexture, ContextureError, wrap
from contexture_sdk.hooks import Hooks, deny, json_patch

LIVE = [
    row for name in ("requests.json", "retries.json", "problems.json", "pagination.json", "events.json")
    for row in cases(name)
    if any("live" in exchange for exchange in row.values[0]["exchanges"])
]


def concrete(headers: Any) -> dict[str, str]:
    """Headers that a request can have: of a matcher, a value that it allows."""
    made = {}
    for name, value in headers.items():
        if isinstance(value, str):
            made[name] = value
        elif isinstance(value, dict) and name == "idempotency-key":
            made[name] = uuid.uuid4().hex
        elif isinstance(value, dict) and "$max" in value:
            made[name] = str(value["$max"])
    return made


def ask(url: str, request: Any, query: Any) -> httpx.Response:
    headers = concrete(request.get("headers", {}))
    content = None
    if "body" in request:
        content = json.dumps(request["body"]).encode()
        headers.setdefault("content-type", "application/json")
        if headers.get("content-encoding") == "gzip":
            content = gzip.compress(content)
    # The path is percent-encoded in the case.
    target = httpx.URL(url).copy_with(raw_path=request["path"].encode()).copy_merge_params(query)
    return httpx.request(request["method"], target, headers=headers, content=content)


@pytest.mark.parametrize("case", LIVE)
def test_the_server_is_as_the_cases_say(case: Any, server_url: str) -> None:
    bound: dict[str, Any] = {}
    for exchange in case["exchanges"]:
        if "live" not in exchange:
            continue
        live = exchange["live"]
        for request in live.get("before", []):
            assert ask(server_url, request, request.get("query", {})).status_code < 300
        query = {
            name: bound[value["$same"]] if isinstance(value, dict) else value
            for name, value in live.get("query", exchange["request"].get("query", {})).items()
        }
        response = ask(server_url, exchange["request"], query)
        assert response.status_code == live["status"], response.text
        check(live.get("headers", {}), dict(response.headers), "headers", bound, subset=True)
        if "body" in live:
            check(live["body"], response.json(), "body", bound, subset=True)


@pytest.fixture
def client(server_url: str) -> Iterator[Contexture]:
    with Contexture(server_url) as made:
        yield made


TOOLS = [{"type": "function", "function": {
    "name": "read_log", "parameters": {"type": "object", "properties": {"lines": {"type": "integer"}}}}}]


def call_of(name: str, arguments: str, call_id: str = "c1") -> Any:
    call = {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


@pytest.mark.parametrize("notations", ["plain", "none"])
def test_results_are_written_with_the_notations_of_the_session(client: Contexture, notations: str) -> None:
    session = client.session(f"run-{notations}", target="openai", tools=TOOLS, compression={"notations": notations})
    session.turn({"role": "user", "content": "Which boxes were stored?"})
    log = "\n".join(f"2031-03-04 09:{at % 60:02}:00 INFO shelf-{at * 7 % 5} stored box {at}" for at in range(40))
    turn = session.run(call_of("read_log", '{"lines": 40}'), functions={"read_log": lambda lines: log})
    assert turn is not None
    assert (turn["payload"]["messages"][-1]["content"] == log) == (notations == "none")


def test_a_session_runs_the_tools_of_a_turn(client: Contexture) -> None:
    session = client.session("run-1", target="openai", tools=TOOLS)
    first = session.turn({"role": "user", "content": "Where does the build fail?"})
    assert first["payload"]["tools"][0]["function"]["name"] == "read_log"
    turn = session.run(call_of("read_log", '{"lines": 3}'), functions={"read_log": lambda lines: ["row"] * lines})
    assert turn is not None
    assert turn["payload"]["messages"][-1] == {"role": "tool", "tool_call_id": "c1", "content": '["row","row","row"]'}
    assert session.run({"role": "assistant", "content": "In the linker."}, functions={}) is None
    assert session.get()["messages"] == 4
    assert session.get()["defaults"] == {"target": "openai", "tools": TOOLS}
    session.delete()


def test_what_a_tool_raises_and_what_the_server_denies_is_for_the_model(client: Contexture) -> None:
    session = client.session("run-2", target="openai", tools=TOOLS)
    session.turn({"role": "user", "content": "Go."})

    def fails(**_: Any) -> str:
        raise OSError("no such log")

    turn = session.run(call_of("read_log", '{"lines": 3}'), functions={"read_log": fails})
    assert turn is not None
    assert "OSError: no such log" in turn["payload"]["messages"][-1]["content"]
    turn = session.run(call_of("read_log", '{"lines": "x"}', "c2"), functions={"read_log": fails})
    assert turn is not None
    assert "lines" in turn["payload"]["messages"][-1]["content"]
    with pytest.raises(LookupError, match="read_log"):
        session.run(call_of("read_log", '{"lines": 1}', "c3"), functions={})


def test_a_session_async(server_url: str) -> None:
    async def read_log(lines: int) -> str:
        await asyncio.sleep(0)
        return "x" * lines

    async def run() -> None:
        async with AsyncContexture(server_url) as client:
            session = client.session("run-3", target="anthropic", tools=TOOLS)
            await session.turn({"role": "user", "content": "Go."})
            message = {"role": "assistant", "content": [
                {"type": "tool_use", "id": "t1", "name": "read_log", "input": {"lines": 4}}]}
            turn = await session.run(message, functions={"read_log": read_log})
            assert turn is not None
            result = turn["payload"]["messages"][-1]["content"][0]
            assert (result["type"], result["tool_use_id"]) == ("tool_result", "t1")
            assert "xxxx" in json.dumps(result["content"])
            counted = await session.usage({"input_tokens": 30, "output_tokens": 2})
            assert counted["id"] == "run-3"
            events = client.events(after=0, types=["compile:done"], session_id="run-3")
            rows = [(await anext(events))["type"] for _ in range(2)]
            await events.aclose()  # type: ignore[attr-defined]
            assert rows == ["compile:done"] * 2

    asyncio.run(run())


def test_events_from_now_on(client: Contexture) -> None:
    client.put_memory("before", {"value": 1})
    events = client.events(types=["memory:changed"])
    timer = threading.Timer(0.3, lambda: client.put_memory("after", {"value": 2}))
    timer.start()
    event = next(events)
    assert event["type"] == "memory:changed"
    assert event["data"]["key"] == "after"
    timer.join()


def test_lists_are_iterated(client: Contexture) -> None:
    for at in range(5):
        client.put_memory(f"iterated/{at}", {"value": at})
    assert [row["value"] for row in client.iter_memory(prefix="iterated/", limit=2)] == [0, 1, 2, 3, 4]


def test_a_wrapped_client_calibrates_its_session(server_url: str, client: Contexture) -> None:
    openai = pytest.importorskip("openai")
    message = {"role": "assistant", "content": "Hi"}
    completion = {
        "id": "a", "object": "chat.completion", "created": 0, "model": "gpt-4o",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {"prompt_tokens": 2600, "completion_tokens": 1, "total_tokens": 2601},
    }
    response = {"status": 200, "headers": {"content-type": "application/json"}, "body": completion}
    reports: list[Any] = []
    request = {"method": "POST", "path": "/v1/chat/completions"}
    with FakeServer([{"request": request, "response": response}]) as provider:
        wrapped = wrap(
            openai.OpenAI(base_url=provider.url + "/v1", api_key="x"), client, session="wrapped-1",
            on_compiled=lambda answer: reports.append(answer["report"]),
        )
        wrapped.chat.completions.create(model="gpt-4o", messages=[{"role": "user", "content": "word " * 2000}])
        wrapped.close()
    [calibration] = client.get_session("wrapped-1")["calibration"]
    assert calibration["model"] == "gpt-4o"
    assert calibration["factor"] == pytest.approx(2600 / reports[0]["tokens_after"], abs=0.01)


def test_keys(server_with_keys: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CONTEXTURE_KEY", raising=False)
    with Contexture(server_with_keys) as stranger, pytest.raises(ContextureError) as caught:
        stranger.list_keys()
    assert (caught.value.code, caught.value.status) == ("unauthenticated", 401)
    monkeypatch.setenv("CONTEXTURE_KEY", KEY)
    with Contexture(server_with_keys) as owner:
        key = owner.create_key({"scopes": ["compile"], "name": "an agent"})["key"]
        assert [row["name"] for row in owner.iter_keys()] == ["an agent"]
    with Contexture(server_with_keys, key) as agent:
        assert agent.count_tokens({"text": "hello", "model": "gpt-4o"})["tokens"] == 1
        with pytest.raises(ContextureError) as caught:
            next(agent.events(after=0))
    assert (caught.value.code, caught.value.status) == ("forbidden", 403)


def test_a_version_that_is_not_stored_is_refused(client: Contexture) -> None:
    client.put_memory("versioned-2", {"value": 1})
    with pytest.raises(ContextureError) as caught:
        client.put_memory("versioned-2", {"value": 2}, if_match='"9"')
    assert (caught.value.code, caught.value.status) == ("precondition_failed", 412)


@pytest.fixture
def receiver() -> Iterator[tuple[Hooks, str]]:
    """Hooks on a server of Python's own library, and their address."""
    hooks = Hooks("whsec_" + "QUJDREVGR0hJSktMTU5PUFFSU1RVVldY")
    server = hooks.server()
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield hooks, f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


def test_hooks_are_registered_verified_and_answer(client: Contexture, receiver: tuple[Hooks, str]) -> None:
    hooks, url = receiver
    seen: list[Any] = []

    @hooks.guard("memory_update")
    def veto(call: Any) -> Any:
        return deny("Not that.", "pii") if "password" in call["input"]["value"] else None

    @hooks.provide("before_compile")
    def note(call: Any) -> Any:
        seen.append(call)
        return "Only on Fridays." if call["input"]["dynamic_state"] else None

    @hooks.transform("transform_context")
    def last(call: Any) -> Any:
        place = f"/messages/{len(call['input']['messages']) - 1}/parts/-"
        return json_patch([{"op": "add", "path": place, "value": {"type": "text", "text": "In one sentence."}}])

    assert [row["id"] for row in hooks.register(client, url)] == ["veto", "note", "last"]
    revisions = [client.get_hook(name)["revision"] for name in ("veto", "note", "last")]
    hooks.register(client, url)
    assert [client.get_hook(name)["revision"] for name in ("veto", "note", "last")] == revisions
    try:
        answer = client.compile(
            {"model": "gpt-4o", "dynamic_state": {"day": 5}, "messages": [{"role": "user", "content": "When?"}]}
        )
        text = json.dumps(answer["payload"])
        assert "Only on Fridays." in text
        assert "In one sentence." in text
        assert seen[0]["scope"]["compilation_id"] == answer["id"]
        message = call_of("create_memory", '{"key": "k", "value": "a password"}')
        calls = client.handle_calls({"calls": message["tool_calls"]})
        assert calls["results"][0]["decision"] == "deny"
    finally:
        for name in ("veto", "note", "last"):
            client.delete_hook(name)


def test_types_of_calls_are_those_of_the_server(client: Contexture) -> None:
    from contexture_sdk import hook_types

    points = client.list_hook_points()["items"]
    assert len(points) == 17
    for point in points:
        name = "".join(word.capitalize() for word in point["point"].split("_")) + "Input"
        members = set(getattr(hook_types, name).__annotations__)
        assert members == set(point["input"]), point["point"]


def test_a_trial_has_the_members_that_the_types_name(client: Contexture, receiver: tuple[Hooks, str]) -> None:
    hooks, url = receiver
    seen: list[Any] = []
    hooks.observe("after_compress", id="seen")(seen.append)
    hooks.register(client, url)
    assert client.test_hook("seen", {})["response"]
    client.delete_hook("seen")
    from contexture_sdk import hook_types

    call = seen[0]
    assert set(call) == set(hook_types._Call.__annotations__) | {"point", "input"}
    assert set(call["scope"]) == set(hook_types.CallScope.__annotations__)
    assert set(call["delivery"]) == set(hook_types.CallDelivery.__annotations__)
