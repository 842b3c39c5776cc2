"""An agent with LangChain: a middleware compiles what the model is sent.

    pip install langchain langchain-openai ../../clients/python
    OPENAI_API_KEY=… python langchain_sdk.py "Where does the build fail?"
"""

import os
import sys

from contexture_sdk.langchain import CompileMiddleware
from langchain.agents import create_agent
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI

MODEL = os.environ.get("MODEL", "gpt-4o")


@tool
def read_log(lines: int) -> str:
    """Reads the log of the last build."""
    rows = [f"step {row}: compiled unit {row} in {row * 37 % 400} ms" for row in range(lines)]
    return "\n".join([*rows, "ERROR unit 7 failed: no such column"])


def run(question):
    agent = create_agent(ChatOpenAI(model=MODEL), [read_log], system_prompt="You mend builds.",
                         middleware=[CompileMiddleware(session="langchain")])
    return agent.invoke({"messages": [("user", question)]})["messages"][-1].content


if __name__ == "__main__":
    print(run(" ".join(sys.argv[1:]) or "Where does the build fail?"))
