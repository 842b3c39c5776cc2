"""LangChain and LangGraph: `create_agent(..., middleware=[CompileMiddleware()])` compiles before each model call.

The agent's own list of messages stays whole; what the model is sent is compiled from it each time. In a graph of your
own, `compile_messages` does the same to a list.
"""

from __future__ import annotations

import json
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Awaitable, Callable, Dict, List, Optional, Sequence, Union, cast

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.utils.function_calling import convert_to_openai_tool

from ._neutral import (
    Shown,
    call_part,
    clients_of,
    media_part,
    merged,
    request_of,
    result_part,
    text_part,
    texts_of,
    usage_of,
)

if TYPE_CHECKING:
    from langchain.agents.middleware.types import ModelRequest, ModelResponse

    from ._client import AsyncContexture, Contexture

    Handler = Callable[[ModelRequest[Any]], ModelResponse[Any]]
    AsyncHandler = Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]

def _parts(message: AnyMessage) -> List[Dict[str, Any]]:
    parts: List[Dict[str, Any]] = []
    for block in cast("List[Dict[str, Any]]", message.content_blocks):
        kind = block["type"]
        if kind == "text":
            parts.append(text_part(str(block.get("text", ""))))
        elif kind in ("image", "audio", "video", "file") and block.get("base64"):
            parts.append(media_part(str(block.get("mime_type", "application/octet-stream")), str(block["base64"])))
        elif kind not in ("reasoning", "tool_call", "non_standard"):
            parts.append(text_part(f"[{kind}]"))
    if isinstance(message, AIMessage):
        parts += [call_part(str(row["id"]), row["name"], json.dumps(row["args"])) for row in message.tool_calls]
    return parts


def _shown(message: AnyMessage) -> Shown[AnyMessage]:
    if isinstance(message, ToolMessage):
        part = result_part(message.tool_call_id, message.text, failed=message.status == "error")
        return Shown(message, "tool", [part])
    role = {"system": "system", "ai": "assistant"}.get(message.type, "user")
    return Shown(message, role, _parts(message))


def _changed(message: AnyMessage, parts: List[Dict[str, Any]]) -> AnyMessage:
    """The same message with the texts of the payload; blocks that are no texts stay."""
    if isinstance(message, ToolMessage):
        return message.model_copy(update={"content": str(parts[0]["content"])})
    text = "\n".join(texts_of(parts))
    if isinstance(message.content, str):
        return message.model_copy(update={"content": text})
    others = [block for block in message.content if isinstance(block, dict) and block.get("type") != "text"]
    return message.model_copy(update={"content": [*others, {"type": "text", "text": text}]})


def _added(role: str, parts: List[Dict[str, Any]]) -> AnyMessage:
    kind: Any = {"system": SystemMessage, "assistant": AIMessage}.get(role, HumanMessage)
    return cast("AnyMessage", kind("\n".join(texts_of(parts))))


def compile_messages(
    messages: Sequence[AnyMessage], client: Optional[Contexture] = None, *, model: Optional[str] = None,
    fail_open: bool = True, **keys: Any,
) -> List[AnyMessage]:
    """The messages to send; `keys` are those of `/compile`. A client that is given keeps its connections."""
    clients, shown = (
        clients_of(client, keys, "fail_open", "model tools", fail_open=fail_open), [_shown(row) for row in messages]
    )
    try:
        payload = clients.compile(request_of(shown, model, keys))
    finally:
        if client is None:
            clients.get().close()
    return list(messages) if payload is None else merged(shown, payload, _changed, _added)


class CompileMiddleware(AgentMiddleware[Any, Any, Any]):
    """Compiles what the model is sent, and reports what it counted. `keys` are those of `/compile`."""

    def __init__(
        self, client: Union[Contexture, AsyncContexture, None] = None, *, session: Optional[str] = None,
        fail_open: bool = True, **keys: Any,
    ) -> None:
        super().__init__()
        self._clients = clients_of(client, keys, "session fail_open", "model", fail_open=fail_open)
        self._keys = {**keys, **({"session_id": session} if session else {})}
        self._session = session

    def _request(self, request: ModelRequest[Any]) -> Any:
        system = [request.system_message] if request.system_message is not None else []
        shown = [_shown(message) for message in [*system, *request.messages]]
        tools = [convert_to_openai_tool(tool) for tool in request.tools]
        name = getattr(request.model, "model_name", None) or getattr(request.model, "model", None)
        return shown, {**request_of(shown, name, self._keys), **({"tools": tools} if tools else {})}

    def _override(self, request: ModelRequest[Any], shown: Any, payload: Any) -> ModelRequest[Any]:
        messages = merged(shown, payload, _changed, _added)
        lead = list(takewhile(lambda message: message.type == "system", messages))
        joined = lead[0] if len(lead) == 1 else SystemMessage("\n\n".join(message.text for message in lead))
        return request.override(messages=messages[len(lead) :], system_message=cast(Any, joined) if lead else None)

    def _usage(self, response: ModelResponse[Any]) -> Dict[str, Any]:
        counted = getattr(response.result[-1], "usage_metadata", None) if response.result else None
        cached = (counted or {}).get("input_token_details", {}).get("cache_read", 0)
        return usage_of(counted["input_tokens"], counted["output_tokens"], cached) if counted else {}

    def wrap_model_call(self, request: ModelRequest[Any], handler: Handler) -> ModelResponse[Any]:
        """Compiles, calls the model, and reports its usage."""
        shown, body = self._request(request)
        payload = self._clients.compile(body)
        if payload is not None:
            request = self._override(request, shown, payload)
        response = handler(request)
        if usage := self._usage(response):
            self._clients.report(self._session, usage)
        return response

    async def awrap_model_call(self, request: ModelRequest[Any], handler: AsyncHandler) -> ModelResponse[Any]:
        """The same, async."""
        shown, body = self._request(request)
        payload = await self._clients.compile_async(body)
        if payload is not None:
            request = self._override(request, shown, payload)
        response = await handler(request)
        if usage := self._usage(response):
            await self._clients.report_async(self._session, usage)
        return response
