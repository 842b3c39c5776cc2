"""An agent with Google's Gen AI SDK: the client is wrapped, so every request is compiled on its way out.

    pip install google-genai ../../clients/python
    GEMINI_API_KEY=… python gemini_sdk.py "Where does the build fail?"
"""

import os
import sys

from contexture_sdk import wrap
from google import genai
from google.genai import types

MODEL = os.environ.get("MODEL", "gemini-2.5-flash")
TOOLS = [{"function_declarations": [{"name": "read_log", "description": "Reads the log of the last build.", "parameters": {
    "type": "object", "properties": {"lines": {"type": "integer", "minimum": 1}}, "required": ["lines"]}}]}]


def read_log(lines):
    rows = [f"step {row}: compiled unit {row} in {row * 37 % 400} ms" for row in range(int(lines))]
    return "\n".join([*rows, "ERROR unit 7 failed: no such column"])


def run(question):
    client = wrap(genai.Client(), on_compiled=lambda answer: print(answer["report"]["summary"], file=sys.stderr))
    contents = [types.Content(role="user", parts=[types.Part(text=question)])]
    config = {"system_instruction": "You mend builds.", "tools": TOOLS}
    while True:
        response = client.models.generate_content(model=MODEL, contents=contents, config=config)
        contents.append(response.candidates[0].content)
        if not response.function_calls:
            return response.text
        for call in response.function_calls:
            part = types.Part.from_function_response(name=call.name, response={"output": read_log(**call.args)})
            contents.append(types.Content(role="user", parts=[part]))


if __name__ == "__main__":
    print(run(" ".join(sys.argv[1:]) or "Where does the build fail?"))
