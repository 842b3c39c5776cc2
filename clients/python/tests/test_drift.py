"""The generated files are those of the API's description, and every operation has its method."""

from __future__ import annotations

import importlib.util
import inspect
import pathlib
import typing
from types import ModuleType

import pytest

from contexture_sdk import AsyncContexture, Contexture, types
from contexture_sdk._version import VERSION

GENERATOR = pathlib.Path(__file__).resolve().parents[1] / "scripts" / "generate.py"


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    pytest.importorskip("yaml")
    spec = importlib.util.spec_from_file_location("generate", GENERATOR)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_generated_files_are_current(generator: ModuleType) -> None:
    document = generator.load()
    schemas = generator.Types(document["components"]["schemas"])
    for name, text in (("types.py", schemas.file()), ("_operations.py", generator.operations_file(document, schemas))):
        assert (generator.PACKAGE / name).read_text(encoding="utf-8") == text, f"{name}: run scripts/generate.py"


def test_every_operation_but_pages_has_a_method(generator: ModuleType) -> None:
    names = {
        generator.RENAMED.get(operation["operationId"], operation["operationId"])
        for item in generator.load()["paths"].values()
        for operation in item.values()
        if isinstance(operation, dict) and "operationId" in operation
    }
    without = {name for name in names if not hasattr(Contexture, name)}
    assert without == {
        "get_root", "get_console_file", "get_docs", "get_docs_page", "get_docs_file", "get_guide", "get_guide_page",
        "get_guide_file", "speak_mcp",
    }


def test_sync_and_async_methods_are_the_same() -> None:
    def signatures(kind: type) -> dict[str, list[str]]:
        return {
            name: list(inspect.signature(method).parameters)
            for name, method in inspect.getmembers(kind, inspect.isfunction)
            if not name.startswith("_") and name != "send"
        }

    assert signatures(Contexture) == signatures(AsyncContexture)


def test_types_can_be_resolved_at_run_time() -> None:
    for name in types.__all__:
        kind = getattr(types, name)
        if isinstance(kind, type):
            assert typing.get_type_hints(kind) is not None


def test_options_of_the_generator_name_operations_that_there_are(generator: ModuleType) -> None:
    known = {
        operation["operationId"]
        for item in generator.load()["paths"].values()
        for operation in item.values()
        if isinstance(operation, dict) and "operationId" in operation
    }
    named = [
        generator.SKIPPED, generator.READING_POSTS, generator.SAFE_UNLESS_IN_BODY, generator.FIXED_QUERY,
        generator.DROPPED_QUERY, generator.RENAMED,
    ]
    for names in named:
        assert set(names) <= known


def test_the_version_is_that_of_the_server(generator: ModuleType) -> None:
    assert generator.load()["info"]["version"] == VERSION
