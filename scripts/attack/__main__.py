"""Runs the classes of attack one after the other and prints the table; see `scripts/attack.sh`."""

import argparse
import json
import os
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))

# Each class is a file next to this one, or a function of `by_script.py`. The order is that of the table.
CLASSES = [
    "addresses",
    "dns",
    "hook_answers",
    "scopes",
    "web",
    "http1",
    "http2",
    "bombs",
    "explosions",
    "generators",
    "providers",
    "patterns",
    "deadlines",
    "bodies",
    "refusals",
    "readers",
    "connections",
    "stores",
    "dead_hooks",
    "clients",
    "overload",
    "faults",
    "kills",
    "deliveries",
    "streams",
    "power",
]
# How long one class may take: one that a fault holds up is stopped, and says so in its row.
MAX_SECONDS, MAX_QUICK_SECONDS = 240, 60
UNITS = {"seconds": ("{:.2f} s", "s"), "mib": ("{:.0f} MiB", "MiB")}


def shown(worst):
    parts = []
    for name, (value, what) in worst.items():
        if name in UNITS:
            parts.append(f"{UNITS[name][0].format(value)} ({what[:60]})")
        else:
            text = f"{value:.3f}" if isinstance(value, float) else str(value)
            parts.append(f"{name.replace('_', ' ')} {text}")
    return "; ".join(parts)


def one(name, binary, quick, seconds):
    """Runs a class, for so many seconds at most; prints what does not hold while it runs."""
    file = os.path.join(HERE, f"{name}.py")
    own = [file] if os.path.exists(file) else [os.path.join(HERE, "by_script.py"), name]
    command = [sys.executable, *own, "--binary", binary]
    process = subprocess.Popen(command + (["--quick"] if quick else []), stdout=subprocess.PIPE, text=True)
    result, start = None, time.monotonic()
    watchdog = threading.Timer(seconds, process.terminate)
    watchdog.start()
    try:
        for line in process.stdout:
            if line.startswith("result "):
                result = json.loads(line[7:])
            else:
                print(f"  {name}: {line}", end="", flush=True)
        process.wait()
    finally:
        watchdog.cancel()
        if process.poll() is None:
            process.kill()
    if result is None:
        told = f"the class itself ended with {process.returncode}"
        result = {"tried": 1, "held": 0, "failed": [told], "worst": {}, "skipped": [],
                  "seconds": time.monotonic() - start}
    return result


def main():
    parser = argparse.ArgumentParser(prog="scripts/attack.sh")
    parser.add_argument("classes", nargs="*", metavar="class", help=", ".join(CLASSES))
    parser.add_argument("--quick", action="store_true", help="a sample of each class")
    parser.add_argument("--binary", default=os.environ.get("CONTEXTURE_BIN"))
    args = parser.parse_args()
    unknown = [name for name in args.classes if name not in CLASSES]
    if unknown:
        parser.error(f"unknown classes: {', '.join(unknown)}; known classes: {', '.join(CLASSES)}")
    binary, rows, start = os.path.abspath(args.binary), [], time.monotonic()
    for name in args.classes or CLASSES:
        result = one(name, binary, args.quick, MAX_QUICK_SECONDS if args.quick else MAX_SECONDS)
        rows.append((name, result))
        print(f"{name}: {result['held']} of {result['tried']} held, {result['seconds']:.0f} s", flush=True)
    print(f"\n{'class':<13} {'tried':>6} {'held':>6} {'time':>6}  worst figure")
    faults = tried = held = 0
    for name, result in rows:
        tried, held = tried + result["tried"], held + result["held"]
        faults += len(result["failed"])
        worst = shown(result["worst"])
        if result["skipped"]:
            reasons = ", ".join(result["skipped"])
            worst = f"skipped: {reasons}" if not result["tried"] else f"{worst}; skipped in part: {reasons}"
        print(f"{name:<13} {result['tried']:>6} {result['held']:>6} {result['seconds']:>4.0f} s  {worst}")
    print(f"{'all':<13} {tried:>6} {held:>6} {time.monotonic() - start:>4.0f} s")
    for name, result in rows:
        for what in result["failed"]:
            print(f"did not hold: {name}: {what}")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
