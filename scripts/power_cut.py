#!/usr/bin/env python3
"""What is on the disk after the power fails, at any moment: nothing that was acknowledged may be missing.

    scripts/power_cut.py --binary target/release/contexture [--writes 60] [--cuts 300]

Four clients store entries of memory one after another, while `strace` notes what the server writes to
its files and when it flushes them. From that, files are made as they may stand after a power cut behind
any of these calls: what was flushed is there; of what was not flushed nothing is, or all, or any part,
one write of it torn at a sector. In each such folder `contexture db check` must find a whole database,
and every entry must be in it whose writer had its answer: it had where it sent the next request.
Exits 1 where one is missing. Needs strace; Python's standard library else.
"""

import argparse
import os
import pathlib
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading

import harness

CLIENTS = 4
SECTOR = 512
TRACED = "openat,close,lseek,write,pwrite64,fsync,fdatasync,ftruncate,unlink,recvfrom,read"
CALL = re.compile(r"^(?P<pid>\d+) +(?P<name>\w+)\((?P<rest>.*)$", re.DOTALL)
RESUMED = re.compile(r"^(?P<pid>\d+) +<\.\.\. \w+ resumed>(?P<rest>.*)$", re.DOTALL)
REQUEST = re.compile(rb"PUT /memory/w(\d+)-(\d+) ")


def load(node, writes):
    def client(number):
        for at in range(writes):
            value = {"value": f"value {at} of {number} " + "x" * (37 * at % 900)}
            status = node.call("PUT", f"/memory/w{number}-{at}", value)[0]
            assert status in (200, 201), status

    threads = [threading.Thread(target=client, args=(number,)) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # One more of each, so that the last answer of the others is known to have come.
    for number in range(CLIENTS):
        node.call("PUT", f"/memory/w{number}-{writes}", {"value": "the last"})


def calls(lines):
    """Calls in the order in which they ended: name, arguments with the result, and when they began."""
    begun = {}
    for at, line in enumerate(lines):
        if found := RESUMED.match(line):
            name, rest, start = begun.pop(found["pid"], (None, "", at))
            if name:
                yield name, rest + found["rest"], start, at
        elif found := CALL.match(line):
            if found["rest"].rstrip().endswith("<unfinished ...>"):
                rest = found["rest"].rstrip().removesuffix("<unfinished ...>")
                begun[found["pid"]] = (found["name"], rest, at)
            else:
                yield found["name"], found["rest"], at, at


def text_of(arguments):
    """The string among the arguments: strace was told to write it in hexadecimal digits."""
    found = re.search(r'"((?:\\x[0-9a-f]{2})*)"', arguments)
    return bytes.fromhex(found[1].replace("\\x", "")) if found else b""


def result_of(arguments):
    found = re.search(r"\)\s*= (-?\d+)", arguments)
    return int(found[1]) if found else -1


class Disk:
    """The files of the database: what is flushed, and what is not yet."""

    def __init__(self, base):
        self.base = base
        self.flushed, self.waiting = {}, {}
        self.files, self.offsets = {}, {}
        self.answered = {}

    def follow(self, name, arguments, start, end):
        """Takes one call; whether a cut behind it is another state than before."""
        first = re.match(r"\s*(\w+)", arguments)
        fd = int(first[1]) if first and first[1].isdigit() else None
        result = result_of(arguments)
        if name == "openat":
            path = text_of(arguments).decode(errors="replace")
            if result >= 0 and path.startswith(self.base):
                self.files[result], self.offsets[result] = path, 0
                self.flushed.setdefault(path, bytearray())
                self.waiting.setdefault(path, [])
            elif result >= 0:
                self.files.pop(result, None)
            return False
        if name == "unlink":
            path = text_of(arguments).decode(errors="replace")
            self.flushed.pop(path, None)
            self.waiting.pop(path, None)
            return False
        if name in ("recvfrom", "read") and fd not in self.files:
            for client, at in REQUEST.findall(text_of(arguments)):
                self.answered[int(client)] = int(at)
            return False
        path = self.files.get(fd)
        if path is None or result < 0:
            return False
        if name == "close":
            del self.files[fd]
        elif name == "lseek":
            self.offsets[fd] = result
        elif name == "write":
            data = text_of(arguments)[:result]
            self.waiting[path].append((end, self.offsets[fd], data))
            self.offsets[fd] += result
            return True
        elif name == "pwrite64":
            offset = int(re.search(r", (\d+)\s*\)\s*=", arguments)[1])
            self.waiting[path].append((end, offset, text_of(arguments)[:result]))
            return True
        elif name == "ftruncate":
            size = int(re.search(r", (\d+)\s*\)\s*=", arguments)[1])
            self.waiting[path].append((end, size, None))
            return True
        elif name in ("fsync", "fdatasync"):
            # Of what was written while it went on, nobody knows.
            sure = [one for one in self.waiting[path] if one[0] < start]
            for change in sure:
                apply(self.flushed[path], change)
            self.waiting[path] = self.waiting[path][len(sure) :]
            return True
        return False

    def write(self, folder, chosen):
        """Files as they may stand after a cut, with those of the waiting changes that `chosen` gives."""
        for path, flushed in self.flushed.items():
            if path.endswith(("-shm", ".lock", ".reserve")):
                continue
            content = bytearray(flushed)
            for change in chosen(self.waiting[path]):
                apply(content, change)
            (folder / pathlib.Path(path).name).write_bytes(content)


def apply(content, change):
    _, offset, data = change
    if data is None:
        del content[offset:]
        content.extend(b"\0" * (offset - len(content)))
        return
    if len(content) < offset:
        content.extend(b"\0" * (offset - len(content)))
    content[offset : offset + len(data)] = data


def some(dice):
    """Any part of the waiting changes, in their order, one of them torn."""

    def choose(waiting):
        chosen = [change for change in waiting if dice.random() < 0.5]
        at = dice.randrange(len(chosen)) if chosen else None
        for index, (end, offset, data) in enumerate(chosen):
            if index == at and data and len(data) > SECTOR:
                data = data[: SECTOR * dice.randrange(1, len(data) // SECTOR + 1)]
            yield end, offset, data

    return choose


def look(binary, disk, choose, folder):
    """What is wrong with the files after a cut."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    disk.write(folder, choose)
    file = folder / pathlib.Path(disk.base).name
    environment = {**os.environ, "CONTEXTURE_DATABASE_URL": f"sqlite:{file}"}
    check = [binary, "db", "check"]
    checked = subprocess.run(check, env=environment, capture_output=True, text=True, check=False)
    if checked.returncode != 0:
        return [f"`db check` says {checked.returncode}: {checked.stderr.strip()}"]
    with sqlite3.connect(file) as database:
        keys = {row[0] for row in database.execute("SELECT key FROM memory")}
    expected = {f"w{number}-{at}" for number, next_one in disk.answered.items() for at in range(next_one)}
    return [f"{key} is missing" for key in sorted(expected - keys)]


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    arguments.add_argument("--binary", required=True)
    arguments.add_argument("--writes", type=int, default=60)
    arguments.add_argument("--cuts", type=int, default=300)
    arguments.add_argument("--seed", type=int, default=1)
    options = arguments.parse_args()
    if not shutil.which("strace"):
        sys.exit("skipped: strace is not there")
    dice = random.Random(options.seed)
    place = pathlib.Path(tempfile.mkdtemp(prefix="contexture-power-"))
    base, trace = f"{place}/server.db", place / "trace"
    tracer = ["strace", "-f", "-qq", "-xx", "-s", "200000", "-e", f"trace={TRACED}", "-o", str(trace)]
    node = harness.Node(options.binary, f"sqlite:{base}", prefix=tracer)
    load(node, options.writes)
    # Killed, so that nothing is tidied up at the end.
    children = pathlib.Path(f"/proc/{node.process.pid}/task/{node.process.pid}/children")
    os.kill(int(children.read_text().split()[0]), signal.SIGKILL)
    node.process.wait()

    with open(trace, encoding="ascii") as file:
        lines = file.readlines()
    # The places where a cut leaves other files behind; then once more, stopping at some of them.
    disk, states = Disk(base), 0
    for call in calls(lines):
        states += disk.follow(*call)
    stops = set(dice.sample(range(states), min(options.cuts, states)))
    disk, at, cuts, faults, syncs = Disk(base), 0, 0, [], 0
    for call in calls(lines):
        syncs += call[0] in ("fsync", "fdatasync")
        if not disk.follow(*call):
            continue
        at += 1
        # Before the first answer there need not even be a schema.
        if at - 1 not in stops or not any(disk.answered.values()):
            continue
        for choose in (lambda _: [], lambda waiting: waiting, some(dice)):
            cuts += 1
            for fault in look(options.binary, disk, choose, place / "cut"):
                faults.append(f"behind change {at}: {fault}")
    shutil.rmtree(place, ignore_errors=True)
    answered = sum(disk.answered.values())
    print(f"{answered} writes acknowledged, {states} states of the files, {syncs} flushes, {cuts} cuts")
    print("\n".join(faults[:20]) or "no faults")
    sys.exit(1 if faults or cuts == 0 else 0)


if __name__ == "__main__":
    main()
