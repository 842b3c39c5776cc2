"""Hooks in web frameworks: each verifies the call, finds the function, and replies."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from typing import Any

import pytest

from contexture_sdk.hooks import Hooks, deny, message_id
from contexture_sdk.webhooks import SECRETS_VARIABLE, sign

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


def body_of(kind: str, point: str, name: str, shown: Any) -> bytes:
    call = {
        "spec": "hooks/1", "point": point, "kind": kind, "hook": {"id": name, "revision": 1},
        "scope": {"tenant": "default", "compilation_id": None, "session_id": None, "agent": None, "turn": None},
        "delivery": {"attempt": 1, "sent_at": "2026-12-31T23:59:59Z", "replay": False, "test": False}, "input": shown,
    }
    return json.dumps(call).encode()


def signed(body: bytes, secret: str = SECRET) -> dict[str, str]:
    now = int(time.time())
    signature = sign(body, secret=secret, message_id="msg_1", timestamp=now)
    return {"webhook-id": "msg_1", "webhook-timestamp": str(now), "webhook-signature": signature,
            "content-type": "application/json"}


def receiver() -> Hooks:
    hooks = Hooks(SECRET)

    @hooks.guard("memory_update")
    def veto(call: Any) -> Any:
        return deny("No passwords.", "pii") if "password" in call["input"]["value"] else None

    @hooks.transform("tool_result", priority=5)
    def redact(call: Any) -> Any:
        return {**call["input"]["result"], "content": "***"}

    @hooks.transform("tool_result", id="other")
    def second(call: Any) -> Any:
        return None

    return hooks


VETO = body_of("guard", "memory_update", "veto", {"value": "the password is x"})
DENIED = {"decision": "deny", "reason": "No passwords.", "code": "pii"}


def test_fastapi_and_starlette() -> None:
    starlette = pytest.importorskip("starlette.applications")
    fastapi = pytest.importorskip("fastapi")
    client_of = pytest.importorskip("starlette.testclient").TestClient
    for app in (starlette.Starlette(), fastapi.FastAPI()):
        app.add_route("/hooks", receiver().starlette, methods=["POST"])
        with client_of(app) as client:
            answer = client.post("/hooks", content=VETO, headers=signed(VETO))
            assert (answer.status_code, answer.json()) == (200, DENIED)
            assert client.post("/hooks", content=VETO, headers=signed(VETO + b" ")).status_code == 401


def test_starlette_awaits_functions_that_are_async() -> None:
    starlette = pytest.importorskip("starlette.applications")
    client_of = pytest.importorskip("starlette.testclient").TestClient
    hooks = Hooks(SECRET)

    @hooks.guard("memory_update")
    async def veto(call: Any) -> str:
        await asyncio.sleep(0)
        return "No."

    app = starlette.Starlette()
    app.add_route("/hooks", hooks.starlette, methods=["POST"])
    with client_of(app) as client:
        assert client.post("/hooks", content=VETO, headers=signed(VETO)).json() == {"decision": "deny", "reason": "No."}


def test_flask() -> None:
    flask = pytest.importorskip("flask")
    app = flask.Flask("receiver")
    app.add_url_rule("/hooks", view_func=receiver().flask, methods=["POST"])
    client = app.test_client()
    answer = client.post("/hooks", data=VETO, headers=signed(VETO))
    assert (answer.status_code, answer.get_json()) == (200, DENIED)
    assert client.post("/hooks", data=VETO, headers={}).status_code == 401


def test_the_id_decides_among_functions_of_one_kind_and_point() -> None:
    hooks = receiver()
    shown = {"tool": {}, "result": {"content": "a@b.c", "is_error": False}}
    by_id = body_of("transform", "tool_result", "other", shown)
    assert json.loads(hooks.handle(by_id, signed(by_id)).body) == {"action": "unchanged"}
    by_point = body_of("transform", "tool_result", "registered-by-hand", shown)
    assert json.loads(hooks.handle(by_point, signed(by_point)).body)["payload"] == {"content": "***", "is_error": False}


def test_a_call_for_which_there_is_no_function_is_404() -> None:
    body = body_of("observe", "event", "audit", {})
    assert receiver().handle(body, signed(body)).status == 404


def test_an_async_function_needs_an_async_handler() -> None:
    hooks = Hooks(SECRET)

    @hooks.observe("event")
    async def audit(call: Any) -> None:
        raise RuntimeError("of the async kind")

    body = body_of("observe", "event", "audit", {})
    with pytest.raises(TypeError, match="handle_async"):
        hooks.handle(body, signed(body))
    logging.disable(logging.CRITICAL)
    try:
        assert asyncio.run(hooks.handle_async(body, signed(body))).status == 500
    finally:
        logging.disable(logging.NOTSET)


def test_secrets_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    hooks = Hooks()
    hooks.guard("memory_update")(lambda call: None)
    monkeypatch.setenv(SECRETS_VARIABLE, f"whsec_{'A' * 32} {SECRET}")
    assert hooks.handle(VETO, signed(VETO)).status == 200
    monkeypatch.delenv(SECRETS_VARIABLE)
    with pytest.raises(ValueError, match=SECRETS_VARIABLE):
        hooks.handle(VETO, signed(VETO))


def test_registrations_have_their_options() -> None:
    rows = receiver().registrations("https://hooks.example.com/all")
    assert [(row["id"], row["kind"], row["points"], row.get("priority", 0)) for row in rows] == [
        ("veto", "guard", ["memory_update"], 0), ("redact", "transform", ["tool_result"], 5),
        ("other", "transform", ["tool_result"], 0),
    ]
    assert {row["secret"] for row in rows} == {SECRET}
    assert {row["url"] for row in rows} == {"https://hooks.example.com/all"}


def test_two_hooks_of_one_id_and_hooks_without_a_point_are_refused() -> None:
    hooks = receiver()
    with pytest.raises(ValueError, match="'veto'"):
        hooks.guard("tool_call", id="veto")(lambda call: None)
    with pytest.raises(ValueError, match="one point"):
        hooks.guard()


def test_a_short_secret_is_refused() -> None:
    with pytest.raises(ValueError, match="24 bytes"):
        Hooks("whsec_c2hvcnQ=").handle(VETO, signed(VETO))


def test_the_library_of_standard_webhooks_agrees() -> None:
    library = pytest.importorskip("standardwebhooks.webhooks")
    assert library.Webhook(SECRET).verify(VETO, signed(VETO))["hook"]["id"] == "veto"


def test_a_function_knows_the_id_of_its_call() -> None:
    hooks = Hooks(SECRET)
    seen: list[Any] = []
    hooks.guard("memory_update")(lambda call: seen.append(message_id()))
    hooks.handle(VETO, {name.title(): value for name, value in signed(VETO).items()})
    assert seen == ["msg_1"]
