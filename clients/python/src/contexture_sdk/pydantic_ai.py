"""Pydantic AI: `Agent(..., capabilities=[CompileHistory()])` compiles the messages of each model request.

The agent's own history stays whole; what the model is sent is compiled from it each time.
"""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple, cast

from pydantic_ai import BinaryContent
from pydantic_ai import messages as m
from pydantic_ai.capabilities import AbstractCapability

from . import _neutral as n

if TYPE_CHECKING:
    from pydantic_ai import RunContext
    from pydantic_ai.models import ModelRequestContext

    from ._client import AsyncContexture

# A message of the history, and one of the parts of a request; responses are kept whole.
Piece = Tuple[m.ModelMessage, Any]


def _prompt(part: m.UserPromptPart) -> List[Dict[str, Any]]:
    if isinstance(part.content, str):
        return [n.text_part(part.content)]
    parts = []
    for item in part.content:
        if isinstance(item, str):
            parts.append(n.text_part(item))
        elif isinstance(item, BinaryContent):
            parts.append(n.media_part(item.media_type, base64.b64encode(item.data).decode()))
        else:
            parts.append(n.text_part(str(getattr(item, "content", None) or f"[{getattr(item, 'kind', 'media')}]")))
    return parts


def _response(message: m.ModelResponse) -> List[Dict[str, Any]]:
    parts = []
    for part in message.parts:
        if isinstance(part, m.TextPart):
            parts.append(n.text_part(part.content))
        elif isinstance(part, m.ToolCallPart):
            parts.append(n.call_part(part.tool_call_id, part.tool_name, part.args_as_json_str()))
    return parts


def _shown(message: m.ModelMessage) -> List[n.Shown[Piece]]:
    if isinstance(message, m.ModelResponse):
        return [n.Shown((message, None), "assistant", _response(message))]
    rows: List[n.Shown[Piece]] = []
    for part in message.parts:
        if isinstance(part, m.SystemPromptPart):
            rows.append(n.Shown((message, part), "system", [n.text_part(part.content)]))
        elif isinstance(part, m.ToolReturnPart):
            result = n.result_part(part.tool_call_id, part.model_response_str(), failed=part.outcome != "success")
            rows.append(n.Shown((message, part), "tool", [result]))
        elif isinstance(part, m.UserPromptPart):
            rows.append(n.Shown((message, part), "user", _prompt(part)))
        else:
            said = getattr(part, "model_response", None)
            text = str(said()) if callable(said) else f"[{part.part_kind}]"
            rows.append(n.Shown((message, part), "user", [n.text_part(text)]))
    return rows


def _changed(piece: Piece, parts: List[Dict[str, Any]]) -> Piece:
    message, part = piece
    if isinstance(message, m.ModelResponse):
        calls = {row["id"] for row in parts if row["type"] == "tool_call"}
        texts = [m.TextPart(text) for text in n.texts_of(parts)]
        kept = [row for row in message.parts if isinstance(row, m.ToolCallPart) and row.tool_call_id in calls]
        return replace(message, parts=[*texts, *kept]), None
    if isinstance(part, m.ToolReturnPart):
        return message, replace(part, content=str(parts[0]["content"]))
    if isinstance(part, (m.UserPromptPart, m.SystemPromptPart)):
        text, items = "\n".join(n.texts_of(parts)), [] if isinstance(part.content, str) else part.content
        others = [item for item in items if not isinstance(item, str)]
        content: Any = [*others, text] if others else text
        return message, replace(part, content=content)
    return piece


def _added(role: str, parts: List[Dict[str, Any]]) -> Piece:
    text = "\n".join(n.texts_of(parts))
    part = m.SystemPromptPart(text) if role == "system" else m.UserPromptPart(text)
    return m.ModelRequest(parts=[part]), part


def _joined(pieces: List[Piece]) -> List[m.ModelMessage]:
    """Joins pieces to messages; the parts of one request become one request."""
    messages: List[m.ModelMessage] = []
    origin: Optional[m.ModelMessage] = None
    for message, part in pieces:
        if isinstance(message, m.ModelResponse):
            messages.append(message)
        elif message is origin:
            last = cast("m.ModelRequest", messages[-1])
            messages[-1] = replace(last, parts=[*last.parts, part])
        else:
            messages.append(replace(message, parts=[part]))
        origin = message
    return messages


class CompileHistory(AbstractCapability[Any]):
    """Compiles the messages of a model request, and reports what the model counted. `keys` are those of `/compile`."""

    def __init__(
        self, client: Optional[AsyncContexture] = None, *, session: Optional[str] = None, fail_open: bool = True,
        **keys: Any,
    ) -> None:
        self._clients = n.clients_of(client, keys, "session fail_open", "model", fail_open=fail_open)
        self._session = session
        self._keys = {**keys, **({"session_id": session} if session else {})}

    async def prepare_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Compiles before each attempt, for the model that serves it."""
        shown = [row for message in request_context.messages for row in _shown(message)]
        tools = [
            {"name": tool.name, "description": tool.description or "", "parameters": tool.parameters_json_schema}
            for tool in request_context.model_request_parameters.function_tools
        ]
        keys = {**self._keys, **({"tools": tools} if tools else {})}
        body = n.request_of(shown, request_context.model.model_name, keys)
        payload = await self._clients.compile_async(body)
        if payload is None:
            return request_context
        return replace(request_context, messages=_joined(n.merged(shown, payload, _changed, _added)))

    async def after_model_request(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, response: m.ModelResponse
    ) -> m.ModelResponse:
        """Reports the usage to the session."""
        if response.usage.input_tokens:
            counted = (response.usage.input_tokens, response.usage.output_tokens, response.usage.cache_read_tokens)
            await self._clients.report_async(self._session, n.usage_of(*counted))
        return response
