//! `contexture read-test` with an endpoint that answers by a rule.

use std::collections::HashMap;
use std::process::Output;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use serde_json::{Value, json};

use crate::support::{Folder, ServerProcess};

/// Arguments that make few texts: `json` has one notation, `messages` another and a computed one.
const FEW: [&str; 4] = ["--kinds", "json,messages", "--texts", "14"];

/// The text of a prompt to its right answer.
type Answers = HashMap<String, String>;

/// Makes the answer to a prompt, which the right one is given for.
type Rule = fn(prompt: &str, right: &str) -> (StatusCode, Value);

fn says(text: &str) -> (StatusCode, Value) {
    let choice = json!({"finish_reason": "stop", "message": {"content": text}});
    (StatusCode::OK, json!({"choices": [choice]}))
}

fn run(arguments: &[&str]) -> Output {
    ServerProcess::command().arg("read-test").args(arguments).output().expect("the program runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The lines of the question file for some arguments.
fn written(arguments: &[&str]) -> Vec<Value> {
    let folder = Folder::new();
    let file = folder.file("questions.jsonl");
    let output = run(&[arguments, &["--write", &file]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let lines = std::fs::read_to_string(&file).expect("the questions");
    lines.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value[key].as_array().expect("a list")
}

fn word<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().expect("a text")
}

fn answers(lines: &[Value]) -> Answers {
    let mut answers = Answers::new();
    for line in lines {
        for question in list(line, "questions") {
            let text = word(line, "text").trim_end_matches('\n');
            let prompt =
                format!("{text}\n\n{} Answer with the value alone.", word(question, "question"));
            answers.insert(prompt, word(question, "answer").to_owned());
        }
    }
    answers
}

/// What the endpoint was sent.
#[derive(Debug, Default)]
struct Seen {
    bodies: Vec<Value>,
    keys: Vec<String>,
}

/// Runs the test against an endpoint with a rule.
async fn read(arguments: &'static [&'static str], rule: Rule) -> (Output, Seen) {
    let answers = tokio::task::spawn_blocking(move || answers(&written(arguments)));
    let answers = Arc::new(answers.await.expect("the questions"));
    let seen = Arc::new(Mutex::new(Seen::default()));
    let shared = Arc::clone(&seen);
    let handler = move |headers: HeaderMap, body: String| async move {
        let body: Value = serde_json::from_str(&body).expect("JSON");
        let prompt = body["messages"][0]["content"].as_str().expect("a prompt").to_owned();
        let right = answers.get(&prompt).unwrap_or_else(|| panic!("an unknown prompt: {prompt}"));
        let (status, answer) = rule(&prompt, right);
        let key = headers.get("authorization").and_then(|value| value.to_str().ok());
        let mut seen = shared.lock().expect("what was seen");
        seen.keys.push(key.unwrap_or_default().to_owned());
        seen.bodies.push(body);
        (status, answer.to_string())
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let endpoint = format!("http://{}/v1", listener.local_addr().expect("an address"));
    let router = Router::new().route("/v1/chat/completions", post(handler));
    let server = tokio::spawn(async move { axum::serve(listener, router).await });
    let output = tokio::task::spawn_blocking(move || {
        ServerProcess::command()
            .env("CONTEXTURE_READ_TEST_KEY", "sk-test")
            .args(["read-test", "--endpoint", &endpoint, "--model", "reader"])
            .args(arguments)
            .output()
            .expect("the program runs")
    });
    let output = output.await.expect("the program ends");
    server.abort();
    let seen = std::mem::take(&mut *seen.lock().expect("what was seen"));
    (output, seen)
}

/// The row of a table, by its title and the name in the first column.
fn row<'t>(table: &'t str, title: &str, name: &str) -> &'t str {
    let rows = table.lines().skip_while(|line| !line.starts_with(title));
    let rows = rows.skip(1).take_while(|line| !line.is_empty());
    let is_named = |line: &&str| line.split("  ").next() == Some(name);
    rows.into_iter().find(is_named).unwrap_or_else(|| panic!("no {name} in {title}:\n{table}"))
}

const LOSSLESS: &[&str] = &["--kinds", "json,messages", "--texts", "14", "--lossless"];

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_that_is_right_passes_every_notation() {
    let (output, seen) = read(LOSSLESS, |_, right| says(&format!("`{right}`."))).await;
    let table = text(&output.stdout);
    assert!(output.status.success(), "{}\n{table}", text(&output.stderr));
    for name in ["json", "lines"] {
        let row = row(&table, "notation", name);
        assert!(row.contains("+0.0 +0.0…+0.0  passed"), "{row}");
        assert_eq!(row.matches(" 100.0 (").count(), 2, "{row}");
    }
    assert!(row(&table, "notation", "computed template").ends_with("passed"), "{table}");
    assert!(table.ends_with("answers that differ\n"), "{table}");
    // Greedy, with the key, and each question once for each form.
    assert!(!seen.bodies.is_empty());
    for (body, key) in seen.bodies.iter().zip(&seen.keys) {
        assert_eq!((&body["temperature"], &body["model"]), (&json!(0), &json!("reader")));
        assert_eq!(key, "Bearer sk-test");
    }
    assert!(!text(&output.stderr).contains("sk-test"));
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_answers_over_a_notation_lower_its_figure_and_fail_it() {
    let rule: Rule =
        |prompt, right| says(if prompt.starts_with("§json") { "something else" } else { right });
    let (output, _) = read(LOSSLESS, rule).await;
    let (table, errors) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("read worse than the rule allows: json"), "{errors}");
    let json = row(&table, "notation", "json");
    assert!(json.contains("-100.0 -100.0…-100.0  FAILED") && json.contains(" 100.0 ("), "{json}");
    assert!(row(&table, "notation", "lines").ends_with("passed"), "{table}");
    let differing: Vec<&str> = table.lines().filter(|line| line.starts_with("json-")).collect();
    assert_eq!(differing.len(), 14 * 16, "{table}");
    assert!(differing[0].ends_with("plain \"something else\""), "{}", differing[0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_computed_notation_may_fail() {
    let arguments: &[&str] = &["--kinds", "yaml", "--texts", "14", "--lossless"];
    let rule: Rule =
        |prompt, right| says(if prompt.starts_with("§yaml") { "something else" } else { right });
    let (output, _) = read(arguments, rule).await;
    let table = text(&output.stdout);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let yaml = row(&table, "notation", "computed yaml");
    assert!(yaml.contains("-100.0 -100.0…-100.0  failed"), "{yaml}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_answer_over_the_original_is_counted_there() {
    let rule: Rule = |prompt, right| {
        says(if prompt.starts_with('[') && prompt.contains(" last ") { "other" } else { right })
    };
    let (output, _) = read(LOSSLESS, rule).await;
    let table = text(&output.stdout);
    assert!(output.status.success(), "{}", text(&output.stderr));
    // Two of sixteen questions are about the last record.
    let json = row(&table, "notation", "json");
    assert!(json.contains(" 87.5 (") && json.contains("+12.5 +12.5…+12.5  passed"), "{json}");
    let last = row(&table, "question, plain", "last");
    assert!(last.contains(" 100.0 ("), "{last}");
}

#[tokio::test(flavor = "multi_thread")]
async fn too_few_questions_prove_nothing() {
    let arguments: &[&str] = &["--kinds", "json", "--texts", "2", "--lossless"];
    let (output, _) = read(arguments, |_, _| says("no")).await;
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(row(&text(&output.stdout), "notation", "json").ends_with("too few"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_endpoint_complains_about_is_reported() {
    let rule: Rule =
        |_, _| (StatusCode::BAD_REQUEST, json!({"error": {"message": "no model `reader`"}}));
    let (output, seen) = read(LOSSLESS, rule).await;
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("status 400: no model `reader`"), "{errors}");
    assert!(output.stdout.is_empty());
    assert!(seen.bodies.len() < 20, "it goes on asking: {}", seen.bodies.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_is_a_wrong_answer() {
    let arguments: &[&str] = &["--kinds", "json", "--texts", "2", "--lossless"];
    let rule: Rule = |_, _| {
        let choice = json!({"finish_reason": "length", "message": {"content": "Ul"}});
        (StatusCode::OK, json!({"choices": [choice]}))
    };
    let (output, _) = read(arguments, rule).await;
    let table = text(&output.stdout);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(row(&table, "notation", "json").contains(" 0.0 ("), "{table}");
}

#[test]
fn what_a_shortened_text_does_not_show_is_counted_apart() {
    let lines = written(&FEW);
    let questions = |form: &str| -> Vec<&Value> {
        let lines = lines.iter().filter(|line| line["form"] == form);
        lines.flat_map(|line| list(line, "questions")).collect()
    };
    let hidden = |form: &str| {
        let questions = questions(form);
        questions.iter().filter(|question| question["in_sight"] == false).count()
    };
    assert_eq!((hidden("original"), hidden("plain"), hidden("computed")), (0, 0, 0));
    let (half, quarter) = (hidden("half"), hidden("quarter"));
    assert!(half > 0 && quarter > 0, "{half} {quarter}");
    for line in lines.iter().filter(|line| line["form"] == "quarter") {
        for question in list(line, "questions") {
            let is_shown = word(line, "text").contains(word(question, "answer"));
            assert!(is_shown || question["in_sight"] == false, "{line:#}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_what_is_in_sight_is_asked() {
    let (output, seen) = read(&FEW, |_, right| says(right)).await;
    let table = text(&output.stdout);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let quarter = row(&table, "text, quarter", "messages");
    assert!(quarter.contains(" 100.0 (") && quarter.ends_with(" not in sight"), "{quarter}");
    let asked = format!("asking reader {} questions", seen.bodies.len());
    let told = text(&output.stderr).replace(',', "");
    assert!(told.contains(&asked), "{told}");
}

#[test]
fn the_file_has_every_kind_of_text_and_every_notation() {
    let lines = written(&["--texts", "3", "--lossless"]);
    let kinds: std::collections::BTreeSet<&str> =
        lines.iter().map(|line| word(line, "kind")).collect();
    assert!(kinds.len() >= 20, "{kinds:?}");
    let notations = |form: &str| -> std::collections::BTreeSet<&str> {
        let lines = lines.iter().filter(|line| line["form"] == form);
        lines.flat_map(|line| list(line, "notations")).filter_map(Value::as_str).collect()
    };
    let plain =
        ["csv", "json", "json python", "json string", "lines", "numbered", "reference", "repeat"];
    assert_eq!(notations("plain").into_iter().collect::<Vec<_>>(), plain);
    let computed = [
        "csv counted",
        "csv ditto",
        "json cut",
        "json lines",
        "json shared",
        "numbered",
        "records",
        "template",
        "xml",
        "yaml",
    ];
    let computed: Vec<String> = computed.iter().map(|name| format!("computed {name}")).collect();
    assert_eq!(notations("computed").into_iter().collect::<Vec<_>>(), computed);
    let same = written(&["--texts", "3", "--lossless"]);
    assert_eq!(lines, same);
}

#[test]
fn an_endpoint_or_a_file_is_needed() {
    for arguments in [
        &[][..],
        &["--model", "reader"],
        &["--endpoint", "http://127.0.0.1:1/v1"],
        &["--write", "x", "--kinds", "nothing"],
        &["--write", "x", "--texts", "0"],
    ] {
        assert_eq!(run(arguments).status.code(), Some(2), "{arguments:?}");
    }
}
