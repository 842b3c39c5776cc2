#!/usr/bin/env python3
"""Parses payloads with the providers' own Python SDK types.

Reads JSON Lines of {"target": ..., "payload": {...}} from the files named (or stdin), parses
each payload with pydantic and the types of the packages openai, anthropic and google-genai,
prints every fault and exits 1 if there was one. The types know shapes, not the order of
messages: that is the job of tests/it/support/valid.

Run it in a scratch environment, so that nothing is installed beside the system's Python:

    python3 -m venv .venv-sdk
    .venv-sdk/bin/pip install openai anthropic google-genai
    .venv-sdk/bin/python scripts/check_payloads.py payloads.jsonl

Payloads of the target "neutral" belong to no SDK and are only parsed as JSON.
"""

import json
import sys
from typing import Any, Callable, Iterable

import anthropic.types
import google.genai.types as gemini
import openai.types.chat
import openai.types.responses
from pydantic import TypeAdapter, ValidationError

# Adapters are slow to build: each is built once.
CHAT_MESSAGE = TypeAdapter(openai.types.chat.ChatCompletionMessageParam)
CHAT_TOOL = TypeAdapter(openai.types.chat.ChatCompletionToolUnionParam)
RESPONSE_INPUT = TypeAdapter(openai.types.responses.ResponseInputParam)
RESPONSE_TOOL = TypeAdapter(openai.types.responses.ToolParam)
ANTHROPIC_MESSAGE = TypeAdapter(anthropic.types.MessageParam)
ANTHROPIC_SYSTEM = TypeAdapter(anthropic.types.TextBlockParam)
ANTHROPIC_TOOL = TypeAdapter(anthropic.types.ToolUnionParam)


def parse(adapter: TypeAdapter, value: Any) -> Any:
    """Parses a value and walks what pydantic reads only when asked (`Iterable` fields)."""
    return walk(adapter.validate_python(value))


def walk(value: Any) -> Any:
    """Reads lazy iterables to their end, so that every nested fault shows."""
    if isinstance(value, dict):
        return {key: walk(member) for key, member in value.items()}
    if isinstance(value, (str, bytes, int, float)) or value is None:
        return value
    if isinstance(value, Iterable):
        return [walk(member) for member in value]
    return value


def keys(payload: dict, allowed: set[str]) -> None:
    unknown = set(payload) - allowed
    if unknown:
        raise ValueError(f"keys that are not the provider's: {sorted(unknown)}")


def check_openai(payload: dict) -> None:
    keys(payload, {"messages", "tools"})
    for message in payload["messages"]:
        parse(CHAT_MESSAGE, message)
    for tool in payload.get("tools", []):
        parse(CHAT_TOOL, tool)


def check_responses(payload: dict) -> None:
    keys(payload, {"instructions", "input", "tools"})
    parse(RESPONSE_INPUT, payload["input"])
    for tool in payload.get("tools", []):
        parse(RESPONSE_TOOL, tool)


def check_anthropic(payload: dict) -> None:
    keys(payload, {"system", "messages", "tools"})
    for block in payload.get("system", []):
        parse(ANTHROPIC_SYSTEM, block)
    for message in payload["messages"]:
        parse(ANTHROPIC_MESSAGE, message)
    for tool in payload.get("tools", []):
        parse(ANTHROPIC_TOOL, tool)


def check_gemini(payload: dict) -> None:
    keys(payload, {"systemInstruction", "contents", "tools"})
    for content in payload["contents"]:
        gemini.Content.model_validate(content)
    config = {key: payload[key] for key in ("systemInstruction", "tools") if key in payload}
    gemini.GenerateContentConfig.model_validate(config)


CHECKS: dict[str, Callable[[dict], None]] = {
    "openai": check_openai,
    "openai_responses": check_responses,
    "anthropic": check_anthropic,
    "gemini": check_gemini,
    "neutral": lambda payload: None,
}


def lines(paths: list[str]) -> Iterable[tuple[str, str]]:
    """Each line with the name by which a fault is found again."""
    if not paths:
        for number, line in enumerate(sys.stdin, 1):
            yield f"stdin:{number}", line
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                yield f"{path}:{number}", line


def main(paths: list[str]) -> int:
    checked = faults = 0
    for place, line in lines(paths):
        if not line.strip():
            continue
        checked += 1
        try:
            row = json.loads(line)
            CHECKS[row["target"]](row["payload"])
        except ValidationError as error:
            faults += 1
            for fault in error.errors()[:5]:
                where = ".".join(str(step) for step in fault["loc"])
                print(f"{place}: {where}: {fault['msg']}")
        except (KeyError, TypeError, ValueError) as error:
            faults += 1
            print(f"{place}: {type(error).__name__}: {error}")
    print(f"{checked} payloads, {faults} faulty")
    return 1 if faults or not checked else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
