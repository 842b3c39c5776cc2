"""One tenant's dead hooks: its queue is full, and another tenant's delivery must not wait for it.

Every hook of the first tenant leads to a port at which nobody listens, or to a receiver that never answers.
Then the other tenant changes memory, and its receiver must hear of it at once, while the server has little to
do.
"""

import os
import socket
import threading
import time

import tally as shared
from harness import Receiver, percentile, until
from tally import busy, small

MAX_DELIVERY_P99_SECONDS = 0.5
MAX_IDLE_SHARE = 0.10
MAX_FILL_SECONDS = 60.0


def deaf():
    """Takes connections and says nothing."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=512)
    kept = []

    def take():
        while True:
            kept.append(listener.accept()[0])

    threading.Thread(target=take, daemon=True).start()
    return listener.getsockname()[1]


def processor_share(node, seconds):
    before = busy(node)
    time.sleep(seconds)
    return (busy(node) - before) / os.sysconf("SC_CLK_TCK") / seconds


def fill(node, key, writes):
    """Changes of the first tenant's memory, each a call for each of its hooks."""
    def write(first):
        for at in range(first, writes, 8):
            node.call("PUT", f"/memory/k{at % 500}", {"value": at}, key=key)

    threads = [threading.Thread(target=write, args=(first,)) for first in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def queued(node, key, at):
    return node.call("GET", f"/hooks/h{at}", key=key)[1]["queue"]["queued"]


def run_one(tally, name, port, hooks, writes):
    receiver = Receiver()
    with tally.server("--dev") as node:
        bad, good = (node.call("POST", "/keys", {"scopes": ["admin"], "tenant": tenant})[1]["key"]
                     for tenant in ("bad", "good"))
        for at in range(hooks):
            hook = {"id": f"h{at}", "point": "event", "kind": "observe", "url": f"http://127.0.0.1:{port}/",
                    "match": {"events": ["memory:changed"]}}
            node.call("POST", "/hooks", hook, key=bad)
        node.call("POST", "/hooks", {"id": "live", "point": "event", "kind": "observe", "url": receiver.url(),
                                     "match": {"events": ["memory:changed"]}}, key=good)
        fill(node, bad, writes)
        took = []
        for at in range(40):
            before, start = len(receiver.heard), time.monotonic()
            node.call("PUT", "/memory/mine", {"value": at}, key=good)
            heard = until(lambda: len(receiver.heard) > before, 20, 0.002)
            took.append(time.monotonic() - start if heard is not None else 20.0)
            if heard is None and at > 2:
                break
        worst = percentile(took, 0.99)
        what = f"{name}: {hooks} hooks, {writes * hooks} calls"
        tally.case(f"{what}: another tenant's delivery", worst <= MAX_DELIVERY_P99_SECONDS,
                   f"p50 {percentile(took, 0.5):.3f} s, p99 {worst:.3f} s", seconds=worst)
        status = node.call("POST", "/compile", small(), key=good)[0]
        tally.case(f"{what}: another tenant's compile", status == 200, status)
        # Until each hook has its calls and its first attempt, the server has something to do.
        full = until(lambda: all(queued(node, bad, at) >= writes for at in range(hooks)), MAX_FILL_SECONDS)
        tally.case(f"{what}: they are queued", full is not None, full)
        share = processor_share(node, 8)
        tally.case(f"{what}: the server has little to do", share <= MAX_IDLE_SHARE, f"{share:.0%} of a core",
                   share_of_a_core=round(share, 3))
        tally.alive(node, what)


def run(tally):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        # A tenant has a thousand hooks at most.
        hooks, writes = (200, 20) if tally.quick else (1000, 60)
        run_one(tally, "a closed port", port, hooks, writes)
        run_one(tally, "a receiver that says nothing", deaf(), hooks, writes)


if __name__ == "__main__":
    shared.main(run)
