//! Laws that hold for every text.

use proptest::prelude::*;

use super::{Kind, segment};

/// Lines that every rule begins or ends at, in any order.
fn lines() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec![
        "",
        " ",
        "Words that go on, and on.",
        "- item",
        "  - deep",
        "1. one",
        "# head",
        "---",
        "```",
        "````rs",
        "~~~",
        "   ```",
        "     ```",
        "> quote",
        "| a | b |",
        "|---|---|",
        "{\"a\": 1}",
        "{",
        "\"a\": [",
        "]",
        "}",
        "[1,2]",
        "<a>",
        "<b/></a>",
        "<div><p>x",
        "</div>",
        "<!-- ",
        "key: value",
        "key:",
        "  sub: |",
        "    text",
        "a,b,c",
        "a,\"b",
        "a\tb",
        "diff --git a/x b/x",
        "--- a/x",
        "+++ b/x",
        "@@ -1,2 +1,2 @@",
        "@@@ -1,2 -1 +1,3 @@@",
        "++x",
        "  @@ -1,2 +1 @@",
        "+x",
        "-y",
        " z",
        "src/a.rs:1:x",
        "src/a.rs-2-y",
        "src/a.rs",
        "12:x",
        "13:y",
        "14:z",
        "Traceback (most recent call last):",
        "  File \"a\", line 1",
        "ValueError: x",
        "    at f (a.js:1:2)",
        "goroutine 1 [running]:",
        "panic: x",
        "2024-01-02 03:04:05 x",
        "ERROR: x",
        "ok 1",
        "1..2",
        "=== RUN   A",
        "test a ... ok",
        "let x = 1;",
        "fn a() {",
        "    x",
        "-----BEGIN A-----",
        "-----END A-----",
        "├── a",
        "é 中 →",
        "\r",
        "x\r",
    ]);
    prop::collection::vec(line, 0..40).prop_map(|lines| lines.join("\n"))
}

fn fences(text: &str) -> Vec<&str> {
    let fences = segment(text).into_iter().filter(|span| span.kind == Kind::Fence);
    fences.map(|span| &text[span.range]).collect()
}

fn tiles(text: &str) -> Result<(), TestCaseError> {
    let spans = segment(text);
    let mut from = 0;
    for span in &spans {
        prop_assert_eq!(span.range.start, from);
        prop_assert!(span.range.end > from);
        let starts_line = from == 0 || text.as_bytes()[from - 1] == b'\n';
        prop_assert!(starts_line || !text.trim_end_matches('\n').contains('\n'));
        from = span.range.end;
    }
    prop_assert_eq!(from, text.len());
    prop_assert_eq!(segment(text), spans);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn spans_tile_any_text_the_same_way(text in any::<String>()) {
        tiles(&text)?;
    }

    #[test]
    fn spans_tile_any_order_of_lines(text in lines()) {
        tiles(&text)?;
    }

    #[test]
    fn spans_tile_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        tiles(&String::from_utf8_lossy(&bytes))?;
    }

    #[test]
    fn a_fence_between_paragraphs_is_one_span(code in "([a-z{}\\[\\]<>:,;#|0-9 -]|\n){0,120}", marks in 3usize..6) {
        let fence = format!("{}\n{code}\n{}\n", "`".repeat(marks), "`".repeat(marks));
        let text = format!("Some words before it.\n\n{fence}Some words after it.\n");
        prop_assert_eq!(fences(&text), [fence]);
    }
}
