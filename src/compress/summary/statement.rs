//! Tells sentences from lines of code and data.

use crate::compress::adapter::{ReportStrength, report_of};
use crate::compress::notation::may_report;
use crate::compress::text::{hash, mix};

/// Whether a line says something to a person: words, or a figure with its name, and no code.
pub(super) fn is_statement(line: &str) -> bool {
    /// Letters of scripts that put no blanks between words.
    const MIN_UNSPACED_LETTERS: usize = 8;
    const MIN_WORDS: usize = 3;
    const MAX_FIGURE_PIECES: usize = 6;
    if is_code(line) || is_fragment(line) {
        return false;
    }
    let is_unspaced = |letter: &char| letter.is_alphabetic() && *letter >= '\u{0e00}';
    if line.chars().filter(is_unspaced).take(MIN_UNSPACED_LETTERS).count() == MIN_UNSPACED_LETTERS {
        return true;
    }
    let (mut words, mut all) = (0_usize, 0_usize);
    for piece in line.split_whitespace() {
        all += 1;
        words += usize::from(is_word(piece));
    }
    let is_sentence = words >= MIN_WORDS && words * 2 >= all;
    let is_figure = || {
        (2..=MAX_FIGURE_PIECES).contains(&all)
            && words > 0
            && names_figure(line)
            && line.bytes().any(|byte| byte.is_ascii_digit())
            && !line.contains(['{', '}', '[', ']', '(', ')', '<', '>', '=', '"', '│', '|'])
            && !line.starts_with(|sign: char| sign.is_ascii_digit())
    };
    is_sentence || is_figure()
}

/// Whether a line has a name before a figure: `exit code: 137`, `**Date:** 2026-05-31`.
fn names_figure(line: &str) -> bool {
    let is_value = |rest: &str| rest.starts_with(|sign: char| !sign.is_alphanumeric());
    line.split(':').skip(1).any(is_value)
}

/// Whether a line reports an error that there was to a person: it does not say that there is none, and
/// is no code that speaks of errors, nor a label.
pub(super) fn is_report(line: &str) -> bool {
    match report_of(line) {
        ReportStrength::None => false,
        _ if is_plan(line) || denies_errors(line) => false,
        ReportStrength::Strong if line.starts_with("Error messages") => false,
        ReportStrength::Strong if !is_code(line) || has_level(line) => {
            line.split_whitespace().nth(1).is_some()
        }
        _ => {
            !(is_code(line)
                || line.ends_with(':')
                || is_fragment(line) && is_long(line)
                || line.starts_with('|')
                || is_general(line))
        }
    }
}

/// A hash of a line without its figures: lines that differ in them alone have the same.
pub(super) fn figures_aside(line: &str) -> u64 {
    let is_sign = |letter: char| letter.is_ascii_digit() || letter.is_ascii_punctuation();
    let mut all = 0;
    for word in line.split_whitespace() {
        let is_figure =
            word.chars().all(is_sign) && word.contains(|sign: char| sign.is_ascii_digit());
        all = mix(all, if is_figure { 0 } else { hash(word.as_bytes()) });
    }
    all
}

/// Whether a line is a report by its form, `error[E0308]: mismatched types`, whatever is around it.
pub(super) fn is_strong(line: &str) -> bool {
    report_of(line) == ReportStrength::Strong
}

/// Whether a line says what is to be done, asks, or is a heading: nothing in it has happened.
pub(super) fn is_plan(line: &str) -> bool {
    /// Words that orders begin with.
    const ORDERS: [&str; 22] = [
        "always",
        "check",
        "confirm",
        "do",
        "don't",
        "ensure",
        "file",
        "fix",
        "handle",
        "if",
        "investigate",
        "make",
        "never",
        "please",
        "re-run",
        "read",
        "record",
        "report",
        "restart",
        "retry",
        "run",
        "verify",
    ];
    const MAX_NUMBER_DIGITS: usize = 3;
    let body = line.trim_start_matches(['-', '*', '•', '>', ' ', '\t']);
    let number = body.trim_start_matches(|sign: char| sign.is_ascii_digit());
    let is_numbered = (1..=MAX_NUMBER_DIGITS).contains(&(body.len() - number.len()));
    let body = number.strip_prefix(". ").filter(|_| is_numbered).unwrap_or(body);
    let first = body.split_whitespace().next().unwrap_or_default().trim_end_matches([':', ',']);
    body.starts_with("[ ]")
        || line.starts_with('#')
        || line.ends_with('?')
        || ORDERS.iter().any(|order| order.eq_ignore_ascii_case(first))
}

/// Whether a line speaks of failures that there may be: `Error messages go to the log`, `must exit
/// without errors`.
pub(super) fn is_general(line: &str) -> bool {
    const GENERAL_WORDS: [&str; 12] = [
        "when", "if", "may", "might", "would", "could", "should", "must", "handled", "handling",
        "cases", "messages",
    ];
    let mut words = line.split(|sign: char| !sign.is_alphanumeric());
    words.any(|word| GENERAL_WORDS.iter().any(|own| own.eq_ignore_ascii_case(word)))
}

/// Whether a line goes on with the sentence of the line before it, or its own goes on in the next.
pub(super) fn is_half(before: &str, line: &str, after: &str) -> bool {
    let opens_small = |line: &str| {
        let first = line.split_whitespace().next().unwrap_or_default();
        first.starts_with(char::is_lowercase) && first.chars().all(|letter| letter.is_alphabetic())
    };
    let is_open = |line: &str| {
        line.ends_with(|sign: char| sign.is_lowercase() || matches!(sign, ',' | '`' | ')' | '—'))
    };
    opens_small(line) && is_open(before) || is_open(line) && opens_small(after)
}

/// Whether a line has the level of a compiler or a program before its message.
fn has_level(line: &str) -> bool {
    ["error: ", "error[", "Error: ", "ERROR ", "fatal: "].iter().any(|level| line.contains(level))
}

fn is_long(line: &str) -> bool {
    const MIN_LONG_WORDS: usize = 8;
    line.split_whitespace().nth(MIN_LONG_WORDS - 1).is_some()
}

/// Whether each word of failure in a line is denied: `no ESLint errors`, `without an error`.
fn denies_errors(line: &str) -> bool {
    /// Words between.
    const MAX_STEPS: usize = 3;
    const DENIALS: [&str; 9] =
        ["no", "not", "0", "zero", "without", "never", "nor", "prevents", "preventing"];
    let words: Vec<&str> = line
        .split(|sign: char| !(sign.is_alphanumeric() || sign == '_'))
        .filter(|word| !word.is_empty())
        .collect();
    let mut failures = words
        .iter()
        .enumerate()
        .filter(|(_, word)| may_report(word.as_bytes()))
        .map(|(at, _)| words.get(at.saturating_sub(MAX_STEPS)..at).unwrap_or_default())
        .peekable();
    let is_denial = |word: &&str| DENIALS.iter().any(|own| own.eq_ignore_ascii_case(word));
    failures.peek().is_some() && failures.all(|before| before.iter().any(is_denial))
}

/// Whether a line is the middle of a sentence that goes on in others.
fn is_fragment(line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or_default();
    let opens = first.chars().all(char::is_lowercase) && !line.contains(": ");
    opens && !line.ends_with(['.', '!']) || line.matches('(').count() != line.matches(')').count()
}

/// Whether a line is one of code, data or a drawing on a terminal: it would mean nothing without its
/// neighbours.
pub(super) fn is_code(line: &str) -> bool {
    let line = line.trim();
    let body = line.trim_start_matches(|sign: char| sign.is_ascii_digit());
    // A line of a file, by its number; or of a difference.
    let is_numbered = body.len() < line.len() && body.starts_with([':', '|', '\t', '│']);
    let is_changed = match line.strip_prefix(['+', '-']) {
        Some(rest) => line.starts_with('+') || !rest.starts_with(['-', ' ']),
        None => false,
    };
    let is_aside = line.starts_with('(') && line.ends_with(')')
        || line.starts_with('[') && line.ends_with(']');
    let body = body.trim_start_matches([':', '|', '\t', ' ', '│']);
    is_numbered
        || is_changed
        || is_aside
        || line.contains('\u{1b}')
        || line.ends_with(['{', '(', '[', ';', ',', '<', '\\'])
        || body.starts_with(['"', '}', ']', ')', '<', '{'])
        || body.starts_with("//")
        || [" = ", " => ", "();", "->", "\\n"].iter().any(|sign| line.contains(sign))
}

/// A word of letters, with the marks that sentences put around words.
fn is_word(piece: &str) -> bool {
    let bare = piece.trim_matches(|sign: char| ".,:;!?()\"'*_`…—".contains(sign));
    let is_letter = |letter: char| letter.is_alphabetic() || letter == '\'' || letter == '-';
    bare.chars().filter(|letter| letter.is_alphabetic()).take(2).count() == 2
        && bare.chars().all(is_letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_statements_and_code_is_none() {
        for line in [
            "No remote sync, no transactions: writes from two processes would corrupt the file.",
            "| Build | `npm run build` | TypeScript compiles to `dist/` without errors |",
            "- Task is approved and waits for the write-back.",
            "Das Modul fehlt in `src/a.rs`",
            "設定ファイルが見つかりません",
            "exit code: 137",
            "- **Captured:** 2026-05-31",
            "it ends in lower case, but it is whole.",
        ] {
            assert!(is_statement(line), "{line}");
        }
        for line in [
            "105 \"allOf\": [",
            "  153 },",
            "if (!from || !to) throw new Error(`Node not found`);",
            "1505: mapping_type = dict",
            "self.io.tool_output(",
            "\"written_at\": \"2026-06-05T19:23:11.000Z\",",
            "\u{1b}[38;2;200;230;255m✦ these are some words",
            "<canvas id=\"blame\" width=\"800\"></canvas>",
            "4711",
            "1557: if not self.value_field and not self.key_field:",
            "(1458 more lines above)",
            "[Showing lines 186-1175 of 1175 of all lines]",
            "index 56aaefc..bcf03ec 100644",
            "edit 1475:1475",
            "+Both confirm the critical ordering of the calls.",
            "always set on the other system",
            "in the folder of bugs (only two of them). This",
        ] {
            assert!(!is_statement(line), "{line}");
        }
    }
    #[test]
    fn errors_that_there_were_are_reports_and_code_is_none() {
        for line in [
            "error[E0308]: mismatched types",
            "12: error: expected `;`",
            "The build failed after two minutes",
            "Exit 1 - no tests ran: 2 errors",
        ] {
            assert!(is_report(line), "{line}");
        }
        for line in [
            "throw err;",
            "Err(Error::Timeout) if attempt < 3 => {",
            "if (!from) throw new Error(`Node not found`);",
            "\"review-failed\",",
            "1466: raise ValueError(msg)",
            "npm run lint exits 0: no ESLint errors",
            "TypeScript: No errors found",
            "The folder is made first, preventing ENOENT errors",
            "\"npm test exits 0: 2 tests pass, 0 fail\",",
            "the body of the function, which is an error of the compiler and",
            "ERRORS:",
            "If any gate fails:",
        ] {
            assert!(!is_report(line), "{line}");
        }
    }
}
