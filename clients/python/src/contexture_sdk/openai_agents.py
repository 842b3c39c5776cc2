"""OpenAI's Agents SDK: a session whose history Contexture keeps and compiles, and a filter for every model call.

    await Runner.run(agent, question, session=ContextureSession("chat-17"))
    await Runner.run(agent, question, run_config=RunConfig(call_model_input_filter=compile_input()))

The session gives a run the compiled history of the runs before. Within a run the list grows by calls and results; the
filter compiles it before each call of the model. They can be used together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Awaitable, Callable, Dict, List, Optional, cast

from agents.run import CallModelData, ModelInputData

from ._errors import ContextureError
from ._neutral import clients_of
from ._plain import plain

if TYPE_CHECKING:
    from agents.items import TResponseInputItem
    from agents.memory.session_settings import SessionSettings

    from ._client import AsyncContexture

TARGET = "openai_responses"


class ContextureSession:
    """A session of the Agents SDK. `keys` are those of `/compile`, for the history that a run begins with."""

    session_settings: Optional[SessionSettings] = None

    def __init__(self, session_id: str, client: Optional[AsyncContexture] = None, **keys: Any) -> None:
        self.session_id = session_id
        clients = clients_of(client, keys, "", "model tools")
        self._client = clients.get_async()
        self._keys = {"target": TARGET, "source": TARGET, **keys}

    async def get_items(self, limit: Optional[int] = None) -> List[TResponseInputItem]:
        """The compiled history, or the last items of it."""
        if not await self._count():
            return []
        turn = await self._client.take_turn(self.session_id, cast(Any, {**self._keys, "append": []}))
        items = cast("List[TResponseInputItem]", cast(Any, turn)["payload"]["input"])
        return items if limit is None else items[len(items) - min(limit, len(items)) :]

    async def add_items(self, items: List[TResponseInputItem]) -> None:
        """Appends items; all of them are stored, or none."""
        if items:
            body = {"source": TARGET, "append": plain(items), "compile": False}
            await self._client.take_turn(self.session_id, cast(Any, body))

    async def pop_item(self) -> Optional[TResponseInputItem]:
        """Removes the last item, by a snapshot."""
        if not await self._count():
            return None
        taken = await self._client.take_snapshot(self.session_id, {"label": "pop_item"})
        snapshot: Dict[str, Any] = cast(Any, await self._client.get_snapshot(taken["id"]))
        *rest, last = snapshot["messages"]
        await self._client.restore_session(self.session_id, cast(Any, {"snapshot": {**snapshot, "messages": rest}}))
        return cast("TResponseInputItem", last)

    async def clear_session(self) -> None:
        """Removes the session and everything that is kept of it."""
        try:
            await self._client.delete_session(self.session_id)
        except ContextureError as error:
            if error.status != 404:
                raise

    async def _count(self) -> int:
        try:
            return (await self._client.get_session(self.session_id))["messages"]
        except ContextureError as error:
            if error.status == 404:
                return 0
            raise


def compile_input(
    client: Optional[AsyncContexture] = None, *, fail_open: bool = True, **keys: Any
) -> Callable[[CallModelData[Any]], Awaitable[ModelInputData]]:
    """A `call_model_input_filter` that compiles the input of each model call. `keys` are those of `/compile`."""
    clients = clients_of(client, keys, "fail_open", "model tools", fail_open=fail_open)

    async def compiled(data: CallModelData[Any]) -> ModelInputData:
        given = data.model_data
        model = data.agent.model
        body: Dict[str, Any] = {"input": plain(given.input), **({"model": model} if isinstance(model, str) else {})}
        if given.instructions is not None:
            body["instructions"] = given.instructions
        payload = await clients.compile_async({**body, **keys, "target": TARGET, "source": TARGET})
        if payload is None:
            return given
        return ModelInputData(input=payload["input"], instructions=payload.get("instructions"))

    return compiled
