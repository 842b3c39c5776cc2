//! A long conversation under a pack: it lives on what the session's bucket has.

use serde_json::{Value, json};

use super::Run;
use super::evidence::verified;

fn history(turns: usize) -> Value {
    (0..turns)
        .map(|at| {
            let role = if at % 2 == 0 { "user" } else { "assistant" };
            let text = format!(
                "Step {at}: the replica of cluster c{at} in /var/lib/db/c{at}.conf was rebuilt. "
            );
            json!({"role": role, "content": text.repeat(4)})
        })
        .collect()
}

/// The texts of the blocks of a bucket.
fn texts(compiled: &Value, bucket: &str) -> Vec<Value> {
    let blocks = compiled["compiled_prompt"]["context_blocks"].as_array().unwrap();
    blocks.iter().filter(|own| own["bucket"] == bucket).cloned().collect()
}

#[tokio::test]
async fn a_summary_stays_within_the_bucket_of_the_session() {
    let mut run = Run::restore().await;
    run.body["evidence"] = json!([verified()]);
    run.context()["run_budget"] = json!({"bucket_tokens": 10_000});
    let without = run.compiled().await;
    run.body["messages"] = history(120);
    let answer = run.answer().await;
    let compiled = &answer["compiled_context"];
    for bucket in ["policy", "evidence", "tools"] {
        assert_eq!(texts(compiled, bucket), texts(&without, bucket), "{bucket}");
    }
    let report = &compiled["budget_report"];
    let of = |key: &str| report[key]["session"].as_u64().unwrap();
    assert_eq!(of("allocations"), 1000);
    assert!(of("used_at_compile") <= 1000);
    let session = texts(compiled, "session");
    let summary = session.iter().find(|own| own["kind"] == "summary").unwrap();
    assert!(summary["tokens"].as_u64().unwrap() <= 125, "{summary}");
    assert_eq!(summary["truncated"], false);
    let gone: Vec<&Value> = session.iter().filter(|own| own["truncated"] == true).collect();
    let omissions = compiled["budget_report"].to_string() + &compiled["manifests"].to_string();
    assert!(omissions.contains("\"summarized\""), "{omissions}");
    let said = summary["content"].as_str().unwrap();
    assert!(
        said.starts_with(&format!("The first {} messages of this conversation", gone.len())),
        "{said}"
    );
    // It stands before the turns that are left, and these are the newest.
    let sent = answer["payload"]["messages"].as_array().unwrap();
    assert!(sent[1].to_string().contains("summarised"), "{}", sent[1]);
    assert!(sent.last().unwrap().to_string().contains("Restore cluster c1"));
    assert!(answer["payload"].to_string().contains("Step 119:"));

    let path = format!("/compilations/{}/replay", answer["id"].as_str().unwrap());
    let again = run.server.post_ok(&path, &json!({})).await;
    assert_eq!(again["status"], "equal", "{again}");
}

#[tokio::test]
async fn the_report_is_of_the_conversation() {
    let mut run = Run::restore().await;
    run.context()["run_budget"] = json!({"bucket_tokens": 10_000});
    run.body["messages"] = history(120);
    run.body["explain"] = "full".into();
    let answer = run.answer().await;
    let report = &answer["report"];
    let bare = json!({"model": "bytes4", "target": "neutral", "messages": history(120)});
    let plain = run.server.post_json("/compile", 200, &bare).await;
    assert_eq!(report["tokens_before"], plain["report"]["tokens_before"]);
    let session = texts(&answer["compiled_context"], "session");
    let gone = session.iter().filter(|own| own["truncated"] == true).count();
    assert!(gone > 10, "{gone}");
    assert_eq!(report["actions"]["summarized"], gone);
    assert!(
        report["summary"].as_str().unwrap().contains(&format!("{gone} old messages summarized"))
    );
    let decisions = report["decisions"].as_array().unwrap();
    let indexes: Vec<u64> = decisions.iter().map(|own| own["index"].as_u64().unwrap()).collect();
    assert_eq!(indexes, (0..120).collect::<Vec<u64>>());
    let of_pack = decisions.iter().filter(|own| own["rule"] == "pack:session");
    assert_eq!(of_pack.clone().count(), gone);
    assert!(of_pack.clone().all(|own| own["action"] == "summarized" && own["tokens_after"] == 0));
}

#[tokio::test]
async fn turns_that_may_not_be_summarised_are_left_out() {
    let mut run = Run::restore().await;
    run.context()["run_budget"] = json!({"bucket_tokens": 10_000});
    run.body["messages"] = history(120);
    run.body["compression"] = json!({"level": "reversible"});
    let compiled = run.compiled().await;
    let session = texts(&compiled, "session");
    assert!(session.iter().all(|own| own["kind"] != "summary"));
    assert!(session.iter().any(|own| own["truncated"] == true));
}

#[tokio::test]
async fn the_same_words_once_more_are_a_task_once_more() {
    let mut run = Run::restore().await;
    *run.input("message") = "continue".into();
    let said = json!([{"role": "user", "content": "continue"},
        {"role": "assistant", "content": "Step 1 is done."}]);
    run.body["messages"] = said.clone();
    let sent = run.answer().await["payload"]["messages"].take();
    let last = sent.as_array().unwrap().last().unwrap().to_string();
    assert!(last.contains("continue") && !last.contains("Step 1"), "{sent}");
    // Where nothing but calls came of it, it is the task, and what came of it stays.
    let call = json!({"id": "c1", "type": "function",
        "function": {"name": "status", "arguments": "{}"}});
    run.body["messages"] = json!([{"role": "user", "content": "continue"},
        {"role": "assistant", "content": null, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "degraded"}]);
    let sent = run.answer().await["payload"]["messages"].take();
    let texts = sent.to_string();
    assert_eq!(texts.matches("continue").count(), 1, "{texts}");
    assert!(texts.find("continue") < texts.find("degraded"), "{texts}");
}

#[tokio::test]
async fn turns_beside_the_conversation_are_texts_of_two_speakers() {
    let mut run = Run::restore().await;
    for (turns, pointer) in [
        (json!([{"role": "tool", "content": "x"}]), "/0/role"),
        (json!([{"role": "user", "content": [{"type": "text", "text": "x"}]}]), "/0/content"),
        (json!("x"), ""),
    ] {
        run.body["pack"]["request"]["session"] = json!({"recent_turns": turns});
        let refused = run.refused(422, "invalid_request").await;
        let wanted = format!("/pack/request/session/recent_turns{pointer}");
        assert_eq!(refused["errors"][0]["pointer"], wanted);
    }
}
