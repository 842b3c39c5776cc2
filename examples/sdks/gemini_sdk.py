"""An agent with Google's Gen AI SDK: every request is compiled first.

    pip install google-genai
    GEMINI_API_KEY=… python gemini_sdk.py "Where does the build fail?"
"""

import json
import os
import sys
import urllib.request

from google import genai

CONTEXTURE = os.environ.get("CONTEXTURE_URL", "http://localhost:8080")
MODEL = os.environ.get("MODEL", "gemini-2.5-flash")
TOOLS = [{"functionDeclarations": [{"name": "read_log", "description": "Reads the log of the last build.", "parameters": {
    "type": "object", "properties": {"lines": {"type": "integer", "minimum": 1}}, "required": ["lines"]}}]}]


def contexture(path, body):
    request = urllib.request.Request(CONTEXTURE + path, json.dumps(body).encode(),
                                     {"content-type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def read_log(lines):
    rows = [f"step {row}: compiled unit {row} in {row * 37 % 400} ms" for row in range(int(lines))]
    return "\n".join([*rows, "ERROR unit 7 failed: no such column"])


def run(question):
    client = genai.Client()
    contents = [{"role": "user", "parts": [{"text": question}]}]
    while True:
        compiled = contexture("/compile", {
            "systemInstruction": {"parts": [{"text": "You mend builds."}]}, "contents": contents,
            "tools": TOOLS, "target": "gemini", "model": MODEL})
        print(compiled["report"]["summary"], file=sys.stderr)
        payload = compiled["payload"]
        config = {"system_instruction": payload["systemInstruction"], "tools": payload["tools"]}
        answer = client.models.generate_content(model=MODEL, contents=payload["contents"], config=config)
        content = answer.candidates[0].content.model_dump(mode="json", by_alias=True, exclude_none=True)
        contents.append(content)
        calls = [part for part in content["parts"] if "functionCall" in part]
        if not calls:
            return answer.text
        for call in contexture("/tools/calls", {"calls": calls, "tools": TOOLS})["results"]:
            if "message" in call:
                contents.append(call["message"])
            else:
                response = {"name": call["name"], "response": {"output": read_log(**call["arguments"])}}
                contents.append({"role": "user", "parts": [{"functionResponse": response}]})


if __name__ == "__main__":
    print(run(" ".join(sys.argv[1:]) or "Where does the build fail?"))
