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
    assert!(!shown.contains("of each kind") && !shown.contains("price_10("), "{shown}");
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

#[test]
fn every_failure_comes_before_tests_that_passed() {
    let failed = [7, 19, 31, 44];
    let mut runs = String::new();
    let mut unit = String::new();
    for at in 0..60 {
        let is_failed = failed.contains(&at);
        let own = if is_failed {
            format!("    a_test.go:{at}: got {at}, want {}\n--- FAIL: TestA{at} (0.00s)\n", at + 1)
        } else {
            format!("--- PASS: TestA{at} (0.00s)\n")
        };
        let _ = write!(runs, "=== RUN   TestA{at}\n{own}");
        let _ = writeln!(
            unit,
            "test_{at} (t.T.test_{at}) ... {}",
            if is_failed { "FAIL" } else { "ok" }
        );
    }
    for at in failed {
        let (bar, rule) = ("=".repeat(70), "-".repeat(70));
        let _ = write!(
            unit,
            "\n{bar}\nFAIL: test_{at} (t.T.test_{at})\n{rule}\nTraceback (most recent call last):\n  File \"/app/t.py\", line {at}, in test_{at}\nAssertionError: {at} != {}\n",
            at + 1
        );
    }
    runs += "FAIL\nFAIL\texample.org/a\t0.312s\nFAIL\n";
    unit += "\nRan 60 tests in 0.002s\n\nFAILED (failures=4)\n";
    let short = fill(&runs, runs.len() / 3);
    for at in failed {
        assert!(short.contains(&format!("--- FAIL: TestA{at} ")), "{at}: {short}");
        assert!(short.contains(&format!("got {at}, want")), "{at}: {short}");
    }
    let short = fill(&unit, unit.len() / 2);
    for at in failed {
        assert!(short.contains(&format!("AssertionError: {at} != ")), "{at}: {short}");
    }
}

#[test]
fn a_row_is_rare_by_a_value_that_others_lack_or_by_lacking_theirs() {
    let table = |head: &str, own: &dyn Fn(usize) -> String| {
        let row =
            |at: usize| format!("{at},{},{}.5,{}\n", ["Ulm", "Bonn"][at % 2], at * 7, own(at));
        let rows: String = (0..150).map(row).collect();
        format!("{head}\n{rows}")
    };
    let noted = table("id,city,amount,note", &|at| {
        if at == 83 { "CHARGEBACK".into() } else { String::new() }
    });
    let owned = table("id,city,amount,owner", &|at| {
        if at == 83 { String::new() } else { ["ann", "bo"][at % 2].to_owned() }
    });
    for text in [noted, owned] {
        let short = fill(&text, 400);
        assert!(short.contains("\n83,Bonn,581.5,"), "{short}");
    }
}

#[test]
fn the_line_after_the_last_break_is_not_counted() {
    let line = |at: usize| format!("{at} lanterns of {at}9 were lit\n");
    let text: String = (0..200).map(line).collect();
    let short = fill(&text, 300);
    assert!(short.trim_end().ends_with("/200 lines]"), "{short}");
    assert!(fill(text.trim_end(), 300).trim_end().ends_with("/200 lines]"));
}
