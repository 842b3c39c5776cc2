//! Reports of tools that are rows, whatever kinds of text they are taken for.

use super::*;
use crate::compress::notation::reports_error;

/// The form of a result by itself with computed values, after the forms of every class were decoded
/// to the very bytes.
fn shown(text: &str) -> ShownForm {
    let (engine, counter) = (Engine::new(), Counter::new());
    let text: Arc<str> = text.into();
    for (_, notations) in AllowedNotations::WORDS {
        let encoder = Encoder::new(&engine, &counter, TokenizerName::O200kBase, Lossless::Exact);
        let mut encoder = encoder.with_notations(*notations);
        let form = encoder.encode_result(std::slice::from_ref(&text), EditLimit::Free).remove(0);
        let shown = form.text.clone().unwrap_or_else(|| Arc::clone(&text));
        let mut reader = Decoder::new(1 << 20);
        match reader.decode_result(std::slice::from_ref(&shown)).remove(0) {
            DecodedText::Same => assert_eq!(shown, text),
            DecodedText::Text(back) => assert_eq!(back, *text),
            DecodedText::Missing => panic!("not decoded: {shown}"),
        }
    }
    let encoder = Encoder::new(&engine, &counter, TokenizerName::O200kBase, Lossless::Equivalent);
    encoder.with_notations(AllowedNotations::Computed).encode_alone(&text, None)
}

/// Hundredths of the tokens that a form saves.
fn saved(form: &ShownForm) -> u64 {
    100 - form.tokens_after * 100 / form.tokens_before
}

fn each(count: usize, entry: impl Fn(usize) -> String) -> String {
    (0..count).map(entry).collect::<Vec<_>>().concat()
}

#[test]
fn reports_that_look_like_source_or_yaml_are_rows() {
    let plan = each(12, |n| {
        format!(
            "  # bucket.logs[\"r{n}\"] will be created\n  + resource \"bucket\" \"logs\" {{\n      + id   = (known after apply)\n      + tags = {{\n          + zone = \"eu-{}\"\n          + name = \"logs-r{n}\"\n        }}\n    }}\n\n",
            n % 3
        )
    });
    let policy = each(12, |n| {
        format!(
            "lib{}-{n}:\n  Installed: 1.{n}.2-3\n  Candidate: 1.{n}.4-1\n  Version table:\n *** 1.{n}.2-3 500\n        500 http://deb.example.org/stable main amd64\n        100 /var/lib/packages/status\n",
            ["z", "png", "ssl"][n % 3]
        )
    });
    let panic = each(12, |n| {
        format!(
            "goroutine {n} [select]:\nmain.(*Pool).work(0xc0000{n}, 0x{n}f)\n\t/srv/app/pool/worker.go:{}\ncreated by main.NewPool\n\t/srv/app/pool/pool.go:88\n\n",
            40 + n
        )
    });
    let locked = each(12, |n| {
        format!(
            "[[package]]\nname = \"part-{n}\"\nversion = \"0.{n}.1\"\nsource = \"registry+https://index.example.org/crates\"\n\n"
        )
    });
    for (name, text, least) in
        [("plan", plan, 40), ("policy", policy, 35), ("panic", panic, 25), ("lock", locked, 35)]
    {
        let form = shown(&text);
        assert!(form.rules.iter().any(|rule| rule == "template"), "{name}: {:?}", form.rules);
        assert!(saved(&form) >= least, "{name}: {} {:?}", saved(&form), form.text);
    }
}

#[test]
fn programs_stay_as_they_are() {
    let rust = each(12, |n| {
        format!(
            "/// Reads field {n}.\npub fn field_{n}(text: &str) -> Option<&str> {{\n    let mut fields = text.split(',');\n    fields.nth({n})\n}}\n\n"
        )
    });
    let python = each(12, |n| {
        format!(
            "def field_{n}(text):\n    fields = text.split(\",\")\n    return fields[{n}]\n\n\n"
        )
    });
    for text in [rust, python] {
        assert_eq!(shown(&text).text, None);
    }
}

#[test]
fn tables_and_added_lines_are_rows() {
    let table = each(30, |n| format!("| {n} | host-{n} | ready | rack {} of hall 2 |\n", n % 7));
    let table = format!("| id | name | state | place |\n|---|---|---|---|\n{table}");
    let added =
        each(30, |n| format!("+INSERT INTO places VALUES ({n}, 'hall {}', 'open');\n", n % 7));
    let diff = format!(
        "diff --git a/seed.sql b/seed.sql\n--- a/seed.sql\n+++ b/seed.sql\n@@ -1,2 +1,32 @@\n BEGIN;\n{added} COMMIT;\n"
    );
    for (name, text) in [("table", table), ("diff", diff)] {
        let form = shown(&text);
        assert!(form.rules.iter().any(|rule| rule == "template"), "{name}: {:?}", form.rules);
        assert!(saved(&form) >= 40, "{name}: {} {:?}", saved(&form), form.text);
    }
}

#[test]
fn few_errors_stay_whole_wherever_they_are() {
    // All that the log at the end says is errors; most of the text is not.
    let notes =
        each(60, |n| format!("Step {n} of the build writes its part of the report here.\n"));
    let errors =
        each(12, |n| format!("2024-05-01 12:00:{n:02} ERROR pool-{n}: connection refused\n"));
    let mixed = format!("{notes}\n{errors}");
    let form = shown(&mixed);
    let shown_text = form.text.as_deref().unwrap_or(&mixed);
    for line in mixed.lines().filter(|line| reports_error(line)) {
        assert!(shown_text.lines().any(|shown| shown == line), "{line}\n{shown_text}");
    }
    let form = shown(&errors);
    assert!(form.rules.iter().any(|rule| rule == "template"), "{:?}", form.rules);
}
