//! Long texts of the user and the model, and long arguments, that would leave most of a budget unused if
//! they went whole.

use serde_json::{Value, json};

use crate::support::compile::{
    Compiled, assistant, calling_with, compile_in, result, services, user, words,
};

/// Compiles at a budget without a reserve for the answer.
fn compiled(messages: &Value, window: u64) -> Compiled {
    let request = json!({"target": "openai", "model": "gpt-4o", "messages": messages,
        "budget": {"context_window": window, "reserve_output": 0}});
    compile_in(&services(), &request).unwrap()
}

/// Lines of which each says something else.
fn prose(tokens: usize) -> String {
    let line = |at: usize| {
        format!("In section_{at} the value_{} of {} is {}.\n", at * 31, words("w", 6), at * 977)
    };
    let mut text = String::new();
    let mut at = 0;
    while text.len() < tokens * 4 {
        text.push_str(&line(at));
        at += 1;
    }
    text
}

fn questions(range: std::ops::Range<usize>) -> impl Iterator<Item = Value> {
    range.flat_map(|at| [user(&format!("question {at}?")), assistant(&format!("answer {at}."))])
}

fn with_questions(long: Vec<Value>) -> Value {
    let mut list: Vec<Value> = questions(0..1).collect();
    list.extend(long);
    list.extend(questions(1..7));
    list.push(user("and now?"));
    json!(list)
}

#[test]
fn long_texts_of_everybody_fill_the_room_that_they_are_left() {
    let paste = prose(18_000);
    let arguments = json!({"path": "src/a.rs", "content": paste}).to_string();
    for (name, long) in [
        ("user", vec![user(&format!("{paste}\nWhat does it say?")), assistant("Much.")]),
        ("assistant", vec![user("Say much."), assistant(&paste)]),
        (
            "arguments",
            vec![
                user("Write it."),
                calling_with("", &[("w", "write_file", &arguments)]),
                result("w", "OK"),
            ],
        ),
    ] {
        for window in [4_000, 8_000, 15_000] {
            let done = compiled(&with_questions(long.clone()), window);
            let target = window * 6 / 10;
            let used = done.number("tokens_after");
            assert!(
                done.report["fits"] == true && used * 100 >= target * 75,
                "{name} {window}: {used}"
            );
            assert!(
                done.text.contains("value_0 of") || done.text.contains("section_"),
                "{name} {window}"
            );
            assert!(done.text.contains("question 6?"), "{name} {window}");
        }
    }
}

#[test]
fn the_newest_call_stays_with_its_result() {
    let content = prose(30_000);
    let arguments = json!({"path": "a.rs", "content": content}).to_string();
    let list = json!([
        user("FACT-A"),
        calling_with("", &[("w1", "write_file", &arguments)]),
        result("w1", "RESULT-OK")
    ]);
    for window in [2_000, 8_000] {
        let done = compiled(&list, window);
        let call = &done.list()[1]["tool_calls"][0]["function"];
        assert_eq!(call["name"], "write_file", "{window}: {}", done.text);
        let shown: Value = serde_json::from_str(call["arguments"].as_str().unwrap()).unwrap();
        assert_eq!(shown["path"], "a.rs", "{window}");
        assert!(shown["content"].as_str().unwrap().contains("[…"), "{window}");
        assert!(done.text.contains("RESULT-OK") && done.text.contains("FACT-A"), "{window}");
        assert!(done.number("tokens_after") * 100 >= window * 50, "{window}: {}", done.report);
    }
}

#[test]
fn what_is_short_is_never_cut() {
    let mut list: Vec<Value> = Vec::new();
    for at in 0..30 {
        list.push(user(&format!("{at}: {}", words("w", 250))));
        list.push(assistant("Yes."));
    }
    list.push(user("and now?"));
    for window in [1_000, 2_000, 4_000] {
        let done = compiled(&json!(list), window);
        assert!(!done.text.contains("lines]"), "{window}: {}", done.text);
    }
}
