//! `clients/conformance` against the server itself. The clients run the same cases against a server that
//! plays them; `README.md` there describes the files.

use std::collections::HashMap;
use std::io::Write as _;

use contexture::hook::HookSecret;
use contexture::webhook::sign;
use flate2::Compression;
use flate2::write::GzEncoder;
use regex::Regex;
use serde_json::{Value, json};

use crate::support::TestServer;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/clients/conformance");
/// The files with exchanges between a client and the server.
const CALLS: &[&str] = &["requests", "retries", "problems", "pagination", "events"];

fn cases(file: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(format!("{FOLDER}/{file}.json")).expect("a readable file");
    let document: Value = serde_json::from_str(&text).expect("JSON");
    let cases = document["cases"].as_array().expect("cases").clone();
    assert!(!cases.is_empty(), "{file} has no cases");
    cases
}

fn name_of(case: &Value) -> &str {
    case["name"].as_str().expect("a name")
}

/// What cases have bound to names.
type Bound = HashMap<String, Value>;

/// Compares a value with what a case says of it. Members that the case does not name may be there.
fn check(expected: &Value, actual: &Value, place: &str, bound: &mut Bound) {
    match (expected, actual) {
        (Value::Object(members), _) if members.keys().any(|name| name.starts_with('$')) => {
            for (name, argument) in members {
                check_matcher(name, argument, actual, place, bound);
            }
        }
        (Value::Object(members), Value::Object(_)) => {
            for (name, member) in members {
                check(member, &actual[name], &format!("{place}/{name}"), bound);
            }
        }
        (Value::Array(items), Value::Array(found)) => {
            assert_eq!(items.len(), found.len(), "{place}: {actual}");
            for (at, (item, own)) in items.iter().zip(found).enumerate() {
                check(item, own, &format!("{place}/{at}"), bound);
            }
        }
        _ => assert_eq!(actual, expected, "{place}"),
    }
}

fn check_matcher(name: &str, argument: &Value, actual: &Value, place: &str, bound: &mut Bound) {
    let number = || {
        let parsed = actual.as_str().and_then(|text| text.parse().ok());
        actual.as_f64().or(parsed).unwrap_or_else(|| panic!("{place}: {actual} is no number"))
    };
    let fits = match (name, argument) {
        ("$any", _) => !actual.is_null(),
        ("$type", Value::String(kind)) => match kind.as_str() {
            "string" => actual.is_string(),
            "integer" => actual.is_i64() || actual.is_u64(),
            "object" => actual.is_object(),
            "array" => actual.is_array(),
            "boolean" => actual.is_boolean(),
            other => panic!("{place}: there is no type {other}"),
        },
        ("$match", Value::String(pattern)) => {
            let pattern = Regex::new(pattern).expect("a pattern");
            actual.as_str().is_some_and(|text| pattern.is_match(text))
        }
        ("$min", Value::Number(least)) => number() >= least.as_f64().unwrap(),
        ("$max", Value::Number(most)) => number() <= most.as_f64().unwrap(),
        ("$bind", Value::String(own)) => {
            bound.insert(own.clone(), actual.clone());
            !actual.is_null()
        }
        ("$same", Value::String(own)) => bound.get(own) == Some(actual),
        other => panic!("{place}: there is no matcher {other:?}"),
    };
    assert!(fits, "{place}: {actual} is not {name} {argument}");
}

/// The value of a header: of a matcher, one that it allows; none for a header that must not be there.
fn header_value(name: &str, value: &Value, place: &str) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Object(_) if name == "idempotency-key" => Some(place.to_owned()),
        Value::Object(matcher) => matcher.get("$max").map(ToString::to_string),
        _ => None,
    }
}

async fn ask(
    server: &TestServer,
    request: &Value,
    query: &Value,
    place: &str,
    bound: &Bound,
) -> reqwest::Response {
    let text = |value: &Value| value.as_str().unwrap_or_else(|| panic!("{place}")).to_owned();
    let mut pairs = url::form_urlencoded::Serializer::new(String::new());
    for (name, value) in query.as_object().into_iter().flatten() {
        let value = match value.get("$same") {
            Some(own) => &bound[own.as_str().unwrap()],
            None => value,
        };
        pairs.append_pair(name, &text(value));
    }
    let path = format!("{}?{}", text(&request["path"]), pairs.finish());
    let mut sent = server.build(&text(&request["method"]), path.trim_end_matches('?'));
    let headers = request["headers"].as_object();
    let header = |wanted: &str| headers.and_then(|headers| headers.get(wanted));
    for (name, value) in headers.into_iter().flatten() {
        if let Some(value) = header_value(name, value, place) {
            sent = sent.header(name, value);
        }
    }
    if let Some(body) = request.get("body") {
        if header("content-type").is_none_or(|value| !value.is_string()) {
            sent = sent.header("content-type", "application/json");
        }
        let mut bytes = body.to_string().into_bytes();
        if header("content-encoding") == Some(&json!("gzip")) {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(&bytes).unwrap();
            bytes = encoder.finish().unwrap();
        }
        sent = sent.body(bytes);
    }
    sent.send().await.unwrap()
}

#[tokio::test]
async fn the_server_is_as_the_cases_say() {
    let server = TestServer::spawn().await;
    let mut asked = 0;
    for file in CALLS {
        let mut of_file = 0;
        for case in cases(file) {
            let mut bound = Bound::new();
            let exchanges = case["exchanges"].as_array().expect("exchanges");
            for (at, exchange) in exchanges.iter().enumerate() {
                let Some(live) = exchange.get("live") else { continue };
                let place = format!("{file}/{}/{at}", name_of(&case));
                for before in live["before"].as_array().into_iter().flatten() {
                    let made = ask(&server, before, &before["query"], &place, &bound).await;
                    assert!(made.status().is_success(), "{place}");
                }
                let request = &exchange["request"];
                let query = live.get("query").unwrap_or(&request["query"]);
                let response = ask(&server, request, query, &place, &bound).await;
                assert_eq!(response.status().as_u16(), live["status"], "{place}");
                for (name, expected) in live["headers"].as_object().into_iter().flatten() {
                    let found = response.headers().get(name).map(|value| value.to_str().unwrap());
                    check(expected, &json!(found), &format!("{place}/{name}"), &mut bound);
                }
                if let Some(body) = live.get("body") {
                    check(body, &response.json().await.unwrap(), &place, &mut bound);
                }
                of_file += 1;
            }
        }
        assert!(of_file > 0, "no case of {file} is true of the server");
        asked += of_file;
    }
    assert!(asked >= 24, "only {asked} exchanges were asked");
}

#[test]
fn valid_signatures_are_those_that_the_server_makes() {
    let mut valid = 0;
    for case in cases("signatures") {
        if case["expect"]["valid"] != true {
            continue;
        }
        let header = |wanted: &str| {
            let headers = case["headers"].as_object().expect("headers");
            let found = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted));
            found.and_then(|(_, value)| value.as_str()).unwrap_or_else(|| panic!("{case}"))
        };
        let (id, body) = (header("webhook-id"), case["body"].as_str().unwrap());
        let timestamp = header("webhook-timestamp").parse().unwrap();
        let secrets = case["secrets"].as_array().unwrap().iter().filter_map(Value::as_str);
        // Clients take a secret without its prefix, too.
        let secrets = secrets.map(|text| format!("whsec_{}", text.trim_start_matches("whsec_")));
        let made: Vec<String> = secrets
            .filter_map(|text| HookSecret::parse(&text))
            .map(|secret| sign([&secret].into_iter(), id, timestamp, body.as_bytes()))
            .collect();
        let given = header("webhook-signature");
        assert!(made.iter().any(|own| given.contains(own.as_str())), "{}", name_of(&case));
        valid += 1;
    }
    assert!(valid >= 5, "only {valid} cases are valid");
}

#[tokio::test]
async fn what_a_wrapped_client_asks_is_a_request_that_the_server_takes() {
    let server = TestServer::spawn().await;
    let mut taken = 0;
    for case in cases("wraps") {
        let compile = &case["compile"];
        let name = name_of(&case);
        if compile["response"]["status"] != 200 {
            continue;
        }
        let (status, answer) = server.post_any("/compile", &compile["request"]).await;
        assert_eq!(status, 200, "{name}: {answer}");
        assert!(answer["payload"].is_object(), "{name}: {answer}");
        taken += 1;
    }
    assert!(taken >= 20, "only {taken} cases compile");
}

#[test]
fn the_page_of_the_cases_counts_them() {
    let page = std::fs::read_to_string(format!("{FOLDER}/README.md")).expect("a readable file");
    let mut listed = 0;
    for line in page.lines().filter(|line| line.starts_with("| `")) {
        let mut cells = line.split('|').map(str::trim).skip(1);
        let (file, count) = (cells.next().unwrap().trim_matches('`'), cells.next().unwrap());
        let (Some(file), Ok(count)) = (file.strip_suffix(".json"), count.parse::<usize>()) else {
            continue;
        };
        assert_eq!(cases(file).len(), count, "{file}");
        listed += 1;
    }
    let files = std::fs::read_dir(FOLDER).expect("a folder");
    let found = files.filter(|file| {
        file.as_ref().is_ok_and(|file| file.path().extension().is_some_and(|end| end == "json"))
    });
    assert_eq!(listed, found.count(), "a file of cases is not listed");
}
