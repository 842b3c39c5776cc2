#!/usr/bin/env python3
"""A provider that never was: it asks for one tool call, then answers, and checks what it is sent.

    python provider.py PORT
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ANSWER = "Unit 7 fails: no such column."


def check(condition, what):
    if not condition:
        raise ValueError(what)


def openai(body):
    check(body["model"] and body["messages"][0] == {"role": "system", "content": "You mend builds."}, "the system text")
    check(body["tools"][0]["function"]["name"] == "read_log", "the tool")
    message = {"role": "assistant", "content": ANSWER}
    last = body["messages"][-1]
    if last["role"] == "user":
        function = {"name": "read_log", "arguments": json.dumps({"lines": 200})}
        message = {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "type": "function", "function": function}]}
    else:
        check(last["role"] == "tool" and last["tool_call_id"] == "c1", "the result of the call")
        check("ERROR unit 7" in json.dumps(last) and len(json.dumps(last)) < 6_000, "the result in its short form")
    reason = "tool_calls" if "tool_calls" in message else "stop"
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return {"id": "a", "object": "chat.completion", "created": 0, "model": body["model"], "usage": usage,
            "choices": [{"index": 0, "finish_reason": reason, "message": message}]}


def anthropic(body):
    check(body["system"][0]["text"] == "You mend builds.", "the system text")
    check(body["tools"][0]["name"] == "read_log" and body["max_tokens"], "the tool")
    content = [{"type": "text", "text": ANSWER}]
    last = body["messages"][-1]["content"][0]
    if last["type"] == "text":
        content = [{"type": "tool_use", "id": "c1", "name": "read_log", "input": {"lines": 200}}]
    else:
        check(last["tool_use_id"] == "c1", "the result of the call")
        check("ERROR unit 7" in json.dumps(last) and len(json.dumps(last)) < 6_000, "the result in its short form")
    return {"id": "m", "type": "message", "role": "assistant", "model": body["model"], "content": content,
            "stop_reason": "end_turn", "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}


def gemini(body):
    check("You mend builds." in json.dumps(body["systemInstruction"]), "the system text")
    check(body["tools"][0]["functionDeclarations"][0]["name"] == "read_log", "the tool")
    parts = [{"text": ANSWER}]
    last = body["contents"][-1]["parts"][0]
    if "text" in last:
        parts = [{"functionCall": {"name": "read_log", "args": {"lines": 200}}}]
    else:
        check(last["functionResponse"]["name"] == "read_log", "the result of the call")
        check("ERROR unit 7" in json.dumps(last) and len(json.dumps(last)) < 6_000, "the result in its short form")
    return {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}]}


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        shape = anthropic if "messages" in self.path else openai if "completions" in self.path else gemini
        try:
            status, answer = 200, shape(body)
        except (KeyError, IndexError, TypeError, ValueError) as error:
            status, answer = 400, {"error": {"message": f"{shape.__name__}: {error!r}", "type": "invalid"}}
        text = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *args):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
    print(server.server_port, flush=True)
    server.serve_forever()
