"""Five hooks of an agent: offloading, retrieval by state, an audit log, a veto, and a last transform.

    contexture serve --dev &                                    # hooks may call this machine
    export CONTEXTURE_HOOK_SECRETS=whsec_$(openssl rand -base64 24)
    python five_hooks.py
"""

import json
import pathlib

from contexture_sdk import Contexture
from contexture_sdk.hooks import Hooks, deny

hooks = Hooks()
NOTES = {"rollback": "A rollback keeps the database as it is: run only `deploy --previous`."}


@hooks.transform("before_compress")
def offload(call):
    for part in (part for message in call["input"]["history"] for part in message["parts"]):
        if part["type"] == "tool_result" and len(part["content"]) > 1000:
            file = pathlib.Path("offloaded", pathlib.Path(part["call_id"]).name + ".txt")
            file.parent.mkdir(exist_ok=True)
            file.write_text(part["content"])
            part["content"] = f"Offloaded to {file}"
    return call["input"]["history"]


@hooks.provide("before_compile")
def retrieval(call):
    return NOTES.get((call["input"]["dynamic_state"] or {}).get("step"))


@hooks.observe("event", match={"events": ["memory:*", "compile:done"]})
def audit(call):
    with pathlib.Path("audit.jsonl").open("a") as log:
        print(json.dumps(call["input"]), file=log)


@hooks.guard("memory_update")
def veto(call):
    return deny("Passwords are not remembered.") if "password" in str(call["input"]["value"]).lower() else None


@hooks.transform("transform_context")
def last(call):
    call["input"]["messages"][-1]["parts"].append({"type": "text", "text": "Reply in one sentence."})
    return call["input"]["messages"]


if __name__ == "__main__":
    server = hooks.server(port=8133)
    hooks.register(Contexture(), "http://127.0.0.1:8133/")
    server.serve_forever()
