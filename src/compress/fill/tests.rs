use std::fmt::Write as _;

use super::*;

fn fill(text: &str, bytes: usize) -> String {
    FillSource::new(text).fill(text, bytes).unwrap_or_else(|| text.to_owned())
}

#[test]
fn source_code_shows_what_it_declares_from_both_ends() {
    let mut text = "//! Prices of carts.\n\nuse crate::cart::Cart;\n".to_owned();
    for at in 0..20 {
        let note = if at == 9 { "    // TODO: rounding of JPY\n" } else { "" };
        let _ = write!(
            text,
            "\npub fn price_{at}(cart: &Cart) -> u64 {{\n{note}    let sum = cart.sum({at});\n    log(sum, \"error\");\n    sum + {at}\n}}\n"
        );
    }
    let shown = fill(&text, 360);
    for line in ["pub fn price_0(", "pub fn price_1(", "pub fn price_19(", "// TODO: rounding"] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    assert!(!shown.contains("kind of error") && !shown.contains("price_10("), "{shown}");
}

#[test]
fn tests_that_passed_come_last() {
    let mut text = "run\n".to_owned();
    for at in 0..60 {
        let _ = writeln!(text, " ✓ src/part_{at}/file_{at}.test.ts ({at} tests) {at}7ms");
    }
    text += "the cache of 4 files was read\nthe clock is 3 ms behind\nthe disk has 9 blocks left\n";
    text += "and\nso\nit\nends\nhere\n";
    let shown = fill(&text, 240);
    for line in ["the cache of 4 files", "the clock is 3 ms", "the disk has 9 blocks"] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
}

#[test]
fn a_paragraph_shows_what_it_forbids() {
    let mut text = "Report\n\n".to_owned();
    for at in 0..8 {
        let own = if at == 5 { "The contract must not be renewed without the board. " } else { "" };
        let plain = "The harbor was carried to the ledger before the lantern was opened again. ";
        let _ = writeln!(text, "{}{own}{}\n", plain.repeat(3), plain.repeat(3));
    }
    let shown = fill(&text, 300);
    assert!(shown.contains("must not be renewed without the board"), "{shown}");
}

#[test]
fn the_next_line_begins_where_it_has_no_room_as_a_whole() {
    let row = |at: usize| {
        format!(
            "row {at} of the {at}th harbor has {at}1 lanterns and {at}2 ledgers, and {at}3 candles that were carried to it by {at}4 people\n"
        )
    };
    let text: String = (10..60).map(row).collect();
    let (mut before, mut gaps) = (String::new(), 0);
    for bytes in (200..2_000).step_by(8) {
        let shown = fill(&text, bytes);
        let whole =
            |shown: &str| shown.lines().filter(|line| text.contains(&format!("{line}\n"))).count();
        assert!(whole(&shown) >= whole(&before), "{before}\n--\n{shown}");
        gaps += usize::from(shown.contains(" […]"));
        before = shown;
    }
    assert!(gaps > 100, "{gaps}");
    let failed = text.replace("has", "failed: error");
    assert!((200..2_000).step_by(8).all(|bytes| !fill(&failed, bytes).contains(" […]")));
}
