#!/usr/bin/env python3
"""Runs LiteLLM's guardrail in its loop, and headroom's Python client, against a server.

    pip install litellm fastapi headroom-ai 'mcp<2'
    python3 scripts/check_gateway.py http://127.0.0.1:8080

The loop: the guardrail compresses the messages, a model calls the tool that the guardrail gave it,
the guardrail retrieves the original and builds the request that follows.
"""

import asyncio
import json
import sys

from litellm.proxy.guardrails.guardrail_hooks.headroom.headroom import HeadroomGuardrail
from litellm.types.utils import ModelResponse


def log(lines, name):
    rows = [f"{name} step {row}: {row * 7919 % 1000} units of {row * 104729 % 997}" for row in range(lines)]
    rows[lines // 2] = f"ERROR {name} failed: no such column"
    return "\n".join(rows)


def conversation():
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "What failed?"}]
    for turn in range(12):
        call = {"id": f"c{turn}", "type": "function", "function": {"name": "build", "arguments": "{}"}}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{turn}", "content": log(60 + turn, f"unit-{turn}")})
    messages.append({"role": "user", "content": "Say it in one line."})
    return messages


async def loop(url):
    guardrail = HeadroomGuardrail(api_base=url, guardrail_name="contexture", default_on=True)
    messages = conversation()
    data = {"model": "gpt-4o", "messages": messages}
    inputs = {"structured_messages": messages}
    changed = await guardrail.apply_guardrail(inputs=inputs, request_data=data, input_type="request")
    shown = changed["structured_messages"]
    assert len(shown) == len(messages), "the number of messages changed"
    assert [row["role"] for row in shown] == [row["role"] for row in messages]
    assert shown[0] == messages[0] and shown[-1] == messages[-1]
    before, after = len(json.dumps(messages)), len(json.dumps(shown))
    assert after < before, f"{before} bytes became {after}"
    tools = changed["tools"]
    assert tools[-1]["function"]["name"] == "headroom_retrieve"
    stub = next(row["content"] for row in shown if row["role"] == "tool" and "hash=" in row["content"])
    at = next(index for index, row in enumerate(shown) if row.get("content") == stub)
    name = stub.split("hash=")[1][:24]
    print(f"compressed: {before} bytes became {after}; retrieving {name}")

    call = {"id": "r1", "type": "function",
            "function": {"name": "headroom_retrieve", "arguments": json.dumps({"hash": name})}}
    response = ModelResponse(choices=[{"index": 0, "finish_reason": "tool_calls", "message": {
        "role": "assistant", "content": None, "tool_calls": [call]}}])
    runs, found = await guardrail.async_should_run_agentic_loop(
        response=response, model="gpt-4o", messages=shown, tools=tools, stream=False,
        custom_llm_provider="openai", kwargs=data)
    assert runs, "the guardrail did not see the call"
    plan = await guardrail.async_build_agentic_loop_plan(
        tools=found, model="gpt-4o", messages=shown, response=response,
        anthropic_messages_provider_config=None, anthropic_messages_optional_request_params={},
        logging_obj=None, stream=False, kwargs=data)
    follow = plan.request_patch.messages
    assert follow[-1]["content"] == messages[at]["content"], "what came back is not the original"
    assert follow[-2]["tool_calls"][0]["function"]["name"] == "headroom_retrieve"
    print("retrieved: the original, byte for byte")

    # The request that follows goes through the guardrail again: what came back stays.
    again = await guardrail.apply_guardrail(
        inputs={"structured_messages": follow, "tools": tools},
        request_data={"model": "gpt-4o", "messages": follow}, input_type="request")
    assert again["structured_messages"][-1]["content"] == messages[at]["content"]
    bypassed = {**data, "proxy_server_request": {"headers": {"x-headroom-bypass": "true"}}}
    same = await guardrail.apply_guardrail(inputs=inputs, request_data=bypassed, input_type="request")
    assert same is inputs
    return name, messages[at]["content"]


async def python_client(url, name, original):
    try:
        from headroom.ccr.mcp_server import HeadroomMCPServer
    except ImportError as error:
        sys.exit(f"headroom's client cannot be loaded: {error}")
    server = HeadroomMCPServer(proxy_url=url)
    found = await server._retrieve_via_proxy(name)
    assert found["original_content"] == original, found
    missing = await server._retrieve_via_proxy("0" * 24)
    assert "error" in missing, missing
    print("headroom's Python client: retrieved, and told what is missing")


async def main(url):
    name, original = await loop(url)
    await python_client(url, name, original)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
