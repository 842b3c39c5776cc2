#!/usr/bin/env python3
"""The requests that an agent sends in a recorded conversation, by what it does with the history.

    python3 scripts/agent_requests.py --self-test

Recorded messages, and the payloads of a server in any provider's shape, become blocks for
`scripts/cache_simulation.py`. Each block is counted once, by `POST /tokens`.

Python's standard library only.
"""

import argparse
import json
import math
import unittest

import cache_simulation

# Counts are made with this model, whose factor is 1, and multiplied by that of each model.
COUNTING_MODEL = "gpt-4o"
# Tokens that are not there again if a block is not the first of its message: three around a message, one
# between parts (docs/tokens.md).
SAME_MESSAGE_TOKENS = 2
# Blocks in one call of `POST /tokens`.
MAX_BATCH = 500
# Stands for the ids that Gemini's payloads may leave out.
NO_ID = "-"
# Turns from one thing that the model remembers to the next.
TURNS_BETWEEN_MEMORIES = 15
# A mark of OpenAI's.
BREAKPOINT = "prompt_cache_breakpoint"
# What stands for a cleared result. The text of the provider's own is not published.
CLEARED = "[Old tool result content cleared]"


def steps(messages):
    """What the agent appends each time: a model's answer and all that follows before the next."""
    step = []
    for message in messages:
        if message["role"] == "assistant" and step:
            yield step
            step = []
        step.append(message)
    if step:
        yield step


def is_sent(step):
    """Whether the agent asks the model after a step: not after the last answer."""
    return step[-1]["role"] != "assistant"


def with_memory(step, turn, name):
    """A step before which the model writes to its memory, every so many turns."""
    if turn % TURNS_BETWEEN_MEMORIES != TURNS_BETWEEN_MEMORIES - 1:
        return list(step)
    arguments = {"key": f"note_{turn}", "value": f"turn {turn} of {name} was looked at"}
    return [call("create_memory", json.dumps(arguments), f"remember_{turn}"), *step]


class Piece:
    """One part of a message, as a message of its own in OpenAI's shape."""

    def __init__(self, message, kind="text", is_first=True, is_marked=False):
        self.message, self.kind = message, kind
        # Whether it is the first part of its message.
        self.is_first = is_first
        # Whether a cache mark is on it.
        self.is_marked = is_marked

    @property
    def side(self):
        """The role under which Anthropic and Gemini have it."""
        return "user" if self.message["role"] == "tool" else self.message["role"]


def text(role, content):
    return {"role": role, "content": content}


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def call(name, arguments, call_id):
    function = {"name": name, "arguments": arguments}
    tool_calls = [{"id": call_id, "type": "function", "function": function}]
    return {"role": "assistant", "content": None, "tool_calls": tool_calls}


def result(name, content, call_id):
    named = {"name": name} if name else {}
    return {"role": "tool", "tool_call_id": call_id, **named, "content": content}


def texts(content):
    """The texts of a content: a string, or a list of parts."""
    if isinstance(content, str):
        return [content]
    return [part.get("text", "") for part in content or []]


def pieces_of_openai(messages):
    for message in messages:
        role, found = message["role"], []
        parts = message.get("content")
        parts = parts if isinstance(parts, list) else []
        if role == "tool":
            content = "\n".join(texts(message["content"]))
            found.append(Piece(result(message.get("name"), content, message["tool_call_id"]), "result",
                               is_marked=any(BREAKPOINT in part for part in parts)))
        else:
            marked = [BREAKPOINT in part for part in parts] or [False]
            found += [Piece(text(role, each), is_marked=is_marked)
                      for each, is_marked in zip(texts(message.get("content")), marked) if each]
        for each in message.get("tool_calls") or []:
            function = each["function"]
            found.append(Piece(call(function["name"], function["arguments"], each["id"]), "call"))
        for number, piece in enumerate(found):
            piece.is_first = number == 0
            yield piece


def pieces_of_anthropic(payload, written):
    for block in payload.get("system") or []:
        yield Piece(text("system", block["text"]), is_marked="cache_control" in block)
    for message in payload["messages"]:
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        for number, block in enumerate(blocks):
            if block["type"] == "tool_use":
                piece = Piece(call(block["name"], written(block["input"]), block["id"]), "call")
            elif block["type"] == "tool_result":
                content = "\n".join(texts(block.get("content")))
                piece = Piece(result(None, content, block["tool_use_id"]), "result")
            else:
                piece = Piece(text(message["role"], block["text"]))
            piece.is_first, piece.is_marked = number == 0, "cache_control" in block
            yield piece


def pieces_of_gemini(payload, written):
    for part in payload.get("systemInstruction", {}).get("parts", []):
        yield Piece(text("system", part["text"]))
    for content in payload["contents"]:
        role = "assistant" if content["role"] == "model" else content["role"]
        for number, part in enumerate(content["parts"]):
            if "functionCall" in part:
                made = part["functionCall"]
                arguments = written(made.get("args", {}))
                piece = Piece(call(made["name"], arguments, made.get("id", NO_ID)), "call")
            elif "functionResponse" in part:
                response = part["functionResponse"]
                held = response["response"]
                # An object is written as it is; on arrival it has lost its white space.
                content = held["result"] if list(held) == ["result"] else compact(held)
                piece = Piece(result(response["name"], content, response.get("id", NO_ID)), "result")
            else:
                piece = Piece(text(role, part["text"]))
            piece.is_first = number == 0
            yield piece


class Blocks:
    """Makes blocks of pieces, for one target. Each is counted once."""

    def __init__(self, server, target):
        self.server, self.target = server, target
        self.known = {}
        # Arguments of calls as they were recorded: they are counted so.
        self.recorded = {}

    def of_tools(self, tools):
        """One block for all definitions, which every provider reads first."""
        if not tools:
            return []
        unmarked = [{key: value for key, value in tool.items() if key != "cache_control"} for tool in tools]
        text = json.dumps(unmarked)
        if text not in self.known:
            body = {"model": COUNTING_MODEL, "tools": unmarked}
            tokens = self.server.call("POST", "/tokens", body)["tokens"]
            self.known[text] = cache_simulation.Block(text, tokens, "tool")
        return [self.known[text]]

    def of_payload(self, payload):
        """The request of a payload that a server returned, with its marks."""
        if self.target == "gemini":
            pieces = list(pieces_of_gemini(payload, self.written))
        elif self.target == "anthropic":
            pieces = list(pieces_of_anthropic(payload, self.written))
        else:
            pieces = list(pieces_of_openai(payload["messages"]))
        tools = self.of_tools(payload.get("tools"))
        marks = [at for at, piece in enumerate(pieces, len(tools)) if piece.is_marked]
        if any("cache_control" in tool for tool in payload.get("tools") or []):
            marks.insert(0, 0)
        return cache_simulation.Request(tools + self.of(pieces), tuple(marks))

    def record(self, pieces):
        for piece in pieces:
            for each in piece.message.get("tool_calls") or []:
                arguments = each["function"]["arguments"]
                try:
                    self.recorded[compact(json.loads(arguments))] = arguments
                except ValueError:
                    pass

    def written(self, arguments):
        """The text of arguments that a payload has as an object."""
        text = compact(arguments)
        return self.recorded.get(text, text)

    def of(self, pieces):
        texts = [json.dumps(piece.message, ensure_ascii=False) for piece in pieces]
        missing = {}
        for text, piece in zip(texts, pieces):
            if text not in self.known:
                missing.setdefault(text, piece)
        # System text comes first in the answer, so it comes first in the request.
        ordered = sorted(missing.items(), key=lambda item: item[1].message["role"] != "system")
        for start in range(0, len(ordered), MAX_BATCH):
            batch = ordered[start:start + MAX_BATCH]
            counts = self.server.call("POST", "/tokens", {
                "model": COUNTING_MODEL, "target": self.target, "source": "openai",
                "messages": [piece.message for _, piece in batch]})["per_message"]
            assert len(counts) == len(batch), "a message is counted as none or as two"
            for (text, piece), tokens in zip(batch, counts):
                first = cache_simulation.Block(text, tokens, piece.kind)
                later = first._replace(tokens=tokens - SAME_MESSAGE_TOKENS)
                self.known[text] = (first, later)
        return [self.known[text][not piece.is_first] for text, piece in zip(texts, pieces)]


class Conversation:
    """A recorded conversation in the shape of a target, step by step."""

    def __init__(self, messages, blocks, model):
        self.factor = model.get("factor", 1)
        self.most = model.get("max_input") or model["context_window"] - min(model["max_output"], 8_192)
        self.head, self.steps, self.is_sent = [], [], []
        # The block that stands for a result after it was cleared.
        self.cleared = {}
        # Requests of `everything` that were too long for the model, so that their oldest turns were left out.
        self.too_long = 0
        self.answers = 0
        side = None
        for step in steps(messages):
            pieces = list(pieces_of_openai(step))
            if blocks.target != "openai":
                # These have messages of two roles only, one after the other.
                for piece in pieces:
                    piece.is_first = piece.side != side
                    side = piece.side
                blocks.record(pieces)
            made = blocks.of(pieces)
            placeholders = blocks.of([
                Piece({**piece.message, "content": CLEARED}, "result", piece.is_first)
                for piece in pieces if piece.kind == "result"])
            results = [block for block in made if block.kind == "result"]
            self.cleared.update(zip(results, placeholders))
            self.answers += sum(
                block.tokens for block, piece in zip(made, pieces) if piece.message["role"] == "assistant")
            system = [block for block, piece in zip(made, pieces) if piece.message["role"] == "system"]
            self.head += system
            self.steps.append([
                block for block, piece in zip(made, pieces) if piece.message["role"] != "system"])
            self.is_sent.append(is_sent(step))

    def tokens(self, blocks):
        raw = sum(block.tokens for block in blocks) + cache_simulation.REPLY_TOKENS
        return math.ceil(raw * self.factor)

    def request(self, blocks, turn):
        """Marks stand at the end of the system text, of the request before, and of this one."""
        ends = (len(self.head), len(blocks) - len(self.steps[turn]), len(blocks))
        return cache_simulation.Request(blocks, tuple(sorted({end - 1 for end in ends if end})))

    def window(self, first, turn):
        return self.head + [block for step in self.steps[first:turn + 1] for block in step]

    def sent(self):
        return [turn for turn, is_sent in enumerate(self.is_sent) if is_sent]

    def everything(self):
        requests = []
        for turn in self.sent():
            first = 0
            while self.tokens(self.window(first, turn)) > self.most and first < turn:
                first += 1
            self.too_long += first > 0
            requests.append(self.request(self.window(first, turn), turn))
        return requests

    def last_turns(self, count):
        return [self.request(self.window(max(turn + 1 - count, 0), turn), turn) for turn in self.sent()]

    def cleared_results(self, trigger, keep, clear_at_least):
        """What the model sees if tool results are cleared by Anthropic's `clear_tool_uses_20250919`.

        https://platform.claude.com/docs/en/build-with-claude/context-editing: a prompt above the trigger has
        its tool results replaced by a placeholder, oldest first, but for those of the newest tool uses; not
        if that clears too little. The client sends the whole history, so each request is looked at anew.
        """
        requests, cleared = [], 0
        for turn in self.sent():
            blocks = self.window(0, turn)
            results = [at for at, block in enumerate(blocks) if block.kind == "result"]
            old = results[:max(len(results) - keep, 0)]
            edited = list(blocks)
            for at in old:
                edited[at] = self.cleared[blocks[at]]
            saved = self.tokens(blocks) - self.tokens(edited)
            if self.tokens(blocks) > trigger and old and saved >= clear_at_least:
                blocks, cleared = edited, cleared + 1
            requests.append(self.request(blocks, turn))
        return requests, cleared


def without_marks(requests):
    return [request._replace(marks=()) for request in requests]


def with_system_marks(requests, head):
    """Marks at the end of the system text alone."""
    return [request._replace(marks=(head - 1,) if head else ()) for request in requests]


class SelfTest(unittest.TestCase):
    """Strategies on small conversations, with a token for each character of a content."""

    MODEL = {"factor": 1, "context_window": 10_000, "max_output": 1_000}

    class Server:
        """Counts messages as `POST /tokens` does."""

        def call(self, _method, _path, body):
            return {"per_message": [3 + len(message["content"] or "call") for message in body["messages"]]}

    @staticmethod
    def kinds(request):
        return [block.kind for block in request.blocks]

    @classmethod
    def conversation(cls, turns, target="anthropic", model=None):
        messages = [text("system", "s" * 97), text("user", "u" * 97)]
        for turn in range(turns):
            messages.append(call("read", f'{{"n": {turn}}}', f"c{turn}"))
            messages.append(result("read", f"{turn}".ljust(997), f"c{turn}"))
        messages.append(text("assistant", "done"))
        return Conversation(messages, Blocks(cls.Server(), target), model or cls.MODEL)

    def test_everything_grows_by_a_turn_and_ends_before_the_last_answer(self):
        requests = self.conversation(3).everything()
        self.assertEqual([len(request.blocks) for request in requests], [2, 4, 6, 8])
        self.assertEqual([request.marks for request in requests], [(0, 1), (0, 1, 3), (0, 3, 5), (0, 5, 7)])
        # What the model of the window cannot take loses its oldest turns.
        small = self.conversation(3, model={**self.MODEL, "context_window": 3_500})
        requests = small.everything()
        self.assertEqual(small.too_long, 1)
        self.assertEqual(self.kinds(requests[-1]), ["text", "call", "result", "call", "result"])

    def test_the_last_turns_are_whole_and_keep_the_system_text(self):
        last = self.conversation(5).last_turns(2)[-1]
        self.assertEqual(self.kinds(last), ["text", "call", "result", "call", "result"])
        self.assertIn("ssss", last.blocks[0].text)
        self.assertEqual(last.marks, (0, 2, 4))

    def test_clearing_keeps_the_newest_results_and_starts_at_the_trigger(self):
        conversation = self.conversation(5)
        self.assertEqual(conversation.cleared_results(100_000, 3, 0), (conversation.everything(), 0))
        requests, cleared = conversation.cleared_results(3_500, 3, 0)
        # Four results are above the trigger, and the oldest of them is cleared; then one more.
        self.assertEqual(cleared, 2)
        is_cleared = [CLEARED in block.text for block in requests[-1].blocks if block.kind == "result"]
        self.assertEqual(is_cleared, [True, True, False, False, False])
        # One result is too little to be worth a new prefix.
        self.assertEqual(conversation.cleared_results(3_500, 3, 1_500)[1], 1)

    def test_a_payload_is_read_as_the_messages_that_it_was_made_of(self):
        mark = {"cache_control": {"type": "ephemeral"}}
        anthropic = {"system": [{"type": "text", "text": "s", **mark}], "messages": [
            {"role": "user", "content": "u"},
            {"role": "assistant", "content": [
                {"type": "tool_use", "id": "c", "name": "f", "input": {"a": 1}}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "c", "content": "r"},
                {"type": "text", "text": "t", **mark}]}]}
        gemini = {"systemInstruction": {"parts": [{"text": "s"}]}, "contents": [
            {"role": "user", "parts": [{"text": "u"}]},
            {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {"a": 1}}}]},
            {"role": "user", "parts": [
                {"functionResponse": {"name": "f", "response": {"result": "r"}}}, {"text": "t"}]}]}
        mark = {"prompt_cache_breakpoint": {"mode": "explicit"}}
        openai = {"messages": [
            {"role": "system", "content": [{"type": "text", "text": "s", **mark}]},
            {"role": "user", "content": "u"},
            call("f", '{"a":1}', "c"),
            {"role": "tool", "tool_call_id": "c", "content": [{"type": "text", "text": "r", **mark}]}]}
        request = Blocks(self.Server(), "openai").of_payload(openai)
        self.assertEqual(self.kinds(request), ["text", "text", "call", "result"])
        self.assertEqual(request.marks, (0, 3))
        for target, payload in (("anthropic", anthropic), ("gemini", gemini)):
            request = Blocks(self.Server(), target).of_payload(payload)
            self.assertEqual(self.kinds(request), ["text", "text", "call", "result", "text"])
            self.assertEqual([block.tokens for block in request.blocks], [4, 4, 7, 4, 2])
            self.assertEqual(request.marks, (0, 4) if target == "anthropic" else ())


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--self-test", action="store_true", required=True, help="check the strategies")
    arguments.parse_args()
    unittest.main(argv=["agent_requests"])
