#!/usr/bin/env python3
"""Cuts the stream of events at random bytes and resumes it, while things happen.

    cargo build --release
    python3 scripts/cut_streams.py --binary target/release/contexture --cuts 1000

Needs nothing but Python. A writer changes memory all the while. The reader takes a random number of
bytes from `GET /events`, drops the connection wherever that is, and comes back with `Last-Event-ID` of
the last event that came whole. In the end it must have had every number once, in order, each event the
same as in the pages of `GET /events?format=json`. Ends with 1 where it has not.
"""

import argparse
import http.client
import json
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time


class Writer(threading.Thread):
    """Changes memory until it is told to stop."""

    def __init__(self, address):
        super().__init__(daemon=True)
        self.address, self.stopped, self.written = address, threading.Event(), 0

    def run(self):
        connection = http.client.HTTPConnection(*self.address)
        while not self.stopped.is_set():
            body = json.dumps({"value": f"value {self.written}"})
            connection.request("PUT", f"/memory/key_{self.written % 50}", body,
                               {"content-type": "application/json"})
            answer = connection.getresponse()
            answer.read()
            assert answer.status in (200, 201), answer.status
            self.written += 1


class Chunked:
    """What a chunked answer's bytes come to, however they are cut."""

    def __init__(self):
        self.buffer, self.head_done, self.left = b"", False, 0

    def feed(self, data):
        self.buffer += data
        out = b""
        while True:
            if not self.head_done:
                head, found, rest = self.buffer.partition(b"\r\n\r\n")
                if not found:
                    return out
                assert b" 200 " in head.split(b"\r\n")[0], head
                self.buffer, self.head_done = rest, True
            if self.left == 0:
                size, found, rest = self.buffer.partition(b"\r\n")
                if not found:
                    return out
                # Behind the bytes of a chunk stands a line end.
                self.left, self.buffer = int(size, 16) + 2, rest
            part = self.buffer[:self.left]
            self.left -= len(part)
            self.buffer = self.buffer[len(part):]
            out += part if self.left else part[:-2] if len(part) > 1 else b""
            if self.left == 1:
                out = out[:-1]
            if not self.buffer:
                return out


def events(text):
    """The whole events of a stream's text."""
    blocks = text.split("\n\n")
    for block in blocks[:-1]:
        fields = dict(line.split(": ", 1) for line in block.split("\n")
                      if line and not line.startswith(":") and ": " in line)
        if "id" in fields:
            yield int(fields["id"]), fields["event"], json.loads(fields["data"])


def read_some(address, last, most):
    """Resumes behind `last`, and drops the connection after `most` bytes."""
    with socket.create_connection(address, timeout=20) as link:
        link.sendall(f"GET /events HTTP/1.1\r\nhost: localhost\r\nlast-event-id: {last}\r\n\r\n"
                     .encode())
        decoder, text, taken = Chunked(), b"", 0
        while taken < most:
            data = link.recv(min(most - taken, 4096))
            if not data:
                break
            taken += len(data)
            text += decoder.feed(data)
    return list(events(text.decode(errors="ignore")))


def pages(address, upto):
    connection, after, found = http.client.HTTPConnection(*address), 0, {}
    while after < upto:
        connection.request("GET", f"/events?format=json&limit=1000&after={after}")
        page = json.load(connection.getresponse())
        for item in page["items"]:
            found[item["seq"]] = item
        if not page["items"]:
            break
        after = page["items"][-1]["seq"]
    return found


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--binary", required=True)
    arguments.add_argument("--cuts", type=int, default=1000)
    arguments.add_argument("--seed", type=int, default=1)
    given = arguments.parse_args()
    random.seed(given.seed)
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen(
            [given.binary, "serve", "--listen", "127.0.0.1:0",
             "--database-url", f"sqlite:{folder}/cut.db"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            host, port = server.stdout.readline().split("http://")[1].strip().rsplit(":", 1)
            address = (host, int(port))
            writer = Writer(address)
            writer.start()
            heard, last, start = [], 0, time.monotonic()
            for _ in range(given.cuts):
                for seq, kind, event in read_some(address, last, random.randint(1, 3000)):
                    heard.append((seq, kind, event))
                    last = seq
            writer.stopped.set()
            writer.join()
            stored = pages(address, last)
        finally:
            server.kill()
            server.wait()
    numbers = [seq for seq, _, _ in heard]
    faults = []
    if numbers != list(range(1, len(numbers) + 1)):
        faults.append("numbers are missing, came twice or out of order")
    faults += [f"event {seq} differs from its page" for seq, kind, event in heard
               if stored.get(seq) != event or event["type"] != kind]
    print(f"{given.cuts} cuts in {time.monotonic() - start:.0f} s, {writer.written} writes, "
          f"{len(heard)} events heard, {len(faults)} faults")
    for fault in faults[:10]:
        print("  " + fault)
    return 1 if faults or not heard else 0


if __name__ == "__main__":
    sys.exit(main())
