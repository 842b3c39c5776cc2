#!/usr/bin/env python3
"""Measures requests on a large PostgreSQL database next to an empty one, and how long cleanups hold locks.

    cargo build --release
    python3 scripts/scale.py --binary target/release/contexture --postgres postgres://postgres@127.0.0.1
    python3 scripts/scale.py … --full       # 1 M sessions, 10 M compilations, 50 M events

Makes two databases and a role without superuser's rights on that server, whose user must be a superuser, and
removes them at the end. The program migrates both. One is filled by SQL: rows that the program wrote itself
are copied with other ids. Then one node on each database gets the same requests by turns. For the cleanup, a
share of the rows is made old; how long a transaction of a node holds the lock of its tenant is sampled every
2 ms; so it is while a session with many records is deleted. Two nodes at a fixed rate each are compared with one alone, with the seconds of work of nodes and
PostgreSQL per request. `--only` names the parts to run. Needs psql and Python's standard library. Ends with 1 if a goal is missed.
"""

import argparse
import glob
import http.client
import json
import os
import signal
import subprocess
import sys
import threading
import time
import uuid

from harness import BOOTSTRAP, Node, Report, percentile, work

SIZES = {"sessions": 20_000, "compilations": 200_000, "events": 1_000_000, "memory": 20_000, "tenants": 200}
FULL = {"sessions": 1_000_000, "compilations": 10_000_000, "events": 50_000_000, "memory": 1_000_000,
        "tenants": 10_000}
MAX_RATIO = 2.0
MAX_LOCK_MS = 50.0
MAX_LOSS = 0.05
ROLE = "contexture_scale"
# Far more than a test writes.
QUOTAS = {"CONTEXTURE_TENANT_MAX_SESSIONS": "100000000", "CONTEXTURE_TENANT_MAX_MEMORY_ENTRIES": "100000000"}
NO_CLEANUP = {"CONTEXTURE_CLEANUP_INTERVAL_MS": "86400000"}


def psql(url, command):
    done = subprocess.run(["psql", "-qAtX", "-v", "ON_ERROR_STOP=1", url, "-c", command],
                          check=True, capture_output=True, text=True)
    return done.stdout.strip()


class Database:
    """A database of this test."""

    def __init__(self, server, name):
        self.server, self.name = server.rstrip("/"), name
        psql(f"{self.server}/postgres", f"CREATE DATABASE {name} OWNER {ROLE}")
        host = self.server.split("@", 1)[1]
        self.admin, self.url = f"{self.server}/{name}", f"postgres://{ROLE}@{host}/{name}"

    def run(self, command):
        return psql(self.admin, command)

    def remove(self):
        psql(f"{self.server}/postgres", f"DROP DATABASE IF EXISTS {self.name} WITH (FORCE)")


def copy_rows(database, table, where, count, changed, loop="generate_series(1, {count}) AS n"):
    """Copies one row so many times; `changed` names columns and their new values."""
    columns = database.run(
        "SELECT column_name FROM information_schema.columns WHERE table_name = "
        f"'{table}' AND is_identity = 'NO' AND table_schema = 'public' ORDER BY ordinal_position").split("\n")
    values = ", ".join(changed.get(column, f"t.{column}") for column in columns)
    # Triggers would count each row by a statement; `count_rows` does so at once.
    database.run(
        f"SET session_replication_role = replica; INSERT INTO {table} ({', '.join(columns)}) "
        f"SELECT {values} FROM (SELECT * FROM {table} WHERE {where} LIMIT 1) AS t, "
        + loop.format(count=count))


def count_rows(database):
    """Brings the counts that triggers keep up to date."""
    database.run(
        "UPDATE tenant_usage SET "
        "sessions = (SELECT count(*) FROM sessions WHERE tenant = 'default'), "
        "compilation_bytes = (SELECT sum(octet_length(body)) FROM compilations WHERE tenant = 'default') + "
        "(SELECT coalesce(sum(bytes), 0) FROM (SELECT max(bytes) AS bytes FROM compilation_texts "
        "WHERE tenant = 'default' GROUP BY digest) AS texts), "
        "original_bytes = (SELECT coalesce(sum(size), 0) FROM blobs "
        "WHERE tenant = 'default' AND expires_at IS NOT NULL) WHERE tenant = 'default'")


def fill(database, sizes):
    """Fills a database in which the node has written one row of each kind."""
    of_default = "tenant = 'default'"
    copy_rows(database, "sessions", of_default, sizes["sessions"], {"id": "'fill-' || n"})
    copy_rows(database, "session_turns", of_default, sizes["sessions"], {"id": "'fill-' || n"})
    copy_rows(database, "compilations", of_default, sizes["compilations"], {
        "id": "'cmp_00' || lpad(to_hex(n), 30, '0')", "session": f"'fill-' || (n % {sizes['sessions']} + 1)"})
    # Numbers go on after those that are there, so that the sequence has no gap.
    first = int(database.run("SELECT seq FROM event_state WHERE tenant = 'default'"))
    copy_rows(database, "events", f"{of_default} AND type = 'compile:done'", sizes["events"], {
        "seq": f"{first} + n", "session": f"'fill-' || (n % {sizes['sessions']} + 1)",
        "compilation": f"'cmp_00' || lpad(to_hex(n % {sizes['compilations']}), 30, '0')"})
    database.run(f"UPDATE event_state SET seq = {first + sizes['events']} WHERE tenant = 'default'")
    # Originals, an answer's chain each. They expire one after another, from tomorrow on.
    tomorrow = int((time.time() + 86_400) * 1e6)
    database.run(
        "INSERT INTO blobs (tenant, digest, form, size, content, expires_at) SELECT 'default', "
        f"sha256(n::text::bytea), 0, 600, convert_to(repeat(md5(n::text), 8), 'utf8'), {tomorrow} + n "
        f"FROM generate_series(1, {sizes['sessions']}) AS n; "
        "INSERT INTO chains (tenant, chain, original, expires_at) SELECT 'default', "
        f"sha256(('c' || n)::bytea), sha256(n::text::bytea), {tomorrow} + n "
        f"FROM generate_series(1, {sizes['sessions']}) AS n")
    # One entry in ten expires, some day.
    later = int((time.time() + 30 * 86_400) * 1e6)
    value = "'\"fact ' || n || ' about words' || (n % 997) || ' and stones' || (n % 31) || '\"'"
    copy_rows(database, "memory", of_default, sizes["memory"], {
        "key": "'fact-' || n", "value": value,
        "expires_at": f"CASE WHEN n % 10 = 0 THEN {later} + n END"})
    database.run(
        "INSERT INTO memory_terms (tenant, term, id) SELECT tenant, term, m.id FROM memory AS m, LATERAL "
        "unnest(ARRAY['fact', 'about', 'and', 'words' || (m.id % 997), 'stones' || (m.id % 31), m.id::text]) "
        "AS term WHERE m.key LIKE 'fact-%'; "
        f"UPDATE memory_state SET entries = entries + {sizes['memory']} WHERE tenant = 'default'")
    for table, where in [("sessions", of_default), ("compilations", of_default), ("events", of_default),
                         ("memory", of_default), ("memory_state", of_default), ("event_state", of_default)]:
        copy_rows(database, table, where, sizes["tenants"], {"tenant": "'tenant-' || n"})
    count_rows(database)
    database.run("VACUUM ANALYZE")


class Client:
    """One kept connection to a node."""

    def __init__(self, node):
        self.node = node
        self.connection = http.client.HTTPConnection("127.0.0.1", node.port, timeout=60)

    def call(self, method, path, body=None):
        """The milliseconds of a request, and its body."""
        headers = {"authorization": f"Bearer {BOOTSTRAP}", "content-type": "application/json"}
        start = time.perf_counter()
        self.connection.request(method, path, json.dumps(body) if body is not None else None, headers)
        answer = self.connection.getresponse()
        read = answer.read()
        took = (time.perf_counter() - start) * 1000
        if answer.status >= 300:
            sys.exit(f"{method} {path}: {answer.status} {read[:300]!r}")
        return took, json.loads(read)

    def turn(self, number):
        body = {"append": [{"role": "user", "content": f"What is fact {number}?"}], "target": "openai"}
        return self.call("POST", f"/sessions/measured-{number // 4}/turns", body)[0]

    def recall(self, number):
        question = f"Which fact is about words{number % 997} and stones{number % 31}?"
        body = {"messages": [{"role": "user", "content": question}], "target": "openai", "memory": True}
        return self.call("POST", "/compile", body)[0]

    def resume(self, number):
        """Milliseconds until a stream that begins again has sent 100 old events."""
        newest = self.newest
        headers = {"authorization": f"Bearer {BOOTSTRAP}",
                   "last-event-id": str(max(0, newest - 200 - number % max(1, newest // 2 - 200)))}
        connection = http.client.HTTPConnection("127.0.0.1", self.node.port, timeout=60)
        start, events = time.perf_counter(), 0
        connection.request("GET", "/events", headers=headers)
        answer = connection.getresponse()
        while events < 100:
            events += answer.readline().startswith(b"data: ")
        took = (time.perf_counter() - start) * 1000
        connection.close()
        return took

    def kinds(self):
        get = lambda path: lambda number: self.call("GET", path)[0]
        return {
            "turn": self.turn,
            "memory read": get("/memory/template"),
            "list of sessions": get("/sessions?limit=20"),
            "list of memory": get("/memory?limit=20"),
            "list of memory by tag": get("/memory?limit=20&tag=none"),
            "list of compilations": get("/compilations?limit=20"),
            "list by status": get("/compilations?limit=20&status=refused"),
            "list of events": get("/events?format=json&limit=20"),
            "recall in a compile": self.recall,
            "SSE resumed": self.resume,
        }


def seed(node):
    """One row of each kind, and as many of what a list shows as its first page has."""
    client = Client(node)
    client.call("PUT", "/memory/template", {"value": "fact about words and stones"})
    for number in range(60):
        client.call("PUT", f"/memory/seed-{number}", {"value": f"fact {number} about words and stones"})
        body = {"append": [{"role": "user", "content": "hello"}], "target": "openai"}
        client.call("POST", f"/sessions/seed-{number}/turns", body)
    return client


def measure(small, large, rounds, report):
    clients = []
    for node in (small, large):
        client = Client(node)
        client.newest = 0
        after = client.call("GET", "/events?format=json&limit=1&after=999999999999")[1]
        client.newest = after["next_after"]
        clients.append(client)
    print(f"{'':24} {'empty p50':>10} {'p99':>8} {'full p50':>10} {'p99':>8} {'ratio':>6}   ms")
    for name in clients[0].kinds():
        took = [[], []]
        for number in range(rounds + 5):
            for which, client in enumerate(clients):
                one = client.kinds()[name](number)
                if number >= 5:
                    took[which].append(one)
        p50, p99 = ([percentile(one, share) for one in took] for share in (0.5, 0.99))
        ratio = p99[1] / p99[0]
        print(f"{name:24} {p50[0]:10.2f} {p99[0]:8.2f} {p50[1]:10.2f} {p99[1]:8.2f} {ratio:6.2f}", flush=True)
        report.check(f"{name}: p99 within {MAX_RATIO:g} times that of the empty database", ratio <= MAX_RATIO * 1.05)


SAMPLE = """
DO $$ DECLARE longest FLOAT := 0; one FLOAT; until TIMESTAMPTZ := clock_timestamp() + interval '{seconds} s';
BEGIN WHILE clock_timestamp() < until LOOP
    PERFORM pg_stat_clear_snapshot();
    SELECT max(extract(epoch FROM clock_timestamp() - a.xact_start)) INTO one
    FROM pg_locks AS l JOIN pg_stat_activity AS a ON a.pid = l.pid
    WHERE l.locktype = 'advisory' AND l.granted AND a.datname = current_database() AND a.usename = '{role}';
    longest := greatest(longest, coalesce(one, 0)); PERFORM pg_sleep(0.002);
END LOOP; RAISE EXCEPTION 'longest %', round((longest * 1000)::numeric, 1); END $$
"""


def longest_lock(database, seconds):
    """Starts to sample how long transactions hold the lock of their tenant; returns what waits for the figure."""
    command = ["psql", "-qAtX", database.admin, "-c", SAMPLE.format(seconds=seconds, role=ROLE)]
    sampler = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    return lambda: float(sampler.communicate()[1].split("longest")[1].split()[0])


def erasure(binary, database, records, report):
    """How long the deletion of a session with many records and messages holds the lock of its tenant."""
    node = Node(binary, database.url, environment={**QUOTAS, **NO_CLEANUP})
    client = Client(node)
    for text in ("hello", "and again"):
        body = {"append": [{"role": "user", "content": text}], "target": "openai"}
        client.call("POST", "/sessions/large/turns", body)
    copy_rows(database, "compilations", "session = 'large'", records,
              {"id": "'cmp_01' || lpad(to_hex(n), 30, '0')"})
    copy_rows(database, "compilation_texts", "tenant = 'default'", records, {
        "compilation": "'cmp_01' || lpad(to_hex(n), 30, '0')"})
    copy_rows(database, "session_messages", "session = 'large'", records, {"seq": "n + 1000"})
    count_rows(database)
    longest = longest_lock(database, 15)
    time.sleep(0.5)
    start = time.perf_counter()
    connection = http.client.HTTPConnection("127.0.0.1", node.port, timeout=60)
    connection.request("DELETE", "/sessions/large", headers={"authorization": f"Bearer {BOOTSTRAP}"})
    status = connection.getresponse().status
    took = time.perf_counter() - start
    left = int(database.run(
        "SELECT (SELECT count(*) FROM compilations WHERE session = 'large') "
        "+ (SELECT count(*) FROM session_messages WHERE session = 'large')"))
    node.end()
    report.check(f"a session of {records} records is deleted", status == 204 and left == 0, f"{took:.2f} s")
    figure = longest()
    report.check(f"its deletion holds no lock over {MAX_LOCK_MS:g} ms", figure <= MAX_LOCK_MS, f"{figure} ms")


def idle_cleanups(binary, database, seconds, report):
    """What cleanups cost when nothing is due: transactions that write, and the work of PostgreSQL."""
    node = Node(binary, database.url, environment={**QUOTAS, "CONTEXTURE_CLEANUP_INTERVAL_MS": "1000"})
    time.sleep(3)
    locks = "SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()"
    before, done = int(database.run(locks)), work_of_postgres()
    time.sleep(seconds)
    spent = work_of_postgres() - done
    time.sleep(1.2)
    commits = int(database.run(locks)) - before
    node.end()
    print(f"cleanups with nothing due, in {seconds} s: {commits} transactions, {spent:.2f} s of work of PostgreSQL")
    report.check("cleanups with nothing due leave PostgreSQL idle for the most part", spent < seconds / 2)


def retention(binary, database, old, seconds, report):
    """How long a cleanup holds the lock of a tenant, while `old` rows of each kind are removed."""
    past = int((time.time() - 90 * 86_400) * 1e6)
    database.run(
        "SET session_replication_role = replica; "
        f"UPDATE compilations SET expires_at = {past} WHERE tenant = 'default' AND id IN "
        f"(SELECT id FROM compilations WHERE tenant = 'default' ORDER BY id LIMIT {old}); "
        f"UPDATE events SET at = {past} WHERE tenant = 'default' AND seq IN "
        f"(SELECT seq FROM events WHERE tenant = 'default' ORDER BY seq LIMIT {old}); "
        f"UPDATE chains SET expires_at = {past} WHERE tenant = 'default' AND chain IN "
        f"(SELECT chain FROM chains WHERE tenant = 'default' LIMIT {old}); "
        f"UPDATE blobs SET expires_at = {past} WHERE tenant = 'default' AND digest IN "
        f"(SELECT digest FROM blobs WHERE tenant = 'default' AND expires_at IS NOT NULL LIMIT {old}); "
        f"UPDATE sessions SET expires_at = {past} WHERE tenant = 'default' AND id IN "
        f"(SELECT id FROM sessions WHERE tenant = 'default' AND id LIKE 'fill-%' LIMIT {old // 10}); "
        f"UPDATE memory SET expires_at = {past}, updated_at = {past} WHERE tenant = 'default' AND key IN "
        f"(SELECT key FROM memory WHERE tenant = 'default' AND key LIKE 'fact-%' LIMIT {old // 10})")
    count = lambda: int(database.run(
        f"SELECT (SELECT count(*) FROM compilations WHERE tenant = 'default' AND expires_at <= {past}) "
        f"+ (SELECT count(*) FROM sessions WHERE tenant = 'default' AND expires_at <= {past}) "
        f"+ (SELECT count(*) FROM memory WHERE tenant = 'default' AND expires_at <= {past}) "
        f"+ (SELECT count(*) FROM chains WHERE tenant = 'default' AND expires_at <= {past}) "
        f"+ (SELECT count(*) FROM blobs WHERE tenant = 'default' AND expires_at <= {past})"))
    before = count()
    node = Node(binary, database.url, environment={**QUOTAS, "CONTEXTURE_CLEANUP_INTERVAL_MS": "1000"})
    longest = longest_lock(database, seconds)()
    node.end()
    print(f"{before - count()} of {before} old rows removed in {seconds} s")
    report.check("a cleanup removes old rows", count() < before)
    report.check(f"no cleanup holds a lock over {MAX_LOCK_MS:g} ms", longest <= MAX_LOCK_MS, f"{longest} ms")


def work_of_postgres():
    """Seconds of work of the processes of PostgreSQL that serve this test's connections."""
    total = 0.0
    for name in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            with open(name, encoding="utf-8", errors="replace") as file:
                if f": {ROLE} " in file.read():
                    total += work(name.split("/")[2])
        except OSError:
            pass
    return total


def paced(nodes, rate, seconds):
    """Turns at a fixed rate at each node, by four clients each; returns their milliseconds."""
    took, lock = [], threading.Lock()
    start = time.monotonic() + 0.2
    run = uuid.uuid4().hex[:6]

    def send(node, number):
        client, at = Client(node), number
        while at / rate < seconds:
            due = start + at / rate
            time.sleep(max(0.0, due - time.monotonic()))
            body = {"append": [{"role": "user", "content": f"turn {at}"}], "target": "openai"}
            client.call("POST", f"/sessions/paced-{run}-{node.port}-{at % 64}/turns", body)
            with lock:
                took.append((time.monotonic() - due) * 1000)
            at += 4

    threads = [threading.Thread(target=send, args=(node, number)) for node in nodes for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return took, time.monotonic() - start


def several(binary, database, rate, seconds, report):
    """One node at a rate, and two nodes at the same rate each, by turns."""
    nodes = [Node(binary, database.url, environment={**QUOTAS, **NO_CLEANUP}) for _ in range(2)]
    counts = "SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()"
    for node in nodes:
        paced([node], rate, 2)
    sums = {1: [], 2: []}
    for _ in range(2):
        for used in (1, 2):
            before = [work(node.process.pid) for node in nodes], work_of_postgres()
            commits = int(database.run(counts))
            took, lasted = paced(nodes[:used], rate, seconds)
            # The figures of the database come with a delay of at most a second.
            time.sleep(1.2)
            commits = int(database.run(counts)) - commits
            own = sum(work(node.process.pid) - was for node, was in zip(nodes, before[0]))
            theirs = work_of_postgres() - before[1]
            sums[used].append((took, lasted, own, theirs, commits))
    figures = {}
    for used, rows in sums.items():
        took = [one for row in rows for one in row[0]]
        count, lasted = len(took), sum(row[1] for row in rows)
        per = [sum(row[at] for row in rows) / count for at in (2, 3, 4)]
        figures[used] = count / lasted
        print(f"{used} node(s): {count / lasted:.1f} turns/s, p50 {percentile(took, .5):.2f} ms, "
              f"p99 {percentile(took, .99):.2f} ms; per turn {per[0] * 1000:.2f} ms of work of nodes, "
              f"{per[1] * 1000:.2f} ms of PostgreSQL, {per[2]:.1f} transactions")
    cores = os.cpu_count()
    full = 1 / per[1]
    print(f"PostgreSQL is full at {full:.0f} turns/s for each of its cores: one core of it serves "
          f"{per[0] / per[1]:.1f} cores of nodes ({cores} cores here, shared by all)")
    loss = 1 - figures[2] / (2 * figures[1])
    report.check("two nodes lose less than 5 % of their rate to each other", loss < MAX_LOSS, f"{loss * 100:.1f} %")
    for node in nodes:
        node.end()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--postgres", required=True, metavar="URL", help="without a database's name")
    parser.add_argument("--full", action="store_true")
    for name, size in SIZES.items():
        parser.add_argument(f"--{name}", type=int, metavar="N", help=f"{size:,} unless given")
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--cleanup-seconds", type=int, default=20)
    parser.add_argument("--old", type=int, default=10_000, help="rows that the cleanup finds old")
    parser.add_argument("--rate", type=float, default=40, help="turns a second at each node")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--only", action="append", choices=["requests", "nodes", "erasure", "retention"])
    parser.add_argument("--records", type=int, default=5_000, help="of the session that is deleted")
    args = parser.parse_args()
    # Ends as an exception, so that what was made on the server is removed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    sizes = {name: getattr(args, name) or (FULL if args.full else SIZES)[name] for name in SIZES}
    report, databases, nodes = Report(), [], []
    psql(f"{args.postgres}/postgres",
         f"DO $$ BEGIN CREATE ROLE {ROLE} LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$")
    try:
        run = uuid.uuid4().hex[:8]
        for kind in ("small", "large"):
            databases.append(Database(args.postgres, f"contexture_scale_{kind}_{run}"))
            nodes.append(Node(args.binary, databases[-1].url, environment={**QUOTAS, **NO_CLEANUP}))
            seed(nodes[-1])
        small, large = databases
        start = time.monotonic()
        fill(large, sizes)
        small.run("VACUUM ANALYZE")
        print(f"{sizes}: filled in {time.monotonic() - start:.0f} s, "
              f"{int(large.run('SELECT pg_database_size(current_database())')) >> 20} MiB", flush=True)
        wanted = lambda part: not args.only or part in args.only
        if wanted("requests"):
            measure(*nodes, args.rounds, report)
        for node in nodes:
            node.end()
        if wanted("nodes"):
            several(args.binary, large, args.rate, args.seconds, report)
        if wanted("erasure"):
            erasure(args.binary, large, args.records, report)
        if wanted("retention"):
            idle_cleanups(args.binary, large, 10, report)
            retention(args.binary, large, args.old, args.cleanup_seconds, report)
    finally:
        for node in nodes:
            if node.process.poll() is None:
                node.process.kill()
        for database in databases:
            database.remove()
        psql(f"{args.postgres}/postgres", f"DROP ROLE IF EXISTS {ROLE}")
    report.end()


if __name__ == "__main__":
    main()
