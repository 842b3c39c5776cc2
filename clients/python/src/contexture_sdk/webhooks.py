"""Checks that a call of a hook is Contexture's, by the signature of Standard Webhooks."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import os
import time
from typing import TYPE_CHECKING, Iterable, List, Mapping, Optional, Union, cast

if TYPE_CHECKING:
    from .hook_types import HookCall

SECRETS_VARIABLE = "CONTEXTURE_HOOK_SECRETS"
DEFAULT_TOLERANCE_S = 300
MIN_SECRET_BYTES = 24

Secrets = Union[str, Iterable[str], None]


class WebhookVerificationError(Exception):
    """A call that is not signed with a secret of ours, or too old; `code` says which."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(code, detail)
        self.code = code
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.code}: {self.detail}"


def secrets_of(secrets: Secrets) -> List[str]:
    """Secrets as they are given, or those of `CONTEXTURE_HOOK_SECRETS`, with spaces between."""
    if secrets is None:
        secrets = os.environ.get(SECRETS_VARIABLE, "")
    return secrets.split() if isinstance(secrets, str) else list(secrets)


def _key(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error as error:
        raise ValueError("a secret is `whsec_` and base64") from error
    if len(key) < MIN_SECRET_BYTES:
        raise ValueError(f"a secret has at least {MIN_SECRET_BYTES} bytes, this one has {len(key)}")
    return key


def sign(body: bytes, *, secret: str, message_id: str, timestamp: int) -> str:
    """The value of `webhook-signature` for a body, for tests of receivers."""
    signed = f"{message_id}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.digest(_key(secret), signed, hashlib.sha256)).decode()


def verify_webhook(
    body: Union[bytes, str], headers: Mapping[str, str], secrets: Secrets = None, *,
    tolerance_s: float = DEFAULT_TOLERANCE_S, now: Optional[float] = None,
) -> HookCall:
    """Returns the call if it is signed with one of the secrets; raises `WebhookVerificationError`.

    `body` is the body as it came, byte for byte. While a secret is rotated, give both. `headers` may have any case.
    """
    body = body.encode("utf-8") if isinstance(body, str) else body
    given = {name.lower(): value for name, value in headers.items()}
    known = secrets_of(secrets)
    if not known:
        raise ValueError(f"no secret: give `secrets`, or set {SECRETS_VARIABLE}")
    keys = [_key(secret) for secret in known]
    try:
        message_id, stamp, signatures = (given[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
    except KeyError as error:
        raise WebhookVerificationError("missing_header", f"there is no header {error.args[0]}") from error
    if not (stamp.isascii() and stamp.isdigit()):
        raise WebhookVerificationError("invalid_timestamp", "webhook-timestamp is no whole number")
    if abs((time.time() if now is None else now) - int(stamp)) > tolerance_s:
        raise WebhookVerificationError("timestamp_out_of_tolerance", f"it is not within {tolerance_s:g} s of now")
    signed = f"{message_id}.{stamp}.".encode() + body
    expected = [base64.b64encode(hmac.digest(key, signed, hashlib.sha256)) for key in keys]
    found = [text.partition(",") for text in signatures.split(" ")]
    values = [value.encode() for version, _, value in found if version == "v1"]
    # Every pair is compared, so that the time tells nothing.
    if not any([hmac.compare_digest(value, right) for value in values for right in expected]):  # noqa: C419
        raise WebhookVerificationError("invalid_signature", "no signature is made with a secret of ours")
    try:
        call = json.loads(body)
    except ValueError as error:
        raise WebhookVerificationError("invalid_body", "the body is not JSON") from error
    if not isinstance(call, dict) or call.get("spec") != "hooks/1":
        raise WebhookVerificationError("invalid_body", "the body is no call of a hook (`hooks/1`)")
    return cast("HookCall", call)
