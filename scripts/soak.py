#!/usr/bin/env python3
"""Mixed work at an even pace for a long time, and whether the server grows by it.

    scripts/soak.py --binary target/release/contexture [--minutes 60] [--rate 20 | --load 0.7]
        [--corpus FOLDER] [--url postgres://…]

Compiles without a session, turns of sessions that grow and end, writes and recalls of memory with a
hook that is told of each, compressions, artifacts, streams of events that come and go, and requests
that are wrong: `--rate` of them a second, or a share (`--load`) of what the server does a second where
each worker asks as soon as it has its answer, which is measured for a minute first. Every ten seconds it
reads the server's memory, descriptors, threads and tasks. The first tenth of the time is for warming up;
of what is left, the medians of the first and the last quarter are compared, and the 99th percentile of
the time from when a request was due to its answer. Exits 1 where memory grew by more than a tenth and
16 MiB, descriptors, threads or tasks by more than a tenth and 8, that percentile by more than a half and
10 ms, or where any answer was a 5xx. Caches are bounded and fill up at first: with little variety in the
texts, and a high rate, that is over sooner.

With a folder of recorded sessions the texts are theirs, else they are made up. Python's standard
library only.
"""

import argparse
import collections
import http.client
import json
import os
import pathlib
import queue
import random
import re
import statistics
import tempfile
import threading
import time

import harness

# How long the capacity is measured.
CAPACITY_SECONDS = 60
# Turns after which a session ends and another one begins.
TURNS = 40


def conversations(folder):
    """Lists of messages in OpenAI's shape."""
    if folder:
        for path in sorted(pathlib.Path(folder).glob("*.json")):
            yield json.loads(path.read_text())["messages"]
        return
    words = "build test error file line server value path number retry".split()
    for seed in range(20):
        dice = random.Random(seed)
        text = lambda count: " ".join(dice.choices(words, k=count))
        messages = [{"role": "system", "content": text(200)}]
        for at in range(30):
            call = {"id": f"c{at}", "type": "function", "function": {"name": "sh", "arguments": "{}"}}
            messages += [
                {"role": "user", "content": text(40)},
                {"role": "assistant", "content": None, "tool_calls": [call]},
                {"role": "tool", "tool_call_id": f"c{at}", "content": text(1500)},
                {"role": "assistant", "content": text(60)},
            ]
        yield messages


class Worker(threading.Thread):
    """Does one thing after another, each when it is due."""

    def __init__(self, node, sessions, number, told):
        super().__init__(daemon=True)
        self.node, self.sessions, self.told = node, sessions, told
        self.dice = random.Random(number)
        self.number, self.round = number, 0
        self.due = queue.SimpleQueue()
        self.session = None
        # Pairs of when a request was due and the seconds from then to its answer.
        self.waits = []

    def run(self):
        kinds = [self.compile, self.turn, self.turn, self.memory, self.recall, self.compress,
                 self.artifact, self.wrong, self.watch]
        while True:
            due = self.due.get()
            kind = self.dice.choice(kinds)
            try:
                status = kind()
            except (OSError, http.client.HTTPException) as error:
                status = type(error).__name__
            self.told[kind.__name__, status] += 1
            self.waits.append((due, time.monotonic() - due))

    def post(self, path, body, method="POST"):
        return self.node.call(method, path, body, timeout=60)[0]

    def compile(self):
        messages = self.dice.choice(self.sessions)
        end = self.dice.randrange(1, len(messages) + 1)
        body = {"messages": messages[:end], "target": self.dice.choice(["openai", "anthropic"]),
                "budget": {"context_window": 32768}}
        return self.post("/compile", body)

    def turn(self):
        if self.session is None or self.session[2] >= min(TURNS, len(self.session[1])):
            if self.session:
                self.post(f"/sessions/{self.session[0]}", None, "DELETE")
            self.round += 1
            name = f"soak-{self.number}-{self.round}"
            self.session = [name, self.dice.choice(self.sessions), 0]
        name, messages, at = self.session
        self.session[2] += 1
        body = {"append": [messages[at]], "budget": {"context_window": 32768}, "memory": True}
        return self.post(f"/sessions/{name}/turns", body)

    def memory(self):
        key = f"fact_{self.dice.randrange(2000)}"
        value = f"the value of {key} is {self.dice.randrange(10**6)}"
        return self.post(f"/memory/{key}", {"value": value}, "PUT")

    def recall(self):
        return self.post("/memory/recall", {"query": f"fact {self.dice.randrange(2000)} value"})

    def compress(self):
        messages = self.dice.choice(self.sessions)
        return self.post("/compress", {"messages": messages[:60], "level": "reversible"})

    def artifact(self):
        text = "\n".join(f"line {at} of {self.dice.random()}" for at in range(500))
        return self.post("/artifacts", {"text": text})

    def wrong(self):
        return self.post("/compile", {"messages": "none", "unknown": self.dice.random()})

    def watch(self):
        """Opens a stream, reads what is there, and goes away without a word."""
        link = http.client.HTTPConnection("127.0.0.1", self.node.port, timeout=20)
        headers = {"authorization": f"Bearer {harness.BOOTSTRAP}", "last-event-id": "0"}
        link.request("GET", "/events", headers=headers)
        answer = link.getresponse()
        answer.read1(4096)
        link.close()
        return answer.status


def capacity(workers):
    """Requests a second, where each worker has always one to send."""
    before, start = sum(len(worker.waits) for worker in workers), time.monotonic()
    while time.monotonic() < start + CAPACITY_SECONDS:
        for worker in workers:
            if worker.due.qsize() < 2:
                worker.due.put(time.monotonic())
        time.sleep(0.001)
    done = sum(len(worker.waits) for worker in workers) - before
    while any(worker.due.qsize() for worker in workers):
        time.sleep(0.01)
    return done / CAPACITY_SECONDS


def percentile(values, share):
    return sorted(values)[int(len(values) * share)] if values else float("nan")


def sample(node):
    text = node.call("GET", "/metrics")[1]
    figure = lambda name: float(re.search(rf"^{name} (\S+)$", text, re.MULTILINE).group(1))
    return {
        "memory MiB": node.figure("VmRSS") / 1024,
        "descriptors": len(os.listdir(f"/proc/{node.process.pid}/fd")),
        "threads": figure("process_threads"),
        "tasks": figure("contexture_runtime_tasks"),
    }


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    arguments.add_argument("--binary", required=True)
    arguments.add_argument("--minutes", type=float, default=60)
    arguments.add_argument("--rate", type=float, default=20, help="requests a second")
    arguments.add_argument("--load", type=float, help="share of the capacity, instead of a rate")
    arguments.add_argument("--corpus")
    arguments.add_argument("--url", help="a database other than a file of its own")
    options = arguments.parse_args()

    folder = tempfile.TemporaryDirectory()
    url = options.url or f"sqlite:{folder.name}/soak.db"
    receiver = harness.Receiver()
    node = harness.Node(options.binary, url, ["--dev"])
    hook = {"id": "told", "point": "memory_changed", "kind": "observe", "url": receiver.url()}
    assert node.call("POST", "/hooks", hook)[0] == 201
    told = collections.Counter()
    sessions = list(conversations(options.corpus))
    workers = [Worker(node, sessions, number, told) for number in range(8)]
    for worker in workers:
        worker.start()

    rate = options.rate
    if options.load:
        most = capacity(workers)
        rate = options.load * most
        print(f"capacity     {most:.1f} requests/s; the rate is {rate:.1f}")
    samples, start = [], time.monotonic()
    length = options.minutes * 60
    due, next_sample, at = start, start, 0
    while (now := time.monotonic()) < start + length:
        if now >= next_sample:
            samples.append(sample(node))
            next_sample += 10
        if now >= due:
            workers[at % len(workers)].due.put(due)
            at, due = at + 1, due + 1 / rate
        time.sleep(max(0, min(due, next_sample) - time.monotonic()))
    samples.append(sample(node))
    code = node.end()

    print("memory MiB, by tenths:", *(round(samples[len(samples) * tenth // 10]["memory MiB"])
                                     for tenth in range(10)), round(samples[-1]["memory MiB"]))
    samples = samples[len(samples) // 10 :]
    quarter = max(1, len(samples) // 4)
    faults = []
    print(f"{at} requests in {options.minutes:g} minutes, {len(samples)} samples")
    print(f"{'':<12} {'first':>9} {'last':>9} {'highest':>9}")
    for name, least in [("memory MiB", 16), ("descriptors", 8), ("threads", 8), ("tasks", 8)]:
        values = [one[name] for one in samples]
        first, last = statistics.median(values[:quarter]), statistics.median(values[-quarter:])
        print(f"{name:<12} {first:>9.1f} {last:>9.1f} {max(values):>9.1f}")
        if last > first * 1.1 and last > first + least:
            faults.append(f"{name} grew from {first:.1f} to {last:.1f}")
    waits = [one for worker in workers for one in worker.waits if one[0] >= start + length / 10]
    parts = [[] for _ in range(4)]
    for due, wait in waits:
        part = int((due - start - length / 10) / (length * 0.9) * 4)
        parts[min(part, 3)].append(wait * 1000)
    for share in (0.5, 0.99):
        figures = [percentile(part, share) for part in parts]
        print(f"p{share * 100:<3g} ms, by quarters:", *(f"{figure:.1f}" for figure in figures))
    if figures[-1] > figures[0] * 1.5 and figures[-1] > figures[0] + 10:
        faults.append(f"the 99th percentile grew from {figures[0]:.1f} to {figures[-1]:.1f} ms")
    by_kind = collections.defaultdict(dict)
    for (kind, status), count in sorted(told.items(), key=str):
        by_kind[kind][str(status)] = count
        if not isinstance(status, int) or status >= 500:
            faults.append(f"{kind}: {status}, {count} times")
    for kind, statuses in sorted(by_kind.items()):
        print(f"{kind:<12} {statuses}")
    print(f"hook calls   {len(receiver.heard)}")
    if code != 0:
        faults.append(f"it ended with {code}")
    print("\n".join(faults) or "no faults")
    raise SystemExit(bool(faults))


if __name__ == "__main__":
    main()
