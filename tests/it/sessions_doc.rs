//! The examples of `docs/sessions.md` run in their order.

use serde_json::Value;

use crate::support::{TestServer, json_of};

/// The path and the body of each `curl` in the page.
fn examples() -> Vec<(String, Value)> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/sessions.md");
    let page = std::fs::read_to_string(file).expect("the page");
    let blocks = page.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    let commands = blocks.flat_map(|block| block.split("curl localhost:8080").skip(1));
    let read = |command: &str| {
        let (path, _) = command.split_once(' ').expect("a path");
        let (_, rest) = command.split_once("-d '").expect("a body");
        let (body, _) = rest.rsplit_once('\'').expect("the body's end");
        (path.to_owned(), serde_json::from_str(body).expect("a body of JSON"))
    };
    commands.map(read).collect()
}

#[tokio::test]
async fn the_examples_run_in_their_order() {
    let server = TestServer::spawn().await;
    let examples = examples();
    assert_eq!(examples.len(), 6);
    for (at, (path, body)) in examples.iter().enumerate() {
        let status = if path == "/sessions" { 201 } else { 200 };
        let answer = json_of(server.post(path, body).await, status).await;
        let report = answer.get("report").unwrap_or(&answer);
        let noted = ["warnings", "repairs", "degraded"].map(|list| report.get(list));
        let mut noted = noted.into_iter().flatten().filter_map(Value::as_array).flatten();
        assert!(noted.next().is_none(), "example {at}: {answer}");
    }
    let session = server.get_json("/sessions/chat-17").await;
    assert_eq!((&session["turns"], &session["messages"]), (&3.into(), &6.into()));
    assert_eq!(session["calibration"][0]["factor"], Value::Null, "{session}");
}
