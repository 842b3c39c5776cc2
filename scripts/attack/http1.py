"""Requests that two readers of HTTP/1 would read differently, and heads without measure.

Each is sent with another request behind it. Where the first is refused the connection must end: a second
response would mean that bytes of a body were read as a request (smuggling).
"""

import json

import tally as shared
from tally import exchange, small, statuses

BODY = json.dumps(small()).encode()
SECOND = b"GET /metrics HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"
CHUNKED = b"%x\r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY)
LENGTH = str(len(BODY))


# Refused for what they say although their end is clear, so that the next request may be answered.
FRAMED = ("a chunk size: a hundred thousand of one byte", "a chunk size: trailers without end",
          "a chunk size: a trailer that is a length", "a websocket", "no path", "an asterisk")


def post_of(*lines, body=BODY, start="POST /compile HTTP/1.1", end="\r\n"):
    head = [start, "host: localhost", "content-type: application/json", *lines]
    return end.join(head).encode("latin-1") + 2 * end.encode() + body


def lengths():
    """Values of `content-length` that are none, or of which there are two. All must be refused."""
    for value in ("-1", "+" + LENGTH, "0x" + f"{len(BODY):x}", LENGTH + ",", LENGTH + "," + LENGTH + "1", "1e2",
                  LENGTH + "abc", "", " ", "\u00b2", "99999999999999999999999", f"{LENGTH}.0", "1_0"):
        yield f"content-length {value!r}", post_of(f"content-length: {value}"), {400, 413}
    for other in ("1", "0", str(len(BODY) + 1)):
        yield f"lengths {LENGTH} and {other}", post_of(f"content-length: {LENGTH}", f"content-length: {other}"), {400}


def codings():
    """Values of `transfer-encoding`: none but `chunked` at the end is understood."""
    for value in ("identity", "gzip", "xchunked", "chunked, gzip", "chunked;q=1", "\"chunked\"", "chunke",
                  "chunked, identity", "\x0bchunked", "chunked\x00"):
        yield f"transfer-encoding {value!r}", post_of(f"transfer-encoding: {value}", body=CHUNKED), {400, 415, 422, 501}
    for names in (("transfer-encoding: chunked", f"content-length: {LENGTH}"),
                  (f"content-length: {LENGTH}", "transfer-encoding: chunked"),
                  ("transfer-encoding: chunked", "transfer-encoding: gzip"),
                  ("transfer-encoding : chunked",), (" transfer-encoding: chunked",),
                  ("x: y\r\n transfer-encoding: chunked",)):
        yield f"{names}", post_of(*names, body=CHUNKED), {200, 400, 411, 415, 422}
    yield ("chunked in HTTP/1.0", post_of("transfer-encoding: chunked", body=CHUNKED, start="POST /compile HTTP/1.0"),
           {200, 400, 422})


def chunks():
    """Chunks whose sizes are none."""
    for name, body in (("no number", b"zz\r\n"), ("below zero", b"-1\r\n"), ("with 0x", b"0x2\r\n{}\r\n0\r\n\r\n"),
                       ("beyond 64 bits", b"fffffffffffffffff\r\n"), ("of 2^63", b"8000000000000000\r\n{}"),
                       ("a blank before it", b" 2\r\n{}\r\n0\r\n\r\n"), ("no line end after it", b"2\r\n{}0\r\n\r\n"),
                       ("a lone line feed", b"2\n{}\r\n0\r\n\r\n"),
                       ("an endless extension", b"2;" + b"x" * 200_000 + b"\r\n{}\r\n0\r\n\r\n"),
                       ("a hundred thousand of one byte", b"1\r\n \r\n" * 100_000 + b"0\r\n\r\n"),
                       ("trailers without end", b"2\r\n{}\r\n0\r\n" + b"a: b\r\n" * 50_000 + b"\r\n"),
                       ("a trailer that is a length", b"2\r\n{}\r\n0\r\ncontent-length: 5\r\n\r\n")):
        yield f"a chunk size: {name}", post_of("transfer-encoding: chunked", body=body), {400, 408, 413, 422, 431}


def heads():
    """Heads that are too long, or none."""
    known = f"content-length: {LENGTH}"
    yield "300 KB of one header", post_of(known, "x: " + "a" * 300_000), {400, 431}
    yield "200 headers", post_of(known, *["x: y"] * 200), {400, 431}
    yield "a path of 100 KB", post_of(known, start=f"POST /{'a' * 100_000} HTTP/1.1"), {400, 404, 414, 431}
    yield "a NUL in a header", post_of(known, "x: a\x00b"), {400}
    yield "a NUL in a name", post_of(known, "x\x00: b"), {400}
    yield "a carriage return in a header", post_of(known, "x: a\rb"), {400}
    yield "a blank in a name", post_of(known, "x y: b"), {400}
    yield "no colon", post_of(known, "nothing"), {400}
    yield "no name", post_of(known, ": x"), {400}
    yield "a folded header", post_of(known, "x: a", " b"), {400}
    yield "line feeds alone", post_of(known, end="\n"), {200, 400}
    yield "HTTP/9.9", post_of(known, start="POST /compile HTTP/9.9"), {400, 505}
    yield "HTTP/0.9", b"GET /metrics\r\n", {400}
    yield "no version", post_of(known, start="POST /compile"), {400}
    yield "two blanks", post_of(known, start="POST  /compile HTTP/1.1"), {400}
    yield "a tab", post_of(known, start="POST\t/compile HTTP/1.1"), {400}
    yield "no path", post_of(known, start="POST  HTTP/1.1"), {400}
    yield "a whole URL", post_of(known, start="POST http://localhost/compile HTTP/1.1"), {200, 400}
    yield "an asterisk", post_of(known, start="POST * HTTP/1.1"), {400, 404, 405}
    yield "CONNECT", b"CONNECT localhost:22 HTTP/1.1\r\nhost: localhost:22\r\n\r\n", {400, 404, 405}
    yield "TRACE", b"TRACE /compile HTTP/1.1\r\nhost: localhost\r\ncookie: x\r\n\r\n", {404, 405}
    yield "TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500), {400}
    yield "noise", bytes(at * 7 % 256 for at in range(4000)), {400}
    yield "an upgrade", post_of(known, "connection: upgrade, http2-settings", "upgrade: h2c",
                                "http2-settings: AAMAAABkAAQAAP__"), {200, 400}
    yield "a websocket", b"GET /events HTTP/1.1\r\nhost: a b\r\nupgrade: websocket\r\n\r\n", {400}
    yield "expect that is unknown", post_of(known, "expect: 200-ok"), {200, 400, 417}
    yield "a range without end", (b"GET /docs HTTP/1.1\r\nhost: localhost\r\nrange: bytes="
                                  + b",".join(b"0-" for _ in range(3000)) + b"\r\n\r\n"), {200, 206, 400, 416, 431, 303, 308}
    yield "a body of GET", b"GET /healthz HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\n\r\nGET /", {200}


def run(tally):
    with tally.server("--body-timeout-ms", "3000", key=False) as node:
        good, _ = exchange(node, post_of(f"content-length: {LENGTH}") + SECOND)
        tally.case("two requests of one connection are both answered", good.count(b"HTTP/1.1 200") == 2, good[:300])
        cases = [*lengths(), *codings(), *chunks(), *heads()]
        for what, sent, wanted in tally.sample(cases, 80):
            # The body ends where the sender says nothing more.
            read, closed = exchange(node, sent + SECOND, timeout=6)
            told = statuses(read)
            refused = bool(told) and told[0] >= 400
            # A response to what stands behind a refused request is one to smuggled bytes.
            smuggled = len(told) > 1 and refused and what not in FRAMED and not 404 <= told[0] <= 405
            fine = (not told and closed) or (bool(told) and told[0] in wanted and not smuggled)
            tally.case(what, fine, f"{told}, {'closed' if closed else 'left open'}, {read[:200]}")
            tally.alive(node, what)


if __name__ == "__main__":
    shared.main(run)
