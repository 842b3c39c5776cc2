#!/usr/bin/env python3
"""Checks that `openapi.yaml` is valid, and that generators of other people make clients of it that work.

    npm --prefix clients/generators ci
    pip install -r clients/generators/requirements.txt
    python clients/generators/check.py                   # starts target/debug/contexture
    python clients/generators/check.py --url http://127.0.0.1:8080

Two validators and four generators run with the settings of a stranger; a warning fails. The client of each is given a
walk through the server: a compile, an entry of memory that is put and changed, the typed event of the compile, and a
request with a mistake. Counted are models whose names were numbered (`Scope1`), and members of unknown type. A tool
that is not installed is named and skipped; exit code 1 if something else fails.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from typing import Callable

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
DESCRIPTION = ROOT / "openapi.yaml"
MODULES = HERE / "node_modules"
# Numbered models, and members of unknown type, that a client may have.
MAX_NUMBERED = 10
MAX_UNKNOWN = 20
# What a tool prints about a document that it does not like.
WARNING = re.compile(r"warn|deprecat|unable to|unsupported|skipping|cannot", re.IGNORECASE)
# Of these a tool speaks whatever the document is.
ABOUT_TOOLS = re.compile(r"\bnode\b|redocly\.com/docs/cli|update available|recommend", re.IGNORECASE)


class Failure(Exception):
    """A check that did not hold."""


def run(command: list[str], folder: pathlib.Path) -> str:
    """Runs a tool and returns what it prints."""
    environment = {**os.environ, "NO_COLOR": "1", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true", "REDOCLY_TELEMETRY": "off"}
    path = os.pathsep.join([str(pathlib.Path(sys.executable).parent), environment.get("PATH", "")])
    environment["PATH"] = path
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    text = done.stdout + done.stderr
    if done.returncode != 0:
        raise Failure(f"{command[0]} ended with {done.returncode}:\n{text}")
    return text


def without_warning(text: str) -> None:
    """Fails if a line is a warning about the document."""
    lines = [line for line in text.splitlines() if WARNING.search(line) and not ABOUT_TOOLS.search(line)]
    if lines:
        raise Failure("warnings:\n" + "\n".join(lines))


def node(name: str) -> str | None:
    """A program of node_modules."""
    program = MODULES / ".bin" / name
    return str(program) if program.exists() and shutil.which("node") else None


def python(name: str) -> str | None:
    """A program of this Python, or of the path."""
    beside = pathlib.Path(sys.executable).parent / name
    return str(beside) if beside.exists() else shutil.which(name)


def count(unknown: int | None, numbered: list[str]) -> str:
    """Says how many, and fails if these are too many."""
    words = f"{len(numbered)} numbered models"
    if unknown is not None:
        words += f", {unknown} members of unknown type"
    if len(numbered) >= MAX_NUMBERED or (unknown or 0) >= MAX_UNKNOWN:
        raise Failure(f"{words} {' '.join(numbered)}")
    return words


def unknown_members(text: str) -> int:
    """Members of unknown type; an object that is open to any members is not counted."""
    lines = [line for line in text.splitlines() if not re.search(r"\[\w+: string\]: unknown|^\s*(/?\*|//)", line)]
    return sum(1 for line in lines if re.search(r"[:<]\s*(Array<)?unknown\b", line))


def numbered_types(text: str) -> list[str]:
    """Types whose names end in a number that only a generator gives."""
    return re.findall(r"^export (?:type|interface) ([A-Za-z]+\d+)\b", text, re.MULTILINE)


def smoke_typescript(folder: pathlib.Path, name: str, url: str) -> None:
    """Compiles a walk with the types that were generated, strictly, and takes it."""
    (folder / "node_modules").symlink_to(MODULES)
    (folder / "package.json").write_text('{"type": "module"}')
    shutil.copy(HERE / "smoke" / f"{name}.ts", folder / "smoke.ts")
    compiler = node("tsc")
    assert compiler is not None
    options = "--strict --target es2022 --module nodenext --moduleResolution nodenext --skipLibCheck --outDir out"
    libraries = "--lib es2023,dom,dom.iterable --types node"
    run([compiler, *options.split(), *libraries.split(), "smoke.ts"], folder)
    run(["node", "out/smoke.js", url], folder)


def openapi_typescript(folder: pathlib.Path, url: str) -> str:
    made = folder / "openapi-typescript.d.ts"
    without_warning(run([str(node("openapi-typescript")), str(DESCRIPTION), "-o", str(made)], ROOT))
    smoke_typescript(folder, "openapi_typescript", url)
    return count(unknown_members(made.read_text(encoding="utf-8")), numbered_types(made.read_text(encoding="utf-8")))


def hey_api(folder: pathlib.Path, url: str) -> str:
    client = "@hey-api/client-fetch"
    made = folder / "hey-api"
    without_warning(run([str(node("openapi-ts")), "-i", str(DESCRIPTION), "-o", str(made), "-c", client], ROOT))
    for file in made.rglob("*.ts"):
        # Its imports have no file names, which only bundlers and the older resolution of modules take.
        text = re.sub(r"from '(\.[^']*)'", lambda found: _with_file(file, found.group(1)), file.read_text("utf-8"))
        file.write_text(text, encoding="utf-8")
    smoke_typescript(folder, "hey_api", url)
    text = (made / "types.gen.ts").read_text(encoding="utf-8")
    return count(unknown_members(text), numbered_types(text))


def _with_file(file: pathlib.Path, name: str) -> str:
    target = file.parent / name
    return f"from '{name}/index.js'" if target.is_dir() else f"from '{name}.js'"


def openapi_python_client(folder: pathlib.Path, url: str) -> str:
    made = folder / "client"
    tool = [str(python("openapi-python-client")), "generate", "--path", str(DESCRIPTION), "--output-path", str(made)]
    without_warning(run([*tool, "--config", str(HERE / "openapi-python-client.yaml")], ROOT))
    shutil.copy(HERE / "smoke" / "openapi_python_client.py", made / "smoke.py")
    run([sys.executable, "smoke.py", url], made)
    models = (path.stem for path in (made / "contexture_client" / "models").glob("*.py"))
    return count(None, sorted(name for name in models if re.search(r"\d$", name)))


def datamodel_code_generator(folder: pathlib.Path, url: str) -> str:
    made = folder / "contexture_models.py"
    tool = [str(python("datamodel-codegen")), "--input", str(DESCRIPTION), "--input-file-type", "openapi"]
    options = ["--output-model-type", "pydantic_v2.BaseModel", "--formatters", "builtin", "--output", str(made)]
    without_warning(run([*tool, *options], ROOT))
    shutil.copy(HERE / "smoke" / "datamodel_code_generator.py", folder / "smoke.py")
    run([sys.executable, "smoke.py", url], folder)
    text = made.read_text(encoding="utf-8")
    return count(None, re.findall(r"^class ([A-Za-z]+\d+)\b", text, re.MULTILINE))


def redocly(_: pathlib.Path, __: str) -> str:
    without_warning(run([str(node("redocly")), "lint", str(DESCRIPTION)], ROOT))
    return "valid"


def spec_validator(_: pathlib.Path, __: str) -> str:
    run([str(python("openapi-spec-validator")), str(DESCRIPTION)], ROOT)
    return "valid"


Check = tuple[str, "str | None", Callable[[pathlib.Path, str], str]]


def checks() -> list[Check]:
    return [
        ("redocly lint", node("redocly"), redocly),
        ("openapi-spec-validator", python("openapi-spec-validator"), spec_validator),
        ("openapi-typescript", node("openapi-typescript"), openapi_typescript),
        ("@hey-api/openapi-ts", node("openapi-ts"), hey_api),
        ("openapi-python-client", python("openapi-python-client"), openapi_python_client),
        ("datamodel-code-generator", python("datamodel-codegen"), datamodel_code_generator),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", help="a running server; without it, one is started")
    arguments = parser.parse_args()
    server = None
    url = arguments.url
    if url is None:
        program = os.environ.get("CONTEXTURE_BIN", str(ROOT / "target" / "debug" / "contexture"))
        command = [program, "serve", "--listen", "127.0.0.1:0", "--database-url", "memory:"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert server.stdout is not None
        url = server.stdout.readline().strip().removeprefix("listening on ")
    failed = False
    try:
        for name, tool, check in checks():
            if tool is None:
                print(f"{name}: skipped, it is not installed", flush=True)
                continue
            try:
                with tempfile.TemporaryDirectory() as folder:
                    print(f"{name}: {check(pathlib.Path(folder), url)}", flush=True)
            except Failure as failure:
                failed = True
                print(f"{name}: FAILED, {failure}", flush=True)
    finally:
        if server is not None:
            server.terminate()
            server.wait()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
