//! The recipes of `examples/recipes` do what their page says: each is played against a server, with
//! the answers in its folder; and `receiver.py` gives these answers.

use std::collections::BTreeMap;
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::support::compile::{Compiled, read};
use crate::support::receiver::{Mode, Receiver};
use crate::support::{TestServer, prerequisite, wait};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/recipes")
}

fn text(name: &str) -> String {
    let path = folder().join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn document(name: &str) -> Value {
    serde_json::from_str(&text(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A recipe whose hooks are registered.
struct Recipe {
    server: TestServer,
    request: Value,
    answers: Value,
    called: Called,
}

/// What the hooks of a recipe call.
enum Called {
    /// Receivers that give the answers in the folder, by hook.
    Canned(BTreeMap<String, Receiver>),
    Python(PythonReceiver),
}

impl Recipe {
    /// The recipe with canned answers and, if there is Python, the same with `receiver.py`.
    async fn both(name: &str) -> Vec<Self> {
        let answers = document(&format!("{name}/answers.json"));
        let mut receivers = BTreeMap::new();
        for (id, given) in answers.as_object().expect("answers by hook") {
            let given = given.as_array().expect("a list of answers").clone();
            let receiver = Receiver::script(move |at| Mode::Answer(given[at].to_string())).await;
            receivers.insert(id.clone(), receiver);
        }
        let mut recipes = vec![Self::of(name, Called::Canned(receivers)).await];
        if let Some(python) = PythonReceiver::start().await {
            recipes.push(Self::of(name, Called::Python(python)).await);
        }
        recipes
    }

    async fn of(name: &str, called: Called) -> Self {
        let server = TestServer::dev().await;
        let answers = document(&format!("{name}/answers.json"));
        for id in answers.as_object().expect("answers by hook").keys() {
            let own = format!("{name}/{id}.json");
            let file = if folder().join(&own).exists() { own } else { format!("{name}/hook.json") };
            let mut hook = document(&file);
            assert_eq!(hook["id"], **id);
            assert_eq!(hook["url"], format!("http://127.0.0.1:8133/{id}"));
            hook["url"] = match &called {
                Called::Canned(receivers) => receivers[id].url().into(),
                Called::Python(python) => python.url(id).into(),
            };
            server.register(&hook).await;
        }
        let request = document(&format!("{name}/request.json"));
        Self { server, request, answers, called }
    }

    async fn compile(&self) -> Compiled {
        self.server.compile(&self.request).await
    }

    /// What a hook was shown, if it is known.
    fn shown(&self, hook: &str) -> Option<Vec<Value>> {
        match &self.called {
            Called::Canned(receivers) => Some(receivers[hook].inputs()),
            Called::Python(_) => None,
        }
    }

    /// A file that the receiver has written, if it was `receiver.py`.
    async fn written(&self, file: &str) -> Option<String> {
        let Called::Python(python) = &self.called else { return None };
        let file = python.folder.path().join(file);
        let text = async || fs::read_to_string(&file).ok().filter(|text| !text.is_empty());
        Some(wait::until(text).await)
    }

    /// Sends the calls that canned answers were given to on to `receiver.py`, which must give the same.
    async fn check_answers(&self) {
        let Called::Canned(receivers) = &self.called else { return };
        let Some(python) = PythonReceiver::start().await else { return };
        for (id, receiver) in receivers {
            let calls = receiver.bodies();
            assert_eq!(calls.len(), self.answers[id].as_array().expect("a list").len(), "{id}");
            for (at, call) in calls.iter().enumerate() {
                assert_eq!(python.ask(id, call).await, self.answers[id][at], "{id}");
            }
        }
    }
}

/// `receiver.py`, running in a folder of its own until it is dropped.
struct PythonReceiver {
    child: Child,
    port: u16,
    folder: tempfile::TempDir,
}

impl PythonReceiver {
    async fn start() -> Option<Self> {
        let mut command = Command::new("python3");
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        drop(listener);
        let folder_of_run = tempfile::tempdir().expect("a folder");
        command.arg(folder().join("receiver.py")).arg(port.to_string());
        command.current_dir(folder_of_run.path()).env("PYTHONDONTWRITEBYTECODE", "1");
        let started = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let Ok(child) = started else {
            prerequisite::skip("python", "python3 is not installed");
            return None;
        };
        let receiver = Self { child, port, folder: folder_of_run };
        wait::until(async || tokio::net::TcpStream::connect(("127.0.0.1", port)).await.ok()).await;
        Some(receiver)
    }

    fn url(&self, hook: &str) -> String {
        format!("http://127.0.0.1:{}/{hook}", self.port)
    }

    async fn ask(&self, hook: &str, call: &Value) -> Value {
        let request = reqwest::Client::new().post(self.url(hook)).json(call);
        request.send().await.expect("a response").json().await.expect("JSON")
    }
}

impl Drop for PythonReceiver {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[tokio::test]
async fn a_long_result_is_offloaded_before_anything_is_summarised() {
    for recipe in Recipe::both("offload").await {
        let done = recipe.compile().await;
        assert_eq!(done.roles(), ["user", "assistant", "tool", "assistant", "user"]);
        assert_eq!(done.said(2), "Offloaded to offloaded/call_1.txt");
        for action in ["compressed", "cleared", "summarized", "dropped"] {
            assert_eq!(done.action(action), 0, "{action}");
        }
        assert_eq!(done.report["hooks"][0]["outcome"], "applied");
        if let Some(stored) = recipe.written("offloaded/call_1.txt").await {
            assert_eq!(stored, recipe.request["messages"][2]["content"]);
        }
        recipe.check_answers().await;
    }
}

#[tokio::test]
async fn what_the_state_asks_for_is_retrieved() {
    for recipe in Recipe::both("retrieval").await {
        let done = recipe.compile().await;
        let note = recipe.answers["retrieval"][0].as_str().expect("a text");
        assert!(done.said(0).contains(note), "{}", done.said(0));
        // Another step has no note.
        let mut other = recipe.request.clone();
        other["dynamic_state"]["step"] = "deploy".into();
        if let Called::Python(_) = recipe.called {
            let done = recipe.server.compile(&other).await;
            assert!(!done.said(0).contains("implicit_context"), "{}", done.said(0));
        }
        recipe.check_answers().await;
    }
}

#[tokio::test]
async fn every_compile_is_a_line_of_the_audit_log() {
    for recipe in Recipe::both("audit").await {
        let done = recipe.compile().await;
        if let Called::Canned(receivers) = &recipe.called {
            receivers["audit"].reached(1).await;
            let shown = recipe.shown("audit").expect("what it was shown");
            assert_eq!(shown[0]["type"], "compile:done");
            assert_eq!(shown[0]["compilation_id"], *done.id);
        }
        if let Some(log) = recipe.written("audit.jsonl").await {
            let line: Value = serde_json::from_str(&log).expect("one line of JSON");
            assert_eq!(line["compilation_id"], *done.id);
        }
        recipe.check_answers().await;
    }
}

#[tokio::test]
async fn a_password_is_not_remembered() {
    for recipe in Recipe::both("veto").await {
        let done = recipe.server.post_ok("/tools/calls", &recipe.request).await;
        let said = |at: usize| read(&done["results"][at]["message"]);
        assert!(said(0).contains("Passwords are not remembered."), "{}", said(0));
        assert_eq!(recipe.server.get("/memory/wifi").await.status(), 404);
        let tea = recipe.server.get_json("/memory/tea").await;
        assert_eq!(tea["value"], "Green, without sugar");
        recipe.check_answers().await;
    }
}

#[tokio::test]
async fn the_last_transform_sees_the_whole_payload() {
    for recipe in Recipe::both("last").await {
        let said = recipe.compile().await.said(1);
        assert!(said.contains("<step>review</step>"), "{said}");
        assert!(said.ends_with("Reply in one sentence."), "{said}");
        if let Some(shown) = recipe.shown("last") {
            assert_eq!(shown[0]["messages"].as_array().expect("a list").len(), 2);
            let last = shown[0]["messages"][1].to_string();
            assert!(last.contains("<step>review</step>"), "{last}");
        }
        recipe.check_answers().await;
    }
}

#[tokio::test]
async fn a_guard_comes_first_and_two_transforms_in_their_order() {
    for recipe in Recipe::both("order").await {
        // By the bytes of their ids, the transforms would run the other way round.
        let put = recipe.server.put("/hook-order", &document("order/order.json")).await;
        assert_eq!(put.status(), 200);
        let done = recipe.server.post_ok("/tools/calls", &recipe.request).await;
        let (made, pushed) = (&done["results"][0], &done["results"][1]);
        assert_eq!((&made["decision"], &pushed["decision"]), (&json!("allow"), &json!("deny")));
        let command = "timeout 60 sh -c 'cd /repo && make test'";
        assert_eq!(made["arguments"]["command"], command);
        let said = read(&pushed["message"]);
        assert!(said.contains("Nobody pushes with --force."), "{said}");
        for (hook, commands) in [
            ("no_force", &["make test", "git push --force"][..]),
            ("within_repo", &["make test"]),
            ("timed", &["cd /repo && make test"]),
        ] {
            let Some(shown) = recipe.shown(hook) else { continue };
            let asked: Vec<&Value> =
                shown.iter().map(|one| &one["tool"]["arguments"]["command"]).collect();
            assert_eq!(asked, commands, "{hook}");
        }
        recipe.check_answers().await;
    }
}

#[tokio::test]
async fn an_adapter_of_ones_own_shortens_a_format() {
    let server = TestServer::spawn().await;
    let definition = document("adapter/adapter.json");
    assert_eq!(server.put_adapter("readings", &definition).await.status(), 201);
    let request = document("adapter/request.json");
    let done = server.post_ok("/compress", &request).await;
    let (before, after) = (request["text"].as_str().expect("a text"), done["text"].as_str());
    let after = after.expect("a text");
    assert!(after.len() * 2 < before.len(), "{after}");
    assert!(after.starts_with("Readings of 6 March, plant 2\n"), "{after}");
    assert!(after.contains("pump 14: 3 bar, 88 degrees, ALARM: seal leaks"), "{after}");
}

#[tokio::test]
async fn a_pack_in_the_shape_of_the_article_governs_a_compile_without_messages() {
    let server = TestServer::spawn().await;
    let pack = document("pack/pack.json");
    let published = server.post_json("/packs", 201, &pack).await;
    assert_eq!(published["pack_ref"], "pack.hotel@1.0.0");
    let codes: Vec<&Value> =
        published["warnings"].as_array().expect("a list").iter().map(|one| &one["code"]).collect();
    assert_eq!(
        codes,
        ["pack_default", "policy_gate_unresolved", "policy_requirement_unresolved"]
            .map(Value::from)
            .iter()
            .collect::<Vec<_>>()
    );
    let request = document("pack/request.json");
    assert_eq!(request.get("messages"), None);
    let done = server.post_ok("/compile", &request).await;
    let context = &done["compiled_context"];
    let task = context["compiled_prompt"]["task"].as_str().expect("a task");
    assert!(task.contains("Cancel booking 81 of [REDACTED:email]"), "{task}");
    let controls = &context["runtime_controls"];
    assert_eq!(controls["must_escalate"], json!(["R_PAID_NEEDS_APPROVAL", "adp_booking.cancel"]));
    assert_eq!(controls["evidence_gates"]["satisfied"], json!(["booking_record"]));
    let tools = context["manifests"]["tool_manifest"].as_array().expect("a list");
    let tools: Vec<&Value> = tools.iter().map(|tool| &tool["capability_id"]).collect();
    assert_eq!(tools, ["read", "cancel"]);
    assert_eq!(controls["evidence_gates"]["commit_allowed"], true);
    assert_eq!(context["budget_report"]["total_tokens"], 1600);
    let messages = done["payload"]["messages"].as_array().expect("a list");
    let roles: Vec<&Value> = messages.iter().map(|message| &message["role"]).collect();
    assert_eq!(roles, ["system", "user", "user"]);
    let replay = format!("/compilations/{}/replay", done["id"].as_str().expect("an id"));
    let again = server.post_ok(&replay, &json!({})).await;
    assert_eq!(again["status"], "equal");
}

/// The lines of a hook's function in `receiver.py`.
fn lines_of(hook: &str, receiver: &str) -> usize {
    let head = format!("def {hook}(");
    let own = receiver.lines().skip_while(|line| !line.starts_with(&head));
    own.take_while(|line| !line.is_empty()).count()
}

#[test]
fn the_page_counts_the_lines_of_each_recipe() {
    let (page, receiver) = (text("README.md"), text("receiver.py"));
    let server = receiver.lines().skip_while(|line| !line.starts_with("class Receiver"));
    let server = server.filter(|line| !line.is_empty()).count();
    assert!(page.contains(&format!("the {server} lines below them")), "{server}");
    let mut folders: Vec<String> = fs::read_dir(folder())
        .expect("the folder")
        .map(|entry| entry.expect("an entry"))
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().into_string().expect("a name"))
        .collect();
    folders.sort();
    assert_eq!(folders.len(), 8, "{folders:?}");
    for name in folders {
        let mut json_lines = 0;
        for entry in fs::read_dir(folder().join(&name)).expect("the folder") {
            let file = entry.expect("an entry").file_name().into_string().expect("a name");
            if !matches!(file.as_str(), "request.json" | "answers.json") {
                json_lines += text(&format!("{name}/{file}")).lines().count();
            }
        }
        let answers = folder().join(&name).join("answers.json");
        let hooks =
            if answers.exists() { document(&format!("{name}/answers.json")) } else { json!({}) };
        let hooks = hooks.as_object().expect("answers by hook");
        let code: usize = hooks.keys().map(|hook| lines_of(hook, &receiver)).sum();
        let row = page.lines().find(|line| line.starts_with(&format!("| [{name}]({name}) |")));
        let row = row.unwrap_or_else(|| panic!("no row for {name}"));
        assert!(
            row.ends_with(&format!("| {code} | {json_lines} |")),
            "{code}, {json_lines}: {row}"
        );
    }
}
