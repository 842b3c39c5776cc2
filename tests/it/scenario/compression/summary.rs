//! K33 to K49: summaries and other short forms.

use serde_json::{Value, json};

use super::{A, B, D, Q, assistant, decodes, decodes_with, summary_of, tool, tools, trip, user};
use crate::support::compress::{log, rows};
use crate::support::{TestServer, problem};

#[tokio::test]
async fn the_last_user_message_is_never_summarised() {
    for text in [A, B, &Q.repeat(9)] {
        for level in ["lossless", "summary", "drop"] {
            let options = json!({"level": level, "budget_tokens": 1, "keep_recent_turns": 0});
            assert!(trip(&[user(text)], options).await.is_unchanged(), "{level}");
        }
    }
}

#[tokio::test]
async fn old_turns_become_one_message_in_its_own_frame() {
    let (a, b, d) = (A.repeat(20), B.repeat(20), D.repeat(20));
    for messages in [
        vec![user(&a), user(&b), user(&d), user("And?")],
        vec![user(&a), assistant(&b), user(&d), user("And?")],
    ] {
        let options = json!({"level": "summary", "keep_recent_turns": 0});
        let trip = trip(&messages, options).await;
        assert_eq!(trip.shown.messages.len(), 2, "{:?}", trip.shown.messages);
        assert!(trip.said(0).starts_with("<history_summary>\n"));
        assert_eq!(trip.shown.messages[1], messages[3].to_string());
        assert_eq!(trip.shown.action("summarized"), 3);
    }
}

#[tokio::test]
async fn a_summary_says_nothing_twice() {
    let sentence = "The billing team reviews every open invoice on Monday morning. ";
    let filler = "Okay, fine by me. Perfect! Thanks a lot for today. ";
    for text in [sentence.repeat(6), filler.repeat(6)] {
        let messages: Vec<Value> = (0..6).flat_map(|_| [user(&text), assistant(&text)]).collect();
        let options = json!({"level": "summary", "keep_recent_turns": 0});
        let trip = trip(&messages, options).await;
        assert!(trip.shown.action("summarized") > 0);
        assert!(trip.shown.number("tokens_after") < trip.shown.number("tokens_before"));
    }
}

#[tokio::test]
async fn a_summary_longer_than_its_messages_is_not_made() {
    let messages = [user("Short."), assistant("Shorter."), user("And now?")];
    for level in ["summary", "drop"] {
        for budget in [1, 12, 20] {
            let options = json!({"level": level, "budget_tokens": budget, "keep_recent_turns": 0});
            let trip = trip(&messages, options).await;
            assert!(trip.is_unchanged(), "{level} {budget}: {:?}", trip.shown.messages);
        }
    }
}

#[tokio::test]
async fn options_of_other_programs_are_refused_by_name() {
    let server = TestServer::spawn().await;
    for key in [
        "sourceVersion",
        "embedSummaryId",
        "compressionDepth",
        "relevanceThreshold",
        "forceConverge",
        "dedup",
        "recencyWindow",
        "compressionThreshold",
    ] {
        let mut body = json!({"messages": [user(A)]});
        body[key] = json!(1);
        let problem = problem(server.post("/compress", &body).await, 422, "invalid_request").await;
        assert_eq!(problem["errors"][0]["pointer"], format!("/{key}"), "{problem}");
    }
}

#[tokio::test]
async fn each_level_takes_what_the_one_before_left() {
    let text = A.repeat(6);
    let mut messages = vec![user("Look.")];
    for round in 0..5 {
        messages.extend(tool(&format!("c{round}"), &format!("{}{}", log(20 + round), rows(5))));
        messages.extend([assistant(&text), user(&format!("{text} Go on, {round}."))]);
    }
    let mut last = u64::MAX;
    for level in ["lossless", "reversible", "summary"] {
        let trip = trip(&messages, json!({"level": level, "keep_recent_turns": 1})).await;
        let after = trip.shown.number("tokens_after");
        assert!(after < last, "{level}: {after} of {last}");
        last = after;
    }
    let drop = trip(&messages, json!({"level": "drop", "keep_recent_turns": 1})).await;
    assert!(drop.shown.number("tokens_after") <= last);
}

#[tokio::test]
async fn test_output_keeps_its_failures_and_totals_in_sight() {
    let pass = |name: &str| format!("PASS tests/{name}.rs finished.\n");
    let text = format!(
        "{}{}{}FAIL tests/gamma.rs: expected 4 but got 5\n{}WARN slow test in delta.\n{}\
            Tests: 5 passed and 1 failed overall.\n",
        pass("alpha"),
        pass("beta"),
        pass("eta"),
        pass("delta"),
        pass("epsilon")
    );
    let trip = decodes(&tool("c", &text)).await;
    for line in
        ["FAIL tests/gamma.rs: expected 4 but got 5", "Tests: 5 passed and 1 failed overall."]
    {
        assert!(trip.said(1).contains(line), "{}", trip.said(1));
    }
}

#[tokio::test]
async fn search_results_keep_every_file_and_every_number() {
    const FILES: [&str; 5] = ["amber", "basil", "cedar", "delta", "ember"];
    let number = |at: usize| 1 + at * at * 7919 % 977;
    let line =
        |at: usize| format!("src/handlers/{}.rs:{}: is registered here", FILES[at / 5], number(at));
    let lines: Vec<String> = (0..25).map(line).collect();
    let trip = decodes_with(&tool("c", &lines.join("\n")), "computed").await;
    assert!(trip.shown.number("tokens_after") < trip.shown.number("tokens_before"));
    let said = trip.said(1);
    for at in 0..25 {
        assert!(said.contains(FILES[at / 5]), "{said}");
        assert!(said.contains(&number(at).to_string()), "{at}: {said}");
    }
}

#[tokio::test]
async fn dots_inside_of_words_end_no_sentence() {
    let text = "It took 1.5 seconds with v2.1 of lib.rs, e.g. on the small machine in the office.";
    let summary = summary_of(&format!("{text} {}", Q.repeat(5))).await;
    assert!(summary.contains(text), "{summary}");
}

#[tokio::test]
async fn what_a_summary_quotes_was_said() {
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let texts = [A, B, D, &Q.repeat(4), "第一句。第二句！第三句？", "a\tb\n\nc — d"];
    let mut messages = Vec::new();
    for (at, text) in texts.iter().cycle().take(18).enumerate() {
        let text = format!("{at} {text}");
        messages.push(if at % 2 == 0 { user(&text) } else { assistant(&text) });
        messages.extend(tools(&[&format!("error: part {at} is missing")]));
    }
    messages.push(user("And now?"));
    let said: Vec<String> =
        messages.iter().filter_map(|message| Some(flat(message["content"].as_str()?))).collect();
    for keep in [0, 2, 4] {
        let options = json!({"level": "summary", "keep_recent_turns": keep});
        let trip = trip(&messages, options).await;
        let summary = trip.said(0);
        let quotes: Vec<&str> =
            summary.lines().filter_map(|line| line.strip_prefix("- ")).collect();
        assert!(!quotes.is_empty(), "{summary}");
        for quote in quotes.iter().filter(|quote| !quote.starts_with("run(")) {
            let quote = flat(quote.trim_end_matches('…'));
            // A list of names has names that were said.
            let names = quote.strip_prefix("Named: ").map(|names| names.split(", ").collect());
            for quote in names.unwrap_or_else(|| vec![&*quote]) {
                assert!(said.iter().any(|said| said.contains(quote)), "{quote:?} was not said");
            }
        }
    }
}
