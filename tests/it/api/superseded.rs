//! Results that a later result of the same call replaces leave first.

use serde_json::{Value, json};

use crate::support::compile::{compile_in, read, services, user};

/// A text of about 700 tokens with nothing that a notation could shorten.
fn text(name: &str) -> String {
    let words = (0_u64..300).map(|at| {
        let number = at.wrapping_add(name.len() as u64).wrapping_mul(2_654_435_761) % 99_991;
        format!("{name}{number}{}", if at % 9 == 8 { "\n" } else { " " })
    });
    words.collect()
}

fn turn(id: &str, path: &str, content: &str) -> [Value; 2] {
    let arguments = json!({"path": path}).to_string();
    [
        json!({"role": "assistant", "content": null, "tool_calls": [
            {"id": id, "type": "function", "function": {"name": "read", "arguments": arguments}}]}),
        json!({"role": "tool", "tool_call_id": id, "content": content}),
    ]
}

#[test]
fn a_file_that_was_read_again_is_cleared_before_an_older_one_that_was_not() {
    let services = services();
    let mut messages = vec![user("Mend it.")];
    messages.extend(turn("once", "b.txt", &text("once")));
    let stale = ["first", "second", "third"];
    for name in stale {
        messages.extend(turn(name, "a.txt", &text(name)));
    }
    messages.extend(turn("now", "a.txt", &text("now")));
    messages.extend(turn("end", "c.txt", "done"));
    let (mut some, mut all) = (0, 0);
    for window in (1_500..12_000).step_by(250) {
        let body = json!({
            "target": "openai", "messages": messages, "budget": {"context_window": window},
            "compression": {"level": "reversible", "notations": "none", "keep_recent_turns": 1,
                "clear": {"keep": 1}},
        });
        let Ok(compiled) = compile_in(&services, &body) else { continue };
        let shown = |id: &str| {
            let own = compiled.list().iter().find(|message| message["tool_call_id"] == id);
            read(own.expect("a result"))
        };
        let is_cleared = |id: &&&str| shown(id).starts_with("[Old tool result content cleared");
        let cleared = stale.iter().filter(is_cleared).count();
        // What nothing replaces is not even shortened before. It may be at a point at which nothing was
        // replaced yet, or only some.
        let is_whole = shown("once") == text("once");
        assert!(is_whole || cleared > 0, "{window}");
        some += usize::from(is_whole && cleared > 0);
        all += usize::from(!is_whole);
    }
    assert!(some > 0 && all > 0, "{some} {all}");
}
