//! The ratios that a benchmark prints, next to those of the last release in `benches/baseline.json`.
//!
//! `UPDATE_BASELINE=1 cargo bench` writes them again. They are ratios of times measured by turns in one run, so they
//! mean the same on another machine, give or take its noise.
#![expect(clippy::expect_used, clippy::indexing_slicing, reason = "a benchmark, not the service")]

use std::collections::BTreeMap;
use std::fs;

use serde_json::{Value, json};

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/baseline.json");
const MEMBER: &str = "ratios";

/// Ratios by name, such as `compile.warm.4000`.
#[derive(Default)]
pub(crate) struct Ratios(BTreeMap<String, f64>);

impl Ratios {
    pub(crate) fn note(&mut self, name: impl Into<String>, ratio: f64) {
        self.0.insert(name.into(), (ratio * 100.0).round() / 100.0);
    }

    /// Prints each ratio next to that of the last release, or writes them all to the file.
    pub(crate) fn finish(self) {
        let text = fs::read_to_string(PATH).expect("the baseline");
        let mut baseline: Value = serde_json::from_str(&text).expect("the baseline is JSON");
        println!("\n{:<32} {:>7} {:>13}", "ratio", "now", "last release");
        for (name, now) in &self.0 {
            let before = baseline[MEMBER][name].as_f64();
            let before = before.map_or("-".to_owned(), |before| format!("{before:.2}"));
            println!("{name:<32} {now:>7.2} {before:>13}");
        }
        if std::env::var_os("UPDATE_BASELINE").is_none() {
            return;
        }
        for (name, now) in self.0 {
            baseline[MEMBER][name] = json!(now);
        }
        let text = serde_json::to_string_pretty(&baseline).expect("JSON");
        fs::write(PATH, text + "\n").expect("the baseline is written");
    }
}
