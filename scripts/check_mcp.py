#!/usr/bin/env python3
"""Speaks MCP with the official Python SDK; `check_mcp.sh` runs it."""

import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client

TOOLS = {"context_read", "memory_create", "memory_modify", "memory", "memory_recall", "compress",
         "expand"}


def said(result):
    return result.content[0].text


async def check(session, name):
    told = await session.initialize()
    assert told.serverInfo.name == "contexture"
    await session.send_ping()
    tools = (await session.list_tools()).tools
    assert {tool.name for tool in tools} == TOOLS, tools
    key = f"language_{name}"
    assert not (await session.call_tool("memory_create", {"key": key, "value": "Rust"})).isError
    found = json.loads(said(await session.call_tool("memory_recall", {"query": "Rust"})))
    assert any(entry["key"] == key for entry in found), found
    assert not (await session.call_tool("memory_modify", {"action": "delete", "key": key})).isError
    gone = await session.call_tool("memory_modify", {"action": "delete", "key": key})
    assert gone.isError, gone
    path = f"/memories/{name}.md"
    file = {"command": "create", "path": path, "file_text": "Rust"}
    assert not (await session.call_tool("memory", file)).isError
    assert "Rust" in said(await session.call_tool("memory", {"command": "view", "path": path}))
    text = "".join(f"row {row} of the log says {row * 31 % 97}\n" for row in range(200))
    shown = said(await session.call_tool("compress", {"text": text}))
    assert len(shown) < len(text)
    shown = shown.rsplit("\n\n[", 1)[0]
    whole = said(await session.call_tool("expand", {"text": shown}))
    assert whole == text, whole[:200]
    assert (await session.call_tool("context_read", {"id": "0" * 24})).isError
    assert (await session.call_tool("compress", {})).isError
    print(f"the Python SDK over {name}: {len(tools)} tools, {len(text)} bytes became {len(shown)} and back")


async def main(binary, database, url):
    command = StdioServerParameters(command=binary, args=["mcp", "--database-url", database])
    async with stdio_client(command) as (read, write), ClientSession(read, write) as session:
        await check(session, "stdio")
    async with streamablehttp_client(url) as (read, write, _), ClientSession(read, write) as session:
        await check(session, "http")


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
