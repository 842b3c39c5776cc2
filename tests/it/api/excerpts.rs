//! Results that are too long for their room: how much of them is shown, and what stays beside them.

use serde_json::{Value, json};

use crate::support::TestServer;
use crate::support::compile::{
    Compiled, assistant, calling, compile_in, result, services, system, user, with,
};

/// Numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.0 >> 33) % below
    }

    fn words(&mut self, count: u64) -> String {
        const WORDS: [&str; 12] = [
            "server", "request", "handler", "timeout", "cache", "index", "worker", "queue",
            "retry", "branch", "token", "value",
        ];
        let words = (0..count).map(|_| WORDS[usize::try_from(self.next(12)).unwrap()]);
        words.collect::<Vec<_>>().join(" ")
    }

    fn lines(&mut self, count: u64, mut line: impl FnMut(&mut Self, u64) -> String) -> String {
        (0..count).map(|at| line(self, at)).collect()
    }
}

/// Long texts of many kinds, of about 15,000 tokens each.
fn texts() -> Vec<(&'static str, String)> {
    let mut numbers = Numbers(7);
    let n = &mut numbers;
    let log = n.lines(800, |n, at| {
        let (minute, words, id) = (at / 60 % 60, n.words(7), n.next(90_000));
        format!("2026-01-02 10:{minute:02}:{:02} INFO {words} id={id}\n", at % 60)
    });
    let source = n.lines(450, |n, at| {
        let (first, words, other) = (n.next(99), n.words(6), n.next(400));
        format!("def f{at}(a, b={first}):\n    # {words}\n    return g{other}(a * {at} + b)\n\n")
    });
    let markdown = n.lines(450, |n, _| {
        format!("## {}\n\n{}, {}. {}.\n\n", n.words(4), n.words(7), n.words(6), n.words(8))
    });
    let csv = n.lines(1_200, |n, at| {
        format!("{at},{},{},{}\n", n.words(1), n.next(1_000_000), n.words(2))
    });
    let rows: Vec<Value> =
        (0..450).map(|at| json!({"id": at, "name": n.words(7), "v": n.next(99_999)})).collect();
    let html = n.lines(400, |n, at| {
        let (words, link, other) = (n.words(8), n.next(9_999), n.words(6));
        format!("<div id=\"d{at}\"><p>{words}</p><a href=\"/x/{link}\">{other}</a></div>\n")
    });
    // Errors of a third of a small room each.
    let failing = n.lines(800, |n, at| {
        let (minute, words, id) = (at / 60 % 60, n.words(9), n.next(90_000));
        let level = if at % 97 == 5 { "ERROR" } else { "INFO" };
        format!("2026-01-02 10:{minute:02}:{:02} {level} {words} id={id}\n", at % 60)
    });
    let line = n.words(14_000);
    vec![
        ("log with errors", failing),
        ("log", log),
        ("source", source),
        ("markdown", markdown),
        ("csv", format!("id,name,amount,city\n{csv}")),
        ("json", json!(rows).to_string()),
        ("html", format!("<html><body>\n{html}</body></html>\n")),
        ("one line", line),
    ]
}

/// Four small turns, then one with this result.
fn conversation(newest: &str, window: u64, level: &str) -> Value {
    let mut messages = vec![system("agent"), user("Find it.")];
    for at in 0..4 {
        let id = format!("o{at}");
        messages.push(calling("", &[(&id, "read")]));
        messages.push(result(&id, &format!("OLD-{at}")));
    }
    messages.push(calling("", &[("n", "read")]));
    messages.push(result("n", newest));
    json!({
        "target": "openai", "model": "gpt-4o", "budget": {"context_window": window},
        "messages": messages, "compression": {"level": level}, "explain": "full",
    })
}

fn share_of_target(compiled: &Compiled) -> u64 {
    let part = |name: &str| compiled.report["parts"][name].as_u64().unwrap();
    let target = (compiled.number("budget") - part("system")) * 6 / 10;
    part("history") * 100 / target
}

fn rule_of(compiled: &Compiled, at: usize) -> String {
    let decisions = compiled.report["decisions"].as_array().unwrap();
    let own = decisions.iter().find(|decision| decision["index"] == at);
    own.unwrap_or_else(|| panic!("{decisions:?}"))["rule"].as_str().unwrap().to_owned()
}

#[test]
fn a_newest_result_fills_the_room_beside_the_other_turns() {
    let services = services();
    for (kind, text) in texts() {
        for (window, level) in
            [(800, "drop"), (2_000, "summary"), (3_000, "reversible"), (4_500, "drop")]
        {
            let body = conversation(&text, window, level);
            let compiled = compile_in(&services, &body).unwrap();
            let case = format!("{kind} in {window} at {level}: {}", compiled.report["summary"]);
            assert!(compiled.report["fits"] == true, "{case}");
            let list = compiled.list();
            for at in 0..4 {
                assert_eq!(list[3 + 2 * at]["content"], format!("OLD-{at}"), "{case}");
            }
            let share = share_of_target(&compiled);
            assert!((85..=101).contains(&share), "{share} % of the target, {case}");
            assert!(rule_of(&compiled, 11).starts_with("excerpt"), "{case}");
            assert_eq!(compile_in(&services, &body).unwrap().text, compiled.text, "{case}");
        }
    }
}

#[test]
fn the_excerpt_keeps_errors_and_its_bytes_in_later_compiles() {
    let services = services();
    let (_, log) = texts().swap_remove(0);
    let error = "2026-01-02 10:03:07 ERROR disk /dev/sdq7 is full, job 4711 failed\n";
    let middle = log.match_indices('\n').nth(400).unwrap().0 + 1;
    let log = format!("{}{error}{}", &log[..middle], &log[middle..]);
    let mut body = conversation(&log, 3_000, "drop");
    let first = compile_in(&services, &body).unwrap();
    let shown = first.said(11);
    assert!(shown.contains("disk /dev/sdq7 is full, job 4711 failed"), "{shown}");
    // What follows grows on the same bytes until the next point.
    for step in 0..3 {
        body["messages"].as_array_mut().unwrap().push(assistant(&format!("step {step}")));
        let next = compile_in(&services, &body).unwrap();
        assert_eq!(next.list()[..12], first.list()[..12]);
        assert_eq!(next.said(12 + step), format!("step {step}"));
    }
}

#[test]
fn of_parallel_results_the_long_ones_are_cut() {
    let services = services();
    let texts = texts();
    let messages = json!([
        system("agent"),
        user("Find it."),
        calling("", &[("a", "read"), ("b", "read"), ("c", "read")]),
        result("a", &texts[0].1),
        result("b", "a short one"),
        result("c", &texts[1].1),
    ]);
    let body = with(conversation("", 4_000, "drop"), &json!({"messages": messages}));
    let compiled = compile_in(&services, &body).unwrap();
    assert_eq!(compiled.said(4), "a short one");
    assert!(share_of_target(&compiled) >= 85, "{}", compiled.report);
    for at in [3, 5] {
        assert!(rule_of(&compiled, at).starts_with("excerpt"), "{}", rule_of(&compiled, at));
        // Neither takes the room of the other.
        assert!(compiled.said(at).len() > 1_500, "{}", compiled.said(at));
    }
}

#[test]
fn the_last_turn_to_be_cleared_keeps_what_there_is_room_for() {
    let services = services();
    let mut messages = vec![system("agent"), user("Find it.")];
    let mut numbers = Numbers(3);
    for at in 0..12 {
        let id = format!("c{at}");
        messages.push(calling("", &[(&id, "read")]));
        let text =
            numbers.lines(60, |n, line| format!("{line} {} {}\n", n.words(5), n.next(9_999)));
        messages.push(result(&id, &text));
    }
    let body = with(conversation("", 6_000, "reversible"), &json!({"messages": messages}));
    let compiled = compile_in(&services, &body).unwrap();
    let rules: Vec<String> = (0..12).map(|at| rule_of(&compiled, 3 + 2 * at)).collect();
    let cut = rules.iter().position(|rule| rule.starts_with("excerpt"));
    let cut = cut.unwrap_or_else(|| panic!("{rules:?}"));
    // Older results are cleared, newer ones are not.
    assert!(cut > 0 && rules[..cut].iter().all(|rule| rule == "ladder:clear"), "{rules:?}");
    assert!(rules[cut + 1..].iter().all(|rule| !rule.starts_with("ladder:")), "{rules:?}");
}

#[tokio::test]
async fn a_text_alone_is_cut_to_any_budget() {
    let server = TestServer::spawn().await;
    for (kind, text) in texts() {
        for budget in [200, 700, 4_000] {
            let body = json!({"text": text, "level": "reversible", "budget_tokens": budget, "explain": "full"});
            let answer = server.post_ok("/compress", &body).await;
            let after = answer["report"]["tokens_after"].as_u64().unwrap();
            assert!(after <= budget, "{kind}: {after} of {budget}");
            let is_reduced = answer["report"]["decisions"].to_string().contains("adapter:");
            // A part of a page is whole or absent.
            let least = if kind == "html" { 80 } else { 85 };
            assert!(is_reduced || after * 100 >= budget * least, "{kind}: {after} of {budget}");
        }
        // The least that is shown, however small the budget is.
        let body = json!({"text": text, "level": "reversible", "budget_tokens": 20});
        let answer = server.post_ok("/compress", &body).await;
        let after = answer["report"]["tokens_after"].as_u64().unwrap();
        assert!(after <= 140 && answer["report"]["fits"] == (after <= 20), "{kind}: {after}");
    }
}

#[test]
fn a_newest_result_with_errors_stays_in_the_smallest_room() {
    let services = services();
    for (kind, text) in texts() {
        for window in [250, 300, 350, 500] {
            let compiled = compile_in(&services, &conversation(&text, window, "drop")).unwrap();
            let case = format!("{kind} in {window}: {}", compiled.report["summary"]);
            let newest = compiled.list().last().unwrap();
            assert_eq!(newest["role"], "tool", "{case}");
            assert!(compiled.report["fits"] == true, "{case}");
        }
    }
}
