"""An agent with OpenAI's SDK: a session of Contexture keeps its messages and compiles every request.

    pip install openai ../../clients/python
    OPENAI_API_KEY=… python openai_sdk.py "Where does the build fail?"
"""

import os
import sys
import uuid

from contexture_sdk import Contexture
from openai import OpenAI

MODEL = os.environ.get("MODEL", "gpt-4o")
TOOLS = [{"type": "function", "function": {
    "name": "read_log", "description": "Reads the log of the last build.",
    "parameters": {"type": "object", "properties": {"lines": {"type": "integer", "minimum": 1}},
                   "required": ["lines"]}}}]


def read_log(lines):
    rows = [f"step {row}: compiled unit {row} in {row * 37 % 400} ms" for row in range(lines)]
    return "\n".join([*rows, "ERROR unit 7 failed: no such column"])


def run(question):
    client = OpenAI()
    session = Contexture().session(
        f"openai-{uuid.uuid4()}", target="openai", model=MODEL, system="You mend builds.", tools=TOOLS)
    turn = session.turn({"role": "user", "content": question})
    while turn is not None:
        print(turn["report"]["summary"], file=sys.stderr)
        response = client.chat.completions.create(model=MODEL, **turn["payload"])
        message = response.choices[0].message
        turn = session.run(message, usage=response.usage, functions={"read_log": read_log})
    return message.content


if __name__ == "__main__":
    print(run(" ".join(sys.argv[1:]) or "Where does the build fail?"))
