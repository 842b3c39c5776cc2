#!/usr/bin/env python3
"""Compiles race over entries that expire, while their keys are written again.

    cargo build --release
    python3 scripts/expiry_race.py --binary target/release/contexture --rounds 1000

Needs nothing but Python. In each round a session has entries that have expired, and many compiles of
the session start at once. Keys of some entries are written again at the same time, with PUT, with
`POST /memory` and by a model. Afterwards each acknowledged write is there, and the events tell of each
expiry exactly once. Ends with 1 if something is wrong. With --url, the store is PostgreSQL.
"""

import argparse
import collections
import concurrent.futures
import json
import sys
import tempfile
import urllib.parse

import harness

COMPILES = 24
ENTRIES = 6


def path_of(session, key):
    return f"/memory/{key}?session_id={urllib.parse.quote(session)}"


def put(port, session, key):
    status, _, _ = harness.call(port, "PUT", path_of(session, key), {"value": "new", "ttl": None})
    return status in (200, 201)


def store(port, session, key):
    body = {"action": "add", "key": key, "content": "new", "scope": {"session_id": session}}
    status, _, _ = harness.call(port, "POST", "/memory", body)
    # An entry that another writer or no compile has removed yet is a conflict: nothing is promised.
    return status == 201


def remember(port, session, key):
    arguments = json.dumps({"key": key, "value": "new"})
    call = {"id": "c", "type": "function",
            "function": {"name": "create_memory", "arguments": arguments}}
    status, answer, _ = harness.call(
        port, "POST", "/tools/calls", {"calls": [call], "session_id": session}
    )
    text = answer["results"][0]["message"]["content"] if status == 200 else ""
    return text.startswith(("Remembered", "Changed"))


WRITERS = [put, store, remember]


def run_round(port, pool, round_):
    """One round; returns the keys that were written again and acknowledged."""
    session = f"s{round_}"
    for entry in range(ENTRIES):
        body = {"value": "old", "ttl": {"turns": 1}}
        harness.call(port, "PUT", path_of(session, f"k{entry}"), body)
    compile_ = {"messages": [{"role": "user", "content": "x"}], "session_id": session,
                "memory": True, "record": "none"}
    harness.call(port, "POST", "/compile", compile_)
    compiles = [
        pool.submit(harness.call, port, "POST", "/compile", compile_) for _ in range(COMPILES)
    ]
    writes = {
        f"k{at}": pool.submit(write, port, session, f"k{at}") for at, write in enumerate(WRITERS)
    }
    failed = [answer.result()[0] for answer in compiles if answer.result()[0] != 200]
    if failed:
        sys.exit(f"a compile failed: {failed}")
    return session, [key for key, write in writes.items() if write.result()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--url", help="a PostgreSQL database")
    arguments = parser.parse_args()
    wrong, written = [], 0
    with tempfile.TemporaryDirectory() as folder:
        node = harness.Node(arguments.binary, arguments.url or f"sqlite:{folder}/contexture.db")
        port = node.port
        after = 0
        with concurrent.futures.ThreadPoolExecutor(COMPILES + len(WRITERS)) as pool:
            for round_ in range(arguments.rounds):
                session, acknowledged = run_round(port, pool, round_)
                written += len(acknowledged)
                for key in acknowledged:
                    status, entry, _ = harness.call(port, "GET", path_of(session, key))
                    if status != 200 or entry["value"] != "new":
                        wrong.append(f"{session}/{key}: an acknowledged write is gone ({status})")
                told, after = events(port, session, after)
                for entry in range(ENTRIES):
                    count = told[f"k{entry}"]
                    if count != 1:
                        wrong.append(f"{session}/k{entry}: its expiry was told {count} times")
                harness.call(port, "DELETE", f"/sessions/{session}")
        node.end()
    for line in wrong[:20]:
        print(line)
    print(
        f"{arguments.rounds} rounds of {COMPILES} compiles and {ENTRIES} expired entries, "
        f"{written} acknowledged writes: {len(wrong)} faults"
    )
    return 1 if wrong or not written else 0


def events(port, session, after):
    """How often each key of a session expired, by the events after a number; and the last number."""
    told = collections.Counter()
    while True:
        path = f"/events?format=json&limit=1000&after={after}"
        _, page, _ = harness.call(port, "GET", path)
        for event in page["items"]:
            after = event["seq"]
            if event["type"] == "memory:expired" and event["session_id"] == session:
                told[event["data"]["key"]] += 1
        if len(page["items"]) < 1000:
            return told, after


if __name__ == "__main__":
    sys.exit(main())
