"""OpenAI's library: `wrap(OpenAI())` and `wrap(AsyncOpenAI())` compile each chat completion and response."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, TypeVar, Union

from ._compiling import OPENAI_CHAT, OPENAI_RESPONSES, OnCompiled, SessionOf, rules_of
from ._wrapped_http import compiling_client

if TYPE_CHECKING:
    import openai as provider

    from ._client import AsyncContexture, Contexture

Client = TypeVar("Client", bound="Union[provider.OpenAI, provider.AsyncOpenAI]")


def wrap(
    client: Client, contexture: Union[Contexture, AsyncContexture, None] = None, *, session: SessionOf = None,
    fail_open: bool = True, on_compiled: Optional[OnCompiled] = None, **keys: Any,
) -> Client:
    """A client like the given one, whose requests are compiled on their way out.

    `keys` are those of `/compile`. `session` names the session, or is a function that does; the header
    `Contexture-Session` of a request wins. The usage in responses is reported to the session. If Contexture cannot be
    reached, or cannot read a request, the request goes out as it is, unless `fail_open` is false; what a hook or a
    pack refuses does not go out. `on_compiled` is shown each answer of `/compile`.
    """
    rules = rules_of(
        (OPENAI_CHAT, OPENAI_RESPONSES), session=session, fail_open=fail_open, on_compiled=on_compiled, keys=keys
    )
    http_client: Any = compiling_client(client._client, rules, contexture)
    return client.with_options(http_client=http_client)  # type: ignore[return-value]
