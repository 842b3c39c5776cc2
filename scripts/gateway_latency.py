#!/usr/bin/env python3
"""Measures what the gateway adds to the time of the first byte, and what an open stream takes of its memory.

    cargo build --release
    python3 scripts/gateway_latency.py target/release/contexture [--requests 500] [--streams 1000]

The provider is a process of this script that responds at once. Each request goes to it directly and through the gateway in
turn, over kept connections: in mode `off`, and in mode `compress` with a list of 35 KB whose results were decided before.
Then so many event streams are open at the same time, each with one event, and the growth of the server's resident memory
is divided by their number. Prints the goals next to the figures, and ends with 1 if one is missed. Client, server and
provider share this machine: of a busy one, compare the figures with those of direct requests. Needs nothing but Python.
"""

import argparse
import asyncio
import json
import multiprocessing
import socket
import subprocess
import sys
import time

KIB = 1024
# Milliseconds, and KiB of a stream.
GOALS = {"relay p50": 0.3, "compress p50": 2.0, "compress p99": 15.0, "memory of a stream": 40.0}
BODY_BYTES = 35 * KIB
EVENT = b"data: {\"choices\": []}\n\n"
STREAM_HEAD = (b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
               + b"%x\r\n%s\r\n" % (len(EVENT), EVENT))
WHOLE = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}"


async def respond(reader, writer):
    """Responds to each request of a connection; a stream stays open until its client leaves."""
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            length = next((int(line[15:]) for line in head.split(b"\r\n") if line.startswith(b"content-length:")), 0)
            body = await reader.readexactly(length)
            if b'"stream": true' in body:
                writer.write(STREAM_HEAD)
                await writer.drain()
                await reader.read()
                return
            writer.write(WHOLE)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


def provide(ports):
    async def serve():
        server = await asyncio.start_server(respond, "127.0.0.1", 0, backlog=2048)
        ports.put(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(serve())


def table(seed, rows):
    row = [{"id": at * 7919 + seed, "name": f"customer {at * 7919 + seed}", "state": "active",
            "region": f"region-{at % 7}", "total": at * 31 + seed} for at in range(rows)]
    return json.dumps(row, indent=1)


def conversation():
    """A list of `BODY_BYTES`, with a table in each turn."""
    messages = [{"role": "user", "content": "Look at the customers."}]
    turn = 0
    while len(json.dumps(messages)) < BODY_BYTES:
        turn += 1
        call = {"id": f"c{turn}", "type": "function", "function": {"name": "query", "arguments": "{}"}}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{turn}", "content": table(turn, 30)})
    return messages


def request(messages, stream, mode):
    body = json.dumps({"model": "gpt-4o", "stream": stream, "messages": messages}).encode()
    head = ("POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
            f"x-contexture-mode: {mode}\r\ncontent-length: {len(body)}\r\n\r\n")
    return head.encode() + body


class Connection:
    """A kept connection that tells when the first byte of a response is there."""

    def __init__(self, address):
        self.socket = socket.create_connection(address)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def ask(self, sent):
        start = time.perf_counter()
        self.socket.sendall(sent)
        answer = self.socket.recv(65536)
        took = (time.perf_counter() - start) * 1000
        while not answer.endswith(b"\r\n\r\n{}"):
            more = self.socket.recv(65536)
            if not more:
                raise SystemExit(f"a response broke off: {answer[:200]}")
            answer += more
        if not answer.startswith(b"HTTP/1.1 200"):
            raise SystemExit(f"no success: {answer[:200]}")
        return took, answer.lower()


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * share))]


def added(direct, gateway, sent, count):
    """Milliseconds that the gateway adds, and those of direct requests: of pairs, one after the other."""
    for _ in range(20):
        direct.ask(sent)
        gateway.ask(sent)
    pairs = [(gateway.ask(sent)[0], direct.ask(sent)[0]) for _ in range(count)]
    return [through - bare for through, bare in pairs], [bare for _, bare in pairs]


def decide(gateway, messages):
    """Has each result decided when it is the newest, as an agent's requests do."""
    for end in range(3, len(messages) + 1, 2):
        _, answer = gateway.ask(request(messages[:end], False, "compress"))
    if b"x-contexture-saved-tokens" not in answer or b"x-contexture-skipped" in answer:
        raise SystemExit("nothing is saved of the list: the machine may be too slow")


def resident(process):
    with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS:"))


async def open_streams(address, sent, count):
    """Opens streams, each of which has sent its event."""
    async def open_one(gate):
        async with gate:
            reader, writer = await asyncio.open_connection(*address, limit=4096)
            writer.write(sent)
            await reader.readuntil(EVENT)
            return writer

    gate = asyncio.Semaphore(64)
    return await asyncio.gather(*(open_one(gate) for _ in range(count)))


async def measure_streams(process, address, count):
    """KiB that each of many open streams takes."""
    sent = request([{"role": "user", "content": "a"}], True, "off")
    warm = await open_streams(address, sent, 32)
    before = resident(process)
    writers = await open_streams(address, sent, count)
    after = resident(process)
    for writer in [*warm, *writers]:
        writer.close()
    return (after - before) / count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--requests", type=int, default=500)
    parser.add_argument("--streams", type=int, default=1000)
    given = parser.parse_args()
    ports = multiprocessing.Queue()
    provider = multiprocessing.Process(target=provide, args=(ports,), daemon=True)
    provider.start()
    port = ports.get(timeout=10)
    server = subprocess.Popen(
        [given.program, "serve", "--listen", "127.0.0.1:0", "--database-url", "memory:", "--log-level", "error",
         f"--upstream=openai=http://127.0.0.1:{port}"], stdout=subprocess.PIPE, text=True)
    figures = {}
    try:
        host, _, own = server.stdout.readline().strip().removeprefix("listening on http://").rpartition(":")
        address = (host, int(own))
        direct, gateway = Connection(("127.0.0.1", port)), Connection(address)
        # A tenant without decisions: a request in mode `off` is not read.
        messages = conversation()
        relay, bare = added(direct, gateway, request(messages, False, "off"), given.requests)
        figures["direct p50"], figures["direct p99"] = percentile(bare, 0.5), percentile(bare, 0.99)
        figures["relay p50"], figures["relay p99"] = percentile(relay, 0.5), percentile(relay, 0.99)
        figures["memory of a stream"] = asyncio.run(measure_streams(server, address, given.streams))
        decide(gateway, messages)
        compress, _ = added(direct, gateway, request(messages, False, "compress"), given.requests)
        figures["compress p50"], figures["compress p99"] = percentile(compress, 0.5), percentile(compress, 0.99)
    finally:
        server.terminate()
        server.wait()
        provider.terminate()
    is_met = True
    print(f"{given.requests} requests of {len(request(messages, False, 'off')) / KIB:.0f} KiB, {given.streams} streams")
    for name, figure in sorted(figures.items()):
        goal = GOALS.get(name)
        is_met &= goal is None or figure <= goal
        unit = "KiB" if name.startswith("memory") else "ms"
        note = "" if goal is None else f"   goal {goal:g} {unit}" + ("" if figure <= goal else ", missed")
        print(f"{name:20} {figure:9.2f} {unit:3}{note}")
    return 0 if is_met else 1


if __name__ == "__main__":
    sys.exit(main())
