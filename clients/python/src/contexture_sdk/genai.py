"""Google's Gen AI library: `wrap(genai.Client())` compiles each `generate_content`, sync and async."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, TypeVar

from ._compiling import GEMINI_CONTENT, OnCompiled, SessionOf, rules_of
from ._wrapped_http import compiling_client

if TYPE_CHECKING:
    from google import genai

    from ._client import AsyncContexture, Contexture

Client = TypeVar("Client", bound="genai.Client")


def wrap(
    client: Client, contexture: Optional[Contexture] = None, *, async_contexture: Optional[AsyncContexture] = None,
    session: SessionOf = None, fail_open: bool = True, on_compiled: Optional[OnCompiled] = None, **keys: Any,
) -> Client:
    """Compiles the client's requests on their way out. The library has no way to copy a client, so it is this one.

    `keys` are those of `/compile`. `session` names the session, or is a function that does; the header
    `Contexture-Session` of a request wins. The usage in responses is reported to the session. If Contexture cannot be
    reached, or cannot read a request, the request goes out as it is, unless `fail_open` is false; what a hook or a
    pack refuses does not go out. `on_compiled` is shown each answer of `/compile`.
    """
    rules = rules_of((GEMINI_CONTENT,), session=session, fail_open=fail_open, on_compiled=on_compiled, keys=keys)
    api: Any = client._api_client
    options = api._http_options
    if options.aiohttp_client is not None or api._async_httpx_client is None:
        raise TypeError("the client sends by aiohttp or mutual TLS: give it `httpx_async_client`, or use the gateway")
    # With a client of its own the library neither uses aiohttp nor closes what it did not open.
    api._httpx_client = options.httpx_client = compiling_client(api._httpx_client, rules, contexture)
    api._async_httpx_client = options.httpx_async_client = compiling_client(
        api._async_httpx_client, rules, async_contexture
    )
    return client
