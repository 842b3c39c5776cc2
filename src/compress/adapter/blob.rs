//! Base64: a long run keeps its head and says how long it is.
//!
//! The text around a run is offered to the adapters again. Tokens with dots and PEM blocks stay
//! whole: they are keys, and the head of a key is of no use.

use std::ops::Range;

use foldhash::HashSet;

use super::{AdapterAttempt, Cut, FormatAdapter, InnerTexts, Part};
use crate::compress::segment::{Kind, Span, is_base64_letter, segment};

/// Bytes of a run that is worth leaving out.
const MIN_RUN_BYTES: usize = 256;
/// Bytes of a run that stay.
const HEAD_BYTES: usize = 32;
const MARK_END: &str = " bytes of base64]";

/// The adapter of this module.
#[derive(Debug)]
pub(crate) struct BlobAdapter;

impl FormatAdapter for BlobAdapter {
    fn name(&self) -> &'static str {
        "blob"
    }

    fn finds_prose(&self) -> bool {
        true
    }

    fn detects(&self, part: Part<'_>) -> bool {
        // These know themselves what of theirs may go.
        let is_tree = |kind| {
            matches!(kind, Kind::Json | Kind::JsonLines | Kind::Xml | Kind::Yaml | Kind::Csv { .. })
        };
        !part.has(is_tree) && !runs(part.text, part.spans).is_empty()
    }

    fn attempt<'p>(&'p self, part: Part<'p>, inside: &mut dyn InnerTexts) -> AdapterAttempt<'p> {
        let runs: Vec<Cut> =
            runs(part.text, part.spans).iter().map(|run| cut(part.text, run)).collect();
        let rest = apply_cuts(part.text, &runs);
        let cuts = match inside.shorten(&rest) {
            // Without the runs, the text may be read as another, with other runs in it.
            Some(with) if is_marked(&rest, &with) => {
                vec![Cut { range: 0..part.text.len(), with }]
            }
            _ => runs,
        };
        AdapterAttempt::new(cuts, |after| self.holds(part.text, after))
    }

    fn holds(&self, before: &str, after: &str) -> bool {
        let cuts: Vec<Cut> =
            runs(before, &segment(before)).iter().map(|run| cut(before, run)).collect();
        let rest = apply_cuts(before, &cuts);
        rest == after || is_marked(&rest, after)
    }
}

/// Whether each mark of `after` is one of `before`.
fn is_marked(before: &str, after: &str) -> bool {
    let known: HashSet<&str> = marks(before).collect();
    marks(after).all(|mark| known.contains(mark))
}

fn cut(text: &str, run: &Range<usize>) -> Cut {
    let all = text.get(run.clone()).unwrap_or_default();
    let bytes = all.bytes().filter(|byte| is_base64_letter(*byte)).count();
    let head = all.get(..HEAD_BYTES).unwrap_or_default();
    Cut { range: run.clone(), with: format!("{head}… [{bytes}{MARK_END}") }
}

fn apply_cuts(text: &str, cuts: &[Cut]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    for Cut { range, with } in cuts {
        out.push_str(text.get(copied..range.start).unwrap_or_default());
        out.push_str(with);
        copied = range.end;
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    out
}

/// The marks of a text, with the heads before them.
fn marks(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices(MARK_END).filter_map(|(end, unit)| {
        let open = text.get(..end)?.rfind("… [")?;
        text.get(open.checked_sub(HEAD_BYTES)?..end + unit.len())
    })
}

/// Long runs of base64, in order.
fn runs(text: &str, spans: &[Span]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for span in spans {
        let part = text.get(span.range.clone()).unwrap_or_default();
        let bare = part.trim();
        let start = span.range.start + part.len() - part.trim_start().len();
        let is_lines = span.kind == Kind::Base64
            && bare.len() >= MIN_RUN_BYTES
            && bare.bytes().all(|byte| is_base64_letter(byte) || matches!(byte, b'\n' | b'\r'));
        if is_lines {
            found.push(start..start + bare.len());
        } else {
            in_line(text, &span.range, &mut found);
        }
    }
    found
}

/// Finds the runs of some bytes: every so many bytes one must lie in a run that is long enough.
fn in_line(text: &str, range: &Range<usize>, found: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes().get(..range.end).unwrap_or_default();
    let mut at = range.start + MIN_RUN_BYTES - 1;
    let mut from = range.start;
    while let Some(byte) = bytes.get(at) {
        if !is_base64_letter(*byte) {
            at += MIN_RUN_BYTES;
            continue;
        }
        let before = bytes.get(from..at).unwrap_or_default();
        let start = at - before.iter().rev().take_while(|byte| is_base64_letter(**byte)).count();
        let behind = bytes.get(at..).unwrap_or_default();
        let end = at + behind.iter().take_while(|byte| is_base64_letter(**byte)).count();
        if end - start >= MIN_RUN_BYTES && is_blob(text, start..end) {
            found.push(start..end);
        }
        from = end;
        at = end + MIN_RUN_BYTES;
    }
}

/// Whether a run is base64 rather than a path, a rule or a long name, and no part of a token.
fn is_blob(text: &str, run: Range<usize>) -> bool {
    let before = text.as_bytes().get(..run.start).unwrap_or_default();
    let behind = text.as_bytes().get(run.end..).unwrap_or_default();
    if before.ends_with(b"base64,") {
        return true;
    }
    let is_token = before.ends_with(b".")
        || matches!(behind, [b'.', next, ..] if is_base64_letter(*next))
        || before.ends_with(b"-----\n");
    let all = text.as_bytes().get(run).unwrap_or_default();
    let count = |holds: fn(&u8) -> bool| all.iter().filter(|byte| holds(byte)).count();
    let least = all.len() / 32;
    !is_token
        && count(u8::is_ascii_uppercase) > least * 3
        && count(u8::is_ascii_lowercase) > least * 3
        && count(u8::is_ascii_digit) > least
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use proptest::prelude::*;

    use super::super::fixture::{PROSE, SHORT_PROSE, shortened, shown};
    use super::super::json::JsonAdapter;
    use super::*;

    fn base64(bytes: usize) -> String {
        let mut seed = 7_u32;
        let bytes: Vec<u8> = std::iter::repeat_with(|| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            seed.to_be_bytes()[0]
        })
        .take(bytes)
        .collect();
        base64::engine::general_purpose::STANDARD.encode(bytes)
    }

    #[test]
    fn long_runs_keep_their_heads() {
        let run = base64(600);
        let short = format!("{}… [800 bytes of base64]", &run[..32]);
        for (before, behind) in [
            ("", ""),
            ("src=\"data:image/png;base64,", "\" alt=\"x\""),
            ("2024-05-01 upload of ", " is done"),
        ] {
            let text = format!("{before}{run}{behind}");
            assert_eq!(shown(&BlobAdapter, &text), format!("{before}{short}{behind}"));
        }
        let lines = run
            .as_bytes()
            .chunks(76)
            .map(|line| format!("{}\n", String::from_utf8_lossy(line)))
            .collect::<Vec<_>>()
            .concat();
        assert_eq!(shown(&BlobAdapter, &lines), format!("{short}\n"));
    }

    #[test]
    fn what_stands_around_is_shortened_too() {
        let run = base64(600);
        let text = format!("{PROSE}\n\n{run}\n");
        let first = SHORT_PROSE.split_once(" The keys").unwrap().0;
        assert_eq!(
            shown(&BlobAdapter, &text),
            format!("{first}\n\n{}… [800 bytes of base64]\n", &run[..32])
        );
    }

    #[test]
    fn what_reads_as_another_text_without_its_runs_keeps_its_marks() {
        let text = "data:hhcyBhcyBtYW55IGNlIFNGFyYXRlZCB2YW\u{fffd}\u{fffd}\u{fffd}\u{fffd}IGxv… \u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{7}IHN0YW5kcyBDEBUGd2hvcuCiN\u{fffd}bZGVyaXnVW5Bbcm93OpDb3c7CnVzZSBz\n\
            CAgfQoKICAgIGZuIGRldGVjdHMoJnNlbGYsIHBhcnQ6ICi8vLyBCeXRlcyBvZiBhIGNaW5BhbQgd2hvc2Ugb3RoZXIgY2VsbHHN0ZDo6Ym9ycm93OjpDb3c7CnVzZSBz\n\
            vLyBCeXRlcyBvZiBhIGNaW5BhbQgd2hvc2Ugb3RoZXIgY2VsbHMgYXJlIGVtcHR5LgoKdXNlIHN0ZDo6Ym9ycm93OjpDb3c7CnVzZSBz\n\
            9ycm93OjpDb3c7CnVzZSBz\n\
            ";
        let shortened = super::super::shorten(&[&BlobAdapter], text, &|_, _| true);
        assert_eq!(shortened.reverted, Vec::<String>::new());
        assert!(shortened.text.is_some_and(|text| text.contains(" bytes of base64]")));
    }

    #[test]
    fn strings_in_json_are_reached() {
        let text = format!("{{\"name\":\"a.png\",\"data\":\"{}\"}}", base64(600));
        let shown = super::super::shorten(&[&JsonAdapter, &BlobAdapter], &text, &|_, _| true);
        assert_eq!(shown.used, ["json"]);
        assert!(shown.text.is_some_and(|text| text.ends_with("… [800 bytes of base64]\"}")));
    }

    #[test]
    fn keys_paths_and_rules_stay() {
        let run = base64(600);
        for text in [
            format!("eyJhbGciOiJIUzI1NiJ9.{run}.dozjgNryP4J3jVmNHl0w5N"),
            format!("-----BEGIN PRIVATE KEY-----\n{run}\n-----END PRIVATE KEY-----\n"),
            "=".repeat(900),
            "/usr/share/a-long-path/of-many-parts".repeat(20),
            "0123456789abcdef".repeat(40),
            run[..255].to_owned(),
        ] {
            assert_eq!(shown(&BlobAdapter, &text), text);
        }
    }

    #[test]
    fn a_mark_of_another_run_does_not_hold() {
        let text = format!("a {} b", base64(600));
        let good = shown(&BlobAdapter, &text);
        assert!(BlobAdapter.holds(&text, &good));
        assert!(!BlobAdapter.holds(&text, &good.replace("800", "801")));
        assert!(!BlobAdapter.holds(&text, &good.replace(&good[2..6], "AAAA")));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn every_long_run_is_found(parts in prop::collection::vec(("[ -~é\n]{0,20}", 0..400_usize), 1..6)) {
            let part = |(words, bytes): &(String, usize)| format!("{words} {} ", base64(*bytes));
            let text = parts.iter().map(part).collect::<Vec<_>>().concat();
            let whole = [Span { kind: Kind::Prose, range: 0..text.len() }];
            let found = runs(&text, &whole);
            prop_assert_eq!(found.len(), parts.iter().filter(|(_, bytes)| bytes.div_ceil(3) * 4 >= MIN_RUN_BYTES).count());
            prop_assert!(shortened(&BlobAdapter, &text).reverted.is_empty());
        }
    }
}
