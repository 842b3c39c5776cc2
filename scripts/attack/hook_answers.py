"""Receivers of hooks that answer in every way but the right one: each call ends in its time, costs little
memory, and is never leave to go on.

A guard and a transform of a compile call each receiver. But for the first two, which answer as they should,
no compile may go through on what a receiver says.
"""

import gzip
import socket
import struct
import threading
import time

import tally as shared
from tally import code, post, reset_peak, small

TIMEOUT_MS = 1000
MARGIN_SECONDS = 1.0
MAX_MEMORY_MIB = 24
ALLOW = b'{"decision":"allow"}'
UNCHANGED = b'{"action":"unchanged"}'
JSON = b"content-type: application/json\r\n"


def whole(body, status=b"200 OK", headers=JSON):
    return b"HTTP/1.1 " + status + b"\r\n" + headers + b"content-length: %d\r\n\r\n" % len(body) + body


def forever(head, piece, pause=0.0):
    yield head
    while True:
        yield piece
        time.sleep(pause)


def chunked(piece):
    return b"%x\r\n%s\r\n" % (len(piece), piece)


CHUNKED = b"HTTP/1.1 200 OK\r\n" + JSON + b"transfer-encoding: chunked\r\n\r\n"
HEAD = b"HTTP/1.1 200 OK\r\n" + JSON


def answers(good):
    """Name and what is sent, as bytes or as a function that gives pieces; `None` closes at once."""
    deep = b'{"decision":' + b"[" * 100_000
    yield "nothing", lambda: forever(b"", b"", 0.1)
    yield "a close", lambda: iter(())
    yield "half a head", HEAD
    yield "a head and then nothing", lambda: forever(HEAD + b"content-length: 20\r\n\r\n", b"", 0.1)
    yield "a byte at a time", lambda: forever(HEAD + b"content-length: 60000\r\n\r\n", b" ", 0.02)
    yield "a head of a byte at a time", lambda: forever(b"HTTP/1.1 200 OK\r\nx: ", b"y", 0.02)
    yield "ten gibibytes announced", HEAD + b"content-length: 10737418240\r\n\r\n"
    yield "ten gibibytes", lambda: forever(HEAD + b"content-length: 10737418240\r\n\r\n", b" " * 65536)
    yield "no length and no end", lambda: forever(HEAD + b"connection: close\r\n\r\n", b" " * 65536)
    yield "chunks without end", lambda: forever(CHUNKED, chunked(b" " * 4096))
    yield "chunks of one byte without end", lambda: forever(CHUNKED, chunked(b" ") * 1000)
    yield "an extension without end", lambda: forever(CHUNKED + b"1;", b"x" * 65536)
    yield "trailers without end", lambda: forever(CHUNKED + chunked(good) + b"0\r\n", b"a: b\r\n" * 5000)
    yield "headers without end", lambda: forever(HEAD, b"a: b\r\n" * 5000)
    yield "one header without end", lambda: forever(HEAD + b"a: ", b"b" * 65536)
    yield "interim answers without end", lambda: forever(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n" * 100)
    yield "interim answers with headers", lambda: forever(b"", b"HTTP/1.1 100 Continue\r\na: " + b"b" * 30_000 + b"\r\n\r\n")
    yield "another protocol", b"SSH-2.0-OpenSSH_9.2\r\n"
    yield "noise", bytes(at * 7 % 256 for at in range(5000))
    yield "HTTP/0.9", good
    yield "an upgrade", b"HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n" + good
    yield "a page of HTML", whole(b"<html>", headers=b"content-type: text/html\r\n")
    yield "leave as a page of HTML", whole(good, headers=b"content-type: text/html\r\n")
    yield "leave without a type", whole(good, headers=b"")
    yield "leave in gzip", whole(gzip.compress(good), headers=JSON + b"content-encoding: gzip\r\n")
    yield "leave with 500", whole(good, b"500 No")
    yield "leave with 403", whole(good, b"403 No")
    yield "leave with 302", whole(good, b"302 Found", JSON + b"location: /x\r\n")
    yield "JSON that is cut", whole(good[:-1])
    yield "JSON with more behind it", whole(good + b"x")
    yield "JSON that is nested", whole(deep)
    yield "two names", whole(good[:-1] + b"," + good[1:])
    yield "another word", whole(b'{"decision":"maybe","action":"maybe"}')
    yield "a list", whole(b"[" + good + b"]")
    yield "null", whole(b"null")
    yield "no UTF-8", whole(good[:-1] + b',"reason":"\xff\xfe"}')
    yield "a reason of 3 MiB", whole(b'{"decision":"deny","reason":"' + b"r" * (3 << 20) + b'"}')
    yield "a length that is too short", HEAD + b"content-length: 5\r\n\r\n" + good
    yield "a length that is too long", HEAD + b"content-length: 50000\r\n\r\n" + good
    yield "two lengths", HEAD + b"content-length: 5\r\ncontent-length: %d\r\n\r\n" % len(good) + good
    yield "a length and chunks", HEAD + b"content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n" + chunked(b"[]")
    yield "a reset", "reset"


class Receiver:
    """Answers each call with what it was given last."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}/"
        self.answer = b""
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            link, _ = self.listener.accept()
            threading.Thread(target=self.take, args=(link,), daemon=True).start()

    def take(self, link):
        answer = self.answer
        with link:
            try:
                link.settimeout(5)
                if not self.read(link):
                    return
                if answer == "reset":
                    link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    return
                if isinstance(answer, bytes):
                    link.sendall(answer)
                    return
                end = time.monotonic() + 8
                for piece in answer():
                    if piece:
                        link.sendall(piece)
                    if time.monotonic() > end:
                        return
            except OSError:
                pass

    @staticmethod
    def read(link):
        data = b""
        while b"\r\n\r\n" not in data:
            part = link.recv(65536)
            if not part:
                return False
            data += part
        head, _, rest = data.partition(b"\r\n\r\n")
        length = next(int(line.split(b":")[1]) for line in head.lower().split(b"\r\n")
                      if line.startswith(b"content-length"))
        while len(rest) < length:
            rest += link.recv(65536)
        return True


def run(tally):
    receiver = Receiver()
    with tally.server("--dev") as node:
        post(node, "/compile", small())
        number = 0
        for kind, good in (("guard", ALLOW), ("transform", UNCHANGED)):
            cases = [("the right answer", whole(good)), *tally.sample(answers(good), 17)]
            for name, answer in cases:
                number += 1
                receiver.answer = answer
                # An id of its own, so that no breaker of another one is open.
                hook = {"id": f"h{number}", "point": "transform_context", "kind": kind, "url": receiver.url,
                        "timeout_ms": TIMEOUT_MS}
                before, start = reset_peak(node), time.monotonic()
                status, read = post(node, "/compile", small(hooks=[hook]))
                took, grown = time.monotonic() - start, (node.figure("VmHWM") - before) / 1024
                # `null` is how a transform says that nothing changes.
                is_leave = name == "the right answer" or (name, kind) == ("null", "transform")
                wanted = {200} if is_leave else {403, 502, 504}
                tally.case(f"{name}, to a {kind}", status in wanted and took <= TIMEOUT_MS / 1000 + MARGIN_SECONDS
                           and grown <= MAX_MEMORY_MIB, f"{status} {code(read)} after {took:.2f} s, {grown:.0f} MiB, "
                           f"{read[:200]}", seconds=took, mib=grown)
        tally.alive(node, "all of it")


if __name__ == "__main__":
    shared.main(run)
