//! `POST /expand` of a text: its notations, and originals that the caller kept.

use serde_json::{Value, json};

use crate::support::TestServer;

fn rows() -> String {
    let rows: Vec<Value> =
        (0..40).map(|at| json!({"id": at, "name": format!("n{at}"), "ready": at > 7})).collect();
    Value::from(rows).to_string()
}

#[tokio::test]
async fn a_text_decodes_on_a_server_that_never_saw_it() {
    let request = json!({"text": rows(), "originals": "none"});
    let (_, shown) = TestServer::spawn().await.post_any("/compress", &request).await;
    let shown = &shown["text"];
    assert!(shown.as_str().unwrap().len() < rows().len() / 2, "{shown}");
    let other = TestServer::spawn().await;
    let (status, back) = other.post_any("/expand", &json!({"text": shown})).await;
    assert_eq!((status, &back["text"]), (200, &json!(rows())));
    assert_eq!((&back["expanded"], &back["identical"]), (&json!(1), &json!(false)));
}

#[tokio::test]
async fn kept_originals_bring_back_the_bytes() {
    let text = format!("\u{1b}[1mdone\u{1b}[0m  \r\n{}\n", "a line of words  \n".repeat(9));
    let server = TestServer::spawn().await;
    let request = json!({"text": text, "originals": "return"});
    let (_, answer) = server.post_any("/compress", &request).await;
    let alone = json!({"text": answer["text"]});
    let with = json!({"text": answer["text"], "originals": answer["originals"]});
    let other = TestServer::spawn().await;
    assert_ne!(other.post_any("/expand", &alone).await.1["text"], json!(text));
    assert_eq!(other.post_any("/expand", &with).await.1["text"], json!(text));
}

/// Lines of a build, of which most go at level `reversible`.
fn build() -> String {
    let line = |at: usize| format!("   Compiling part_{at} v0.{}.{at}\n", at % 7);
    (0..200).map(line).collect::<String>() + "error: part_7 does not build\n"
}

#[tokio::test]
async fn what_was_left_out_of_a_text_comes_back() {
    let text = build();
    for kept in ["store", "return", "none"] {
        let server = TestServer::spawn().await;
        let request = json!({"text": text, "level": "reversible", "originals": kept});
        let (_, answer) = server.post_any("/compress", &request).await;
        // Without originals nothing is left out.
        let most = if kept == "none" { text.len() } else { text.len() / 2 };
        assert!(answer["text"].as_str().unwrap().len() < most, "{answer}");
        let mut request = json!({"text": answer["text"]});
        if kept == "return" {
            let (_, without) = server.post_any("/expand", &request).await;
            let id = answer["originals"].as_object().unwrap().keys().next();
            assert_eq!(without["missing"], json!([{"index": 0, "id": id}]));
            request["originals"] = answer["originals"].clone();
        }
        let (_, back) = server.post_any("/expand", &request).await;
        assert!(back["text"] == json!(text) && back["identical"] == true, "{kept}: {back}");
        // Another server knows nothing of it: the originals that were returned are enough, and
        // without them it says that something is missing.
        let (_, other) = TestServer::spawn().await.post_any("/expand", &request).await;
        if kept == "return" {
            assert!(other["text"] == json!(text) && other["identical"] == true, "{other}");
        } else {
            assert_eq!(other["identical"], false);
            let missing = if kept == "store" { json!([{"index": 0}]) } else { json!([]) };
            assert_eq!(other["missing"], missing, "{kept}");
        }
    }
}

#[tokio::test]
async fn a_text_that_two_were_shown_as_is_taken_for_neither() {
    let server = TestServer::spawn().await;
    let texts = [build(), build().replace("part_90 v0.6.90", "part_90 v0.6.91")];
    let mut shown = Vec::new();
    for text in &texts {
        let request = json!({"text": text, "level": "reversible"});
        shown.push(server.post_any("/compress", &request).await.1["text"].clone());
    }
    assert_eq!(shown[0], shown[1]);
    let (_, back) = server.post_any("/expand", &json!({"text": shown[0]})).await;
    assert_eq!((&back["missing"], &back["identical"]), (&json!([{"index": 0}]), &json!(false)));
}

#[tokio::test]
async fn a_text_that_needs_nothing_or_cannot_be_followed_stands() {
    let server = TestServer::spawn().await;
    let (_, plain) = server.post_any("/expand", &json!({"text": "as it is"})).await;
    assert_eq!(
        plain,
        json!({"text": "as it is", "expanded": 0, "unchanged": 1, "missing": [],
        "edited": [], "identical": true})
    );
    let (_, lost) = server.post_any("/expand", &json!({"text": "§= result 7\n"})).await;
    assert_eq!(
        (&lost["text"], &lost["missing"]),
        (&json!("§= result 7\n"), &json!([{"index": 0}]))
    );
    assert_eq!(lost["identical"], false);
}

#[tokio::test]
async fn a_text_and_messages_are_not_taken_together() {
    let server = TestServer::spawn().await;
    for body in [json!({"text": "a", "messages": []}), json!({"text": 5}), json!({})] {
        assert_eq!(server.post_any("/expand", &body).await.0, 422, "{body}");
    }
}

#[tokio::test]
async fn a_text_that_is_only_marked_is_reported_as_kept() {
    let server = TestServer::spawn().await;
    let text = "§= result 1\nsays a log, and means nothing by it";
    let request = json!({"text": text, "explain": "full"});
    let (_, answer) = server.post_any("/compress", &request).await;
    assert_ne!(answer["text"], text);
    let report = &answer["report"];
    assert_eq!(report["decisions"][0]["rule"], "escape");
    assert_eq!(
        (&report["actions"]["kept"], &report["actions"]["compressed"]),
        (&json!(1), &json!(0))
    );
    let (_, back) =
        TestServer::spawn().await.post_any("/expand", &json!({"text": answer["text"]})).await;
    assert_eq!(back["text"], text);
}

/// A conversation with one result, cleared to one line.
async fn cleared(server: &TestServer, result: &str) -> Value {
    let call = json!({"id": "c1", "type": "function",
        "function": {"name": "run", "arguments": "{}"}});
    let mut messages = json!([{"role": "user", "content": "Run it"},
        {"role": "assistant", "content": null, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": result}]);
    for at in 0..8 {
        let (said, done) = (format!("Step {at}"), format!("Done {at}"));
        messages.as_array_mut().unwrap().extend([
            json!({"role": "user", "content": said}),
            json!({"role": "assistant", "content": done}),
        ]);
    }
    let body = json!({"messages": messages, "level": "reversible", "clear": {"keep": 0}});
    let (status, answer) = server.post_any("/compress", &body).await;
    assert_eq!(status, 200, "{answer}");
    answer
}

#[tokio::test]
async fn what_two_originals_were_shown_as_is_taken_for_neither() {
    let server = TestServer::spawn().await;
    let lines = |by: usize| {
        let lines: Vec<String> =
            (0..60).map(|at| format!("step {at} took {} ms", at * by)).collect();
        lines.join("\n")
    };
    let (one, two) = (lines(7), lines(9));
    let first = cleared(&server, &one).await;
    let list = json!({"messages": first["messages"]});
    let (_, back) = server.post_any("/expand", &list).await;
    assert_eq!(back["messages"][2]["content"], json!(one));
    let second = cleared(&server, &two).await;
    assert_eq!(first["messages"], second["messages"]);
    for _ in 0..2 {
        let (_, back) = server.post_any("/expand", &list).await;
        assert_eq!((&back["identical"], &back["missing"]), (&json!(false), &json!([{"index": 2}])));
        assert_eq!(back["messages"][2]["content"], list["messages"][2]["content"]);
        for (answer, text) in [(&first, &one), (&second, &two)] {
            let (_, whole) = server.post_any("/expand", &json!({"id": answer["id"]})).await;
            assert_eq!(whole["messages"][2]["content"], json!(text));
        }
        cleared(&server, &one).await;
    }
}

/// A text of some lines, and the same with colours.
fn plain_and_coloured() -> (String, String) {
    let lines = |start: &str, end: &str| {
        format!(
            "{start}warning{end}: the linker was not found on this host\n\
             checking for a C compiler that works ... {start}yes{end}\n\
             {start}error{end}: no rule to make the target named install\n"
        )
    };
    (lines("", ""), lines("\u{1b}[33m", "\u{1b}[0m"))
}

/// A list and a list that reads the same without the colours of its result, in either order.
#[tokio::test]
async fn a_list_that_reads_like_another_s_short_form_is_taken_for_neither() {
    let conversation = |result: &str| {
        let call = json!({"id": "c1", "type": "function",
            "function": {"name": "make", "arguments": "{}"}});
        json!([{"role": "user", "content": "Build it"},
            {"role": "assistant", "content": null, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": result}])
    };
    let (plain, coloured) = plain_and_coloured();
    for order in [[&plain, &coloured], [&coloured, &plain]] {
        let server = TestServer::spawn().await;
        let mut answers = Vec::new();
        for result in order {
            let body = json!({"messages": conversation(result)});
            answers.push(server.post_json("/compress", 200, &body).await);
        }
        assert_eq!(answers[0]["messages"], answers[1]["messages"]);
        let list = json!({"messages": answers[0]["messages"]});
        let (_, back) = server.post_any("/expand", &list).await;
        assert_eq!(
            (&back["missing"], &back["identical"]),
            (&json!([{"index": 2}]), &json!(false)),
            "{back}"
        );
        for (answer, result) in answers.iter().zip(order) {
            let (_, back) = server.post_any("/expand", &json!({"id": answer["id"]})).await;
            assert_eq!(back["messages"], conversation(result), "{back}");
            assert_eq!(back["identical"], true);
        }
    }
    // In a loop, the list goes on: the first originals come back.
    let server = TestServer::spawn().await;
    let body = json!({"messages": conversation(&coloured)});
    let mut list = server.post_json("/compress", 200, &body).await["messages"].take();
    list.as_array_mut().unwrap().push(json!({"role": "user", "content": "Again"}));
    let shown = server.post_json("/compress", 200, &json!({"messages": list})).await;
    let (_, back) = server.post_any("/expand", &json!({"messages": shown["messages"]})).await;
    assert_eq!(back["messages"][2]["content"], coloured);
    assert_eq!(back["identical"], true);
}

#[tokio::test]
async fn a_text_that_reads_like_another_s_short_form_is_taken_for_neither() {
    let (plain, coloured) = plain_and_coloured();
    for order in [[&plain, &coloured], [&coloured, &plain]] {
        let server = TestServer::spawn().await;
        for text in order {
            let answer = server.post_json("/compress", 200, &json!({"text": text})).await;
            assert_eq!(answer["text"], plain);
            let (_, back) = server.post_any("/expand", &json!({"id": answer["id"]})).await;
            assert_eq!(back["text"], *text);
        }
        let (_, back) = server.post_any("/expand", &json!({"text": plain})).await;
        assert_eq!((&back["missing"], &back["identical"]), (&json!([{"index": 0}]), &json!(false)));
    }
}

/// A message without an edit is an original of itself, whatever its text looks like.
#[tokio::test]
async fn a_message_that_was_shown_as_it_came_is_its_own_original() {
    let server = TestServer::spawn().await;
    let call = json!({"id": "c1", "type": "function",
        "function": {"name": "cat", "arguments": "{}"}});
    let messages = json!([{"role": "user", "content": "Show it"},
        {"role": "assistant", "content": null, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "first\n[… 6 lines]\nlast"}]);
    let shown = server.post_json("/compress", 200, &json!({"messages": messages})).await;
    assert_eq!(shown["messages"], messages);
    let (_, back) = server.post_any("/expand", &json!({"messages": messages})).await;
    assert_eq!((&back["missing"], &back["identical"]), (&json!([]), &json!(true)), "{back}");
    let (_, back) =
        TestServer::spawn().await.post_any("/expand", &json!({"messages": messages})).await;
    assert_eq!(back["identical"], false, "another server knows nothing of it");
}
