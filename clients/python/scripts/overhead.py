#!/usr/bin/env python3
"""Measures what `wrap(OpenAI())` costs a call: the wrapped client next to the bare one, in turns.

    pip install openai -e clients/python
    python clients/python/scripts/overhead.py            # Contexture is played, so it is the client's own cost
    CONTEXTURE_URL=http://127.0.0.1:8080 python clients/python/scripts/overhead.py    # with a server's compile

Prints, for conversations of several sizes, milliseconds of this process's CPU and of the clock: the bare call, and the
median of what the wrapped call takes in addition.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import statistics
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from contexture_sdk import Contexture, wrap

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

ROUNDS = 200
KIB_OF_CONVERSATIONS = (4, 35, 200)
COMPLETION = {
    "id": "a", "object": "chat.completion", "created": 0, "model": "gpt-4o",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Hi"}}],
    "usage": {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10},
}


def serve(pipe: Connection) -> None:
    """A provider that always says the same, and a Contexture that returns the messages that it is given."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = 1 << 16

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            answer: Any = COMPLETION
            if self.path == "/compile":
                answer = {"payload": {"messages": json.loads(body)["messages"]}, "report": {"requires": None}}
            text = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_: object) -> None:
            """Prints nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    pipe.send(f"http://127.0.0.1:{server.server_port}")
    server.serve_forever()


def timed(client: Any, messages: list[Any]) -> tuple[float, float]:
    """Milliseconds of the CPU and of the clock that a call takes."""
    cpu, clock = time.process_time(), time.perf_counter()
    client.chat.completions.create(model="gpt-4o", messages=messages)
    return (time.process_time() - cpu) * 1_000, (time.perf_counter() - clock) * 1_000


def main() -> None:
    import openai

    receiver, sender = multiprocessing.Pipe(duplex=False)
    stand_in = multiprocessing.Process(target=serve, args=(sender,), daemon=True)
    stand_in.start()
    url = receiver.recv()
    contexture = Contexture(os.environ.get("CONTEXTURE_URL") or url)
    print(f"{'KiB':>5} {'bare CPU':>9} {'added CPU':>10} {'bare clock':>11} {'added clock':>12}")
    for size in KIB_OF_CONVERSATIONS:
        rows = [{"role": ("user", "assistant")[row % 2], "content": "word " * 200} for row in range(size)]
        bare = openai.OpenAI(base_url=url + "/v1", api_key="x")
        wrapped = wrap(openai.OpenAI(base_url=url + "/v1", api_key="x"), contexture, record="none")
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
    stand_in.terminate()


if __name__ == "__main__":
    main()
