"""Examples: five hooks in thirty lines, and what they do to the requests of examples/recipes."""

from __future__ import annotations

import ast
import importlib.util
import json
import pathlib
import re
import threading
import time
from typing import Any

import httpx
import pytest
from conftest import serving
from fake_server import FakeServer

from contexture_sdk import Contexture

ROOT = pathlib.Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "clients" / "python" / "examples" / "five_hooks.py"
MAX_LINES = 30


def test_five_hooks_are_thirty_lines() -> None:
    """Lines of code: neither the docstring, nor imports, nor blank ones."""
    text = EXAMPLE.read_text(encoding="utf-8")
    body = [node for node in ast.parse(text).body if not isinstance(node, (ast.Import, ast.ImportFrom, ast.Expr))]
    first = min(node.lineno for node in body)
    lines = [line for line in text.splitlines()[first - 1 :] if line.strip()]
    assert len(lines) <= MAX_LINES, f"{len(lines)} lines"


def request_of(recipe: str) -> Any:
    return json.loads((ROOT / "examples" / "recipes" / recipe / "request.json").read_text(encoding="utf-8"))


def test_five_hooks_do_what_the_recipes_do(
    server_url: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONTEXTURE_HOOK_SECRETS", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    monkeypatch.chdir(tmp_path)
    spec = importlib.util.spec_from_file_location("five_hooks", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    server = example.hooks.server()
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    client = Contexture(server_url)
    names = ["offload", "retrieval", "audit", "veto", "last"]
    try:
        rows = example.hooks.register(client, f"http://127.0.0.1:{server.server_port}/")
        assert [row["id"] for row in rows] == names
        offloaded = json.dumps(client.compile(request_of("offload"))["payload"])
        assert "Offloaded to offloaded/call_1.txt" in offloaded
        assert "row 045" in (tmp_path / "offloaded" / "call_1.txt").read_text()
        assert "deploy --previous" in json.dumps(client.compile(request_of("retrieval"))["payload"])
        [first, second] = client.handle_calls(request_of("veto"))["results"]
        assert (first["decision"], second["decision"]) == ("deny", "allow")
        last = client.compile(request_of("last"))["payload"]
        assert "Reply in one sentence." in json.dumps(last["messages"][-1])
        seen: set[str] = set()
        for event in client.events(after=0, types=["compile:done", "memory:changed"]):
            seen.add(event["type"])
            if len(seen) == 2:
                break
        audit = tmp_path / "audit.jsonl"
        pause, limit = threading.Event(), time.monotonic() + 20
        kinds: set[str] = set()
        while not {"compile:done", "memory:changed"} <= kinds and time.monotonic() < limit:
            pause.wait(0.02)
            kinds = {json.loads(line)["type"] for line in audit.read_text().splitlines()} if audit.exists() else set()
        assert kinds >= {"compile:done", "memory:changed"}
    finally:
        for name in names:
            client.delete_hook(name)
        server.shutdown()
        server.server_close()


PAGE = ROOT / "docs" / "clients-python.md"
RUN = "<!-- run -->\n"


def test_examples_of_the_page_run(
    server_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CONTEXTURE_URL", server_url)
    page = PAGE.read_text(encoding="utf-8")
    examples = re.findall(RUN + r"```python\n(.*?)```", page, re.S)
    assert len(examples) == page.count(RUN) == 5
    for example in examples:
        exec(compile(example, str(PAGE), "exec"), {})
    printed = capsys.readouterr().out
    said = ("tokens", "invalid_request\n422\n", "style No new dependencies.", "memory:changed", "['veto', 'note']")
    for expected in said:
        assert expected in printed


def test_other_examples_of_the_page_are_python() -> None:
    examples = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    assert len(examples) == 7
    for example in examples:
        ast.parse(example)


def test_the_table_of_cases_has_their_numbers() -> None:
    folder = ROOT / "clients" / "conformance"
    readme = (folder / "README.md").read_text(encoding="utf-8")
    rows = {name: int(count) for name, count in re.findall(r"^\| `(\w+\.json)` \| (\d+) \|", readme, re.M)}
    counts = {
        path.name: len(json.loads(path.read_text(encoding="utf-8"))["cases"]) for path in folder.glob("*.json")
    }
    assert rows == counts


def test_optional_modules_are_short() -> None:
    package = ROOT / "clients" / "python" / "src" / "contexture_sdk"
    for name in ("openai", "anthropic", "genai", "langchain", "openai_agents", "pydantic_ai"):
        lines = (package / f"{name}.py").read_text(encoding="utf-8").count("\n")
        assert lines <= 150, f"{name}.py has {lines} lines"


def test_the_snippet_of_the_readme_runs(server_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("openai")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (snippet,) = re.findall(r"```python\n(.*?)```", readme, re.S)
    message = {"role": "assistant", "content": "The column is missing."}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    reply = {"id": "a", "object": "chat.completion", "created": 0, "model": "gpt-5.5", "choices": [choice]}
    messages = [{"role": "user", "content": "Say hello"}]
    body = {"model": "gpt-5.5", "messages": messages}
    exchange = {
        "request": {"method": "POST", "path": "/v1/chat/completions", "body": body},
        "response": {"status": 200, "headers": {"content-type": "application/json"}, "body": reply},
    }
    with FakeServer([exchange]) as provider:
        monkeypatch.setenv("OPENAI_BASE_URL", provider.url + "/v1")
        monkeypatch.setenv("OPENAI_API_KEY", "x")
        monkeypatch.setenv("CONTEXTURE_URL", server_url)
        exec(compile(snippet, "README.md", "exec"), {"__name__": "readme"})
        provider.finish(1)
    sessions = Contexture(server_url).iter_sessions()
    assert "chat-17" in [row["id"] for row in sessions]


TUTORIALS = {
    "agent-loop.md": ("ERROR unit 5 failed: no such column", "old messages summarized", '<entry key="style">'),
    "hooks.md": ("Refunds are paid within 14 days", "deny\n", "Passwords are not remembered."),
}


@pytest.mark.parametrize("name", TUTORIALS)
def test_tutorials_run(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The marked blocks of a tutorial, in their order, as one program with a server of its own."""
    path = ROOT / "docs" / "tutorials" / name
    page = path.read_text(encoding="utf-8")
    blocks = re.findall(RUN + r"```python\n(.*?)```", page, re.S)
    assert len(blocks) == page.count(RUN) >= 4
    with serving() as url:
        monkeypatch.setenv("CONTEXTURE_URL", url)
        exec(compile("\n".join(blocks), str(path), "exec"), {"__name__": "tutorial"})
    printed = capsys.readouterr().out
    for expected in TUTORIALS[name]:
        assert expected in printed
    if name == "agent-loop.md":
        # The other tutorial shows milliseconds.
        first = re.search(r"begins with `(.*?)`", page)
        assert first is not None
        assert printed.lstrip().startswith(first[1])
        shown = re.findall(r"```text\n(.*?)```", page, re.S)
        assert len(shown) == 3
        for output in shown:
            assert output in printed
    for example in re.findall(r"```python\n(.*?)```", page, re.S):
        ast.parse(example)


def test_the_problem_of_the_page_is_what_the_server_returns(server_url: str) -> None:
    page = (ROOT / "docs" / "problems.md").read_text(encoding="utf-8")
    shown = json.loads(page.split("```json\n")[1].split("```")[0])
    body = {"targt": "openai", "messages": [{"role": "user", "content": "a"}]}
    answer = httpx.post(f"{server_url}/compile", json=body).json()
    assert answer.pop("request_id").startswith("req_")
    assert shown.pop("request_id").startswith("req_")
    assert answer == shown
