//! `log`: logs, and what builds and test runs print. Every distinct line that reports an error
//! stays, with what belongs to the failure; then the totals, the head and the tail; then what is
//! new. What a tool says about each of many things goes first: tests that passed, crates that
//! were compiled, rows of one shape.

use super::failure::{is_passed, is_total, rank};
use super::line_choice::{LineRank, choose_cuts};
use super::line_shape::line_shape;
use super::page::{LinePage, attempt, has_lines, is_elided};
use super::progress::{ToolLines, is_data, is_put_out};
use super::{AdapterAttempt, FormatAdapter, InnerTexts, Part};
use crate::compress::segment::{Kind, Part as Structure, Span};

/// Hundredths of a text that make it what it is.
const MIN_LOG_PERCENT: usize = 50;
/// Lines that are not blank and stay at the beginning and at the end.
const HEAD_LINES: usize = 2;
const TAIL_LINES: usize = 3;
/// Lines of one shape that are a run.
const MIN_RUN_LINES: usize = 3;
/// The weight of a line of a new shape, in addition to its facts.
const NEW_SHAPE_WEIGHT: u32 = 1;
/// Weight of the first and the last line of a run.
const RUN_END_WEIGHT: u32 = 2;

/// Logs and the output of tests; see the module.
#[derive(Debug)]
pub(crate) struct LogAdapter;

impl FormatAdapter for LogAdapter {
    fn name(&self) -> &'static str {
        "log"
    }

    fn detects(&self, part: Part<'_>) -> bool {
        let own = |kind| matches!(kind, Kind::Log | Kind::Test | Kind::Trace);
        let is_other =
            |kind| matches!(kind, Kind::Fence | Kind::Diff | Kind::Json | Kind::Xml | Kind::Html);
        if part.has(is_other) {
            return false;
        }
        let is_log = part.has(|kind| matches!(kind, Kind::Log | Kind::Test));
        if is_log && share(part, own) >= MIN_LOG_PERCENT {
            return true;
        }
        // Each line alone may look like words, and still the lines are a tool's.
        let words = |kind| {
            own(kind)
                || matches!(
                    kind,
                    Kind::Prose
                        | Kind::Listing
                        | Kind::Search
                        | Kind::Csv { separator: b',' }
                        | Kind::Markdown(Structure::List)
                )
        };
        if !has_lines(part.text)
            || part.spans.iter().any(|span| is_document(span, part.text))
            || share(part, words) < MIN_LOG_PERCENT
        {
            return false;
        }
        let page = LinePage::new(part.text);
        let is_bare = share(part, |kind| kind == Kind::Prose) >= MIN_LOG_PERCENT
            && !part.has(|kind| matches!(kind, Kind::Markdown(_)));
        page.may_shrink() && (is_put_out(&page) || (is_bare && is_data(&page)))
    }

    fn holds(&self, before: &str, after: &str) -> bool {
        is_elided(before, after)
    }

    fn attempt<'p>(&'p self, part: Part<'p>, _: &mut dyn InnerTexts) -> AdapterAttempt<'p> {
        attempt(part.text, |page| choose_cuts(page, &ranks(page), part.ratio))
    }
}

/// Whether a part of a text belongs to a document that a person wrote. Tools rule lines, too.
fn is_document(span: &Span, text: &str) -> bool {
    let Kind::Markdown(part) = span.kind else { return false };
    match part {
        Structure::Heading => {
            let own = text.as_bytes().get(span.range.clone()).unwrap_or_default();
            !own.iter().all(|byte| b"-=_ \t\r\n".contains(byte))
        }
        Structure::Table | Structure::Quote => true,
        _ => false,
    }
}

/// Hundredths of a text that are of such kinds.
fn share(part: Part<'_>, kind: impl Fn(Kind) -> bool) -> usize {
    let own = part.spans.iter().filter(|span| kind(span.kind)).map(|span| span.range.len());
    own.sum::<usize>() * 100 / part.text.len().max(1)
}

fn ranks(page: &LinePage<'_>) -> Vec<LineRank> {
    let progress = ToolLines::new(page);
    let mut ranks: Vec<LineRank> =
        (0..page.len()).map(|at| line_rank(page, at, &progress)).collect();
    rank_runs(page, &mut ranks);
    rank(page, &mut ranks);
    let solid = |at: &usize| !page.is_blank(*at);
    let head = (0..page.len()).filter(solid).take(HEAD_LINES);
    for at in head.chain((0..page.len()).rev().filter(solid).take(TAIL_LINES)) {
        if let Some(rank) = ranks.get_mut(at) {
            *rank = LineRank::Must;
        }
    }
    ranks
}

/// Rank of a line by itself.
fn line_rank(page: &LinePage<'_>, at: usize, progress: &ToolLines) -> LineRank {
    let body = page.body(at);
    if is_passed(body) || progress.has(page, at) {
        LineRank::May(0)
    } else if is_total(body) {
        LineRank::Once
    } else if body.ends_with(':') && page.indent(at) == 0 {
        // Lines below are read under this one.
        LineRank::Should
    } else {
        LineRank::May(NEW_SHAPE_WEIGHT)
    }
}

/// The first and the last line of a run of lines of one shape show what the others are; these
/// stay for their facts alone.
fn rank_runs(page: &LinePage<'_>, ranks: &mut [LineRank]) {
    let shape = |at: usize| line_shape(page.line(at));
    // The line after the last run, and its shape if that was found.
    let (mut next, mut known) = (0, None);
    // Most lines of a test run are ranked already, and their shapes are not needed.
    while let Some(at) =
        (next..page.len()).find(|at| ranks.get(*at) == Some(&LineRank::May(NEW_SHAPE_WEIGHT)))
    {
        let own = known.filter(|_| at == next).unwrap_or_else(|| shape(at));
        let from = at - (next..at).rev().take_while(|before| shape(*before) == own).count();
        known = None;
        next = at + 1;
        while next < page.len() && known.is_none() {
            let behind = shape(next);
            if behind == own {
                next += 1;
            } else {
                known = Some(behind);
            }
        }
        if next - from >= MIN_RUN_LINES {
            for at in from..next {
                let is_end = at == from || at + 1 == next;
                if let Some(rank @ LineRank::May(NEW_SHAPE_WEIGHT)) = ranks.get_mut(at) {
                    *rank = LineRank::May(if is_end { RUN_END_WEIGHT } else { 0 });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compress::adapter::laws::{detects, short};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn lines_of_one_shape_are_a_run_whoever_ranked_them(
            lines in prop::collection::vec((0..3_usize, any::<bool>()), 0..24),
        ) {
            let shapes = ["took job 12\n", "lost job 7\n", "gave job 4 back\n"];
            let text: String = lines.iter().map(|(shape, _)| shapes[*shape]).collect();
            let own = |is_new| if is_new { LineRank::May(NEW_SHAPE_WEIGHT) } else { LineRank::Should };
            let mut ranks: Vec<LineRank> = lines.iter().map(|(_, is_new)| own(*is_new)).collect();
            let mut expected = Vec::new();
            for run in lines.chunk_by(|(a, _), (b, _)| a == b) {
                let rank = |(at, (_, is_new)): (usize, &(usize, bool))| match own(*is_new) {
                    LineRank::May(_) if run.len() < MIN_RUN_LINES => LineRank::May(NEW_SHAPE_WEIGHT),
                    LineRank::May(_) if at == 0 || at + 1 == run.len() => LineRank::May(RUN_END_WEIGHT),
                    LineRank::May(_) => LineRank::May(0),
                    rank => rank,
                };
                expected.extend(run.iter().enumerate().map(rank));
            }
            rank_runs(&LinePage::new(&text), &mut ranks);
            prop_assert_eq!(ranks, expected);
        }
    }

    fn holds(text: &str, lines: &[&str]) {
        for line in lines {
            assert!(text.lines().any(|shown| shown.trim_ascii() == *line), "{line} in:\n{text}");
        }
    }

    #[test]
    fn failures_of_cargo_stay_with_their_context() {
        let text = include_str!("fixtures/cargo_test.txt");
        let short = short(&LogAdapter, text);
        assert!(short.len() * 2 < text.len(), "{short}");
        holds(
            &short,
            &[
                "test planner::tests::keeps_the_order ... FAILED",
                "step 1: scan orders_by_day",
                "thread 'planner::tests::keeps_the_order' panicked at src/planner.rs:214:9:",
                "left: [\"sort\", \"scan\", \"limit\"]",
                "right: [\"scan\", \"sort\", \"limit\"]",
                "at ./src/planner.rs:214:9",
                "called `Result::unwrap()` on an `Err` value: Exhausted { attempts: 0 }",
                "test result: FAILED. 58 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.07s",
            ],
        );
        assert!(short.matches(" ... ok").count() < 20, "{short}");
    }

    #[test]
    fn failures_of_pytest_stay_with_their_context() {
        let text = include_str!("fixtures/pytest.txt");
        let short = short(&LogAdapter, text);
        assert!(short.len() * 2 < text.len(), "{short}");
        holds(
            &short,
            &[
                "_____________________________ test_rounds_half_up ______________________________",
                "price = Price(net=Decimal('2.675'), currency='EUR')",
                ">       assert total == Decimal(\"5.36\")",
                "E       AssertionError: assert Decimal('5.34') == Decimal('5.36')",
                "tests/test_pricing.py:48: AssertionError",
                "rounding 2.675 with ROUND_HALF_EVEN",
                "=================== 1 failed, 41 passed, 1 warning in 3.52s ====================",
            ],
        );
    }

    #[test]
    fn failures_of_other_runners_stay_with_their_context() {
        let text = include_str!("fixtures/jest.txt");
        let jest = short(&LogAdapter, text);
        assert!(jest.len() * 2 < text.len(), "{jest}");
        holds(
            &jest,
            &[
                "FAIL src/checkout/checkout.test.ts",
                "✕ keeps the voucher (17 ms)",
                "● checkout › keeps the voucher",
                "-   \"voucher\": \"SPRING-2024\",",
                "+   \"voucher\": null,",
                "> 43 |     expect(state.basket).toEqual({ voucher: \"SPRING-2024\" });",
                "at Object.<anonymous> (src/checkout/checkout.test.ts:43:26)",
                "Tests:       1 failed, 49 passed, 50 total",
            ],
        );
        let mocha = short(&LogAdapter, include_str!("fixtures/mocha.txt"));
        holds(
            &mocha,
            &[
                "1) refuses a bad name",
                "10 passing (212ms)",
                "2 failing",
                "1) users",
                "refuses a bad name:",
                "AssertionError: expected 200 to equal 422",
                "+422",
                "2) orders",
                "refunds:",
            ],
        );
        let go = short(&LogAdapter, include_str!("fixtures/go_test.txt"));
        holds(
            &go,
            &[
                "seek_test.go:74: got offset 1024, want 4096",
                "--- FAIL: TestSeek (0.02s)",
                "--- FAIL: TestSeek/large (0.02s)",
                "FAIL\texample.org/vfs/file\t0.214s",
            ],
        );
    }

    #[test]
    fn logs_keep_errors_and_the_frames_that_are_ours() {
        let text = include_str!("fixtures/service.txt");
        let short = short(&LogAdapter, text);
        assert!(short.len() * 2 < text.len(), "{short}");
        holds(
            &short,
            &[
                "2024-03-07T10:00:31.147Z ERROR billing: charge of order 88213 failed: connection refused (10.2.0.17:5432)",
                "File \"/srv/billing/charge.py\", line 118, in charge",
                "ConnectionRefusedError: 10.2.0.17:5432",
            ],
        );
        assert!(!short.contains("pool.py\", line 377"), "{short}");
    }

    #[test]
    fn a_verdict_between_many_is_in_sight() {
        let passed = |at: usize| format!("PASS tests/part_{at}.rs finished in good time\n");
        let mut text: String = (0..20).map(passed).collect();
        text.push_str("FAIL tests/gamma.rs expected 4 but got 5\n");
        text.extend((20..40).map(passed));
        text.push_str("Tests: 40 passed and 1 failed overall\n");
        let short = short(&LogAdapter, &text);
        holds(
            &short,
            &["FAIL tests/gamma.rs expected 4 but got 5", "Tests: 40 passed and 1 failed overall"],
        );
    }

    #[test]
    fn errors_of_compilers_stay_and_progress_goes() {
        let unpacked =
            |at: usize| format!("Unpacking part{at} (1.{at}) ...\nSetting up part{at} ...\n");
        let mut text: String = (0..40).map(unpacked).collect();
        text.push_str(
            "error[E0308]: mismatched types\n  --> src/a.rs:3:5\n   |\n12 |  let x: u8 = y;\n",
        );
        text.extend((40..60).map(unpacked));
        let short = short(&LogAdapter, &text);
        holds(
            &short,
            &["error[E0308]: mismatched types", "--> src/a.rs:3:5", "12 |  let x: u8 = y;"],
        );
        assert!(short.len() * 2 < text.len(), "{short}");
    }

    #[test]
    fn reports_by_place_are_no_rows() {
        let warning = |at: usize| {
            format!(
                "/srv/shop/Part{at}.cs({at},17): warning CS0168: The variable 'a' is never used\n"
            )
        };
        let error = "/srv/shop/Till.cs(40,9): error CS0103: The name 'price' does not exist\n";
        let text: String = (10..30).map(warning).chain([error.to_owned()]).collect();
        let text = text + &(30..50).map(warning).collect::<String>();
        assert!(!detects(&crate::compress::adapter::csv::CsvAdapter, &text));
        let short = short(&LogAdapter, &text);
        assert!(short.contains(error) && short.len() * 2 < text.len(), "{short}");
    }

    #[test]
    fn repeats_are_counted() {
        let text = format!(
            "{}ERROR: lock is held by 4711\n",
            "ERROR: lock is held by 4711\nINFO: waiting for it\n".repeat(40)
        );
        assert_eq!(
            short(&LogAdapter, &text),
            "ERROR: lock is held by 4711\nINFO: waiting for it\n[… 76 lines as above]\n\
            ERROR: lock is held by 4711\nINFO: waiting for it\nERROR: lock is held by 4711\n"
        );
    }

    #[test]
    fn prose_is_no_log() {
        assert!(!detects(&LogAdapter, "Words that go on and on.\nAnd more of them.\n"));
    }

    #[test]
    fn values_that_each_assertion_compared_stay() {
        let passing = |at: usize| format!("    ✔ part {at} is read and kept\n");
        let passed: String = (0..30).map(passing).collect();
        let failed: String = [11, 3, 7]
            .map(|at| {
                format!(
                    "  {at}) basket {at}\n       adds line {at}:\n     Error: expect(received).toBe(expected) // Object.is equality\n\nExpected: {at}47\nReceived: {at}40\n      at Context.<anonymous> (t/m{at}.spec.js:{at}:103)\n      at process.processImmediate (node:internal/timers:483:21)\n\n"
                )
            })
            .concat();
        let short =
            short(&LogAdapter, &format!("{passed}  30 passing (5ms)\n  3 failing\n\n{failed}"));
        for at in [11, 3, 7] {
            assert!(short.contains(&format!("Expected: {at}47\nReceived: {at}40")), "{short}");
        }
    }
}
