"""From two clients to 400, each asking again as soon as it is answered: what is done must not become less.

Each client asks on a connection of its own. Refused ones wait for a moment, as `Retry-After` asks. Health is
asked meanwhile by a process of its own, since clients that wait for each other would be part of the figure.
"""

import asyncio
import http.client
import json
import multiprocessing
import os
import sys
import time

import tally as shared

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from harness import percentile  # noqa: E402
from overload import ask  # noqa: E402

MAX_LOSS = 0.12
MAX_HEALTH_P99_MS = 4.0
BYTES = 50_000


def prepared():
    words = [f"{at * 2654435761 % 2**32:x}" for at in range(BYTES // 9)]
    return json.dumps({"messages": [{"role": "user", "content": "@ " + " ".join(words)}], "target": "openai",
                       "record": "none"}).encode()


async def load(port, clients, seconds, wrong):
    """How many a second are done."""
    end, done, numbers, base = time.monotonic() + seconds, 0, iter(range(10**9)), prepared()

    async def client():
        nonlocal done
        while time.monotonic() < end:
            try:
                status, _, told = await ask(port, base.replace(b"@", b"%d" % next(numbers), 1))
            except (OSError, IndexError) as error:
                wrong.append(type(error).__name__)
                continue
            if status == 200:
                done += 1
            elif status == 503 and told:
                await asyncio.sleep(0.25)
            else:
                wrong.append(status)

    start = time.monotonic()
    await asyncio.gather(*(client() for _ in range(clients)))
    return done / (time.monotonic() - start)


def look(port, stop, results):
    """Asks for health until it is told to stop; the milliseconds of each answer."""
    took, connection = [], http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    while not stop.wait(0.02):
        start = time.monotonic()
        connection.request("GET", "/healthz")
        connection.getresponse().read()
        took.append((time.monotonic() - start) * 1000)
    results.put(took)


def run(tally):
    seconds = 1.5 if tally.quick else 8
    with tally.server("--workers", "2") as node:
        stop, results = multiprocessing.Event(), multiprocessing.Queue()
        watcher = multiprocessing.Process(target=look, args=(node.port, stop, results))
        asyncio.run(load(node.port, 2, 2, []))
        watcher.start()
        able, rates, wrong = 0.0, {}, []
        for clients in ((2, 40, 400) if tally.quick else (2, 8, 40, 120, 400)):
            rates[clients] = asyncio.run(load(node.port, clients, seconds, wrong))
            able = able or rates[clients]
            lost = 1 - rates[clients] / able
            tally.case(f"{clients} clients", lost <= MAX_LOSS, f"{rates[clients]:.1f} a second, at 2 {able:.1f}",
                       goodput_lost=round(lost, 3))
        stop.set()
        health = results.get(timeout=60)
        watcher.join()
        tally.case("every response is 200 or 503 with Retry-After", not wrong, wrong[:10])
        p99 = percentile(health, 0.99)
        tally.case("health meanwhile", p99 <= MAX_HEALTH_P99_MS, f"p99 {p99:.1f} ms of {len(health)}",
                   health_p99_ms=round(p99, 1))


if __name__ == "__main__":
    shared.main(run)
