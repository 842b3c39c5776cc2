"""Conversations and tools that are hard to bring into what a provider takes.

Schemas whose references chain, double or form circles, names that collide, calls and results without each
other, media whose headers lie, marks and thinking in great number: each is compiled for the target that has the
most to do with it. It must be answered by its deadline and within its memory, and no thread may be at work on it
after that.
"""

import base64
import json
import struct
import zlib

import tally as shared
from tally import MIB, body, post, small

DEADLINE_MS = 4000
SECONDS = 6.0
WINDOW = {"context_window": 50_000_000}
TARGETS = ("openai", "openai_responses", "anthropic", "gemini")


def tool(schema, name="t", **more):
    return {"type": "function", "function": {"name": name, "description": "d", "parameters": schema, **more}}


def with_tools(target, tools, **more):
    return small("x", target=target, tools=tools, budget=WINDOW, **more)


def listed(target, messages, **more):
    return {"target": target, "messages": messages, "budget": WINDOW, "record": "none", **more}


def schemas():
    """Name and schema: each makes another step of the rewriting long."""
    def definitions(count, of, name="n0"):
        return {"type": "object", "properties": {"a": {"$ref": f"#/$defs/{name}"}},
                "$defs": {f"n{at}": of(at) for at in range(count)}}

    leaf = {"type": "string"}
    yield "a chain of 20,000 references", definitions(
        20_000, lambda at: {"$ref": f"#/$defs/n{at + 1}"} if at < 19_999 else leaf)
    doubles = definitions(41, lambda at: {"anyOf": [{"$ref": f"#/$defs/n{at + 1}"}] * 2} if at < 40 else leaf)
    yield "references that double", doubles
    yield "references that double, at the top", {"$defs": doubles["$defs"], "$ref": "#/$defs/n0"}
    yield "300 definitions that each lead to all", definitions(300, lambda at: {
        "type": "object", "required": [f"p{to}" for to in range(300)],
        "properties": {f"p{to}": {"$ref": f"#/$defs/n{to}"} for to in range(300)}})
    yield "a circle of 20,000 definitions", definitions(20_000, lambda at: {
        "type": "object", "required": ["p"], "properties": {"p": {"$ref": f"#/$defs/n{(at + 1) % 20_000}"}}})
    yield "references through properties, not definitions", {"type": "object", "properties": {
        f"p{at}": {"$ref": f"#/properties/p{at + 1}/properties/q"} if at < 5_000 else leaf for at in range(5_001)}}
    yield "a pointer of a megabyte", {"type": "object", "properties": {"a": {"$ref": "#/" + "a~1/" * (MIB // 4)}}}
    branch = [{"type": "object", "properties": {f"p{at}_{n}": leaf for n in range(200)}, "required": [f"p{at}_0"]}
              for at in range(1_000)]
    yield "a union of 1,000 objects at the top", {"anyOf": branch}
    nested = {"type": "object", "properties": {"z": leaf}}
    for at in range(40):
        nested = {"allOf": [nested, {"oneOf": [{"type": "object", "properties": {f"q{at}": leaf}}] * 2}]}
    yield "unions of unions, 40 deep", nested
    same = {"type": "object", "properties": {"a": {"enum": list(range(2_000))}}}
    yield "a union of 1,000 objects that are the same", {"oneOf": [same] * 1_000}
    yield "100,000 names that are refused", {"type": "object", "properties": {f"a b {at}": leaf for at in range(100_000)}}
    yield "50,000 names that are the same when they are cut", {
        "type": "object", "properties": {"x" * 64 + str(at): leaf for at in range(50_000)}}
    yield "names that are taken by what others become", {
        "type": "object", "properties": {name: leaf for at in range(30_000) for name in (f"a.{at}!", f"a.{at}_", f"a.{at}?")}}
    yield "an enum of 300,000 values of all kinds", {"type": "object", "properties": {"a": {
        "enum": [at if at % 3 else (str(at) if at % 2 else {"k": at}) for at in range(300_000)]}}}
    yield "300,000 required names that are not there", {
        "type": "object", "properties": {"a": leaf}, "required": [f"r{at}" for at in range(300_000)]}
    old = {"id": "http://x/", "definitions": {f"n{at}": {
        "id": f"#n{at}", "type": "number", "minimum": 1, "exclusiveMinimum": True, "dependencies": {"a": ["b"]},
        "items": [leaf, leaf], "additionalItems": False} for at in range(30_000)}}
    yield "30,000 definitions of an old draft", {"type": "object", "properties": {"a": {"$ref": "#/definitions/n0"}}, **old}
    lists = {"type": "array"}
    for at in range(25):
        lists = {"type": "object", "properties": {"a": {"type": "array", "items": lists}, "b": lists if at < 12 else leaf}}
    yield "lists without items, in lists", lists
    yield "100,000 members beside a reference", definitions(1, lambda _: leaf) | {"properties": {
        "a": {"$ref": "#/$defs/n0", **{f"x-{at}": at for at in range(100_000)}}}}


def tools():
    small_ = {"type": "object", "properties": {"a": {"type": "string"}}}
    yield "1,000 tools of one name", "gemini", [tool(small_) for _ in range(1_000)]
    yield "1,000 tools whose names differ late", "anthropic", [tool(small_, "n" * 64 + str(at)) for at in range(1_000)]
    yield "1,000 tools whose names are refused", "openai", [tool(small_, f"ä {at} ö" * 50) for at in range(1_000)]
    yield "1,000 functions of a group of one name", "anthropic", [
        {"type": "namespace", "name": "g", "description": "d", "tools": [
            {"type": "function", "name": "t", "parameters": small_} for _ in range(1_000)]}]
    wide = {"type": "object", "properties": {f"p{at}": {"type": "object", "properties": {}} for at in range(20_000)}}
    yield "a strict tool of 20,000 members", "openai", [tool(wide, strict=True)]
    yield "500 strict tools", "openai_responses", [
        {"type": "function", "name": f"t{at}", "parameters": small_, "strict": True} for at in range(500)]


def call_of(at, name="t", arguments="{}"):
    return {"id": f"c{at}", "type": "function", "function": {"name": name, "arguments": arguments}}


def calls():
    """Calls and results that do not belong to each other."""
    user = {"role": "user", "content": "x"}
    many = 20_000
    said = {"role": "assistant", "content": None, "tool_calls": [call_of(at) for at in range(many)]}
    results = [{"role": "tool", "tool_call_id": f"c{at}", "content": "r"} for at in range(many)]
    yield "20,000 results in the wrong order", listed("anthropic", [user, said, *reversed(results)])
    yield "20,000 calls without a result", listed("gemini", [user, said, user])
    yield "50,000 results without a call", listed("anthropic", [user, *results, *results])
    one_id = {"role": "assistant", "content": None, "tool_calls": [{**call_of(0)} for _ in range(many)]}
    yield "20,000 calls of one id", listed("openai_responses", [user, one_id, *[{**results[0]} for _ in range(many)]])
    yield "20,000 turns with calls of one id", listed("anthropic", [user] + [
        message for _ in range(many) for message in (
            {"role": "assistant", "content": None, "tool_calls": [call_of(0)]}, results[0])])
    yield "20,000 ids that a provider refuses", listed("anthropic", [user, {
        "role": "assistant", "content": None, "tool_calls": [{**call_of(0), "id": f"é {at} !"} for at in range(many)]},
        *[{"role": "tool", "tool_call_id": f"é {at} !", "content": "r"} for at in range(many)]])
    parts = [{"functionCall": {"name": "t", "args": {}}} for _ in range(many)]
    answers = [{"functionResponse": {"name": "t", "response": {"r": at}}} for at in range(many)]
    yield "20,000 calls of Gemini without ids", {
        "target": "openai", "source": "gemini", "budget": WINDOW, "record": "none", "messages": [
            {"role": "user", "parts": [{"text": "x"}]}, {"role": "model", "parts": parts},
            {"role": "user", "parts": answers}]}
    halves = [{"type": "server_tool_use", "id": f"srv{at}", "name": "web_search", "input": {}} for at in range(many)]
    found = [{"type": "web_search_tool_result", "tool_use_id": f"srv{at}", "content": []} for at in reversed(range(many))]
    yield "20,000 halves of a server's calls, reversed", listed("openai", [
        user, {"role": "assistant", "content": halves + found}], source="anthropic")
    items = [{"type": "reasoning", "id": f"rs{at}", "summary": [], "encrypted_content": "e" * 100} if at % 2 else
             {"type": "item_reference", "id": f"it{at}"} for at in range(40_000)]
    yield "40,000 items of reasoning and references", listed("anthropic", [
        {"type": "message", "role": "user", "content": "x"}, *items], source="openai_responses")
    shells = [{"type": kind, "call_id": f"s{at % 5_000}", "id": f"i{at}", "action": {"commands": ["x"]}, "output": []}
              for at in range(20_000) for kind in ("shell_call", "shell_call_output")]
    yield "40,000 halves of shell calls, each id four times", listed("openai_responses", [
        {"type": "message", "role": "user", "content": "x"}, *shells], source="openai_responses")
    thinking = [{"type": "thinking", "thinking": f"t{at}", "signature": "s" * 200} if at % 3 else
                {"type": "redacted_thinking", "data": "d" * 200} for at in range(20_000)]
    yield "20,000 blocks of thinking", listed("anthropic", [
        user, {"role": "assistant", "content": [*thinking, {"type": "text", "text": "y"}]}, user],
        source="anthropic", model="claude-opus-4-5")
    yield "20,000 turns of thinking", listed("anthropic", [
        message for at in range(10_000) for message in (
            {"role": "user", "content": f"u{at}"},
            {"role": "assistant", "content": [{"type": "thinking", "thinking": "t", "signature": f"s{at}" * 20},
                                              {"type": "text", "text": "y"}]})] + [user],
        source="anthropic", model="claude-opus-4-5")


def marks():
    parts = [{"type": "text", "text": "t", "cache_control": {"type": "ephemeral", "ttl": ("5m", "1h")[at % 2]}}
             for at in range(60_000)]
    for target in ("anthropic", "openai_responses"):
        yield f"60,000 marks for {target}", listed(target, [{"role": "user", "content": parts}], source="anthropic",
                                                  cache={"auto": True})
    yield "60,000 system messages between others", listed("gemini", [
        message for at in range(30_000) for message in (
            {"role": "user", "content": f"u{at}"}, {"role": "system", "content": f"s{at}"})])
    audio = {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}}
    yield "100,000 parts that the target does not take", listed("anthropic", [{"role": "user", "content": [audio] * 100_000}])
    yield "a name of surrogate halves", json.dumps(
        listed("anthropic", [{"role": "user", "content": "x"}], tools=[tool({"type": "object"}, "NAME")])).encode().replace(
            b"NAME", b"\\ud83d" * 500_000)
    yield "replies that are expected without end", small("word " * 100_000, budget={"context_window": 20_000},
                                                         compression={"expected_requests": 10**18})


def png(width, height, more=b""):
    head = struct.pack("!IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + struct.pack("!I", 13) + b"IHDR" + head + struct.pack("!I", zlib.crc32(b"IHDR" + head)) + more


def media():
    """Images and documents whose size is read from their bytes."""
    def shown(kind, data, count=1):
        image = {"type": "image_url", "image_url": {"url": f"data:{kind};base64,{base64.b64encode(data).decode()}"}}
        return [{"role": "user", "content": [image] * count}]

    yield "an image of four thousand million lines", listed("anthropic", shown("image/png", png(2**32 - 1, 2**32 - 1), 1))
    yield "20,000 images of no width", listed("openai", shown("image/png", png(0, 0), 20_000))
    yield "a JPEG of a million empty segments", listed("anthropic", shown("image/jpeg", b"\xff\xd8" + b"\xff\xe0\x00\x02" * MIB))
    yield "a JPEG of fill bytes", listed("anthropic", shown("image/jpeg", b"\xff\xd8" + b"\xff" * (4 * MIB)))
    yield "a JPEG whose segments have no length", listed("openai", shown("image/jpeg", b"\xff\xd8" + b"\xff\xe1\x00\x00" * MIB))
    yield "a WebP of a million empty chunks", listed(
        "gemini", shown("image/webp", b"RIFF" + struct.pack("<I", 2**32 - 1) + b"WEBP" + b"EXIF\0\0\0\0" * (MIB // 2)))
    yield "a GIF of nothing but a head", listed("openai", shown("image/gif", b"GIF89a" + b"\xff" * (4 * MIB)))

    def paper(data):
        return [{"role": "user", "content": [{"type": "document", "source": {
            "type": "base64", "media_type": "application/pdf", "data": base64.b64encode(data).decode()}}]}]

    for name, data in (("pages", b"/Type /Page " * (MIB // 2)), ("counts", b"/Count 99999999999999999999 " * (MIB // 4)),
                       ("dictionaries that nest", b"<<" * (3 * MIB)), ("comments", b"%" * (6 * MIB)),
                       ("names without an end", b"/" + b"T" * (6 * MIB)), ("blanks after a name", b"/Type" + b" " * (6 * MIB)),
                       ("names and blanks", (b"/Type" + b" " * 5_000) * 1_200)):
        yield f"a PDF of {name}", listed("anthropic", paper(b"%PDF-1.7\n" + data), source="anthropic")
    yield "a media type of a megabyte", listed("gemini", [{"role": "user", "content": [{
        "type": "image_url", "image_url": {"url": f"data:image/{'x' * MIB};base64,AAAA"}}]}])
    yield "100,000 data addresses that are none", listed("anthropic", [{"role": "user", "content": [
        {"type": "image_url", "image_url": {"url": "data:"}}] * 100_000}])


def cases():
    for name, schema in schemas():
        for target in TARGETS:
            yield f"{name}, for {target}", with_tools(target, [tool(schema)])
    for name, target, list_ in tools():
        yield name, with_tools(target, list_)
    for part in (calls(), marks(), media()):
        yield from part


def run(tally):
    with tally.server() as node:
        post(node, "/compile", small())
        headers = {"contexture-deadline-ms": str(DEADLINE_MS)}
        for what, value in tally.sample(cases(), 12):
            sent = body(value)
            tally.bounded(node, what, len(sent), {200, 413, 422, 504},
                          lambda: post(node, "/compile", sent, headers), SECONDS)
            tally.settled(node, f"{what}: after its answer")


if __name__ == "__main__":
    shared.main(run)
