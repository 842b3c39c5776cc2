//! The program as a process: what it logs, and the commands `wrap` and `gateway check`.

use std::process::{Output, Stdio};

use serde_json::json;
use tokio::task::spawn_blocking;

use super::agent::{Agent, AgentWire, rows};
use crate::support::ServerProcess;
use crate::support::provider::{Provider, ProviderReply};

const MARK: &str = "KqzwMARK";

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[tokio::test]
async fn nothing_that_passes_is_logged() {
    let provider = Provider::spawn(|request| {
        let status = if request.target.contains("fail") { 500 } else { 200 };
        ProviderReply::json(status, &json!({"text": MARK, "usage": {"input_tokens": 3}}))
            .with("x-request-id", MARK)
    })
    .await;
    let log = tempfile::NamedTempFile::new().expect("a file");
    let mut command = ServerProcess::command();
    command.args(["serve", "--listen", "127.0.0.1:0", "--log-level", "trace"]);
    command.arg(provider.flag("openai"));
    let mut server = ServerProcess::logging_to(command, Stdio::from(log.reopen().unwrap()));
    let mut agent = Agent::new(AgentWire::Chat);
    agent.query(&rows(1, 40).replace("customer", MARK));
    let client = reqwest::Client::new();
    for (path, body) in [
        (format!("/v1/chat/completions?key={MARK}"), agent.body()),
        (format!("/v1/chat/completions?fail={MARK}"), agent.body()),
        ("/v1/chat/completions".to_owned(), format!("{MARK} is no JSON")),
        (format!("/v1/{MARK}/x"), MARK.to_owned()),
        (format!("/u/{MARK}/v1/x"), MARK.to_owned()),
        (format!("/v1/messages?x={MARK}"), MARK.to_owned()),
    ] {
        let request = client.post(format!("http://{}{path}", server.address)).body(body);
        let request = request
            .bearer_auth(format!("sk-{MARK}"))
            .header("x-api-key", MARK)
            .header("x-contexture-key", MARK)
            .header("x-claude-code-session-id", MARK);
        request.send().await.expect("a response").bytes().await.expect("a body");
    }
    let url = format!("http://{}/metrics", server.address);
    let figures = reqwest::get(url).await.unwrap().text().await.unwrap();
    assert!(!figures.contains(MARK), "{figures}");
    server.signal("TERM");
    server.exit().await;
    let log = std::fs::read_to_string(log.path()).expect("a log");
    assert!(log.lines().count() > 20, "{log}");
    let told: Vec<&str> = log.lines().filter(|line| line.contains(MARK)).take(5).collect();
    assert!(told.is_empty(), "logged: {told:#?}");
}

/// Runs the program to its end.
async fn run(arguments: Vec<String>, variables: Vec<(&'static str, String)>) -> Output {
    let run = move || {
        let mut command = ServerProcess::command();
        // For the commands that `wrap` runs.
        command.env("PATH", "/usr/local/bin:/usr/bin:/bin");
        command.args(arguments).envs(variables).output().expect("the program runs")
    };
    spawn_blocking(run).await.expect("no panic")
}

fn wrap(provider: &Provider, script: &str) -> Vec<String> {
    let flags = [provider.flag("anthropic"), provider.flag("openai"), provider.flag("gemini")];
    let command = ["--", "sh", "-c", script].map(str::to_owned);
    [vec!["wrap".to_owned()], flags.to_vec(), command.to_vec()].concat()
}

#[tokio::test]
async fn a_wrapped_command_has_the_addresses_and_its_own_exit_code() {
    let provider = Provider::plain().await;
    let script = "echo $ANTHROPIC_BASE_URL $OPENAI_BASE_URL $GOOGLE_GEMINI_BASE_URL; exit 7";
    let output = run(wrap(&provider, script), Vec::new()).await;
    assert_eq!(output.status.code(), Some(7), "{}", text(&output.stderr));
    let stdout = text(&output.stdout);
    let urls: Vec<&str> = stdout.split_whitespace().collect();
    assert_eq!(urls.len(), 3, "{stdout}");
    assert!(urls[0].starts_with("http://127.0.0.1:"), "{stdout}");
    assert_eq!((urls[1], urls[2]), (&*format!("{}/v1", urls[0]), urls[0]));
    assert!(text(&output.stderr).ends_with("contexture: 0 requests, 0 tokens saved\n"));
    let output = run(wrap(&provider, "kill -TERM $$"), Vec::new()).await;
    assert_eq!(output.status.code(), Some(143));
    let unknown = ["wrap", "--", "/no/such/program"].map(str::to_owned).to_vec();
    let output = run(unknown, Vec::new()).await;
    assert_eq!(output.status.code(), Some(127));
    assert!(text(&output.stderr).contains("cannot run /no/such/program"));
}

#[tokio::test]
async fn a_check_says_what_works() {
    let provider = Provider::spawn(|request| match request.header("x-api-key") {
        Some("sk-right") => ProviderReply::json(200, &json!({"data": [{"id": "m"}]})),
        _ => ProviderReply::json(401, &json!({"error": {"message": "no key"}})),
    })
    .await;
    let dead = Provider::plain().await;
    let flags = [provider.flag("anthropic"), provider.flag("openai"), dead.flag("near")];
    drop(dead);
    let server = ServerProcess::start(&flags.each_ref().map(String::as_str));
    let address = format!("http://{}", server.address);
    let arguments = ["gateway", "check", "--server", &address].map(str::to_owned).to_vec();
    let keys = vec![("ANTHROPIC_API_KEY", "sk-right".to_owned())];
    let output = run(arguments, keys).await;
    assert_eq!(output.status.code(), Some(1));
    let stdout = text(&output.stdout);
    let lines: Vec<&str> = stdout.lines().collect();
    assert_eq!(lines[0], "anthropic: works, 1 model");
    assert_eq!(lines[1], "openai: reached; set OPENAI_API_KEY to ask with a key");
    assert!(lines[2].starts_with("near: status 502: contexture: "), "{stdout}");
    assert_eq!(provider.requests()[0].target, "/v1/models");
}

#[tokio::test]
async fn modes_that_are_not_there_and_bad_upstreams_are_refused_at_the_start() {
    for (flags, message) in [
        (["--gateway-mode", "shrink"], "known modes: off, observe, compress, fit"),
        (["--upstream", "other"], "other=https://"),
        (["--upstream", "near=http://10.0.0.1"], "loopback"),
        (["--gateway-protect", "["], "--gateway-protect"),
    ] {
        let arguments = [vec!["serve"], flags.to_vec()].concat();
        let output = run(arguments.into_iter().map(str::to_owned).collect(), Vec::new()).await;
        assert_eq!(output.status.code(), Some(2), "{flags:?}");
        assert!(text(&output.stderr).contains(message), "{}", text(&output.stderr));
    }
}
