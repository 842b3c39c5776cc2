//! The kinds of conversations that the study measures, with fixtures of our own, and its figures to
//! beat: ratios in characters, what has to stay in sight, and that all of it comes back.
//! `cargo test --test it study -- --nocapture` prints what is reached.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{assistant, tool, trip, user, written};

/// Sentences that name nothing, all of them different.
fn talk(seed: usize, sentences: usize) -> String {
    const WHO: [&str; 7] = [
        "the team",
        "a reader",
        "the caller",
        "our build",
        "every user",
        "the queue",
        "a reviewer",
    ];
    const DOES: [&str; 6] =
        ["looks at", "waits for", "comes back to", "would like", "asks about", "goes on with"];
    const WHAT: [&str; 8] = [
        "the part that was written first",
        "an answer that is easy to follow",
        "the other side of the matter",
        "whatever the plan says next",
        "a smaller change than this one",
        "the words that were used before",
        "things that nobody has tried so far",
        "the order in which it all happens",
    ];
    const WHEN: [&str; 5] = [
        "as soon as there is time",
        "while the rest goes on as it does",
        "because it seemed the simpler way",
        "although it makes little difference",
        "before anything else is touched",
    ];
    let mut text = String::new();
    for n in 0..sentences {
        let at = seed * 11 + n * 7;
        let sentence = format!(
            "{} {} {} {}. ",
            WHO[at % WHO.len()],
            DOES[(at / 3 + n) % DOES.len()],
            WHAT[(at / 2 + seed) % WHAT.len()],
            WHEN[(at + seed + n) % WHEN.len()]
        );
        text.push_str(&sentence[..1].to_uppercase());
        text.push_str(&sentence[1..]);
    }
    text.trim_end().to_owned()
}

/// Characters of all that is said, and of what is shown of it, one by the other.
async fn shown(kind: &str, messages: &[Value], options: Value) -> (String, f64) {
    let trip = trip(messages, options).await;
    let text = |list: &[String]| {
        let mut text = String::new();
        for message in list {
            let message: Value = serde_json::from_str(message).expect("JSON");
            text.push_str(message["content"].as_str().unwrap_or_default());
            text.push('\n');
        }
        text
    };
    let (before, after) = (text(&written(messages)), text(&trip.shown.messages));
    let characters = |text: &str| u32::try_from(text.chars().count()).expect("small");
    let ratio = f64::from(characters(&before)) / f64::from(characters(&after));
    let tokens = |key| f64::from(u32::try_from(trip.shown.number(key)).expect("small"));
    let tokens = tokens("tokens_before") / tokens("tokens_after");
    eprintln!("{kind}: {ratio:.2} x of the characters, {tokens:.2} x of the tokens");
    (after, ratio)
}

fn missing<'p>(probes: &[&'p str], text: &str) -> Vec<&'p str> {
    probes.iter().filter(|probe| !text.contains(**probe)).copied().collect()
}

#[tokio::test]
async fn technical_explanations_shrink_to_what_they_state() {
    let probes = [
        "The offset must never be stored before the batch is written",
        "max_in_flight",
        "https://docs.example.com/queue/limits",
        "retry_after_ms = 250",
        "consumer-7",
    ];
    let mut messages = Vec::new();
    for (at, probe) in probes.iter().enumerate() {
        messages.push(user(&format!("How does part {at} of it work?")));
        let fact = match at {
            0 => format!("{probe}."),
            1 => format!("What decides is {probe}, which stands for a thousand records."),
            2 => format!("All of the limits are on {probe}."),
            3 => format!("The default is `{probe}`, and nobody needs more."),
            _ => format!("It was {probe} that fell behind on the 14th."),
        };
        let (before, after) = (talk(at, 9), talk(at + 9, 9));
        messages.push(assistant(&format!("{before} {fact} {after}")));
    }
    messages.push(user("And now?"));
    let options = json!({"level": "reversible", "keep_recent_turns": 0, "adapters": ["prose"]});
    let (text, ratio) = shown("technical explanation", &messages, options).await;
    assert!(ratio >= 2.7, "{ratio}");
    assert_eq!(missing(&probes, &text), [""; 0], "{text}");
}

#[tokio::test]
async fn a_deep_conversation_keeps_what_was_settled() {
    let probes = [
        "postgres-14.11",
        "orders_v2",
        "4,200 requests",
        "src/billing/rounding.rs",
        "feature_late_fees",
        "9f2c41d07be8",
        "2026-03-09",
        "https://tickets.example.com/BIL-381",
        "MAX_RETRIES=6",
    ];
    let mut messages = Vec::new();
    for at in 0..25 {
        messages.push(user(&talk(at, 2)));
        let fact = (at % 3 == 1).then(|| probes.get(at / 3)).flatten();
        let fact = fact.map(|probe| format!(" We settled on {probe} for that."));
        messages.push(assistant(&format!("{}{}", talk(at + 40, 4), fact.unwrap_or_default())));
    }
    messages.push(assistant(&format!("{} We settled on {} for that.", talk(90, 3), probes[8])));
    messages.push(user("And now?"));
    let whole = trip(&messages, json!({})).await.shown.number("tokens_before");
    let budget = whole * 100 / 262;
    let (text, ratio) =
        shown("deep conversation", &messages, json!({"budget_tokens": budget})).await;
    assert!(ratio >= 2.5, "{ratio}");
    assert_eq!(missing(&probes, &text), [""; 0], "{text}");
}

/// What `grep -n` prints, in several files.
const GREP: [&str; 12] = [
    "src/store/writer.rs:41:    let guard = self.rows.write().await;",
    "src/store/writer.rs:88:        drop(guard); // before the index, or two writers wait for each other",
    "src/store/writer.rs:132:    let mut index = self.index.lock();",
    "src/store/writer.rs:207:    self.rows.try_write_for(PATIENCE).ok_or(Busy)?",
    "src/store/reader.rs:19:    let rows = self.rows.read().await;",
    "src/store/reader.rs:64:    let (index, rows) = (self.index.lock(), self.rows.read().await);",
    "src/store/reader.rs:90:    match self.index.try_lock() {",
    "src/store/compact.rs:33:    let _paused = self.writers.pause();",
    "src/store/compact.rs:58:    let index = self.index.lock();",
    "tests/store.rs:12:    let held = store.rows.write().await;",
    "tests/store.rs:77:    assert!(store.index.try_lock().is_some());",
    "tests/store.rs:140:    // The reader takes the index first: this is the order that hangs.",
];

/// A source file, `changed` in one line.
fn source(changed: usize) -> String {
    let mut text = String::new();
    for n in 0..60 {
        let bound = if n == changed { "later" } else { "soon" };
        let _ = writeln!(text, "pub fn step_{n}(state: &mut State) -> Outcome {{");
        let _ =
            writeln!(text, "    state.enter(\"{bound}\", {});\n    state.leave()\n}}", n * 17 % 90);
    }
    text
}

#[tokio::test]
async fn agentic_coding_keeps_every_line_of_a_search() {
    let mut messages = vec![user("Mend the lock order in the store.")];
    let passed =
        (0..90).map(|n| format!("test store::case_{n} ... ok\n")).collect::<Vec<_>>().concat();
    let texts = [
        source(usize::MAX),
        GREP.join("\n"),
        passed.clone(),
        source(7),
        format!("{passed}\ntest result: ok. 90 passed; 0 failed\n"),
        source(7),
        GREP.join("\n"),
        source(21),
    ];
    for (at, text) in texts.iter().enumerate() {
        messages.extend(tool(&format!("c{at}"), text));
    }
    messages.push(user("And now?"));
    let (text, ratio) = shown("agentic coding", &messages, json!({"level": "lossless"})).await;
    assert!(ratio >= 2.35, "{ratio}");
    for line in GREP {
        // Paths are folded: a file's folder and name stand once, before its lines.
        let mut parts = line.splitn(3, ':');
        let (file, number) = (parts.next().expect("a file"), parts.next().expect("a number"));
        let (folder, name) = file.rsplit_once('/').expect("a folder");
        let words = parts.next().expect("words").trim();
        assert_eq!(missing(&[folder, name, number, words], &text), [""; 0], "{line} in {text}");
    }
}

#[tokio::test]
async fn an_entity_dense_conversation_keeps_its_names() {
    let probes = [
        "db-primary-03.internal",
        "v2.14.7",
        "PR #4821",
        "10.40.3.17:5432",
        "a81f9c3e",
        "node-4417",
        "INC-20391",
        "p99 of 340 ms",
    ];
    let mut messages = Vec::new();
    for (at, probe) in probes.iter().enumerate() {
        messages.push(user(&format!("What about the other one? {}", talk(at, 2))));
        let (before, after) = (talk(at + 20, 3), talk(at + 50, 3));
        messages.push(assistant(&format!("{before} It is {probe} that we saw. {after}")));
    }
    messages.push(user("And now?"));
    let whole = trip(&messages, json!({})).await.shown.number("tokens_before");
    let budget = whole * 10 / 18;
    let (text, ratio) = shown("entity-dense", &messages, json!({"budget_tokens": budget})).await;
    assert!(ratio >= 1.7, "{ratio}");
    assert_eq!(missing(&probes, &text), [""; 0], "{text}");
}
