//! `report.cache.first_change`: the place and the cause, by payload, by id and by session.

use serde_json::{Value, json};

use crate::support::TestServer;
use crate::support::compile::{Compiled, assistant, calling, result, system, user, words};

/// Compiles one request after the other and gives what the second says of the first. All three
/// ways to name the payload before must agree.
async fn follow(before: &Value, now: &Value) -> (Compiled, Value) {
    let server = TestServer::spawn().await;
    let first = server.compile(before).await;
    assert_eq!(first.report["cache"]["first_change"], Value::Null);
    let by = |previous: Value| {
        let mut body = now.clone();
        body["cache"] = json!({"previous": previous, "ttl": "off"});
        body
    };
    let answer = server.compile(&by(first.payload.clone())).await;
    let change = answer.report["cache"]["first_change"].clone();
    let by_id = server.compile(&by(json!(first.id))).await;
    assert_eq!(by_id.report["cache"]["first_change"], change, "by id");
    let in_session = |body: &Value| {
        let mut body = body.clone();
        body["session_id"] = json!("s-1");
        body
    };
    server.compile(&in_session(before)).await;
    let by_session = server.compile(&in_session(now)).await;
    let change_in_session = &by_session.report["cache"]["first_change"];
    // With memory, the instruction of a session is another text, so its size differs.
    for part in ["pointer", "why"] {
        assert_eq!(change_in_session[part], change[part], "by session");
    }
    if before.get("memory").is_none() {
        assert_eq!(*change_in_session, change, "by session");
    }
    if let Some(pointer) = change["pointer"].as_str() {
        assert!(answer.payload.pointer(pointer).is_some(), "{pointer} leads nowhere");
    }
    (answer, change)
}

/// The cause and the place.
async fn cause(before: &Value, now: &Value) -> (String, String) {
    let (_, change) = follow(before, now).await;
    let text = |key: &str| change[key].as_str().unwrap_or("none").to_owned();
    (text("why"), text("pointer"))
}

fn found(why: &str, pointer: &str) -> (String, String) {
    (why.to_owned(), pointer.to_owned())
}

fn chat() -> Vec<Value> {
    vec![system("Be brief."), user("first"), assistant("one"), user("second"), assistant("two")]
}

fn request(messages: &[Value]) -> Value {
    json!({"messages": messages, "target": "openai", "model": "bytes4"})
}

fn with(mut body: Value, key: &str, value: Value) -> Value {
    body[key] = value;
    body
}

fn to(target: &str, body: &Value) -> Value {
    with(body.clone(), "target", json!(target))
}

fn tool(name: &str) -> Value {
    json!({"type": "function", "function": {"name": name, "parameters": {"type": "object"}}})
}

const TARGETS: [&str; 5] = ["openai", "openai_responses", "anthropic", "gemini", "neutral"];

#[tokio::test]
async fn growth_is_no_change() {
    let before = request(&chat());
    let mut messages = chat();
    messages.extend([user("third"), calling("", &[("c", "f")]), result("c", "r")]);
    let now = request(&messages);
    for target in TARGETS {
        let (_, change) = follow(&to(target, &before), &to(target, &now)).await;
        assert_eq!(change, Value::Null, "{target}");
    }
}

#[tokio::test]
async fn growth_inside_the_last_message_is_no_change() {
    // Two user messages in a row are one there.
    let before = request(&[user("a"), assistant("b"), user("c")]);
    let now = request(&[user("a"), assistant("b"), user("c"), user("d")]);
    for target in ["anthropic", "gemini"] {
        let (_, change) = follow(&to(target, &before), &to(target, &now)).await;
        assert_eq!(change, Value::Null, "{target}");
    }
}

#[tokio::test]
async fn an_added_tool_changes_everything() {
    let before = with(request(&chat()), "tools", json!([tool("a")]));
    let now = with(request(&chat()), "tools", json!([tool("a"), tool("b")]));
    let (answer, change) = follow(&before, &now).await;
    assert_eq!(change["why"], "tools_changed");
    assert_eq!(change["pointer"], "/tools/1");
    let behind = change["tokens_behind"].as_u64().expect("a number");
    assert!(behind > 0 && behind < answer.number("tokens_after"), "{change}");
    let (now, before) = (to("gemini", &now), to("gemini", &before));
    let place = "/tools/0/functionDeclarations/1";
    assert_eq!(cause(&before, &now).await, found("tools_changed", place));
}

#[tokio::test]
async fn a_removed_tool_points_at_what_is_left() {
    let before = with(request(&chat()), "tools", json!([tool("a"), tool("b")]));
    let now = with(request(&chat()), "tools", json!([tool("a")]));
    assert_eq!(cause(&before, &now).await, found("tools_changed", "/tools"));
    assert_eq!(cause(&before, &request(&chat())).await, found("tools_changed", ""));
}

#[tokio::test]
async fn tools_in_another_order_are_told_from_other_tools() {
    let before = with(request(&chat()), "tools", json!([tool("a"), tool("b"), tool("c")]));
    let now = with(request(&chat()), "tools", json!([tool("a"), tool("c"), tool("b")]));
    assert_eq!(cause(&before, &now).await, found("tools_reordered", "/tools/1"));
    let place = "/tools/0/functionDeclarations/1";
    let (before, now) = (to("gemini", &before), to("gemini", &now));
    assert_eq!(cause(&before, &now).await, found("tools_reordered", place));
}

#[tokio::test]
async fn an_edited_system_text_is_named_wherever_it_stands() {
    let before = request(&chat());
    let mut messages = chat();
    messages[0] = system("Be very brief.");
    let now = request(&messages);
    let places = ["/messages/0", "/instructions", "/system/0", "/systemInstruction/parts/0"];
    for (target, place) in TARGETS.iter().zip(places) {
        let found_here = cause(&to(target, &before), &to(target, &now)).await;
        assert_eq!(found_here, found("system_changed", place), "{target}");
    }
    // Memory in the same field does not take the blame.
    let memory = json!({"entries": [{"key": "k", "value": "v"}], "placement": "system"});
    let (before, now) = (with(before, "memory", memory.clone()), with(now, "memory", memory));
    for (target, place) in TARGETS.iter().zip(places) {
        let found_here = cause(&to(target, &before), &to(target, &now)).await;
        assert_eq!(found_here, found("system_changed", place), "{target}");
    }
}

#[tokio::test]
async fn a_system_text_of_which_the_end_differs_is_named_with_the_place_to_split() {
    let rules = format!("{}.\n\n", words("rule", 200));
    let of = |who: &str| {
        let mut messages = chat();
        messages[0] = system(&format!("{rules}You help {who}.\nBe brief."));
        request(&messages)
    };
    let texts = [
        "/messages/0/content",
        "/instructions",
        "/system/0/text",
        "/systemInstruction/parts/0/text",
        "/messages/0/parts/0/text",
    ];
    for (target, text) in TARGETS.iter().zip(texts) {
        let (answer, change) = follow(&to(target, &of("Ann")), &to(target, &of("Bo"))).await;
        assert_eq!(change["why"], "system_changed", "{target}");
        let split = &change["split"];
        assert_eq!(split["pointer"], text, "{target}: {split}");
        let characters = usize::try_from(split["characters"].as_u64().unwrap()).unwrap();
        assert_eq!(characters, rules.chars().count(), "{target}");
        let whole = answer.payload.pointer(text).and_then(Value::as_str).unwrap();
        assert!(whole[characters..].starts_with("You help Bo"), "{target}: {whole}");
        let (tokens, behind) = (&split["tokens"], &change["tokens_behind"]);
        let (tokens, behind) = (tokens.as_u64().unwrap(), behind.as_u64().unwrap());
        assert!(tokens >= 200 && tokens < behind, "{target}: {tokens} of {behind}");
    }
    // Two texts of which the second differs need no split.
    let apart = |who: &str| {
        let mut messages = chat();
        messages.insert(1, system(who));
        request(&messages)
    };
    let (_, change) = follow(&apart("Ann"), &apart("Bo")).await;
    assert_eq!((&change["why"], change.get("split")), (&json!("system_changed"), None));
}

#[tokio::test]
async fn another_skill_is_no_edited_system_text() {
    let skill = |text: &str| json!({"name": "s", "instructions": text});
    let before = with(request(&chat()), "skill", skill("Review like a lawyer."));
    let now = with(request(&chat()), "skill", skill("Review like a poet."));
    let places = ["/messages/1", "/instructions", "/system/1", "/systemInstruction/parts/1"];
    for (target, place) in TARGETS.iter().zip(places) {
        let found_here = cause(&to(target, &before), &to(target, &now)).await;
        assert_eq!(found_here, found("skill_changed", place), "{target}");
        // A skill where there was none.
        let bare = to(target, &request(&chat()));
        let found_here = cause(&bare, &to(target, &now)).await;
        assert_eq!(found_here, found("skill_changed", place), "{target}");
    }
}

#[tokio::test]
async fn changed_memory_is_named_where_it_was_placed() {
    let memory = |value: &str, placement: &str| json!({"entries": [{"key": "lang", "value": value}], "placement": placement});
    let ask =
        |value: &str, placement: &str| with(request(&chat()), "memory", memory(value, placement));
    let (before, now) = (ask("TypeScript", "system"), ask("Python", "system"));
    let places = ["/messages/1", "/instructions", "/system/1", "/systemInstruction/parts/1"];
    for (target, place) in TARGETS.iter().zip(places) {
        let found_here = cause(&to(target, &before), &to(target, &now)).await;
        assert_eq!(found_here, found("memory_changed", place), "{target}");
    }
    let (before, now) = (ask("TypeScript", "last_user"), ask("Python", "last_user"));
    assert_eq!(cause(&before, &now).await, found("memory_changed", "/messages/4"));
}

#[tokio::test]
async fn changed_state_is_named_where_it_stands() {
    let ask = |state: Value| with(request(&chat()), "dynamic_state", state);
    let (before, now) = (ask(json!({"step": 1})), ask(json!({"step": 2})));
    let places = ["/messages/3", "/input/2", "/messages/2", "/contents/2"];
    for (target, place) in TARGETS.iter().zip(places) {
        let found_here = cause(&to(target, &before), &to(target, &now)).await;
        assert_eq!(found_here, found("state_changed", place), "{target}");
    }
    assert_eq!(cause(&request(&chat()), &now).await, found("state_changed", "/messages/3"));
    assert_eq!(cause(&now, &request(&chat())).await, found("state_changed", "/messages/3"));
    let context = with(request(&chat()), "implicit_context", json!("found in the wiki"));
    let other = with(request(&chat()), "implicit_context", json!("found in the code"));
    assert_eq!(cause(&context, &other).await, found("state_changed", "/messages/3"));
    let in_system = |body: &Value| with(body.clone(), "dynamic_state_placement", json!("system"));
    let (before, now) = (in_system(&before), in_system(&now));
    assert_eq!(cause(&before, &now).await, found("state_changed", "/messages/5"));
    let (before, now) = (to("anthropic", &before), to("anthropic", &now));
    assert_eq!(cause(&before, &now).await, found("state_changed", "/system/1"));
}

#[tokio::test]
async fn a_tail_that_moves_on_is_no_edit() {
    let state = |messages: &[Value], step: u64| {
        with(request(messages), "dynamic_state", json!({"step": step}))
    };
    let mut grown = chat();
    grown.extend([user("third")]);
    let (before, now) = (state(&chat(), 1), state(&grown, 2));
    let places = ["/messages/3", "/input/2", "/messages/2", "/contents/2"];
    for (target, place) in TARGETS.iter().zip(places) {
        let found_here = cause(&to(target, &before), &to(target, &now)).await;
        assert_eq!(found_here, found("tail_moved", place), "{target}");
    }
    // The same for what stands behind the history: the output block and the prefill.
    let tag = |messages: &[Value]| with(request(messages), "output", json!({"tag": "t"}));
    assert_eq!(cause(&tag(&chat()), &tag(&grown)).await, found("tail_moved", "/messages/5"));
    let prefill = |messages: &[Value]| {
        to("neutral", &with(request(messages), "output", json!({"prefill": "{"})))
    };
    let found_here = cause(&prefill(&chat()), &prefill(&grown)).await;
    assert_eq!(found_here, found("tail_moved", "/messages/5"));
}

/// Turns of 400 tokens each.
fn long(turns: usize) -> Vec<Value> {
    let turn = |at| {
        let text = words(&format!("m{at}"), 400);
        if at % 2 == 0 { user(&text) } else { assistant(&text) }
    };
    (0..turns).map(turn).collect()
}

#[tokio::test]
async fn a_compaction_point_is_told_from_an_edit() {
    let ask = |turns| with(request(&long(turns)), "budget", json!({"context_window": 4000}));
    for target in TARGETS {
        let (before, now) = (to(target, &ask(10)), to(target, &ask(11)));
        let (answer, change) = follow(&before, &now).await;
        assert_eq!(change["why"], "compaction", "{target}");
        assert!(answer.text.contains("history_summary"));
        let place = change["pointer"].as_str().expect("a pointer");
        assert!(place.ends_with("/0"), "{target}: {place}");
    }
}

#[tokio::test]
async fn cleared_results_are_a_compaction_too() {
    let ask = |calls: usize| {
        let mut messages = vec![user("go")];
        for at in 0..calls {
            let id = format!("c{at}");
            messages.push(calling("", &[(&id, "f")]));
            messages.push(result(&id, &words(&format!("r{at}"), 600)));
        }
        let body = with(request(&messages), "budget", json!({"context_window": 4000}));
        with(body, "compression", json!({"compress_to": 0.8}))
    };
    let (before, now) = (ask(6), ask(7));
    assert_eq!(cause(&before, &now).await, found("compaction", "/messages/2"));
    let (before, now) = (to("anthropic", &before), to("anthropic", &now));
    assert_eq!(cause(&before, &now).await, found("compaction", "/messages/2"));
}

#[tokio::test]
async fn a_squeeze_is_told_from_a_compaction() {
    // The state takes more than the room that is kept for it; no point has been passed.
    let ask = |state: &str| {
        let body = with(request(&long(7)), "budget", json!({"context_window": 4000}));
        with(body, "dynamic_state", json!({"notes": state}))
    };
    let (before, now) = (ask("short"), ask(&words("long", 2000)));
    for target in TARGETS {
        let (before, now) = (to(target, &before), to(target, &now));
        let (answer, change) = follow(&before, &now).await;
        assert_eq!(change["why"], "squeeze", "{target}");
        assert_eq!(answer.report["fits"], true);
        // And back again: what was squeezed for itself alone stands whole.
        assert_eq!(cause(&now, &before).await.0, "squeeze", "{target}");
    }
}

#[tokio::test]
async fn an_inserted_message_is_named() {
    let mut messages = chat();
    messages.insert(3, user("inserted"));
    let now = request(&messages);
    assert_eq!(cause(&request(&chat()), &now).await, found("message_inserted", "/messages/3"));
    messages[3] = system("inserted");
    let now = request(&messages);
    assert_eq!(cause(&request(&chat()), &now).await, found("message_inserted", "/messages/3"));
}

#[tokio::test]
async fn a_removed_message_is_named() {
    let mut messages = chat();
    messages.remove(2);
    let now = request(&messages);
    assert_eq!(cause(&request(&chat()), &now).await, found("message_removed", "/messages/2"));
    // What is gone from the end alone costs nothing.
    messages = chat();
    messages.pop();
    let (_, change) = follow(&request(&chat()), &request(&messages)).await;
    assert_eq!(change, Value::Null);
}

#[tokio::test]
async fn an_edited_message_is_named() {
    let mut messages = chat();
    messages[2] = assistant("another one");
    let (before, now) = (request(&chat()), request(&messages));
    let places = ["/messages/2", "/input/1", "/messages/1", "/contents/1"];
    for (target, place) in TARGETS.iter().zip(places) {
        let found_here = cause(&to(target, &before), &to(target, &now)).await;
        assert_eq!(found_here, found("message_edited", place), "{target}");
    }
}

#[tokio::test]
async fn a_changed_output_block_or_prefill_is_named() {
    let ask = |output: Value| with(request(&chat()), "output", output);
    let (before, now) = (ask(json!({"tag": "a"})), ask(json!({"tag": "b"})));
    assert_eq!(cause(&before, &now).await, found("output_changed", "/messages/5"));
    let (hoisted, other) = (to("anthropic", &before), to("anthropic", &now));
    assert_eq!(cause(&hoisted, &other).await, found("output_changed", "/system/1"));
    let (before, now) = (ask(json!({"prefill": "a"})), ask(json!({"prefill": "b"})));
    assert_eq!(cause(&before, &now).await, found("output_changed", "/messages/3"));
    let (before, now) = (to("neutral", &before), to("neutral", &now));
    assert_eq!(cause(&before, &now).await, found("output_changed", "/messages/5"));
}

#[tokio::test]
async fn another_target_is_another_payload() {
    let body = request(&chat());
    for (before, now) in [
        ("openai", "anthropic"),
        ("anthropic", "openai"),
        ("openai", "neutral"),
        ("neutral", "anthropic"),
        ("gemini", "openai"),
        ("anthropic", "openai_responses"),
    ] {
        let found_here = cause(&to(before, &body), &to(now, &body)).await;
        assert_eq!(found_here, found("target_changed", ""), "{before} → {now}");
    }
    // Without system text, tools or media too.
    let bare = request(&[user("a"), assistant("b"), user("c")]);
    let (before, now) = (to("openai", &bare), to("anthropic", &bare));
    assert_eq!(cause(&before, &now).await, found("target_changed", ""));
}

#[tokio::test]
async fn cache_marks_are_no_content() {
    let server = TestServer::spawn().await;
    let body = to("anthropic", &request(&chat()));
    let first = server.compile(&body).await;
    let marked = with(body, "cache", json!({"previous": first.payload, "ttl": "1h"}));
    let answer = server.compile(&marked).await;
    assert!(answer.text.contains("cache_control"));
    assert_eq!(answer.report["cache"]["first_change"], Value::Null);
}

#[tokio::test]
async fn an_unknown_answer_is_a_warning() {
    let server = TestServer::spawn().await;
    let body = with(request(&chat()), "cache", json!({"previous": "cmp_unknown"}));
    let answer = server.compile(&body).await;
    assert_eq!(answer.codes("warnings"), ["previous_unknown"]);
    assert_eq!(answer.report["cache"]["first_change"], Value::Null);
}

#[tokio::test]
async fn what_is_not_recorded_is_not_remembered() {
    let server = TestServer::spawn().await;
    let messages = json!([{"role": "user", "content": "u"}]);
    let request = json!({"messages": messages, "record": "none", "session_id": "s"});
    let id = server.compile(&request).await.id;
    let mut next = json!({"messages": messages, "cache": {"previous": id}});
    assert_eq!(server.compile(&next).await.codes("warnings"), ["previous_unknown"]);
    next = json!({"messages": [{"role": "user", "content": "other"}], "session_id": "s"});
    assert!(server.compile(&next).await.report["cache"]["first_change"].is_null());
}
