//! Progress lines of tools about each of many things: `Compiling a`, `Unpacking b`. And what
//! distinguishes the output of a tool from what a person wrote, if no line alone does.

use std::cell::LazyCell;

use foldhash::{HashMap, HashMapExt as _};

use super::failure::{is_failed, is_heading, is_passed, is_total};
use super::line_shape::opening_word;
use super::page::LinePage;
use crate::compress::segment::{is_entry, is_sentence};

/// Lines that a word opens at the least, and one in so many of all, to be a tool's.
const MIN_TOOL_LINES: usize = 4;
const MAX_LINES_PER_TOOL_LINE: usize = 25;
/// Lines that are checked to find out if a text is a tool's.
const MAX_SAMPLE_LINES: usize = 400;
/// Hundredths of the lines that a tool's are.
const MIN_TOOL_PERCENT: usize = 60;

/// Opening words of the lines of a text, and how many lines have the same.
#[derive(Debug)]
pub(super) struct ToolLines {
    /// Line by line the place of its word in `counts`, if it opens with one.
    words: Vec<Option<usize>>,
    counts: Vec<usize>,
    least: usize,
}

impl ToolLines {
    pub(super) fn new(page: &LinePage<'_>) -> Self {
        Self::from_first_lines(page, page.len())
    }

    fn from_first_lines(page: &LinePage<'_>, lines: usize) -> Self {
        let mut known: HashMap<&str, usize> = HashMap::with_capacity(lines.min(MAX_SAMPLE_LINES));
        let mut counts = Vec::new();
        let mut before: Option<(&str, usize)> = None;
        let mut place = |word| {
            let next = counts.len();
            // Lines that open alike follow each other.
            let place = match before {
                Some((last, place)) if last == word => place,
                _ => *known.entry(word).or_insert(next),
            };
            before = Some((word, place));
            if place == next {
                counts.push(0);
            }
            if let Some(count) = counts.get_mut(place) {
                *count += 1;
            }
            place
        };
        let words = (0..lines).map(|at| opening_word(page.body(at)).map(&mut place)).collect();
        Self { words, counts, least: MIN_TOOL_LINES.max(lines / MAX_LINES_PER_TOOL_LINE) }
    }

    /// Whether a line says of one thing what others say of others; entries of a log do not.
    pub(super) fn has(&self, page: &LinePage<'_>, at: usize) -> bool {
        let place = self.words.get(at).copied().flatten();
        let count = place.and_then(|place| self.counts.get(place));
        count.is_some_and(|count| *count >= self.least) && !is_entry(page.body(at).as_bytes())
    }
}

/// Whether few lines of a text read as sentences: rows of data, lists of names, commands.
pub(super) fn is_data(page: &LinePage<'_>) -> bool {
    /// One line in so many may be a sentence, or in a script that may part no words.
    const MIN_LINES_PER_SENTENCE: usize = 5;
    let lines = (0..page.len().min(MAX_SAMPLE_LINES))
        .map(|at| page.body(at))
        .filter(|body| !body.is_empty());
    let (all, told) = lines.fold((0, 0), |(all, told), body| {
        let is_told = is_sentence(body.as_bytes()) || !body.is_ascii();
        (all + 1, told + usize::from(is_told))
    });
    told * MIN_LINES_PER_SENTENCE < all
}

/// Whether the lines of a text are a tool's, for the most part.
pub(super) fn is_put_out(page: &LinePage<'_>) -> bool {
    let lines = page.len().min(MAX_SAMPLE_LINES);
    let progress = ToolLines::from_first_lines(page, lines);
    let tag = LazyCell::new(|| common_tag(page, lines));
    let is_run = tells_failures(page);
    let mut solid = 0;
    let mut own = 0;
    // The indentation of the heading of the failure to which the lines below it belong.
    let mut failure: Option<usize> = None;
    for at in (0..lines).filter(|at| !page.is_blank(*at)) {
        let left = lines - at;
        if (own + left) * 100 < (solid + left) * MIN_TOOL_PERCENT {
            return false;
        }
        let body = page.body(at);
        solid += 1;
        failure = failure.filter(|indent| page.indent(at) > *indent);
        if failure.is_none() && is_run && is_failed(body) {
            failure = Some(page.indent(at));
        }
        let is_own = failure.is_some()
            || progress.has(page, at)
            || is_entry(body.as_bytes())
            || is_heading(body)
            || is_passed(body)
            || is_margin(body)
            || is_place(body)
            || tag.is_some_and(|tag| body.starts_with(tag));
        own += usize::from(is_own);
    }
    own * 100 >= solid * MIN_TOOL_PERCENT && solid > 0
}

/// A first word that one in four lines has and that only a tool writes: `==4711==`, `[12]`.
fn common_tag<'t>(page: &LinePage<'t>, lines: usize) -> Option<&'t str> {
    const MIN_PREFIX_BYTES: usize = 4;
    let mut counts: HashMap<&str, usize> = HashMap::with_capacity(lines);
    for body in (0..lines).map(|at| page.body(at)) {
        let (mut digits, mut marks, mut length) = (false, false, 0);
        for byte in body.bytes().take_while(|byte| !matches!(byte, b' ' | b'\t')) {
            digits |= byte.is_ascii_digit();
            marks |= byte.is_ascii_punctuation();
            length += 1;
        }
        if length >= MIN_PREFIX_BYTES && digits && marks {
            *counts.entry(body.get(..length).unwrap_or_default()).or_insert(0) += 1;
        }
    }
    let common = counts.into_iter().max_by_key(|(word, count)| (*count, *word))?;
    (common.1 >= MIN_TOOL_LINES.max(lines / MIN_TOOL_LINES)).then_some(common.0)
}

/// Whether a text ends with a count of what failed.
fn tells_failures(page: &LinePage<'_>) -> bool {
    const MAX_END_LINES: usize = 8;
    let counts = |body: &str| is_total(body) && (body.contains("fail") || body.contains("FAIL"));
    let solid = (0..page.len()).rev().filter(|at| !page.is_blank(*at));
    solid.take(MAX_END_LINES).any(|at| counts(page.body(at)))
}

/// Whether most lines of a text begin with a place in a file, as what compilers report does.
pub(super) fn names_places(text: &str) -> bool {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty()).take(MAX_SAMPLE_LINES);
    let (mut all, mut places) = (0, 0);
    for line in lines {
        if (places + MAX_SAMPLE_LINES - all) * 2 <= MAX_SAMPLE_LINES {
            return false;
        }
        all += 1;
        places += usize::from(is_place(line));
    }
    places * 2 > all
}

/// Whether a line is a margin that compilers draw around the lines that they show: `-->`, `|`, `12
/// |`, `= note:`, `^^^`. And `file | 12 ++--`.
fn is_margin(body: &str) -> bool {
    let draws = match body.bytes().next() {
        Some(b'|' | b'^') => true,
        Some(b'-') => body.starts_with("-->"),
        Some(b'=') => body.starts_with("= "),
        Some(b'.') => body.starts_with("..."),
        Some(b'~') => body.starts_with("~~"),
        _ => false,
    };
    let mut bars = memchr::memchr_iter(b'|', body.as_bytes()).peekable();
    draws || bars.peek().is_some_and(|first| is_number(body.get(..*first).unwrap_or_default())) || {
        let mut around = bars.filter_map(|at| body.as_bytes().get(at.checked_sub(1)?..));
        let behind = around.find_map(|around| around.strip_prefix(b" | "));
        let behind = behind.unwrap_or_default().trim_ascii_start();
        behind.first().is_some_and(u8::is_ascii_digit)
    }
}

/// Digits, and blanks after them.
fn is_number(text: &str) -> bool {
    let digits = text.trim_ascii_end();
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// `src/a.c:12:5: …`, `src/a.ts(12,5): …`; `12:5  …` below its path.
fn is_place(body: &str) -> bool {
    let mark = memchr::memchr2(b':', b'(', body.as_bytes());
    let Some((path, rest)) = mark.and_then(|at| body.as_bytes().split_at_checked(at)) else {
        return false;
    };
    let rest = rest.get(1..).unwrap_or_default();
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 {
        return false;
    }
    let is_path = path.iter().any(|byte| matches!(byte, b'.' | b'/')) && !path.contains(&b' ');
    let is_row = || {
        !path.is_empty()
            && path.iter().all(u8::is_ascii_digit)
            && rest.get(digits..).is_some_and(|rest| rest.starts_with(b"  "))
    };
    is_path || is_row()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_many_lines_open_with_is_progress() {
        let mut text: String = "Unpacking a (1.2) ...\nPreparing to unpack b\n".repeat(5);
        text.push_str("Setting up c\nINFO: x\nINFO: y\nINFO: z\nINFO: z\n");
        let page = LinePage::new(&text);
        let progress = ToolLines::new(&page);
        assert!(progress.has(&page, 0) && progress.has(&page, 1));
        assert!(!progress.has(&page, 10) && !progress.has(&page, 11));
        assert!(is_put_out(&page));
    }

    #[test]
    fn output_of_compilers_is_put_out() {
        let rust = "error[E0308]: mismatched types\n  --> src/a.rs:3:5\n   |\n12 |  let x: u8 = y;\n   |              ^ expected `u8`\n";
        let c = "src/a.c:12:5: warning: unused variable 'x'\n   12 |   int x;\n      |       ^\n";
        let stat = " src/a.rs | 12 ++++--\n src/b.rs |  2 +-\n 2 files changed\n";
        let linted = "/srv/shop/a.js\n  12:5  error  'x' is not defined  no-undef\n  14:1  warning  Missing semicolon  semi\n";
        let tagged = "==47== Invalid read of size 4\n==47==    at 0x4C: put (a.c:3)\n==47==    by 0x1F: main (a.c:9)\n==47== \n==47== ERROR SUMMARY: 1 errors\n";
        let spec = "Failures:\n\n  1) the cart keeps the voucher\n     code:  assert total == 4\n     left:  3\n\n  2) the cart empties\n     expected true\n     got false\n\n8 examples, 2 failures\n";
        for text in [rust, c, stat, linted, tagged, spec] {
            assert!(is_put_out(&LinePage::new(text)), "{text}");
        }
        let prose = "The rooms were cold and\nthe fire was out. A man\ncame in, and he said that\nnobody was at the gate.\n";
        let list = "1) Buy milk\n   and bread\n2) Go home\n   and sleep\n3) Get up\n   at 7\n";
        for text in [prose, list, ""] {
            assert!(!is_put_out(&LinePage::new(text)), "{text}");
        }
        assert!(!is_data(&LinePage::new(prose)) && !is_data(&LinePage::new("")));
    }

    #[test]
    fn rows_are_data() {
        let history = "  901  cd shop/till\n  902  cargo test\n  903  git commit -m price\n";
        let pods = "NAME     READY  AGE\ntill-1   1/1    3d\ntill-2   0/1    9m\n";
        for text in [history, pods] {
            assert!(is_data(&LinePage::new(text)), "{text}");
        }
    }
}
