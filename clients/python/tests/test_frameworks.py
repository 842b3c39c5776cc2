"""The optional modules against the frameworks' own code and a real server."""

from __future__ import annotations

import asyncio
import importlib
import logging
from typing import Any

import pytest
from fake_server import FakeServer

from contexture_sdk import AsyncContexture, Contexture, ContextureError
from contexture_sdk._neutral import clients_of

ROWS = [f"step {row}: compiled unit {row} in {row * 37 % 400} ms" for row in range(200)]
LOG = "\n".join([*ROWS, "ERROR unit 7 failed"])


def test_langchain_sends_compiled_messages_and_keeps_its_own(server_url: str) -> None:
    agents = pytest.importorskip("langchain.agents")
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
    from langchain_core.tools import tool

    from contexture_sdk.langchain import CompileMiddleware

    sent: list[list[Any]] = []
    usage = {"input_tokens": 1500, "output_tokens": 5, "total_tokens": 1505}

    class Model(GenericFakeChatModel):
        def bind_tools(self, tools: Any, **options: Any) -> Any:
            return self

        def _generate(self, messages: Any, *arguments: Any, **options: Any) -> Any:
            sent.append(messages)
            return super()._generate(messages, *arguments, **options)

    @tool
    def read_log(lines: int) -> str:
        """Reads the log of the last build."""
        return LOG

    call = AIMessage("", tool_calls=[{"id": "c1", "name": "read_log", "args": {"lines": 200}}])
    answers = iter([call, AIMessage("Unit 7 fails.", usage_metadata=usage)])
    with Contexture(server_url) as client:
        middleware = CompileMiddleware(client, session="lc-1", compression={"on_arrival": "reversible"})
        agent = agents.create_agent(Model(messages=answers), [read_log], system_prompt="You mend builds.",
                                    middleware=[middleware])
        state = agent.invoke({"messages": [HumanMessage("Where does the build fail?")]})
        assert client.get_session("lc-1")["turns"] == 2
        cost = client.get_session("lc-1")["last_cost"]
    assert cost is None or cost["payload_micros"] >= 0
    [system, question] = sent[0]
    assert (system.content, question.content) == ("You mend builds.", "Where does the build fail?")
    shown = sent[1][-1]
    assert isinstance(shown, ToolMessage)
    assert shown.tool_call_id == "c1"
    assert "ERROR unit 7 failed" in shown.text
    assert len(shown.text) < len(LOG) / 2
    kept = next(message for message in state["messages"] if isinstance(message, ToolMessage))
    assert kept.content == LOG, "the agent's own list is whole"
    assert any(message is sent[1][2] for message in state["messages"]), "what is unchanged is the same object"
    assert state["messages"][-1].content == "Unit 7 fails."


def test_langchain_async_and_failing_open(caplog: pytest.LogCaptureFixture) -> None:
    agents = pytest.importorskip("langchain.agents")
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage, HumanMessage

    from contexture_sdk.langchain import CompileMiddleware, compile_messages

    async def run(**options: Any) -> Any:
        async with AsyncContexture("http://127.0.0.1:1", max_retries=0) as client:
            middleware = CompileMiddleware(client, **options)
            model = GenericFakeChatModel(messages=iter([AIMessage("Hi")]))
            agent = agents.create_agent(model, [], middleware=[middleware])
            return await agent.ainvoke({"messages": [HumanMessage("Hello")]})

    with caplog.at_level(logging.CRITICAL):
        assert asyncio.run(run())["messages"][-1].content == "Hi"
        with pytest.raises(ContextureError, match="connection_failed"):
            asyncio.run(run(fail_open=False))
        messages = [HumanMessage("Hello")]
        assert compile_messages(messages, Contexture("http://127.0.0.1:1", max_retries=0)) == messages


def test_langchain_keeps_images_and_adds_summaries(server_url: str) -> None:
    pytest.importorskip("langchain_core")
    from langchain_core.messages import AIMessage, HumanMessage

    from contexture_sdk.langchain import compile_messages

    dot = ("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
    picture = HumanMessage(content=[
        {"type": "text", "text": "What is this?"},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{dot}"}}])
    with Contexture(server_url) as client:
        assert compile_messages([picture], client)[0] is picture
        history: list[Any] = []
        for at in range(30):
            history += [HumanMessage(f"Question {at}: {'what about it ' * 20}"), AIMessage(f"Answer {at}. " * 20)]
        short = compile_messages([*history, HumanMessage("And now?")], client, model="gpt-4o",
                                 budget={"context_window": 2000})
    assert len(short) < 40
    assert "summar" in str(short[0].content)
    assert short[-1].content == "And now?"


def test_the_agents_sdk_keeps_its_history_in_a_session(server_url: str) -> None:
    agents = pytest.importorskip("agents")
    from agents.items import ModelResponse
    from agents.models.interface import Model
    from agents.run import RunConfig
    from agents.usage import Usage
    from openai.types.responses import ResponseOutputMessage, ResponseOutputText

    from contexture_sdk.openai_agents import ContextureSession, compile_input

    sent: list[Any] = []

    class Fake(Model):
        async def get_response(self, system_instructions: Any, input: Any, *_: Any, **__: Any) -> Any:  # noqa: A002
            sent.append((system_instructions, input))
            text = ResponseOutputText(type="output_text", text=f"Answer {len(sent)}", annotations=[])
            message = ResponseOutputMessage(id=f"msg_{len(sent)}", type="message", role="assistant", status="completed",
                                            content=[text])
            return ModelResponse(output=[message], usage=Usage(), response_id=None)

        def stream_response(self, *_: Any, **__: Any) -> Any:
            raise NotImplementedError

    async def run() -> None:
        async with AsyncContexture(server_url) as client:
            session = ContextureSession("agents-1", client)
            assert isinstance(session, agents.memory.Session)
            assert await session.get_items() == []
            assert await session.pop_item() is None
            agent = agents.Agent(name="a", instructions="You mend builds.", model=Fake())
            config = RunConfig(tracing_disabled=True, call_model_input_filter=compile_input(client))
            for question in ("First?", "Second?"):
                await agents.Runner.run(agent, question, session=session, run_config=config)
            assert sent[1][0] == "You mend builds."
            words = [str(item["content"]) for item in sent[1][1]]
            assert "First?" in words[0]
            assert "Answer 1" in words[1]
            assert "Second?" in words[2]
            assert len(await session.get_items()) == 4
            assert len(await session.get_items(limit=1)) == 1
            last = await session.pop_item()
            assert last is not None
            assert "Answer 2" in str(last)
            assert len(await session.get_items()) == 3
            await session.clear_session()
            await session.clear_session()
            assert await session.get_items() == []

    asyncio.run(run())


def test_pydantic_ai_sends_compiled_messages_and_keeps_its_own(server_url: str) -> None:
    pydantic_ai = pytest.importorskip("pydantic_ai")
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
    from pydantic_ai.models.function import FunctionModel
    from pydantic_ai.usage import RequestUsage

    from contexture_sdk.pydantic_ai import CompileHistory

    sent: list[Any] = []

    def answer(messages: Any, _: Any) -> Any:
        sent.append(messages)
        if len(sent) == 1:
            return ModelResponse([ToolCallPart("read_log", {"lines": 200}, "c1")])
        return ModelResponse([TextPart("Unit 7 fails.")], usage=RequestUsage(input_tokens=1500, output_tokens=4))

    async def run() -> Any:
        async with AsyncContexture(server_url) as client:
            history = CompileHistory(client, session="pa-1", compression={"on_arrival": "reversible"})
            agent = pydantic_ai.Agent(FunctionModel(answer), system_prompt="You mend builds.", capabilities=[history])

            @agent.tool_plain  # type: ignore[untyped-decorator]
            def read_log(lines: int) -> str:
                """Reads the log of the last build."""
                return LOG

            result = await agent.run("Where does the build fail?")
            return result, await client.get_session("pa-1")

    result, session = asyncio.run(run())
    assert result.output == "Unit 7 fails."
    assert session["turns"] == 2
    shown = sent[1][-1].parts[-1]
    assert isinstance(shown, ToolReturnPart)
    assert "ERROR unit 7 failed" in str(shown.content)
    assert len(str(shown.content)) < len(LOG) / 2
    whole = [part for message in result.all_messages() for part in message.parts if isinstance(part, ToolReturnPart)]
    assert [part.content for part in whole] == [LOG], "the agent's own history is whole"


@pytest.mark.parametrize(
    ("module", "framework", "name", "given"),
    [
        ("langchain", "langchain.agents", "CompileMiddleware", ()),
        ("langchain", "langchain.agents", "compile_messages", ([],)),
        ("openai_agents", "agents", "ContextureSession", ("chat-17",)),
        ("openai_agents", "agents", "compile_input", ()),
        ("pydantic_ai", "pydantic_ai", "CompileHistory", ()),
    ],
)
def test_an_option_that_is_not_known_is_refused_at_once(
    module: str, framework: str, name: str, given: tuple[Any, ...]
) -> None:
    pytest.importorskip(framework)
    made = getattr(importlib.import_module(f"contexture_sdk.{module}"), name)
    with pytest.raises(TypeError, match=r"unknown option 'budgt'; known options: (.*, )?budget, "):
        made(*given, budgt={"context_window": 8_000})
    with pytest.raises(TypeError, match="'system' comes from each request"):
        made(*given, system="Be brief.")


CUT = {"request": {"method": "POST", "path": "/compile"}, "response": {"cut": True}}


def test_after_a_failure_to_connect_the_server_is_not_asked_for_a_while(caplog: pytest.LogCaptureFixture) -> None:
    with FakeServer([CUT]) as server, caplog.at_level(logging.CRITICAL):
        clients = clients_of(Contexture(server.url, max_retries=0), {}, "")
        assert [clients.compile({"messages": []}) for _ in range(3)] == [None] * 3
        assert asyncio.run(clients.compile_async({"messages": []})) is None
        server.finish(1)


@pytest.mark.parametrize(("keys", "fail_open"), [({}, False), ({"pack": "p@1"}, True)])
def test_what_must_be_compiled_never_goes_out_without(keys: dict[str, Any], fail_open: bool) -> None:
    with FakeServer([CUT] * 2) as server:
        clients = clients_of(Contexture(server.url, max_retries=0), keys, "", fail_open=fail_open)
        for _ in range(2):
            with pytest.raises(ContextureError, match="connection_failed"):
                clients.compile({"messages": []})
        server.finish(2)


def test_what_the_pack_of_a_session_refuses_does_not_go_out() -> None:
    problem = {"type": "/problems/evidence-required", "title": "…", "status": 422, "detail": "…", "stage": "evidence",
               "code": "evidence_required", "request_id": "req_1"}
    refused = {"request": CUT["request"], "response": {
        "status": 422, "headers": {"content-type": "application/problem+json"}, "body": problem}}
    with FakeServer([refused]) as server:
        clients = clients_of(Contexture(server.url), {}, "")
        with pytest.raises(ContextureError, match="evidence_required"):
            clients.compile({"messages": []})
