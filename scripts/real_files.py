#!/usr/bin/env python3
"""Measures POST /compress on real files, each checked by parsers that are not Contexture's.

Fetches public packages by name into a scratch folder, takes files out of them, sends each as one
tool result (and as one text) at the levels lossless and reversible, checks what comes back, and
prints every row beside two others measured in the same run: JSON without white space, and the
package headroom-ai, offline and without its model. Nothing is written but to the folder.

    python3 -m venv .venv-files
    .venv-files/bin/pip install PyYAML==6.0.3 bpe-openai==0.1.4 headroom-ai==0.42.0
    .venv-files/bin/python scripts/real_files.py --binary target/release/contexture /tmp/real-files

Needed beside Python 3.11: npm, pip, cargo and git, each with its own settings. headroom-ai may be
missing. With --url and --url2 two running servers are used; the second must never have seen what
the first was sent, because it shows that notations decode from the shown text alone.

Exit code 1 where an answer of ours is faulty, or a file is not the one that is listed.

In the table, `yes` is a text that its parser accepts with its structure kept, `decoded` one that
the second server decodes to the original (`~`: but for white space and terminal codes), `cut` one
that decodes to a shorter text with its structure kept. Every answer must also be given back byte
for byte by the server that made it.
"""

import argparse
import importlib.metadata
import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import bpe_openai

from real_files_checks import equivalent, fault
from real_files_fetch import File, Packages, listed

LEVELS = ("lossless", "reversible")
HEADROOM = "0.42.0"


ENCODING = bpe_openai.get_encoding("o200k_base")
# Between a letter and one of these no token can reach across.
BORDER = re.compile(r'(?<=[a-z])(?=["<>,;:=(){}\n])')


def tokens(text: str) -> int:
    """Counted in pieces, because the package refuses long texts."""
    count = start = 0
    while len(text) - start > 200_000:
        border = BORDER.search(text, start + 150_000)
        end = border.start() if border else len(text)
        count += len(ENCODING.encode_ordinary(text[start:end]))
        start = end
    return count + len(ENCODING.encode_ordinary(text[start:]))


def messages(file: File, text: str) -> list[dict]:
    # The tool is not one that reads files: headroom leaves the results of those alone.
    call = {
        "id": "call_1",
        "type": "function",
        "function": {"name": "http_get", "arguments": json.dumps({"path": file.label})},
    }
    return [
        {"role": "user", "content": f"Get {file.label}."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": text},
    ]


class Fault(Exception):
    pass


def post(url: str, body: dict) -> dict:
    request = urllib.request.Request(
        url, json.dumps(body).encode(), {"content-type": "application/json"}
    )
    try:
        with urllib.request.urlopen(request, timeout=120) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        raise Fault(f"{error.code}: {error.read(300).decode(errors='replace')}") from error


def serve(binary: Path, stack: ExitStack) -> str:
    """A server with an empty store, on a free port; its address."""
    command = (
        binary,
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--database-url",
        "memory:",
        "--log-level",
        "error",
    )
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    stack.callback(server.wait)
    stack.callback(server.terminate)
    line = server.stdout.readline()
    address = re.search(r"127\.0\.0\.1:\d+", line)
    if not address:
        sys.exit(f"the server printed no address: {line!r}")
    return f"http://{address[0]}"


class Result(NamedTuple):
    saved: float
    verdict: str
    fault: str | None = None

    @classmethod
    def of(cls, before: str, after: str, verdict: str, wrong: str | None = None) -> "Result":
        return cls(
            round(100 * (1 - tokens(after) / tokens(before)), 1), "no" if wrong else verdict, wrong
        )


class Ours:
    def __init__(self, url: str, other: str, notations: str) -> None:
        self.url, self.other, self.notations = url, other, notations

    def result(self, file: File, text: str, level: str, form: str) -> Result:
        body = {"level": level, "model": "gpt-4o", "deadline_ms": 60_000, "notations": self.notations}
        if form == "text":
            body |= {"text": text}
        else:
            body |= {"messages": messages(file, text), "keep_recent_turns": 0}
        try:
            answer = post(f"{self.url}/compress", body)
            shown = self.content(answer)
            back = {key: answer[key] for key in ("messages", "text") if key in answer}
            # A text is known by the answer's id only.
            known = {"id": answer["id"]} if form == "text" else back
            restored = self.content(post(f"{self.url}/expand", known))
            decoded = self.content(post(f"{self.other}/expand", back))
        except Fault as error:
            return Result(0.0, "no", str(error))
        if answer["report"]["degraded"]:
            return Result.of(text, shown, "no", f"degraded: {answer['report']['degraded']}")
        if restored != text:
            return Result.of(text, shown, "no", "the original is not given back")
        return Result.of(text, shown, *self.judge(file, level, text, shown, decoded))

    @staticmethod
    def content(answer: dict) -> str:
        return answer["text"] if "text" in answer else answer["messages"][-1]["content"]

    @staticmethod
    def judge(
        file: File, level: str, text: str, shown: str, decoded: str
    ) -> tuple[str, str | None]:
        marked = re.search(r"^§", shown, re.M) is not None
        if decoded == text or equivalent(text, decoded):
            if marked:
                return ("decoded" if decoded == text else "decoded~"), None
            return "yes", fault(file.kind, text, shown)
        if level == "lossless":
            return "no", "does not decode to the original"
        # Shortened first and written in a notation then: what it decodes to has the format.
        return ("cut" if marked else "yes"), fault(file.kind, text, decoded)


def minified(file: File, text: str) -> Result | None:
    if file.kind != "json":
        return None
    shorter = json.dumps(json.loads(text), separators=(",", ":"), ensure_ascii=False)
    return Result.of(text, shorter, "yes", fault(file.kind, text, shorter))


class Headroom:
    """The published package as it comes, but that the newest message is not spared."""

    def __init__(self, scratch: Path) -> None:
        quiet = {"HEADROOM_OFFLINE": "1", "HEADROOM_STATELESS": "1", "HF_HUB_OFFLINE": "1"}
        os.environ |= quiet | {"HEADROOM_WORKSPACE_DIR": str(scratch / "headroom")}
        self.missing = None
        try:
            version = importlib.metadata.version("headroom-ai")
            from headroom.compress import compress
            from headroom.transforms.compaction_codec import expand_compacted

            self.compress, self.expand = compress, expand_compacted
            if version != HEADROOM:
                print(f"headroom-ai is {version}, not {HEADROOM}", file=sys.stderr)
        except Exception as error:  # A package of others may fail in any way.
            self.missing = f"headroom-ai could not be used: {type(error).__name__}: {error}"

    def result(self, file: File, text: str, mode: str | None) -> Result | None:
        if self.missing:
            return None
        try:
            answer = self.compress(
                messages(file, text),
                model="gpt-4o",
                protect_recent=0,
                kompress_model="disabled",
                mode=mode,
            )
            shown = answer.messages[-1]["content"]
            rows = self.expand(shown) if shown != text else None
        except Exception as error:
            return Result(0.0, "no", f"{type(error).__name__}: {error}")
        if rows is not None:
            # Its own promise: the same values, whatever the order of keys.
            same = json.dumps(json.loads(text), sort_keys=True) == json.dumps(rows, sort_keys=True)
            return Result.of(
                text, shown, "decoded~", None if same else "does not decode to the original"
            )
        return Result.of(text, shown, "yes", fault(file.kind, text, shown))


FOOTER = """
Saved: per cent of o200k_base tokens. headroom: its defaults, but for protect_recent 0 and
kompress_model disabled; agent: its lossless mode. Both are held to the checks that we are, and
decoded~ is there: its own decoder gives the same values, whatever the order of keys. In the sums a
faulty row saves nothing."""
COLUMNS = ("lossless", "reversible", "minify", "headroom", "agent")


def measure(
    files: list[File], packages: Packages, ours: Ours, headroom: Headroom
) -> Iterator[dict]:
    for file in files:
        text = packages.text(file)
        row = {"file": file.label, "kind": file.kind, "tokens": tokens(text), "goal": file.goal}
        for level in LEVELS:
            row[level] = ours.result(file, text, level, "messages")
            row[f"{level} text"] = ours.result(file, text, level, "text")
        row["minify"] = minified(file, text)
        row["headroom"] = headroom.result(file, text, None)
        row["agent"] = headroom.result(file, text, "agent")
        valid = [row[level].saved for level in LEVELS if not row[level].fault]
        row["met"] = None if file.goal is None else max(valid, default=0) >= file.goal
        yield row


def line(row: dict) -> str:
    cells = [f"{row['file']:30} {row['kind']:9} {row['tokens']:>9,}"]
    for column in COLUMNS:
        result = row[column]
        cells.append(f"{result.saved:6.1f} {result.verdict:8}" if result else f"{'-':>6} {'':8}")
    met = {None: "", True: "met", False: "missed"}[row["met"]]
    return " ".join(cells) + (f" ≥ {row['goal']:g} {met}" if row["goal"] else "")


def faults(row: dict) -> Iterator[tuple[str, str]]:
    for name, result in row.items():
        if isinstance(result, Result) and result.fault:
            yield name, result.fault


def is_ours(column: str) -> bool:
    return column.startswith(LEVELS)


def report(rows: list[dict], headroom: Headroom) -> None:
    faulty = [(row, name, why) for row in rows for name, why in faults(row)]
    print("\nWhat is wrong:" if faulty else "\nNothing is wrong.")
    for row, name, why in faulty:
        print(f"  {row['file']}, {name}: {why}")
    print("\nWhere a text is not written as the result is:")
    for row in rows:
        for level in LEVELS:
            text, result = row[f"{level} text"].saved, row[level].saved
            if text != result:
                print(f"  {row['file']}, {level}: {text} % as a text, {result} % as a result")
    print(FOOTER)
    if headroom.missing:
        print(headroom.missing)
    for column in COLUMNS:
        results = [(row["tokens"], row[column]) for row in rows if row[column]]
        if results:
            whole = sum(count for count, _ in results)
            saved = (
                sum(count * result.saved for count, result in results if not result.fault) / whole
            )
            good = sum(not result.fault for _, result in results)
            print(f"{column:10} {saved:5.1f} % of {whole:,} tokens, {good} of {len(results)} valid")
    goals = [row["met"] for row in rows if row["goal"]]
    print(f"goals met: {sum(goals)} of {len(goals)}")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "scratch",
        nargs="?",
        type=Path,
        help="where packages and files are kept; a temporary folder when absent",
    )
    parser.add_argument(
        "--binary", type=Path, help="the program; two servers are started and stopped"
    )
    parser.add_argument("--url", help="a running server")
    parser.add_argument(
        "--notations", choices=("plain", "computed", "none"), default="plain", help="which notations may be used"
    )
    parser.add_argument("--url2", help="another one, with an empty store")
    parser.add_argument(
        "--only", action="append", default=[], help="a part of a label or a kind; may be repeated"
    )
    parser.add_argument(
        "--json", action="store_true", help="a JSON object a row instead of the table"
    )
    arguments = parser.parse_args()
    if not arguments.binary and not (arguments.url and arguments.url2):
        parser.error("--binary, or --url and --url2")

    files = [
        file
        for file in listed()
        if not arguments.only
        or any(part in file.label or part == file.kind for part in arguments.only)
    ]
    with ExitStack() as stack:
        scratch = arguments.scratch or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        scratch.mkdir(parents=True, exist_ok=True)
        scratch = scratch.resolve()
        packages = Packages(scratch)
        if arguments.binary:
            ours = Ours(serve(arguments.binary, stack), serve(arguments.binary, stack), arguments.notations)
        else:
            ours = Ours(arguments.url.rstrip("/"), arguments.url2.rstrip("/"), arguments.notations)
        headroom = Headroom(scratch)
        if not arguments.json:
            print(
                f"{'file':30} {'kind':9} {'tokens':>9} "
                + " ".join(f"{column:>15}" for column in COLUMNS)
                + " goal"
            )
        rows = []
        for row in measure(files, packages, ours, headroom):
            rows.append(row)
            if arguments.json:
                row = {
                    name: value._asdict() if isinstance(value, Result) else value
                    for name, value in row.items()
                }
                print(json.dumps(row), flush=True)
            else:
                print(line(row), flush=True)
    if not arguments.json:
        report(rows, headroom)
    return 1 if not rows or any(is_ours(name) for row in rows for name, _ in faults(row)) else 0


if __name__ == "__main__":
    sys.exit(main())
