//! `structured_output`: what tools report as labels, bullets and verdicts. Verdicts, totals and
//! errors stay, and every file that is named, with one of its lines; the rest stays for what it
//! shows.

use foldhash::HashSet;

use super::failure::{is_passed, is_total, rank};
use super::line_choice::{LineRank, choose_cuts};
use super::page::{LinePage, attempt, is_elided};
use super::{AdapterAttempt, FormatAdapter, InnerTexts, Part};
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

    fn attempt<'p>(&'p self, part: Part<'p>, _: &mut dyn InnerTexts) -> AdapterAttempt<'p> {
        attempt(part.text, |page| choose_cuts(page, &ranks(page), part.ratio))
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
    /// How something ended, at the head or the end of the line.
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

const VERDICT_WORDS: [&str; 14] = [
    "PASS", "FAIL", "ERROR", "WARN", "WARNING", "OK", "SKIP", "PASSED", "FAILED", "SKIPPED",
    "SUCCESS", "FAILURE", "DONE", "REJECTED",
];
/// The longest of them.
const MAX_VERDICT_BYTES: usize = 8;
const VERDICT_MARKS: [&str; 9] = ["✓", "✔", "✗", "✘", "✕", "×", "✅", "❌", "⚠"];

/// Whether a line says how something ended: `FAIL x`, `[WARN] x`, `✓ x`, `lint: passed`,
/// `build .... OK`.
fn is_verdict(line: &str) -> bool {
    let body = line.trim_ascii().trim_start_matches(['-', '*', '•', ' ']);
    // No mark is of ASCII.
    let may_have_mark = [body.as_bytes().first(), body.as_bytes().last()]
        .into_iter()
        .flatten()
        .any(|byte| !byte.is_ascii());
    if may_have_mark
        && VERDICT_MARKS.iter().any(|mark| body.starts_with(*mark) || body.ends_with(*mark))
    {
        return true;
    }
    let bare = body.strip_prefix(['[', '(']).unwrap_or(body);
    let letters =
        bare.bytes().take(MAX_VERDICT_BYTES + 1).take_while(u8::is_ascii_uppercase).count();
    let (word, rest) = bare.split_at_checked(letters).unwrap_or_default();
    let begins = VERDICT_WORDS.contains(&word)
        && !rest.starts_with(|letter: char| letter.is_ascii_alphanumeric() || letter == '_');
    begins || ends_in_verdict(body)
}

/// Whether a word at the end of a line says how what stands before it ended.
fn ends_in_verdict(body: &str) -> bool {
    let bare = body.trim_end_matches([']', ')', '.', '!', ' ']);
    let letters =
        bare.bytes().rev().take(MAX_VERDICT_BYTES + 1).take_while(u8::is_ascii_alphabetic).count();
    let Some((head, word)) = bare.split_at_checked(bare.len() - letters) else { return false };
    let is_known = VERDICT_WORDS.iter().any(|known| known.eq_ignore_ascii_case(word));
    let head = head.trim_end_matches(['[', '(', ' ']);
    let is_parted = head.ends_with([':', '.', '=', '-', '|', '…', '\t', '>']);
    // In small letters it may be any word of a sentence.
    let is_capital = word.bytes().all(|byte| byte.is_ascii_uppercase());
    is_known && !head.is_empty() && (is_parted || is_capital)
}

/// The files that a line names: words with an extension or a folder.
fn files(line: &str) -> impl Iterator<Item = &str> {
    let is_border = |letter: char| {
        matches!(
            letter,
            ' ' | '\t' | ',' | ';' | '"' | '\'' | '`' | '(' | ')' | '=' | '|' | '<' | '>'
        )
    };
    let is_end = |letter: char| letter.is_ascii_punctuation() && !matches!(letter, '/' | '_' | '-');
    line.split(is_border).filter_map(move |word| {
        if !has_extension(word.as_bytes()) {
            return None;
        }
        let word = word.split(':').next().unwrap_or_default();
        let word = word.trim_start_matches(['[', '{', '*']).trim_end_matches(is_end);
        is_file(word).then_some(word)
    })
}

/// Whether a letter follows a dot somewhere in a word, as in each name of a file.
fn has_extension(word: &[u8]) -> bool {
    word.windows(2).any(|two| matches!(two, [b'.', after] if after.is_ascii_alphabetic()))
}

/// Whether a word looks like the name of a file: it has an extension that begins with a letter, and
/// is more than `e.g`.
fn is_file(word: &str) -> bool {
    let name = word.rsplit_once('/').map_or(word, |(_, name)| name);
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    let is_extension = (1..=8).contains(&extension.len())
        && extension.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && extension.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_path = !word.contains("//") && word.bytes().all(|byte| byte > b' ');
    is_extension
        && is_path
        && name.len() > 3
        && stem.bytes().any(|byte| byte.is_ascii_alphanumeric())
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
    let mut known = HashSet::default();
    let mut ranks: Vec<LineRank> = (0..page.len())
        .map(|at| {
            let body = page.body(at);
            let form = form(page.line(at));
            // Each file is named by the first line that does.
            let is_new = files(body).filter(|file| known.insert(*file)).count() > 0;
            match form {
                Some(LineForm::Place(path)) if known.insert(path) || is_new => LineRank::Must,
                _ if is_new => LineRank::Must,
                Some(LineForm::Verdict) => LineRank::Once,
                _ if is_total(body) => LineRank::Once,
                _ if is_passed(body) => LineRank::May(0),
                Some(_) => LineRank::May(LABEL_WEIGHT),
                None => LineRank::May(LINE_WEIGHT),
            }
        })
        .collect();
    rank(page, &mut ranks);
    // Below a failure, too.
    for (at, rank) in ranks.iter_mut().enumerate().filter(|(_, rank)| **rank != LineRank::Must) {
        if is_verdict(page.line(at)) {
            *rank = LineRank::Once;
        }
    }
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
    fn every_verdict_and_every_named_file_stays() {
        let words = "the rules were read and each was tried on all parts";
        let check = |at: usize| {
            format!(
                "- check {at} of src/part_{at}.rs\n  note: {words} {at}\n  note: {words} again {at}\n"
            )
        };
        let verdicts = [
            "lint: PASS",
            "format .......... OK",
            "types: FAILED",
            "[WARN] the cache is old",
            "PASS tests/alpha",
            "✓ the lock is free",
            "docs - skipped",
            "(ERROR) no such part",
            "build: success",
        ];
        let text = (0..12).map(check).collect::<String>()
            + &verdicts.join("\n")
            + "\n"
            + &(0..12).map(check).collect::<String>()
            + "see `docs/setup.md` and (README.md).\n";
        let short = short(&StructuredOutputAdapter, &text);
        for verdict in verdicts {
            assert!(short.lines().any(|line| line == verdict), "{verdict} in:\n{short}");
        }
        for file in (0..12).map(|at| format!("src/part_{at}.rs")).chain(["README.md".to_owned()]) {
            assert!(short.contains(&file), "{file} in:\n{short}");
        }
        assert!(short.len() * 4 < text.len() * 3, "{short}");
    }

    #[test]
    fn files_are_words_with_an_extension() {
        let found: Vec<&str> =
            files("read [src/a.rs:12], `b.toml`; (C.md). v1.2.3 e.g. http://x.com/a.js 3.14 x.y/")
                .collect();
        assert_eq!(found, ["src/a.rs", "b.toml", "C.md"]);
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
