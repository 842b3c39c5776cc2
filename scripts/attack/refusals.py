"""Large bodies that are refused: the response must arrive while the caller still sends.

Python's `http.client` sends all of a body before it reads. A server that closes at once lets it see a broken
connection where 413, 429 or 503 with `Retry-After` was meant.
"""

import http.client
import threading
import time

import tally as shared
from tally import MIB, call, code, connect, small

BOOTSTRAP = shared.BOOTSTRAP


def large(mib):
    return b'{"messages":[{"role":"user","content":"' + b"word " * (mib * MIB // 5) + b'"}],"target":"openai"}'


def ask(node, sent, key=BOOTSTRAP, path="/compile", chunked=False, headers=None, method="POST"):
    """Status, body and `Retry-After`; the name of the error where none came."""
    connection = http.client.HTTPConnection("127.0.0.1", node.port, timeout=60)
    try:
        given = {"content-type": "application/json", **(headers or {})}
        if key:
            given["authorization"] = f"Bearer {key}"
        value = (sent[at:at + MIB] for at in range(0, len(sent), MIB)) if chunked else sent
        connection.request(method, path, value, given, encode_chunked=chunked)
        answer = connection.getresponse()
        return answer.status, answer.read(), answer.headers["retry-after"]
    except (OSError, http.client.HTTPException) as error:
        return type(error).__name__, str(error).encode(), None
    finally:
        connection.close()


def expect(tally, what, told, status, problem=None, again=False):
    got, read, after = told
    holds = got == status and (problem is None or code(read) == problem) and (not again or after)
    tally.case(what, holds, f"{got} {read[:150]!r}, Retry-After {after}")


def too_large(tally, node, rounds):
    for mib in (17, 18):
        sent = large(mib)
        for at in range(rounds):
            expect(tally, f"413 for {mib} MiB, round {at}", ask(node, sent), 413, "body_too_large")
            expect(tally, f"413 for {mib} MiB in chunks, round {at}", ask(node, sent, chunked=True), 413, "body_too_large")


def unwelcome(tally, node, rounds):
    """Refused for what stands in the head."""
    sent = large(15)
    for at in range(rounds):
        for what, status, given in (
                ("no key", 401, {"key": None}), ("a false key", 401, {"key": "cx_live_none"}),
                ("no such path", 404, {"path": "/none"}), ("another method", 405, {"method": "PUT"}),
                ("a form", 415, {"headers": {"content-type": "application/x-www-form-urlencoded"}}),
                ("an encoding", 415, {"headers": {"content-encoding": "br"}}),
                ("a page", 403, {"headers": {"origin": "http://evil.example"}}),
                ("two hosts", 403, {"headers": {"sec-fetch-site": "cross-site"}}),
                ("a deadline", 422, {"headers": {"contexture-deadline-ms": "0"}})):
            expect(tally, f"{status} for {what}, round {at}", ask(node, sent, **given), status)


def limited(tally, node, rounds):
    """A key whose requests of this minute are spent."""
    made = call(node.port, "POST", "/keys", {"scopes": ["compile"], "limits": {"requests_per_minute": 1}})[1]["key"]
    call(node.port, "POST", "/compile", small(), key=made)
    for mib in (15, 18):
        sent = large(mib)
        for at in range(rounds):
            expect(tally, f"429 for {mib} MiB, round {at}", ask(node, sent, made), 429, "rate_limited", True)


def overloaded(tally, node, rounds):
    """All memory for bodies is taken by others, who send what they announce."""
    links, kept = [], []
    head = (f"POST /compile HTTP/1.1\r\nhost: t\r\nauthorization: Bearer {BOOTSTRAP}\r\n"
            "content-type: application/json\r\ncontent-length: {}\r\n\r\n")
    # Bodies that are there but for their last byte.
    for _ in range(6):
        sent = large(15)
        one = connect(node)
        links.append(one)
        try:
            one.sendall(head.format(len(sent)).encode() + sent[:-1])
            kept.append(one)
        except OSError:
            pass
    time.sleep(0.5)
    told = []
    threads = [threading.Thread(target=lambda: told.append(ask(node, large(15)))) for _ in range(rounds * 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for at, one in enumerate(told):
        tally.case(f"15 MiB while memory is taken, {at}",
                   one[0] == 200 or (one[0] in (503, 504) and (one[0] == 504 or one[2])),
                   f"{one[0]} {one[1][:150]!r}, Retry-After {one[2]}")
    tally.case("  some of them were refused", any(one[0] == 503 for one in told), [one[0] for one in told])
    for one in links:
        one.close()


def run(tally):
    rounds = 2 if tally.quick else 6
    with tally.server() as node:
        too_large(tally, node, rounds)
        unwelcome(tally, node, rounds)
        limited(tally, node, rounds)
        overloaded(tally, node, rounds)
        tally.alive(node, "all of it")


if __name__ == "__main__":
    shared.main(run)
