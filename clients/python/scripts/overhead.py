#!/usr/bin/env python3
"""Measures what `wrap(OpenAI())` costs a call: the wrapped client next to the bare one, in turns.

    pip install openai -e clients/python
    python clients/python/scripts/overhead.py            # Contexture is played, too: the client's own work
    CONTEXTURE_URL=http://127.0.0.1:8080 python clients/python/scripts/overhead.py    # with a server's compile

The provider is a function in this process. Prints, for conversations of several sizes, milliseconds of this process's
CPU and of the clock: the bare call, and the median of what the wrapped call takes in addition. On a busy machine, look
at the CPU.
"""

from __future__ import annotations

import json
import os
import statistics
import time
from importlib import import_module
from typing import Any

import httpx

from contexture_sdk import Contexture, wrap

ROUNDS = 200
KIB_OF_CONVERSATIONS = (4, 35, 200)
COMPLETION = {
    "id": "a", "object": "chat.completion", "created": 0, "model": "gpt-4o",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Hi"}}],
    "usage": {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10},
}


def provider() -> Any:
    """A client of OpenAI's library whose requests are answered in this process."""
    import openai

    # The library that OpenAI's clients send by: httpx, or httpx2 from version 3 on.
    modules = [kind.__module__ for kind in type(openai.OpenAI(api_key="x")._client).__mro__]
    library = import_module(next(name for name in modules if name.startswith("httpx")).split(".")[0])
    text = json.dumps(COMPLETION).encode()

    def answer(_: Any) -> Any:
        return library.Response(200, content=text, headers={"content-type": "application/json"})

    return openai.OpenAI(
        base_url="http://provider/v1", api_key="x", http_client=library.Client(transport=library.MockTransport(answer))
    )


def contexture(messages: list[Any]) -> Contexture:
    """The server of the environment, or one that returns the messages as they are, at no cost."""
    if "CONTEXTURE_URL" in os.environ:
        return Contexture()
    text = json.dumps({"payload": {"messages": messages}, "report": {"requires": None}}).encode()
    transport = httpx.MockTransport(
        lambda _: httpx.Response(200, content=text, headers={"content-type": "application/json"})
    )
    return Contexture("http://contexture", http_client=httpx.Client(transport=transport))


def timed(client: Any, messages: list[Any]) -> tuple[float, float]:
    """Milliseconds of the CPU and of the clock that a call takes."""
    cpu, clock = time.process_time(), time.perf_counter()
    client.chat.completions.create(model="gpt-4o", messages=messages)
    return (time.process_time() - cpu) * 1_000, (time.perf_counter() - clock) * 1_000


def main() -> None:
    print(f"{'KiB':>5} {'bare CPU':>9} {'added CPU':>10} {'bare clock':>11} {'added clock':>12}")
    for size in KIB_OF_CONVERSATIONS:
        rows = [{"role": ("user", "assistant")[row % 2], "content": "word " * 200} for row in range(size)]
        bare = provider()
        wrapped = wrap(provider(), contexture(rows), record="none")
        times: list[list[tuple[float, float]]] = [[], []]
        for _ in range(ROUNDS):
            for client, found in zip((bare, wrapped), times, strict=True):
                found.append(timed(client, rows))
        added = [
            statistics.median(after[kind] - before[kind] for before, after in zip(*times, strict=True))
            for kind in (0, 1)
        ]
        usual = [statistics.median(row[kind] for row in times[0]) for kind in (0, 1)]
        print(f"{size:>5} {usual[0]:>9.2f} {added[0]:>10.2f} {usual[1]:>11.2f} {added[1]:>12.2f}")


if __name__ == "__main__":
    main()
