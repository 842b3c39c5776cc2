use proptest::prelude::*;

use super::*;
use crate::domain::{Content, Part, ToolCall, ToolResult};

fn conversation() -> Vec<Message> {
    let call = ToolCall {
        id: "c".into(),
        name: "run".into(),
        arguments: r#"{"command": "cargo test"}"#.into(),
        custom: false,
    };
    let result = ToolResult {
        call_id: "c".into(),
        name: None,
        content: vec![Part::text("ok\nerror[E0308]: mismatched types\n")],
        is_error: None,
    };
    let plan = "It fails with a type error in the parser. Next I will mend `parse_line`.";
    vec![
        Message::text(Role::User, "Please mend the build of src/main.rs."),
        Message::new(Role::Assistant, vec![Part::new(Content::ToolCall(call))]),
        Message::new(Role::Tool, vec![Part::new(Content::ToolResult(result))]),
        Message::text(Role::Assistant, plan),
        Message::text(Role::User, "Fine. You must not touch the lexer."),
    ]
}

fn of(messages: &[Message], earlier: &[&str], room: u64, instructions: Option<&str>) -> String {
    let messages: Vec<&Message> = messages.iter().collect();
    let covered = SummaryInput {
        messages: &messages,
        earlier,
        instructions,
        stub_over: None,
        is_shown: &|_| false,
    };
    summarize(&Counter::new(), TokenizerName::O200kBase, &covered, room)
}

const WHOLE: &str = "Asked:\n- Please mend the build of src/main.rs.\n- Fine. You must not touch the lexer.\n\
    State:\n- run({\"command\": \"cargo test\"})\n\
    Found:\n- error[E0308]: mismatched types\n- It fails with a type error in the parser.\n\
    Next:\n- Next I will mend `parse_line`.";

#[test]
fn a_summary_has_five_sections_of_quotes() {
    assert_eq!(of(&conversation(), &[], 600, None), WHOLE);
    let mut messages = conversation();
    let long = format!("{} You must not touch the lexer.", "Fine by me. ".repeat(50));
    messages[4] = Message::text(Role::User, long);
    let text = of(&messages, &[], 600, None);
    assert!(text.ends_with("Keep:\n- You must not touch the lexer."), "{text}");
    assert!(SECTIONS.iter().all(|heading| text.contains(heading)), "{text}");
}

#[test]
fn the_first_request_outlives_the_newer_ones() {
    let mut messages = vec![Message::text(Role::User, "Port the parser to Rust. ".repeat(30))];
    messages
        .extend((0..50).map(|n| Message::text(Role::User, format!("And then step {n}, please."))));
    let text = of(&messages, &[], 200, None);
    assert!(text.starts_with("Asked:\n- Port the parser to Rust."), "{text}");
    assert!(text.ends_with("step 49, please."), "{text}");
}

#[test]
fn the_first_request_is_whole_up_to_its_limit() {
    let request = "Move each handler of the billing service to the new router. ".repeat(28);
    let words = request.trim().to_owned();
    let mut messages = vec![Message::text(Role::User, request.clone())];
    messages.extend((0..90).map(|n| Message::text(Role::User, format!("Also look at item {n}."))));
    let text = of(&messages, &[], 900, None);
    assert!(text.contains(&words), "{text}");
    let text = of(&messages, &[], 400, None);
    let first = text.lines().nth(1).unwrap();
    let tokens = Counter::new().count(TokenizerName::O200kBase, first);
    assert!((150..=200).contains(&tokens) && first.ends_with('…'), "{tokens} {first}");
}

#[test]
fn code_and_data_are_no_findings_but_their_names_are_listed() {
    let file = "153 },\n105 \"allOf\": [\nlet billing_router = build(\n    src/billing/router.rs\n\
        1505: 4711\nThe migration of the ledger is not finished yet.\n        throw err;\n";
    let result = ToolResult {
        call_id: "c".into(),
        name: None,
        content: vec![Part::text(file)],
        is_error: None,
    };
    let messages = [
        Message::text(Role::User, "Go on."),
        Message::new(Role::Tool, vec![Part::new(Content::ToolResult(result))]),
    ];
    let text = of(&messages, &[], 400, None);
    assert_eq!(
        text,
        "Asked:\n- Go on.\nState:\n- The migration of the ledger is not finished yet.\n\
         - Named: allOf, billing_router, src/billing/router.rs"
    );
    // An address is whole, or absent.
    let address = "https://docs.example.com/guide/install.html?page=3#top";
    let called = Message::text(Role::User, format!("{}\nsee({address})", "Go on. ".repeat(400)));
    let text_of_address = of(&[called], &[], 200, None);
    assert!(
        text_of_address.matches("https:").count() == text_of_address.matches(address).count(),
        "{text_of_address}"
    );
    // The list goes on in the next summary.
    let later = of(&[Message::text(Role::User, "Now `ledger_row`.")], &[&text], 400, None);
    assert!(later.contains("- Named: allOf, billing_router, src/billing/router.rs"), "{later}");
}

#[test]
fn a_later_summary_holds_the_lines_of_the_one_before_in_its_sections() {
    let first = of(&conversation(), &[], 600, None);
    let more = [
        Message::text(Role::User, "Now the docs of src/lib.rs."),
        Message::text(Role::Assistant, "The docs were stale."),
    ];
    let text = of(&more, &[&first], 600, None);
    assert_eq!(text.matches("Asked:").count(), 1, "{text}");
    let at = |line: &str| text.find(line).unwrap_or_else(|| panic!("{line} in {text}"));
    assert!(at("mend the build of src/main.rs") < at("Now the docs of src/lib.rs."));
    assert!(at("Found:") < at("error[E0308]") && at("error[E0308]") < at("The docs were stale."));
    assert!(at("The docs were stale.") < at("Next:") && at("Next:") < at("mend `parse_line`."));
    // Nothing came: it stays as it is, however often it is made again.
    let again = of(&[], &[&first], 600, None);
    assert_eq!(of(&[], &[&again], 600, None), again);
    for line in first.lines() {
        assert!(again.contains(line), "{line} in {again}");
    }
}

#[test]
fn a_summary_of_a_model_is_read_by_its_headings_too() {
    let text = "## 1. Asked\n* Port it.\n\n**Next:**\n- Write tests.\nLoose words.";
    let text = of(&[], &[text, "No heading at all."], 600, None);
    assert_eq!(
        text,
        "Asked:\n- Port it.\nState:\n- No heading at all.\nNext:\n- Write tests.\n- Loose words."
    );
}

#[test]
fn lines_that_the_caller_asks_for_come_first() {
    let line = |n: usize| format!("module m{n} has {n}{n} lines and the owner team{n}\n");
    let text: String = (10..60).map(line).collect();
    let result = ToolResult {
        call_id: "c".into(),
        name: None,
        content: vec![Part::text(text + "the budget is with nobody")],
        is_error: None,
    };
    let messages = [Message::new(Role::Tool, vec![Part::new(Content::ToolResult(result))])];
    assert!(!of(&messages, &[], 120, None).contains("budget"));
    let asked = of(&messages, &[], 120, Some("Note every budget."));
    assert!(asked.contains("- the budget is with nobody"), "{asked}");
}

#[test]
fn findings_are_whole_sentences_of_what_happened() {
    let reply = "I found two flights on May 19:\n- HAT072 at 9:00\nWhich one do you want? I can help you with that. Here's the change:\n```rust\nfn main() {}\n```\nThe seed is 125379498.";
    let result = "- [ ] `npm run lint` exits 0 with no errors\n## Error handling\nFile a bug when validation fails\nThe job may fail on slow machines\nError messages go to the log\nit prints that the server\nrefused the second connection of `a`\nThe build failed after 3 minutes\nerror[E0277]: no such trait\nand more of it\nThe cost so far is 17 cents\nThe cost so far is 21 cents\n";
    let result = ToolResult {
        call_id: "c".into(),
        name: None,
        content: vec![Part::text(result)],
        is_error: None,
    };
    let messages = [
        Message::text(
            Role::User,
            "Book it. Never pay more than $ 200. You must run ```\nmake\n```",
        ),
        Message::text(Role::Assistant, reply),
        Message::new(Role::Tool, vec![Part::new(Content::ToolResult(result))]),
    ];
    let text = of(&messages, &[], 600, None);
    for line in [
        "I found two flights on May 19",
        "HAT072",
        "The seed is 125379498.",
        "The build failed after 3 minutes",
        "error[E0277]: no such trait",
        "so far is 21 cents",
        "Never pay more than",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    let found = text.split("Found:").nth(1).unwrap();
    for line in [
        "Which one",
        "I can help",
        "Here's the change",
        "may fail",
        "Error messages",
        "[ ]",
        "File a bug",
    ] {
        assert!(!found.contains(line), "{line}: {text}");
    }
    for line in ["fn main", "## Error", "so far is 17"] {
        assert!(!text.contains(line), "{line}: {text}");
    }
}

proptest! {
    #[test]
    fn a_summary_keeps_its_room(room in 0u64..300, times in 0usize..20, before in 0usize..3) {
        let one = conversation();
        let messages: Vec<Message> = one.iter().cycle().take(times).cloned().collect();
        let earlier = vec![WHOLE; before];
        let text = of(&messages, &earlier, room, Some("errors"));
        let counter = Counter::new();
        prop_assert!(counter.count(TokenizerName::O200kBase, &text) <= room, "{text}");
    }
}
