"""Patterns of strangers: long to compile, or long to search with, wherever a request may bring some.

Each pattern is one whose automaton has many states, over a text that keeps all of them alive. It must be
refused, or be done by its deadline and within its memory, and no thread may be at work on it after that.
"""

import itertools
import json

import tally as shared
from explosions import calls, governed
from harness import call
from tally import MIB, body, post, reset_peak, small

DEADLINE_MS = 2000
SECONDS = 4.0
HOOKS = 60
HOOKS_MAX_MIB = 256


def patterns():
    for count in (100, 1_000, 3_000, 10_000):
        yield f"two ways, {count} times", f"(a|b)*a(a|b){{{count}}}z"
    yield "any word of Unicode", r"(\w+\s*){200}z"
    yield "classes without case", r"(?i)(\pL\pN){100}z"
    yield "nested repeats", "((a?){50}){50}z"
    yield "starts everywhere", "(.*a){30}z"
    yield "many choices", "|".join(f"a{{{at}}}z" for at in range(1, 60))
    yield "a look back that is none", "(a*)*" * 20 + "z"


def texts():
    bits = "".join("ab"[at * 2654435761 >> 13 & 1] for at in range(4096))
    yield "bits", bits * (2 * MIB // 4096)
    yield "one letter", "a" * (2 * MIB)


def places():
    """Name, path and body of each place that takes a pattern, by pattern and text."""
    yield "protect.patterns", lambda pattern, text: (
        "/compile", small(text, protect={"patterns": [{"regex": pattern}]}, budget={"context_window": 8_000_000}))
    yield "protect.patterns of /compress", lambda pattern, text: (
        "/compress", {"text": text, "protect": {"patterns": [{"regex": pattern}]}})
    yield "a redact hook", lambda pattern, text: (
        "/compile", small(text, budget={"context_window": 8_000_000}, hooks=[
            {"id": "r", "point": "transform_context", "kind": "transform", "builtin": "redact",
             "config": {"patterns": [{"regex": pattern, "replacement": "x"}]}}]))
    yield "an adapter", lambda pattern, text: (
        "/compress", {"text": text, "level": "reversible", "adapters": [
            {"name": "own", "detect": {"regex": pattern}, "keep": [{"regex": pattern}]}]})
    yield "a schema", lambda pattern, text: calls(
        {"type": "object", "properties": {"a": {"pattern": pattern}}}, {"a": text}, 1)
    yield "names of a schema", lambda pattern, text: calls(
        {"type": "object", "patternProperties": {pattern: {}}}, {f"{text[:500]}{at}": 0 for at in range(4_000)}, 1)
    yield "a hook's match", lambda pattern, text: ("/compile", matched(pattern, text))
    yield "a pack's redaction", lambda pattern, text: (
        "/compile", governed(text, redaction=[{"id": "r", "regex": pattern, "replacement": "x"}]))


def matched(pattern, text):
    """A result of a call whose arguments a hook has to match."""
    call_ = {"id": "c", "type": "function", "function": {"name": "t", "arguments": json.dumps({"a": text})}}
    hook = {"id": "m", "point": "tool_result", "kind": "transform", "builtin": "redact",
            "config": {"patterns": ["email"]}, "match": {"args": [{"path": "/a", "op": "regex", "value": pattern}]}}
    return {"target": "openai", "hooks": [hook], "budget": {"context_window": 8_000_000}, "messages": [
        {"role": "user", "content": "x"}, {"role": "assistant", "content": None, "tool_calls": [call_]},
        {"role": "tool", "tool_call_id": "c", "content": "done"}]}


def all_at_once(form, count, is_governed):
    """As many patterns as a request may have, in every place that takes some, over one text."""
    def of(what, number, **more):
        return [{"regex": form.format(what=what, at=at), **more} for at in range(number)]

    text = "abcdefghij klmno 0123456789 " * 20_000
    redaction = [{"id": f"r{at}", **one} for at, one in enumerate(of("p", count, replacement="x"))]
    made = governed(text, redaction=redaction) if is_governed else small(text)
    hooks = [{"id": f"r{at}", "point": "transform_context", "kind": "transform", "builtin": "redact",
              "config": {"patterns": of(f"h{at}", min(count, 32), replacement="x")}} for at in range(8)]
    adapters = [{"name": f"own{at}", "detect": {"regex": form.format(what=f"a{at}", at=0)}, "keep": of(f"k{at}", min(count, 7))}
                for at in range(8)]
    return {**made, "hooks": hooks, "compression": {"adapters": adapters},
            "protect": {"patterns": of("q", min(count, 32))}, "budget": {"context_window": 8_000_000}}


def sums(tally, node):
    """Patterns of all places together take memory while they search; each place has a sum of its own."""
    for name, form in (("words", "{what}word{at}"), ("classes", "[a-z{what}]{{1,9}}[^x]{at}"),
                       ("words of Unicode", "(?i){what}\\d{at}"), ("looks at both ends", "\\b{what}.*{at}$")):
        for count, is_governed in ((500, True), (32, True), (32, False)):
            sent = body(all_at_once(form, count, is_governed))
            what = f"{count} patterns in each place at once: {name}{', with a pack' if is_governed else ''}"
            tally.bounded(node, what, len(sent), {200, 403, 422, 504}, lambda: post(node, "/compile", sent, {
                "contexture-deadline-ms": str(2 * DEADLINE_MS)}), 2 * SECONDS)
            tally.settled(node, f"{what}: after its answer")


def stored_hooks(tally):
    """A tenant stores many hooks with such patterns: its first compile compiles all of them, or none."""
    with tally.server("--dev") as node:
        stored, form = 0, None
        for at in range(HOOKS):
            # The most that one hook may hold, which the first finds out.
            for times, count in [form] if form else itertools.product((10_000, 3_000, 1_000, 300, 100), (32, 8, 4, 1)):
                config = {"patterns": [{"regex": f"(a|b)*a(a|b){{{times + at}}}z{number}"} for number in range(count)]}
                made = node.call("POST", "/hooks", {"id": f"r{at}", "point": "transform_context", "kind": "transform",
                                                    "builtin": "redact", "config": config})[0]
                if made == 201:
                    stored, form = stored + 1, (times, count)
                    break
        node.end()
        node.start()
        shared.until(lambda: call(node.port, "GET", "/readyz", key=None)[0] == 200, 20)
        before = reset_peak(node)
        status, read = post(node, "/compile", small("abab"))
        grown = (node.figure("VmHWM") - before) / 1024
        tally.case(f"{HOOKS} stored redact hooks with patterns", stored and grown <= HOOKS_MAX_MIB and status < 500,
                   f"{stored} stored of {form}, then {status} and {grown:.0f} MiB more, {read[:200]}", mib=grown)
        tally.alive(node, "stored redact hooks")


def run(tally):
    with tally.server("--dev") as node:
        post(node, "/compile", small())
        cases = [(f"{place}: {name}, {what}", make, pattern, text) for place, make in places()
                 for name, pattern in patterns() for what, text in texts()]
        for what, make, pattern, text in tally.sample(cases, 8):
            path, value = make(pattern, text)
            sent = body(value)
            headers = {"contexture-deadline-ms": str(DEADLINE_MS)}
            tally.bounded(node, what, len(sent), {200, 403, 422, 504},
                          lambda: post(node, path, sent, headers), SECONDS)
            tally.settled(node, f"{what}: after its answer")
        sums(tally, node)
    stored_hooks(tally)


if __name__ == "__main__":
    shared.main(run)
