//! What a tool says about each of many things: `Compiling a`, `Unpacking b`. And what tells the
//! output of a tool from what a person wrote, where no line alone does.

use foldhash::HashMap;

use super::failure::{is_failed, is_heading, is_passed, is_total};
use super::page::Page;
use super::shape::opening;
use crate::compress::segment::{is_entry, is_sentence};

/// Lines that a word opens at the least, and one in so many of all, to be a tool's.
const LEAST: usize = 4;
const RARE: usize = 25;
/// Lines that are looked at to tell whose a text is.
const LOOK: usize = 400;
/// Hundredths of the lines that a tool's are.
const MOST: usize = 60;

/// The words that many lines of a text open with.
#[derive(Debug)]
pub(super) struct Progress<'t> {
    counts: HashMap<&'t str, usize>,
    least: usize,
}

impl<'t> Progress<'t> {
    pub(super) fn of(page: &Page<'t>) -> Self {
        Self::among(page, page.len())
    }

    fn among(page: &Page<'t>, lines: usize) -> Self {
        let mut counts = HashMap::default();
        for word in (0..lines).filter_map(|at| opening(page.body(at))) {
            *counts.entry(word).or_insert(0) += 1;
        }
        Self { counts, least: LEAST.max(lines / RARE) }
    }

    /// Whether a line says of one thing what others say of others; entries of a log do not.
    pub(super) fn has(&self, body: &str) -> bool {
        let count = opening(body).and_then(|word| self.counts.get(word));
        count.is_some_and(|count| *count >= self.least) && !is_entry(body.as_bytes())
    }
}

/// Whether few lines of a text read as sentences: rows of data, lists of names, commands.
pub(super) fn is_data(page: &Page<'_>) -> bool {
    /// One line in so many may be a sentence, or in a script that may part no words.
    const FEW: usize = 5;
    let lines = (0..page.len().min(LOOK)).map(|at| page.body(at)).filter(|body| !body.is_empty());
    let (all, told) = lines.fold((0, 0), |(all, told), body| {
        let is_told = is_sentence(body.as_bytes()) || !body.is_ascii();
        (all + 1, told + usize::from(is_told))
    });
    told * FEW < all
}

/// Whether the lines of a text are a tool's, for the most part.
pub(super) fn is_put_out(page: &Page<'_>) -> bool {
    let lines = page.len().min(LOOK);
    let progress = Progress::among(page, lines);
    let tag = common_tag(page, lines);
    let is_run = tells_failures(page);
    let mut solid = 0;
    let mut own = 0;
    // How far in the heading of a failure stands that the lines below it belong to.
    let mut failure: Option<usize> = None;
    for at in (0..lines).filter(|at| !page.is_blank(*at)) {
        let body = page.body(at);
        solid += 1;
        failure = failure.filter(|indent| page.indent(at) > *indent);
        if failure.is_none() && is_run && is_failed(body) {
            failure = Some(page.indent(at));
        }
        let is_own = failure.is_some()
            || progress.has(body)
            || tag.is_some_and(|tag| body.starts_with(tag))
            || is_entry(body.as_bytes())
            || is_heading(body)
            || is_passed(body)
            || is_margin(body)
            || is_place(body);
        own += usize::from(is_own);
    }
    own * 100 >= solid * MOST && solid > 0
}

/// A first word that one in four lines has and that only a tool writes: `==4711==`, `[12]`.
fn common_tag<'t>(page: &Page<'t>, lines: usize) -> Option<&'t str> {
    const SHORTEST: usize = 4;
    let mut counts: HashMap<&str, usize> = HashMap::default();
    for at in 0..lines {
        let word = page.body(at).split([' ', '\t']).next().unwrap_or_default();
        let has = |is: fn(&u8) -> bool| word.as_bytes().iter().any(is);
        if word.len() >= SHORTEST && has(u8::is_ascii_digit) && has(u8::is_ascii_punctuation) {
            *counts.entry(word).or_insert(0) += 1;
        }
    }
    let common = counts.into_iter().max_by_key(|(word, count)| (*count, *word))?;
    (common.1 >= LEAST.max(lines / LEAST)).then_some(common.0)
}

/// Whether a text ends with a count of what failed.
fn tells_failures(page: &Page<'_>) -> bool {
    const END: usize = 8;
    let counts = |body: &str| is_total(body) && (body.contains("fail") || body.contains("FAIL"));
    let solid = (0..page.len()).rev().filter(|at| !page.is_blank(*at));
    solid.take(END).any(|at| counts(page.body(at)))
}

/// Whether most lines of a text begin with a place in a file, as what compilers report does.
pub(super) fn names_places(text: &str) -> bool {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty()).take(LOOK);
    let (all, places) =
        lines.fold((0, 0), |(all, places), line| (all + 1, places + usize::from(is_place(line))));
    places * 2 > all
}

/// What compilers draw around the lines that they show: `-->`, `|`, `12 |`, `= note:`, `^^^`. And
/// `file | 12 ++--`.
fn is_margin(body: &str) -> bool {
    let behind = body.trim_start_matches(|letter: char| letter.is_ascii_digit());
    ["-->", "|", "= ", "^", "...", "~~"].iter().any(|mark| body.starts_with(mark))
        || (behind.len() < body.len() && behind.trim_ascii_start().starts_with('|'))
        || memchr::memmem::find(body.as_bytes(), b" | ").is_some_and(|at| {
            let rest = body.as_bytes().get(at + 3..).unwrap_or_default();
            rest.trim_ascii_start().first().is_some_and(u8::is_ascii_digit)
        })
}

/// `src/a.c:12:5: …`, `src/a.ts(12,5): …`; `12:5  …` below its path.
fn is_place(body: &str) -> bool {
    let is_digit = |letter: char| letter.is_ascii_digit();
    let Some((path, rest)) = body.split_once([':', '(']) else { return false };
    let is_path = path.contains(['.', '/']) && !path.contains(' ');
    let is_row = !path.is_empty()
        && path.bytes().all(|byte| byte.is_ascii_digit())
        && rest.trim_start_matches(is_digit).starts_with("  ");
    (is_path || is_row) && rest.starts_with(is_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_many_lines_open_with_is_progress() {
        let mut text: String = "Unpacking a (1.2) ...\nPreparing to unpack b\n".repeat(5);
        text.push_str("Setting up c\nINFO: x\nINFO: y\nINFO: z\nINFO: z\n");
        let page = Page::of(&text);
        let progress = Progress::of(&page);
        assert!(progress.has("Unpacking d (4)") && !progress.has("Setting up d"));
        assert!(!progress.has("INFO: x"));
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
            assert!(is_put_out(&Page::of(text)), "{text}");
        }
        let prose = "The rooms were cold and\nthe fire was out. A man\ncame in, and he said that\nnobody was at the gate.\n";
        let list = "1) Buy milk\n   and bread\n2) Go home\n   and sleep\n3) Get up\n   at 7\n";
        for text in [prose, list, ""] {
            assert!(!is_put_out(&Page::of(text)), "{text}");
        }
        assert!(!is_data(&Page::of(prose)) && !is_data(&Page::of("")));
    }

    #[test]
    fn rows_are_data() {
        let history = "  901  cd shop/till\n  902  cargo test\n  903  git commit -m price\n";
        let pods = "NAME     READY  AGE\ntill-1   1/1    3d\ntill-2   0/1    9m\n";
        for text in [history, pods] {
            assert!(is_data(&Page::of(text)), "{text}");
        }
    }
}
