//! Half of a surrogate pair, as a text that was cut in the middle of an emoji has.

use serde_json::{Value, json};

use crate::support::compile::Compiled;
use crate::support::{TestServer, pointers, problem};

/// Half of a pair is no text in Rust, so bodies are written.
const HALF: &str = r"\ud83d";

async fn post(server: &TestServer, path: &str, body: &str) -> reqwest::Response {
    server.build_json("POST", path).body(body.to_owned()).send().await.expect("an answer")
}

async fn ok(server: &TestServer, path: &str, body: &str) -> Value {
    let answer = post(server, path, body).await;
    let status = answer.status();
    let text = answer.text().await.expect("a body");
    assert!(status.is_success(), "{path} {body}: {status} {text}");
    serde_json::from_str(&text).expect("JSON")
}

#[tokio::test]
async fn half_a_pair_in_a_text_becomes_u_fffd_with_a_repair() {
    let server = TestServer::spawn().await;
    for (body, pointer) in [
        (
            format!(r#"{{"messages":[{{"role":"user","content":"a{HALF}"}}]}}"#),
            "/messages/0/content",
        ),
        (
            format!(
                r#"{{"messages":[{{"role":"user","content":[{{"type":"text","text":"a{HALF}"}}]}}]}}"#
            ),
            "/messages/0/content/0/text",
        ),
        (format!(r#"{{"input":"a{HALF}"}}"#), "/input"),
        (
            format!(r#"{{"contents":[{{"role":"user","parts":[{{"text":"\uDE00a{HALF}"}}]}}]}}"#),
            "/contents/0/parts/0/text",
        ),
        (
            format!(
                r#"{{"messages":[{{"role":"user","content":"x"}}],"implicit_context":"{HALF}"}}"#
            ),
            "/implicit_context",
        ),
        (
            format!(
                r#"{{"messages":[{{"role":"user","content":"x"}}],"dynamic_state":{{"a":"{HALF}"}}}}"#
            ),
            "/dynamic_state",
        ),
    ] {
        let answer = post(&server, "/compile", &body).await.text().await.unwrap();
        let compiled = Compiled::read(&answer);
        let repair = &compiled.report["repairs"][0];
        assert_eq!(
            (&repair["code"], &repair["pointer"]),
            (&json!("surrogate_replaced"), &json!(pointer))
        );
        assert!(compiled.text.contains('\u{fffd}') || compiled.text.contains(r"\ufFfD"), "{body}");
        assert!(!compiled.text.contains(r"\ud83d"), "{body}");
    }
}

/// Each text of the options that is not what was sent has its own repair.
#[tokio::test]
async fn half_a_pair_in_an_option_has_a_repair() {
    let server = TestServer::spawn().await;
    for (options, pointers) in [
        (
            format!(
                r#""target":"anthropic","model":"claude-sonnet-4-5","output":{{"prefill":"a{HALF}"}}"#
            ),
            vec!["/output/prefill"],
        ),
        (
            format!(r#""skill":{{"name":"s","instructions":"a{HALF}"}}"#),
            vec!["/skill/instructions"],
        ),
        (
            format!(
                r#""memory":{{"entries":[{{"key":"a","value":"x"}},{{"key":"b","value":"{HALF}"}}]}}"#
            ),
            vec!["/memory/entries/1/value"],
        ),
        (
            format!(r#""compression":{{"summary_instructions":"a{HALF}"}}"#),
            vec!["/compression/summary_instructions"],
        ),
        (
            format!(
                r#""dynamic_state":{{"a":"{HALF}"}},"implicit_context":"{HALF}","tools":[{{"name":"f","description":"a{HALF}","input_schema":{{"type":"object"}}}}]"#
            ),
            vec!["/dynamic_state", "/implicit_context", "/tools/0/description"],
        ),
    ] {
        let body = format!(r#"{{"messages":[{{"role":"user","content":"x"}}],{options}}}"#);
        let answer = post(&server, "/compile", &body).await.text().await.unwrap();
        let compiled = Compiled::read(&answer);
        let repairs = compiled.report["repairs"].as_array().unwrap();
        assert!(repairs.iter().all(|own| own["code"] == "surrogate_replaced"), "{repairs:?}");
        let mut found: Vec<_> =
            repairs.iter().map(|own| own["pointer"].as_str().unwrap()).collect();
        found.sort_unstable();
        assert_eq!(found, pointers, "{body}");
    }
}

#[tokio::test]
async fn whole_pairs_and_u_fffd_of_the_caller_need_no_repair() {
    let server = TestServer::spawn().await;
    let body = r#"{"messages":[{"role":"user","content":"\ud83d\ude00 \ufffd \\ud83d"}]}"#;
    let answer = post(&server, "/compile", body).await.text().await.unwrap();
    let compiled = Compiled::read(&answer);
    assert_eq!(compiled.said(0), "😀 \u{fffd} \\ud83d");
    assert!(compiled.codes("repairs").is_empty());
}

#[tokio::test]
async fn arguments_of_a_call_are_mended_inside_their_text() {
    let server = TestServer::spawn().await;
    let body = r#"{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":null,
        "tool_calls":[{"id":"c","type":"function","function":{"name":"f",
        "arguments":"{\"a\":\"x\\ud83d\"}"}}]},{"role":"tool","tool_call_id":"c","content":"r"}],
        "target":"anthropic"}"#;
    let answer = post(&server, "/compile", body).await.text().await.unwrap();
    let compiled = Compiled::read(&answer);
    assert_eq!(compiled.list()[1]["content"][0]["input"], json!({"a": "x\u{fffd}"}));
    assert_eq!(compiled.codes("repairs"), ["surrogate_replaced"]);
}

#[tokio::test]
async fn keys_and_what_only_a_provider_reads_stay_refused() {
    let server = TestServer::spawn().await;
    for (body, pointer) in [
        (
            format!(
                r#"{{"messages":[{{"role":"user","content":"x"}}],"dynamic_state":{{"{HALF}":1}}}}"#
            ),
            "/dynamic_state",
        ),
        (
            format!(
                r#"{{"input":[{{"role":"user","content":"x"}},{{"type":"web_search_call","id":"ws_1","action":{{"query":"{HALF}"}}}}]}}"#
            ),
            "/input/1",
        ),
        (
            format!(
                r#"{{"messages":[{{"role":"user","content":"x"}},{{"role":"assistant","content":[{{"type":"thinking","thinking":"{HALF}","signature":"s"}}]}}]}}"#
            ),
            "/messages/1/content/0",
        ),
    ] {
        let told = problem(post(&server, "/compile", &body).await, 422, "invalid_request").await;
        assert_eq!(pointers(&told), [pointer], "{body}");
    }
}

#[tokio::test]
async fn every_route_with_texts_takes_them() {
    let server = TestServer::spawn().await;
    ok(&server, "/tokens", &format!(r#"{{"text":"a{HALF}"}}"#)).await;
    ok(&server, "/compress", &format!(r#"{{"text":"a{HALF}"}}"#)).await;
    let list = format!(r#"{{"messages":[{{"role":"user","content":"a{HALF}"}}]}}"#);
    ok(&server, "/compress", &list).await;
    let gateway = ok(&server, "/v1/compress", &list).await;
    assert_eq!(gateway["compression_skipped"], Value::Null);
    ok(&server, "/tools/results", &format!(r#"{{"results":[{{"id":"c","content":"a{HALF}"}}]}}"#))
        .await;
    let turn = format!(r#"{{"append":[{{"role":"user","content":"a{HALF}"}}]}}"#);
    ok(&server, "/sessions/s/turns", &turn).await;
    // What is stored is read again.
    let next =
        ok(&server, "/sessions/s/turns", r#"{"append":[{"role":"user","content":"b"}]}"#).await;
    assert_eq!(next["report"]["repairs"][0]["code"], "surrogate_replaced");
    ok(&server, "/artifacts", &format!(r#"{{"text":"a{HALF}"}}"#)).await;
    let entry = server.build_json("PUT", "/memory/k").body(format!(r#"{{"value":"a{HALF}"}}"#));
    assert!(entry.send().await.unwrap().status().is_success());
    assert_eq!(server.get_json("/memory/k").await["value"], "a\u{fffd}");
}
