#!/usr/bin/env python3
"""Kills the server while its queue is full, and looks whether a receiver misses anything.

    cargo build --release
    python3 scripts/kill_deliveries.py --binary target/release/contexture --kills 100

Needs nothing but Python. A receiver of its own hears of every change of memory. In each round entries
are stored, and after a random while the server gets SIGKILL. In the end every event that the server
has must have been heard, each body the same whenever it came again, the first time of each in the
order of the events, and no more came twice than were under way when the server was killed. Ends with 1
where something is wrong.
"""

import argparse
import http.client
import http.server
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

UNDER_WAY = 8


class Receiver(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.lock = threading.Lock()
        self.heard = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}/"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        with self.server.lock:
            self.server.heard.append((self.headers["webhook-id"], json.loads(body)["input"]))
        try:
            self.send_response(204)
            self.send_header("content-length", "0")
            self.end_headers()
        except OSError:
            pass

    def log_message(self, *_):
        pass


def call(port, method, path, body=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        text = json.dumps(body) if body is not None else None
        connection.request(method, path, text, {"content-type": "application/json"})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read() or b"null")
    finally:
        connection.close()


class Server:
    def __init__(self, binary, folder):
        environment = {
            "CONTEXTURE_DATABASE_URL": f"sqlite:{folder}/contexture.db",
            "CONTEXTURE_MASTER_KEY_FILE": f"{folder}/keys",
            "CONTEXTURE_DEV": "true",
        }
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

    def end(self, how):
        self.process.send_signal(how)
        self.process.wait()
        self.process.stdout.close()


def write(port, round_, stored):
    for count in range(1_000_000):
        path = f"/memory/r{round_}-{count % 7}"
        try:
            status, _ = call(port, "PUT", path, {"value": f"{round_}/{count}"})
        except (OSError, http.client.HTTPException, ValueError):
            return
        if status in (200, 201):
            stored.append(path)


def events(port):
    found, after = {}, 0
    while True:
        query = f"/events?format=json&types=memory:changed&limit=1000&after={after}"
        _, page = call(port, "GET", query)
        for event in page["items"]:
            found[event["seq"]] = event
        after = page["next_after"]
        if not page["has_more"]:
            return found


def settled(port):
    """Waits until nothing is queued; what a dead server had claimed is free after forty seconds."""
    end = time.monotonic() + 180
    while time.monotonic() < end:
        queued = call(port, "GET", "/hooks/audit/deliveries?state=queued&limit=1")[1]["items"]
        if not queued:
            return True
        time.sleep(0.2)
    return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    args = parser.parse_args()
    random.seed(args.seed)
    receiver, stored, faults = Receiver(), [], []
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "keys"), "w", encoding="ascii") as file:
            file.write(os.urandom(32).hex())
        server = Server(args.binary, folder)
        hook = {"id": "audit", "point": "event", "kind": "observe", "url": receiver.url(),
                "match": {"events": ["memory:changed"]}}
        status, body = call(server.port, "POST", "/hooks", hook)
        if status != 201:
            sys.exit(f"the hook is not registered: {status} {body}")
        for round_ in range(args.kills):
            writer = threading.Thread(target=write, args=(server.port, round_, stored))
            writer.start()
            time.sleep(random.uniform(0.02, 0.4))
            server.end(signal.SIGKILL)
            writer.join()
            server = Server(args.binary, folder)
        if not settled(server.port):
            faults.append("calls are still queued after three minutes")
        known = events(server.port)
        # The hook's place in the feed moves in the transaction that queues, a moment behind.
        end = time.monotonic() + 60
        while len({heard["seq"] for _, heard in receiver.heard}) < len(known):
            if time.monotonic() > end:
                break
            time.sleep(0.2)
        server.end(signal.SIGTERM)

    first, bodies, order = {}, {}, []
    for id_, heard in receiver.heard:
        seq = heard["seq"]
        if seq not in first:
            first[seq] = id_
            order.append(seq)
        elif first[seq] != id_:
            faults.append(f"event {seq} came under two ids")
        if bodies.setdefault(seq, heard) != heard:
            faults.append(f"event {seq} came with two contents")
    lost = sorted(set(known) - set(first))
    if lost:
        faults.append(f"{len(lost)} of {len(known)} events were not heard: {lost[:5]}")
    if len(known) < len(stored):
        faults.append(f"{len(stored)} writes were acknowledged, {len(known)} events are known")
    if order != sorted(order):
        faults.append("events were heard in another order")
    twice = len(receiver.heard) - len(first)
    if twice > UNDER_WAY * args.kills:
        faults.append(f"{twice} came twice, of {args.kills} kills")
    print(f"seed {args.seed}: {args.kills} kills, {len(stored)} writes acknowledged, "
          f"{len(known)} events, {len(first)} heard, {twice} twice")
    for fault in faults:
        print(fault)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
