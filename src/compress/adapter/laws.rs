//! Laws of every adapter that leaves out lines, whatever the text.

use proptest::prelude::*;

use super::InnerTexts;
use super::diff::DiffAdapter;
use super::log::LogAdapter;
use super::search::SearchAdapter;
use super::shortening::apply;
use super::source::SourceAdapter;
use super::stack_trace::StackTraceAdapter;
use super::structured_output::StructuredOutputAdapter;
use super::{Cut, FormatAdapter, Part};
use crate::compress::notation::reports_error;
use crate::compress::segment::segment;

const ADAPTERS: [&dyn FormatAdapter; 6] = [
    &DiffAdapter,
    &LogAdapter,
    &SearchAdapter,
    &StackTraceAdapter,
    &StructuredOutputAdapter,
    &SourceAdapter,
];

/// Shortens nothing.
struct NoShortening;

impl InnerTexts for NoShortening {
    fn shorten(&mut self, _: &str) -> Option<String> {
        None
    }
}

fn cuts(adapter: &dyn FormatAdapter, text: &str) -> Vec<Cut> {
    let spans = segment(text);
    adapter.attempt(Part::new(text, &spans), &mut NoShortening).cuts
}

pub(super) fn detects(adapter: &dyn FormatAdapter, text: &str) -> bool {
    adapter.detects(Part::new(text, &segment(text)))
}

/// A text of the adapter's format in its shorter form.
pub(super) fn short(adapter: &dyn FormatAdapter, text: &str) -> String {
    assert!(detects(adapter, text), "{} does not know it", adapter.name());
    let short = apply(text, &cuts(adapter, text)).expect("cuts in order");
    assert!(adapter.holds(text, &short), "{short}");
    short
}

/// The lines that the marks of a text represent, and its other lines.
fn count_marks(text: &str) -> usize {
    let lines = text.lines().map(|line| match line.trim_ascii().strip_prefix("[… ") {
        Some(mark) => mark.split(' ').next().unwrap().parse().unwrap(),
        None => 1,
    });
    lines.sum()
}

fn texts() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec![
        "",
        "diff --git a/src/a.rs b/src/a.rs",
        "--- a/src/a.rs",
        "+++ b/src/a.rs",
        "@@ -10,9 +10,9 @@ fn take()",
        "+    let slot = self.slots.take(key);",
        "-    let slot = self.slots.get(key);",
        " \tsome context that stands around it",
        " }",
        "@@@ -10,6 -10,5 +10,7 @@@ fn take()",
        "++    let both = self.slots.both(key);",
        " -    let one = self.slots.one(key);",
        "    @@ -10,4 +10,5 @@",
        "     context away from the margin",
        "    +a change away from it",
        "2024-03-07 10:00:01 INFO took job 4711 of queue_7",
        "2024-03-07 10:00:02 ERROR the disk /dev/sda1 is full",
        "test wire::tests::reads_what_it_wrote ... ok",
        "test wire::tests::keeps_the_order ... FAILED",
        "---- wire::tests::keeps_the_order stdout ----",
        "test result: FAILED. 3 passed; 1 failed; finished in 0.02s",
        "src/store/index.rs:118:    let slot = self.slots.take(key)?;",
        "src/store/index.rs-119-    self.slots.release(slot);",
        "src/store/index.rs",
        "118:    let slot = self.slots.take(key)?;",
        "--",
        "Traceback (most recent call last):",
        "  File \"/srv/app/main.py\", line 12, in main",
        "    run(arguments, settings)",
        "    at com.acme.Store.take(Store.java:118)",
        "    at java.base/java.lang.Thread.run(Thread.java:1583)",
        "Caused by: java.io.IOException: no space is left",
        "PASS tests/alpha.rs finished in good time",
        "status: all of the twelve jobs are done",
        "- a bullet that says something about job_4711",
        "pub fn take(&self, key: Key) -> Result<Slot, Refused> {",
        "    return Err(Refused::Full);",
        "class Worker(threading.Thread):",
        "    \"\"\"What a worker does all day.",
        "use std::collections::BTreeMap;",
        "    12\t    let slot = self.slots.take(key);",
        "}",
        "é 中 →, and some words besides",
    ]);
    let run = (line, 1..6_usize);
    (prop::collection::vec(run, 0..20), any::<bool>()).prop_map(|(runs, is_windows)| {
        let lines = runs.into_iter().flat_map(|(line, times)| std::iter::repeat_n(line, times));
        let lines: Vec<&str> = lines.collect();
        lines.join(if is_windows { "\r\n" } else { "\n" })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn what_stays_is_whole_and_what_goes_is_counted(text in texts(), end in "\n?") {
        let text = format!("{text}{end}");
        for adapter in ADAPTERS {
            let made = cuts(adapter, &text);
            prop_assert_eq!(&made, &cuts(adapter, &text));
            let short = apply(&text, &made).expect("cuts in order");
            prop_assert!(adapter.holds(&text, &short), "{}: {}", adapter.name(), short);
            prop_assert_eq!(count_marks(&short), text.lines().count(), "{}", adapter.name());
            prop_assert!(short.len() < text.len() || made.is_empty());
            for line in text.lines().filter(|line| reports_error(line)) {
                prop_assert!(short.lines().any(|shown| shown == line), "{}: {}", adapter.name(), line);
            }
            if !made.is_empty() {
                prop_assert_eq!(cuts(adapter, &short), Vec::new());
            }
        }
    }

    #[test]
    fn changed_lines_are_a_fixed_point(text in texts()) {
        let short = apply(&text, &cuts(&DiffAdapter, &text)).expect("cuts in order");
        let changes = |text: &str| -> Vec<String> {
            text.lines().filter(|line| line.starts_with(['+', '-'])).map(str::to_owned).collect()
        };
        prop_assert_eq!(changes(&text), changes(&short));
        prop_assert!(short.lines().all(|line| !line.contains("[… ") || line.starts_with("[… ")));
    }

    #[test]
    fn no_text_is_too_odd(text in "([ \t+@-]|\\PC|\n|\r|error|\\[… 3 lines\\]){0,80}") {
        for adapter in ADAPTERS {
            let short = apply(&text, &cuts(adapter, &text)).expect("cuts in order");
            prop_assert!(short == text || adapter.holds(&text, &short));
            let _ = adapter.holds(&short, &text);
            let _ = detects(adapter, &text);
        }
    }
}

#[test]
fn hostile_texts_take_linear_time() {
    let many = |line: &str, times: usize| line.repeat(times);
    let error = |at: usize| format!("error {at}\n");
    let deep = |at: usize| format!("{}x\n", " ".repeat(at % 500));
    for text in [
        many("a", 1_000_000),
        many(" ", 1_000_000),
        many("[… ", 200_000),
        many("a\n", 200_000),
        many("    at x(\n", 100_000),
        many("    at x (a.js:1:2)\n", 10_000),
        format!("@@ -1,20000 +1,20000 @@\n{}", many(" a\n", 20_000)),
        many("error\n", 10_000),
        (0..10_000).map(error).collect(),
        (0..2_000).map(deep).collect(),
        many("/* a\n", 10_000),
        many("use a::b;\n", 10_000),
        many("fn a(\n", 10_000),
    ] {
        let spans = segment(&text);
        let part = Part::new(&text, &spans);
        for adapter in ADAPTERS {
            let cuts = adapter.attempt(part, &mut NoShortening).cuts;
            let short = apply(&text, &cuts).expect("cuts in order");
            assert!(adapter.holds(&text, &short) || short == text);
            adapter.detects(part);
        }
    }
}
