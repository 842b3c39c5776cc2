#!/usr/bin/env python3
"""Runs the SDKs of OpenAI, Anthropic and Google through the gateway, against a provider that this script is.

    python3 -m venv DIR && DIR/bin/pip install openai anthropic google-genai
    DIR/bin/python scripts/check_providers.py target/debug/contexture

Each SDK sends a conversation with a tool result, whole and as a stream, over two turns. The provider must get the
result in a shorter form, the second time in the same bytes, and the SDK must get what the provider sent. Prints a
line for each; ends with 1 if something is wrong.
"""

import http.server
import json
import subprocess
import sys
import threading

import anthropic
import openai
from google import genai
from google.genai import types

ROWS = json.dumps(
    [{"id": n, "name": f"customer {n}", "state": "active", "total": n * 31} for n in range(7, 1407, 35)], indent=2
)
TEXT = "All is well."


def anthropic_events():
    usage = {"input_tokens": 12, "output_tokens": 1, "cache_read_input_tokens": 3}
    message = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None,
        "stop_sequence": None, "usage": usage,
    }
    yield "message_start", {"type": "message_start", "message": message}
    yield "content_block_start", {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    for piece in TEXT.split(" "):
        delta = {"type": "text_delta", "text": piece + " "}
        yield "content_block_delta", {"type": "content_block_delta", "index": 0, "delta": delta}
    yield "content_block_stop", {"type": "content_block_stop", "index": 0}
    delta = {"stop_reason": "end_turn", "stop_sequence": None}
    yield "message_delta", {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 5}}
    yield "message_stop", {"type": "message_stop"}


def anthropic_message():
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn",
        "stop_sequence": None, "content": [{"type": "text", "text": TEXT}],
        "usage": {"input_tokens": 12, "output_tokens": 5},
    }


def chat_chunks():
    base = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    for piece in TEXT.split(" "):
        yield {**base, "choices": [{"index": 0, "delta": {"content": piece + " "}, "finish_reason": None}]}
    yield {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    yield {**base, "choices": [], "usage": {"prompt_tokens": 15, "completion_tokens": 5, "total_tokens": 20}}


def chat_completion():
    message = {"role": "assistant", "content": TEXT}
    return {
        "id": "c", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 15, "completion_tokens": 5, "total_tokens": 20},
    }


def response(status="completed"):
    content = [{"type": "output_text", "text": TEXT, "annotations": []}]
    output = [{"type": "message", "id": "m1", "role": "assistant", "status": "completed", "content": content}]
    details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    return {
        "id": "r", "object": "response", "created_at": 1, "model": "m", "status": status, "output": output,
        "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
        "usage": {"input_tokens": 15, "output_tokens": 5, "total_tokens": 20, **details},
    }


def response_events():
    yield "response.created", {"type": "response.created", "sequence_number": 0, "response": response("in_progress")}
    for number, piece in enumerate(TEXT.split(" ")):
        yield "response.output_text.delta", {
            "type": "response.output_text.delta", "sequence_number": number + 1, "item_id": "m1", "output_index": 0,
            "content_index": 0, "delta": piece + " ", "logprobs": [],
        }
    yield "response.completed", {"type": "response.completed", "sequence_number": 9, "response": response()}


def gemini_answer():
    content = {"role": "model", "parts": [{"text": TEXT}]}
    return {
        "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 15, "candidatesTokenCount": 5, "totalTokenCount": 20},
    }


class Provider(http.server.BaseHTTPRequestHandler):
    """Answers each request by its path, and keeps its body."""

    protocol_version = "HTTP/1.1"
    bodies = []

    def do_POST(self):
        length = self.headers.get("content-length")
        body = self.rfile.read(int(length))
        Provider.bodies.append(body)
        path, asked = self.path.partition("?")[0], json.loads(body)
        is_stream = asked.get("stream") or path.endswith(":streamGenerateContent")
        if path == "/v1/messages":
            self.send(anthropic_events() if is_stream else anthropic_message(), is_stream)
        elif path == "/v1/chat/completions":
            chunks = [(None, chunk) for chunk in chat_chunks()] + [(None, "[DONE]")]
            self.send(chunks if is_stream else chat_completion(), is_stream)
        elif path == "/v1/responses":
            self.send(response_events() if is_stream else response(), is_stream)
        else:
            self.send([(None, gemini_answer())] if is_stream else gemini_answer(), is_stream)

    def send(self, answer, is_stream):
        self.send_response(200)
        if not is_stream:
            text = json.dumps(answer).encode()
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)
            return
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for name, data in answer:
            text = data if isinstance(data, str) else json.dumps(data)
            event = (f"event: {name}\n" if name else "") + f"data: {text}\n\n"
            self.wfile.write(f"{len(event):x}\r\n{event}\r\n".encode())
            self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *_):
        pass


def run_anthropic(url, stream, more):
    client = anthropic.Anthropic(base_url=url, api_key="sk-ant-test", max_retries=0)
    call = {"type": "tool_use", "id": "t1", "name": "query", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": ROWS}
    messages = [
        {"role": "user", "content": "Look."}, {"role": "assistant", "content": [call]},
        {"role": "user", "content": [result]}, *more,
    ]
    asked = {"model": "claude-sonnet-4-5", "max_tokens": 100, "messages": messages}
    if stream:
        with client.messages.stream(**asked) as events:
            return "".join(events.text_stream)
    return client.messages.create(**asked).content[0].text


def openai_client(url):
    return openai.OpenAI(base_url=f"{url}/v1", api_key="sk-test", max_retries=0)


def run_chat(url, stream, more):
    call = {"id": "t1", "type": "function", "function": {"name": "query", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "Look."}, {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "t1", "content": ROWS}, *more,
    ]
    chat = openai_client(url).chat.completions
    if stream:
        options = {"include_usage": True}
        chunks = chat.create(model="gpt-4o", messages=messages, stream=True, stream_options=options)
        return "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    return chat.create(model="gpt-4o", messages=messages).choices[0].message.content


def run_responses(url, stream, more):
    items = [
        {"role": "user", "content": "Look."},
        {"type": "function_call", "call_id": "t1", "name": "query", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "t1", "output": ROWS}, *more,
    ]
    responses = openai_client(url).responses
    if stream:
        events = responses.create(model="gpt-4o", input=items, stream=True)
        return "".join(event.delta for event in events if event.type == "response.output_text.delta")
    return responses.create(model="gpt-4o", input=items).output_text


def run_gemini(url, stream, more):
    client = genai.Client(api_key="test", http_options=types.HttpOptions(base_url=url))
    result = types.Part.from_function_response(name="query", response={"output": ROWS})
    contents = [
        types.Content(role="user", parts=[types.Part(text="Look.")]),
        types.Content(role="model", parts=[types.Part.from_function_call(name="query", args={})]),
        types.Content(role="user", parts=[result]),
    ]
    roles = {"assistant": "model"}
    for message in more:
        part = types.Part(text=message["content"])
        contents.append(types.Content(role=roles.get(message["role"], "user"), parts=[part]))
    asked = {"model": "gemini-2.5-pro", "contents": contents}
    if stream:
        return "".join(chunk.text for chunk in client.models.generate_content_stream(**asked))
    return client.models.generate_content(**asked).text


def result_of(body):
    """The value that has the rows' text, wherever it is in a request."""
    open_values, texts = [json.loads(body)], []
    while open_values:
        value = open_values.pop()
        if isinstance(value, str):
            texts.append(value)
        elif isinstance(value, (list, dict)):
            open_values.extend(value.values() if isinstance(value, dict) else value)
    return max(texts, key=len)


def check(name, run, url, stream):
    Provider.bodies.clear()
    first = run(url, stream, [])
    more = [{"role": "assistant", "content": TEXT}, {"role": "user", "content": "Go on."}]
    second = run(url, stream, more)
    results = [result_of(body) for body in Provider.bodies]
    faults = []
    if first.strip() != TEXT or second.strip() != TEXT:
        faults.append(f"answers {first!r}, {second!r}")
    if len(results) != 2 or len(results[0]) * 2 > len(ROWS):
        faults.append(f"results of {[len(result) for result in results]} bytes")
    if len(set(results)) != 1:
        faults.append("the second turn sent other bytes")
    kind = "stream" if stream else "whole"
    print(f"{name:10} {kind:6} {len(ROWS)} -> {len(results[0])} bytes {'; '.join(faults) or 'ok'}")
    return not faults


def main():
    provider = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    threading.Thread(target=provider.serve_forever, daemon=True).start()
    flags = [f"--upstream={name}=http://127.0.0.1:{provider.server_port}" for name in ("anthropic", "openai", "gemini")]
    command = [sys.argv[1], "serve", "--listen", "127.0.0.1:0", "--database-url", "memory:", "--log-level", "error"]
    server = subprocess.Popen([*command, *flags], stdout=subprocess.PIPE, text=True)
    try:
        url = server.stdout.readline().strip().removeprefix("listening on ")
        runs = [("anthropic", run_anthropic), ("chat", run_chat), ("responses", run_responses), ("gemini", run_gemini)]
        held = [check(name, run, url, stream) for name, run in runs for stream in (False, True)]
    finally:
        server.terminate()
        server.wait()
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
