"""Stored things that are long, deep or many, and callers who hold what others need.

Chains of forks, versions and candidates, directories of files, questions of a megabyte, turns that race, tickets
and connections without measure, responses that drip: each request must be answered in its time and within its
memory, and another tenant's compile meanwhile.
"""

import http.client
import json
import struct
import threading
import time

import tally as shared
from http2 import ACK, END_HEADERS, END_STREAM, HEADERS, SETTINGS, WINDOW, frame, opening, request
from tally import MIB, body, call, connect, post, reset_peak, small

DEADLINE_MS = 4000
SECONDS = 6.0
MAX_OTHERS_SECONDS = 3.0
MAX_GROWTH_MIB = 128
PLACES = 64
MEMORY_TOOL = [{"type": "memory_20250818", "name": "memory"}]


def key_of(node, tenant, scopes=("admin",)):
    return json.loads(post(node, "/keys", {"scopes": list(scopes), "tenant": tenant})[1])["key"]


def others(tally, node, what, key, seconds=3.0):
    """Another tenant compiles, for some seconds."""
    wrong, slowest, end = [], 0.0, time.monotonic() + (seconds / 4 if tally.quick else seconds)
    while time.monotonic() < end:
        start = time.monotonic()
        try:
            status = post(node, "/compile", small(f"{start}"), timeout=20, key=key)[0]
        except (OSError, http.client.HTTPException) as error:
            status = type(error).__name__
        slowest = max(slowest, time.monotonic() - start)
        if status != 200:
            wrong.append(status)
        time.sleep(0.05)
    return tally.case(f"{what}: another tenant", not wrong and slowest <= MAX_OTHERS_SECONDS,
                      f"{wrong[:5]}, {slowest:.2f} s", seconds=slowest)


def bounded(tally, node, what, path, value=None, method="POST", headers=None, statuses=None, sent=None):
    data = None if value is None else body(value)
    size = len(data or path.encode()) if sent is None else sent
    heads = {"contexture-deadline-ms": str(DEADLINE_MS), **(headers or {})}
    tally.bounded(node, what, size, statuses, lambda: post(node, path, data, heads, method=method), SECONDS)
    tally.settled(node, f"{what}: after its answer")


def chains(tally, node):
    """A session that is forked from one that is forked, an entry of many versions, one candidate for another."""
    count = 60 if tally.quick else 600
    post(node, "/sessions/s0/turns", {"append": [{"role": "user", "content": "word " * 2_000}], "target": "openai"})
    last = 0
    for at in range(count):
        if post(node, f"/sessions/s{at}/fork", {"new_session_id": f"s{at + 1}"})[0] != 201:
            break
        last = at + 1
    turn = {"append": [{"role": "user", "content": "more"}], "target": "openai"}
    bounded(tally, node, f"a turn of a session that is forked {last} times", f"/sessions/s{last}/turns", turn, statuses={200})
    bounded(tally, node, "a session in the middle of the chain goes", f"/sessions/s{last // 2}", method="DELETE", statuses={204})
    bounded(tally, node, "the forks of one", "/sessions?parent_session_id=s1&limit=1000", method="GET", statuses={200})
    for at in range(count * 3):
        post(node, "/memory/v", {"value": f"{at} " + "v" * 2_000}, method="PUT")
    bounded(tally, node, f"the versions of an entry that was written {count * 3} times", "/memory/v/versions?limit=1000",
            method="GET", statuses={200}, sent=count * 3 * 2_000)
    bounded(tally, node, "an entry of so many versions goes", "/memory/v", method="DELETE", statuses={200, 204})
    for at in range(count):
        post(node, "/memory-candidates", {
            "entity": "ann", "predicate": "contact", "value": f"value {at}", "class": "preference",
            "scope": {"subject": "ann"}, "confidence": 0.9, "by": {"id": "a", "kind": "agent"}})
    bounded(tally, node, "candidates for one key", "/memory-candidates?limit=1000", method="GET", statuses={200}, sent=count * 500)


def files(tally, node):
    """Commands of the memory tool on a large file, and on a directory of many."""
    lines = "".join(json.dumps({"key": f"d/{at % 50}/f{at}", "value": "line\n" * 200}) + "\n" for at in range(3_000))
    for _ in range(1 if tally.quick else 3):
        post(node, "/memory/import", lines.replace('"d/', f'"d{_}/').encode(), {"content-type": "application/x-ndjson"})

    def calls(*inputs):
        return {"tools": MEMORY_TOOL, "source": "anthropic", "calls": [
            {"type": "tool_use", "id": f"toolu_{at}", "name": "memory", "input": one} for at, one in enumerate(inputs)]}

    views = [{"command": "view", "path": "/memories"}] * 64
    bounded(tally, node, "64 views of a directory of many files", "/tools/calls", calls(*views))
    bounded(tally, node, "a directory of many files gets another name", "/tools/calls", calls(
        {"command": "rename", "old_path": "/memories/d0", "new_path": "/memories/e"}))
    full = "ab" * 30_000
    for name, commands in (
            ("replaces one letter by much, 64 times", [{"command": "str_replace", "path": "/memories/x", "old_str": "Z",
                                                        "new_str": "Z" + "y" * 30_000}] * 64),
            ("looks for half of the file in it", [{"command": "str_replace", "path": "/memories/x", "old_str": full[:-1],
                                                   "new_str": ""}] * 64),
            ("shows lines without end", [{"command": "view", "path": "/memories/x", "view_range": [1, 2**53]}] * 64),
            ("adds lines before the first", [{"command": "insert", "path": "/memories/x", "insert_line": -2**53,
                                              "insert_text": "x\n" * 10_000}] * 64),
            ("leaves its folder", [{"command": "view", "path": path} for path in (
                "/memories/../x", "/memories/%2e%2e/x", "/memories/" + "../" * 20_000, "/memories//x", "/etc/passwd",
                "/memories/" + "a/" * 50_000, "/memories/\u0000", "/memories/..;/x")]),
            ("makes a file of a million lines", [{"command": "create", "path": "/memories/y", "file_text": "\n" * MIB}] * 8)):
        first = {"command": "create", "path": "/memories/x", "file_text": full + "Z"}
        bounded(tally, node, f"a command that {name}", "/tools/calls", calls(first, *commands))


def questions(tally, node):
    """Questions of the store that are long, and heads of many names."""
    for name, query in (("words", " ".join(f"w{at}" for at in range(150_000))), ("operators", 'AND OR NOT NEAR( * " ^ : ' * 40_000),
                        ("one word", "a" * MIB), ("marks of Unicode", "a" + "\u0301" * 400_000), ("quotes", '"' * MIB)):
        bounded(tally, node, f"a recall for a megabyte of {name}", "/memory/recall", {"query": query})
    tags = ", ".join(f'"{at:032x}"' for at in range(1_600))
    for path in ("/memory/d0%2F0%2Ff0", "/openapi.json"):
        bounded(tally, node, f"1,600 tags for {path}", path, method="GET", headers={"if-none-match": tags})
    bounded(tally, node, "a list of encodings", "/memory?limit=1", method="GET", headers={
        "accept-encoding": ", ".join(f"x{at};q=0.{at:03}" for at in range(999)) + ", gzip;q=0.001, *;q=0"})
    bounded(tally, node, "events of 9,000 kinds", "/events?format=json&types=" + ",".join(f"k{at}" for at in range(9_000)), method="GET")
    bounded(tally, node, "events after the last number", f"/events?format=json&after={2**63 - 1}", method="GET")


def records(tally, node):
    """The page and the difference of records whose lists have little in common."""
    made = []
    for step in (1, 7_919):
        messages = [{"role": ("user", "assistant")[at % 2], "content": f"message {at * step % 10_007}"} for at in range(10_000)]
        status, read = post(node, "/compile", {"target": "openai", "messages": messages, "record": "full",
                                               "budget": {"context_window": 5_000_000}})
        made.append(json.loads(read).get("id") if status == 200 else None)
    if not all(made):
        return tally.case("records are made", False, f"{status} {read[:200]}")
    bounded(tally, node, "the difference of lists of 10,000 messages in another order", "/compilations/diff",
            {"a": made[0], "b": made[1]}, sent=MIB)
    return bounded(tally, node, "the page of a record of 10,000 messages", f"/compilations/{made[0]}", method="GET",
                   headers={"accept": "text/html"}, sent=MIB)


def races(tally, node, calm):
    """Two hundred turns of one session at once."""
    def turn(at, told):
        try:
            told.append(post(node, "/sessions/race/turns", {
                "append": [{"role": "user", "content": f"turn {at} " + "word " * 500}], "target": "openai"}, timeout=60)[0])
        except (OSError, http.client.HTTPException) as error:
            told.append(type(error).__name__)

    told = []
    threads = [threading.Thread(target=turn, args=(at, told)) for at in range(200)]
    for thread in threads:
        thread.start()
    others(tally, node, "200 turns of one session at once", calm)
    for thread in threads:
        thread.join()
    wrong = [one for one in told if one not in (200, 409, 429, 503, 504)]
    tally.case("200 turns of one session at once: each is done or refused", not wrong and 200 in told,
               f"{wrong[:5]}, {told.count(200)} done")
    kept = json.loads(post(node, "/sessions/race", None, method="GET")[1]).get("messages")
    tally.case("200 turns of one session at once: what was done is kept, and nothing else", kept == told.count(200),
               f"{kept} kept of {told.count(200)}")


def many(tally, node, what, path, value, count):
    """Small requests that each leave something in memory."""
    before = reset_peak(node)
    start = node.figure("VmRSS")

    def ask(first):
        connection = http.client.HTTPConnection("127.0.0.1", node.port, timeout=30)
        for _ in range(first, count, 8):
            connection.request("POST", path, None if value is None else body(value), {
                "content-type": "application/json", "accept": "application/json, text/event-stream",
                "authorization": f"Bearer {shared.BOOTSTRAP}"})
            connection.getresponse().read()
        connection.close()

    threads = [threading.Thread(target=ask, args=(first,)) for first in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    grown = (node.figure("VmHWM") - before) / 1024
    tally.case(f"{count} {what}", grown <= MAX_GROWTH_MIB, f"{grown:.0f} MiB more, {(node.figure('VmRSS') - start) / 1024:.0f} left",
               mib=grown)
    tally.alive(node, what)


def drips(tally, node, calm):
    """Readers that take a little now and then, which is progress: they may stay, at nobody's cost."""
    text = "".join(f"{at:015d}\n" for at in range(MIB // 16 * 15))
    made = json.loads(post(node, "/artifacts", text.encode(), {"content-type": "text/plain"})[1])["id"]
    own = f"authorization: Bearer {shared.BOOTSTRAP}\r\n"
    for what, count, path, head in ((f"{100} readers of an artifact, byte by byte", 100, f"/artifacts/{made}", own),
                                    (f"{100} readers of the description, byte by byte", 100, "/openapi.json", "")):
        before, links = reset_peak(node), []
        for _ in range(count):
            links.append(connect(node, 5, window=2048))
            links[-1].sendall(f"GET {path} HTTP/1.1\r\nhost: t\r\n{head}\r\n".encode())

        def sip(stop, links=links):
            while not stop.wait(0.5):
                for one in links:
                    try:
                        one.recv(1)
                    except OSError:
                        pass

        read_slowly(tally, node, what, calm, links, sip, before, 4.0)
    what = "16 HTTP/2 connections that take a byte at a time of 64 streams each"
    head = request(f"/artifacts/{made}".encode(), b"GET", (b"authorization", f"Bearer {shared.BOOTSTRAP}".encode()))
    before, links = reset_peak(node), []
    for _ in range(16):
        links.append(connect(node, 5))
        links[-1].sendall(opening(_4=0) + frame(SETTINGS, ACK) + b"".join(
            frame(HEADERS, END_STREAM | END_HEADERS, stream, head) for stream in range(1, 128, 2)))

    def widen(stop):
        grant = b"".join(frame(WINDOW, 0, stream, struct.pack("!I", 1)) for stream in range(1, 128, 2))
        while not stop.wait(0.02):
            for one in links:
                try:
                    one.settimeout(0.01)
                    one.sendall(grant)
                    one.recv(65536)
                except OSError:
                    pass

    read_slowly(tally, node, what, calm, links, widen, before, 5.0)


def read_slowly(tally, node, what, key, links, take, before, seconds):
    """Connections whose responses are taken a little at a time: another tenant is served, and memory stays."""
    stop = threading.Event()
    thread = threading.Thread(target=take, args=(stop,))
    thread.start()
    others(tally, node, what, key, seconds)
    grown = (node.figure("VmHWM") - before) / 1024
    tally.case(f"{what}: memory", grown <= 256, f"{grown:.0f} MiB more", mib=grown)
    stop.set()
    thread.join()
    for one in links:
        one.close()
    tally.alive(node, what)


def strangers(tally):
    """Callers without a key take every place, and read as slowly as they like: those with one are served."""
    with tally.server("--max-connections", str(PLACES)) as node:
        key = key_of(node, "calm")
        for what, head in (("the description", b"GET /openapi.json HTTP/1.1\r\nhost: t\r\n\r\n"),
                           ("the reference, with a false key",
                            b"GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nhost: t\r\nauthorization: Bearer no\r\n\r\n"),
                           ("nothing that is theirs", b"GET /models HTTP/1.1\r\nhost: t\r\n\r\n" * 50)):
            links = []
            for _ in range(2 * PLACES):
                try:
                    links.append(connect(node, 2, window=2048))
                    links[-1].sendall(head)
                except OSError:
                    pass
            time.sleep(1.5)
            others(tally, node, f"{2 * PLACES} connections without a key for {what}", key)
            for one in links:
                one.close()
            shared.until(lambda: call(node.port, "GET", "/healthz", key=None)[0] == 200, 10)


def run(tally):
    with tally.server("--dev") as node:
        calm = key_of(node, "calm")
        post(node, "/compile", small(), key=calm)
        chains(tally, node)
        files(tally, node)
        if not tally.quick:
            questions(tally, node)
            records(tally, node)
        races(tally, node, calm)
        few = 2_000 if tally.quick else 20_000
        many(tally, node, "tickets for event streams", "/events/ticket", None, few)
        many(tally, node, "clients of MCP that begin", "/mcp", {
            "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
                "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}}, few // 4)
        drips(tally, node, calm)
    strangers(tally)


if __name__ == "__main__":
    shared.main(run)
