#!/usr/bin/env python3
"""Counts the instructions of four small requests, and fails if one takes more than the baseline allows.

    scripts/instructions.py             compares with benches/baseline.json
    scripts/instructions.py --update    writes the counts there

Needs valgrind. The program is the one that `cargo test` builds, without optimisation: what counts is the
work that the code asks for. Counts of two runs differ by less than a percent; a compiler of another version
may need another baseline.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BASELINE = ROOT / "benches" / "baseline.json"
LIMIT = 1.10


def build() -> str:
    """Builds the program, and returns its path."""
    command = ["cargo", "test", "--locked", "--no-run", "--bench", "instructions", "--message-format=json"]
    printed = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    for line in printed.splitlines():
        message = json.loads(line)
        if message.get("executable") and message["target"]["name"] == "instructions":
            return message["executable"]
    sys.exit("cargo built no program")


def count(program: str, name: str) -> int:
    """Instructions of one request."""
    with tempfile.TemporaryDirectory() as folder:
        command = [
            "valgrind", "--tool=callgrind", "--toggle-collect=*counted*",
            f"--callgrind-out-file={folder}/out", program, name,
        ]  # fmt: skip
        ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    found = re.search(r"Collected : (\d+)", ran.stderr)
    if ran.returncode != 0 or not found:
        sys.exit(f"{name}: {ran.stderr}")
    return int(found[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true", help="write the counts to benches/baseline.json")
    arguments = parser.parse_args()
    program = build()
    names = subprocess.run([program], check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    baseline = json.loads(BASELINE.read_text()) if BASELINE.exists() else {}
    before = baseline.get("instructions", {})
    counts = {name: count(program, name) for name in names}
    slower = []
    print(f"{'request':<16}{'instructions':>14}{'baseline':>14}{'ratio':>8}   limit {LIMIT}")
    for name, instructions in counts.items():
        known = before.get(name)
        ratio = instructions / known if known else None
        print(f"{name:<16}{instructions:>14,}{known or 0:>14,}{'-' if ratio is None else f'{ratio:.3f}':>8}")
        if ratio is None or ratio > LIMIT:
            slower.append(name)
    if arguments.update:
        baseline["instructions"] = counts
        BASELINE.write_text(json.dumps(baseline, indent=2) + "\n")
    elif slower:
        sys.exit(
            f"more than {LIMIT} times the instructions of benches/baseline.json: {', '.join(slower)}. If the work is "
            "worth it, say why in the commit that runs `scripts/instructions.py --update`."
        )


if __name__ == "__main__":
    main()
