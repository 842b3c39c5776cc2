"""An agent with LangChain: every request is compiled first.

    pip install langchain-core langchain-openai
    OPENAI_API_KEY=… python langchain_sdk.py "Where does the build fail?"
"""

import json
import os
import sys
import urllib.request

from langchain_core.messages import HumanMessage, SystemMessage, convert_to_messages, convert_to_openai_messages
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import tool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langchain_openai import ChatOpenAI

CONTEXTURE = os.environ.get("CONTEXTURE_URL", "http://localhost:8080")
MODEL = os.environ.get("MODEL", "gpt-4o")


@tool
def read_log(lines: int) -> str:
    """Reads the log of the last build."""
    rows = [f"step {row}: compiled unit {row} in {row * 37 % 400} ms" for row in range(lines)]
    return "\n".join([*rows, "ERROR unit 7 failed: no such column"])


def compiled(messages):
    body = {"messages": convert_to_openai_messages(messages), "tools": [convert_to_openai_tool(read_log)],
            "target": "openai", "model": MODEL}
    request = urllib.request.Request(CONTEXTURE + "/compile", json.dumps(body).encode(),
                                     {"content-type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        answer = json.load(answer)
    print(answer["report"]["summary"], file=sys.stderr)
    return convert_to_messages(answer["payload"]["messages"])


def run(question):
    # The compiler stands in the chain like any other step.
    model = RunnableLambda(compiled) | ChatOpenAI(model=MODEL).bind_tools([read_log])
    messages = [SystemMessage("You mend builds."), HumanMessage(question)]
    while True:
        message = model.invoke(messages)
        messages.append(message)
        if not message.tool_calls:
            return message.content
        messages.extend(read_log.invoke(call) for call in message.tool_calls)


if __name__ == "__main__":
    print(run(" ".join(sys.argv[1:]) or "Where does the build fail?"))
