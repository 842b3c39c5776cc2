//! Records over HTTP: what is kept of a compile, what two of them differ in, and a compile again.

use serde_json::{Value, json};

use crate::support::compile::{assistant, calling, result, user, words};
use crate::support::{BOOTSTRAP_KEY, Folder, ServerProcess, TestServer, problem};

async fn replay(server: &TestServer, id: &Value, body: &Value) -> Value {
    let path = format!("/compilations/{}/replay", id.as_str().unwrap());
    server.post_json(&path, 200, body).await
}

/// A conversation with something to shorten, and everything that reaches a compile from its request.
fn request(level: &str) -> Value {
    let log = "2026-01-01T00:00:00Z INFO worker started and is waiting for work\n".repeat(40);
    json!({
        "messages": [
            {"role": "system", "content": "You are a careful engineer."},
            user("Read the log."),
            calling("", &[("c1", "read")]),
            result("c1", &log),
            assistant(&words("said", 300)),
            user("And now?"),
        ],
        "target": "anthropic", "record": level,
        "dynamic_state": {"branch": "main"}, "implicit_context": "It is late.",
        "budget": {"context_window": 2_000, "reserve_output": 200},
    })
}

#[tokio::test]
async fn hashes_hold_no_word_of_the_conversation() {
    let server = TestServer::spawn().await;
    let mut body = request("hashes");
    body["messages"][1]["content"] = json!("a most secret question");
    body.as_object_mut().unwrap().shift_remove("record");
    let compiled = server.post_json("/compile", 200, &body).await;
    let id = compiled["id"].as_str().unwrap();
    let text = server.get(&format!("/compilations/{id}")).await.text().await.unwrap();
    for secret in ["most secret", "careful", "worker started", "It is late", "branch"] {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
    let record: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&record["record"], &record["current"]), (&json!("hashes"), &json!(true)));
    assert_eq!(record["report"], compiled["report"]);
    assert_eq!(record["tokens_after"], compiled["report"]["tokens_after"]);
    let stages: Vec<&str> = record["stages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["stage"].as_str().unwrap())
        .collect();
    assert_eq!(
        stages,
        [
            "ingest",
            "intent",
            "policy",
            "tools",
            "evidence",
            "memory",
            "budget",
            "compress",
            "inject",
            "assemble",
            "transform",
            "manifest",
            "format",
        ]
    );
    assert_eq!(
        record["stages"].as_array().unwrap().last().unwrap()["output_hash"],
        record["payload_hash"]
    );
}

#[tokio::test]
async fn with_none_there_is_no_record() {
    let server = TestServer::spawn().await;
    let compiled = server.post_json("/compile", 200, &request("none")).await;
    let path = format!("/compilations/{}", compiled["id"].as_str().unwrap());
    problem(server.get(&path).await, 404, "not_found").await;
    assert_eq!(server.get_json("/compilations").await["items"], json!([]));
    let bad = server.post("/compile", &request("ful")).await;
    let bad = problem(bad, 422, "invalid_request").await;
    assert_eq!(bad["errors"][0]["pointer"], "/record");
}

#[tokio::test]
async fn a_failed_compile_leaves_no_record() {
    let server = TestServer::spawn().await;
    let mut body = request("full");
    body["budget"] = json!({"context_window": 20, "on_overflow": "fail"});
    problem(server.post("/compile", &body).await, 422, "over_budget").await;
    assert_eq!(server.get_json("/compilations").await["items"], json!([]));
}

#[tokio::test]
async fn a_record_in_full_compiles_again_to_the_same_bytes() {
    let server = TestServer::spawn().await;
    let put = server.build("PUT", "/memory/style").json(&json!({"value": "terse"}));
    assert_eq!(put.send().await.unwrap().status(), 201);
    let mut body = request("full");
    body["memory"] = json!(true);
    let compiled = server.post_json("/compile", 200, &body).await;
    let record =
        server.get_json(&format!("/compilations/{}", compiled["id"].as_str().unwrap())).await;
    assert_eq!(record["payload"], compiled["payload"]);
    assert_eq!(record["request"]["messages"], body["messages"]);
    let again = replay(&server, &compiled["id"], &json!({})).await;
    assert_eq!((&again["status"], &again["diff"]), (&json!("equal"), &json!([])));
    assert_eq!(again["payload"], compiled["payload"]);
    assert_eq!(again["first_divergent_stage"], Value::Null);

    // What is stored may change: the record has what was read.
    let put = server.build("PUT", "/memory/style").json(&json!({"value": "wordy"}));
    assert_eq!(put.send().await.unwrap().status(), 200);
    assert_eq!(replay(&server, &compiled["id"], &json!({})).await["status"], "equal");
    let today = replay(&server, &compiled["id"], &json!({"mode": "verify"})).await;
    assert_eq!(
        (&today["status"], &today["first_divergent_stage"]),
        (&json!("diverged"), &json!("memory"))
    );
    assert_eq!(today["root_stages"], json!(["memory"]));
    let row = today["stages"].as_array().unwrap().iter().find(|row| row["stage"] == "memory");
    assert_eq!(row.unwrap()["changed_inputs"], json!(["store.memory"]));
    assert!(!today["diff"].as_array().unwrap().is_empty());
    // A replay stores nothing.
    assert_eq!(server.get_json("/compilations").await["items"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_record_of_hashes_is_verified_by_its_request() {
    let server = TestServer::spawn().await;
    let body = request("hashes");
    let compiled = server.post_json("/compile", 200, &body).await;
    let path = format!("/compilations/{}/replay", compiled["id"].as_str().unwrap());
    problem(server.post(&path, &json!({})).await, 409, "record_incomplete").await;
    // The members' order and white space make no difference.
    let shuffled: Value = body.as_object().unwrap().clone().into_iter().rev().collect();
    let same = replay(&server, &compiled["id"], &json!({"request": shuffled})).await;
    assert_eq!((&same["status"], &same["root_stages"]), (&json!("equal"), &json!([])));
    let rows = [
        ("/dynamic_state/branch", json!("dev"), "inject", "request.dynamic_state"),
        ("/budget/context_window", json!(1_000), "budget", "request.budget"),
        ("/messages/1/content", json!("Read it."), "ingest", "request.messages"),
    ];
    for (pointer, value, stage, part) in rows {
        let mut other = body.clone();
        *other.pointer_mut(pointer).unwrap() = value;
        let answer = replay(&server, &compiled["id"], &json!({"request": other})).await;
        assert_eq!(answer["status"], "diverged", "{pointer}");
        assert!(answer["root_stages"].as_array().unwrap().contains(&json!(stage)), "{answer}");
        assert_eq!(answer["root_stages"][0], answer["first_divergent_stage"], "{answer}");
        let row = answer["stages"].as_array().unwrap().iter().find(|row| row["stage"] == stage);
        assert_eq!(row.unwrap()["changed_inputs"], json!([part]), "{pointer}");
    }
    let bad = json!({"request": {"messages": [], "targt": "x"}, "mod": "x"});
    problem(server.post(&path, &bad).await, 422, "invalid_request").await;
    let bad = json!({"request": {"messages": [], "targt": "x"}});
    let bad = problem(server.post(&path, &bad).await, 422, "invalid_request").await;
    assert_eq!(bad["errors"][0]["pointer"], "/request/targt");
}

#[tokio::test]
async fn two_compiles_are_compared() {
    let server = TestServer::spawn().await;
    let body = request("full");
    let mut other = body.clone();
    other["implicit_context"] = json!("It is early.");
    let (a, b) = (
        server.post_json("/compile", 200, &body).await,
        server.post_json("/compile", 200, &other).await,
    );
    let diff = |a: &Value, b: &Value| json!({"a": a["id"], "b": b["id"]});
    let answer = server.post_json("/compilations/diff", 200, &diff(&a, &b)).await;
    assert_eq!(
        (&answer["status"], &answer["root_stages"]),
        (&json!("diverged"), &json!(["inject"]))
    );
    let step = &answer["diff"][0];
    assert_eq!(step["op"], "replace");
    assert!(step["from"].as_str().unwrap().contains("late"), "{step}");
    assert!(step["value"].as_str().unwrap().contains("early"), "{step}");
    let same = server.post("/compilations/diff", &diff(&a, &a)).await;
    let same: Value = same.json().await.unwrap();
    assert_eq!((&same["status"], &same["diff"]), (&json!("equal"), &json!([])));
    let bad = server.post("/compilations/diff", &json!({"a": 1, "c": 2})).await;
    let bad = problem(bad, 422, "invalid_request").await;
    let pointers: Vec<_> =
        bad["errors"].as_array().unwrap().iter().map(|fault| fault["pointer"].clone()).collect();
    assert_eq!(pointers, ["/c", "/a", "/b"]);
    let bad = server.post("/compilations/diff", &json!({"a": a["id"], "b": "cmp_0"})).await;
    problem(bad, 404, "not_found").await;
}

#[tokio::test]
async fn records_are_listed_by_what_they_are() {
    let server = TestServer::spawn().await;
    for number in 0..5 {
        let mut body = request(if number % 2 == 0 { "full" } else { "hashes" });
        body["session_id"] = json!(format!("s{}", number % 3));
        body["target"] = json!(if number < 3 { "openai" } else { "gemini" });
        server.post_json("/compile", 200, &body).await;
    }
    let count = async |query: &str| {
        let list = server.get_json(&format!("/compilations{query}")).await;
        list["items"].as_array().unwrap().len()
    };
    assert_eq!(count("").await, 5);
    assert_eq!(count("?session_id=s1").await, 2);
    assert_eq!(count("?target=openai").await, 3);
    assert_eq!(count("?record=full").await, 3);
    assert_eq!(count("?record=full&target=gemini&status=compiled").await, 1);
    assert_eq!(count("?model=gpt-4o").await, 0);
    let hash = server.get_json("/compilations?limit=1").await["items"][0]["payload_hash"].clone();
    assert!(count(&format!("?payload_hash={}", hash.as_str().unwrap())).await >= 1);
    problem(server.get("/compilations?payload_hash=x").await, 422, "invalid_request").await;
    problem(server.get("/compilations?record=none").await, 422, "invalid_request").await;

    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = server.get_json(&format!("/compilations?limit=2{cursor}")).await;
        let items = page["items"].as_array().unwrap();
        seen.extend(items.iter().map(|row| row["id"].as_str().unwrap().to_owned()));
        let Some(next) = page["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    assert_eq!(seen.len(), 5);
    assert!(seen.is_sorted_by(|a, b| a > b), "{seen:?}");
}

/// A full record in a database that was changed after it.
struct ChangedRecord {
    server: TestServer,
    compiled: Value,
    path: String,
    _folder: Folder,
}

impl ChangedRecord {
    async fn new(sql: &str) -> Self {
        let folder = Folder::new();
        let server = TestServer::with(&["--database-url", &folder.url()]).await;
        let compiled = server.post_json("/compile", 200, &request("full")).await;
        let database = rusqlite::Connection::open(folder.database()).unwrap();
        database.execute(sql, []).unwrap();
        let path = format!("/compilations/{}", compiled["id"].as_str().unwrap());
        Self { server, compiled, path, _folder: folder }
    }
}

#[tokio::test]
async fn a_record_of_another_engine_is_shown_and_not_run() {
    let ChangedRecord { server, path, .. } =
        ChangedRecord::new("UPDATE compilations SET engine = '0.0.1+1'").await;
    let record = server.get_json(&path).await;
    assert_eq!((&record["current"], &record["engine"]), (&json!(false), &json!("0.0.1+1")));
    let answer = server.post(&format!("{path}/replay"), &json!({})).await;
    let answer = problem(answer, 409, "engine_changed").await;
    assert!(answer["detail"].as_str().unwrap().contains("0.0.1+1"), "{answer}");
}

#[tokio::test]
async fn what_another_engine_shortened_is_no_change_of_the_callers() {
    let folder = Folder::new();
    let server = TestServer::with(&["--database-url", &folder.url()]).await;
    let long = |text: &str| json!({"role": "user", "content": text.repeat(400)});
    let turn = async |append: Value, window: u64| {
        let body = json!({"append": append, "model": "bytes4", "target": "openai",
            "budget": {"context_window": window, "reserve_output": 100}});
        let answer = server.post_ok("/sessions/s/turns", &body).await;
        answer["report"]["cache"]["first_change"]["why"].clone()
    };
    let list = json!([long("one "), long("two "), long("six "), long("ten ")]);
    assert_eq!(turn(list, 9_000).await, Value::Null);
    let database = rusqlite::Connection::open(folder.database()).unwrap();
    database.execute("UPDATE compilations SET engine = '0.0.1+1'", []).unwrap();
    assert_eq!(turn(json!([long("more ")]), 1_700).await, "engine_changed");
    // Once: the payload before is this engine's own now.
    assert_eq!(turn(json!([long("most ")]), 1_200).await, "compaction");
}

/// Every text is another one, the plans by which they are put together included.
#[tokio::test]
async fn a_record_whose_texts_are_damaged_is_shown_and_not_run() {
    let ChangedRecord { server, path, .. } =
        ChangedRecord::new("UPDATE blobs SET form = 0, content = x'7b7d'").await;
    let record = server.get_json(&path).await;
    assert_eq!((&record["request"], &record["payload"]), (&Value::Null, &Value::Null));
    let answer = server.post(&format!("{path}/replay"), &json!({})).await;
    problem(answer, 422, "replay_packet_invalid").await;
}

#[tokio::test]
async fn a_record_whose_texts_are_gone_is_shown_and_not_run() {
    let ChangedRecord { server, compiled, path, .. } =
        ChangedRecord::new("DELETE FROM blobs").await;
    let record = server.get_json(&path).await;
    assert_eq!((&record["request"], &record["payload"]), (&Value::Null, &Value::Null));
    let answer = server.post(&format!("{path}/replay"), &json!({})).await;
    problem(answer, 409, "record_incomplete").await;
    // The request, sent again, does.
    let again = replay(&server, &compiled["id"], &json!({"request": request("full")})).await;
    assert_eq!(again["status"], "equal");
}

#[tokio::test]
async fn records_outlive_the_end_of_the_process() {
    let folder = Folder::new();
    let url = folder.url();
    let client = reqwest::Client::new();
    let mut compiled: Vec<Value> = Vec::new();
    for round in 0..3 {
        let mut server = ServerProcess::start(&["--database-url", &url]);
        for earlier in &compiled {
            let id = earlier["id"].as_str().unwrap();
            let path = format!("http://{}/compilations/{id}/replay", server.address);
            let answer = client.post(path).json(&json!({})).send().await.unwrap();
            assert_eq!(answer.status(), 200);
            let answer: Value = answer.json().await.unwrap();
            assert_eq!(
                (&answer["status"], &answer["payload"]),
                (&json!("equal"), &earlier["payload"])
            );
        }
        let mut body = request("full");
        body["messages"].as_array_mut().unwrap().push(assistant(&format!("round {round}")));
        body["messages"].as_array_mut().unwrap().push(user("Go on."));
        let path = format!("http://{}/compile", server.address);
        let answer = client.post(path).json(&body).send().await.unwrap();
        compiled.push(answer.json().await.unwrap());
        server.signal("KILL");
        server.exit().await;
    }
}

#[tokio::test]
async fn a_session_takes_its_records_and_their_texts_along() {
    let folder = Folder::new();
    let (file, url) = (folder.database(), folder.url());
    let server = TestServer::with(&["--database-url", &url]).await;
    let mut ids = Vec::new();
    for session in ["one", "other"] {
        let mut body = request("full");
        body["session_id"] = json!(session);
        body["messages"][1]["content"] = json!(format!("{session} alone ").repeat(100));
        ids.push(server.post_json("/compile", 200, &body).await["id"].clone());
    }
    let gone = server.delete("/sessions/one").await;
    assert_eq!(gone.status(), 204);
    let list = server.get_json("/compilations").await;
    assert_eq!(list["items"].as_array().unwrap().len(), 1);
    assert_eq!(list["items"][0]["id"], ids[1]);
    assert_eq!(replay(&server, &ids[1], &json!({})).await["status"], "equal");
    // What both had is there for the other; what one had alone is nowhere.
    let database = rusqlite::Connection::open(&file).unwrap();
    let count = |sql: &str| database.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(
        count(
            "SELECT count(*) FROM blobs WHERE digest NOT IN (SELECT digest FROM compilation_texts)
             AND digest NOT IN (SELECT digest FROM artifacts)"
        ),
        0
    );
    assert!(count("SELECT count(*) FROM compilation_texts") > 3);
}

#[tokio::test]
async fn a_browser_gets_the_console_and_a_program_the_record() {
    let server = TestServer::locked(&[]).await;
    let mut body = request("full");
    let messages = body["messages"].as_array_mut().unwrap();
    messages.insert(1, user("<script>document.title = 'owned'</script>"));
    let compiled = server.call_ok(BOOTSTRAP_KEY, "POST", "/compile", &body).await;
    let path = format!("/compilations/{}", compiled["id"].as_str().unwrap());
    let open = async |path: &str, method: &str| {
        let request = server.build(method, path).header("accept", "text/html,*/*;q=0.8");
        request.send().await.unwrap()
    };
    let page = open(&path, "GET").await;
    assert_eq!(page.status(), 200);
    let headers = page.headers().clone();
    assert_eq!(headers["content-type"], "text/html; charset=utf-8");
    assert_eq!(headers["vary"], "accept");
    let policy = headers["content-security-policy"].to_str().unwrap();
    assert!(policy.contains("require-trusted-types-for 'script'"), "{policy}");
    // It is the same page whatever it is asked for: no data is in it.
    let page = page.text().await.unwrap();
    assert_eq!(page, server.get("/").await.text().await.unwrap());
    let absent = open("/compilations/none", "GET").await;
    assert_eq!((absent.status().as_u16(), absent.text().await.unwrap()), (200, page));
    // Everything else needs a key, whatever the caller accepts.
    for (path, method) in [("/compilations", "GET"), (path.as_str(), "POST"), ("/models", "GET")] {
        let status = open(path, method).await.status().as_u16();
        assert!([401, 405].contains(&status), "{method} {path}: {status}");
    }
    let json = server.call(BOOTSTRAP_KEY, "GET", &path, &Value::Null).await;
    assert_eq!(
        (&json.headers()["content-type"], &json.headers()["vary"]),
        (&"application/json".parse().unwrap(), &"accept".parse().unwrap())
    );
    problem(server.get(&path).await, 401, "unauthenticated").await;
}

#[tokio::test]
async fn decisions_are_told_of_a_record_in_full_and_of_no_other() {
    let server = TestServer::spawn().await;
    let read = async |id: &Value, query: &str| {
        server.get_json(&format!("/compilations/{}{query}", id.as_str().unwrap())).await
    };
    let mut explained = request("none");
    explained["explain"] = json!("full");
    let wanted = server.post_json("/compile", 200, &explained).await;
    let wanted = &wanted["report"]["decisions"];
    assert!(wanted.as_array().unwrap().iter().any(|row| row["action"] != "kept"), "{wanted}");
    let full = server.post_json("/compile", 200, &request("full")).await;
    let told = read(&full["id"], "?explain=full").await;
    assert_eq!(&told["decisions"], wanted);
    assert!(told["request"].is_object() && told["payload"].is_object());
    assert!(read(&full["id"], "").await.get("decisions").is_none());
    let hashes = server.post_json("/compile", 200, &request("hashes")).await;
    assert_eq!(read(&hashes["id"], "?explain=full").await["decisions"], Value::Null);
    let path = format!("/compilations/{}?explain=some", hashes["id"].as_str().unwrap());
    problem(server.get(&path).await, 422, "invalid_request").await;
}
