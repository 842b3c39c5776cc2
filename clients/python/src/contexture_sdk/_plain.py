"""Objects of other libraries as JSON, by the methods that they have for it."""

from __future__ import annotations

from typing import Any, Mapping


def plain(value: Any) -> Any:
    """The value as JSON; models of pydantic are written by their own names, without what is None."""
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        return dump(mode="json", by_alias=True, exclude_none=True)
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value
