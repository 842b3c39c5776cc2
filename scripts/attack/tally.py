"""What each class of `scripts/attack.sh` shares: a count of its cases, servers with throw-away
databases, and requests as raw bytes.

A class is a file with a function `run(tally)`, and ends with `tally.main(run)`. It prints a line for each
case that did not hold, and at the end one line of JSON for the table. Needs nothing but Python.
"""

import argparse
import contextlib
import http.client
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from harness import BOOTSTRAP, Node, call, until  # noqa: E402

MIB = 1 << 20
# What a body may be answered with, and how far it may raise the memory of the process.
ANSWER_TIMES, ANSWER_MIB = 8, 64
MEMORY_TIMES, MEMORY_MIB = 24, 128
# How long the server may be at work on a request that was answered, or whose caller has gone.
STOPS_WITHIN_SECONDS = 3.0
MAX_SETTLE_SECONDS = 10.0
# How long health may take while a class is at work. Its p99 is what `scripts/overload.py` measures.
MAX_HEALTH_SECONDS = 2.0


class Tally:
    """Counts cases, and keeps the worst of each figure."""

    def __init__(self, binary, quick, verbose=False):
        self.binary, self.quick, self.verbose = binary, quick, verbose
        self.tried, self.failed, self.worst = 0, [], {}
        self.skipped = []
        self.folder = tempfile.mkdtemp(prefix="contexture-attack-")
        self.nodes = []

    def case(self, what, holds, told="", **figures):
        """Counts a case. `figures` are `seconds`, `mib` or another number, of which the worst is shown."""
        self.tried += 1
        for name, value in figures.items():
            if value is not None and value > self.worst.get(name, (-1, ""))[0]:
                self.worst[name] = (value, what)
        if not holds:
            self.failed.append(what)
        if not holds or self.verbose:
            print(f"{'ok  ' if holds else 'FAIL'} {what}: {told}"[:1000], flush=True)
        return holds

    def skip(self, reason):
        """Says that a part of the class, or all of it, cannot run here."""
        self.skipped.append(reason)

    def sample(self, cases, most):
        """All cases; with `--quick` at most so many, the same ones each time."""
        cases = list(cases)
        if not self.quick or len(cases) <= most:
            return cases
        return [cases[at] for at in sorted(random.Random(most).sample(range(len(cases)), most))]

    @contextlib.contextmanager
    def server(self, *arguments, environment=None, key=True, **more):
        """A server on a database of its own. Without `key` callers need none."""
        name = os.path.join(self.folder, f"{len(self.nodes)}.db")
        variables = dict(environment or {})
        if not key:
            variables["CONTEXTURE_BOOTSTRAP_KEY"] = None
        keys = os.path.join(self.folder, "master.keys")
        if not os.path.exists(keys):
            with open(keys, "w", encoding="ascii", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
                file.write(os.urandom(32).hex())
        variables.setdefault("CONTEXTURE_MASTER_KEY_FILE", keys)
        node = Node(self.binary, f"sqlite:{name}", arguments, variables, **more)
        self.nodes.append(node)
        try:
            until(lambda: call(node.port, "GET", "/readyz", key=None)[0] == 200, 20)
            yield node
        finally:
            if node.process.poll() is None:
                node.process.kill()
            node.process.wait()
            node.process.stdout.close()

    def alive(self, node, what):
        """Health after a case: the process must be there and answer in time."""
        start = time.monotonic()
        try:
            status = call(node.port, "GET", "/healthz", key=None, timeout=10)[0]
        except (OSError, http.client.HTTPException) as error:
            status = type(error).__name__
        took = time.monotonic() - start
        holds = status == 200 and took <= MAX_HEALTH_SECONDS
        if not holds:
            self.failed.append(what)
            print(f"FAIL {what}: health afterwards is {status} after {took:.2f} s", flush=True)
        return holds

    def bounded(self, node, what, sent, statuses, ask, seconds=None):
        """Runs a request, and holds its answer, memory and time to what a body of its size may have.

        `ask` answers status and body. `statuses` is a set, or None for anything from 200 to 499.
        """
        before = reset_peak(node)
        start = time.monotonic()
        try:
            status, body = ask()
        except (OSError, http.client.HTTPException) as error:
            status, body = type(error).__name__, b""
        took = time.monotonic() - start
        if node.process.poll() is not None:
            return self.case(what, False, f"the process ended with {node.process.returncode}")
        grown = max(0, node.figure("VmHWM") - before) * 1024
        size = len(body)
        faults = []
        good = status in statuses if statuses else isinstance(status, int) and 200 <= status < 500
        if not good:
            faults.append(f"status {status} {body[:300]!r}")
        if size > ANSWER_TIMES * sent + ANSWER_MIB * MIB:
            faults.append(f"an answer of {size} bytes for {sent}")
        if grown > MEMORY_TIMES * sent + MEMORY_MIB * MIB:
            faults.append(f"{grown >> 20} MiB more for {sent} bytes")
        if seconds and took > seconds:
            faults.append(f"{took:.2f} s")
        told = f"{status} {body[:200]!r}, {took:.2f} s, {grown >> 20} MiB more for {sent} bytes"
        self.case(what, not faults, "; ".join(faults) or told, seconds=took, mib=grown / MIB)
        return self.alive(node, what)

    def settled(self, node, what):
        """Holds the server to stop its work soon after a request is over."""
        after = until(lambda: idle(node), MAX_SETTLE_SECONDS)
        told = MAX_SETTLE_SECONDS if after is None else after
        holds = self.case(what, told <= STOPS_WITHIN_SECONDS, f"at work for {told:.1f} s and more",
                          at_work_after_seconds=round(told, 2))
        if after is None:
            # What comes next would wait behind it.
            node.process.kill()
            node.process.wait()
            node.start()
        return holds

    def result(self, seconds):
        return {
            "tried": self.tried,
            "held": max(0, self.tried - len(set(self.failed))),
            "failed": sorted(set(self.failed)),
            "worst": {name: list(pair) for name, pair in self.worst.items()},
            "skipped": self.skipped,
            "seconds": seconds,
        }


def reset_peak(node):
    """Lets the peak of the resident memory begin again, where the system can; answers it in KiB."""
    try:
        with open(f"/proc/{node.process.pid}/clear_refs", "w", encoding="ascii") as file:
            file.write("5")
    except OSError:
        pass
    return node.figure("VmHWM")


def busy(node):
    """Ticks of the processor that the process has had."""
    with open(f"/proc/{node.process.pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def running(node):
    """Whether a thread of the process runs, or waits for the processor."""
    for task in os.listdir(f"/proc/{node.process.pid}/task"):
        try:
            with open(f"/proc/{node.process.pid}/task/{task}/stat", encoding="ascii") as file:
                if file.read().rsplit(")", 1)[1].split()[0] in "RD":
                    return True
        except OSError:
            # It ended meanwhile.
            pass
    return False


def idle(node):
    """Whether the process has nothing to do. It may be that others have the processor, so its time tells nothing."""
    seen = []
    for _ in range(12):
        seen.append(running(node))
        time.sleep(0.02)
    return sum(seen) <= 2


def body(value):
    return value if isinstance(value, bytes) else json.dumps(value, ensure_ascii=False).encode()


def post(node, path, value, headers=None, timeout=90, key=BOOTSTRAP, method="POST"):
    """Status and body as bytes."""
    connection = http.client.HTTPConnection("127.0.0.1", node.port, timeout=timeout)
    try:
        sent = {"content-type": "application/json", "contexture-deadline-ms": "60000", **(headers or {})}
        if key:
            sent["authorization"] = f"Bearer {key}"
        connection.request(method, path, body(value) if value is not None else None, sent)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def code(read):
    """The code of a problem document."""
    try:
        return json.loads(read).get("code")
    except (ValueError, AttributeError):
        return None


def connect(node, timeout=20, window=None):
    one = socket.socket()
    if window:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
    one.settimeout(timeout)
    one.connect(("127.0.0.1", node.port))
    return one


def exchange(node, sent, timeout=8, finish=False):
    """Sends bytes, and reads until the server closes or nothing comes any more."""
    read = b""
    with connect(node, timeout) as one:
        try:
            one.sendall(sent)
            if finish:
                one.shutdown(socket.SHUT_WR)
        except OSError:
            pass
        try:
            while part := one.recv(65536):
                read += part
        except TimeoutError:
            return read, False
        except OSError:
            pass
    return read, True


def statuses(read):
    """The status of each response in what was read, without those that only a body holds."""
    found = []
    while read.startswith(b"HTTP/1."):
        head, _, rest = read.partition(b"\r\n\r\n")
        found.append(int(head.split()[1]))
        length = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
        read = rest[int(length[0].split(b":")[1]):] if length else b""
    return found


def small(text="hi", **more):
    return {"messages": [{"role": "user", "content": text}], "target": "openai", "record": "none", **more}


def inside_namespaces():
    """Starts this program again in a network and a mount namespace of its own, where every address is
    this machine's. Answers why that cannot be done, or None inside of them."""
    if os.environ.get("CONTEXTURE_ATTACK_INSIDE"):
        return None
    if not shutil.which("unshare") or not shutil.which("ip"):
        return "the programs unshare and ip are not there"
    prefix = ["unshare", "--net", "--mount"] + ([] if os.getuid() == 0 else ["--map-root-user"])
    if subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode:
        return "no network namespace may be made here"
    os.environ["CONTEXTURE_ATTACK_INSIDE"] = "1"
    os.execvp(prefix[0], [*prefix, sys.executable, *sys.argv])
    return None


def main(run):
    """Runs a class; of a dictionary the one that is named."""
    parser = argparse.ArgumentParser()
    if isinstance(run, dict):
        parser.add_argument("name", choices=run)
    parser.add_argument("--binary", default=os.environ.get("CONTEXTURE_BIN"))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--verbose", action="store_true", help="print the cases that held, too")
    args = parser.parse_args()
    if not args.binary:
        parser.error("name a program by --binary or CONTEXTURE_BIN")
    tally = Tally(os.path.abspath(args.binary), args.quick, args.verbose)
    start = time.monotonic()

    def stop(*_):
        tally.failed.append("the class did not end in its time")
        sys.exit(1)

    signal.signal(signal.SIGTERM, stop)
    try:
        (run[args.name] if isinstance(run, dict) else run)(tally)
    except Exception as error:  # The table has a row for it, whatever it is.
        tally.case("the class itself", False, f"{type(error).__name__}: {error}")
        raise
    finally:
        for node in tally.nodes:
            if node.process.poll() is None:
                node.process.kill()
        shutil.rmtree(tally.folder, ignore_errors=True)
        print("result " + json.dumps(tally.result(time.monotonic() - start)), flush=True)
    sys.exit(1 if tally.failed else 0)
