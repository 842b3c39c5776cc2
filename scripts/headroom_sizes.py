#!/usr/bin/env python3
"""What stays in sight of the texts in tests/it/fixtures/sight at the sizes that Headroom makes of them.

usage: headroom_sizes.py --url http://127.0.0.1:8080

Headroom gets each text as the result of a tool and shortens it with its default options; a text that it leaves as it
is has no row. The server then gets the tokens of what Headroom made of it as the budget, with notations off, so
that both are read as they are. An answer counts if it is in sight, white space aside, or, since Headroom writes JSON as
rows, if its words are on one line. Needs `pip install headroom-ai==0.42.0 bpe-openai`.
"""
import argparse
import json
import pathlib
import re
import urllib.request

import bpe_openai
from headroom import compress

FOLDER = pathlib.Path(__file__).parent.parent / "tests/it/fixtures/sight"
MAX_LINE_BYTES = 400
ENCODING = bpe_openai.get_encoding("o200k_base")


def count(text):
    return len(ENCODING.encode(text, disallowed_special=()))


def by_headroom(text):
    call = {"id": "c1", "type": "function", "function": {"name": "run_command", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "Run it."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": text},
    ]
    shown = compress(messages, model="gpt-4o").messages[2]["content"]
    return shown if isinstance(shown, str) else json.dumps(shown)


def by_server(url, text, tokens):
    body = {"text": text, "level": "summary", "budget_tokens": tokens, "notations": "none"}
    request = urllib.request.Request(
        url + "/compress", json.dumps(body).encode(), {"content-type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=60) as response:
        return json.load(response)["text"]


def share(answers, shown):
    squashed = "".join(shown.split())
    lines = [line for line in shown.splitlines() if len(line) < MAX_LINE_BYTES]

    def is_in_sight(answer):
        words = [word for word in re.split(r"[^\w.@/-]+", answer) if word]
        on_line = any(all(word in line for word in words) for line in lines)
        return "".join(answer.split()) in squashed or on_line

    return sum(map(is_in_sight, answers)) / len(answers)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--url", default="http://127.0.0.1:8080")
    url = options.parse_args().url
    rows = []
    for path in sorted(FOLDER.glob("*.answers")):
        text = path.with_suffix("").read_bytes().decode()
        answers = path.read_text().splitlines()
        theirs = by_headroom(text)
        tokens = count(theirs)
        if tokens * 100 > count(text) * 97:
            continue
        ours = by_server(url, text, tokens)
        rows.append((path.stem, count(text), tokens, share(answers, ours), share(answers, theirs)))
    print("| Text | Tokens | Budget | Ours | Headroom |\n|---|---|---|---|---|")
    mean = [sum(row[at] for row in rows) / len(rows) for at in (3, 4)]
    print(f"| **mean of {len(rows)}** | | | **{mean[0]:.2f}** | **{mean[1]:.2f}** |")
    for name, before, tokens, ours, theirs in rows:
        print(f"| `{name}` | {before} | {tokens} | {ours:.2f} | {theirs:.2f} |")


if __name__ == "__main__":
    main()
