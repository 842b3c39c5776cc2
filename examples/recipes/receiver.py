"""The hooks of these recipes, with nothing but Python's standard library.

    python3 receiver.py

Listens on this machine only. It checks no signatures; the receivers in ../hooks show how.
"""

import json
import pathlib
import shlex
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def offload(shown):
    patch = []
    for at, message in enumerate(shown["history"]):
        for part, own in enumerate(message["parts"]):
            if own["type"] == "tool_result" and len(own["content"]) > 1000:
                file = pathlib.Path("offloaded", own["call_id"] + ".txt")
                file.parent.mkdir(exist_ok=True)
                file.write_text(own["content"])
                path = f"/history/{at}/parts/{part}/content"
                patch.append({"op": "replace", "path": path, "value": f"Offloaded to {file}"})
    return {"action": "json_patch", "patch": patch}


def retrieval(shown):
    notes = {"rollback": "A rollback keeps the database as it is: run only `deploy --previous`."}
    return notes.get((shown["dynamic_state"] or {}).get("step"))


def audit(shown):
    with open("audit.jsonl", "a") as log:
        log.write(json.dumps(shown) + "\n")


def veto(shown):
    if "password" in (shown["value"] or "").lower():
        return {"decision": "deny", "reason": "Passwords are not remembered."}
    return {"decision": "allow"}


def last(shown):
    path = f"/messages/{len(shown['messages']) - 1}/parts/-"
    text = {"type": "text", "text": "Reply in one sentence."}
    return {"action": "json_patch", "patch": [{"op": "add", "path": path, "value": text}]}


def no_force(shown):
    if "--force" in shown["tool"]["arguments"]["command"]:
        return {"decision": "deny", "reason": "Nobody pushes with --force."}
    return {"decision": "allow"}


def within_repo(shown):
    command = shown["tool"]["arguments"]["command"]
    return {"action": "replace", "payload": {"command": f"cd /repo && {command}"}}


def timed(shown):
    command = shlex.quote(shown["tool"]["arguments"]["command"])
    return {"action": "replace", "payload": {"command": f"timeout 60 sh -c {command}"}}


HOOKS = [offload, retrieval, audit, veto, last, no_force, within_repo, timed]


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        call = json.loads(self.rfile.read(int(self.headers["content-length"])))
        hook = next(hook for hook in HOOKS if self.path == "/" + hook.__name__)
        answer = json.dumps(hook(call["input"])).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)


if __name__ == "__main__":
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 8133
    ThreadingHTTPServer(("127.0.0.1", port), Receiver).serve_forever()
