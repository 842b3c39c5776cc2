"""`wrap`: the cases of wraps.json on the wire, then the providers' own libraries against a small provider."""

from __future__ import annotations

import asyncio
import gzip
import json
import logging
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from cases import cases
from fake_server import FakeServer, check

from contexture_sdk import AsyncContexture, Contexture, wrap
from contexture_sdk._compiling import (
    ANTHROPIC_MESSAGES,
    FIXED,
    GEMINI_CONTENT,
    OPENAI_CHAT,
    OPENAI_RESPONSES,
    UsageReader,
    rules_of,
)
from contexture_sdk._wrapped_http import compiling_client
from contexture_sdk.types import CompileRequest

WIRES = {"openai": (OPENAI_CHAT, OPENAI_RESPONSES), "anthropic": (ANTHROPIC_MESSAGES,), "gemini": (GEMINI_CONTENT,)}
DEFAULT_RESPONSE = {"status": 200, "headers": {"content-type": "application/json"}, "body": {"id": "a"}}


def exchanges(case: Any) -> tuple[list[Any], list[Any]]:
    """What Contexture and the provider are asked."""
    contexture: list[Any] = []
    if case["compile"] is not None:
        request = {"method": "POST", "path": "/compile", "body": case["compile"]["request"]}
        contexture.append({"request": request, "response": case["compile"]["response"]})
    if "usage" in case:
        path = f"/sessions/{case['usage']['session']}/usage"
        request = {"method": "POST", "path": path, "body": case["usage"]["body"]}
        body = {"id": case["usage"]["session"], "warnings": []}
        contexture.append({"request": request, "response": {**DEFAULT_RESPONSE, "body": body}})
    provider: list[Any] = []
    if case["sent"] is not None:
        absent = {"contexture-session": None}
        request = {"method": "POST", "path": case["path"], "body": case["sent"], "headers": absent}
        provider.append({"request": request, "response": case.get("response", DEFAULT_RESPONSE)})
    return contexture, provider


def options_of(case: Any) -> dict[str, Any]:
    given = case.get("options", {})
    return {
        "session": given.get("session"), "fail_open": given.get("fail_open", True), "on_compiled": None,
        "keys": given.get("keys", {}),
    }


@pytest.mark.parametrize("flavour", ["sync", "async"])
@pytest.mark.parametrize("case", cases("wraps.json"))
def test_on_the_wire(case: Any, flavour: str, caplog: pytest.LogCaptureFixture) -> None:
    asked, sent = exchanges(case)
    rules = rules_of(WIRES[case["provider"]], **options_of(case))
    headers = case.get("headers", {})
    with FakeServer(asked) as contexture, FakeServer(sent) as provider, caplog.at_level(logging.CRITICAL):
        url = provider.url + case["path"]
        if flavour == "sync":
            with compiling_client(httpx.Client(), rules, Contexture(contexture.url, max_retries=0)) as client:
                response = client.post(url, json=case["request"], headers=headers)
        else:

            async def send() -> Any:
                api = AsyncContexture(contexture.url, max_retries=0)
                async with compiling_client(httpx.AsyncClient(), rules, api) as client:
                    return await client.post(url, json=case["request"], headers=headers)

            response = asyncio.run(send())
        contexture.finish(len(asked))
        provider.finish(len(sent))
    expect = case["expect"]
    assert response.status_code == expect["status"]
    if "body" in expect:
        check(expect["body"], response.json(), "response", {})
    if "text" in expect:
        assert response.content == expect["text"].encode()
    if case["sent"] is None:
        assert response.headers["x-should-retry"] == "false"


def test_after_a_failure_to_connect_calls_go_straight_to_the_provider(caplog: pytest.LogCaptureFixture) -> None:
    rules = rules_of((OPENAI_CHAT,), session=None, fail_open=True, on_compiled=None, keys={})
    provider_exchange = {
        "request": {"method": "POST", "path": "/v1/chat/completions"}, "response": DEFAULT_RESPONSE,
    }
    cut = {"request": {"method": "POST", "path": "/compile"}, "response": {"cut": True}}
    with FakeServer([cut]) as contexture, FakeServer([provider_exchange] * 3) as provider:
        with caplog.at_level(logging.CRITICAL):
            with compiling_client(httpx.Client(), rules, Contexture(contexture.url, max_retries=0)) as client:
                for _ in range(3):
                    body = {"model": "gpt-4o", "messages": [{"role": "user", "content": "a"}]}
                    assert client.post(provider.url + "/v1/chat/completions", json=body).status_code == 200
        contexture.finish(1)
        provider.finish(3)


@pytest.mark.parametrize(("keys", "fail_open", "status"), [({}, False, 503), ({"pack": "p@1"}, True, 422)])
def test_what_must_be_compiled_never_goes_out_without(keys: dict[str, Any], fail_open: bool, status: int) -> None:
    rules = rules_of((OPENAI_CHAT,), session=None, fail_open=fail_open, on_compiled=None, keys=keys)
    cut = {"request": {"method": "POST", "path": "/compile"}, "response": {"cut": True}}
    with FakeServer([cut] * 3) as contexture, FakeServer([]) as provider:
        with compiling_client(httpx.Client(), rules, Contexture(contexture.url, max_retries=0)) as client:
            for _ in range(3):
                body = {"model": "gpt-4o", "messages": [{"role": "user", "content": "a"}]}
                assert client.post(provider.url + "/v1/chat/completions", json=body).status_code == status
        contexture.finish(3)
        provider.finish(0)


def test_usage_is_read_from_gzip_cut_anywhere() -> None:
    text = b'data: {"usage": {"prompt_tokens": 7}}\n\ndata: [DONE]\n\n'
    packed = gzip.compress(text)
    for cut in range(len(packed)):
        reader = UsageReader("text/event-stream", "gzip")
        reader.feed(packed[:cut])
        reader.feed(packed[cut:])
        assert reader.end() == {"prompt_tokens": 7}


def test_usage_of_an_encoding_that_cannot_be_read_is_none() -> None:
    reader = UsageReader("application/json", "br")
    reader.feed(b"\x00\x01")
    assert reader.end() is None


CHAT = {"id": "a", "object": "chat.completion", "created": 0, "model": "gpt-4o", "choices": [
    {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Hi"}}],
    "usage": {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10}}
MESSAGES = [{"role": "user", "content": "a"}]
COMPILED = {"id": "cmp_1", "report": {"summary": "…", "requires": None}}


def served(path: Any, answer: Any, status: int = 200, **more: Any) -> Any:
    response = {"status": status, "headers": {"content-type": "application/json"}, "body": answer}
    return {"request": {"method": "POST", "path": path, **more}, "response": response}


def compiled(payload: Any) -> Any:
    return served("/compile", {**COMPILED, "payload": payload})


USAGE = served("/sessions/s/usage", {"id": "s", "warnings": []})


def test_the_library_of_openai() -> None:
    openai = pytest.importorskip("openai")
    seen: list[Any] = []
    payload = {"messages": [{"role": "user", "content": "shorter"}]}
    asked = [compiled(payload), USAGE, compiled(payload), USAGE]
    sent = [served("/v1/chat/completions", CHAT, body={"model": "gpt-4o", **payload})] * 2
    with FakeServer(asked) as contexture, FakeServer(sent) as provider:
        plain = openai.OpenAI(base_url=provider.url + "/v1", api_key="x", max_retries=0)
        client = wrap(plain, Contexture(contexture.url), session="s", on_compiled=seen.append)
        answer = client.chat.completions.create(model="gpt-4o", messages=MESSAGES)
        assert answer.choices[0].message.content == "Hi"
        raw = client.chat.completions.with_raw_response.create(
            model="gpt-4o", messages=MESSAGES, extra_headers={"Contexture-Session": "s"}
        )
        assert raw.parse().usage.prompt_tokens == 9
        assert plain._client is not client._client, "the given client is unchanged"
        client.close()
        provider.finish(2)
        contexture.finish(4)
    assert [row["id"] for row in seen] == ["cmp_1", "cmp_1"]


def test_a_stream_of_openai_arrives_piece_by_piece() -> None:
    openai = pytest.importorskip("openai")
    chunk_of = {"id": "a", "object": "chat.completion.chunk", "created": 0, "model": "m"}
    choices = [[{"index": 0, "delta": {"content": word}}] for word in ("one", "two", "three")]
    pieces = [f"data: {json.dumps({**chunk_of, 'choices': choice})}\n\n" for choice in choices]
    stream = {"request": {"method": "POST", "path": "/v1/chat/completions"}, "response": {
        "status": 200, "headers": {"content-type": "text/event-stream"}, "chunks": [*pieces, "data: [DONE]\n\n"],
        "then": "end"}}
    with FakeServer([compiled({"messages": MESSAGES})]) as contexture, FakeServer([stream]) as provider:
        client = wrap(openai.OpenAI(base_url=provider.url + "/v1", api_key="x"), Contexture(contexture.url))
        words = [
            chunk.choices[0].delta.content
            for chunk in client.chat.completions.create(model="m", messages=MESSAGES, stream=True)
        ]
    assert words == ["one", "two", "three"]


def test_another_attempt_of_the_library_is_not_compiled_again() -> None:
    openai = pytest.importorskip("openai")
    payload = {"messages": [{"role": "user", "content": "shorter"}]}
    body = {"model": "gpt-4o", **payload}
    busy = served("/v1/chat/completions", {"error": {"message": "busy"}}, 503, body=body)
    busy["response"]["headers"]["retry-after-ms"] = "1"
    with FakeServer([compiled(payload)]) as contexture, FakeServer(
        [busy, served("/v1/chat/completions", CHAT, body=body)]
    ) as provider:
        client = wrap(openai.OpenAI(base_url=provider.url + "/v1", api_key="x"), Contexture(contexture.url))
        assert client.chat.completions.create(model="gpt-4o", messages=MESSAGES).id == "a"
        contexture.finish(1)
        provider.finish(2)


def test_what_a_hook_denies_is_the_library_s_own_error_at_once() -> None:
    openai = pytest.importorskip("openai")
    problem = {"type": "/problems/hook-denied", "title": "…", "status": 403, "detail": "the hook `scan` denied",
               "code": "hook_denied", "request_id": "req_1"}
    with FakeServer([served("/compile", problem, 403)]) as contexture, FakeServer([]) as provider:
        client = wrap(openai.OpenAI(base_url=provider.url + "/v1", api_key="x"), Contexture(contexture.url))
        with pytest.raises(openai.PermissionDeniedError, match="the hook `scan` denied"):
            client.chat.completions.create(model="gpt-4o", messages=MESSAGES)
        contexture.finish(1)
        provider.finish(0)


def test_the_library_of_anthropic_async() -> None:
    anthropic = pytest.importorskip("anthropic")
    payload = {"messages": [{"role": "user", "content": [{"type": "text", "text": "shorter"}]}]}
    message = {"id": "m", "type": "message", "role": "assistant", "model": "claude", "stop_reason": "end_turn",
               "stop_sequence": None, "content": [{"type": "text", "text": "Hi"}],
               "usage": {"input_tokens": 5, "output_tokens": 1}}
    sent = [served("/v1/messages", message, body={"model": "claude", "max_tokens": 9, **payload})]
    with FakeServer([compiled(payload), USAGE]) as contexture, FakeServer(sent) as provider:

        async def run() -> str:
            client = wrap(
                anthropic.AsyncAnthropic(base_url=provider.url, api_key="x"), AsyncContexture(contexture.url),
                session=lambda: "s",
            )
            answer = await client.messages.create(model="claude", max_tokens=9, messages=MESSAGES)
            await client.close()
            return str(answer.content[0].text)

        assert asyncio.run(run()) == "Hi"
        contexture.finish(2)
        provider.finish(1)


def test_the_library_of_google_sync_and_async() -> None:
    genai = pytest.importorskip("google.genai")
    payload = {"contents": [{"role": "user", "parts": [{"text": "shorter"}]}]}
    answer = {"candidates": [{"content": {"role": "model", "parts": [{"text": "Hi"}]}, "finishReason": "STOP"}]}
    path = {"$match": "^/v1(beta)?/models/gemini-2.5-flash:generateContent$"}
    sent = [served(path, answer)] * 2
    with FakeServer([compiled(payload)] * 2) as contexture, FakeServer(sent) as provider:
        client = wrap(
            genai.Client(api_key="x", http_options={"base_url": provider.url}), Contexture(contexture.url),
            async_contexture=AsyncContexture(contexture.url),
        )
        assert client.models.generate_content(model="gemini-2.5-flash", contents="a").text == "Hi"

        async def run() -> Any:
            return (await client.aio.models.generate_content(model="gemini-2.5-flash", contents="a")).text

        assert asyncio.run(run()) == "Hi"
        contexture.finish(2)
        provider.finish(2)


def test_only_clients_of_providers_are_wrapped() -> None:
    with pytest.raises(TypeError, match="no client of OpenAI"):
        wrap(object())


def test_what_comes_from_each_request_is_no_option() -> None:
    openai = pytest.importorskip("openai")
    with pytest.raises(TypeError, match="'messages' comes from each request"):
        wrap(openai.OpenAI(api_key="x"), messages=[])
    with pytest.raises(TypeError, match="an AsyncContexture"):
        wrap(openai.AsyncOpenAI(api_key="x"), Contexture())


PROVIDERS = [
    ("openai", "OpenAI"), ("openai", "AsyncOpenAI"), ("anthropic", "Anthropic"), ("anthropic", "AsyncAnthropic"),
    ("google.genai", "Client"),
]


@pytest.mark.parametrize(("module", "name"), PROVIDERS)
def test_an_option_that_is_not_known_is_refused_at_once(module: str, name: str) -> None:
    kind = getattr(pytest.importorskip(module), name)
    with pytest.raises(TypeError, match=r"unknown option 'sesion'; known options: .*, session, session_id, "):
        wrap(kind(api_key="x"), sesion="chat-17")


def test_every_key_of_a_compile_is_an_option_unless_it_comes_from_each_request() -> None:
    for name in CompileRequest.__annotations__:
        given: dict[str, Any] = {"session": None, "fail_open": True, "on_compiled": None, "keys": {name: None}}
        if name in FIXED:
            with pytest.raises(TypeError, match=f"'{name}' comes from each request"):
                rules_of((OPENAI_CHAT,), **given)
        else:
            assert rules_of((OPENAI_CHAT,), **given).keys == {name: None}


def test_many_threads_share_a_wrapped_client() -> None:
    openai = pytest.importorskip("openai")
    payload = {"messages": [{"role": "user", "content": "shorter"}]}
    calls = 24
    # A report of usage may come between any two compiles.
    either = {"method": "POST", "path": {"$match": "^/(compile|sessions/s/usage)$"}}
    answer = {"id": "s", "warnings": [], "payload": payload, "report": {"requires": None}}
    asked = [{"request": either, "response": {**DEFAULT_RESPONSE, "body": answer}}] * (2 * calls)
    with FakeServer(asked) as contexture, FakeServer([served("/v1/chat/completions", CHAT)] * calls) as provider:
        plain = openai.OpenAI(base_url=provider.url + "/v1", api_key="x")
        client = wrap(plain, Contexture(contexture.url), session="s")

        def call(_: int) -> str:
            return str(client.chat.completions.create(model="gpt-4o", messages=MESSAGES).id)

        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(call, range(calls))) == ["a"] * calls
        client.close()
        provider.finish(calls)
        contexture.finish(2 * calls)


def test_a_function_that_is_shown_answers_may_fail(caplog: pytest.LogCaptureFixture) -> None:
    openai = pytest.importorskip("openai")

    def fails(_: Any) -> None:
        raise RuntimeError("of the caller")

    with FakeServer([compiled({"messages": MESSAGES})]) as contexture, FakeServer(
        [served("/v1/chat/completions", CHAT)]
    ) as provider, caplog.at_level(logging.CRITICAL):
        plain = openai.OpenAI(base_url=provider.url + "/v1", api_key="x")
        client = wrap(plain, Contexture(contexture.url), on_compiled=fails)
        assert client.chat.completions.create(model="gpt-4o", messages=MESSAGES).id == "a"
