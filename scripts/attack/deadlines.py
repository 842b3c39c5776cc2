"""Work of one request that goes on past its deadline, or after its caller has gone.

Each asks for two seconds. It must be answered within those and a margin, refused or done; and once the caller
closes its connection, no thread may be at work on it a moment later. The server has two threads that compute.
"""

import time

import tally as shared
from explosions import calls, governed, with_redaction
from packs import bundle, rule
from tally import MIB, body, connect, post, small

DEADLINE_MS = 2000
# What may pass between the deadline and the answer: reading the body, and one piece of work.
MARGIN_SECONDS = 2.0


def cases():
    # One check may look at eight million values, and a request has 256 calls that are checked.
    for count, items in ((100_000, 70), (7_000, 1_000)):
        for form, make in (("texts", lambda at: f"{'v' * 40}{at}"), ("objects", lambda at: {"k": "v" * 9, "n": at})):
            schema = {"type": "object", "properties": {"a": {"type": "array", "items": {
                "enum": [make(at) for at in range(count)]}}}}
            yield f"an enum of {count} {form} for {items} items of 256 calls", *calls(
                schema, {"a": [make(count + at) for at in range(items)]}, 256)
    thing = {f"k{at}": at for at in range(1_000)}
    yield "a const object of 1,000 members for 4 items of 256 calls", *calls(
        {"type": "object", "properties": {"a": {"type": "array", "items": {"allOf": [{"const": thing}] * 100}}}},
        {"a": [{**thing, "k999": "x"}] * 4}, 256)
    yield "unique items that are objects", *calls(
        {"type": "object", "properties": {"a": {"type": "array", "uniqueItems": True}}},
        {"a": [{"k": at, "v": "x" * 40} for at in range(60_000)]}, 1)
    tools = [{"type": "function", "tags": [f"tag {at} {tag}" for tag in range(500)],
              "function": {"name": f"t{at}", "parameters": {"type": "object"}}} for at in range(1_000)]
    yield "500,000 tags for a task of 100 kB", "/compile", small(
        tools={"list": tools, "prune": {"task": "a task without any of these " * 4_000}})
    text = "a" * (2 * MIB)
    for count, size in ((3_000, 2_000), (50, 100_000), (2, 1_000_000)):
        yield f"rules that search for {count} texts of {size} bytes", "/policy/evaluate", {
            "rule": {"or": [{"in": ["a" * size + f"b{at}", {"var": "t"}]} for at in range(count)]},
            "data": {"t": text}}
    yield "rules that search a long text again and again", "/policy/evaluate", {
        "rule": {"some": [{"var": "xs"}, {"in": [{"var": ""}, text]}]},
        "data": {"xs": ["a" * 100 + f"b{at}" for at in range(3_000)]}}
    yield "rules that read numbers in long texts", "/policy/evaluate", {
        "rule": {"some": [{"var": "xs"}, {"<": [{"var": ""}, "1" * (2 * MIB)]}]}, "data": {"xs": list(range(3_000))}}
    yield "rules that compare long texts", "/policy/evaluate", {
        "rule": {"map": [{"var": "xs"}, {"==": [{"var": ""}, text]}]}, "data": {"xs": [text[:-1] + "b"] * 5}}
    yield "rules that cut long texts", "/policy/evaluate", {
        "rule": {"some": [{"var": "xs"}, {"!": [{"substr": ["\u00e4" * MIB, {"var": ""}, 1]}]}]},
        "data": {"xs": list(range(3_000))}}
    pack_rules = [rule(f"r{at}", "", {"in": [f"{'a' * 5_000}b{at}", {"var": "request.input.message"}]}, {"allow": False})
                  for at in range(400)]
    own = governed("x", change=lambda pack: pack["policy_layer"].update(
        policy_bundles=[bundle("b", 1, pack_rules)]))
    own["pack"]["request"]["input"]["message"] = text
    yield "400 rules of a pack that search a long text", "/compile", own
    redact = {"id": "r", "point": "transform_context", "kind": "transform", "builtin": "redact",
              "config": {"patterns": [{"regex": "a", "replacement": "b"}]}}
    yield "a redaction with two million matches", "/compile", small(
        "a " * 2_000_000, hooks=[redact], budget={"context_window": 8_000_000})
    yield "300,000 unknown keys", "/compile", {**small(), **{f"messagez{at}": 0 for at in range(300_000)}}
    yield "300,000 unknown keys of one message", "/compile", {
        "messages": [{"role": "user", "content": "x", **{f"contenz{at}": 0 for at in range(300_000)}}], "target": "openai"}
    yield "300,000 names to protect", "/compile", small(protect={"messages": [f"m{at}" for at in range(300_000)]})
    yield "a pack with 3,000 redactions", "/packs/lint", with_redaction(
        [{"id": f"r{at}", "regex": f"(a|b){{{at % 90}}}"} for at in range(3_000)])
    words = " ".join(f"{at * 2654435761 % 2**32:x}" for at in range(1_500_000))
    yield "a conversation of 13 MB", "/compile", small(words, budget={"context_window": 100_000})
    yield "a text of 13 MB", "/compress", {"text": words}


def leave(node, path, sent):
    """Sends a request and goes away before it is done."""
    with connect(node) as one:
        one.sendall(f"POST {path} HTTP/1.1\r\nhost: t\r\ncontent-type: application/json\r\nauthorization: Bearer "
                    f"{'b' * 40}\r\ncontexture-deadline-ms: 60000\r\ncontent-length: {len(sent)}\r\n\r\n".encode())
        try:
            one.sendall(sent)
        except OSError:
            # Refused while it was sent.
            pass
        time.sleep(0.5)


def run(tally):
    with tally.server("--dev", "--workers", "2") as node:
        post(node, "/compile", small())
        for what, path, value in tally.sample(cases(), 4):
            sent = body(value)
            headers = {"contexture-deadline-ms": str(DEADLINE_MS)}
            # A conversation that is too long for its time is refused with `deadline`.
            answers = []

            def ask():
                answers.append(post(node, path, sent, headers))
                return answers[0]

            tally.bounded(node, what, len(sent), {200, 422, 504}, ask, DEADLINE_MS / 1000 + MARGIN_SECONDS)
            tally.settled(node, f"{what}: after its answer")
            # The server had nothing else to do, so a thread was free.
            told = answers[0][1] if answers else b""
            tally.case(f"{what}: its cause", b"before a thread was free" not in told, told[:300])
            leave(node, path, sent)
            tally.settled(node, f"{what}: the caller has gone")


if __name__ == "__main__":
    shared.main(run)
