//! Payloads as they are: each input in `inputs/` compiled for every target, reviewed like code.
//!
//! `INSTA_UPDATE=always cargo test golden` writes the snapshots anew.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::compile::{compile_in, services};
use crate::support::generate::TARGETS;

/// All targets' payloads of one request, with what the report says of losses.
fn payloads(input: &Path) -> String {
    let text = std::fs::read_to_string(input).expect("an input");
    let mut body: Value = serde_json::from_str(&text).expect("JSON");
    let services = services();
    let mut shown = String::new();
    for target in TARGETS {
        body["target"] = json!(target);
        let compiled = compile_in(&services, &body).expect("an answer");
        let verdict = crate::support::valid::check(target, &compiled.payload);
        assert_eq!(verdict, Ok(()), "{target}");
        let payload = serde_json::to_string_pretty(&compiled.payload).expect("JSON");
        let _ = writeln!(shown, "== {target}\n{payload}");
        let _ = writeln!(shown, "{}", compiled.report["summary"].as_str().expect("a sentence"));
        for list in ["degraded", "repairs", "warnings"] {
            for note in compiled.report[list].as_array().expect("notes") {
                let [code, pointer, detail] = ["code", "pointer", "detail"]
                    .map(|key| note[key].as_str().unwrap_or_default().to_owned());
                let _ = writeln!(shown, "{list}: {code} {pointer}: {detail}");
            }
        }
    }
    shown
}

#[test]
fn payloads_are_as_reviewed() {
    insta::glob!("inputs/*.json", |input| insta::assert_snapshot!(payloads(input)));
}
