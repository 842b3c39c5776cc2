//! `lines`: lines in a row that begin alike. What all of them begin with is in the header, and each
//! line shows the rest of it as it was written.
//!
//! ```text
//! §lines 3 begin with "\tmodified:   "
//! src/http/body.rs
//! src/http/layer.rs
//! src/json/mod.rs
//! ```
//!
//! A beginning ends after a blank, so that each word, number and path is written as it was.

use super::error_lines::is_large_share;
use super::weight::weight;
use super::{
    BlockBody, ErrorLines, FoundBlock, Notation, NotationBlock, NotationKind, quote, unquote,
};
use crate::compress::gaps::is_gap_line;
use crate::compress::text::common;
use crate::domain::ValueClass;

/// What the arguments of a header are before the beginning.
const BEGIN_WORDS: &str = "begin with ";
/// Bytes of the shortest beginning.
const MIN_BEGINNING_BYTES: usize = 6;
/// About how many tokens a header takes, its beginning aside.
const HEADER_TOKENS: i64 = 9;

/// Lines with a common beginning; see the module.
#[derive(Debug)]
pub(crate) struct BeginningNotation;

impl Notation for BeginningNotation {
    fn name(&self) -> &'static str {
        "lines"
    }

    fn encode(&self, lines: &[&str], values: ValueClass) -> Vec<FoundBlock> {
        self.encode_seen(lines, values, &mut ErrorLines::new(lines.len()))
    }

    fn encode_seen(
        &self,
        lines: &[&str],
        _: ValueClass,
        seen: &mut ErrorLines<'_>,
    ) -> Vec<FoundBlock> {
        let mut cuts = shared_cuts(lines);
        // Lines that stay whole part runs: where nothing is saved without them, nothing is with them.
        if find_runs(lines, &cuts).is_empty() {
            return Vec::new();
        }
        leave_whole_lines(lines, &mut cuts, seen);
        let block = |run: LineRun| {
            let rows = lines.get(run.first..=run.last)?;
            let beginning = rows.first()?.get(..run.cut)?;
            let mut body = BlockBody::with_capacity(rows.iter().map(|row| row.len() + 1).sum());
            for row in rows {
                body.push(row.get(run.cut..)?);
            }
            let args = format!("{BEGIN_WORDS}{}", quote(beginning));
            Some(FoundBlock { lines: run.first..run.last + 1, block: NotationBlock { args, body } })
        };
        find_runs(lines, &cuts).into_iter().filter_map(block).collect()
    }

    /// A line saves no more than what it shares with the one above or with the one below.
    fn at_most(&self, lines: &[&str]) -> Option<usize> {
        Some(shared_cuts(lines).iter().map(|cut| 2 * cut).sum())
    }

    fn kind(&self, _: &str, _: &[&str]) -> NotationKind {
        NotationKind::Beginning
    }

    fn decode(&self, args: &str, body: &[&str], limit: usize) -> Option<String> {
        let beginning = unquote(args.strip_prefix(BEGIN_WORDS)?)?;
        if beginning.contains(['\n', super::MARK]) {
            return None;
        }
        let mut out = String::new();
        for (at, row) in body.iter().enumerate() {
            let needed = usize::from(at > 0) + beginning.len() + row.len();
            if needed > limit.checked_sub(out.len())? {
                return None;
            }
            if at > 0 {
                out.push('\n');
            }
            out.push_str(&beginning);
            out.push_str(row);
        }
        Some(out)
    }
}

/// For each line but the last, the bytes that it and the one below may be cut after.
fn shared_cuts(lines: &[&str]) -> Vec<usize> {
    let pairs = lines.iter().zip(lines.iter().skip(1));
    pairs.map(|(above, below)| shared_cut(above, below)).collect()
}

/// Lines that report errors stay whole, unless errors are what the text consists of; so do marks of
/// what is left out.
fn leave_whole_lines(lines: &[&str], cuts: &mut [usize], seen: &mut ErrorLines<'_>) {
    let reports: Vec<bool> =
        lines.iter().enumerate().map(|(at, line)| seen.reports(at, line)).collect();
    let count = reports.iter().filter(|reports| **reports).count();
    let are_rows = is_large_share(count, lines.len()) && seen.are_rows();
    let stays = |at: usize| {
        reports.get(at).is_some_and(|reports| *reports && !are_rows)
            || lines.get(at).is_some_and(|line| is_gap_line(line))
    };
    for (at, cut) in cuts.iter_mut().enumerate() {
        if *cut > 0 && (stays(at) || stays(at + 1)) {
            *cut = 0;
        }
    }
}

/// Bytes of the longest common beginning of two lines that ends after a blank and leaves something of
/// both.
fn shared_cut(above: &str, below: &str) -> usize {
    let alike = common(above.as_bytes(), below.as_bytes());
    let most = alike.min(above.len().saturating_sub(1)).min(below.len().saturating_sub(1));
    let shared = above.as_bytes().get(..most).unwrap_or_default();
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let cut = shared.iter().rposition(is_blank).map_or(0, |last| last + 1);
    let has_words = shared.iter().take(cut).any(|byte| !byte.is_ascii_whitespace());
    if cut >= MIN_BEGINNING_BYTES && has_words { cut } else { 0 }
}

/// Lines that have a beginning in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct LineRun {
    first: usize,
    /// The last line, which is one of them.
    last: usize,
    /// Bytes of the beginning.
    cut: usize,
}

/// A run that goes on, and what was found within it.
struct OpenRun {
    first: usize,
    cut: usize,
    /// Number of runs that were found before its first line.
    found: usize,
    /// What the runs that were found within it save.
    inner_gain: i64,
}

/// The disjoint runs that save most, in order. Runs lie within each other: one is taken if it saves
/// more than those within it together.
fn find_runs(lines: &[&str], cuts: &[usize]) -> Vec<LineRun> {
    let mut found: Vec<LineRun> = Vec::new();
    let mut open: Vec<OpenRun> = Vec::new();
    for (at, cut) in cuts.iter().copied().chain([0]).enumerate() {
        let mut next = OpenRun { first: at, cut, found: found.len(), inner_gain: 0 };
        while let Some(run) = open.pop_if(|run| run.cut > cut) {
            let inner = run.inner_gain + next.inner_gain;
            let own = LineRun { first: run.first, last: at, cut: run.cut };
            let gain = gain(lines, own);
            if gain > inner {
                found.truncate(run.found);
                found.push(own);
            }
            next = OpenRun { cut, inner_gain: gain.max(inner), ..run };
        }
        match open.last_mut() {
            Some(run) if run.cut == cut => run.inner_gain += next.inner_gain,
            _ if cut > 0 => open.push(next),
            _ => {}
        }
    }
    found
}

/// About how many tokens a run saves.
fn gain(lines: &[&str], run: LineRun) -> i64 {
    let beginning = lines.get(run.first).and_then(|line| line.get(..run.cut)).unwrap_or_default();
    // A word takes the blank before it along.
    let each = weight(beginning.trim_ascii_end());
    let others = i64::try_from(run.last - run.first).unwrap_or(i64::MAX);
    each.saturating_mul(others) - HEADER_TOKENS
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Headers and bodies of the blocks of some lines, and the lines between them.
    fn shown(lines: &[&str]) -> String {
        let mut out: Vec<String> = Vec::new();
        let mut next = 0;
        for FoundBlock { lines: range, block } in BeginningNotation.encode(lines, ValueClass::Plain)
        {
            out.extend(lines[next..range.start].iter().map(|line| (*line).to_owned()));
            out.push(format!("§lines {} {}", block.body.len(), block.args));
            out.extend(block.body.lines().map(str::to_owned));
            next = range.end;
        }
        out.extend(lines[next..].iter().map(|line| (*line).to_owned()));
        out.join("\n")
    }

    fn check(lines: &[&str]) -> Result<(), TestCaseError> {
        let mut end = 0;
        for FoundBlock { lines: range, block } in BeginningNotation.encode(lines, ValueClass::Plain)
        {
            prop_assert!(range.start >= end && range.end <= lines.len());
            end = range.end;
            let body: Vec<&str> = block.body.lines().collect();
            let text = lines[range].join("\n");
            let back = BeginningNotation.decode(&block.args, &body, text.len());
            prop_assert_eq!(back, Some(text.clone()));
            prop_assert_eq!(BeginningNotation.decode(&block.args, &body, text.len() - 1), None);
        }
        Ok(())
    }

    #[test]
    fn what_lines_begin_with_is_in_the_header() {
        let lines: Vec<String> = ["body", "layer", "problem", "query", "router", "server"]
            .map(|name| format!("\tmodified:   src/http/{name}.rs"))
            .to_vec();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        assert_eq!(
            shown(&lines),
            "§lines 6 begin with \"\\tmodified:   \"\nsrc/http/body.rs\nsrc/http/layer.rs\nsrc/http/problem.rs\nsrc/http/query.rs\nsrc/http/router.rs\nsrc/http/server.rs"
        );
    }

    #[test]
    fn words_numbers_times_and_paths_stay_whole() {
        for (above, below, beginning) in [
            ("2026-03-02T10:00:07Z INFO a", "2026-03-02T10:00:08Z INFO b", ""),
            ("2026-03-02 10:00:07 INFO a", "2026-03-02 10:00:08 INFO b", "2026-03-02 "),
            ("took 417 ms", "took 418 ms", ""),
            ("worker took 417 ms", "worker took 41 ms", "worker took "),
            ("src/http/body.rs", "src/http/layer.rs", ""),
            ("moved src/http/body.rs", "moved src/http/layer.rs", "moved "),
            ("of src/http/a b", "of src/http/a c", "of src/http/a "),
            ("on 24/05/2024 x", "on 24/05/2025 y", ""),
            ("fetch https://a.example/b", "fetch https://a.example/c", "fetch "),
            ("           let a", "           let b", "           let "),
            ("            a", "            b", ""),
            ("listing src/", "listing src/a", "listing "),
            ("-rw-r--r-- 1 ann    417 a", "-rw-r--r-- 1 ann  20417 b", "-rw-r--r-- 1 ann  "),
        ] {
            let cut = shared_cut(above, below);
            assert_eq!(&above[..cut], beginning, "{above}");
        }
    }

    #[test]
    fn the_runs_that_save_most_are_taken() {
        let entry = |place: &str, at: usize| format!("stored in the shop {place} box-{at}");
        let lines: Vec<String> = (0..8)
            .map(|at| entry("below", at))
            .chain((0..8).map(|at| entry("on the second shelf of the eastern hall", at)))
            .chain(["stored in the yard".to_owned(), "other words".to_owned()])
            .collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let shown = shown(&lines);
        let headers: Vec<&str> = shown.lines().filter(|line| line.starts_with('§')).collect();
        assert_eq!(
            headers,
            [
                "§lines 8 begin with \"stored in the shop below \"",
                "§lines 8 begin with \"stored in the shop on the second shelf of the eastern hall \""
            ]
        );
    }

    #[test]
    fn errors_and_marks_of_what_is_left_out_stay_whole() {
        let lines: Vec<String> = (0..12)
            .map(|at| match at {
                5 => "the queue of the second hall: error, no room for box 5".to_owned(),
                8 => "[… 6 lines]".to_owned(),
                _ => format!("the queue of the second hall: box {at} is stored"),
            })
            .collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let shown = shown(&lines);
        assert!(shown.starts_with("§lines 5 begin with \"the queue of the second hall: box \""));
        for whole in [lines[5], lines[8]] {
            assert!(shown.lines().any(|line| line == whole), "{shown}");
        }
    }

    #[test]
    fn what_is_no_block_of_ours_is_refused() {
        for args in ["", "begin with", "begin with x", "begin with \"a\\n\"", "begin with \"§\""] {
            assert_eq!(BeginningNotation.decode(args, &["a"], 100), None, "{args}");
        }
        assert_eq!(
            BeginningNotation.decode("begin with \"a \"", &["b", ""], 100),
            Some("a b\na ".to_owned())
        );
    }

    proptest! {
        #[test]
        fn lines_decode_to_themselves(
            lines in prop::collection::vec(
                "(the queue of |src/http/|\t|é ü |2026-05-01 ){0,3}[a-c ]{0,4}", 1..40,
            ),
        ) {
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            check(&lines)?;
        }

        #[test]
        fn any_block_is_read_without_panic(args in "begin with \"[ -~é]{0,6}\"|.*", rows in prop::collection::vec(".{0,9}", 0..6)) {
            let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
            if let Some(text) = BeginningNotation.decode(&args, &rows, 40) {
                prop_assert!(text.len() <= 40);
            }
        }
    }
}
