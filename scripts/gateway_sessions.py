#!/usr/bin/env python3
"""Replays recorded sessions through the gateway, turn by turn, against a provider that this script is.

    python3 scripts/gateway_sessions.py target/release/contexture SESSIONS [--turns 50]
    python3 scripts/gateway_sessions.py target/release/contexture SESSIONS --mode fit --budget 16000

SESSIONS is a folder of `{"messages": [...]}` in the shape of Chat Completions. Each request of an agent is sent as
the agent sent it: all messages so far. Prints how many bytes before the newest messages differ from those of the
request before (must be 0, but for the requests of mode `fit` that pass a compaction point), what was saved, what that is in
money where a provider reads an unchanged beginning for a tenth of the price and writes the rest for 1.25 of it, and how
long a request takes more than a direct one. Ends with 1 if a byte changed in another mode. Needs nothing but Python.
"""

import argparse
import glob
import http.client
import http.server
import json
import os
import subprocess
import sys
import threading
import time


class Provider(http.server.BaseHTTPRequestHandler):
    """Keeps the body of the newest request."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    last = b""

    def do_POST(self):
        Provider.last = self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):
        pass


def requests(messages, most):
    """The lengths of the lists that the agent sent: up to each message of the model."""
    ends = [at for at, message in enumerate(messages) if at and message["role"] == "assistant"]
    ends.append(len(messages))
    return ends[:most]


def post(connection, body, headers):
    start = time.perf_counter()
    connection.request("POST", "/v1/chat/completions", body, {"content-type": "application/json", **headers})
    answer = connection.getresponse()
    answer.read()
    took = (time.perf_counter() - start) * 1000
    if answer.status != 200:
        raise SystemExit(f"status {answer.status}")
    return took, answer.headers


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * share))] if values else 0.0


def cost(before, now):
    """Bytes at the price of input: what is as before is read from the cache, the rest is written to it."""
    same = 0
    for old, new in zip(before, now):
        if old != new:
            break
        same += len(new)
    return 0.1 * same + 1.25 * (sum(map(len, now)) - same)


def replay(session, most, direct, gateway, figures):
    messages = session["messages"]
    before, came_before = [], []
    for end in requests(messages, most):
        body = json.dumps({"model": "gpt-4o", "messages": messages[:end]}).encode()
        plain, _ = post(direct, body, {})
        took, headers = post(gateway, body, {})
        sent = Provider.last
        figures["added"].append(took - plain)
        figures["came"] += len(body)
        figures["sent"] += len(sent)
        figures["saved"] += int(headers.get("x-contexture-saved-tokens", 0))
        if reason := headers.get("x-contexture-skipped"):
            figures["skipped"][reason] = figures["skipped"].get(reason, 0) + 1
        now = [json.dumps(message) for message in json.loads(sent)["messages"]]
        changed = sum(len(old) for old, new in zip(before, now) if old != new)
        figures["changed"] += changed
        figures["points"] += changed > 0
        came = [json.dumps(message) for message in messages[:end]]
        figures["cost_came"] += cost(came_before, came)
        figures["cost_sent"] += cost(before, now)
        before, came_before = now, came
        figures["requests"] += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("sessions")
    parser.add_argument("--turns", type=int, default=10**9, help="requests of each session at most")
    parser.add_argument("--mode", default="compress")
    parser.add_argument("--deadline-ms", type=int, default=2000, help="more on a busy machine")
    parser.add_argument("--budget", type=int, help="tokens of a request in mode `fit`")
    parser.add_argument("--every", type=int, default=1, help="each how many of the sessions")
    given = parser.parse_args()
    provider = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    threading.Thread(target=provider.serve_forever, daemon=True).start()
    command = [given.program, "serve", "--listen", "127.0.0.1:0", "--database-url", "memory:", "--log-level", "error"]
    flags = [f"--upstream=openai=http://127.0.0.1:{provider.server_port}", f"--gateway-mode={given.mode}",
             f"--gateway-deadline-ms={given.deadline_ms}"]
    if given.budget:
        flags.append(f"--gateway-budget={given.budget}")
    server = subprocess.Popen([*command, *flags], stdout=subprocess.PIPE, text=True)
    figures = {"added": [], "came": 0, "sent": 0, "saved": 0, "changed": 0, "points": 0, "requests": 0,
               "cost_came": 0.0, "cost_sent": 0.0, "skipped": {}}
    try:
        address = server.stdout.readline().strip().removeprefix("listening on http://")
        direct = http.client.HTTPConnection("127.0.0.1", provider.server_port)
        gateway = http.client.HTTPConnection(address)
        for path in sorted(glob.glob(os.path.join(given.sessions, "*.json")))[::given.every]:
            with open(path, encoding="utf-8") as file:
                replay(json.load(file), given.turns, direct, gateway, figures)
    finally:
        server.terminate()
        server.wait()
    share = 100 - 100 * figures["sent"] / max(figures["came"], 1)
    print(f"{figures['requests']} requests, {figures['changed']} bytes changed before the newest messages, "
          f"by {figures['points']} of them")
    print(f"{figures['came']} -> {figures['sent']} bytes ({share:.1f} % less), {figures['saved']} tokens saved")
    share = 100 - 100 * figures["cost_sent"] / max(figures["cost_came"], 1)
    print(f"money: {share:.1f} % less than the relay")
    print(f"skipped: {figures['skipped'] or 'nothing'}")
    added = figures["added"]
    print(f"added: p50 {percentile(added, 0.5):.2f} ms, p99 {percentile(added, 0.99):.2f} ms")
    return 1 if figures["changed"] and given.mode != "fit" else 0


if __name__ == "__main__":
    sys.exit(main())
