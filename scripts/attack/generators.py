"""Texts that are hard for one of the readers of `/compress`, three megabytes each.

A generator is a piece that is repeated, nested, grown or left open. Each text must be answered within three
seconds by a release build, and within its memory.
"""

import base64
import itertools
import json
import random

import tally as shared
from tally import body, post, small

BYTES = 3_000_000
MAX_SECONDS = 3.0


def filled(piece):
    """As many of a piece as make three megabytes of JSON."""
    return piece * (BYTES // (len(json.dumps(piece, ensure_ascii=False).encode()) - 2))


def lines(make):
    """Lines by their number, until there are enough bytes."""
    out, size = [], 0
    for at in itertools.count():
        line = make(at)
        out.append(line)
        size += len(line.encode()) + 1
        if size >= BYTES:
            return "\n".join(out)
    return ""


# Pieces that are repeated as they are.
REPEATED = ["a", " ", "\n", "-", "=", "0", "\u00e9", "\u6f22", "\U0001f600", "\u200b", "\u0301", "\"", "\\", "\t", "\r\n",
            "\x1b[31m", "\u202e", "\0", "\u00a7", "\u00a7= result 1\n", "\u00a7repeat 2 \u00d79\nx\n", "<", ">", "&amp;", "[", "]", "{",
            "}", "()", "`", "``` ", "```rs\nx\n", "~~~\n", "# ", "* ", "> ", "|", "|-|-|\n", "- ", "1. ", "\"a\\", "'", "a,",
            "a,b\n", "a;b\n", "\"a\"\"b\",", "<a>", "<a>\n", "</a>", "<a b='", "<!--", "<!--\n", "<![CDATA[", "<?x ", "<!DOCTYPE ",
            "&lt;", "{\"a\":", "[1,\n", "{}\n", "[[", "\\u0000", "a: b\n", "a:\n ", "- - ", "&a *a ", "? ", "!!x ", "| \n", "---\n",
            "+", "@@ -1 +1 @@\n", "diff --git a b\n", "--- a\n+++ b\n", "-x\n+x\n", "  at f (a.js:1:1)\n",
            "Traceback (most recent call last):\n", "Caused by: x\n", "error: x\n", "2026-01-01T00:00:00Z INFO x\n",
            "a.rs:1:x\n", "./a/b\n", "fn f() {\n", "//", "/*", "\"\"\"", "#if 0\n", "AAAA", "eyJhbGciOi", "-----BEGIN X-----\n",
            "PASS x\n", "ok 1 - x\n", "test a ... ok\n", "\u2713 x\n", "x" * 9 + "\n", "http://a/", "a@b.c ", "$0 ", "aaaa bbbb. "]


def grown():
    """Texts whose pieces grow, nest or differ each time."""
    yield "longer fences", lines(lambda at: "`" * (3 + at % 2000))
    yield "longer runs of one letter", lines(lambda at: "a" * (at % 4000))
    yield "longer indentation", lines(lambda at: " " * (at % 2000) + "x")
    yield "YAML that nests", lines(lambda at: " " * min(at, 1500) + f"k{at}:")
    yield "aliases of YAML", lines(lambda at: f"a{at}: &a{at} [*a{at - 1}, *a{at - 1}]" if at else "a0: &a0 [x]")
    yield "XML that nests", lines(lambda at: f"<n{at}>")
    yield "XML with attributes", lines(lambda at: "<a " + " ".join(f"b{at}_{n}='x'" for n in range(60)) + "/>")
    yield "entities of XML", "<!DOCTYPE x [" + lines(lambda at: f"<!ENTITY e{at} '&e{at - 1};&e{at - 1};'>") + "]><x>&e9;</x>"
    yield "JSON that nests to the limit", filled("[" * 60 + "]" * 60 + ",")
    yield "JSON with other names each", json.dumps([{f"k{at}": at} for at in range(200_000)])[:BYTES]
    yield "JSON of one long list", json.dumps(list(range(400_000)))
    yield "JSON of one long text", json.dumps({"a": "x" * (BYTES - 20)})
    yield "JSON that is cut", json.dumps([{"a": at, "b": "x" * 20} for at in range(90_000)])[:-1]
    yield "lines of JSON", lines(lambda at: json.dumps({"at": at, "level": "INFO", "text": f"x{at * 7919 % 997}"}))
    yield "a table of a thousand columns", lines(lambda at: ",".join(str(at * n % 9973) for n in range(1000)))
    yield "a table whose quotes stay open", lines(lambda at: f"{at},\"x,y")
    yield "a diff of other lines each", lines(lambda at: f"{'+-'[at % 2]}{at * 2654435761 % 2**32:x}")
    yield "headers of a diff that count wrong", lines(lambda at: f"@@ -{at},99999999 +{at},99999999 @@")
    yield "a log that differs each time", lines(lambda at: f"2026-01-01T00:00:{at % 60:02} E{at} {at * 7919 % 65521:x} x")
    yield "a log of one template", lines(lambda at: f"2026-01-01T00:00:00.{at:06} INFO worker-{at % 8} took {at} ms")
    yield "a log of a thousand templates", lines(lambda at: f"2026-01-01T00:00:00Z {'abcdefghij'[at % 10] * (at % 100)} {at}")
    yield "a trace with causes", lines(lambda at: f"Caused by: x{at}" if at % 9 == 0 else f"  at a.b{at}(C.java:{at})")
    yield "hits of a search", lines(lambda at: f"src/d{at % 900}/f{at % 77}.rs:{at}: let x = {at};")
    yield "a listing", lines(lambda at: f"-rw-r--r-- 1 root root {at} Jan  1 00:00 f{at}")
    yield "source that nests", lines(lambda at: "  " * (at % 300) + ("if x {" if at % 300 < 150 else "}"))
    yield "a line of source", filled("if(x){y();}else{z(1,'a');}")
    yield "a page of HTML", lines(lambda at: f"<div class=c{at}><p>Text {at}<br><a href='/x{at}'>y</a>")
    yield "tags of HTML that stay open", lines(lambda at: f"<div{at % 50}><p><b><i>{at}")
    yield "lists of Markdown that nest", lines(lambda at: "  " * (at % 400) + f"- x{at}")
    yield "links of Markdown that nest", filled("[![[")
    yield "stars of Markdown", filled("*a **b ***c ")
    yield "base64", base64.b64encode(random.Random(1).randbytes(BYTES * 3 // 4)).decode()
    yield "base64 in lines of other lengths", lines(lambda at: base64.b64encode(bytes([at % 256]) * (at % 300)).decode())
    yield "noise", "".join(map(chr, random.Random(2).choices(range(32, 127), k=BYTES)))
    yield "noise of Unicode", "".join(map(chr, random.Random(3).choices(range(0x4E00, 0x9FFF), k=BYTES // 3)))
    yield "two letters", "".join(random.Random(4).choices("ab", k=BYTES))
    yield "words that repeat far away", " ".join(f"{at % 60_000:x}" for at in range(BYTES // 5))
    yield "every line twice", lines(lambda at: f"line {at // 2} of it with some words")
    yield "blocks that come again", lines(lambda at: f"block line {at % 5000}")
    yield "prose", lines(lambda at: f"The job {at} must not fail, and error {at % 91} was not seen. It rests a while.")
    yield "one sentence", filled("and then it goes on, ")


def run(tally):
    cases = [(f"{piece[:20]!r} again and again", filled(piece)) for piece in REPEATED] + list(grown())
    with tally.server("--workers", "2", key=False) as node:
        post(node, "/compile", small(), key=None)
        for what, text in tally.sample(cases, 12):
            sent = body({"messages": conversation(text), "level": "reversible"})
            tally.bounded(node, what, len(sent), {200}, lambda: post(node, "/compress", sent, key=None), MAX_SECONDS)


def conversation(text):
    """The text as an old result of a tool."""
    return [{"role": "user", "content": "Read it."},
            {"role": "assistant", "content": None, "tool_calls": [
                {"id": "c", "type": "function", "function": {"name": "read", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "c", "content": text},
            {"role": "assistant", "content": "It is read."}, {"role": "user", "content": "Go on."}]


if __name__ == "__main__":
    shared.main(run)
