"""A client for Contexture, a context compiler as a service."""

from ._client import AsyncContexture, Contexture
from ._errors import ContextureError
from ._session import AsyncSessionHandle, SessionHandle
from ._transport import Options
from ._version import VERSION
from ._wrap import wrap
from .webhooks import WebhookVerificationError, verify_webhook

__version__ = VERSION
__all__ = [
    "AsyncContexture", "AsyncSessionHandle", "Contexture", "ContextureError", "Options", "SessionHandle",
    "WebhookVerificationError", "verify_webhook", "wrap",
]
