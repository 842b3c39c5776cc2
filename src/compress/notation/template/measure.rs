//! Figures over logs of one's own: `scripts/make_logs.sh DIR`, then
//! `CONTEXTURE_LOGS=DIR cargo test --lib measure -- --nocapture`.

use std::io::Write as _;

use super::super::reports_error;
use super::tests::{decoded, shown};
use super::*;
use crate::domain::TokenizerName;
use crate::tokenizer::Counter;

/// Name and text of every log, if there is a folder of them.
fn logs() -> Vec<(String, String)> {
    let Some(folder) = crate::prerequisite::variable("logs") else { return Vec::new() };
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> =
        entries.filter(|file| file.extension().is_some_and(|end| end == "log")).collect();
    files.sort();
    assert!(!files.is_empty(), "CONTEXTURE_LOGS names a folder without logs");
    let text = |file: &std::path::PathBuf| {
        String::from_utf8_lossy(&std::fs::read(file).unwrap()).replace('§', "S")
    };
    let name = |file: &std::path::PathBuf| file.file_stem().unwrap().to_string_lossy().into_owned();
    files.iter().map(|file| (name(file), text(file))).collect()
}

fn say(line: &str) {
    writeln!(std::io::stderr(), "{line}").unwrap();
}

#[expect(clippy::cast_precision_loss, reason = "figures for people")]
fn saved(before: u64, after: u64) -> f64 {
    100.0 - 100.0 * after as f64 / before.max(1) as f64
}

#[test]
fn logs_decode_and_shrink() {
    let counter = Counter::new();
    let count = |text: &str| counter.count(TokenizerName::O200kBase, text);
    let mut sums = (0, 0);
    for (name, text) in logs() {
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(decoded(&lines), lines.join("\n"), "{name}");
        let (before, after) = (count(&lines.join("\n")), count(&shown(&lines)));
        sums = (sums.0 + before, sums.1 + after);
        say(&format!("{name:16} {before:8} {after:8} {:5.1} %", saved(before, after)));
    }
    say(&format!("{:16} {:8} {:8} {:5.1} %", "all", sums.0, sums.1, saved(sums.0, sums.1)));
    assert!(sums.0 == 0 || saved(sums.0, sums.1) >= 50.0);
}

#[test]
#[expect(clippy::cast_precision_loss, reason = "figures for people")]
fn logs_take_so_long() {
    let mut sums = (0.0, 0.0);
    for (name, text) in logs().into_iter().filter(|(_, text)| text.len() > 20_000) {
        let text = text.repeat(1_000_000 / text.len() + 1);
        let lines: Vec<&str> = text.lines().collect();
        let size = text.len() as f64 / 1e6;
        let seconds = |work: &dyn Fn() -> usize| {
            let start = std::time::Instant::now();
            std::hint::black_box(work());
            start.elapsed().as_secs_f64()
        };
        let severity = seconds(&|| lines.iter().filter(|line| reports_error(line)).count());
        let group =
            seconds(&|| group::groups(&lines, &mut ErrorLines::new(lines.len())).groups.len());
        let group::FormGroups { groups, words, .. } =
            group::groups(&lines, &mut ErrorLines::new(lines.len()));
        let shape = seconds(&|| {
            groups
                .iter()
                .filter_map(|group| {
                    shape::table(shape::GroupSource {
                        lines: &lines,
                        words: &words,
                        group,
                        values: ValueClass::Computed,
                    })
                })
                .count()
        });
        let all = seconds(&|| TemplateNotation.encode(&lines, ValueClass::Computed).len());
        sums = (sums.0 + size, sums.1 + all);
        say(&format!(
            "{name:16} severity {:5.0} group {:5.0} shape {:5.0} all {:5.0} MB/s",
            size / severity,
            size / group,
            size / shape,
            size / all
        ));
    }
    say(&format!("all {:5.0} MB/s", sums.0 / sums.1));
}
