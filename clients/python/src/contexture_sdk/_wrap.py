"""`wrap` for the client of any provider."""

from __future__ import annotations

from importlib import import_module
from typing import Any, TypeVar, cast

Client = TypeVar("Client")

MODULES = {"openai": "openai", "anthropic": "anthropic", "google": "genai"}


def wrap(client: Client, *arguments: Any, **options: Any) -> Client:
    """A client of OpenAI, Anthropic or Google Gen AI whose requests are compiled on their way out."""
    for kind in type(client).__mro__:
        module = MODULES.get(kind.__module__.split(".", 1)[0])
        if module is not None:
            found = import_module(f"contexture_sdk.{module}")
            return cast(Client, found.wrap(client, *arguments, **options))
    raise TypeError(f"{type(client).__name__} is no client of OpenAI, Anthropic or Google Gen AI")
