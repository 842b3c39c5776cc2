use std::fmt::Write as _;

use super::*;

/// The lines of a text from the one that is asked for most on, and its weight.
fn ranked(text: &str) -> Vec<(&str, u8)> {
    let weights = salience(text);
    let mut lines: Vec<(&str, u8)> =
        text.lines().zip(&weights).map(|(line, own)| (line.trim(), own.weight)).collect();
    lines.sort_by_key(|(_, weight)| std::cmp::Reverse(*weight));
    lines
}

fn weight(text: &str, line: &str) -> u8 {
    let found = ranked(text).into_iter().find(|(own, _)| *own == line);
    found.unwrap_or_else(|| panic!("{line:?} is no line of:\n{text}")).1
}

#[test]
fn one_of_each_kind_of_error_comes_before_a_second_of_any() {
    let mut text = String::from("begin\n");
    for at in 0..40 {
        let _ = writeln!(text, "12:00:{at:02} ERROR timeout of pool-{at} after {at} ms");
        let _ = writeln!(text, "12:00:{at:02} INFO job {at} was done");
    }
    text += "12:01:00 ERROR disk /dev/sda is full\nend\n";
    let ranked = ranked(&text);
    let errors: Vec<&str> = ranked.iter().take(2).map(|(line, _)| *line).collect();
    assert_eq!(
        errors,
        ["12:00:00 ERROR timeout of pool-0 after 0 ms", "12:01:00 ERROR disk /dev/sda is full"]
    );
}

#[test]
fn what_a_failed_test_printed_is_asked_for() {
    let mut text = String::new();
    for at in 0..30 {
        let _ = writeln!(text, "=== RUN   TestA/case_{at}\n    a_test.go:3: posting {at}");
        text += if at == 7 { "    a_test.go:9: Post(7) = account closed\n" } else { "" };
    }
    for at in 0..30 {
        let verdict = if at == 7 { "FAIL" } else { "PASS" };
        let _ = writeln!(text, "--- {verdict}: TestA/case_{at} (0.00s)");
    }
    let told = weight(&text, "a_test.go:9: Post(7) = account closed");
    assert!(told > weight(&text, "a_test.go:3: posting 8") && told >= RUN_DETAIL - 2);
    assert!(
        weight(&text, "--- FAIL: TestA/case_7 (0.00s)")
            > weight(&text, "--- PASS: TestA/case_8 (0.00s)")
    );
}

#[test]
fn a_row_in_a_rare_state_is_asked_for_whatever_draws_the_columns() {
    for (open, between) in [("| ", " | "), ("", "\t"), ("", "   ")] {
        let row = |at: usize| {
            let state = if at == 31 { "down" } else { "up" };
            format!("{open}{at}{between}service-{at}{between}{state}{between}team {}\n", at % 3)
        };
        let text: String = (10..60).map(row).collect();
        let rare = row(31);
        assert!(weight(&text, rare.trim()) >= RARE_WORD, "{rare}");
        assert_eq!(weight(&text, row(32).trim()), 0, "{rare}");
    }
}

#[test]
fn totals_and_changes_are_asked_for() {
    let text = "Refreshing state...\n\n  # a_b.c will be created\n  + resource \"a_b\" \"c\" {\n      + id = (known after apply)\n    }\n\nPlan: 1 to add, 0 to change, 0 to destroy.\n\nNote: x\n";
    assert!(weight(text, "# a_b.c will be created") >= CHANGE);
    assert!(weight(text, "Plan: 1 to add, 0 to change, 0 to destroy.") >= TOTAL);
    assert!(weight(text, "+ id = (known after apply)") < DETAIL);
}
