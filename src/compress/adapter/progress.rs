//! What a tool says about each of many things: `Compiling a`, `Unpacking b`. And what tells the
//! output of a tool from what a person wrote, where no line alone does.

use foldhash::HashMap;

use super::failure::{is_heading, is_passed};
use super::page::Page;
use super::shape::opening;
use crate::compress::segment::is_entry;

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

/// Whether the lines of a text are a tool's, for the most part.
pub(super) fn is_put_out(page: &Page<'_>) -> bool {
    let lines = page.len().min(LOOK);
    let progress = Progress::among(page, lines);
    let mut solid = 0;
    let mut own = 0;
    for body in (0..lines).map(|at| page.body(at)).filter(|body| !body.is_empty()) {
        solid += 1;
        let is_own = progress.has(body)
            || is_entry(body.as_bytes())
            || is_heading(body)
            || is_passed(body)
            || is_margin(body)
            || is_place(body);
        own += usize::from(is_own);
    }
    own * 100 >= solid * MOST && solid > 0
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

/// `src/a.c:12:5: …`, `src/a.ts(12,5): …`.
fn is_place(body: &str) -> bool {
    let Some((path, rest)) = body.split_once([':', '(']) else { return false };
    let is_path = path.contains(['.', '/']) && !path.contains(' ');
    is_path && rest.starts_with(|letter: char| letter.is_ascii_digit())
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
        for text in [rust, c, stat] {
            assert!(is_put_out(&Page::of(text)), "{text}");
        }
        let prose = "The rooms were cold and\nthe fire was out. A man\ncame in, and he said that\nnobody was at the gate.\n";
        assert!(!is_put_out(&Page::of(prose)) && !is_put_out(&Page::of("")));
    }
}
