//! A text as lines, and elisions: marks that represent lines that were left out.
//!
//! ```text
//! [… 212 lines]
//! [… 36 lines, 2 of them errors repeated]
//! [… 40 lines as above]
//! ```
//!
//! A mark is a line of its own, indented as what went, and says how many lines went. A line that
//! reports an error goes only if the same line is shown above, and the mark counts it. `as
//! above` alone says that the same lines follow each other above: it is how repeats are counted. A
//! mark begins with a bracket, which begins no line of a hunk, so no reader of diffs takes it for
//! one.

use std::cell::OnceCell;
use std::fmt::{self, Write as _};
use std::ops::Range;

use foldhash::{HashMap, HashMapExt as _};

use super::{AdapterAttempt, Cut};
use crate::compress::notation::reporting;
use crate::compress::text::{self, LineTable, parse_digits};

/// Texts of fewer lines stay as they are.
pub(super) const MIN_LINES: usize = 12;
/// A mark represents no fewer lines.
const MIN_GAP_LINES: usize = 2;
/// An elision saves at least so many times the bytes of its mark.
const MIN_GAIN_FACTOR: usize = 2;
/// Bytes of indentation that a mark takes over.
const MAX_INDENT_BYTES: usize = 40;

/// The lines of a text, and what was asked of them: that is found once.
#[derive(Debug)]
pub(super) struct LinePage<'t> {
    lines: LineTable<'t>,
    /// The lines without the white space around them.
    bodies: OnceCell<Vec<&'t str>>,
    /// The lines that are not blank.
    solid: OnceCell<Vec<usize>>,
    has_mark: OnceCell<bool>,
    /// Line by line whether it reports an error.
    reports: OnceCell<Vec<bool>>,
    /// Line by line the first that is equal to it.
    firsts: OnceCell<Vec<usize>>,
}

impl<'t> LinePage<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            lines: LineTable::new(text),
            bodies: OnceCell::new(),
            solid: OnceCell::new(),
            has_mark: OnceCell::new(),
            reports: OnceCell::new(),
            firsts: OnceCell::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    pub(super) fn bytes(&self) -> usize {
        self.lines.text.len()
    }

    /// Start of a line; the end of the text for lines past the last.
    pub(super) fn start(&self, at: usize) -> usize {
        self.lines.start(at)
    }

    /// The line that a byte is in.
    pub(super) fn at(&self, byte: usize) -> usize {
        self.lines.at(byte)
    }

    /// Some lines with their breaks.
    pub(super) fn slice(&self, from: usize, to: usize) -> &'t str {
        self.lines.text.get(self.start(from)..self.start(to)).unwrap_or_default()
    }

    /// A line without its break; empty past the last.
    pub(super) fn line(&self, at: usize) -> &'t str {
        self.lines.line(at)
    }

    /// A line without the white space around it.
    pub(super) fn body(&self, at: usize) -> &'t str {
        let bodies = self.bodies.get_or_init(|| self.lines.iter().map(str::trim_ascii).collect());
        bodies.get(at).copied().unwrap_or_default()
    }

    pub(super) fn is_blank(&self, at: usize) -> bool {
        self.body(at).is_empty()
    }

    /// The lines that are not blank, in their order.
    pub(super) fn solid(&self) -> &[usize] {
        self.solid.get_or_init(|| (0..self.len()).filter(|at| !self.is_blank(*at)).collect())
    }

    /// The first line after a line that is not blank.
    pub(super) fn next_solid(&self, at: usize) -> Option<usize> {
        (at + 1..self.len()).find(|next| !self.is_blank(*next))
    }

    /// Bytes of white space before a line.
    pub(super) fn indent(&self, at: usize) -> usize {
        self.lines.indent(at)
    }

    /// Whether a line reports an error, or might.
    pub(super) fn reports_error(&self, at: usize) -> bool {
        let reports = self.reports.get_or_init(|| reporting(&self.lines));
        reports.get(at).copied().unwrap_or(false)
    }

    /// The first line that is equal to a line.
    pub(super) fn first_equal(&self, at: usize) -> usize {
        let firsts = self.firsts.get_or_init(|| {
            let mut known = HashMap::with_capacity(self.len());
            (0..self.len()).map(|at| *known.entry(self.line(at)).or_insert(at)).collect()
        });
        firsts.get(at).copied().unwrap_or(at)
    }

    /// Whether a line of the text reads as a mark: the lines that it represents would be in doubt.
    fn has_mark(&self) -> bool {
        *self.has_mark.get_or_init(|| {
            let places = memchr::memmem::find_iter(self.lines.text.as_bytes(), "[… ");
            let mut before = None;
            places.map(|place| self.at(place)).any(|line| {
                let is_other = before.replace(line) != Some(line);
                is_other && ElisionMark::parse(self.line(line)).is_some()
            })
        })
    }

    fn ends_with_break(&self) -> bool {
        self.lines.text.ends_with('\n')
    }

    /// Whether lines may be left out of it.
    pub(super) fn may_shrink(&self) -> bool {
        self.len() >= MIN_LINES && !self.has_mark()
    }
}

/// Whether a text has so many lines that some may be left out. Most words inside of others have
/// few.
pub(super) fn has_lines(text: &str) -> bool {
    memchr::memchr_iter(b'\n', text.as_bytes()).take(MIN_LINES - 1).count() + 1 >= MIN_LINES
}

/// Content of an elision mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ElisionMark {
    lines: usize,
    /// Lines among them that report errors; each is shown above.
    errors: usize,
    /// Whether the same lines follow each other above.
    repeats: bool,
}

impl fmt::Display for ElisionMark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { lines, errors, repeats } = self;
        match errors {
            _ if *repeats => write!(f, "[… {lines} lines as above]"),
            0 => write!(f, "[… {lines} lines]"),
            1 => write!(f, "[… {lines} lines, 1 of them an error repeated]"),
            _ => write!(f, "[… {lines} lines, {errors} of them errors repeated]"),
        }
    }
}

impl ElisionMark {
    /// Reads a line as a mark; `errors` of a mark that says `as above` is not known.
    fn parse(line: &str) -> Option<Self> {
        let inner = line.trim_ascii().strip_prefix("[… ")?.strip_suffix(']')?;
        let (lines, rest) = inner.split_once(" lines")?;
        let mark = Self { lines: number(lines)?, errors: 0, repeats: false };
        match rest {
            "" => Some(mark),
            " as above" => Some(Self { repeats: true, ..mark }),
            _ => {
                let (errors, rest) = rest.strip_prefix(", ")?.split_once(" of them ")?;
                if !matches!(rest, "an error repeated" | "errors repeated") {
                    return None;
                }
                Some(Self { errors: number(errors)?, ..mark })
            }
        }
    }
}

fn number(digits: &str) -> Option<usize> {
    if digits.len() > 12 { None } else { parse_digits(digits) }
}

/// Margin of a mark in its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MarkMargin {
    /// The margin of the first of the lines that went.
    Own,
    /// At the beginning of the line.
    None,
}

/// The cuts that leave out the lines that are not among those that `shows` names, as far as that
/// pays.
///
/// Whatever it says, a line that reports an error is shown if no equal line is shown above.
pub(super) fn cuts(page: &LinePage<'_>, shows: &[bool], margin: MarkMargin) -> Vec<Cut> {
    let mut found = Vec::new();
    let mut above = ShownAbove::new(page);
    let mut at = 0;
    while at < page.len() {
        let (end, mark) = run(page, shows, &above, at);
        let cut = cut(page, at..end, mark, margin);
        let end = end.max(at + 1);
        above.add_lines(page, at..end, cut.is_none());
        found.extend(cut);
        at = end;
    }
    found
}

/// Content that is shown above a line.
#[derive(Debug)]
struct ShownAbove {
    /// By the first of equal lines: where one of them is shown last.
    places: Vec<Option<usize>>,
    shows: Vec<bool>,
}

impl ShownAbove {
    /// Nothing of a page yet.
    fn new(page: &LinePage<'_>) -> Self {
        Self { places: vec![None; page.len()], shows: Vec::with_capacity(page.len()) }
    }

    fn add_lines(&mut self, page: &LinePage<'_>, lines: Range<usize>, shows: bool) {
        self.shows.resize(lines.end, shows);
        for at in lines.filter(|_| shows) {
            if let Some(place) = self.places.get_mut(page.first_equal(at)) {
                *place = Some(at);
            }
        }
    }

    /// Whether a line is equal to one shown above, and where.
    fn place(&self, page: &LinePage<'_>, at: usize) -> Option<usize> {
        self.places.get(page.first_equal(at)).copied().flatten()
    }

    /// Whether some lines repeat consecutive lines above, once or several times.
    fn repeats(&self, page: &LinePage<'_>, lines: Range<usize>) -> bool {
        let Some(first) = lines.clone().find(|at| !page.is_blank(*at)) else { return false };
        let Some(place) = self.place(page, first) else { return false };
        let Some(mut place) = place.checked_sub(first - lines.start) else { return false };
        let begin = lines.start;
        lines.into_iter().all(|at| {
            let is_above = place >= begin || self.shows.get(place) == Some(&true);
            let is_same = is_above && page.first_equal(place) == page.first_equal(at);
            place += 1;
            is_same
        })
    }
}

/// The end of the run of lines that may go, and what a mark would say of them.
fn run(page: &LinePage<'_>, shows: &[bool], above: &ShownAbove, at: usize) -> (usize, ElisionMark) {
    let mut mark = ElisionMark { lines: 0, errors: 0, repeats: false };
    let mut end = at;
    while end < page.len() && shows.get(end) == Some(&false) {
        if page.reports_error(end) {
            if above.place(page, end).is_none() {
                break;
            }
            mark.errors += 1;
        }
        mark.lines += 1;
        end += 1;
    }
    mark.repeats = mark.lines > 0 && above.repeats(page, at..end);
    (end, mark)
}

fn cut(
    page: &LinePage<'_>,
    lines: Range<usize>,
    mark: ElisionMark,
    margin: MarkMargin,
) -> Option<Cut> {
    /// Bytes that a mark takes, as a rule.
    const DEFAULT_MARK_BYTES: usize = 32;
    let Range { start: from, end: to } = lines;
    if mark.lines < MIN_GAP_LINES {
        return None;
    }
    let first = (from..to).find(|at| !page.is_blank(*at)).unwrap_or(from);
    let indent = if margin == MarkMargin::Own { text::indent(page.line(first)) } else { "" };
    let indent = indent.get(..indent.len().min(MAX_INDENT_BYTES)).unwrap_or_default();
    let last = page.slice(to - 1, to);
    let line_break = last.get(page.line(to - 1).len()..).unwrap_or_default();
    let mut with = String::with_capacity(indent.len() + DEFAULT_MARK_BYTES);
    let _ = write!(with, "{indent}{mark}{line_break}");
    let range = page.start(from)..page.start(to);
    (range.len() >= with.len() * MIN_GAIN_FACTOR).then_some(Cut { range, with })
}

/// Flags of the lines of `before` that are shown in `after`, if nothing else is in it than those
/// and true marks.
pub(super) fn shown_lines(before: &LinePage<'_>, after: &LinePage<'_>) -> Option<Vec<bool>> {
    if before.has_mark() || before.ends_with_break() != after.ends_with_break() {
        return None;
    }
    let mut shows = Vec::with_capacity(before.len());
    let mut above = ShownAbove::new(before);
    let mut is_marked = false;
    for at in 0..after.len() {
        let line = after.line(at);
        let Some(said) = ElisionMark::parse(line) else {
            if shows.len() >= before.len() || before.line(shows.len()) != line {
                return None;
            }
            shows.push(true);
            above.add_lines(before, shows.len() - 1..shows.len(), true);
            is_marked = false;
            continue;
        };
        let from = shows.len();
        if is_marked || said.lines < MIN_GAP_LINES || said.lines > before.len() - from {
            return None;
        }
        shows.resize(from + said.lines, false);
        let (end, mark) = run(before, &shows, &above, from);
        if end != from + said.lines || mark.to_string() != line.trim_ascii() {
            return None;
        }
        above.add_lines(before, from..end, false);
        is_marked = true;
    }
    (shows.len() == before.len()).then_some(shows)
}

/// Cuts of whole lines of a text, if any of it may go, and whether what they leave shows lines of
/// it and true marks.
pub(super) fn attempt<'p>(
    text: &'p str,
    cuts: impl FnOnce(&LinePage<'p>) -> Vec<Cut>,
) -> AdapterAttempt<'p> {
    let page = LinePage::new(text);
    let cuts = if page.may_shrink() { cuts(&page) } else { Vec::new() };
    AdapterAttempt::new(cuts, move |after| shown_lines(&page, &LinePage::new(after)).is_some())
}

/// Whether `after` shows lines of `before` and true marks.
pub(super) fn is_elided(before: &str, after: &str) -> bool {
    shown_lines(&LinePage::new(before), &LinePage::new(after)).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compress::adapter::shortening::apply;
    use proptest::prelude::*;

    fn elided(text: &str, shows: &[bool]) -> String {
        apply(text, &cuts(&LinePage::new(text), shows, MarkMargin::Own)).unwrap()
    }

    fn numbered(count: usize) -> String {
        let line = |at| format!("    line number {at} of the text\r\n");
        (0..count).map(line).collect()
    }

    #[test]
    fn a_mark_stands_where_lines_were() {
        let text = format!("head\n{}tail", numbered(9));
        let mut shows = [false; 11];
        (shows[0], shows[10]) = (true, true);
        let short = elided(&text, &shows);
        assert_eq!(short, "head\n    [… 9 lines]\r\ntail");
        assert!(is_elided(&text, &short));
        for wrong in [
            "head\n    [… 8 lines]\r\ntail",
            "head\n    [… 9 lines as above]\r\ntail",
            "head\n    [… 9 lines, 1 of them an error repeated]\r\ntail",
            "head\n    [… 4 lines]\r\n[… 5 lines]\r\ntail",
            "head\n    [… 9 lines]\r\ntail\n",
            "head\n    [… 99999999999999999999 lines]\r\ntail",
            "head\n[… 10 lines]",
        ] {
            assert!(!is_elided(&text, wrong) || wrong.contains("10"), "{wrong}");
        }
    }

    #[test]
    fn errors_stay_once_and_repeats_are_counted() {
        let text = "Error: the disk is full\nok, going on with the next\n".repeat(3);
        let short = elided(&text, &[false; 6]);
        assert_eq!(short, "Error: the disk is full\n[… 5 lines, 2 of them errors repeated]\n");
        assert!(is_elided(&text, &short));
        assert!(!is_elided(&text, "[… 6 lines]\n"));
        let all = elided(&text, &[true, true, false, false, false, false]);
        assert!(all.ends_with("\n[… 4 lines as above]\n"), "{all}");
    }

    #[test]
    fn what_does_not_pay_stays() {
        let text = "a\nb\nc\nd\n";
        assert_eq!(elided(text, &[false; 4]), text);
        let text = "one long line that is alone, so a mark would say nothing of use about it\nb";
        assert_eq!(elided(text, &[false, true]), text);
    }

    #[test]
    fn texts_with_marks_are_left_alone() {
        let text = format!("{}[… 7 lines]\n", numbered(30));
        assert!(!LinePage::new(&text).may_shrink());
        assert!(LinePage::new(&text.replace('7', "x")).may_shrink());
        assert!(!LinePage::new(&numbered(5)).may_shrink());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn what_is_left_out_adds_up(
            lines in prop::collection::vec("[ \t]{0,3}(error|[a-c ]{0,30}|\\[… [0-9] lines\\])\r?", 0..30),
            picks in prop::collection::vec(any::<bool>(), 30),
        ) {
            let text = lines.join("\n");
            let page = LinePage::new(&text);
            let short = elided(&text, &picks[..page.len()]);
            if !page.has_mark() {
                let shows = shown_lines(&page, &LinePage::new(&short)).expect("true marks");
                for (at, pick) in picks.iter().take(page.len()).enumerate() {
                    prop_assert!(shows[at] || !pick);
                }
            }
        }
    }
}
