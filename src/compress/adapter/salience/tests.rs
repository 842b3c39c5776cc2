use std::fmt::Write as _;

use super::weights::{BAD_STATE, DETAIL, ERROR, FAILED, LIST_HEAD, PARENT_DISCOUNT, PLACE, TOTAL};
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

/// The lines of a text that are asked for, from the one that is asked for most on.
fn asked(text: &str) -> Vec<&str> {
    ranked(text).into_iter().filter(|(_, weight)| *weight > 0).map(|(line, _)| line).collect()
}

#[test]
fn sections_of_settings_are_named_and_short_ones_shown() {
    let mut text = "[package]\nname = \"shop\"\nedition = \"2024\"\n\n[dependencies]\n".to_owned();
    for at in 0..40 {
        let _ = writeln!(text, "part-{at} = \"1.{at}\"");
    }
    text += "\n[profile.release]\nlto = true\nstrip = true\n";
    let asked = asked(&text);
    let place = |line: &str| asked.iter().position(|own| *own == line);
    for line in ["name = \"shop\"", "[dependencies]", "[profile.release]"] {
        assert!(place(line) < place("lto = true") && place(line).is_some(), "{line} {asked:?}");
    }
    assert_eq!(place("part-7 = \"1.7\""), None);
    // A list in brackets is none.
    assert!(weight("[x]\nit is so\nand so\n[y]\nand more\nof it\n", "[y]") < SECTION);
}

#[test]
fn of_a_history_both_ends_then_subjects_come_first() {
    let mut text = String::new();
    for at in 0..9 {
        let subject = if at == 5 { "Revert \"Cache prices\"".into() } else { format!("Step {at}") };
        let _ =
            writeln!(text, "commit {at}a1b2c3d4e5\nAuthor: A B\nDate: May {at}\n\n    {subject}\n");
    }
    let asked = asked(&text);
    let first: Vec<&str> = asked.iter().take(5).copied().collect();
    let ends = ["commit 0a1b2c3d4e5", "Step 0", "commit 8a1b2c3d4e5", "Step 8"];
    assert!(ends.iter().all(|line| first.contains(line)), "{asked:?}");
    let place = |line: &str| asked.iter().position(|own| *own == line).unwrap();
    assert!(place("Revert \"Cache prices\"") < place("Step 1"), "{asked:?}");
    assert!(place("Step 7") < place("commit 5a1b2c3d4e5"), "{asked:?}");
    assert!(place("commit 5a1b2c3d4e5") < place("commit 1a1b2c3d4e5"), "{asked:?}");
}

#[test]
fn what_assertions_compared_is_of_a_kind_of_its_own_each_time() {
    let mut text = "  3 failing\n".to_owned();
    for at in 1..4 {
        let _ = writeln!(
            text,
            "\n  {at}) cart {at}\n     Error: not equal\n\nExpected: 4{at}\nReceived: 3{at}"
        );
    }
    let lines = salience(&text);
    let own = |line: &str| lines[text.lines().position(|other| other == line).unwrap()];
    assert!(own("Expected: 43").weight > DETAIL && own("  3) cart 3").weight > DETAIL);
    assert_ne!(own("Expected: 43").kind, own("Expected: 41").kind);
    assert_ne!(own("  3) cart 3").kind, own("  1) cart 1").kind);
}

#[test]
fn where_an_error_is_and_what_a_caret_points_at_is_asked_for() {
    let text = "AssertionError: expected 26 to be 25\n\n- 25\n+ 26\n\n> src/cart.test.ts:41:27\n     40|   cart.add(3);\n     41|   expect(total).toBe(25);\n       |                 ^\n\nDone\n";
    assert_eq!(weight(text, "> src/cart.test.ts:41:27"), PLACE);
    assert_eq!(weight(text, "41|   expect(total).toBe(25);"), PLACE - 1);
    assert!(weight(text, "40|   cart.add(3);") < PLACE - 1);
    // A line of a file is no report, whatever it says.
    let around = "and so it goes on\nthen some more of it\n".repeat(8);
    let text = format!("{around}3 | use a::Error;\n{around}");
    assert!(salience(&text).iter().all(|line| !line.is_error));
}

#[test]
fn a_state_that_most_are_in_is_not_bad_and_a_paragraph_has_a_head() {
    let mut text = "Threads\n\n".to_owned();
    for at in 0..12 {
        let state = if at == 7 { "BLOCKED on a lock" } else { "WAITING for a job" };
        let _ = writeln!(text, "\"worker-{at}\" #{at}\nstate {state}\nat run\n");
    }
    let lines = salience(&text);
    let waiting = text.lines().position(|line| line == "\"worker-4\" #4").unwrap() + 1;
    assert_eq!(lines[waiting].weight, 0);
    assert!(weight(&text, "state BLOCKED on a lock") >= BAD_STATE);
    assert!(weight(&text, "\"worker-7\" #7") >= BAD_STATE - PARENT_DISCOUNT);
    assert_eq!(weight(&text, "\"worker-4\" #4"), 0);
}

#[test]
fn lists_are_announced_and_messages_follow_a_colon() {
    let text = "On branch main\nYour branch and 'origin/main' have diverged,\nand have 3 and 7 different commits each.\n\nUnmerged paths:\n  both modified:   src/table.rs\n\nUntracked files:\n  a.txt\n  b.txt\n  c.txt\n  d.txt\n  e.txt\n  f.txt\n  g.txt\n\nerror: 1 error occurred:\n  StorageFull: no space\n\nnothing more\n";
    assert!(weight(text, "and have 3 and 7 different commits each.") >= TOTAL - 1);
    assert!(weight(text, "both modified:   src/table.rs") >= FAILED);
    assert!(weight(text, "Untracked files:") >= LIST_HEAD - 2);
    assert!(weight(text, "StorageFull: no space") >= ERROR - 1);
}

#[test]
fn calls_of_the_program_come_before_those_of_libraries() {
    let text = "Traceback (most recent call last):\n  File \"/lib/site-packages/airflow/models.py\", line 767, in run\n  File \"/dags/rates.py\", line 64, in load\n  File \"/lib/site-packages/psycopg2/extras.py\", line 299, in execute\nUniqueViolation: duplicate key\n";
    let lines = salience(text);
    assert!(lines[2].weight > lines[1].weight && lines[2].weight > lines[3].weight, "{lines:?}");
}

#[test]
fn a_head_of_columns_reports_nothing() {
    let text = "Type     Name       # fails    Errors\n--------|----------|----------|------\nGET      /          0          0\n\nerror: no such host\n";
    let lines = salience(text);
    assert!(!lines[0].is_error && lines[4].is_error, "{lines:?}");
}
