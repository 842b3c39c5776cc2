use proptest::prelude::*;

use super::super::*;
use crate::compress::adapter::trial::{apply, atoms_are_whole, cuts, shortened};
use crate::compress::segment::segment;

const WORDS: &str = "The retry helper waits a little longer after each failure, so that a server that is \
                     busy gets the time to recover. However it must never wait more than maxDelay in \
                     total. People sometimes wonder why the first attempt is counted as well. It is a \
                     matter of taste, and the author liked it that way. Please read it before the review.";

fn fences(text: &str) -> Vec<&str> {
    let spans = segment(text).into_iter().filter(|span| span.kind == Kind::Fence);
    spans.map(|span| text[span.range].trim_end()).collect()
}

#[test]
fn code_stays_beside_its_words() {
    let first = "```rust\nfn retry(max: u32) -> u32 {\n    max + 1\n}\n```";
    let second = "````md\n```\ninner. Fence.\n```\n````";
    let text = format!("{WORDS}\n\n{first}\n\n{WORDS}\n\n{second}\n\nThat is all.");
    let shown = shortened(&CodeAdapter, &text).unwrap();
    assert_eq!(fences(&shown), [first, second]);
    assert!(shown.len() * 3 < text.len() * 2, "{shown}");
    assert!(shown.contains("it must never wait more than maxDelay in total."), "{shown}");
}

#[test]
fn a_fence_that_nothing_closes_is_code_to_the_end() {
    let code = "```python\nimport shutil\n\nshutil.copy(a, b). And more.\nshutil.rmtree(a)";
    let shown = shortened(&CodeAdapter, &format!("{WORDS} {WORDS}\n\n{code}")).unwrap();
    assert!(shown.ends_with(code), "{shown}");
    let item = format!("{WORDS}\n\n- an item with code:\n\n    ```\n    a. B. c.\n    ```\n");
    let shown = shortened(&CodeAdapter, &item).unwrap();
    assert!(shown.ends_with("- an item with code:\n\n    ```\n    a. B. c.\n    ```\n"), "{shown}");
}

#[test]
fn code_without_words_is_left_alone() {
    let text = format!("Look:\n\n```\n{}\n```\n", "let a = 1;\n".repeat(40));
    assert_eq!(shortened(&CodeAdapter, &text), None);
    let text = format!("{WORDS} {WORDS}");
    assert!(!CodeAdapter.detects(Part::new(&text, &segment(&text))));
}

#[test]
fn a_gap_is_not_where_a_link_leads() {
    let signs = "\u{fffd}".repeat(22);
    let words = format!("{signs} {signs}\u{7}\n{signs}");
    let text = format!("Cp{signs}e\n\n    d\n[b]:\n      {words}\n```");
    let shown = apply(&text, &cuts(&CodeAdapter, &text));
    assert!(CodeAdapter.holds(&text, &shown), "{shown}");
}

#[test]
fn a_line_that_is_no_fence_becomes_none() {
    // `~` stands for a character that cannot be read.
    let text = "m\0~~~~~~~~~~~\u{7f}iz\n``` i~~~~\r\r~~~\u{6}~~~~~~~\0`\0\n```\n```\n~~~v~~~ ~~~~~~~~~~d~~~~~~~~~~~~~~w~~~r~"
        .replace('~', "\u{fffd}");
    let shown = apply(&text, &cuts(&CodeAdapter, &text));
    assert!(CodeAdapter.holds(&text, &shown), "{shown}");
}

#[test]
fn hostile_texts_take_linear_time() {
    for piece in [
        "```\n",
        "```a\n\n",
        "~~~\n```\n",
        "- ```\n",
        "````\n```\n",
        "```\nx\n```\na. B\n\n",
        "a ```. B",
    ] {
        let text = piece.repeat(100_000);
        let shown = apply(&text, &cuts(&CodeAdapter, &text));
        assert!(CodeAdapter.holds(&text, &shown), "{piece}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn fences_stay_in_their_places(
        pieces in prop::collection::vec(("[a-z .A-Z0-9]{0,60}", "[a-z .\n#|-]{0,40}", 3_usize..6), 1..6),
    ) {
        let mut text = String::new();
        let mut expected = Vec::new();
        for (words, code, marks) in &pieces {
            let marks = "`".repeat(*marks);
            let fence = format!("{marks}\n{code}\n{marks}");
            text.extend([words.as_str(), ". ", WORDS, "\n\n", &fence, "\n\n"]);
            expected.push(fence);
        }
        let made = cuts(&CodeAdapter, &text);
        atoms_are_whole(&text, &made);
        let shown = apply(&text, &made);
        prop_assert!(CodeAdapter.holds(&text, &shown), "{:?} became {:?}", text, shown);
        prop_assert_eq!(fences(&shown), expected);
    }
}
