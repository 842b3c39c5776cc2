"""An agent with OpenAI's SDK: every request is compiled first.

    pip install openai
    OPENAI_API_KEY=… python openai_sdk.py "Where does the build fail?"
"""

import json
import os
import sys
import urllib.request

from openai import OpenAI

CONTEXTURE = os.environ.get("CONTEXTURE_URL", "http://localhost:8080")
MODEL = os.environ.get("MODEL", "gpt-4o")
TOOLS = [{"type": "function", "function": {
    "name": "read_log", "description": "Reads the log of the last build.",
    "parameters": {"type": "object", "properties": {"lines": {"type": "integer", "minimum": 1}},
                   "required": ["lines"]}}}]


def contexture(path, body):
    request = urllib.request.Request(CONTEXTURE + path, json.dumps(body).encode(),
                                     {"content-type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def read_log(lines):
    rows = [f"step {row}: compiled unit {row} in {row * 37 % 400} ms" for row in range(lines)]
    return "\n".join([*rows, "ERROR unit 7 failed: no such column"])


def run(question):
    client = OpenAI()
    messages = [{"role": "system", "content": "You mend builds."}, {"role": "user", "content": question}]
    while True:
        compiled = contexture("/compile", {"messages": messages, "tools": TOOLS, "target": "openai", "model": MODEL})
        print(compiled["report"]["summary"], file=sys.stderr)
        message = client.chat.completions.create(model=MODEL, **compiled["payload"]).choices[0].message
        messages.append(message.model_dump(exclude_none=True))
        if not message.tool_calls:
            return message.content
        calls = [call.model_dump() for call in message.tool_calls]
        for call in contexture("/tools/calls", {"calls": calls, "tools": TOOLS})["results"]:
            if "message" in call:
                messages.append(call["message"])
            else:
                text = read_log(**call["arguments"])
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": text})


if __name__ == "__main__":
    print(run(" ".join(sys.argv[1:]) or "Where does the build fail?"))
