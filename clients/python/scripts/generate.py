#!/usr/bin/env python3
"""Generates the types and the methods of the client from the API's description.

    pip install pyyaml
    python clients/python/scripts/generate.py            # writes types.py and _operations.py
    python clients/python/scripts/generate.py --check    # exits with 1 if they would change

Every schema becomes a TypedDict or an alias in `types.py`, every operation that returns JSON or plain text becomes a
method in `_operations.py`, once sync and once async. `default:` of a member is not read: what is absent stays absent.
"""

from __future__ import annotations

import argparse
import keyword
import pathlib
import re
import sys
import textwrap
from typing import Any

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "clients" / "python" / "src" / "contexture_sdk"
HEADER = '"""{about}\n\nGenerated from openapi.yaml by scripts/generate.py; changes here are lost.\n"""\n'
METHODS = ("get", "put", "post", "delete", "patch")

# Operations without a method: the message endpoint of MCP belongs to clients of that protocol.
SKIPPED = {"speak_mcp"}
# POST operations that store nothing, so that a repetition does no harm.
READING_POSTS = {
    "compare_compilations", "compress", "count_tokens", "diff_packs", "evaluate_rule", "expand", "lint_pack",
    "recall_memory", "render_skill", "retrieve_by_body", "test_adapter", "compress_for_gateway",
}
# A compile is stored with its session alone. The server keeps every response that has a key for a day and counts it
# in a quota, so a compile gets a key only from the caller.
SAFE_UNLESS_IN_BODY = {"compile": "session_id"}
# A query parameter that chooses another media type is fixed to the one that is JSON, and those of other media types are
# left out.
FIXED_QUERY = {"read_events": {"format": "json"}}
DROPPED_QUERY = {
    "read_events": {"format", "as", "ticket"}, "list_memory": {"format"},
    "list_skills": {"format", "include_when_to_use", "max_chars"},
    "create_artifact": {"threshold", "head_chars", "tail_chars"},
}
RENAMED = {"read_events": "list_events"}
# Headers that the transport takes from the options of a call.
OPTION_HEADERS = {"Idempotency-Key", "Contexture-Deadline-Ms", "Last-Event-ID"}


def load() -> dict[str, Any]:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    document: dict[str, Any] = yaml.load((ROOT / "openapi.yaml").read_text(encoding="utf-8"), Loader=loader)
    return document


def snake(name: str) -> str:
    return re.sub(r"[^a-zA-Z0-9]+", "_", name).lower()


def name_of(reference: str) -> str:
    return reference.rsplit("/", 1)[-1]


def doc(text: str | None, indent: str = "    ") -> str:
    text = " ".join((text or "").split()).replace("\\", "\\\\").replace('"""', "'''")
    if not text:
        return ""
    if text.endswith('"'):
        text += " "
    lines = textwrap.wrap(text, 112 - len(indent), break_long_words=False, break_on_hyphens=False)
    if len(lines) == 1:
        return f'{indent}"""{lines[0]}"""\n'
    body = "\n".join(indent + line for line in lines[1:])
    return f'{indent}"""{lines[0]}\n{body}\n{indent}"""\n'


def comment(text: str | None) -> str:
    text = " ".join((text or "").split())
    lines = textwrap.wrap(text, 110, break_long_words=False, break_on_hyphens=False)
    return "".join(f"    # {line}\n" for line in lines)


class Types:
    """Writes schemas as Python types."""

    def __init__(self, schemas: dict[str, Any]) -> None:
        self.schemas = schemas
        self.prefix = ""

    def expression(self, schema: dict[str, Any]) -> str:
        """The type of a value, without a name of its own."""
        if "$ref" in schema:
            return self.prefix + name_of(schema["$ref"])
        if "const" in schema:
            return f"Literal[{schema['const']!r}]"
        if "enum" in schema:
            values = [value for value in schema["enum"] if value is not None]
            literal = f"Literal[{', '.join(repr(value) for value in values)}]"
            return self.union([literal] + (["None"] if None in schema["enum"] else []))
        if "anyOf" in schema:
            # Nothing in a value says which of the objects it is, so a type of each would ask for a cast at every use.
            return "Dict[str, Any]"
        if "oneOf" in schema:
            return self.union([self.expression(part) for part in schema["oneOf"]])
        if "allOf" in schema:
            parts = [self.expression(part) for part in schema["allOf"] if "$ref" in part]
            return parts[0] if len(parts) == 1 else "Dict[str, Any]"
        kinds = schema.get("type")
        if kinds is None:
            return "Any"
        if isinstance(kinds, list):
            return self.union([self.expression({**schema, "type": kind}) for kind in kinds])
        if kinds == "array":
            return f"List[{self.expression(schema.get('items') or {})}]"
        if kinds == "object":
            rest = schema.get("additionalProperties")
            return f"Dict[str, {self.expression(rest) if isinstance(rest, dict) else 'Any'}]"
        return {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}[kinds]

    @staticmethod
    def union(parts: list[str]) -> str:
        flat: list[str] = []
        for part in parts:
            inner = re.fullmatch(r"Union\[(.*)\]", part)
            names = [inner.group(1)] if inner else [part]
            flat.extend(name for name in names if name not in flat)
        if "Any" in flat:
            return "Any"
        return flat[0] if len(flat) == 1 else f"Union[{', '.join(flat)}]"

    def parts_of(self, schema: dict[str, Any]) -> tuple[list[str], dict[str, Any], set[str]]:
        """Bases, own members and required members of an object, also of an `allOf`."""
        if "allOf" not in schema:
            return [], schema.get("properties") or {}, set(schema.get("required") or [])
        bases: list[str] = []
        members: dict[str, Any] = {}
        required: set[str] = set()
        for part in schema["allOf"]:
            if "$ref" in part:
                bases.append(name_of(part["$ref"]))
            else:
                _, own, needed = self.parts_of(part)
                members.update(own)
                required |= needed
        return bases, members, required

    def is_object(self, schema: dict[str, Any]) -> bool:
        if "allOf" in schema:
            return all("$ref" in part or self.is_object(part) for part in schema["allOf"])
        return schema.get("type") == "object" and bool(schema.get("properties"))

    def declaration(self, name: str, schema: dict[str, Any]) -> str:
        if not self.is_object(schema):
            about = comment(schema.get("description")).replace("    #", "#")
            return f"{about}{name} = {self.expression(schema)}\n"
        bases, members, required = self.parts_of(schema)
        if any(keyword.iskeyword(member) or not member.isidentifier() for member in members):
            return self.functional(name, schema, bases, members, required)
        needed = {member: value for member, value in members.items() if member in required}
        optional = {member: value for member, value in members.items() if member not in required}
        text = ""
        if needed and optional:
            text += f"class _{name}Required({', '.join([*bases] or ['TypedDict'])}):\n{self.members(needed)}\n\n"
            bases = [f"_{name}Required"]
        total = ", total=False" if optional else ""
        text += f"class {name}({', '.join(bases or ['TypedDict'])}{total}):\n{doc(schema.get('description'))}"
        own = self.members(optional or needed)
        text += ("\n" if schema.get("description") and own else "") + own
        return text if own or schema.get("description") else text + "    pass\n"

    def functional(
        self, name: str, schema: dict[str, Any], bases: list[str], members: dict[str, Any], required: set[str],
    ) -> str:
        """A TypedDict with members that no class body can have, such as `from`."""
        halves = []
        text = ""
        for suffix, chosen, total in (
            ("Required", {m: v for m, v in members.items() if m in required}, ""),
            ("Optional", {m: v for m, v in members.items() if m not in required}, ", total=False"),
        ):
            if chosen:
                rows = "".join(f"    {member!r}: {self.quoted(value)},\n" for member, value in chosen.items())
                text += f"_{name}{suffix} = TypedDict(\"_{name}{suffix}\", {{\n{rows}}}{total})\n\n"
                halves.append(f"_{name}{suffix}")
        about = doc(schema.get("description")) or "    pass\n"
        return f"{text}\nclass {name}({', '.join([*bases, *halves])}):\n{about}"

    def quoted(self, schema: dict[str, Any]) -> str:
        # `TypedDict(...)` is evaluated at once; classes that are defined later are named by text.
        return f'"{self.expression(schema)}"'

    def members(self, members: dict[str, Any]) -> str:
        text = ""
        for member, schema in members.items():
            about = schema.get("description")
            if about is None and "oneOf" in schema:
                about = next((part["description"] for part in schema["oneOf"] if "description" in part), None)
            text += f"{comment(about)}    {member}: {self.expression(schema)}\n"
        return text

    def ordered(self) -> list[str]:
        """Names in the order of their definitions: bases and parts of aliases first."""
        done: list[str] = []
        open_names: set[str] = set()

        def visit(name: str) -> None:
            if name in done or name in open_names:
                return
            open_names.add(name)
            schema = self.schemas[name]
            for needed in self.needed_before(schema):
                visit(needed)
            open_names.discard(name)
            done.append(name)

        for name in sorted(self.schemas):
            visit(name)
        return done

    def needed_before(self, schema: dict[str, Any]) -> list[str]:
        if self.is_object(schema):
            return [name_of(part["$ref"]) for part in schema.get("allOf", []) if "$ref" in part]
        return re.findall(r"#/components/schemas/(\w+)", str(schema))

    def file(self) -> str:
        text = HEADER.format(about="The shapes of requests and responses, as typed dictionaries.")
        text += "\nfrom __future__ import annotations\n\n"
        text += "from typing import Any, Dict, List, Literal, TypedDict, Union\n"
        for name in self.ordered():
            text += "\n\n" + self.declaration(name, self.schemas[name])
        names = "".join(f'    "{name}",\n' for name in sorted(self.schemas))
        return text + f"\n\n__all__ = [\n{names}]\n"


class Method:
    """One operation as a method."""

    def __init__(self, path: str, verb: str, operation: dict[str, Any], types: Types) -> None:
        self.path, self.verb, self.operation, self.types = path, verb.upper(), operation, types
        self.id = operation["operationId"]
        self.name = RENAMED.get(self.id, self.id)
        self.responses = {
            media: content.get("schema") or {}
            for status, response in operation["responses"].items()
            if status.startswith("2")
            for media, content in (response.get("content") or {}).items()
        }

    @property
    def kept(self) -> bool:
        """Whether it returns data: pages for people have no method."""
        if self.id in SKIPPED or "303" in self.operation["responses"]:
            return False
        media = set(self.responses)
        return not media or "application/json" in media or media <= {"text/plain", "text/markdown"}

    def returns(self) -> str:
        if "application/json" in self.responses:
            expression = self.types.expression(self.responses["application/json"])
            return "Dict[str, Any]" if expression == "Any" else expression
        return "str" if self.responses else "None"

    def parameters(self, place: str) -> list[dict[str, Any]]:
        dropped = DROPPED_QUERY.get(self.id, set())
        return [
            row for row in self.operation.get("parameters", [])
            if row["in"] == place and row["name"] not in (dropped if place == "query" else OPTION_HEADERS)
        ]

    def body(self) -> tuple[str, str, bool] | None:
        """Type, media type, and whether it may be left out."""
        request = self.operation.get("requestBody")
        if not request:
            return None
        media, content = next(iter(request["content"].items()))
        if media != "application/json":
            return "Union[str, bytes]", media, False
        optional = not request.get("required")
        return self.types.expression(content["schema"]), media, optional

    def constant(self) -> str:
        takes_key = any(row["name"] == "Idempotency-Key" for row in self.operation.get("parameters", []))
        safe = self.verb in ("GET", "PUT", "DELETE") or self.id in READING_POSTS or self.id in SAFE_UNLESS_IN_BODY
        row = [f'"{self.verb}"', f'"{self.path}"']
        if takes_key and self.id not in SAFE_UNLESS_IN_BODY:
            row.append("takes_key=True")
        if safe:
            row.append("safe=True")
        if self.id in SAFE_UNLESS_IN_BODY:
            row.append(f'safe_unless="{SAFE_UNLESS_IN_BODY[self.id]}"')
        return f"{self.name.upper()} = Operation({', '.join(row)})\n"

    def signature(self, *, without: frozenset[str] = frozenset()) -> tuple[str, str]:
        """The parameters of the method, and the arguments that it passes on."""
        given = [f"{snake(row['name'])}: str" for row in self.parameters("path")]
        places = "".join(snake(row["name"]) + ", " for row in self.parameters("path")).strip()
        passed = [f"path=({places})"] if given else []
        if given:
            given.append("/")
        if body := self.body():
            kind, media, optional = body
            given.append(f"body: Optional[{kind}] = None" if optional else f"body: {kind}")
            passed.append("body=body" if not optional else "body={} if body is None else body")
            if media != "application/json":
                passed.append(f'content_type="{media}"')
        named, query = [], []
        for row in self.parameters("query"):
            if row["name"] in without:
                continue
            name = snake(row["name"])
            name = name + "_" if keyword.iskeyword(name) else name
            kind = self.types.expression({key: value for key, value in row["schema"].items() if key != "default"})
            named.append(f"{name}: {kind}" if row.get("required") else f"{name}: Optional[{kind}] = None")
            query.append(f'"{row["name"]}": {name}')
        query += [f'"{name}": "{value}"' for name, value in FIXED_QUERY.get(self.id, {}).items()]
        headers = []
        for row in self.parameters("header"):
            named.append(f"{snake(row['name'])}: Optional[str] = None")
            headers.append(f'"{row["name"]}": {snake(row["name"])}')
        if query:
            passed.append(f"query={{{', '.join(query)}}}")
        if headers:
            passed.append(f"headers={{{', '.join(headers)}}}")
        if named:
            given += ["*", *named]
        given.append("**options: Unpack[Options]")
        passed.append("options=options")
        return ", ".join(["self", *given]), ", ".join(passed)

    def pages(self) -> str | None:
        """The type of the rows, if the operation returns pages of them."""
        schema = self.responses.get("application/json", {})
        if not any(row["name"] == "cursor" for row in self.parameters("query")) or "$ref" not in schema:
            return None
        members = self.types.schemas[name_of(schema["$ref"])].get("properties", {})
        items = members.get("items", {}).get("items")
        return self.types.expression(items) if items is not None and "next_cursor" in members else None

    def write(self, flavour: str) -> str:
        wait, prefix = ("await ", "async ") if flavour == "async" else ("", "")
        given, passed = self.signature()
        about = doc(self.operation.get("summary") or self.operation.get("description"), "        ")
        call = f"{wait}self._call({self.name.upper()}, {passed})"
        returns = self.returns()
        text = f"    {prefix}def {self.name}({given}) -> {returns}:\n{about}"
        text += f"        {call}\n" if returns == "None" else f'        return cast("{returns}", {call})\n'
        if row := self.pages():
            given, passed = self.signature(without=frozenset({"cursor"}))
            iterator = "AsyncIterator" if flavour == "async" else "Iterator"
            name = "iter_" + self.name.removeprefix("list_")
            text += f"\n    def {name}({given}) -> {iterator}[{row}]:\n"
            text += f'        """Each row of `{self.name}`, page after page."""\n'
            text += f'        return cast("{iterator}[{row}]", self._each({self.name.upper()}, {passed}))\n'
        return text


def operations_file(document: dict[str, Any], types: Types) -> str:
    types.prefix = "t."
    methods = [
        Method(path, verb, operation, types)
        for path, item in document["paths"].items()
        for verb, operation in item.items()
        if verb in METHODS
    ]
    methods = sorted((method for method in methods if method.kept), key=lambda method: method.name)
    text = HEADER.format(about="A method for each operation, sync and async.")
    text += textwrap.dedent("""
        from __future__ import annotations

        from typing import TYPE_CHECKING, Any, AsyncIterator, Dict, Iterator, List, Literal, Optional, Union, cast

        from ._transport import AsyncTransport, Operation, SyncTransport

        if TYPE_CHECKING:
            from typing_extensions import Unpack

            from . import types as t
            from ._transport import Options

    """)
    text += "".join(method.constant() for method in methods)
    flavours = (("Operations", "SyncTransport", "sync"), ("AsyncOperations", "AsyncTransport", "async"))
    for name, base, flavour in flavours:
        text += f'\n\nclass {name}({base}):\n    """The operations of the API."""\n\n'
        text += "\n".join(method.write(flavour) for method in methods)
    return text


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if a file would change")
    arguments = parser.parse_args()
    document = load()
    types = Types(document["components"]["schemas"])
    files = {"types.py": types.file(), "_operations.py": operations_file(document, types)}
    stale = [
        name for name, text in files.items()
        if not (PACKAGE / name).exists() or (PACKAGE / name).read_text(encoding="utf-8") != text
    ]
    if arguments.check:
        for name in stale:
            print(f"{name} is stale: run clients/python/scripts/generate.py", file=sys.stderr)
        return 1 if stale else 0
    for name in stale:
        (PACKAGE / name).write_text(files[name], encoding="utf-8")
    print(f"wrote {', '.join(stale) or 'nothing'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
