#!/usr/bin/env python3
"""Measures how long one tenant's queued calls take while another tenant's dead hooks have a full queue.

    cargo build --release
    python3 scripts/queue_fairness.py --binary target/release/contexture
    python3 scripts/queue_fairness.py --binary target/release/contexture --postgres

Needs nothing but Python, and PostgreSQL's programs (initdb, pg_ctl, psql) with `--postgres`. The tenant
`dead` has ten hooks (`--hooks`) at a port where nobody listens and 1,000,000 queued calls (`--calls`),
each of a session of its own unless `--sessions` says how many sessions share them; a hook keeps 100,000 at
most, so ten hooks are filled to the cap. Calls are put into the tables by SQL while the server is stopped,
in the shape in which the release before lines of calls stored them: the server makes their lines when it
starts, and how long that takes is printed. The tenant `live` has one hook on loopback and changes an entry
of its memory now and then; what is measured is the time from the response, when the change is on the disk,
to the arrival of the call, and from the request, which is longer by what the disk takes. Prints the share
of a core that the server takes while nobody calls it, too. Ends with 1 if a figure is above its limit.
"""

import argparse
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

from harness import Cluster, Node, Receiver, Report, free_port, percentile, until, work

COLUMNS = ("tenant, id, hook, session, point, hops, occurrence, input, state, attempts, tries, created_at, "
           "updated_at, due_at, fence")
# What the step of the schema that made lines had added is taken back.
BEFORE = """
    DELETE FROM delivery_lines; DELETE FROM delivery_hooks; DELETE FROM delivery_tenants;
    DELETE FROM delivery_backfill;
    INSERT INTO delivery_backfill (tenant, hook, session, seq) VALUES ('', '', '', 0);
"""


def select(calls, hooks, sessions, numbers):
    """The rows of all calls, of `numbers` n from 1."""
    now = int(time.time() * 1e6)
    return (f"INSERT INTO deliveries ({COLUMNS}) SELECT 'dead', 'msg_' || n, 'dead-' || (n % {hooks}), "
            f"'s' || ((n / {hooks}) % {sessions}), 'event', 0, 0, '{{\"type\": \"memory:changed\"}}', "
            f"'queued', 0, 0, {now} + n, {now} + n, {now} + n, 0 FROM {numbers}")


def fill_sqlite(file, calls, hooks, sessions):
    with sqlite3.connect(file) as database:
        numbers = "call"
        database.execute(
            f"WITH RECURSIVE call (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM call WHERE n < {calls}) "
            + select(calls, hooks, sessions, numbers))
        database.executescript(BEFORE)


def psql(cluster, *commands):
    program = shutil.which("psql") or os.path.join(cluster.bin, "psql")
    arguments = [part for command in commands for part in ("-c", command)]
    subprocess.run([program, "-q", "-v", "ON_ERROR_STOP=1", cluster.url, *arguments], check=True)


def fill_postgres(cluster, calls, hooks, sessions):
    numbers = f"generate_series(1, {calls}) AS n"
    script = select(calls, hooks, sessions, numbers) + ";" + BEFORE + "ANALYZE deliveries;"
    psql(cluster, "SET row_security = off;" + script)


def cpu_seconds(node, cluster):
    """Seconds of work of the server, and of its PostgreSQL."""
    total = 0.0
    for pid in cluster.processes() if cluster else []:
        try:
            total += work(pid)
        except OSError:
            pass
    return work(node.process.pid), total


class Timed(Receiver):
    """Notes when each call arrived, by the key of the entry that it tells of."""

    def __init__(self):
        super().__init__()
        self.seen = 0
        self.arrived = {}
        threading.Thread(target=self.watch, daemon=True).start()

    def watch(self):
        while True:
            with self.lock:
                new, self.seen = self.heard[self.seen:], len(self.heard)
            for _, body in new:
                self.arrived.setdefault(body["input"]["data"]["key"], time.monotonic())
            time.sleep(0.0005)


def measure(node, key, receiver, facts, pause):
    """Milliseconds from each fact to its arrival: from the response, and from the request."""
    committed, asked = [], []
    for number in range(facts):
        name = f"fact-{number}"
        begun = time.monotonic()
        status, body, _ = node.call("PUT", f"/memory/{name}", {"value": number}, key=key)
        responded = time.monotonic()
        if status != 201:
            sys.exit(f"the entry is not stored: {status} {body}")
        if until(lambda: name in receiver.arrived, 120, 0.001) is None:
            sys.exit(f"{name} has not arrived after two minutes")
        committed.append(max(receiver.arrived[name] - responded, 0) * 1000)
        asked.append((receiver.arrived[name] - begun) * 1000)
        time.sleep(pause)
    return committed, asked


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--postgres", action="store_true")
    parser.add_argument("--hooks", type=int, default=10)
    parser.add_argument("--calls", type=int, default=1_000_000)
    parser.add_argument("--sessions", type=int, default=1_000_000)
    parser.add_argument("--facts", type=int, default=200)
    parser.add_argument("--idle-seconds", type=float, default=60)
    args = parser.parse_args()
    report, cluster = Report(), Cluster() if args.postgres else None
    try:
        with tempfile.TemporaryDirectory() as folder:
            run(args, report, cluster, folder)
    finally:
        if cluster:
            cluster.remove()
    report.end()


def run(args, report, cluster, folder):
    receiver, file = Timed(), os.path.join(folder, "contexture.db")
    with open(os.path.join(folder, "keys"), "w", encoding="ascii") as keys:
        keys.write(os.urandom(32).hex())
    environment = {"CONTEXTURE_MASTER_KEY_FILE": os.path.join(folder, "keys"), "CONTEXTURE_DEV": "true"}
    node = Node(args.binary, cluster.url if cluster else f"sqlite:{file}", environment=environment)
    keys = {}
    for tenant in ("dead", "live"):
        status, made, _ = node.call("POST", "/keys", {"scopes": ["admin"], "tenant": tenant})
        if status != 201:
            sys.exit(f"there is no key: {status} {made}")
        keys[tenant] = made["key"]
    closed = f"http://127.0.0.1:{free_port()}/"
    hooks = [("dead", f"dead-{number}", closed) for number in range(args.hooks)]
    for tenant, name, url in [*hooks, ("live", "live", receiver.url())]:
        hook = {"id": name, "point": "event", "kind": "observe", "url": url,
                "match": {"events": ["memory:changed"]}}
        status, body, _ = node.call("POST", "/hooks", hook, key=keys[tenant])
        if status != 201:
            sys.exit(f"the hook is not registered: {status} {body}")
    node.end()
    begun = time.monotonic()
    if cluster:
        fill_postgres(cluster, args.calls, args.hooks, args.sessions)
    else:
        fill_sqlite(file, args.calls, args.hooks, args.sessions)
    print(f"{args.calls} calls put in after {time.monotonic() - begun:.0f} s", flush=True)
    begun = time.monotonic()
    node.start()
    print(f"their lines made, and the server started, after {time.monotonic() - begun:.1f} s; "
          f"at most {node.figure('VmHWM') // 1024} MiB", flush=True)
    if cluster:
        # What the filling left to the database is no part of the measurement.
        psql(cluster, "VACUUM (ANALYZE) deliveries, delivery_lines", "CHECKPOINT")
    try:
        committed, asked = measure(node, keys["live"], receiver, args.facts, 0.02)
        for what, took in (("response", committed), ("request", asked)):
            print(f"from {what} to arrival: p50 {percentile(took, 0.5):.1f} ms, p99 "
                  f"{percentile(took, 0.99):.1f} ms, most {max(took):.1f} ms of {len(took)}", flush=True)
        report.check("p99 from response to arrival is 100 ms at most", percentile(committed, 0.99) <= 100)
        _, shown, _ = node.call("GET", "/hooks/dead-0", key=keys["dead"])
        print(f"dead-0: {shown['queue']}, failing since {shown['failing_since']}")
        before, start = cpu_seconds(node, cluster), time.monotonic()
        time.sleep(args.idle_seconds)
        after, passed = cpu_seconds(node, cluster), time.monotonic() - start
        own, database = ((one - other) / passed * 100 for one, other in zip(after, before))
        beside = f", PostgreSQL {database:.1f} %" if cluster else ""
        print(f"with nobody calling: {own:.1f} % of a core{beside}")
        report.check("idle takes 5 % of a core at most", own <= 5)
    finally:
        node.end()


if __name__ == "__main__":
    main()
