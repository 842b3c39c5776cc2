#!/usr/bin/env python3
"""Sees every hook of examples/hooks at work; `check_hooks.sh` runs it."""

import base64
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parent.parent / "examples/hooks"
HOOKS = ["rag", "redact", "veto", "audit"]
# How long something that must happen may take.
PATIENCE = 30


def until(what, look):
    """What `look` finds, once it finds something."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = look()
        if found:
            return found
        time.sleep(0.05)
    sys.exit(f"{what}: not within {PATIENCE} seconds")


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def listens(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def send(method, url, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"content-type": "application/json"}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            text = answer.read()
            return answer.status, json.loads(text) if text else None
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


class Server:
    def __init__(self, binary, folder):
        log = open(folder / "server.log", "wb")
        command = [binary, "serve", "--dev", "--listen", "127.0.0.1:0", "--database-url", "memory:"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        self.url = self.process.stdout.readline().split()[-1]

    def ask(self, method, path, body=None):
        status, answer = send(method, self.url + path, body)
        assert 200 <= status < 300, f"{method} {path}: {status} {answer}"
        return answer


def command_of(language, port, folder):
    """How a receiver is started, and where."""
    if language == "python":
        place = EXAMPLES / "python"
        uvicorn = [sys.executable, "-m", "uvicorn", "receiver:app", "--port", str(port)]
        return uvicorn, place
    # Node looks for packages beside the file.
    shutil.copy(EXAMPLES / "typescript/receiver.ts", folder / "node/receiver.ts")
    return ["node", "--import", "tsx", "receiver.ts"], folder / "node"


def see(server, language, audit):
    messages = [{"role": "user", "content": "When is my refund paid?"}]
    compiled = server.ask("POST", "/compile", {"messages": messages})
    assert "within 14 days" in json.dumps(compiled["payload"]), compiled
    assert [line["outcome"] for line in compiled["report"]["hooks"]] == ["applied"], compiled["report"]["hooks"]

    call = {"id": "c1", "type": "function", "function": {"name": "Read", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "Who wrote it?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": f"ann@example.com, for {language}"},
    ]
    payload = json.dumps(server.ask("POST", "/compile", {"messages": messages})["payload"])
    assert "[email], for" in payload and "ann@" not in payload, payload

    def remember(key, value):
        arguments = json.dumps({"key": key, "value": value})
        call = {"id": "c1", "type": "function", "function": {"name": "create_memory", "arguments": arguments}}
        return server.ask("POST", "/tools/calls", {"calls": [call]})["results"][0]

    denied = remember("login", "the password is mellon")
    assert denied["decision"] == "deny" and "Credentials" in denied["reason"], denied
    assert send("GET", f"{server.url}/memory/login")[0] == 404
    assert remember("drink", f"tea, says {language}")["decision"] == "allow"
    server.ask("PUT", "/memory/colour", {"value": "green"})
    server.ask("DELETE", "/memory/colour")

    def lines():
        if not audit.exists():
            return None
        found = [json.loads(line) for line in audit.read_text().splitlines()]
        return found if len(found) >= 3 else None

    told = [(line["key"], line["action"], line["origin"]) for line in until("the audit", lines)]
    wanted = [("drink", "add", "model"), ("colour", "add", "direct"), ("colour", "remove", "direct")]
    assert told == wanted, told


def check(server, language, folder):
    port = free_port()
    secret = "whsec_" + base64.b64encode(os.urandom(32)).decode()
    register = ["sh", str(EXAMPLES / "register.sh"), f"http://127.0.0.1:{port}"]
    environment = {**os.environ, "CONTEXTURE_URL": server.url, "HOOK_SECRETS": secret, "PORT": str(port)}
    subprocess.run(register, env=environment, check=True)
    audit = folder / f"audit.{language}.jsonl"
    audit.unlink(missing_ok=True)
    environment |= {"AUDIT_FILE": str(audit), "PYTHONDONTWRITEBYTECODE": "1"}
    command, place = command_of(language, port, folder)
    log = open(folder / f"{language}.log", "wb")
    receiver = subprocess.Popen(command, cwd=place, env=environment, stdout=log, stderr=log)
    try:
        until(f"the receiver in {language}", lambda: listens(port))
        see(server, language, audit)
        status, _ = send("POST", f"http://127.0.0.1:{port}/veto", {"input": {"key": "k"}})
        assert status == 401, f"what is not signed is answered {status}"
    finally:
        receiver.terminate()
        receiver.wait()
    for name in HOOKS:
        server.ask("DELETE", f"/hooks/{name}")
    server.ask("DELETE", "/memory/drink")
    print(f"{language}: text added, a result redacted, a write refused, three changes told, nothing unsigned taken")


def main():
    binary, folder = sys.argv[1], Path(sys.argv[2])
    server = Server(binary, folder)
    try:
        for language in ("python", "typescript"):
            check(server, language, folder)
    finally:
        server.process.terminate()
        server.process.wait()


if __name__ == "__main__":
    main()
