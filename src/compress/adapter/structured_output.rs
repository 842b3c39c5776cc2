//! `structured_output`: what tools report as labels, bullets and verdicts. Verdicts, totals and
//! errors stay, and every file that is named, with one of its lines; the rest stays for what it
//! shows.

use foldhash::HashSet;

use super::failure::{is_passed, is_total, rank};
use super::line_choice::{LineRank, choose_cuts};
use super::page::{LinePage, attempt, is_elided};
use super::{Attempt, FormatAdapter, InnerTexts, Part};
use crate::compress::segment::{Kind, Part as Structure};

/// Lines that are not blank.
const MIN_LINES: usize = 6;
/// Bytes for each line break, at the most: longer lines are prose.
const MAX_MEAN_LINE_BYTES: usize = 80;
/// The weights of a labelled line and of any other, in addition to their facts.
const LABEL_WEIGHT: u32 = 2;
const LINE_WEIGHT: u32 = 1;

/// Structured output of tools; see the module.
#[derive(Debug)]
pub(crate) struct StructuredOutputAdapter;

impl FormatAdapter for StructuredOutputAdapter {
    fn name(&self) -> &'static str {
        "structured_output"
    }

    fn detects(&self, part: Part<'_>) -> bool {
        let is_list = |kind| kind == Kind::Markdown(Structure::List);
        !part.has(has_a_grammar) && !part.is_all(is_list) && is_structured(part.text)
    }

    fn holds(&self, before: &str, after: &str) -> bool {
        is_elided(before, after)
    }

    fn attempt<'p>(&'p self, part: Part<'p>, _: &mut dyn InnerTexts) -> Attempt<'p> {
        attempt(part.text, |page| choose_cuts(page, &ranks(page)))
    }
}

/// Formats that others take care of: a line less breaks them.
fn has_a_grammar(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Fence
            | Kind::Json
            | Kind::JsonLines
            | Kind::Xml
            | Kind::Html
            | Kind::Yaml
            | Kind::Csv { .. }
            | Kind::Diff
            | Kind::Numbered
            | Kind::Base64
            | Kind::Code
            | Kind::Markdown(Structure::Heading | Structure::Table | Structure::FrontMatter)
    )
}

fn is_structured(text: &str) -> bool {
    let breaks = memchr::memchr_iter(b'\n', text.as_bytes()).count();
    if breaks * MAX_MEAN_LINE_BYTES < text.len() {
        return false;
    }
    let mut lines = 0;
    let mut formed = 0;
    for line in text.split('\n') {
        let line = line.trim_ascii_end();
        lines += usize::from(!line.is_empty());
        formed += usize::from(form(line).is_some());
    }
    lines >= MIN_LINES && formed * 2 > lines
}

/// Meaning of a line by its form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineForm<'t> {
    /// `name.ext:123:`.
    Place(&'t str),
    Verdict,
    /// A bullet or `label: `.
    Labelled,
}

fn form(line: &str) -> Option<LineForm<'_>> {
    let body = line.trim_ascii_start();
    if let Some(path) = place(line) {
        Some(LineForm::Place(path))
    } else if is_verdict(line) {
        Some(LineForm::Verdict)
    } else if is_bullet(body) || is_labelled(body) {
        Some(LineForm::Labelled)
    } else {
        None
    }
}

/// The file of a line that begins `name.ext:123:`.
fn place(line: &str) -> Option<&str> {
    let (path, rest) = line.split_once(':')?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (_, extension) = path.rsplit_once('.')?;
    let is_name = !extension.is_empty()
        && extension.len() <= 8
        && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && !path.contains([' ', '\t']);
    (is_name && digits > 0 && rest.as_bytes().get(digits) == Some(&b':')).then_some(path)
}

fn is_verdict(line: &str) -> bool {
    const VERDICT_WORDS: [&str; 9] =
        ["PASS", "FAIL", "ERROR", "WARN", "WARNING", "OK", "SKIP", "PASSED", "FAILED"];
    let letters = line.bytes().take(8).take_while(u8::is_ascii_uppercase).count();
    let (word, rest) = line.split_at_checked(letters).unwrap_or_default();
    VERDICT_WORDS.contains(&word)
        && !rest.starts_with(|letter: char| letter.is_ascii_alphanumeric())
}

fn is_bullet(body: &str) -> bool {
    ["- ", "* ", "• "].iter().any(|mark| body.starts_with(mark))
}

/// `label: `, if the label is a word or several parts of one.
fn is_labelled(body: &str) -> bool {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.-".contains(byte);
    let word = body.bytes().take_while(is_word).count();
    let begins = body.starts_with(|letter: char| letter.is_ascii_alphabetic());
    begins && body.get(word..).is_some_and(|rest| rest == ":" || rest.starts_with(": "))
}

fn ranks(page: &LinePage<'_>) -> Vec<LineRank> {
    let mut files = HashSet::default();
    let mut ranks: Vec<LineRank> = (0..page.len())
        .map(|at| {
            let body = page.body(at);
            match form(page.line(at)) {
                Some(LineForm::Place(path)) if files.insert(path) => LineRank::Must,
                _ if is_passed(body) => LineRank::May(0),
                _ if is_total(body) => LineRank::Once,
                Some(LineForm::Verdict) => LineRank::Once,
                Some(_) => LineRank::May(LABEL_WEIGHT),
                None => LineRank::May(LINE_WEIGHT),
            }
        })
        .collect();
    rank(page, &mut ranks);
    if let Some(first) = ranks.first_mut() {
        *first = LineRank::Must;
    }
    if let Some(last) = ranks.last_mut() {
        *last = LineRank::Must;
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compress::adapter::laws::{detects, short};

    #[test]
    fn verdicts_totals_and_places_stay() {
        let step = |at| format!("  step_{at}: the part number {at} was looked at\n");
        let mut text: String = (0..30).map(step).collect();
        text.push_str("lint/rules.ts:118: no semicolon\nlint/rules.ts:119: no semicolon\nlint/main.ts:4: no colon\n");
        text.push_str("WARN two rules are deprecated\nFAIL expected 4 but got 5\nTests: 30 passed, 1 failed\n");
        let short = short(&StructuredOutputAdapter, &text);
        for line in [
            "lint/rules.ts:118:",
            "lint/main.ts:4:",
            "WARN two",
            "FAIL expected",
            "Tests: 30 passed",
        ] {
            assert!(short.contains(line), "{line} in:\n{short}");
        }
        assert!(short.len() * 5 < text.len() * 3, "{short}");
    }

    #[test]
    fn what_has_a_grammar_or_is_prose_is_left() {
        let lines = |line: &str| line.repeat(20);
        assert!(!detects(&StructuredOutputAdapter, &lines("Words that go on and on and on.\n")));
        assert!(!detects(
            &StructuredOutputAdapter,
            &format!("```\n{}```\n", lines("status: done\n"))
        ));
        assert!(!detects(
            &StructuredOutputAdapter,
            &lines("- a point of a list, which a person wrote\n")
        ));
        assert!(!detects(&StructuredOutputAdapter, "PASS a\nPASS b\n"));
        assert!(detects(&StructuredOutputAdapter, &lines("PASS tests/alpha.rs finished.\n")));
    }
}
