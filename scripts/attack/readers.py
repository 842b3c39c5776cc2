"""Responses that are not read: they must take neither memory nor places from others, and end in time.

Many connections ask for a large artifact, for the description of the API again and again, or for events, and
read nothing. Meanwhile health and another caller's compile must be answered, and the process stays small.
"""

import http.client
import json
import threading
import time

import tally as shared
from http2 import END_HEADERS, END_STREAM, HEADERS, frame, opening, request
from tally import MIB, call, connect, post, reset_peak, small

MAX_MEMORY_MIB = 256
# Pages of lists take all the memory that one tenant's requests share, and as much again is being made or freed.
MAX_LIST_MEMORY_MIB = 384
MAX_SERVED_SECONDS = 3.0
KEY = f"authorization: Bearer {shared.BOOTSTRAP}\r\n"
# How long a connection may take nothing of a response.
MAX_STALL_SECONDS = 60


def served(tally, node, what, before, seconds=4.0, most=MAX_MEMORY_MIB):
    """Health and compiles of others, for some seconds; then the peak of the memory."""
    seconds = seconds / 2 if tally.quick else seconds
    wrong, slowest, end = [], 0.0, time.monotonic() + seconds
    while time.monotonic() < end:
        for ask in (lambda: call(node.port, "GET", "/healthz", timeout=10)[0],
                    lambda: post(node, "/compile", small(f"{time.monotonic()}"), timeout=10)[0]):
            start = time.monotonic()
            try:
                status = ask()
            except (OSError, http.client.HTTPException) as error:
                status = type(error).__name__
            slowest = max(slowest, time.monotonic() - start)
            if status != 200:
                wrong.append(status)
        time.sleep(0.05)
    if node.process.poll() is not None:
        return tally.case(what, False, f"the process ended with {node.process.returncode}")
    grown = (node.figure("VmHWM") - before) / 1024
    return tally.case(what, not wrong and slowest <= MAX_SERVED_SECONDS and grown <= most,
                      f"{wrong[:5]}, others waited {slowest:.2f} s, {grown:.0f} MiB more", seconds=slowest, mib=grown)


def start_all(links, sent):
    for one in links:
        try:
            one.sendall(sent)
        except OSError:
            pass


def ended(tally, links, what):
    """Each connection is closed by the server although nothing of it is read."""
    left, end = list(links), time.monotonic() + MAX_STALL_SECONDS
    while left and time.monotonic() < end:
        for one in list(left):
            # What can be sent is not refused yet; a reset shows as an error.
            try:
                one.settimeout(0.01)
                one.send(b"\r\n")
            except TimeoutError:
                pass
            except OSError:
                left.remove(one)
        time.sleep(0.2)
    tally.case(f"{what}: they end within {MAX_STALL_SECONDS} s", not left, f"{len(left)} of {len(links)} are left")


def http1(tally, node, what, count, path, times=1, wait=True, headers=KEY, most=MAX_MEMORY_MIB):
    sent = f"GET {path} HTTP/1.1\r\nhost: t\r\n{headers}\r\n".encode() * times
    before = reset_peak(node)
    links = []
    try:
        for _ in range(count):
            links.append(connect(node, 5, window=4096))
        threads = [threading.Thread(target=start_all, args=(links[at::8], sent)) for at in range(8)]
        for thread in threads:
            thread.start()
        served(tally, node, what, before, most=most)
        for thread in threads:
            thread.join()
        if wait:
            ended(tally, links, what)
    finally:
        for one in links:
            one.close()
    tally.alive(node, what)


def lists(tally, node):
    """Pages of a list and exports, of a store that has many entries."""
    _, made = post(node, "/keys", json.dumps({"scopes": ["admin"], "tenant": "reader"}).encode())
    key = json.loads(made)["key"]
    own = f"authorization: Bearer {key}\r\n"
    for part in range(3):
        lines = "".join(json.dumps({"key": f"{part}-{at}", "value": "v" * 1500}) + "\n" for at in range(1500))
        post(node, "/memory/import", lines.encode(), {"content-type": "application/x-ndjson"}, key=key)
    wanted = [("/memory?limit=1000", ""), ("/memory?format=jsonl", ""), ("/events?format=json&limit=1000", ""),
              ("/memory?limit=1000", "accept-encoding: gzip\r\n"), ("/memory?format=jsonl", "accept-encoding: zstd\r\n")]
    for path, headers in wanted[:1] if tally.quick else wanted:
        named = f"{path} {headers.strip()}".strip()
        http1(tally, node, f"150 connections for {named}, 4 times", 150, path, 4, False, own + headers, MAX_LIST_MEMORY_MIB)
    http2_zero(tally, node, 16, "/memory?limit=1000", key, MAX_LIST_MEMORY_MIB)


def http2_zero(tally, node, count, path, key=shared.BOOTSTRAP, most=MAX_MEMORY_MIB):
    """A window of nothing, 64 streams on each connection."""
    what = f"{count} HTTP/2 connections with a window of 0 and 64 streams for {path.split('/')[1]}"
    head = request(path.encode(), b"GET", (b"authorization", f"Bearer {key}".encode()))
    sent = opening(_4=0) + b"".join(frame(HEADERS, END_STREAM | END_HEADERS, stream, head)
                                    for stream in range(1, 128, 2))
    before, links = reset_peak(node), []
    try:
        for _ in range(count):
            links.append(connect(node, 5))
        start_all(links, sent)
        served(tally, node, what, before, most=most)
    finally:
        for one in links:
            one.close()
    tally.alive(node, what)


def event_streams(tally, node, count):
    """Streams of events that nobody reads, while events happen."""
    what = f"{count} event streams"
    before, links = reset_peak(node), []
    try:
        for _ in range(count):
            one = connect(node, 5, window=4096)
            one.sendall(f"GET /events?after=0 HTTP/1.1\r\nhost: t\r\n{KEY}\r\n".encode())
            links.append(one)
        served(tally, node, what, before, 6)
    except OSError as error:
        tally.case(f"{what} are accepted or refused", False, f"{error} after {len(links)}")
    finally:
        for one in links:
            one.close()
    tally.alive(node, what)


def run(tally):
    with tally.server() as node:
        text = "".join(f"{at:015d}\n" for at in range(MIB // 16 * 15))
        made = json.loads(post(node, "/artifacts", text.encode(), {"content-type": "text/plain"})[1])["id"]
        post(node, "/compile", small())
        http1(tally, node, "60 connections for an artifact of 15 MiB", 60, f"/artifacts/{made}", wait=not tally.quick)
        http1(tally, node, "30 connections for the description, 200 times", 30, "/openapi.json", 200, wait=False)
        if not tally.quick:
            http1(tally, node, "30 connections for a compile's page", 30, "/docs/", 200, wait=False)
            http1(tally, node, "300 connections for an artifact", 300, f"/artifacts/{made}", wait=False)
        http2_zero(tally, node, 4, "/openapi.json")
        http2_zero(tally, node, 4, f"/artifacts/{made}")
        event_streams(tally, node, 300 if tally.quick else 1500)
    with tally.server() as node:
        lists(tally, node)


if __name__ == "__main__":
    shared.main(run)
