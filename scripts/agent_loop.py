#!/usr/bin/env python3
"""Plays recorded conversations against a server, turn by turn, as an agent would, and prices them.

    scripts/agent_loop.py SESSIONS [--program target/release/contexture] [--window 32768]

SESSIONS is a folder of JSON files with `messages` in OpenAI's shape. The recorded assistant messages
and tool results stand in for the model and the tools: each is appended by
`POST /sessions/{id}/turns`, whose answer is what the agent would send next. Memory is on and the
model writes to it every 15 turns; a hook provides text at `before_compile`, another is told of every
change of memory. Each payload is checked: it fits, every call has its result, and what stands before
the last user message changes only where the history was compacted, or where the report says why.

Then they are played again for each of some models (`--models`) and priced next to other ways to treat a
history: `scripts/agent_costs.py`.

Prints figures as tables in Markdown; exits 1 where a check failed.

Python's standard library only.
"""

import argparse
import collections
import http.server
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

import agent_costs
import agent_requests



class Receiver(http.server.BaseHTTPRequestHandler):
    """Provides a text that changes with every turn, and counts what it is told."""

    protocol_version = "HTTP/1.1"
    told = collections.Counter()

    def do_POST(self):
        call = json.loads(self.rfile.read(int(self.headers["content-length"])))
        Receiver.told[call["point"]] += 1
        answer = {}
        if call["point"] == "before_compile":
            turn = call["scope"]["turn"]
            answer = {"content": f"Found for turn {turn}: the deadline is on day {turn % 7}."}
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server:
    def __init__(self, program, folder):
        database = pathlib.Path(folder, "loop.db")
        self.child = subprocess.Popen(
            [program, "serve", "--listen", "127.0.0.1:0", "--dev",
             "--database-url", f"sqlite:{database}"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.url = self.child.stdout.readline().split()[-1]

    def end(self):
        self.child.terminate()
        self.child.wait()

    def call(self, method, path, body=None):
        # Without white space, as in payloads: the schemas of tools are counted as they are written.
        data = None if body is None else json.dumps(body, separators=(",", ":")).encode()
        headers = {"content-type": "application/json", "contexture-deadline-ms": "60000"}
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            sys.exit(f"{method} {path}: {error.code} {error.read().decode()}")


def broken_pairs(messages):
    """Calls without a result and results without a call, as a provider would refuse them."""
    waiting, faults = [], 0
    for message in messages:
        if message["role"] == "tool":
            if message.get("tool_call_id") in waiting:
                waiting.remove(message["tool_call_id"])
            else:
                faults += 1
        else:
            faults += len(waiting)
            waiting = [call["id"] for call in message.get("tool_calls") or []]
    return faults + len(waiting)


def last_user(messages):
    """The index of the last user message, behind which the tail stands."""
    return max((at for at, message in enumerate(messages) if message["role"] == "user"), default=0)


class Play:
    """All sessions, and what came of them."""

    def __init__(self, server, window):
        self.server, self.window = server, window
        # Events up to here are those of sessions that were played.
        self.after = 0
        self.figures = collections.Counter()
        self.whys = collections.Counter()
        self.faults = []

    def fault(self, session, turn, text):
        self.faults.append(f"{session} turn {turn}: {text}")

    def session(self, name, messages):
        counts = self.server.call("POST", "/tokens", {"messages": messages, "model": "gpt-4o"})
        per_message = counts["per_message"]
        options = {"target": "openai", "model": "gpt-4o", "memory": True,
                   "budget": {"context_window": self.window}}
        before, sent, starts, turns = None, 0, [], 0
        for turn, step in enumerate(agent_requests.steps(messages)):
            starts.append(sent)
            sent += len(step)
            append = agent_requests.with_memory(step, turn, name)
            answer = self.server.call(
                "POST", f"/sessions/{name}/turns", {**options, "append": append})
            turns += 1
            self.check(name, turn, before, answer)
            head = sum(1 for message in messages if message["role"] == "system")
            kept = starts[-agent_costs.LAST_TURNS] if len(starts) >= agent_costs.LAST_TURNS else 0
            system = sum(per_message[:head]) if kept >= head else 0
            self.figures["everything"] += sum(per_message[:sent])
            self.figures["last turns"] += system + sum(per_message[kept:sent])
            before = answer
        self.figures["turns"] += turns
        # Its events come after those of the sessions before it.
        done, after = 0, self.after
        while True:
            page = self.server.call(
                "GET", f"/events?format=json&types=compile:done&session_id={name}&after={after}")
            done += len(page["items"])
            after = page["next_after"]
            # A page may be empty while more follow: each looks at so many events of all sessions.
            if not page["has_more"]:
                break
        self.after = after
        if done != turns:
            self.fault(name, turns, f"{done} events of {turns} compiles")

    def check(self, name, turn, before, answer):
        report, messages = answer["report"], answer["payload"]["messages"]
        self.figures["sent"] += report["tokens_after"]
        for result in answer["results"]:
            self.figures["remembered"] += result["decision"] == "allow"
        if not report["fits"]:
            # What may not be touched is larger than the window: said, not hidden.
            if not report["too_big"]:
                self.fault(name, turn, "it does not fit and nothing is named")
            self.figures["too big"] += 1
        elif report["tokens_after"] > report["budget"]:
            self.fault(name, turn, "it is said to fit and does not")
        if broken_pairs(messages):
            self.fault(name, turn, "calls and results do not pair")
        if "<implicit_context>" not in json.dumps(messages[-12:]):
            self.figures["without hook text"] += 1
        if before is None:
            return
        change = report["cache"]["first_change"]
        self.whys[change["why"] if change else "nothing"] += 1
        old = before["payload"]["messages"]
        history = last_user(old)
        same = 0
        while same < min(history, len(messages)) and old[same] == messages[same]:
            same += 1
        texts = [json.dumps(message) for message in messages]
        cached = [text for text, was in zip(texts, map(json.dumps, old)) if text == was]
        self.figures["bytes"] += sum(map(len, texts))
        self.figures["bytes again"] += sum(map(len, cached))
        if same < history:
            why = change["why"] if change else None
            if why in ("compaction", "squeeze"):
                self.figures["compactions"] += 1
            elif why in ("memory_changed", "tools_changed", "skill_changed", "system_changed"):
                self.figures["changes told"] += 1
            else:
                self.fault(name, turn, f"message {same} of the history changed, told as {change}")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("sessions", type=pathlib.Path)
    arguments.add_argument("--program", default="target/release/contexture")
    arguments.add_argument("--window", type=int, default=32768)
    arguments.add_argument("--most", type=int, help="play only so many sessions")
    arguments.add_argument("--step", type=int, default=1, help="play only every so many sessions")
    agent_costs.add_arguments(arguments)
    given = arguments.parse_args()
    files = sorted(given.sessions.glob("*.json"))[:: given.step][: given.most]
    sessions = {f"s{number}": json.loads(file.read_text())["messages"] for number, file in enumerate(files)}
    receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    hook = f"http://127.0.0.1:{receiver.server_port}/"
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as plain_folder:
        servers = [Server(given.program, folder)]
        try:
            hooked = servers[0]
            hooked.call("POST", "/hooks", {
                "id": "rag", "point": "before_compile", "kind": "provide", "url": hook, "max_tokens": 100})
            hooked.call("POST", "/hooks", {
                "id": "audit", "point": "memory_changed", "kind": "observe", "url": hook,
                "delivery": "sync"})
            play = Play(hooked, given.window)
            for name, messages in sessions.items():
                play.session(name, messages)
            faults = summary(play, len(files), given.window, time.monotonic() - start)
            if given.models:
                # Without hooks, all strategies send the same content.
                servers.append(Server(given.program, plain_folder))
                faults += agent_costs.run(agent_costs.Servers(servers[1], hooked), sessions, given)
        finally:
            for server in servers:
                server.end()
    return 1 if faults else 0


def summary(play, sessions, window, seconds):
    """Prints what the checks found; returns the number of faults."""
    figures, everything = play.figures, play.figures["everything"]
    if Receiver.told["before_compile"] < figures["turns"]:
        play.faults.append(f"the hook was asked {Receiver.told['before_compile']} times")
    if Receiver.told["memory_changed"] != figures["remembered"]:
        play.faults.append(
            f"{figures['remembered']} things were remembered, {Receiver.told['memory_changed']} told")

    def share(name):
        return f"{figures[name]:,} | {100 * figures[name] / max(everything, 1):.1f} %"

    print(f"{sessions} sessions, {figures['turns']:,} turns, window {window:,}, {seconds:.0f} s\n")
    print("| Tokens sent | | |\n|---|---:|---:|")
    print(f"| everything, each time | {everything:,} | 100 % |")
    print(f"| the last {agent_costs.LAST_TURNS} turns | {share('last turns')} |")
    print(f"| Contexture | {share('sent')} |\n")
    print(f"payload bytes that stood there before: "
          f"{100 * figures['bytes again'] / max(figures['bytes'], 1):.1f} %")
    print(f"compactions: {figures['compactions']}; other changes of the history, told: "
          f"{figures['changes told']}; payloads that cannot fit: {figures['too big']}; "
          f"things remembered: {figures['remembered']}")
    print("first_change: " + ", ".join(f"{why} {n}" for why, n in play.whys.most_common()))
    print(f"faults: {len(play.faults)}", flush=True)
    for fault in play.faults[:20]:
        print("  " + fault)
    return len(play.faults)


if __name__ == "__main__":
    sys.exit(main())
