//! What operators are given fits the program: the board, the manifests, the settings they name.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use clap::CommandFactory as _;
use serde_json::{Value, json};

use crate::support::TestServer;
use crate::support::receiver::{Mode, Receiver};
use crate::support::wait::until;

#[derive(Debug, clap::Parser)]
struct Flags {
    #[command(flatten)]
    config: contexture::config::Config,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn manifests() -> Vec<PathBuf> {
    let folder = root().join("deploy/kubernetes");
    let found = fs::read_dir(folder).expect("a folder").map(|entry| entry.unwrap().path());
    found.collect()
}

/// Words of `text` that begin with `prefix` and go on in letters, digits and `_`.
fn words<'t>(text: &'t str, prefix: &str) -> BTreeSet<&'t str> {
    let of_word = |character: char| character.is_ascii_alphanumeric() || character == '_';
    text.split(|character| !of_word(character)).filter(|word| word.starts_with(prefix)).collect()
}

#[tokio::test]
async fn the_board_draws_what_is_counted() {
    let server = TestServer::dev().await;
    let receiver = Receiver::spawn(Mode::Status(204, String::new(), String::new())).await;
    let hook = json!({"id": "audit", "point": "after_compress", "kind": "observe",
                      "url": receiver.url()});
    assert_eq!(server.post("/hooks", &hook).await.status(), 201);
    let text = "The build went on for a while and said nothing new. ".repeat(200);
    let messages: Vec<Value> = (0..20)
        .map(|index| json!({"role": "user", "content": format!("{index} {text}")}))
        .collect();
    let body = json!({"target": "openai", "messages": messages,
                      "budget": {"context_window": 8000, "reserve_output": 1000}});
    assert_eq!(server.post("/compile", &body).await.status(), 200);
    let stream = server.get("/events").await;
    let delivered = r#"contexture_deliveries_total{outcome="delivered"} 1"#;
    let figures = until(async || {
        let figures = server.get("/metrics").await.text().await.unwrap();
        figures.contains(delivered).then_some(figures)
    })
    .await;
    assert!(figures.contains("contexture_event_streams 1"), "{figures}");
    assert!(figures.contains("contexture_store_writable 1"), "{figures}");
    let called = r#"contexture_hook_calls_total{point="after_compress",result="answered"} 1"#;
    assert!(figures.contains(called), "{figures}");
    drop(stream);

    let board = read("deploy/grafana/contexture.json");
    serde_json::from_str::<Value>(&board).expect("the board is JSON");
    let counted = |name: &&str| figures.lines().any(|line| line.starts_with(*name));
    // Nobody was refused or went away here, and nothing went through a gateway: `api::limits` and
    // `gateway::usage` have those.
    let elsewhere = [
        "contexture_http_requests_shed_total",
        "contexture_http_requests_abandoned_total",
        "contexture_gateway_requests_total",
        "contexture_gateway_tokens_total",
        "contexture_gateway_saved_tokens_total",
        "contexture_gateway_cost_micros_total",
        "contexture_gateway_saved_micros_total",
    ];
    let mut drawn = words(&board, "contexture_");
    drawn.extend(words(&board, "process_"));
    assert!(drawn.len() > 10, "the board draws little: {drawn:?}");
    let missing: Vec<_> =
        drawn.iter().filter(|name| !elsewhere.contains(name) && !counted(name)).collect();
    assert!(missing.is_empty(), "the board draws what nobody counts: {missing:?}");
}

#[test]
fn what_is_deployed_sets_only_what_there_is() {
    let command = Flags::command();
    let settings: BTreeSet<String> = command
        .get_arguments()
        .filter_map(|argument| Some(argument.get_env()?.to_string_lossy().into_owned()))
        .collect();
    let mut texts =
        vec![read("docker-compose.yml"), read("Dockerfile"), read("docs/operations.md")];
    texts.extend(manifests().iter().map(|path| fs::read_to_string(path).expect("readable")));
    let mut named = 0;
    for text in &texts {
        for word in words(text, "CONTEXTURE_") {
            named += 1;
            // The password that the compose file makes the role of the database with.
            let known = settings.contains(word) || word == "CONTEXTURE_DB_PASSWORD";
            assert!(known, "`{word}` is no setting");
        }
    }
    assert!(named > 10, "only {named} settings are named");
}

#[test]
fn manifests_are_yaml() {
    let mut kinds = BTreeSet::new();
    for path in manifests() {
        let text = fs::read_to_string(&path).expect("readable");
        for document in text.split("\n---\n") {
            let document: Value = yaml_serde::from_str(document).expect("YAML");
            kinds.insert(document["kind"].as_str().expect("a kind").to_owned());
        }
    }
    assert!(kinds.contains("Deployment") && kinds.contains("Service"), "{kinds:?}");
    let compose: Value = yaml_serde::from_str(&read("docker-compose.yml")).expect("YAML");
    let services = compose["services"].as_object().expect("services");
    assert!(services.contains_key("postgres"), "{services:?}");
}
