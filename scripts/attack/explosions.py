"""Small requests that ask for a lot of text, of patterns, of depth or of work.

Each must be answered within eight times its bytes and 64 MiB, and raise the memory of the process by no more
than 24 times its bytes and 128 MiB. The server has four GiB of address space, so that what is not bounded
ends it.
"""

import json

import tally as shared
from packs import bundle, context, minimal, rule
from tally import MIB, body, post, small

ADDRESS_SPACE = 4 << 30
NOWHERE = {200, 422}


def rules():
    """JsonLogic: values that double, nest or are gone through again and again."""
    twice = [{"var": "accumulator"}, {"var": "accumulator"}]
    grown = {"reduce": [{"var": "xs"}, twice, "abcd"]}
    forty = {"xs": [0] * 40}
    deeper = {"var": "accumulator"}
    for _ in range(100):
        deeper = [deeper]
    yield "reduce nests", {"reduce": [{"var": "xs"}, deeper, 1]}, {"xs": [1] * 9_000}
    yield "reduce nests its record", {"reduce": [{"var": "xs"}, {"var": ""}, 1]}, {"xs": [1] * 3_000}
    yield "map nests", {"reduce": [{"var": "xs"}, {"map": [[{"var": "accumulator"}], {"var": ""}]}, 1]}, {
        "xs": [1] * 3_000}
    yield "reduce doubles", grown, forty
    for name, one in (("==", [grown, "a"]), ("!=", ["a", grown]), ("===", [grown, "a"]), ("cat", [grown]),
                      ("max", [grown, 1]), ("min", [1, grown]), ("<", [grown, "a"]), ("<=", ["a", grown, "b"]),
                      ("+", [grown]), ("*", [grown, 2]), ("-", [grown]), ("substr", [grown, 1, 2]),
                      ("in", [grown, "abc"]), ("in", ["a", grown]), ("var", [grown]), ("missing", [grown]),
                      ("missing_some", [1, grown]), ("merge", [grown, grown]), ("!", [grown]), ("if", [grown, 1, 2])):
        yield f"{name} of what doubled", {name: one}, forty
    cat = {"cat": twice}
    yield "cat doubles", {"reduce": [{"var": "xs"}, cat, "abcd"]}, forty
    yield "cat of a long text", {"cat": [{"var": "t"}] * 5_000}, {"t": "a" * MIB}
    yield "merge doubles", {"reduce": [{"var": "xs"}, {"merge": twice}, [1]]}, forty
    many = [1] * 200_000
    yield "map makes lists of a long list", {"map": [{"var": "xs"}, many]}, {"xs": many}
    yield "map of map of map", {"map": [{"var": "xs"}, {"map": [{"var": "ys"}, 1]}]}, {"xs": many}
    yield "a character far into a text", {"cat": [{"var": "t.1000000"}] * 100}, {"t": "a" * MIB}
    yield "all of none", {"all": [many, {"some": [many, {"none": [many, {"var": ""}]}]}]}, {}
    yield "unknown operators", {"k" * 10_000: [[{"nope": 1}] * 5_000]}, {}
    yield "operators that are nested", json.loads('{"!":' * 100 + "1" + "}" * 100), {}


def redactions():
    """Replacements that multiply, in hooks and in packs."""
    def hook(patterns, text, count=1):
        one = {"point": "transform_context", "kind": "transform", "builtin": "redact", "config": {"patterns": patterns}}
        hooks = [{"id": f"r{at}", **one} for at in range(count)]
        return "/compile", small(text, hooks=hooks, budget={"context_window": 4_000_000})

    grows = {"regex": "a", "replacement": "a" * 512}
    yield "a replacement of 512 bytes for each letter", *hook([grows], "a" * 500_000)
    yield "four of them", *hook([grows] * 4, "a" * 50_000)
    yield "32 hooks of them", *hook([grows] * 4, "a" * 1_000, 32)
    yield "a pattern that matches nothing", *hook([{"regex": "x*", "replacement": "y" * 512}], "hello" * 100_000)
    large = [{"regex": f"(?:[a-z]{{{90 + at}}}){{40}}"} for at in range(32)]
    yield "32 large patterns in each of 32 hooks", *hook([one["regex"] for one in large], "hello", 32)
    yield "32 large patterns as objects", *hook(large, "hello", 32)
    for name, one in (("a long replacement", {"id": "r", "regex": "a", "replacement": "b" * MIB}),
                      ("a short one", {"id": "r", "regex": "a", "replacement": "b" * 512})):
        yield f"a pack's redaction with {name}", "/compile", governed("a" * MIB, redaction=[one])
    yield "500 patterns of a pack", "/packs/lint", with_redaction(
        [{"id": f"r{at}", "regex": f"(?:[a-z]{{{at}}}){{40}}"} for at in range(500)])


def with_redaction(patterns):
    pack = minimal()
    pack["policy_layer"]["guardrails"]["redaction_rules"] = patterns
    return pack


def governed(text, redaction=(), change=None):
    pack = with_redaction(list(redaction))
    if change:
        change(pack)
    return {"model": "bytes4", "target": "neutral",
            "pack": {"document": pack, "run_context": context("tenant_min"),
                     "request": {"request_id": "req_1", "input": {"intent": "x", "message": "do it"}}},
            "messages": [{"role": "user", "content": text}]}


def capabilities(count, change):
    names = [f"c{at}" for at in range(count)]

    def fill(pack):
        pack["tooling_layer"] = {
            "adapter_registry": [{"adapter_id": "a", "type": "OPENAPI", "endpoint_ref": "internal://a",
                                  "approval_mode": "read_only", "capabilities": names}],
            "permissions": [{"permission_id": name, "adapter_id": "a", "capability": name, "allow": True}
                            for name in names]}
        change(pack)
    return "/compile", governed("do it", change=fill)


def packs():
    """Names and constraints of a pack that stand in every line of a ledger."""
    long, keys = "n" * 100_000, [f"a.c{at}" for at in range(400)]
    deny, many = {"allow": False}, [rule(f"r{at}", "", True, {"allow": False}) for at in range(400)]

    def rules_of(first):
        return lambda pack: pack["policy_layer"].update(policy_bundles=[bundle("b", 1, [first, *many])])

    yield "a rule with a long name", *capabilities(400, rules_of(rule(long, "", True, deny)))
    yield "a gate with a long name", *capabilities(400, lambda pack: pack["policy_layer"].update(approval_gates=[
        {"gate_id": long, "required_approver_role": "x", "applies_to": {"capabilities": keys}}]))
    yield "an adapter with a long name", *capabilities(
        400, lambda pack: pack["tooling_layer"]["adapter_registry"][0].update(adapter_id=long))
    for size in (1_000, 500_000):
        then = {"allow": True, "targets": keys, "arg_constraints": {"note": {"const": "v" * size}}}
        yield f"a constraint of {size} bytes for 400 tools", *capabilities(400, lambda pack, then=then: pack[
            "policy_layer"].update(policy_bundles=[bundle("b", 1, [rule("r", "", True, then)])]))


def skills():
    """Arguments that are put in again and again."""
    every = "$ARGUMENTS " * 5_000
    for name, instructions, args, more in (
            ("a long list of arguments 5,000 times", every, "a " * MIB, {}),
            ("an argument of 60 kB 5,000 times", every, "a" * 60_000, {}),
            ("a variable of variables", "${a}" * 1_000, "a" * 60_000, {"a": every}),
            ("a variable of itself", "${a}" * 1_000, "", {"a": "${a}${a}"}),
            ("numbered arguments", "$0 $1 $2 " * 5_000, "b" * 60_000, {})):
        skill = {"name": "s", "instructions": instructions, "args": args, "vars": more}
        yield f"a skill with {name}", "/compile", small(skill=skill)


def calls(schema, arguments, count):
    one = {"type": "function", "function": {"name": "t", "arguments": json.dumps(arguments)}}
    return "/tools/calls", {"source": "openai", "calls": [{"id": f"c{at}", **one} for at in range(count)],
                            "tools": [{"type": "function", "function": {"name": "t", "parameters": schema}}]}


def schemas():
    """Schemas with thousands of patterns, and reasons that would quote all of a schema."""
    def of(form):
        return {"type": "object", "properties": {"a": form}}

    patterns = [{"pattern": f"(?:a?){{1300}}{at}"} for at in range(40_000)]
    yield "40,000 patterns", *calls(of({"allOf": patterns}), {"a": "aaaa"}, 1)
    yield "a thousand names by pattern", *calls(
        {"type": "object", "patternProperties": {f"(?:a?){{900}}{at}": {} for at in range(1_000)}}, {"a": 1}, 16)
    long = [f"{at}" + "v" * 100_000 for at in range(50)]
    for name, form in (("a long const", {"const": "v" * 5_000_000}), ("a long enum", {"enum": long}),
                       ("a long pattern", {"pattern": "^" + "v" * 5_000 + "$"}),
                       ("long names", {"type": "object", "required": long})):
        yield f"reasons that quote {name}", *calls(of({"type": "array", "items": form}),
                                                   {"a": [str(at) for at in range(40)]}, 16)
    deep = {"type": "string"}
    for _ in range(60):
        deep = {"anyOf": [deep, deep]} if len(json.dumps(deep)) < 200_000 else {"not": deep}
    yield "choices that double", *calls(of(deep), {"a": 1}, 64)
    circle = {"$defs": {"n": {"anyOf": [{"$ref": "#/$defs/n"}, {"$ref": "#/$defs/n"}]}}, "$ref": "#/$defs/n"}
    yield "a reference to itself", *calls(circle, {"a": 1}, 16)
    back = {"$defs": {f"n{at}": {"allOf": [{"$ref": f"#/$defs/n{at + 1}"}] * 2} for at in range(40)},
            "$ref": "#/$defs/n0"}
    back["$defs"]["n40"] = {"type": "string"}
    yield "references that double", *calls(back, {"a": 1}, 16)


def results():
    """Many hooks on many results, keys that are listed, and names that are searched for."""
    hooks = [{"id": f"r{at}", "point": "tool_result", "kind": "transform", "builtin": "redact",
              "config": {"patterns": ["email"]}} for at in range(32)]
    for count in (1_000, 9_000):
        asked = [{"id": f"c{at}", "type": "function", "function": {"name": "t", "arguments": "{}"}}
                 for at in range(count)]
        told = [{"role": "tool", "tool_call_id": f"c{at}", "content": "x"} for at in range(count)]
        list_ = [{"role": "user", "content": "x"}, {"role": "assistant", "content": None, "tool_calls": asked}, *told]
        yield f"32 hooks on {count} results", "/compile", {"target": "openai", "messages": list_, "hooks": hooks}
    writes = [{"id": f"c{at}", "type": "function", "function": {
        "name": "create_memory", "arguments": '{"key": "zz", "value": "v"}'}} for at in range(256)]
    yield "a list of keys in each denial", "/tools/calls", {
        "source": "openai", "calls": writes, "allowed_keys": [f"k{at}" + "x" * 200 for at in range(1_000)]}
    yield "a gateway's tool named again and again", "/v1/compress", {
        "messages": [{"role": "user", "content": "headroom_retrieve" * 15_000}]}
    yield "repeats over MCP", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "expand", "arguments": {"text": "§repeat 1 ×430000\n" + "\u0001" * 9}}}
    unknown = {f"k{at}": 0 for at in range(5_000)}
    yield "5,000 unknown keys", "/compile", {**unknown, **small()}
    yield "a window of two billion", "/compile", small("x", budget={"context_window": 2_000_000_000})
    yield "a tag of a megabyte", "/compile", small(output={"tag": "t" * MIB})
    yield "state that is nested", "/compile", small(dynamic_state=json.loads('{"a":' * 60 + "1" + "}" * 60))
    yield "state with long names", "/compile", small(dynamic_state={"n" * 50_000: [0] * 20_000})


def artifacts(tally, node):
    """One artifact that is read many times, and all of its lines at once."""
    text = "0123456789abcde\n" * (MIB // 2)
    made = json.loads(post(node, "/artifacts", text.encode(), {"content-type": "text/plain"})[1])["id"]
    one = {"type": "function", "function": {"name": "context_read", "arguments": json.dumps({"id": made})}}
    sent = body({"source": "openai", "calls": [{"id": f"c{at}", **one} for at in range(256)]})
    tally.bounded(node, "an artifact that is read 256 times", len(sent), NOWHERE, lambda: post(node, "/tools/calls", sent))
    lines = "a\n" * (4 * MIB)
    made = json.loads(post(node, "/artifacts", lines.encode(), {"content-type": "text/plain"})[1])["id"]
    tally.bounded(node, "four million lines that match", 0, NOWHERE,
                  lambda: post(node, f"/artifacts/{made}?query=a", None, method="GET"))
    sent = body({"hash": made, "query": "a"})
    tally.bounded(node, "four million lines by a gateway", len(sent), NOWHERE, lambda: post(node, "/v1/retrieve", sent))


def run(tally):
    cases = [(f"rule: {name}", "/policy/evaluate", {"rule": one, "data": data}) for name, one, data in rules()]
    for family in (redactions, packs, skills, schemas, results):
        cases += [(f"{family.__name__}: {name}", path, value) for name, path, value in family()]
    prefix = ["prlimit", f"--as={ADDRESS_SPACE}"]
    with tally.server("--dev", prefix=prefix) as node:
        post(node, "/compile", small())
        for what, path, value in tally.sample(cases, 24):
            sent = body(value)
            headers = {"accept": "application/json, text/event-stream"}
            tally.bounded(node, what, len(sent), None, lambda: post(node, path, sent, headers), 65)
        artifacts(tally, node)


if __name__ == "__main__":
    shared.main(run)
