"""A server of the program that `CONTEXTURE_BIN` names, for the tests that need a real one."""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
from collections.abc import Iterator

import pytest

KEY = "cx_test_" + "k" * 40


@contextlib.contextmanager
def serving(**environment: str) -> Iterator[str]:
    """The address of a new server with nothing in it, whose hooks may call this machine."""
    program = os.environ.get("CONTEXTURE_BIN")
    if not program:
        pytest.skip("CONTEXTURE_BIN names no program")
    command = [program, "serve", "--listen", "127.0.0.1:0", "--database-url", "memory:", "--dev", "--log-level", "warn"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **environment}) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert "http://" in line, f"the server did not start: {line!r}"
        # What it prints later is read, so that it never waits for us.
        threading.Thread(target=process.stdout.read, daemon=True).start()
        try:
            yield line.split()[-1]
        finally:
            process.terminate()


@pytest.fixture(scope="session")
def server_url() -> Iterator[str]:
    """A server without keys, for all tests."""
    with serving() as url:
        yield url


@pytest.fixture
def server_with_keys() -> Iterator[str]:
    """A server that asks for `KEY`."""
    with serving(CONTEXTURE_BOOTSTRAP_KEY=KEY) as url:
        yield url
