//! URLs of hooks hold tokens: they are sealed at rest, and shown without path and query.

use contexture::webhook::{Keyring, Purpose};
use serde_json::{Value, json};

use super::MASTER;
use crate::support::receiver::{Mode, Receiver};
use crate::support::wait::until;
use crate::support::{Folder, TestServer, database, problem};

const TOKEN: &str = "t0ken-of-the-path";

/// A database, and how a test looks into it.
struct Place<'p> {
    url: String,
    /// The first column of what a statement finds.
    sql: &'p dyn Fn(&str) -> Vec<String>,
    /// How bytes in hex are written in a statement.
    bytes: fn(&str) -> String,
}

impl Place<'_> {
    async fn server(&self, flags: &[&str]) -> TestServer {
        let mut all = vec!["--dev", "--database-url", self.url.as_str()];
        all.extend_from_slice(flags);
        TestServer::with(&all).await
    }

    fn definition(&self) -> String {
        (self.sql)("SELECT definition FROM hooks").remove(0)
    }
}

async fn receiver() -> Receiver {
    Receiver::spawn(Mode::Answer(r#"{"decision":"allow"}"#.to_owned())).await
}

fn guard(receiver: &Receiver) -> Value {
    json!({"id": "g", "point": "transform_context", "kind": "guard",
        "url": format!("http://{}/{TOKEN}?key={TOKEN}", receiver.address)})
}

async fn sent(request: reqwest::RequestBuilder) -> Value {
    let response = request.send().await.unwrap();
    let (status, text) = (response.status(), response.text().await.unwrap());
    assert!(status.is_success(), "{status} {text}");
    assert!(!text.contains(TOKEN), "{text}");
    serde_json::from_str(&text).unwrap()
}

async fn patched(server: &TestServer, change: &Value) -> Value {
    sent(server.build("PATCH", "/hooks/g").json(change)).await
}

/// Compiles, and sees the guard called at its whole URL; nothing that is answered holds it.
async fn calls(server: &TestServer, receiver: &Receiver) {
    let before = receiver.requests().len();
    let body = json!({"messages": [{"role": "user", "content": "hi"}], "record": "full"});
    let answer = sent(server.build("POST", "/compile").json(&body)).await;
    assert_eq!(answer["report"]["hooks"][0]["outcome"], "allowed", "{answer}");
    let requests = receiver.requests();
    assert_eq!(requests.len(), before + 1);
    let line = requests.last().unwrap().lines().next().unwrap().to_owned();
    assert!(line.contains(&format!("{TOKEN}?key={TOKEN}")), "{line}");
    let path = format!("/compilations/{}", answer["id"].as_str().unwrap());
    sent(server.build("GET", &path)).await;
    sent(server.build("GET", "/events?format=json&after=0")).await;
}

async fn sealed(place: &Place<'_>) {
    let files = Folder::new();
    let master = files.write("keys", MASTER);
    let keyed = ["--master-key-file", master.as_str()];
    let receiver = receiver().await;
    let shown = format!("http://{}/\u{2026}", receiver.address);
    let server = place.server(&keyed).await;
    let made = sent(server.build("POST", "/hooks").json(&guard(&receiver))).await;
    assert_eq!(made["url"], shown.as_str());
    calls(&server, &receiver).await;
    let list = sent(server.build("GET", "/hooks")).await;
    assert_eq!(list["items"][0]["url"], shown.as_str());
    let tried = sent(server.build("POST", "/hooks/g/test").json(&json!({}))).await;
    assert_eq!(tried["request"]["url"], shown.as_str());
    // What is read may be sent back: it changes nothing.
    for change in [json!({"priority": 1}), json!({"url": shown}), json!({"mandatory": true})] {
        assert_eq!(patched(&server, &change).await["url"], shown.as_str());
    }
    let request = server.build("POST", "/hooks/g/rotate-secret").json(&json!({}));
    sent(request).await;
    calls(&server, &receiver).await;
    let other = json!({"id": "h", "point": "event", "kind": "observe", "url": shown});
    problem(server.post("/hooks", &other).await, 422, "invalid_request").await;
    let other = json!({"url": "https://hooks.example.com/\u{2026}"});
    let refused = server.patch("/hooks/g", &other).await;
    problem(refused, 422, "invalid_request").await;
    server.stop().await;
    let definition = place.definition();
    assert!(definition.contains('\u{2026}') && !definition.contains(TOKEN), "{definition}");

    // Without the key it is shown as before, and a change neither loses the URL nor moves its secrets.
    let flags = &["--master-key-file", &files.write("other", MASTER.replace("00", "ff"))];
    let locked = place.server(flags).await;
    assert_eq!(patched(&locked, &json!({"priority": 2})).await["url"], shown.as_str());
    let moved = json!({"url": format!("{}elsewhere", receiver.url())});
    let refused = locked.patch("/hooks/g", &moved).await;
    problem(refused, 503, "secrets_unavailable").await;
    locked.stop().await;
    let server = place.server(&keyed).await;
    calls(&server, &receiver).await;
    server.stop().await;
}

/// A hook as servers stored it that did not seal URLs.
async fn stored_before(place: &Place<'_>) {
    let files = Folder::new();
    let master = files.write("keys", MASTER);
    let keyed = ["--master-key-file", master.as_str()];
    let receiver = receiver().await;
    let server = place.server(&keyed).await;
    let made = sent(server.build("POST", "/hooks").json(&guard(&receiver))).await;
    server.stop().await;
    let plain = json!({"headers": [], "secrets": [[made["secret"], null]]}).to_string();
    let purpose = Purpose { what: "hook", tenant: "default", of: "g" };
    let blob = Keyring::parse(MASTER).unwrap().seal(purpose, plain.as_bytes()).unwrap();
    let hex: Vec<String> = blob.iter().map(|byte| format!("{byte:02x}")).collect();
    let whole = guard(&receiver)["url"].as_str().unwrap().to_owned();
    let shown = made["url"].as_str().unwrap();
    let definition = place.definition().replace(shown, &whole);
    assert!(definition.contains(TOKEN));
    (place.sql)(&format!(
        "UPDATE hooks SET definition = '{definition}', sealed = {}",
        (place.bytes)(&hex.concat())
    ));
    // Without the key nothing can be sealed, and nothing is lost by a change.
    let flags = &["--master-key-file", &files.write("other", MASTER.replace("00", "ff"))];
    let locked = place.server(flags).await;
    assert_eq!(patched(&locked, &json!({"priority": 2})).await["url"], shown);
    locked.stop().await;
    assert!(place.definition().contains(TOKEN));

    let server = place.server(&keyed).await;
    until(async || (!place.definition().contains(TOKEN)).then_some(())).await;
    calls(&server, &receiver).await;
    let hook = sent(server.build("GET", "/hooks/g")).await;
    assert_eq!((&hook["url"], &hook["revision"]), (&json!(shown), &json!(2)));
    server.stop().await;
    let server = place.server(&keyed).await;
    calls(&server, &receiver).await;
    server.stop().await;
}

async fn on_sqlite(test: impl AsyncFn(&Place<'_>)) {
    let files = Folder::new();
    let file = files.write("db", "");
    let sql = |statement: &str| {
        let database = rusqlite::Connection::open(&file).unwrap();
        let mut statement = database.prepare(statement).unwrap();
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        rows.collect::<Result<Vec<String>, _>>().unwrap()
    };
    let bytes = |hex: &str| format!("x'{hex}'");
    test(&Place { url: format!("sqlite:{file}"), sql: &sql, bytes }).await;
}

async fn on_postgresql(test: impl AsyncFn(&Place<'_>)) {
    let Some(url) = database::postgres() else { return };
    let sql = |statement: &str| database::run(&url, &[statement.to_owned()]);
    let bytes = |hex: &str| format!("'\\x{hex}'");
    test(&Place { url: url.clone(), sql: &sql, bytes }).await;
}

#[tokio::test]
async fn the_url_of_a_hook_is_sealed_and_shown_without_its_path() {
    on_sqlite(sealed).await;
}

#[tokio::test]
async fn the_url_of_a_hook_is_sealed_and_shown_without_its_path_on_postgresql() {
    on_postgresql(sealed).await;
}

#[tokio::test]
async fn a_url_that_was_stored_in_plain_works_and_is_sealed_at_the_next_start() {
    on_sqlite(stored_before).await;
}

#[tokio::test]
async fn a_url_that_was_stored_in_plain_works_and_is_sealed_at_the_next_start_on_postgresql() {
    on_postgresql(stored_before).await;
}

#[tokio::test]
async fn with_dev_hooks_live_through_a_restart() {
    let (folder, receiver) = (Folder::new(), receiver().await);
    let url = format!("sqlite:{}", folder.file("c.db"));
    let server = TestServer::with(&["--dev", "--database-url", &url]).await;
    server.register(&guard(&receiver)).await;
    calls(&server, &receiver).await;
    server.stop().await;
    let server = TestServer::with(&["--dev", "--database-url", &url]).await;
    calls(&server, &receiver).await;
    server.stop().await;
    let key = folder.file("c.db-dev-key");
    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::PermissionsExt::mode(
            &std::fs::metadata(&key).unwrap().permissions(),
        );
        assert_eq!(mode & 0o777, 0o600);
    }
    // It is a key file as any other.
    let flags = ["--dev", "--database-url", &url, "--master-key-file", key.as_str()];
    calls(&TestServer::with(&flags).await, &receiver).await;
}
