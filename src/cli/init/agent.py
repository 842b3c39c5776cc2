"""An agent whose history is kept by Contexture: inside the window, with a prefix that caches keep.

    pip install <contexture>/clients/python openai     # the client is in Contexture's repository
    contexture serve &
    OPENAI_API_KEY=... python contexture_agent.py "How many files are here?"
"""

import json
import os
import sys

from contexture_sdk import Contexture
from openai import OpenAI

MODEL = "gpt-5.6"

TOOLS = [{"type": "function", "function": {
    "name": "list_files", "description": "Lists the files of a folder.",
    "parameters": {"type": "object", "properties": {"folder": {"type": "string"}}, "required": ["folder"]}}}]


def list_files(folder):
    return json.dumps(sorted(os.listdir(folder)))


def main(question):
    session = Contexture().session(
        "contexture-agent", target="openai", model=MODEL, system="You answer questions about files.", tools=TOOLS)
    provider = OpenAI()
    turn = session.turn({"role": "user", "content": question})
    while turn is not None:
        print("  ", turn["report"]["summary"], file=sys.stderr)
        response = provider.chat.completions.create(model=MODEL, **turn["payload"])
        reply = response.choices[0].message
        # Appends the reply, runs its calls, and returns the next payload; None if there were no calls.
        turn = session.run(reply, usage=response.usage, functions={"list_files": list_files})
    print(reply.content)


if __name__ == "__main__":
    main(" ".join(sys.argv[1:]) or "How many files are here?")
