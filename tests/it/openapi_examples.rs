//! The examples of `openapi.yaml` are what the program returns. `UPDATE_OPENAPI=1 cargo test
//! openapi_examples` writes them again; after that, `UPDATE_OPENAPI=1 cargo test openapi`.
//!
//! Ids, times and durations differ from run to run: they are shown as others of the same form.

use std::collections::BTreeMap;
use std::fs;

use serde_json::{Map, Value, json};

use crate::support::pack::minimal;
use crate::support::{BOOTSTRAP_KEY, TestServer, json_of};

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/http/document/examples.json");
/// Operations whose responses are no JSON.
const WITHOUT_EXAMPLE: &[&str] = &[
    "get_artifact",
    "get_console_file",
    "get_docs",
    "get_docs_file",
    "get_docs_page",
    "get_guide",
    "get_guide_file",
    "get_guide_page",
    "get_metrics",
    "get_openapi",
    "get_problem",
    "get_root",
    "import_memory",
    "list_problems",
    // A call that was given up needs twelve attempts.
    "retry_delivery",
];
/// Rows of long lists that are shown.
const MAX_ROWS: usize = 2;

/// A server, the values that later steps need, and the examples so far.
struct Run {
    server: TestServer,
    bound: BTreeMap<&'static str, String>,
    examples: BTreeMap<String, Value>,
    ids: ShownIds,
    /// The key of the next requests.
    key: String,
    /// The version that the next requests name.
    if_match: Option<u64>,
}

impl Run {
    /// Sends a request and keeps it as the operation's example, unless there is one.
    async fn take(
        &mut self,
        operation: &'static str,
        method: &'static str,
        path: &str,
        body: Option<Value>,
    ) -> Value {
        let path = self.fill(path);
        let body: Option<Value> = body.map(|body| {
            serde_json::from_str(&self.fill(&body.to_string())).expect("a body of JSON")
        });
        let mut request = self.server.build_json(method, &path).bearer_auth(&self.key);
        if let Some(version) = &self.if_match {
            request = request.header("if-match", version.to_string());
        }
        if let Some(body) = &body {
            request = request.body(body.to_string());
        }
        let response = request.send().await.expect("a response");
        let status = response.status();
        let text = response.text().await.expect("a body");
        assert!(status.is_success(), "{operation}: {status}: {text}");
        let returned: Option<Value> =
            (!text.is_empty()).then(|| serde_json::from_str(&text).expect("a body of JSON"));
        if operation == "create_key"
            && let Some(id) = returned.as_ref().and_then(|key| key["id"].as_str())
        {
            self.ids.shown.insert(id.to_owned(), "f3Zk09mQv7LcX2aT".to_owned());
        }
        let mut example = Map::new();
        if let Some(body) = body {
            example.insert("request".to_owned(), self.ids.show(None, body));
        }
        example.insert("status".to_owned(), status.as_u16().into());
        if let Some(returned) = &returned {
            example.insert("response".to_owned(), self.ids.show(None, returned.clone()));
        }
        let mut example = Value::Object(example);
        if operation == "recall_memory" {
            // What is shown names the entry's age.
            example["response"]["tokens"] = json!(64);
        }
        self.examples.entry(operation.to_owned()).or_insert(example);
        returned.unwrap_or_default()
    }

    /// Names a value of a response for the paths and bodies of later steps.
    fn bind(&mut self, name: &'static str, value: &Value) {
        self.bound.insert(name, value.as_str().expect("a text").to_owned());
    }

    fn fill(&self, text: &str) -> String {
        let fill = |text: String, (name, value): (&&str, &String)| {
            text.replace(&format!("<{name}>"), value)
        };
        self.bound.iter().fold(text.to_owned(), fill)
    }
}

/// Values that differ from run to run, by how they are shown.
#[derive(Default)]
struct ShownIds {
    shown: BTreeMap<String, String>,
}

impl ShownIds {
    fn show(&mut self, name: Option<&str>, value: Value) -> Value {
        match value {
            Value::Object(members) => {
                let show = |(name, value): (String, Value)| {
                    let shown = self.show(Some(&name), value);
                    (name, shown)
                };
                Value::Object(members.into_iter().map(show).collect())
            }
            Value::Array(mut rows) => {
                let is_list = matches!(name, Some("items" | "stages"));
                if is_list {
                    rows.truncate(MAX_ROWS);
                }
                Value::Array(rows.into_iter().map(|row| self.show(name, row)).collect())
            }
            Value::String(text) => Value::String(self.show_text(name, text)),
            Value::Number(number) => match name {
                Some("ms" | "took_us" | "attempts") => json!(3),
                Some("expires_in_seconds") => json!(30),
                // The age of an entry counts.
                Some("score" | "recency") => json!(0.5),
                _ => Value::Number(number),
            },
            other => other,
        }
    }

    fn show_text(&mut self, name: Option<&str>, text: String) -> String {
        if is_time(&text) {
            let millis = if text.contains('.') { ".000Z" } else { "Z" };
            return format!("2026-12-31T23:59:59{millis}");
        }
        match name {
            Some("key") if text.starts_with("cx_live_") => {
                return "cx_live_f3Zk09mQv7LcX2aT_<43 secret characters><6 of a check>".to_owned();
            }
            Some("secret") => return "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".to_owned(),
            Some("fingerprint" | "hash" | "prev_hash") if text.len() == 64 => {
                return "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
                    .to_owned();
            }
            Some("ticket") => return "cXJ6Vn0mR3lQ8yTqk2s1WbHd".to_owned(),
            Some("csrf_token") => return "5f0c2b7e9d1a4c38".repeat(4),
            Some("day") => return "2026-12-31".to_owned(),
            Some("engine") => return "0.1.0+16".to_owned(),
            Some("version") if text.starts_with("0.") => return "0.1.0".to_owned(),
            // Its headers contain an id, a time and a signature.
            Some("webhook-id" | "webhook-signature" | "webhook-timestamp" | "cursor") => {
                return "…".to_owned();
            }
            Some("next_cursor") => return "b3BhcXVl".to_owned(),
            _ => {}
        }
        let prefix = generated_prefix(&text).map(str::to_owned);
        let Some(prefix) = prefix else { return self.show_parts(text) };
        let next = self.shown.len() + 1;
        let shown = || format!("{prefix}0199aa2b7c3d7e1f8a90b1c2{next:08x}");
        self.shown.entry(text).or_insert_with(shown).clone()
    }

    /// Shows ids inside a text.
    fn show_parts(&self, text: String) -> String {
        self.shown.iter().fold(text, |text, (id, shown)| text.replace(id, shown))
    }
}

fn is_time(text: &str) -> bool {
    text.len() >= 20 && text.ends_with('Z') && text.as_bytes().get(10) == Some(&b'T')
}

/// The prefix of an id that is made for each thing: `cmp_` and 32 hexadecimal digits.
fn generated_prefix(text: &str) -> Option<&str> {
    let (prefix, digits) = text.split_at_checked(text.find('_')? + 1)?;
    let is_generated = digits.len() >= 12 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_generated.then_some(prefix)
}

/// The example of a request schema.
fn example_of(schema: &str) -> Value {
    let document = serde_json::to_value(contexture::http::openapi()).expect("document serialises");
    let example = document["components"]["schemas"][schema]["example"].clone();
    assert!(!example.is_null(), "{schema} has no example");
    example
}

#[tokio::test]
async fn examples_are_what_the_program_returns() {
    let server = TestServer::locked(&["--dev"]).await;
    let (bound, examples) = (BTreeMap::new(), BTreeMap::new());
    let (ids, key) = (ShownIds::default(), BOOTSTRAP_KEY.to_owned());
    let mut run = Run { server, bound, examples, ids, key, if_match: None };
    compiles(&mut run).await;
    memory(&mut run).await;
    candidates(&mut run).await;
    sessions(&mut run).await;
    tools(&mut run).await;
    hooks(&mut run).await;
    packs(&mut run).await;
    keys(&mut run).await;
    deletions(&mut run).await;
    every_operation_has_one(&run);
    let written = serde_json::to_string_pretty(&run.examples).expect("JSON") + "\n";
    if std::env::var_os("UPDATE_OPENAPI").is_some() {
        fs::write(PATH, &written).expect("the file is writable");
    }
    let committed: Value =
        serde_json::from_str(&fs::read_to_string(PATH).expect("the file")).expect("JSON");
    for (operation, example) in &run.examples {
        assert_eq!(
            committed[operation], *example,
            "{operation}: run UPDATE_OPENAPI=1 cargo test openapi_examples"
        );
    }
}

fn every_operation_has_one(run: &Run) {
    let document = serde_json::to_value(contexture::http::openapi()).expect("document serialises");
    for methods in document["paths"].as_object().expect("paths").values() {
        for operation in methods.as_object().expect("methods").values() {
            let id = operation["operationId"].as_str().expect("an id");
            let has_one = run.examples.contains_key(id) || WITHOUT_EXAMPLE.contains(&id);
            assert!(has_one, "{id} has no example");
        }
    }
}

async fn compiles(run: &mut Run) {
    for (operation, path) in [
        ("get_health", "/healthz"),
        ("get_readiness", "/readyz"),
        ("get_gateway_health", "/health"),
        ("get_gateway_stats", "/stats"),
        ("list_models", "/models"),
        ("list_settings", "/settings"),
        ("list_adapters", "/adapters"),
        ("list_hook_points", "/hook-points"),
    ] {
        run.take(operation, "GET", path, None).await;
    }
    let request = example_of("CompileRequest");
    let compiled = run.take("compile", "POST", "/compile", Some(request.clone())).await;
    run.bind("compilation", &compiled["id"]);
    let mut other = request;
    other["budget"]["context_window"] = json!(100_000);
    let other = run.take("compile", "POST", "/compile", Some(other)).await;
    run.bind("other", &other["id"]);
    let compare = json!({"a": "<compilation>", "b": "<other>"});
    run.take("get_console_session", "GET", "/console/session", None).await;
    run.take("create_console_session", "POST", "/console/session", None).await;
    run.take("compare_compilations", "POST", "/compilations/diff", Some(compare)).await;
    run.take("list_compilations", "GET", "/compilations?limit=1", None).await;
    run.take("get_compilation", "GET", "/compilations/<compilation>", None).await;
    let full = json!({"target": "openai", "record": "full",
        "messages": [{"role": "user", "content": "Where does the build fail?"}]});
    let full = run.take("compile", "POST", "/compile", Some(full)).await;
    run.bind("full", &full["id"]);
    let replay = Some(json!({"mode": "strict"}));
    run.take("replay_compilation", "POST", "/compilations/<full>/replay", replay).await;
    let compress = Some(example_of("CompressRequest"));
    run.take("compress", "POST", "/compress", compress).await;
    let lines: Vec<String> = (0..400).map(|line| format!("step {line} is done")).collect();
    let log = format!("waiting for the lock\n{}", lines.join("\n"));
    let offload = json!({"text": log, "tail_chars": 120}).to_string();
    let request = run.server.build_json("POST", "/artifacts").bearer_auth(BOOTSTRAP_KEY);
    let stored = json_of(request.body(offload).send().await.expect("a response"), 201).await;
    run.bind("artifact", &stored["id"]);
    let short = Some(json!({"text": "the build fails", "threshold": 5_000}));
    run.take("create_artifact", "POST", "/artifacts", short).await;
    let expand = Some(json!({"text": "§repeat 1 ×3\nwaiting for the lock"}));
    run.take("expand", "POST", "/expand", expand).await;
    let tokens = Some(example_of("TokensRequest"));
    run.take("count_tokens", "POST", "/tokens", tokens).await;
    let definition = Some(example_of("AdapterDefinition"));
    run.take("put_adapter", "PUT", "/adapters/ledger", definition).await;
    run.take("get_adapter", "GET", "/adapters/ledger", None).await;
    let trial = Some(example_of("AdapterTestRequest"));
    run.take("test_adapter", "POST", "/adapters/ledger/test", trial).await;
    let skill = Some(example_of("SkillDefinition"));
    run.take("put_skill", "PUT", "/skills/review", skill).await;
    run.take("list_skills", "GET", "/skills", None).await;
    run.take("get_skill", "GET", "/skills/review", None).await;
    let render = Some(json!({"args": "src/main.rs", "vars": {"BRANCH": "main"}}));
    run.take("render_skill", "POST", "/skills/review/render", render).await;
    let gateway = Some(example_of("GatewayRequest"));
    run.take("compress_for_gateway", "POST", "/v1/compress", gateway).await;
    let retrieve = Some(json!({"hash": "<artifact>", "query": "lock"}));
    run.take("retrieve_by_body", "POST", "/v1/retrieve", retrieve).await;
    run.take("retrieve_original", "GET", "/v1/retrieve/<artifact>?query=lock", None).await;
    let list = Some(json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}));
    run.take("speak_mcp", "POST", "/mcp", list).await;
}

async fn memory(run: &mut Run) {
    let store = Some(example_of("MemoryActRequest"));
    run.take("store_memory", "POST", "/memory", store).await;
    let write = Some(example_of("MemoryWrite"));
    run.take("put_memory", "PUT", "/memory/language", write).await;
    run.take("get_memory", "GET", "/memory/language", None).await;
    let change = Some(json!({"importance": 0.9}));
    run.take("patch_memory", "PATCH", "/memory/language", change).await;
    run.take("list_memory", "GET", "/memory?prefix=language", None).await;
    run.take("list_memory_versions", "GET", "/memory/language/versions", None).await;
    let restore = Some(json!({"version": 1}));
    run.take("restore_memory", "POST", "/memory/language/restore", restore).await;
    run.take("promote_memory", "POST", "/memory/language/promote", Some(json!({}))).await;
    let recall = Some(json!({"query": "Which language is the project in?", "max_tokens": 500}));
    run.take("recall_memory", "POST", "/memory/recall", recall).await;
    run.take("retract_memory", "POST", "/memory/language/retract", Some(json!({}))).await;
}

async fn candidates(run: &mut Run) {
    // Who proposes a candidate may not review it.
    let key = json!({"name": "support bot", "kind": "agent",
        "scopes": ["compile", "compress", "memory:write"]});
    let made = run.take("create_key", "POST", "/keys", Some(key)).await;
    run.bind("key", &made["id"]);
    made["key"].as_str().expect("a key").clone_into(&mut run.key);
    let proposal = Some(example_of("CandidateProposal"));
    let proposed = run.take("propose_candidate", "POST", "/memory-candidates", proposal).await;
    run.bind("candidate", &proposed["id"]);
    BOOTSTRAP_KEY.clone_into(&mut run.key);
    run.take("list_candidates", "GET", "/memory-candidates", None).await;
    run.take("get_candidate", "GET", "/memory-candidates/<candidate>", None).await;
    let review = Some(example_of("CandidateReview"));
    run.if_match = proposed["version"].as_u64();
    let reviewed =
        run.take("review_candidate", "POST", "/memory-candidates/<candidate>/review", review).await;
    run.if_match = reviewed["version"].as_u64();
    let promote = Some(example_of("CandidatePromotion"));
    run.take("promote_candidate", "POST", "/memory-candidates/<candidate>/promote", promote).await;
    run.if_match = None;
    run.take("list_candidate_events", "GET", "/memory-candidates/events?limit=1", None).await;
}

async fn sessions(run: &mut Run) {
    let create = json!({"id": "demo", "defaults": {"model": "gpt-4o"}});
    run.take("create_session", "POST", "/sessions", Some(create)).await;
    run.take("list_sessions", "GET", "/sessions", None).await;
    run.take("get_session", "GET", "/sessions/demo", None).await;
    let change = json!({"defaults": {"model": "gpt-4o", "repair": "lenient"}});
    run.take("update_session", "PATCH", "/sessions/demo", Some(change)).await;
    let turn = json!({"append": [{"role": "user", "content": "Where does the build fail?"}]});
    run.take("take_turn", "POST", "/sessions/demo/turns", Some(turn)).await;
    let usage = json!({"usage": {"prompt_tokens": 14, "completion_tokens": 31}});
    run.take("report_usage", "POST", "/sessions/demo/usage", Some(usage)).await;
    let delegation = example_of("Delegation");
    run.take("get_inventory", "GET", "/inventory?session_id=demo", None).await;
    run.take("get_session_timeline", "GET", "/sessions/demo/timeline", None).await;
    run.take("report_delegation", "POST", "/sessions/demo/delegations", Some(delegation)).await;
    let label = Some(json!({"label": "before the change"}));
    let taken = run.take("take_snapshot", "POST", "/sessions/demo/snapshots", label).await;
    run.bind("snapshot", &taken["id"]);
    run.take("list_snapshots", "GET", "/sessions/demo/snapshots", None).await;
    run.take("get_snapshot", "GET", "/snapshots/<snapshot>", None).await;
    let restore = Some(json!({"snapshot_id": "<snapshot>"}));
    run.take("restore_session", "POST", "/sessions/demo/restore", restore).await;
    let fork = Some(example_of("ForkSession"));
    run.take("fork_session", "POST", "/sessions/demo/fork", fork).await;
    let switch = Some(example_of("SwitchSession"));
    run.take("switch_session", "POST", "/sessions/demo/switch", switch).await;
}

async fn tools(run: &mut Run) {
    let calls = Some(example_of("ToolCallsRequest"));
    run.take("handle_calls", "POST", "/tools/calls", calls).await;
    let results = Some(example_of("ToolResultsRequest"));
    run.take("take_results", "POST", "/tools/results", results).await;
}

async fn hooks(run: &mut Run) {
    let hook = json!({"id": "no-secrets", "point": "transform_context", "kind": "guard",
        "builtin": "secret_scan"});
    run.take("create_hook", "POST", "/hooks", Some(hook)).await;
    let hook = json!({"point": "tool_result", "kind": "transform", "url": "http://127.0.0.1:9000/hook",
        "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"});
    run.take("put_hook", "PUT", "/hooks/redact", Some(hook)).await;
    run.take("list_hooks", "GET", "/hooks", None).await;
    run.take("get_hook", "GET", "/hooks/redact", None).await;
    let change = Some(json!({"priority": 10}));
    run.take("update_hook", "PATCH", "/hooks/redact", change).await;
    let diff = json!({"point": "tool_result", "kind": "transform", "url": "http://127.0.0.1:9000/hook",
        "timeout_ms": 800});
    run.take("diff_hook", "POST", "/hooks/redact/diff", Some(diff)).await;
    let rotate = Some(json!({"overlap_seconds": 3_600}));
    run.take("rotate_hook_secret", "POST", "/hooks/redact/rotate-secret", rotate).await;
    let trial = Some(json!({"point": "transform_context"}));
    run.take("test_hook", "POST", "/hooks/no-secrets/test", trial).await;
    let trial = Some(example_of("TestNewHook"));
    run.take("test_new_hook", "POST", "/hooks/test", trial).await;
    run.take("list_hook_deliveries", "GET", "/hooks/redact/deliveries", None).await;
    let order = Some(json!({"points": {"tool_result": ["redact"]}}));
    run.take("put_hook_order", "PUT", "/hook-order", order).await;
    run.take("get_hook_order", "GET", "/hook-order", None).await;
    run.take("read_events", "GET", "/events?format=json&limit=1", None).await;
    run.take("create_event_ticket", "POST", "/events/ticket", None).await;
}

async fn packs(run: &mut Run) {
    run.take("publish_pack", "POST", "/packs", Some(minimal())).await;
    run.take("lint_pack", "POST", "/packs/lint", Some(minimal())).await;
    run.take("list_packs", "GET", "/packs", None).await;
    run.take("list_pack_versions", "GET", "/packs/min", None).await;
    run.take("get_pack", "GET", "/packs/min/1.0.0", None).await;
    let diff = Some(json!({"from": "min@1.0.0", "to": "min@1.0.0"}));
    run.take("diff_packs", "POST", "/packs/diff", diff).await;
    run.take("get_golden_set", "GET", "/packs/min/1.0.0/golden", None).await;
    let none = Some(json!({"compilations": []}));
    run.take("put_golden_set", "PUT", "/packs/min/1.0.0/golden", none).await;
    run.take("run_golden_set", "POST", "/packs/min/1.0.0/golden/run", Some(json!({}))).await;
    let rule = Some(example_of("RuleRequest"));
    run.take("evaluate_rule", "POST", "/policy/evaluate", rule).await;
}

async fn keys(run: &mut Run) {
    let change = Some(example_of("ChangeKey"));
    run.take("update_key", "PATCH", "/keys/<key>", change).await;
    run.take("list_keys", "GET", "/keys", None).await;
    // Of one key, so that no time of a compile is in it.
    run.take("list_usage", "GET", "/usage?limit=1&key=bootstrap", None).await;
}

async fn deletions(run: &mut Run) {
    for (operation, path) in [
        ("delete_adapter", "/adapters/ledger"),
        ("delete_artifact", "/artifacts/<artifact>"),
        ("delete_hook", "/hooks/redact"),
        ("delete_key", "/keys/<key>"),
        ("delete_candidate", "/memory-candidates/<candidate>"),
        ("delete_memory", "/memory/language"),
        ("delete_session", "/sessions/demo"),
        ("delete_console_session", "/console/session"),
        ("delete_skill", "/skills/review"),
    ] {
        run.take(operation, "DELETE", path, None).await;
    }
    let caps = Some(json!({"max_age_seconds": 86_400, "max_count": 1_000}));
    run.take("clean_up_artifacts", "POST", "/artifacts/cleanup", caps).await;
}
