"""An agent with Anthropic's SDK: every request is compiled first.

    pip install anthropic
    ANTHROPIC_API_KEY=… python anthropic_sdk.py "Where does the build fail?"
"""

import json
import os
import sys
import urllib.request

from anthropic import Anthropic

CONTEXTURE = os.environ.get("CONTEXTURE_URL", "http://localhost:8080")
MODEL = os.environ.get("MODEL", "claude-sonnet-4-5")
TOOLS = [{"name": "read_log", "description": "Reads the log of the last build.", "input_schema": {
    "type": "object", "properties": {"lines": {"type": "integer", "minimum": 1}}, "required": ["lines"]}}]


def contexture(path, body):
    request = urllib.request.Request(CONTEXTURE + path, json.dumps(body).encode(),
                                     {"content-type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def read_log(lines):
    rows = [f"step {row}: compiled unit {row} in {row * 37 % 400} ms" for row in range(lines)]
    return "\n".join([*rows, "ERROR unit 7 failed: no such column"])


def run(question):
    client = Anthropic()
    messages = [{"role": "user", "content": question}]
    while True:
        compiled = contexture("/compile", {
            "system": "You mend builds.", "messages": messages, "tools": TOOLS,
            "target": "anthropic", "model": MODEL, "cache": {"ttl": "5m"}})
        print(compiled["report"]["summary"], file=sys.stderr)
        message = client.messages.create(model=MODEL, max_tokens=1024, **compiled["payload"])
        content = [block.model_dump(exclude_none=True) for block in message.content]
        messages.append({"role": "assistant", "content": content})
        calls = [block for block in content if block["type"] == "tool_use"]
        if not calls:
            return "".join(block.get("text", "") for block in content)
        results = []
        for call in contexture("/tools/calls", {"calls": calls, "tools": TOOLS})["results"]:
            if "message" in call:
                results.extend(call["message"]["content"])
            else:
                results.append({"type": "tool_result", "tool_use_id": call["id"],
                                "content": read_log(**call["arguments"])})
        messages.append({"role": "user", "content": results})


if __name__ == "__main__":
    print(run(" ".join(sys.argv[1:]) or "Where does the build fail?"))
