//! `POST /compile?dry_run=true`: what would fire, with nothing called and nothing stored.

use serde_json::json;

use super::outcomes;
use crate::support::compile::{Compiled, user};
use crate::support::receiver::{answers, hook};
use crate::support::{TestServer, problem};

#[tokio::test]
async fn a_dry_run_calls_nobody_stores_nothing_and_lists_what_would_be_called() {
    let receiver = answers(&json!({"content": "A"})).await;
    let server = TestServer::dev().await;
    let body = json!({"messages": [user("Card 1234")], "session_id": "s", "hooks": [
        hook("rag", ("before_compile", "provide"), &receiver, &json!({})),
        hook("watch", ("transform_context", "observe"), &receiver, &json!({})),
        {"id": "r", "point": "transform_context", "kind": "transform", "builtin": "redact",
            "config": {"patterns": ["[0-9]{4}"]}}]});
    let response = server.post("/compile?dry_run=true", &body).await;
    assert_eq!(response.status(), 200);
    let done = Compiled::read(&response.text().await.unwrap());
    assert_eq!(outcomes(&done), ["rag would_call", "r applied", "watch would_call"]);
    assert_eq!(done.said(0), "Card [REDACTED]");
    assert_eq!(receiver.requests().len(), 0);
    let events = server.get_json("/events?format=json&after=0").await;
    assert_eq!(events["items"], json!([]));
    assert_eq!(server.get("/sessions/s").await.status(), 404);
    problem(server.post("/compile?dry_run=maybe", &body).await, 422, "invalid_request").await;
}
