#!/usr/bin/env python3
"""Kills the server amid writes, starts it again, and looks whether anything is missing.

    cargo build --release
    python3 scripts/kill_test.py --binary target/release/contexture --kills 100

Needs nothing but Python. In each round several writers store what WRITES lists and note what was
acknowledged; after a random while the server gets SIGKILL. Once it is back, all that was ever
acknowledged is read and compared, each with its version, what was not acknowledged must be there
as a whole or not at all, and SQLite checks the file. Ends with 1 where something is wrong.
"""

import argparse
import hashlib
import http.client
import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

READY_WITHIN = 2.0
WRITERS = 4


def call(port, method, path, body=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        headers = {"content-type": "application/json"}
        connection.request(method, path, json.dumps(body) if body is not None else None, headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def put_adapter(port, name, count):
    """Stores another definition under one of a few names; it is to be found at that version."""
    name = f"{name}-{count % 3}"
    definition = {"detect": {"min_lines": count + 1}}
    status, body = call(port, "PUT", f"/adapters/{name}", definition)
    if status not in (200, 201):
        return None
    return f"/adapters/{name}", json.loads(body)["version"], definition


def check_adapter(port, path, stored):
    """The newest version that was acknowledged is there, or a newer one, as it was sent."""
    status, body = call(port, "GET", path)
    if status != 200:
        return f"{path}: status {status}"
    found = json.loads(body)
    newest = max(version for version, _ in stored)
    if found["version"] < newest:
        return f"{path}: version {found['version']}, acknowledged was {newest}"
    for version, definition in stored:
        if version == found["version"] and found["definition"] != definition:
            return f"{path}: version {version} is another text"
    return None


def post_artifact(port, name, count):
    """Stores a text, named by its own hash."""
    text = f"{name}/{count} " * (700 + count % 50)
    status, body = call(port, "POST", "/artifacts", {"text": text, "threshold": 1})
    if status != 201:
        return None
    return f"/artifacts/{json.loads(body)['id']}", 1, hashlib.sha256(text.encode()).hexdigest()


def check_artifact(port, path, stored):
    status, body = call(port, "GET", path)
    if status != 200:
        return f"{path}: status {status}"
    if hashlib.sha256(body).hexdigest() != stored[0][1]:
        return f"{path}: another text"
    return None


def put_memory(port, name, count):
    """Stores another value under one of a few keys; it is to be found at that version."""
    key = f"{name}-{count % 3}"
    status, body = call(port, "PUT", f"/memory/{key}", {"value": {"count": count}})
    if status not in (200, 201):
        return None
    return f"/memory/{key}", json.loads(body)["version"], {"count": count}


def check_memory(port, path, stored):
    status, body = call(port, "GET", path)
    if status != 200:
        return f"{path}: status {status}"
    found = json.loads(body)
    newest = max(version for version, _ in stored)
    if found["version"] < newest:
        return f"{path}: version {found['version']}, acknowledged was {newest}"
    for version, value in stored:
        if version == found["version"] and found["value"] != value:
            return f"{path}: version {version} is another value"
    return None


def post_compile(port, name, count):
    """Compiles, with a record in full; it is there, and compiles again to the same payload."""
    messages = [{"role": "user", "content": f"{name}/{count} " * 50}]
    body = {"messages": messages, "target": "openai", "record": "full"}
    status, body = call(port, "POST", "/compile", body)
    if status != 200:
        return None
    answer = json.loads(body)
    return f"/compilations/{answer['id']}", 1, answer["payload"]


def check_compilation(port, path, stored):
    status, body = call(port, "POST", f"{path}/replay", {})
    if status != 200:
        return f"{path}: status {status}"
    answer = json.loads(body)
    if answer["status"] != "equal" or answer["payload"] != stored[0][1]:
        return f"{path}: compiles to something else"
    return None


def take_turn(port, name, count):
    """Appends a message to one of a few sessions; the session holds that many from then on."""
    path, text = f"/sessions/{name}-{count % 3}", f"{name}/{count}"
    append = {"append": [{"role": "user", "content": text}]}
    status, _ = call(port, "POST", f"{path}/turns", append)
    if status != 200:
        return None
    return path, count // 3 + 1, text


def check_turns(port, path, stored):
    """Every message that was acknowledged is there, in its place."""
    status, body = call(port, "POST", f"{path}/snapshots", {})
    if status != 201:
        return f"{path}: status {status}"
    status, body = call(port, "GET", f"/snapshots/{json.loads(body)['id']}")
    if status != 200:
        return f"{path}: no snapshot, status {status}"
    found = [message["content"] for message in json.loads(body)["messages"]]
    for place, text in stored:
        if found[place - 1 : place] != [text]:
            return f"{path}: message {place} is not what was acknowledged"
    return None


def rewrite_expired(port, name, count):
    """Lets an entry expire, and writes its key again while a compile may be removing it."""
    session, key = f"{name}-{count % 3}", f"plan-{count}"
    path, scope = f"/memory/{key}?session_id={session}", {"session_id": session}
    call(port, "PUT", path, {"value": "old", "ttl": {"turns": 1}})
    compile_ = {"messages": [{"role": "user", "content": "x"}], "session_id": session,
                "memory": {"scope": scope}}
    call(port, "POST", "/compile", compile_)
    racing = threading.Thread(target=quietly, args=(port, "POST", "/compile", compile_))
    racing.start()
    value = {"count": count}
    status, body = call(port, "PUT", path, {"value": value, "ttl": None})
    racing.join()
    return (path, json.loads(body)["version"], value) if status in (200, 201) else None


def remember_in_turn(port, name, count):
    """A model remembers something beyond its session, in a turn; the session is then deleted."""
    session, key = f"{name}-{count % 3}", f"{name}-model-{count % 5}"
    arguments = json.dumps({"key": key, "value": f"{count}"})
    append = [
        {"role": "user", "content": "x"},
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": f"c{count}", "type": "function",
             "function": {"name": "create_memory", "arguments": arguments}}]},
    ]
    body = {"append": append, "memory": {"scope": {"subject": name}}}
    status, _ = call(port, "POST", f"/sessions/{session}/turns", body)
    if status != 200:
        return None
    call(port, "DELETE", f"/sessions/{session}")
    return f"/memory/{key}?subject={name}", count // 5 + 1, f"{count}"


def promote_captured(port, name, count):
    """A model's entry is promoted."""
    key = f"{name}-promoted-{count}"
    arguments = json.dumps({"key": key, "value": "v"})
    calls = [{"id": "c", "type": "function",
              "function": {"name": "create_memory", "arguments": arguments}}]
    call(port, "POST", "/tools/calls", {"calls": calls, "scope": {}})
    status, body = call(port, "POST", f"/memory/{key}/promote", {})
    return (f"/memory/{key}", json.loads(body)["version"], "v") if status == 200 else None


def check_promoted(port, path, stored):
    status, body = call(port, "GET", path)
    if status != 200 or json.loads(body)["status"] != "promoted":
        return f"{path}: is not promoted (status {status})"
    return check_memory(port, path, stored)


def quietly(*arguments):
    """A call whose outcome does not matter."""
    try:
        call(*arguments)
    except (OSError, http.client.HTTPException):
        pass


# A way to write, and how what it wrote is checked: one line each.
WRITES = [
    (put_adapter, check_adapter),
    (post_artifact, check_artifact),
    (put_memory, check_memory),
    (post_compile, check_compilation),
    (take_turn, check_turns),
    (rewrite_expired, check_memory),
    (remember_in_turn, check_memory),
    (promote_captured, check_promoted),
]


class Server:
    """A server on a free port; knows how long it took to be ready."""

    def __init__(self, binary, database):
        start = time.monotonic()
        environment = {"CONTEXTURE_DATABASE_URL": f"sqlite:{database}"}
        self.process = subprocess.Popen(
            [binary, "serve", "--listen", "127.0.0.1:0"],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        line = self.process.stdout.readline().decode()
        found = re.search(r":(\d+)\s*$", line)
        if not found:
            sys.exit(f"the server does not start: {line!r}")
        self.port = int(found.group(1))
        while call(self.port, "GET", "/readyz")[0] != 200:
            time.sleep(0.005)
        self.took = time.monotonic() - start

    def end(self, how):
        self.process.send_signal(how)
        self.process.wait()
        self.process.stdout.close()


def write_until_it_ends(port, round_, writer, acknowledged):
    write, check = WRITES[writer % len(WRITES)]
    for count in range(1_000_000):
        try:
            done = write(port, f"w{round_}-{writer}", count)
        except (OSError, http.client.HTTPException):
            return
        if done:
            path, version, value = done
            acknowledged.append((path, check, version, value))


def faults(port, stored):
    return [fault for path, (check, rows) in stored.items() if (fault := check(port, path, rows))]


def integrity(database):
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        return connection.execute("PRAGMA integrity_check").fetchone()[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=None)
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    wrong, stored, writes, slowest = [], {}, 0, 0.0
    with tempfile.TemporaryDirectory() as folder:
        database = os.path.join(folder, "contexture.db")
        for round_ in range(arguments.kills):
            server = Server(arguments.binary, database)
            slowest = max(slowest, server.took)
            acknowledged = []
            writers = [
                threading.Thread(
                    target=write_until_it_ends, args=(server.port, round_, writer, acknowledged)
                )
                for writer in range(max(WRITERS, len(WRITES)))
            ]
            for writer in writers:
                writer.start()
            time.sleep(chance.uniform(0.05, 0.4))
            server.end(signal.SIGKILL)
            for writer in writers:
                writer.join()
            fresh = {}
            for path, check, version, value in acknowledged:
                writes += 1
                fresh.setdefault(path, (check, []))[1].append((version, value))
            stored.update(fresh)
            # What this round wrote, at once; all rounds together at the end.
            server = Server(arguments.binary, database)
            slowest = max(slowest, server.took)
            wrong += faults(server.port, fresh)
            server.end(signal.SIGKILL if chance.random() < 0.5 else signal.SIGTERM)
        server = Server(arguments.binary, database)
        wrong += faults(server.port, stored)
        server.end(signal.SIGTERM)
        found = integrity(database)
        if found != "ok":
            wrong.append(f"integrity check: {found}")
    if slowest > READY_WITHIN:
        wrong.append(f"a start took {slowest:.2f} s")
    for line in wrong:
        print(line)
    print(
        f"{arguments.kills} kills, {writes} acknowledged writes, {len(stored)} things read back, "
        f"slowest start {slowest * 1000:.0f} ms: {len(wrong)} faults"
    )
    return 1 if wrong or not stored else 0


if __name__ == "__main__":
    sys.exit(main())
