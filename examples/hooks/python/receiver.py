"""Four hooks for Contexture in one FastAPI application.

    pip install fastapi uvicorn standardwebhooks
    HOOK_SECRETS=whsec_... uvicorn receiver:app --port 8131

`/rag` adds what a search finds (before_compile), `/redact` takes e-mail addresses out of tool
results (tool_result), `/veto` refuses what a model may not remember (memory_update), `/audit`
writes a line for every change of memory (memory_changed) to AUDIT_FILE.
"""

import json
import os
import re

from fastapi import Depends, FastAPI, HTTPException, Request
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

app = FastAPI()

# One secret a hook, as `POST /hooks` showed it; while one is rotated, both are here.
SECRETS = os.environ.get("HOOK_SECRETS", "").split()


async def call(request: Request) -> dict:
    """The call, if it is Contexture's: signed with a secret that we know."""
    body = await request.body()
    for secret in SECRETS:
        try:
            return Webhook(secret).verify(body, dict(request.headers))
        except WebhookVerificationError:
            continue
    raise HTTPException(401, "not signed with a secret of ours")


DOCUMENTS = {
    "refund": "Refunds are paid within 14 days, to the card that was charged.",
    "invoice": "Invoices are sent on the first working day of a month.",
}


@app.post("/rag")
def rag(call: dict = Depends(call)):
    """provide at before_compile: text for the end of the last user message, or null."""
    asked = [
        part.get("text", "")
        for message in call["input"]["history"][-1:]
        if message["role"] == "user"
        for part in message["parts"]
    ]
    words = set(re.findall(r"\w+", " ".join(asked).lower()))
    found = [
        {"content": text, "priority": len(DOCUMENTS) - place}
        for place, (word, text) in enumerate(DOCUMENTS.items())
        if word in words or word + "s" in words
    ]
    return {"fragments": found} if found else None


EMAIL = re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]+")


def without_emails(value):
    if isinstance(value, str):
        return EMAIL.sub("[email]", value)
    if isinstance(value, list):
        return [without_emails(item) for item in value]
    if isinstance(value, dict):
        return {key: without_emails(item) for key, item in value.items()}
    return value


@app.post("/redact")
def redact(call: dict = Depends(call)):
    """transform at tool_result: the result without e-mail addresses."""
    before = call["input"]["result"]
    after = without_emails(before)
    if after == before:
        return {"action": "unchanged"}
    return {"action": "replace", "payload": after}


FORBIDDEN = re.compile(r"(?i)password|secret|credit card")


@app.post("/veto")
def veto(call: dict = Depends(call)):
    """guard at memory_update: no passwords in memory. The reason is what the model reads."""
    write = call["input"]
    text = f"{write['key']} {write.get('value') or ''}"
    if FORBIDDEN.search(text):
        return {"decision": "deny", "reason": "Credentials are not remembered.", "code": "pii"}
    return {"decision": "allow"}


AUDIT_FILE = os.environ.get("AUDIT_FILE", "audit.jsonl")
written = set()


@app.post("/audit")
def audit(request: Request, call: dict = Depends(call)):
    """observe at memory_changed: who changed what. A call may come twice, with the same id."""
    name = request.headers["webhook-id"]
    if name not in written:
        change = {key: call["input"].get(key) for key in ("action", "key", "value", "origin")}
        with open(AUDIT_FILE, "a", encoding="utf-8") as file:
            file.write(json.dumps({"id": name, "scope": call["scope"], **change}) + "\n")
        written.add(name)
    return {}
