"""Scripts that stand by themselves as classes of the table: what they print are the cases.

    python3 scripts/attack/by_script.py --binary PROGRAM kills
"""

import os
import re
import shutil
import subprocess
import sys

import tally as shared

SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")


def run_script(tally, name, *arguments):
    """Runs a script; answers its exit code and what it printed."""
    command = [sys.executable, os.path.join(SCRIPTS, name), "--binary", tally.binary, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def checks(tally, name, *arguments):
    """A script that prints a line for each check."""
    status, printed = run_script(tally, name, *arguments)
    told = 0
    for line in printed.splitlines():
        if line.startswith(("ok  ", "FAIL")):
            told += 1
            tally.case(f"{name}: {line[5:].strip().split(':')[0]}", line.startswith("ok"), line)
        elif line.startswith("skipped"):
            tally.skip(line.removeprefix("skipped: "))
    if not told or status and not tally.failed:
        tally.case(name, False, f"{status}: {printed[-500:]}")
    return printed


def figure(printed, pattern):
    found = re.search(pattern, printed)
    return int(found.group(1).replace(",", "")) if found else 0


def overload(tally):
    printed = checks(tally, "overload.py", "--seconds", 1 if tally.quick else 8)
    tally.worst["mib"] = (figure(printed, r"(\d+) MiB at most"), "the process")
    tally.worst["health_p99_ms"] = (figure(printed, r"health is answered meanwhile: p99 (\d+) ms"), "")


def faults(tally):
    checks(tally, "faults.py", "--stops", 1 if tally.quick else 5)


def kills(tally):
    status, printed = run_script(tally, "kill_test.py", "--kills", 3 if tally.quick else 40)
    tried, lost = figure(printed, r"(\d+) kills"), figure(printed, r": (\d+) faults")
    for at in range(tried):
        tally.case(f"kill {at + 1}", status == 0, printed[-400:] if at == 0 else "")
    if not tried:
        tally.case("kill_test.py", False, printed[-500:])
    tally.worst["writes"] = (figure(printed, r"(\d+) acknowledged writes"), "")
    tally.worst["faults"] = (lost, "")
    tally.worst["slowest_start_ms"] = (figure(printed, r"slowest start (\d+) ms"), "")


def deliveries(tally):
    status, printed = run_script(tally, "kill_deliveries.py", "--kills", 1 if tally.quick else 10)
    for at in range(figure(printed, r"(\d+) kills") or 1):
        tally.case(f"kill {at + 1}", status == 0, printed[-400:] if at == 0 else "")
    events, heard = figure(printed, r"(\d+) events"), figure(printed, r"(\d+) heard")
    tally.worst["events"], tally.worst["events_not_heard"] = (events, ""), (events - heard, "")


def streams(tally):
    status, printed = run_script(tally, "cut_streams.py", "--cuts", 100 if tally.quick else 1000)
    for at in range(figure(printed, r"(\d+) cuts") or 1):
        tally.case(f"cut {at + 1}", status == 0, printed[-400:] if at == 0 else "")
    tally.worst["events"] = (figure(printed, r"(\d+) events heard"), "")
    tally.worst["faults"] = (figure(printed, r"(\d+) faults"), "")


def power(tally):
    if not shutil.which("strace"):
        return tally.skip("strace is not there")
    cuts = 20 if tally.quick else 150
    status, printed = run_script(tally, "power_cut.py", "--writes", 20 if tally.quick else 60, "--cuts", cuts)
    for at in range(cuts):
        tally.case(f"cut {at + 1}", status == 0, printed[-400:] if at == 0 else "")


if __name__ == "__main__":
    shared.main({each.__name__: each for each in (overload, faults, kills, deliveries, streams, power)})
