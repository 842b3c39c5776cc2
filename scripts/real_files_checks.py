"""What must be left of a file after it was made shorter, by parsers that are not Contexture's.

Used by real_files.py. Each check gets the text before and after and answers what is wrong, or
nothing. They ask for structure: prose may shrink, and where a part of a JSON document is left out
a string with a number must stand for it.
"""

import csv
import io
import json
import re
import xml.etree.ElementTree as ElementTree
from decimal import Decimal
from html.parser import HTMLParser
from itertools import zip_longest

import yaml

# The C parser reads the same language, many times faster.
YAML_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
ERROR = re.compile(
    r"\b(error|errors|fatal|panic|panicked|exception|failed|failure|critical)\b", re.I
)
FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
HEADING = re.compile(r" {0,3}#{1,6}(\s|$)")
TERMINAL = re.compile(r"\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\))")


def first_difference(before: list, after: list, what: str) -> str | None:
    for number, (one, other) in enumerate(zip_longest(before, after), 1):
        if one != other:
            return f"{what} {number}: {str(one)[:60]!r} became {str(other)[:60]!r}"
    return None


def load_json(text: str):
    return json.loads(text, parse_float=Decimal)


def is_count(value) -> bool:
    """Whether a string or key can tell how much is left out."""
    return isinstance(value, str) and any(character.isdigit() for character in value)


def json_fault(before, after, at: str = "") -> str | None:
    """Where `after` is neither `before` nor `before` with counted gaps and shorter strings."""
    if isinstance(before, str) and isinstance(after, str):
        return (
            None
            if len(after) <= len(before) or is_count(after)
            else f"{at or '/'}: a longer string"
        )
    if isinstance(before, dict) and isinstance(after, dict):
        marks = [key for key in after if key not in before]
        if not all(is_count(key) or is_count(str(after[key])) for key in marks):
            return f"{at or '/'}: a key that was not there, {marks[0]!r}"
        gone = [key for key in before if key not in after]
        if gone and not marks:
            return f"{at or '/'}: {gone[0]!r} is gone, uncounted"
        faults = (
            json_fault(before[key], after[key], f"{at}/{key}") for key in after if key in before
        )
        return next((fault for fault in faults if fault), None)
    if isinstance(before, list) and isinstance(after, list):
        if len(before) == len(after):
            pairs = enumerate(zip(before, after, strict=True))
            faults = (json_fault(one, other, f"{at}/{place}") for place, (one, other) in pairs)
            return next((fault for fault in faults if fault), None)
        kept = [item for item in after if item in before or not is_count(item)]
        if len(kept) == len(after):
            return f"{at or '/'}: {len(before)} items became {len(after)}, uncounted"
        rest = iter(before)
        for item in kept:
            if all(json_fault(one, item) for one in rest):
                return f"{at or '/'}: an item that was not there"
        return None
    if type(before) is type(after) and before == after:
        return None
    return (
        None if is_count(after) else f"{at or '/'}: {str(before)[:40]!r} became {str(after)[:40]!r}"
    )


def check_json(before: str, after: str) -> str | None:
    return json_fault(load_json(before), load_json(after))


def check_ndjson(before: str, after: str) -> str | None:
    rows = [
        [load_json(line) for line in text.splitlines() if line.strip()] for text in (before, after)
    ]
    return json_fault(*rows)


def check_csv(before: str, after: str, delimiter: str = ",") -> str | None:
    rows = [
        list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
        for text in (before, after)
    ]
    if not rows[1] or rows[0][0] != rows[1][0]:
        return "another header"
    widths = {len(row) for row in rows[0]}
    odd = next((row for row in rows[1] if len(row) not in widths), None)
    return None if odd is None else f"a row of {len(odd)} fields: {','.join(odd)[:60]!r}"


def check_tsv(before: str, after: str) -> str | None:
    return check_csv(before, after, "\t")


def check_xml(before: str, after: str) -> str | None:
    def elements(text: str) -> list:
        return [
            (element.tag, list(element.attrib.items()))
            for element in ElementTree.fromstring(text.encode()).iter()
        ]

    return first_difference(elements(before), elements(after), "element")


def check_yaml(before: str, after: str) -> str | None:
    """The same key paths, and the same scalars but for strings of more than one word."""

    def walk(value, at: str, found: list) -> list:
        if isinstance(value, dict):
            found.append((at, "{}"))
            for key, member in value.items():
                walk(member, f"{at}/{key}", found)
        elif isinstance(value, list):
            found.append((at, f"[{len(value)}]"))
            for place, item in enumerate(value):
                walk(item, f"{at}/{place}", found)
        else:
            prose = isinstance(value, str) and len(value.split()) > 1
            found.append((at, "prose" if prose else repr(value)))
        return found

    paths = [
        walk(list(yaml.load_all(text, Loader=YAML_LOADER)), "", []) for text in (before, after)
    ]
    return first_difference(*paths, "node")


def check_diff(before: str, after: str) -> str | None:
    def changes(text: str) -> list:
        return [line for line in text.split("\n") if line.startswith(("+", "-", "diff --git "))]

    return first_difference(changes(before), changes(after), "change")


def check_markdown(before: str, after: str) -> str | None:
    """The same headings, table rows and fenced lines, in their order."""

    def skeleton(text: str) -> list:
        found, fence, last = [], None, ""
        for line in text.splitlines():
            mark = FENCE.match(line)
            if fence:
                found.append(line)
                if mark and mark[1].startswith(fence) and not mark[2].strip():
                    fence = None
            elif mark:
                fence = mark[1]
                found.append(line)
            elif HEADING.match(line) or line.lstrip().startswith("|"):
                found.append(line.strip())
            elif last.strip() and re.fullmatch(r" {0,3}(=+|-{2,})\s*", line):
                found += [last.strip(), line.strip()]
            last = line
        return found

    return first_difference(skeleton(before), skeleton(after), "heading, row or fenced line")


def check_log(before: str, after: str) -> str | None:
    """Every distinct line that reports an error."""
    left = {line.rstrip() for line in after.splitlines()}
    lost = [
        line for line in before.splitlines() if ERROR.search(line) and line.rstrip() not in left
    ]
    return f"an error line is gone: {lost[0][:60]!r}" if lost else None


def check_html(before: str, after: str) -> str | None:
    """The same title and headings, as tags or as text."""

    class Headings(HTMLParser):
        def __init__(self) -> None:
            super().__init__()
            self.found: list[str] = []
            self.words: list[str] = []
            self.open = False

        def handle_starttag(self, tag, attrs):
            if re.fullmatch(r"h[1-6]|title", tag):
                self.open = True
                self.found.append("")

        def handle_endtag(self, tag):
            self.open = self.open and not re.fullmatch(r"h[1-6]|title", tag)

        def handle_data(self, data):
            self.words += data.split()
            if self.open:
                self.found[-1] += data

    pages = []
    for text in (before, after):
        page = Headings()
        page.feed(text)
        page.close()
        pages.append(page)
    shown, at = " ".join(pages[1].words), 0
    for heading in pages[0].found:
        heading = " ".join(heading.split())
        at = shown.find(heading, at)
        if at < 0:
            return f"a heading is gone: {heading[:60]!r}"
    return None


CHECKS = {
    "json": check_json,
    "ndjson": check_ndjson,
    "csv": check_csv,
    "tsv": check_tsv,
    "xml": check_xml,
    "pom": check_xml,
    "yaml": check_yaml,
    "diff": check_diff,
    "markdown": check_markdown,
    "changelog": check_markdown,
    "log": check_log,
    "html": check_html,
}


def fault(kind: str, before: str, after: str) -> str | None:
    """What is wrong with `after`, or nothing."""
    if before == after:
        return None
    if re.fullmatch(r"\[[^\n]*\]\s*", after) and kind != "json":
        return f"all of it is gone: {after.strip()[:60]}"
    try:
        return CHECKS[kind](before, after)
    except (ValueError, yaml.YAMLError, ElementTree.ParseError, csv.Error, RecursionError) as error:
        return f"does not parse: {str(error).splitlines()[0][:80]}"


def equivalent(before: str, after: str) -> bool:
    """Whether only what says nothing differs: docs/encodings.md, "What is left out"."""

    def clean(text: str) -> str:
        text = TERMINAL.sub("", text)
        return re.sub(r"[ \t\r]+(?=\n|$)", "", text.lstrip("\ufeff") or text)

    def pairs(text: str):
        return json.loads(text, object_pairs_hook=list, parse_float=Decimal)

    def tree(text: str) -> tuple:
        builder = ElementTree.TreeBuilder(insert_comments=True, insert_pis=True)
        root = ElementTree.fromstring(text.encode(), ElementTree.XMLParser(target=builder))
        # The parser keeps nothing of what stands before the root.
        return shape(root), re.findall(r"<!--.*?-->|<[?].*?[?]>|<!DOCTYPE[^>]*>", text, re.S)

    def shape(element: ElementTree.Element) -> tuple:
        children = list(element)
        texts = [element.text or "", *(child.tail or "" for child in children)]
        if children and not "".join(texts).strip():
            texts = []
        return (
            str(element.tag),
            list(element.attrib.items()),
            texts,
            [shape(child) for child in children],
        )

    before, after = clean(before), clean(after)
    if before == after:
        return True
    for read in (pairs, tree):
        try:
            if read(before) == read(after):
                return True
        except (ValueError, ElementTree.ParseError, RecursionError):
            pass
    return False
