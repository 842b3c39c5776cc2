"""Bodies that do not come: whoever announces much and sends nothing must take nothing from others.

Idle bodies announce 16 MiB, slow ones send a byte a second. Meanwhile another caller's compile must be
answered 200 in its time, and in the end each such connection is refused or closed.
"""

import http.client
import threading
import time

import tally as shared
from tally import MIB, connect, post, small

BODY_TIMEOUT_MS = 4000
MAX_COMPILE_SECONDS = 8.0
HEAD = ("POST {path} HTTP/1.1\r\nhost: t\r\nauthorization: Bearer " + "b" * 40 + "\r\ncontent-type: {type}\r\n"
        "content-length: {length}\r\n{more}\r\n")


def others(tally, node, what, text):
    """Another caller's compiles; all must be done."""
    wrong, slowest = [], 0.0
    for at in range(3):
        start = time.monotonic()
        try:
            status, read = post(node, "/compile", small(f"{what} {at} {text}"), timeout=30)
        except (OSError, http.client.HTTPException) as error:
            status, read = type(error).__name__, b""
        slowest = max(slowest, time.monotonic() - start)
        if status != 200:
            wrong.append((status, read[:150]))
    tally.case(f"{what}: others compile", not wrong and slowest <= MAX_COMPILE_SECONDS, f"{wrong}, {slowest:.2f} s",
               seconds=slowest)


def idle(tally, node, count, lengths, path="/compile", type_="application/json", more=""):
    """`lengths` is what each announces; of a list, one after the other."""
    lengths = lengths if isinstance(lengths, list) else [lengths] * count
    what = f"{count} idle bodies of {lengths[0] >> 20} MiB for {path}{' ' + more.strip() if more else ''}"
    if len(set(lengths)) > 1:
        what += ", and smaller ones"
    links = []
    for length in lengths:
        one = connect(node)
        head = HEAD.format(path=path, type=type_, length=length, more=more)
        one.sendall(head.encode() if length else head.replace("content-length: 0\r\n", "").encode())
        links.append(one)
    time.sleep(0.5)
    others(tally, node, what, "word " * 1_000)
    others(tally, node, f"{what}, larger", "".join(f"{at * 7919 % 65536:x} " for at in range(100_000)))
    others(tally, node, f"{what}, 12 MiB", "word " * (12 * MIB // 5))
    ended = count_ended(links)
    tally.case(f"{what}: they end", ended == count, f"{ended} of {count}")
    tally.alive(node, what)


def count_ended(links):
    """Closes connections, and counts those that the server had answered or ended in time."""
    ended, start = 0, time.monotonic()
    for one in links:
        one.settimeout(max(0.1, start + BODY_TIMEOUT_MS / 1000 + 4 - time.monotonic()))
        try:
            one.recv(100)
            ended += 1
        except TimeoutError:
            pass
        except OSError:
            ended += 1
        one.close()
    return ended


def slow(tally, node, count):
    """A byte a second, with all of the length but that announced."""
    what = f"{count} bodies of a byte a second"
    links, stop = [connect(node) for _ in range(count)], threading.Event()
    for one in links:
        one.sendall(HEAD.format(path="/compile", type="application/json", length=16 * MIB, more="").encode())
        # So much is read already when the rest begins to drip.
        one.sendall(b" " * 100_000)

    def drip():
        while not stop.wait(1):
            for one in links:
                try:
                    one.sendall(b" ")
                except OSError:
                    pass

    thread = threading.Thread(target=drip)
    thread.start()
    time.sleep(2)
    others(tally, node, what, "word " * 1_000)
    ended = count_ended(links)
    stop.set()
    thread.join()
    tally.case(f"{what}: they end", ended == count, f"{ended} of {count}")
    tally.alive(node, what)


def run(tally):
    with tally.server("--body-timeout-ms", str(BODY_TIMEOUT_MS)) as node:
        post(node, "/compile", small())
        # Each takes what the one before it left.
        filling = [16 * MIB] * 20 + [4 * MIB] * 20 + [MIB] * 20 + [100_000] * 60 + [10_000] * 60 + [300] * 60
        cases = [(3, 16 * MIB), (30, 16 * MIB), (len(filling), filling), (300, MIB)]
        for count, length in cases[1:3] if tally.quick else cases:
            idle(tally, node, count, length)
        if not tally.quick:
            idle(tally, node, 30, 16 * MIB, "/compress")
            idle(tally, node, 30, 16 * MIB, "/artifacts", "text/plain")
            idle(tally, node, 30, 16 * MIB, more="content-encoding: gzip\r\n")
            idle(tally, node, 300, 0, more="transfer-encoding: chunked\r\n")
            idle(tally, node, 30, 16 * MIB, more="expect: 100-continue\r\n")
        slow(tally, node, 30)


if __name__ == "__main__":
    shared.main(run)
