//! `source`: source code, and files as a viewer numbers their lines, as an outline. Declarations
//! stay, and what bodies give back or refuse; of a comment that documents something its first line.
//! The rest of the bodies stays for what it shows, and goes to marks where the body was.
//!
//! Declarations are found by shape (`declare`), so the outline knows no language.

mod comment;
mod declarations;
mod image_recipe;

use super::line_choice::{LineRank, choose_cuts};
use super::page::{LinePage, attempt, is_elided};
use super::{AdapterAttempt, FormatAdapter, InnerTexts, Part};
use crate::compress::segment::{Kind, Span, number, segment};
use comment::{CommentScan, has_words};
use declarations::{is_closing, is_import, is_result, is_short_declaration, opens_declaration};

/// The part of a text, in hundredths, that makes it what it is.
const MIN_CODE_PERCENT: usize = 60;
/// Lines of parameters below a declaration that should stay.
const MAX_PARAMETER_LINES: usize = 8;
/// Imports up to so many are worth as much as any line.
const MAX_WEIGHED_IMPORTS: usize = 3;
/// Weights of lines in addition to their facts: at the top of a file, in a body, a comment in a
/// body.
const TOP_WEIGHT: u32 = 1;
const BODY_WEIGHT: u32 = 0;
const COMMENT_WEIGHT: u32 = 0;

/// Source code, also with numbers before its lines; see the module.
#[derive(Debug)]
pub(crate) struct SourceAdapter;

impl FormatAdapter for SourceAdapter {
    fn name(&self) -> &'static str {
        "source"
    }

    fn detects(&self, part: Part<'_>) -> bool {
        if !part.is_all(|kind| kind == Kind::Numbered) {
            let is_other = |kind| matches!(kind, Kind::Fence | Kind::Diff | Kind::Numbered);
            let code = share(part.text, part.spans, Kind::Code);
            return code >= MIN_CODE_PERCENT && !part.has(is_other);
        }
        // A view of a file: code in a language that no sign identifies for sure, settings, records.
        let page = LinePage::new(part.text);
        let bare: Vec<&str> = (0..page.len()).map(|at| bare(page.line(at))).collect();
        let bare = bare.join("\n");
        share(&bare, &segment(&bare), Kind::Prose) < MIN_CODE_PERCENT
    }

    fn holds(&self, before: &str, after: &str) -> bool {
        is_elided(before, after)
    }

    fn attempt<'p>(&'p self, part: Part<'p>, _: &mut dyn InnerTexts) -> AdapterAttempt<'p> {
        let is_numbered = part.is_all(|kind| kind == Kind::Numbered);
        attempt(part.text, |page| {
            let own = |at| if is_numbered { bare(page.line(at)) } else { page.line(at) };
            let lines: Vec<SourceLine<'_>> = lines((0..page.len()).map(own));
            choose_cuts(page, &ranks(&lines), part.ratio)
        })
    }
}

/// Whether the parts of a text make it source code, or a view of such with numbers.
pub(crate) fn is_source(text: &str, spans: &[Span]) -> bool {
    share(text, spans, Kind::Code) >= MIN_CODE_PERCENT
        || spans.iter().all(|span| span.kind == Kind::Numbered)
}

/// The lines of source code that declare something, and how far each is indented.
pub(crate) fn declared_lines(text: &str) -> Vec<DeclaredLine> {
    let own = lines(text.split('\n').map(bare));
    let declares =
        |line: &SourceLine<'_>| line.opens && !line.is_comment && opens_declaration(line.body);
    let found = own.iter().enumerate().filter(|(_, line)| declares(line));
    found.map(|(at, line)| DeclaredLine { at, width: line.width }).collect()
}

/// A line that declares something.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DeclaredLine {
    pub(crate) at: usize,
    /// Columns before it.
    pub(crate) width: usize,
}

/// Hundredths of a text that are of a kind.
fn share(text: &str, spans: &[Span], kind: Kind) -> usize {
    let own = spans.iter().filter(|span| span.kind == kind).map(|span| span.range.len());
    own.sum::<usize>() * 100 / text.len().max(1)
}

/// A line without the number before it.
fn bare(line: &str) -> &str {
    let body = line.trim_ascii_start();
    if number(body.as_bytes()).is_none() {
        return line;
    }
    let rest = body.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let rest = rest.strip_prefix(' ').unwrap_or(rest);
    let mut letters = rest.chars();
    letters.next();
    letters.as_str()
}

/// A line, and what is around it.
#[derive(Debug, Clone, Copy)]
struct SourceLine<'t> {
    body: &'t str,
    /// Columns before it; a tab is four.
    width: usize,
    /// A block is below it.
    opens: bool,
    is_comment: bool,
}

fn lines<'t>(texts: impl Iterator<Item = &'t str>) -> Vec<SourceLine<'t>> {
    let mut comments = CommentScan::default();
    let mut lines: Vec<SourceLine<'t>> = texts
        .map(|text| {
            let body = text.trim_ascii();
            let is_comment = !body.is_empty() && comments.add_line(body);
            SourceLine { body, width: width(text), opens: false, is_comment }
        })
        .collect();
    let mut below: Option<(usize, bool)> = None;
    for line in lines.iter_mut().rev().filter(|line| !line.body.is_empty()) {
        line.opens = below.is_some_and(|(width, is_brace)| {
            width > line.width || (is_brace && width == line.width)
        });
        below = Some((line.width, line.body == "{"));
    }
    lines
}

fn width(text: &str) -> usize {
    let blanks = text.bytes().take_while(|byte| matches!(byte, b' ' | b'\t'));
    blanks.map(|byte| if byte == b'\t' { 4 } else { 1 }).sum()
}

fn ranks(lines: &[SourceLine<'_>]) -> Vec<LineRank> {
    let mut ranks = vec![LineRank::Last; lines.len()];
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        let end = if line.is_comment {
            rank_comment(lines, at, &mut ranks)
        } else if line.width == 0 && is_import(line.body) {
            rank_imports(lines, at, &mut ranks)
        } else {
            rank_statement(lines, at, &mut ranks)
        };
        at = end.max(at + 1);
    }
    image_recipe::rank(lines, &mut ranks);
    ranks
}

fn set(ranks: &mut [LineRank], at: usize, rank: LineRank) {
    if let Some(old) = ranks.get_mut(at) {
        *old = rank;
    }
}

/// The first line with words of a comment next to a declaration should stay.
fn rank_comment(lines: &[SourceLine<'_>], at: usize, ranks: &mut [LineRank]) -> usize {
    let count = lines.iter().skip(at).take_while(|line| line.is_comment).count();
    let end = at + count;
    let declares = |line: &SourceLine<'_>| {
        let is_head = line.body.starts_with(['@', '#', '[']);
        is_head || (line.opens && opens_declaration(line.body)) || line.width == 0
    };
    // A doc string is below what it documents.
    let is_below = at.checked_sub(1).and_then(|at| lines.get(at)).is_some_and(declares);
    let is_document = is_below || lines.get(end).is_some_and(declares);
    let mut is_told = false;
    for line in at..end {
        let says = lines.get(line).is_some_and(|line| has_words(line.body));
        let rank = match (is_document, is_told) {
            (true, false) if says => LineRank::Should,
            (false, _) if says => LineRank::May(COMMENT_WEIGHT),
            _ => LineRank::Last,
        };
        is_told |= says;
        set(ranks, line, rank);
    }
    end
}

/// Imports follow each other, some over several lines.
fn rank_imports(lines: &[SourceLine<'_>], at: usize, ranks: &mut [LineRank]) -> usize {
    let belongs = |line: &SourceLine<'_>| {
        line.body.is_empty()
            || line.width > 0
            || is_import(line.body)
            || line.body.starts_with([')', '}'])
    };
    let mut end = at + 1;
    let mut is_open = lines.get(at).is_some_and(|line| line.opens);
    while let Some(line) = lines.get(end).filter(|line| belongs(line)) {
        if line.width > 0 && !is_open {
            break;
        }
        is_open = line.width > 0 || (line.body.is_empty() && is_open) || line.opens;
        end += 1;
    }
    let worth = if end - at > MAX_WEIGHED_IMPORTS { COMMENT_WEIGHT } else { TOP_WEIGHT };
    for line in at..end {
        set(ranks, line, LineRank::May(worth));
    }
    end
}

fn rank_statement(lines: &[SourceLine<'_>], at: usize, ranks: &mut [LineRank]) -> usize {
    let Some(line) = lines.get(at) else { return at + 1 };
    if line.body.is_empty() || is_closing(line.body) {
        return at + 1;
    }
    if line.opens && opens_declaration(line.body) {
        set(ranks, at, LineRank::Must);
        return rank_parameters(lines, at, ranks);
    }
    let rank = if is_result(line.body) || (line.width == 0 && is_short_declaration(line.body)) {
        LineRank::Should
    } else if line.width == 0 {
        LineRank::May(TOP_WEIGHT)
    } else {
        LineRank::May(BODY_WEIGHT)
    };
    set(ranks, at, rank);
    at + 1
}

/// Parameters that are below the name, up to the line that closes them.
fn rank_parameters(lines: &[SourceLine<'_>], at: usize, ranks: &mut [LineRank]) -> usize {
    let Some(head) = lines.get(at).filter(|head| head.body.ends_with(['(', ','])) else {
        return at + 1;
    };
    let below = lines.iter().enumerate().skip(at + 1).take(MAX_PARAMETER_LINES + 1);
    for (line, own) in below {
        set(ranks, line, LineRank::Should);
        if own.width <= head.width {
            return line + 1;
        }
    }
    at + MAX_PARAMETER_LINES + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compress::adapter::laws::{detects, short};

    fn outline(text: &str, lines: &[&str]) -> String {
        let short = short(&SourceAdapter, text);
        let share = short.len() * 100 / text.len();
        assert!((25..=50).contains(&share), "{share} %:\n{short}");
        for line in lines {
            assert!(short.lines().any(|shown| shown.trim_ascii() == *line), "{line} in:\n{short}");
        }
        short
    }

    #[test]
    fn python_is_outlined() {
        let lines = [
            "MAX_TRIES = 5",
            "class JobFailed(Exception):",
            "class Job:",
            "\"\"\"Something to do.",
            "def run(self) -> object:",
            "def put(self, job: Job) -> None:",
            "raise OverflowError(f\"more than {self.limit} jobs wait\")",
            "class Worker(threading.Thread):",
            "def start(count: int, queue: Queue) -> list:",
        ];
        let short = outline(include_str!("../fixtures/worker_py.txt"), &lines);
        assert!(!short.contains("The work is called without"), "{short}");
    }

    #[test]
    fn rust_and_typescript_are_outlined() {
        let lines = [
            "const MAX_TRIES: u32 = 5;",
            "/// Jobs that wait, the oldest first.",
            "pub struct Queue {",
            "impl Queue {",
            "pub fn put(&self, job: Job) -> Result<(), Refused> {",
            "return Err(Refused::Full);",
            "queue: &Arc<Queue>,",
            ") -> Vec<JoinHandle<()>> {",
            "fn work(queue: &Queue, outcomes: &Mutex<Vec<Outcome>>) {",
        ];
        outline(include_str!("../fixtures/worker_rs.txt"), &lines);
        let lines = [
            "export interface QueueOptions {",
            "* Jobs that wait, the oldest first.",
            "export class Queue extends EventEmitter {",
            "constructor(private readonly options: QueueOptions) {",
            "async load(): Promise<void> {",
            "put(job: Job): boolean {",
            "export const drain = async (queue: Queue): Promise<Outcome[]> => {",
        ];
        outline(include_str!("../fixtures/worker_ts.txt"), &lines);
    }

    #[test]
    fn numbers_before_lines_stay_right() {
        let code = include_str!("../fixtures/worker_rs.txt");
        for mark in ["\t", "→", "|", ": ", " | "] {
            let number = |(at, line): (usize, &str)| format!("{:>6}{mark}{line}\n", at + 1);
            let text: String = code.lines().enumerate().map(number).collect();
            let short = short(&SourceAdapter, &text);
            assert!(short.len() * 20 < text.len() * 11, "{short}");
            assert!(short.contains(&format!("    18{mark}pub struct Queue {{\n")), "{short}");
        }
    }

    #[test]
    fn prose_is_no_source() {
        let line = |at| format!("{at}\tWords that go on, and on.\n");
        let text: String = (1..20).map(line).collect();
        assert!(!detects(&SourceAdapter, &text) && !detects(&SourceAdapter, "Words that go on.\n"));
        assert!(!detects(&SourceAdapter, ""));
    }
}
