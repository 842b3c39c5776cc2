//! A compile under a pack, to be changed before it is sent; and what runs through all of it.

use serde_json::{Value, json};

use crate::support::pack::{context, dbops, minimal, refunds};
use crate::support::{TestServer, problem};

/// A request under a pack.
pub(crate) struct Run {
    pub(crate) server: TestServer,
    pub(crate) pack: Value,
    pub(crate) body: Value,
}

impl Run {
    async fn of(pack: Value, intent: &str, message: &str) -> Self {
        let tenant = pack["pack_meta"]["tenant"].as_str().unwrap().to_owned();
        let mut run_context = context(&tenant);
        run_context["as_of"] = Value::Null;
        let body = json!({
            "model": "bytes4", "messages": [], "target": "neutral",
            "pack": {
                "run_context": run_context,
                "request": {"request_id": "req_1", "input": {"intent": intent, "message": message}},
            },
        });
        Self { server: TestServer::spawn().await, pack, body }
    }

    /// Restoring a degraded cluster in production.
    pub(crate) async fn restore() -> Self {
        let mut run = Self::of(dbops(), "ops.db.restore", "Restore cluster c1").await;
        *run.input("channel") = "cli".into();
        *run.input("context") =
            json!({"cluster_state": "degraded", "environment": "production", "snapshot_gb": 900});
        run
    }

    pub(crate) async fn refund(facts: Value) -> Self {
        let mut run = Self::of(refunds(), "refund.execute", "Pay it back").await;
        *run.input("context") = facts;
        run
    }

    pub(crate) async fn minimal(tokens: u64, message: &str) -> Self {
        let mut run = Self::of(minimal(), "x", message).await;
        run.context()["run_budget"] = json!({"bucket_tokens": tokens});
        run
    }

    pub(crate) fn context(&mut self) -> &mut Value {
        &mut self.body["pack"]["run_context"]
    }

    pub(crate) fn input(&mut self, key: &str) -> &mut Value {
        &mut self.body["pack"]["request"]["input"][key]
    }

    /// Sends it under the pack, inline.
    pub(crate) async fn send(&self) -> reqwest::Response {
        self.server.post("/compile", &self.whole()).await
    }

    /// The body, with the pack in it where it has no reference.
    pub(super) fn whole(&self) -> Value {
        let mut body = self.body.clone();
        if body["pack"].get("ref").is_none() {
            body["pack"]["document"] = self.pack.clone();
        }
        body
    }

    /// The whole answer.
    pub(crate) async fn answer(&self) -> Value {
        let answer = self.send().await;
        let status = answer.status();
        let text = answer.text().await.unwrap();
        assert_eq!(status, 200, "{text}");
        serde_json::from_str(&text).unwrap()
    }

    /// What was compiled.
    pub(crate) async fn compiled(&self) -> Value {
        self.answer().await["compiled_context"].take()
    }

    /// The problem; what it blames stands in the body, or is missing from an object there.
    pub(crate) async fn refused(&self, status: u16, code: &str) -> Value {
        let refused = problem(self.send().await, status, code).await;
        let body = self.whole();
        for error in refused["errors"].as_array().into_iter().flatten() {
            let pointer = error["pointer"].as_str().unwrap();
            let holder = pointer.rsplit_once('/').map_or("", |(holder, _)| holder);
            assert!(body.pointer(holder).is_some(), "{pointer}: {refused}");
        }
        refused
    }

    /// The hash of what was compiled.
    pub(crate) async fn hash(&self) -> String {
        self.answer().await["compiled_context_hash"].as_str().unwrap().to_owned()
    }
}

/// The texts under a key of each row.
pub(crate) fn column(rows: &Value, key: &str) -> Vec<String> {
    let rows = rows.as_array().unwrap_or_else(|| panic!("a list, not {rows}"));
    rows.iter().map(|row| row[key].as_str().unwrap_or_default().to_owned()).collect()
}

/// Reasons by key or id, of what was withheld.
pub(crate) fn reasons(rows: &Value, key: &str) -> Vec<(String, String)> {
    column(rows, key).into_iter().zip(column(rows, "reason")).collect()
}

/// The keys of the tools that surfaced.
pub(crate) fn surfaced(compiled: &Value) -> Vec<String> {
    let tools = compiled["manifests"]["tool_manifest"].as_array().unwrap();
    let text = |tool: &Value, key: &str| tool[key].as_str().unwrap().to_owned();
    tools
        .iter()
        .map(|t| format!("{}.{}", text(t, "adapter_id"), text(t, "capability_id")))
        .collect()
}

#[tokio::test]
async fn the_sentence_of_the_report_counts_what_was_sent() {
    let mut run = Run::minimal(60_000, "Say hello.").await;
    let answer = run.answer().await;
    let report = &answer["report"];
    let figures = |report: &Value| {
        format!("{} → {} tokens. ", report["tokens_before"], report["tokens_after"])
    };
    assert_eq!(
        report["summary"],
        format!("{}1 message word for word, nothing dropped.", figures(report)),
        "{report}"
    );
    // Turns for which there is no room.
    let turn =
        |at: usize| json!({"role": "user", "content": format!("{at} {}", "word ".repeat(400))});
    run.body["messages"] = (0..12).map(turn).collect();
    run.context()["run_budget"] = json!({"bucket_tokens": 3_000});
    let answer = run.answer().await;
    let report = &answer["report"];
    let count = |key: &str| report["actions"][key].as_u64().unwrap();
    let of = |key: &str, noun: &str, verb: &str| match count(key) {
        0 => None,
        1 => Some(format!("1 {noun} {verb}")),
        more => Some(format!("{more} {noun}s {verb}")),
    };
    let clauses = [
        of("kept", "message", "word for word"),
        of("summarized", "old message", "summarized"),
        of("dropped", "old message", "dropped"),
    ];
    let clauses: Vec<String> = clauses.into_iter().flatten().collect();
    assert!(count("summarized") + count("dropped") > 0, "{report}");
    let sentence = report["summary"].as_str().unwrap();
    assert!(sentence.contains(&format!(" tokens. {}", clauses.join(", "))), "{sentence}");
}
