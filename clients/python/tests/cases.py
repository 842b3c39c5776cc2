"""The cases that all clients run."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import pytest

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "conformance"


def cases(name: str) -> list[Any]:
    """The cases of a file, each under its name."""
    rows = json.loads((FOLDER / name).read_text(encoding="utf-8"))["cases"]
    assert rows, f"there are no cases in {name}"
    return [pytest.param(row, id=f"{name.removesuffix('.json')}-{row['name']}") for row in rows]
