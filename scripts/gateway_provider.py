#!/usr/bin/env python3
"""A provider of models for trials: all wire formats, whole and as streams, with tool calls.

    python3 scripts/gateway_provider.py [--port 8900] [--log requests.jsonl]

A request that offers a tool for a shell or a query, and has fewer than `--turns` results in its list, gets a call of that
tool; any other gets a line of text. Each request for a model is a line of the log: path, headers without keys, body. Prints
its address once it listens. Needs nothing but Python.
"""

import argparse
import gzip
import http.server
import json
import sys
import threading
import zlib

SHELLS = ("Bash", "shell", "bash", "run_shell_command", "exec_command", "query", "mcp__db__query")
SECRETS = ("authorization", "x-api-key", "x-goog-api-key", "api-key")
USAGE = {"input_tokens": 1200, "cache_read_input_tokens": 800, "cache_creation_input_tokens": 100, "output_tokens": 20}
LAST_WORDS = "All of it was read."


def decoded(body, coding):
    if coding == "gzip":
        return gzip.decompress(body)
    if coding == "deflate":
        return zlib.decompress(body)
    return body


def arguments(tool, command):
    """What a tool of a shell or a query is called with."""
    name = tool["name"]
    properties = (tool.get("schema") or {}).get("properties", {})
    if name == "shell" and properties.get("command", {}).get("type") == "array":
        return {"command": ["bash", "-lc", command]}
    for key in ("cmd", "command", "sql"):
        if key in properties:
            given = {key: command}
            if "description" in properties:
                given["description"] = "List the customers"
            return given
    return {"command": command, "description": "List the customers"}


class Provider(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    turns = 2
    shell_command = "seq 1 400"
    log = None
    lock = threading.Lock()

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def do_GET(self):
        path = self.path.split("?")[0]
        models = ["claude-sonnet-5-5", "gpt-5.5", "gpt-4o"]
        if path.endswith("/models") and ("v1beta" in path or "x-goog-api-key" in self.headers):
            rows = [{"name": "models/gemini-2.5-pro", "supportedGenerationMethods": ["generateContent"]}]
            return self.send_json({"models": rows})
        if path.endswith("/models"):
            rows = [{"id": name, "object": "model", "type": "model", "display_name": name, "created": 1,
                     "created_at": "2025-01-01T00:00:00Z", "owned_by": "fake"} for name in models]
            return self.send_json({"object": "list", "data": rows, "has_more": False})
        return self.send_json({})

    def do_POST(self):
        length = self.headers.get("content-length")
        body = self.rfile.read(int(length)) if length else self.chunks()
        try:
            asked = json.loads(decoded(body, self.headers.get("content-encoding", "")))
        except ValueError:
            return self.send_json({"ok": True})
        path = self.path.split("?")[0]
        for end, respond in (("/messages", self.respond_messages), ("/chat/completions", self.respond_chat),
                             ("/responses", self.respond_responses), (":generateContent", self.respond_gemini),
                             (":streamGenerateContent", self.respond_gemini)):
            if path.endswith(end):
                self.note(path, asked)
                return respond(asked)
        if path.endswith("/count_tokens"):
            return self.send_json({"input_tokens": 1234})
        if path.endswith(":countTokens"):
            return self.send_json({"totalTokens": 1234})
        if path.endswith("/embeddings"):
            return self.send_json({"object": "list", "model": "e", "usage": {"prompt_tokens": 1, "total_tokens": 1},
                                   "data": [{"object": "embedding", "index": 0, "embedding": [0.5, 0.25]}]})
        return self.send_json({"ok": True})

    def chunks(self):
        body = b""
        while size := int(self.rfile.readline().split(b";")[0] or b"0", 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def note(self, path, asked):
        if self.log is None:
            return
        headers = {name.lower(): value for name, value in self.headers.items() if name.lower() not in SECRETS}
        with self.lock:
            self.log.write(json.dumps({"path": self.path, "headers": headers, "body": asked}) + "\n")
            self.log.flush()

    def send_json(self, value, status=200):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def send_events(self, events, done=None):
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        lines = []
        for event in events:
            name = f"event: {event['type']}\n" if "type" in event else ""
            lines.append(f"{name}data: {json.dumps(event)}\n\n")
        if done:
            lines.append(f"data: {done}\n\n")
        for line in lines:
            data = line.encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
            self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n")

    def choose(self, tools, results):
        """The tool to call, if there is one and it was not called often enough."""
        if results >= self.turns:
            return None
        return next((tool for name in SHELLS for tool in tools if tool["name"] == name), None)

    def respond_messages(self, asked):
        blocks = [block for message in asked["messages"] if isinstance(message["content"], list)
                  for block in message["content"]]
        results = sum(block.get("type") == "tool_result" for block in blocks)
        tools = [{"name": tool.get("name"), "schema": tool.get("input_schema")} for tool in asked.get("tools") or []]
        tool = self.choose(tools, results)
        content = [{"type": "text", "text": LAST_WORDS}]
        if tool:
            content = [{"type": "tool_use", "id": f"toolu_{results:04}", "name": tool["name"],
                        "input": arguments(tool, self.shell_command)}]
        answer = {"id": f"msg_{results:04}", "type": "message", "role": "assistant", "model": asked["model"],
                  "content": content, "stop_reason": "tool_use" if tool else "end_turn", "stop_sequence": None,
                  "usage": USAGE}
        if not asked.get("stream"):
            return self.send_json(answer)
        block = content[0]
        start = dict(block, input={}) if tool else {"type": "text", "text": ""}
        delta = ({"type": "input_json_delta", "partial_json": json.dumps(block["input"])} if tool
                 else {"type": "text_delta", "text": block["text"]})
        return self.send_events([
            {"type": "message_start", "message": dict(answer, content=[], stop_reason=None)},
            {"type": "content_block_start", "index": 0, "content_block": start},
            {"type": "ping"},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": answer["stop_reason"], "stop_sequence": None},
             "usage": {"output_tokens": 20}},
            {"type": "message_stop"},
        ])

    def respond_chat(self, asked):
        results = sum(message["role"] == "tool" for message in asked["messages"])
        tools = [{"name": tool["function"]["name"], "schema": tool["function"].get("parameters")}
                 for tool in asked.get("tools") or [] if "function" in tool]
        tool = self.choose(tools, results)
        message = {"role": "assistant", "content": LAST_WORDS}
        if tool:
            call = {"id": f"call_{results:04}", "type": "function",
                    "function": {"name": tool["name"], "arguments": json.dumps(arguments(tool, self.shell_command))}}
            message = {"role": "assistant", "content": None, "tool_calls": [call]}
        finish = "tool_calls" if tool else "stop"
        base = {"id": f"chatcmpl-{results}", "created": 1, "model": asked["model"]}
        usage = {"prompt_tokens": 1200, "completion_tokens": 20, "total_tokens": 1220,
                 "prompt_tokens_details": {"cached_tokens": 800}}
        if not asked.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": finish, "logprobs": None}
            return self.send_json({**base, "object": "chat.completion", "choices": [choice], "usage": usage})
        delta = dict(message)
        if tool:
            delta["tool_calls"] = [dict(message["tool_calls"][0], index=0)]
        base["object"] = "chat.completion.chunk"
        events = [{**base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
                  {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}]
        if (asked.get("stream_options") or {}).get("include_usage"):
            events.append({**base, "choices": [], "usage": usage})
        return self.send_events(events, "[DONE]")

    def respond_responses(self, asked):
        items = asked["input"] if isinstance(asked["input"], list) else []
        results = sum(str(item.get("type", "")).endswith("_output") for item in items)
        tools = [{"name": tool.get("name"), "schema": tool.get("parameters")} for tool in asked.get("tools") or []]
        tool = self.choose(tools, results)
        if tool:
            item = {"type": "function_call", "id": f"fc_{results:04}", "call_id": f"call_{results:04}",
                    "name": tool["name"], "arguments": json.dumps(arguments(tool, self.shell_command)), "status": "completed"}
        else:
            item = {"type": "message", "id": f"msg_{results:04}", "role": "assistant", "status": "completed",
                    "content": [{"type": "output_text", "text": LAST_WORDS, "annotations": []}]}
        usage = {"input_tokens": 1200, "input_tokens_details": {"cached_tokens": 800}, "output_tokens": 20,
                 "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 1220}
        answer = {"id": f"resp_{results:04}", "object": "response", "created_at": 1, "status": "completed",
                  "model": asked["model"], "output": [item], "usage": usage, "error": None, "incomplete_details": None,
                  "instructions": None, "metadata": {}, "parallel_tool_calls": True, "temperature": 1.0,
                  "tool_choice": "auto", "tools": [], "top_p": 1.0}
        if not asked.get("stream"):
            return self.send_json(answer)
        pending = dict(answer, status="in_progress", output=[], usage=None)
        events = [{"type": "response.created", "response": pending},
                  {"type": "response.output_item.added", "output_index": 0, "item": dict(item, status="in_progress")}]
        if not tool:
            place = {"item_id": item["id"], "output_index": 0, "content_index": 0}
            part = {"type": "output_text", "text": "", "annotations": []}
            events += [{"type": "response.content_part.added", **place, "part": part},
                       {"type": "response.output_text.delta", **place, "delta": LAST_WORDS, "logprobs": []},
                       {"type": "response.output_text.done", **place, "text": LAST_WORDS, "logprobs": []},
                       {"type": "response.content_part.done", **place, "part": item["content"][0]}]
        else:
            place = {"item_id": item["id"], "output_index": 0}
            events += [{"type": "response.function_call_arguments.delta", **place, "delta": item["arguments"]},
                       {"type": "response.function_call_arguments.done", **place, "arguments": item["arguments"],
                        "name": item["name"]}]
        events += [{"type": "response.output_item.done", "output_index": 0, "item": item},
                   {"type": "response.completed", "response": answer}]
        for number, event in enumerate(events):
            event["sequence_number"] = number
        return self.send_events(events)

    def respond_gemini(self, asked):
        parts = [part for content in asked["contents"] for part in content.get("parts", [])]
        results = sum("functionResponse" in part for part in parts)
        tools = [{"name": row["name"], "schema": row.get("parameters") or row.get("parametersJsonSchema")}
                 for tool in asked.get("tools") or [] for row in tool.get("functionDeclarations", [])]
        tool = self.choose(tools, results)
        part = {"text": LAST_WORDS}
        if tool:
            part = {"functionCall": {"name": tool["name"], "args": arguments(tool, self.shell_command)}}
        answer = {"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
                  "usageMetadata": {"promptTokenCount": 1200, "cachedContentTokenCount": 800, "candidatesTokenCount": 20,
                                    "totalTokenCount": 1220}, "modelVersion": "gemini-2.5-pro"}
        if "stream" in self.path.split("?")[0].rsplit(":", 1)[-1].lower():
            return self.send_events([answer])
        return self.send_json(answer)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, request, client_address):
        # Clients may leave in the middle of a response.
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


def start(port=0, turns=2, command=Provider.shell_command, log=None):
    """Starts a provider in this process, and returns its server."""
    handler = type("TrialProvider", (Provider,), {"turns": turns, "shell_command": command, "log": log})
    server = Server(("127.0.0.1", port), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--command", default=Provider.shell_command, help="what the shell is asked to run")
    parser.add_argument("--log")
    given = parser.parse_args()
    log = open(given.log, "a", encoding="utf-8") if given.log else None
    server = start(given.port, given.turns, given.command, log)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    sys.exit(main())
