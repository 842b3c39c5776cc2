"""A server that plays the exchanges of a case, and compares the requests that it gets with those of the case."""

from __future__ import annotations

import base64
import gzip
import json
import re
import threading
import time
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

Json = Any


class MismatchError(AssertionError):
    """A value that is none of those that a case allows."""


def check(expected: Json, actual: Json, where: str, bound: dict[str, Json], *, subset: bool = False) -> None:
    """Compares a value with what a case says of it; README.md of the cases has the matchers."""
    if isinstance(expected, dict) and any(name.startswith("$") for name in expected):
        _match(expected, actual, where, bound)
    elif isinstance(expected, dict) and isinstance(actual, dict):
        if not subset and set(expected) != set(actual):
            raise MismatchError(f"{where}: members {sorted(actual)}, not {sorted(expected)}")
        for name, value in expected.items():
            if name not in actual:
                raise MismatchError(f"{where}/{name}: is missing")
            check(value, actual[name], f"{where}/{name}", bound, subset=subset)
    elif isinstance(expected, list) and isinstance(actual, list):
        if len(expected) != len(actual):
            raise MismatchError(f"{where}: {len(actual)} rows, not {len(expected)}")
        for at, (one, other) in enumerate(zip(expected, actual, strict=True)):
            check(one, other, f"{where}/{at}", bound, subset=subset)
    elif expected != actual or isinstance(expected, bool) != isinstance(actual, bool):
        raise MismatchError(f"{where}: {actual!r}, not {expected!r}")


TYPES = {"string": str, "integer": int, "object": dict, "array": list, "boolean": bool}


def _match(matcher: dict[str, Json], actual: Json, where: str, bound: dict[str, Json]) -> None:
    for name, value in matcher.items():
        if name == "$any":
            fits = True
        elif name == "$type":
            fits = isinstance(actual, TYPES[value])
        elif name == "$match":
            fits = isinstance(actual, str) and re.search(value, actual) is not None
        elif name == "$min":
            fits = float(actual) >= value
        elif name == "$max":
            fits = float(actual) <= value
        elif name == "$bind":
            bound[value] = actual
            fits = actual is not None
        elif name == "$same":
            fits = bound[value] == actual
        else:
            raise MismatchError(f"{where}: there is no matcher {name}")
        if not fits:
            raise MismatchError(f"{where}: {actual!r} is not {name} {value!r}")


class FakeServer:
    """Plays exchanges in their order. `waits` tells how long the client has waited so far, in milliseconds."""

    def __init__(self, exchanges: list[Json], waits: list[float] | None = None) -> None:
        self.exchanges = exchanges
        self.waits = waits
        self.played = 0
        self.faults: list[str] = []
        self.bound: dict[str, Json] = {}
        self.stopped = threading.Event()
        self.moved = threading.Condition()
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _any(self) -> None:
                owner.play(self)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _any  # noqa: N815

            def log_message(self, *_: object) -> None:
                """Prints nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    def __enter__(self) -> FakeServer:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopped.set()
        self.server.shutdown()
        self.server.server_close()

    def finish(self, exchanges: int) -> None:
        """Waits until so many exchanges were played, and fails if a request was not as it should be."""
        with self.moved:
            self.moved.wait_for(lambda: self.played >= exchanges, timeout=5)
        assert not self.faults, "\n".join(self.faults)
        assert self.played == exchanges, f"{self.played} requests came, not {exchanges}"

    def play(self, handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers.get("content-length") or 0))
        with self.moved:
            at, self.played = self.played, self.played + 1
            self.moved.notify_all()
        if at >= len(self.exchanges):
            self.faults.append(f"one request too many: {handler.command} {handler.path}")
            self.respond(handler, {"status": 500, "headers": {}, "text": "one request too many"})
            return
        exchange = self.exchanges[at]
        try:
            self.compare(handler, body, exchange, f"exchange {at}")
        except MismatchError as fault:
            self.faults.append(str(fault))
        self.respond(handler, exchange["response"])

    def compare(self, handler: BaseHTTPRequestHandler, body: bytes, exchange: Json, where: str) -> None:
        request = exchange["request"]
        split = urlsplit(handler.path)
        check(request["method"], handler.command, f"{where}: method", self.bound)
        check(request["path"], split.path, f"{where}: path", self.bound)
        if "query" in request:
            given = dict(parse_qsl(split.query, keep_blank_values=True))
            check(request["query"], given, f"{where}: query", self.bound)
        for name, value in request.get("headers", {}).items():
            found = handler.headers.get(name)
            if value is None and found is not None:
                raise MismatchError(f"{where}: there is a header {name}: {found}")
            if name == "content-length" and found is None:
                found = ""
            if value is not None:
                check(value, found, f"{where}: {name}", self.bound)
        if handler.headers.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
        if "body" in request:
            check(request["body"], json.loads(body), f"{where}: body", self.bound)
        if self.waits is not None:
            waited = sum(self.waits)
            low, high = exchange.get("waits_ms", (0, 0))
            self.waits.clear()
            if not low <= waited <= high:
                raise MismatchError(f"{where}: the client waited {waited:.0f} ms, not {low} to {high}")

    def respond(self, handler: BaseHTTPRequestHandler, response: Json) -> None:
        if response.get("silence"):
            self.stopped.wait(10)
        if response.get("cut") or response.get("silence"):
            handler.close_connection = True
            return
        handler.send_response(response["status"])
        for name, value in response.get("headers", {}).items():
            handler.send_header(name, formatdate(time.time() + 5, usegmt=True) if value == "{now+5s}" else value)
        if "chunks" in response:
            self.stream(handler, response)
            return
        text = b""
        if "body" in response:
            text = json.dumps(response["body"], ensure_ascii=False).encode()
        elif "text" in response:
            text = response["text"].encode()
        if response["status"] != 204:
            handler.send_header("content-length", str(len(text)))
        handler.end_headers()
        handler.wfile.write(text)

    @staticmethod
    def stream(handler: BaseHTTPRequestHandler, response: Json) -> None:
        handler.send_header("transfer-encoding", "chunked")
        handler.end_headers()
        try:
            for chunk in response["chunks"]:
                data = base64.b64decode(chunk["base64"]) if isinstance(chunk, dict) else chunk.encode()
                handler.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
                handler.wfile.flush()
            if response["then"] == "end":
                handler.wfile.write(b"0\r\n\r\n")
            else:
                handler.close_connection = True
        except OSError:
            handler.close_connection = True
