"""The built wheel, in an empty environment, runs the example of the README."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys
import venv
import zipfile

import pytest

PACKAGE = pathlib.Path(__file__).resolve().parents[1]
MAX_WHEEL_BYTES = 100_000


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    pytest.importorskip("build")
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(PACKAGE)]
    subprocess.run(command, check=True, capture_output=True)
    [built] = folder.glob("*.whl")
    return built


def test_the_wheel_has_the_package_and_its_types_alone(wheel: pathlib.Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert "contexture_sdk/py.typed" in names
    assert {name.split("/")[0] for name in names} == {"contexture_sdk", wheel.name.split("-py3")[0] + ".dist-info"}
    assert wheel.stat().st_size < MAX_WHEEL_BYTES
    metadata = next(name for name in names if name.endswith("METADATA"))
    required = re.findall(r"^Requires-Dist: ([^;\n]+)$", zipfile.ZipFile(wheel).read(metadata).decode(), re.M)
    assert required == ["httpx<1,>=0.27"]
    readme = (PACKAGE / "README.md").read_text(encoding="utf-8")
    assert wheel.name in readme, "the README names another file"


def test_the_readme_runs_in_an_empty_environment(
    wheel: pathlib.Path, server_url: str, tmp_path: pathlib.Path
) -> None:
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / "bin" / "python"
    installed = subprocess.run(
        [python, "-m", "pip", "install", "--quiet", str(wheel)], capture_output=True, text=True, check=False
    )
    if "No matching distribution found for httpx" in installed.stderr:
        pytest.skip("httpx cannot be fetched")
    assert installed.returncode == 0, installed.stderr
    readme = (PACKAGE / "README.md").read_text(encoding="utf-8")
    [example] = re.findall(r"```python\n(.*?)```", readme, re.S)
    environment = {"PATH": os.environ["PATH"], "CONTEXTURE_URL": server_url}
    done = subprocess.run(
        [python, "-c", example], capture_output=True, text=True, check=False, env=environment, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert "tokens" in lines[0]
    assert "You are a careful assistant." in lines[1]
    assert "invalid_request" in lines[3]
    frameworks = subprocess.run([python, "-c", "import contexture_sdk.openai"], capture_output=True, check=False)
    assert frameworks.returncode == 0, "a module that wraps needs its framework only when it wraps"
