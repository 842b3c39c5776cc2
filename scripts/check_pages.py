#!/usr/bin/env python3
"""Runs the examples of the documentation.

    CONTEXTURE_BIN=target/release/contexture python3 scripts/check_pages.py [PAGE...]

Needs bash, curl, jq and openssl. Of each page in docs, every block of `sh` is run in its order, in a folder of its own with
a server of its own; a command that fails fails the page. A block of `json` has to be JSON. A line before a block changes
that:

    <!-- request: POST /compile -->   the JSON is sent, and has to be accepted
    <!-- fragment -->                 the block is not run: it needs a service, packages or a file that a test has not
    <!-- run -->, <!-- NAME:start --> another test runs the block, or writes it

`python` has to parse; what is marked with `run` is run by the tests of the Python client, and the `js` of the TypeScript client's
page by its tests. Ends with 1 if a page has a fault.
"""

import ast
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MAX_SECONDS = 120
BLOCK = re.compile(r"^(?:<!-- (?P<mark>[^\n]*?) -->\n+)?```(?P<language>\w*)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
# Languages whose blocks another test reads, output, and pictures.
READ_ELSEWHERE = {"shown", "original", "text", "", "mermaid"}
# A page whose `js` its own test runs or parses.
SCRIPTS_PAGE = "docs/clients-typescript.md"

PRELUDE = r"""
set -euo pipefail
contexture() {
    case "$1" in
    serve | demo)
        [[ -n "${server-}" ]] && { kill "$server"; wait "$server" || true; }
        command contexture "$@" --listen "127.0.0.1:$PORT" >server.out 2>server.err 3>&- &
        server=$!
        started ;;
    # It ends with Ctrl-C.
    hooks) timeout --signal INT 5 contexture "$@" --server "http://127.0.0.1:$PORT" || [[ $? == 124 || $? == 130 ]] ;;
    *) command contexture "$@" ;;
    esac
}
started() {
    for _ in $(seq 600); do
        command curl --silent --output /dev/null "http://127.0.0.1:$PORT/healthz" && return
        kill -0 "$server" || { cat server.err >&2; return 1; }
        read -r -t 0.05 <> <(:) || true
    done
    echo "the server does not start" >&2
    return 1
}
curl() {
    # A stream of events does not end.
    if [[ " $* " == *" -N "* ]]; then
        command curl --no-progress-meter --fail-with-body --max-time 2 "$@" || [[ $? == 28 ]]
    else
        command curl --no-progress-meter --fail-with-body "$@"
    fi
}
"""


def blocks(text):
    for found in BLOCK.finditer(text):
        yield found["mark"] or "", found["language"], found["code"], text.count("\n", 0, found.start("code"))


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Page:
    """The examples of one page."""

    def __init__(self, file, binary):
        self.name = file.relative_to(ROOT).as_posix()
        self.binary = binary
        self.blocks = list(blocks(file.read_text()))
        self.faults = []
        self.ran = 0

    def check(self):
        port = free_port()
        script, requests = [PRELUDE], []
        for mark, language, code, line in self.blocks:
            if mark.startswith("fragment") or mark == "run" or mark.endswith(":start") and language != "sh":
                continue
            if language == "sh":
                code = re.sub(r"(127\.0\.0\.1|localhost):8080", f"127.0.0.1:{port}", code)
                # `serve` returns here once the server listens.
                code = re.sub(r"^(contexture serve.*) &$", r"\1", code, flags=re.MULTILINE)
                script.append(f"echo '@line {line}' >&3\n{code}")
                self.ran += 1
            elif language == "json":
                self.read_json(mark, code, line, requests)
            elif language == "python":
                self.read_python(code, line)
            elif language not in READ_ELSEWHERE and not (language == "js" and self.name == SCRIPTS_PAGE):
                self.faults.append(f"{self.name}:{line}: a block of {language!r} is run by no test; mark it as a fragment")
        if len(script) > 1 or requests:
            self.run(script, requests, port)

    def read_python(self, code, line):
        self.ran += 1
        try:
            ast.parse(code)
        except SyntaxError as error:
            self.faults.append(f"{self.name}:{line}: is no Python: {error}")

    def read_json(self, mark, code, line, requests):
        self.ran += 1
        try:
            body = json.loads(code)
        except ValueError as error:
            self.faults.append(f"{self.name}:{line}: is no JSON, and not marked as a fragment: {error}")
            return
        if mark.startswith("request: "):
            requests.append((*mark.removeprefix("request: ").split(), body, line))

    def run(self, script, requests, port):
        starts = any(re.search(r"^(\w+=\S+ )*contexture (serve|demo)\b", code, re.MULTILINE) for code in script[1:])
        if not starts:
            script.insert(1, "contexture serve --dev\n")
        # The requests are sent once the commands are through, to the same server.
        script.append("echo '@sent' >&3\nread -r _ || true\n")
        with tempfile.TemporaryDirectory(prefix="pages-") as folder:
            for name in ("docs", "examples", "scripts", "clients"):
                os.symlink(ROOT / name, Path(folder) / name)
            os.mkdir(Path(folder) / "bin")
            os.symlink(self.binary, Path(folder) / "bin" / "contexture")
            environment = {**os.environ, "PORT": str(port), "PATH": f"{folder}/bin:{os.environ['PATH']}"}
            for name in [name for name in environment if name.startswith("CONTEXTURE_")]:
                del environment[name]
            told, tell = os.pipe()
            output = Path(folder) / "output"
            process = subprocess.Popen(
                ["bash", "-c", f"exec 3>&{tell} {tell}>&-\n" + "\n".join(script)], cwd=folder, env=environment, pass_fds=[tell],
                stdin=subprocess.PIPE, stdout=output.open("wb"), stderr=subprocess.STDOUT, start_new_session=True)
            os.close(tell)
            at, is_through = "0", False
            overdue = threading.Timer(MAX_SECONDS, os.killpg, (process.pid, signal.SIGKILL))
            overdue.start()
            try:
                with os.fdopen(told) as lines:
                    for line in lines:
                        if line == "@sent\n":
                            is_through = True
                            self.send(requests, port)
                            break
                        at = line.split()[-1]
                if not is_through:
                    tail = "\n    ".join(output.read_text(errors="replace").strip().splitlines()[-6:])
                    self.faults.append(f"{self.name}:{at}: the block fails:\n    {tail}")
            finally:
                overdue.cancel()
                # What the commands left running goes with them.
                try:
                    os.killpg(process.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
                process.wait(MAX_SECONDS)

    def send(self, requests, port):
        for method, path, body, line in requests:
            request = urllib.request.Request(
                f"http://127.0.0.1:{port}{path}", method=method, data=json.dumps(body).encode(),
                headers={"content-type": "application/json"})
            try:
                urllib.request.urlopen(request, timeout=MAX_SECONDS).read()
            except urllib.error.HTTPError as error:
                self.faults.append(f"{self.name}:{line}: {method} {path}: {error.code} {error.read().decode()[:300]}")


def main():
    binary = Path(os.environ.get("CONTEXTURE_BIN", ROOT / "target/debug/contexture")).resolve()
    files = [Path(name).resolve() for name in sys.argv[1:]]
    files = files or [file for file in sorted((ROOT / "docs").rglob("*.md")) if "adr" not in file.parts]
    faults, ran = [], 0
    for file in files:
        page = Page(file, binary)
        page.check()
        for fault in page.faults:
            print(fault, flush=True)
        faults += page.faults
        ran += page.ran
    print(f"{len(files)} pages, {ran} blocks checked, {len(faults)} faults")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
