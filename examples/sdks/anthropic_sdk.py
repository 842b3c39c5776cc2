"""An agent with Anthropic's SDK: a session of Contexture keeps its messages and compiles every request.

    pip install anthropic ../../clients/python
    ANTHROPIC_API_KEY=… python anthropic_sdk.py "Where does the build fail?"
"""

import os
import sys
import uuid

from anthropic import Anthropic
from contexture_sdk import Contexture

MODEL = os.environ.get("MODEL", "claude-sonnet-4-5")
TOOLS = [{"name": "read_log", "description": "Reads the log of the last build.", "input_schema": {
    "type": "object", "properties": {"lines": {"type": "integer", "minimum": 1}}, "required": ["lines"]}}]


def read_log(lines):
    rows = [f"step {row}: compiled unit {row} in {row * 37 % 400} ms" for row in range(lines)]
    return "\n".join([*rows, "ERROR unit 7 failed: no such column"])


def run(question):
    client = Anthropic()
    session = Contexture().session(
        f"anthropic-{uuid.uuid4()}", target="anthropic", model=MODEL, system="You mend builds.", tools=TOOLS,
        cache={"ttl": "5m"})
    turn = session.turn({"role": "user", "content": question})
    while turn is not None:
        print(turn["report"]["summary"], file=sys.stderr)
        message = client.messages.create(model=MODEL, max_tokens=1024, **turn["payload"])
        reply = {"role": "assistant", "content": message.content}
        turn = session.run(reply, usage=message.usage, functions={"read_log": read_log})
    return "".join(block.text for block in message.content if block.type == "text")


if __name__ == "__main__":
    print(run(" ".join(sys.argv[1:]) or "Where does the build fail?"))
