#!/usr/bin/env python3
"""More requests than the server can do: what is done of them, and how soon the rest is refused.

    cargo build --release
    python3 scripts/overload.py --binary target/release/contexture

Needs nothing but Python. First as many clients as there are places ask one after another: that is what
the server can do. Then requests come at one, two and five times that rate, whether the ones before are
answered or not. Of these as many must be done as before (90 % at twice, 80 % at five times the rate),
what is refused must be so with `Retry-After`, and health must be answered. Then come bodies that are
larger together than the memory for all bodies. The process must stay below 512 MiB through all of it. Ends with 1 where something is not so.
"""

import argparse
import asyncio
import json
import os
import random
import sys
import tempfile
import threading
import time

from harness import Node, Report, call, percentile, until

WORKERS = 2


def body(number, size):
    """No two alike, so that nothing is counted for free."""
    draw = random.Random(number)
    words = " ".join(f"{draw.randrange(10**9):x}" for _ in range(size // 9))
    return json.dumps({"messages": [{"role": "user", "content": words}], "target": "openai",
                       "record": "none"}).encode()


async def ask(port, sent):
    """Status, seconds, and whether `Retry-After` was there."""
    start = time.monotonic()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        head = ("POST /compile HTTP/1.1\r\nhost: t\r\nconnection: close\r\n"
                f"authorization: Bearer {'b' * 40}\r\n"
                f"content-type: application/json\r\ncontent-length: {len(sent)}\r\n\r\n")
        writer.write(head.encode() + sent)
        await writer.drain()
        # From here on the server has it.
        start = time.monotonic()
        line = await reader.readline()
        status = int(line.split()[1])
        took = time.monotonic() - start
        rest = await reader.read()
        return status, took, b"retry-after:" in rest.lower()
    finally:
        writer.close()


async def closed(port, bodies, seconds):
    """How many a second are done where nobody asks before he is answered."""
    end, done, times = time.monotonic() + seconds, 0, []

    async def client():
        nonlocal done
        while time.monotonic() < end:
            status, took, _ = await ask(port, next(bodies))
            if status == 200:
                done += 1
                times.append(took)

    start = time.monotonic()
    await asyncio.gather(*(client() for _ in range(WORKERS)))
    return done / (time.monotonic() - start), times


async def opened(port, bodies, rate, seconds):
    """Asks at a rate; answers what came of each."""
    asked, start = [], time.monotonic()
    for number in range(int(rate * seconds)):
        await asyncio.sleep(max(0.0, start + number / rate - time.monotonic()))
        asked.append(asyncio.create_task(ask(port, next(bodies))))
    sending = time.monotonic() - start
    results = await asyncio.gather(*asked, return_exceptions=True)
    return [result for result in results if isinstance(result, tuple)], len(asked), sending


async def large(port, count):
    """Bodies of fifteen mebibytes, all at once; what came of each."""
    text = "word " * (3 << 20)
    sent = json.dumps({"messages": [{"role": "user", "content": text}], "target": "openai"}).encode()
    results = await asyncio.gather(*(ask(port, sent) for _ in range(count)), return_exceptions=True)
    # Who is refused before he has sent all of it may find the connection closed.
    return [result[0] if isinstance(result, tuple) else 503 for result in results]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--bytes", type=int, default=200_000)
    args = parser.parse_args()
    report, health, stop = Report(), [], threading.Event()
    with tempfile.TemporaryDirectory() as folder:
        node = Node(os.path.abspath(args.binary), f"sqlite:{folder}/contexture.db",
                    ["--workers", str(WORKERS)])

        def look():
            while not stop.is_set():
                start = time.monotonic()
                call(node.port, "GET", "/healthz")
                health.append(time.monotonic() - start)
                time.sleep(0.05)

        # Made before, so that making them takes nothing from the server.
        prepared = [body(number, args.bytes) for number in range(400)]
        numbers = iter(range(10**9))

        def bodies():
            for number in numbers:
                yield prepared[number % len(prepared)].replace(b'"content": "', b'"content": "%d ' % number, 1)

        source = bodies()
        until(lambda: call(node.port, "GET", "/readyz")[0] == 200, 10)
        asyncio.run(closed(node.port, source, 3))
        able, times = asyncio.run(closed(node.port, source, args.seconds))
        print(f"{args.bytes} bytes each: {able:.1f} a second, p99 {percentile(times, 0.99) * 1000:.0f} ms")
        threading.Thread(target=look, daemon=True).start()
        for times_over, wanted in ((1, 0.9), (2, 0.9), (5, 0.8)):
            results, asked, sending = asyncio.run(opened(node.port, source, able * times_over, args.seconds))
            good = [took for status, took, _ in results if status == 200]
            shed = [(took, told) for status, took, told in results if status == 503]
            # What was done of it was done within the time of asking and of the queue behind it.
            longest = max(good, default=0.0)
            share = len(good) / max(1e-9, min(asked, able * (sending + longest)))
            report.check(f"at {times_over} times the rate at least {wanted:.0%} of that is done", share >= wanted,
                         f"{share:.0%}; {len(good)} done, p99 {percentile(good, 0.99):.2f} s; "
                         f"{len(shed)} refused, p99 {percentile([t for t, _ in shed], 0.99) * 1000:.1f} ms")
            report.check("  every request is answered, and what is refused says when to come again",
                         len(good) + len(shed) == asked and all(told for _, told in shed),
                         f"{asked - len(good) - len(shed)} otherwise")
        stop.set()
        report.check("health is answered meanwhile", percentile(health, 0.99) < 0.5,
                     f"p99 {percentile(health, 0.99) * 1000:.0f} ms")
        statuses = asyncio.run(large(node.port, 60))
        report.check("60 bodies of 15 MiB at once are answered or refused",
                     set(statuses) <= {200, 503, 504} and len(statuses) == 60,
                     {status: statuses.count(status) for status in sorted(set(statuses))})
        report.check("  and small ones are answered then", call(node.port, "GET", "/models")[0] == 200)
        peak = node.figure("VmHWM") / 1024
        report.check("the process stays below 512 MiB", peak < 512, f"{peak:.0f} MiB at most")
        node.end()
    report.end()


if __name__ == "__main__":
    sys.exit(main())
