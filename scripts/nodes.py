#!/usr/bin/env python3
"""Several nodes on one PostgreSQL: what holds while all is well, and while nodes and database die.

    cargo build --release
    python3 scripts/nodes.py --binary target/release/contexture --nodes 3 --kills 20 --restarts 20

Needs Python and the programs of PostgreSQL, of which it starts a server of its own; as root it runs
that as `postgres`. A line for each thing that must hold; ends with 1 where one does not.
"""

import argparse
import http.client
import json
import os
import random
import signal
import subprocess
import tempfile
import threading
import time

from harness import Cluster, Node, Receiver, Report, Stream, percentile, until

TEXT = "The build of the service failed again, and nobody knows why it did. " * 40


def messages(turns):
    """A conversation that has to be shortened after a few turns."""
    made = [{"role": "system", "content": "You help."}]
    for turn in range(turns):
        made.append({"role": "user", "content": f"Turn {turn}: what happened? {TEXT}"})
        made.append({"role": "assistant", "content": f"In turn {turn} this: {TEXT}"})
    made.append({"role": "user", "content": "And now?"})
    return made


def compiled(node, turns, **more):
    body = {"messages": messages(turns), "target": "openai", "model": "gpt-4o",
            "budget": {"context_window": 6000, "reserve_output": 500}, **more}
    status, answer, _ = node.call("POST", "/compile", body)
    return status, json.dumps(answer.get("payload"), ensure_ascii=False)


def hop(nodes, report):
    same, total = 0, 0
    for session in range(4):
        for turn in range(1, 9):
            node = nodes[(session + turn) % len(nodes)]
            with_session = compiled(node, turn, session_id=f"hop-{session}")
            without = compiled(nodes[0], turn)
            total += 1
            same += with_session == without and with_session[0] == 200
    report.check("sessions hop between nodes, payloads byte for byte as without", same == total,
                 f"{same} of {total}")
    same, total = 0, 0
    for turn in range(1, 8):
        node = nodes[turn % len(nodes)]
        listed = messages(turn)
        # What stands behind what was appended before; the last question is said again each time.
        append = listed if turn == 1 else listed[-3:]
        body = {"append": append, "target": "openai", "model": "gpt-4o",
                "budget": {"context_window": 6000, "reserve_output": 500}}
        status, answer, _ = node.call("POST", "/sessions/turns/turns", body)
        total += 1
        other = nodes[(turn + 1) % len(nodes)]
        kept = other.call("GET", "/sessions/turns")[1]
        same += status == 200 and kept.get("turns") == turn and "payload" in answer
    report.check("turns are appended on any node and seen on the next", same == total,
                 f"{same} of {total}")


def events(nodes, report):
    streams = [Stream(node.port, "types=memory:changed") for node in nodes]
    # A stream begins with what happens from now on: wait until each of them hears something.
    probe = 0
    end = time.monotonic() + 20
    while not all(stream.came for stream in streams) and time.monotonic() < end:
        probe += 1
        nodes[0].call("PUT", f"/memory/probe-{probe}", {"value": probe})
        time.sleep(0.3)
    written = {}
    for count in range(120):
        node = nodes[count % len(nodes)]
        status, _, _ = node.call("PUT", f"/memory/event-{count}", {"value": count})
        if status == 201:
            written[f"event-{count}"] = time.monotonic()
    def complete(stream):
        heard = {event["data"]["key"] for _, event in stream.came.values()}
        return set(written) <= heard
    until(lambda: all(complete(stream) for stream in streams), 10)
    late, faults = [], 0
    for stream in streams:
        heard = [event["data"]["key"] for _, event in stream.came.values()]
        faults += not complete(stream)
        faults += stream.order != sorted(set(stream.order))
        faults += len(heard) != len(set(heard))
        late += [at - written[event["data"]["key"]] for at, event in stream.came.values()
                 if event["data"]["key"] in written]
    p99 = percentile(late, 0.99)
    report.check("every event comes to every node, once and in order", faults == 0)
    report.check("and does so within 300 ms, p99", p99 <= 0.3, f"{p99 * 1000:.0f} ms")


def keys(nodes, binary, file, report):
    status, made, _ = nodes[0].call("POST", "/keys", {"scopes": ["compile"]})
    works = lambda node, key: node.call("GET", "/models", key=key)[0] == 200
    known = until(lambda: all(works(node, made["key"]) for node in nodes), 6)
    report.check("a new key works on every node", status == 201 and known is not None, f"{known} s")
    nodes[0].call("DELETE", f"/keys/{made['id']}")
    dead = until(lambda: not any(works(node, made["key"]) for node in nodes), 10)
    report.check("a revoked key is dead on every node within 5 s", dead is not None and dead <= 5,
                 f"{dead} s")
    before = open(file, encoding="utf-8").read()
    command = [binary, "key", "create", "--scope", "compile", "--keys-file", file]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    known = until(lambda: all(works(node, text) for node in nodes), 10)
    report.check("a key in the keys file works on every node within 5 s",
                 known is not None and known <= 5, f"{known} s")
    with open(file, "w", encoding="utf-8") as out:
        out.write(before)
    dead = until(lambda: not any(works(node, text) for node in nodes), 10)
    report.check("one that was taken out of it is dead within 5 s", dead is not None and dead <= 5,
                 f"{dead} s")


def deliveries(nodes, receiver, report):
    hook = {"id": "audit", "point": "event", "kind": "observe", "url": receiver.url(),
            "match": {"events": ["memory:changed"]}}
    status, body, _ = nodes[0].call("POST", "/hooks", hook)
    report.check("a hook is registered", status == 201, "" if status == 201 else body)
    count = 60
    for number in range(count):
        nodes[number % len(nodes)].call("PUT", f"/memory/told-{number}", {"value": number})
    told = lambda: [(id_, body["input"]["data"]["key"]) for id_, body in list(receiver.heard)
                    if body["input"]["data"]["key"].startswith("told-")]
    until(lambda: len(set(told())) >= count, 30)
    time.sleep(1)
    report.check("each event is delivered once, by whichever node", len(told()) == count == len(set(told())),
                 f"{len(told())} calls of {count}")


def owns(node, ports):
    """Whether one of these ports of this machine is a connection of a node."""
    wanted = {f"{port:04X}" for port in ports}
    with open(f"/proc/{node.process.pid}/net/tcp", encoding="ascii") as file:
        rows = [line.split() for line in file][1:]
    inodes = {f"socket:[{row[9]}]" for row in rows if row[1].split(":")[1] in wanted}
    folder = f"/proc/{node.process.pid}/fd"
    for name in os.listdir(folder):
        try:
            if os.readlink(f"{folder}/{name}") in inodes:
                return True
        except OSError:
            pass
    return False


def stale(nodes, receiver, report):
    """A node that stands still while it delivers loses its lease, and its result counts for nothing."""
    with receiver.lock:
        receiver.heard.clear()
        receiver.callers.clear()
    receiver.open.clear()
    nodes[0].call("PUT", "/memory/stale", {"value": 1})
    until(lambda: len(receiver.heard) >= 1, 20)
    holder = next((node for node in nodes if owns(node, receiver.callers[:1])), None)
    if holder is None:
        receiver.open.set()
        report.check("the node that delivers is known", False)
        return
    others = [node for node in nodes if node is not holder]
    holder.tell(signal.SIGSTOP)
    # The one that stands still is answered; the others are not asked yet.
    receiver.open.set()
    again = until(lambda: len(receiver.heard) >= 2, 90)
    report.check("another node delivers when the lease of a stopped one is over", again is not None,
                 f"{again and round(again)} s")
    state = lambda node: node.call("GET", "/hooks/audit/deliveries?limit=1")[1]["items"][0]
    until(lambda: state(others[0])["state"] == "delivered", 20)
    before = state(others[0])
    holder.tell(signal.SIGCONT)
    until(lambda: holder.call("GET", "/readyz")[0] == 200, 20)
    time.sleep(3)
    after = state(others[0])
    report.check("what the stopped one has to say then is refused",
                 before["state"] == "delivered" and after == before, f"{len(after['attempts'])} attempts")
    ids = {id_ for id_, _ in receiver.heard}
    report.check("both calls had one id", len(ids) == 1 and len(receiver.heard) == 2,
                 f"{len(receiver.heard)} calls")


class Writer(threading.Thread):
    """Writes to any node, and notes what was acknowledged."""

    def __init__(self, nodes, name, stop):
        super().__init__(daemon=True)
        self.nodes, self.name_, self.stop = nodes, name, stop
        self.stored, self.refused = {}, 0
        self.start()

    def run(self):
        count = 0
        while not self.stop.is_set():
            count += 1
            node = random.choice(self.nodes)
            path = f"/memory/{self.name_}-{count % 40}"
            try:
                status, body, _ = node.call("PUT", path, {"value": count}, timeout=15)
            except (OSError, http.client.HTTPException):
                self.refused += 1
                continue
            if status in (200, 201):
                self.stored[path] = (body["version"], count)
            else:
                self.refused += 1
                time.sleep(0.02)


def torment(nodes, cluster, kills, restarts, report):
    stop = threading.Event()
    writers = [Writer(nodes, f"w{number}", stop) for number in range(4)]
    plan = ["kill"] * kills + ["restart"] * restarts
    random.shuffle(plan)
    slowest = 0.0
    for what in plan:
        time.sleep(random.uniform(0.05, 0.6))
        if what == "kill":
            node = random.choice(nodes)
            node.end(signal.SIGKILL)
            node.start()
        else:
            cluster.stop("immediate")
            cluster.start()
            took = until(lambda: all(
                node.call("PUT", "/memory/back", {"value": 1})[0] in (200, 201) for node in nodes), 30)
            slowest = max(slowest, took if took is not None else 99.0)
    stop.set()
    for writer in writers:
        writer.join(30)
    stored = {path: told for writer in writers for path, told in writer.stored.items()}
    lost = 0
    for path, (version, value) in stored.items():
        for node in nodes:
            status, found, _ = node.call("GET", path)
            newer = status == 200 and found["version"] > version
            lost += not (newer or (status == 200 and found["value"] == value))
    acknowledged = sum(version for version, _ in stored.values())
    report.check(f"{kills} nodes killed, {restarts} restarts of PostgreSQL: no write is lost", lost == 0,
                 f"{acknowledged} writes of {len(stored)} entries, {lost} lost")
    if restarts:
        report.check("every node writes again within 5 s", slowest <= 5, f"{slowest:.1f} s")
    seqs, after = [], 0
    while True:
        page = nodes[-1].call("GET", f"/events?format=json&limit=1000&after={after}")[1]
        seqs += [event["seq"] for event in page["items"]]
        after = page["next_after"]
        if not page["has_more"]:
            break
    report.check("events have no gap", seqs == list(range(1, len(seqs) + 1)), f"{len(seqs)} events")


def outage(nodes, cluster, seconds, how, report):
    """The database is gone, or hangs: what needs no store goes on."""
    for node in nodes:
        until(lambda: compiled(node, 1)[0] == 200, 10)
    resume = cluster.freeze() if how == "hangs" else None
    if resume is None:
        cluster.stop("immediate")
    answered, failed, slow, statuses = 0, 0, [], {}
    end = time.monotonic() + seconds
    count = 0
    while time.monotonic() < end:
        count += 1
        node = nodes[count % len(nodes)]
        body = {"messages": messages(count % 5), "target": "openai"}
        start = time.monotonic()
        try:
            status = node.call("POST", "/compile", body)[0]
        except (OSError, http.client.HTTPException) as error:
            status = type(error).__name__
        slow.append(time.monotonic() - start)
        statuses[status] = statuses.get(status, 0) + 1
        answered, failed = answered + (status == 200), failed + (status != 200)
        if count % 10 == 0 and how != "hangs":
            status = node.call("PUT", "/memory/away", {"value": 1})[0]
            report.check("what needs the store says so", status == 503, status) if count == 10 else None
    alive = [node.call("GET", "/healthz")[0] for node in nodes]
    if resume:
        resume()
    else:
        cluster.start()
    back = until(lambda: all(
        node.call("PUT", "/memory/back", {"value": 1})[0] in (200, 201) for node in nodes), 60)
    report.check(f"the database {how} for {seconds} s: compiles without a store go on", failed == 0,
                 f"{answered} answered, {failed} not {statuses}, p99 {percentile(slow, 0.99):.2f} s")
    report.check("health is answered meanwhile", set(alive) == {200})
    report.check("and all works again within 5 s", back is not None and back <= 5, f"{back} s")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--restarts", type=int, default=5)
    parser.add_argument("--outage", type=int, default=10, metavar="SECONDS")
    parser.add_argument("--only", action="append", metavar="PART")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    args = parser.parse_args()
    random.seed(args.seed)
    print(f"seed {args.seed}")
    report, receiver, cluster = Report(), Receiver(), Cluster()
    nodes = []
    with tempfile.TemporaryDirectory() as folder:
        master, file = os.path.join(folder, "master"), os.path.join(folder, "keys.json")
        with open(master, "w", encoding="ascii") as out:
            out.write(os.urandom(32).hex())
        binary = os.path.abspath(args.binary)
        first = [binary, "key", "create", "--scope", "compile", "--keys-file", file]
        subprocess.run(first, check=True, capture_output=True)
        environment = {"CONTEXTURE_MASTER_KEY_FILE": master, "CONTEXTURE_KEYS_FILE": file,
                       "CONTEXTURE_DEV": "true"}
        parts = {
            "hop": lambda: hop(nodes, report),
            "events": lambda: events(nodes, report),
            "keys": lambda: keys(nodes, binary, file, report),
            "deliveries": lambda: (deliveries(nodes, receiver, report), stale(nodes, receiver, report)),
            "torment": lambda: torment(nodes, cluster, args.kills, args.restarts, report),
            "gone": lambda: outage(nodes, cluster, args.outage, "is gone", report),
            "hangs": lambda: outage(nodes, cluster, args.outage, "hangs", report),
        }
        try:
            nodes += [Node(binary, cluster.url, environment=environment) for _ in range(args.nodes)]
            for name, part in parts.items():
                if not args.only or name in args.only:
                    part()
            codes = [node.end() for node in nodes]
            report.check("every node stops when it is told to", set(codes) == {0}, codes)
        finally:
            receiver.open.set()
            for node in nodes:
                if node.process.poll() is None:
                    node.process.kill()
            cluster.remove()
    report.end()


if __name__ == "__main__":
    main()
