//! Failures and what belongs to them: in the output of tests, of compilers, of services.
//!
//! A line that reports an error opens a block; so does a runner's heading for one failure. The
//! block ends where another begins: the next failure, a test that passed, the next entry
//! of the log, or, after a blank line, text that is indented no deeper than the heading.

use super::frame::{Frame, frame};
use super::line_choice::LineRank;
use super::page::LinePage;
use crate::compress::notation::reports_error;
use crate::compress::segment::is_entry;
use crate::compress::text::{WordHeads, scan_words};

/// Lines of a block that should stay; after them it is about output, not about the failure.
const HEAD_LINES: usize = 16;
/// Lines that a block may take.
const MAX_BLOCK_LINES: usize = 60;
/// Weight of a line after the head of a block.
const DEEP_LINE_WEIGHT: u32 = 3;
/// The heads of blocks stay while they are no more than one part in so many of the text.
const MIN_BYTES_PER_HEAD_BYTE: usize = 4;
/// Values that assertions compared stay while they are no more than one part in so many of it.
const MIN_BYTES_PER_VALUE_BYTE: usize = 8;

/// Raises the ranks of lines that tell of failures.
pub(super) fn rank(page: &LinePage<'_>, ranks: &mut [LineRank]) {
    let room = page.bytes() / MIN_BYTES_PER_HEAD_BYTE;
    let value_room = page.bytes() / MIN_BYTES_PER_VALUE_BYTE;
    let mut blocks = FailureBlocks { page, ranks, room, value_room };
    let mut at = 0;
    while at < page.len() {
        at = if opens(page, at) { blocks.rank(at) } else { at + 1 };
    }
}

fn opens(page: &LinePage<'_>, at: usize) -> bool {
    let body = page.body(at);
    (is_heading(body) || is_failed(body) || page.reports_error(at))
        && !is_total(body)
        && !is_passed(body)
}

/// Ranks the lines of blocks.
#[derive(Debug)]
struct FailureBlocks<'p, 't> {
    page: &'p LinePage<'t>,
    ranks: &'p mut [LineRank],
    /// Bytes of heads, and of values that were compared, that may yet stay.
    room: usize,
    value_room: usize,
}

impl FailureBlocks<'_, '_> {
    /// Ranks the block that a line opens; gives the line after it.
    fn rank(&mut self, at: usize) -> usize {
        self.set(at, LineRank::Once);
        self.lead(at);
        let page = self.page;
        let is_banner = is_heading(page.body(at));
        let (mut behind_blank, mut are_values) = (false, false);
        let mut follows = false;
        let mut told = 0;
        let mut line = at + 1;
        while line < page.len() && line - at < MAX_BLOCK_LINES {
            if page.is_blank(line) {
                (behind_blank, are_values) = (true, false);
                line += 1;
                continue;
            }
            // Values that were compared, and the calls below them, may stand at the margin.
            are_values |= behind_blank && is_compared(page.body(line));
            let is_deeper = is_banner || page.indent(line) > page.indent(at);
            let is_outside = behind_blank && !is_deeper && !are_values;
            if is_outside || ends(page, line, is_banner) {
                break;
            }
            let frame = frame(page, line, follows);
            if let Some(frame) = frame {
                self.rank_frame(frame, follows, told);
                told += usize::from(!frame.is_library);
                line = frame.to;
            } else {
                told += 1;
                self.set_rank(line, told);
                line += 1;
            }
            follows = frame.is_some();
        }
        line
    }

    /// The lines before a failure say what was about to be done.
    fn lead(&mut self, at: usize) {
        let before = at.checked_sub(1).and_then(|before| self.ranks.get_mut(before));
        if let Some(before @ LineRank::May(_)) = before {
            *before = LineRank::May(DEEP_LINE_WEIGHT);
        }
    }

    fn set_rank(&mut self, line: usize, told: usize) {
        let bytes = self.page.line(line).len();
        let is_value = is_compared(self.page.body(line));
        if let Some(room) = self.value_room.checked_sub(bytes).filter(|_| is_value) {
            self.value_room = room;
            self.set(line, LineRank::Must);
            return;
        }
        let rank = if told > HEAD_LINES {
            LineRank::May(DEEP_LINE_WEIGHT)
        } else if let Some(room) = self.room.checked_sub(bytes) {
            self.room = room;
            LineRank::Must
        } else {
            LineRank::Should
        };
        self.set(line, rank);
    }

    /// A library's frame says little, except for the first and the last of them.
    fn rank_frame(&mut self, own: Frame, follows: bool, told: usize) {
        let is_end = !follows || frame(self.page, own.to, true).is_none();
        for at in own.from..own.to {
            match own.is_library {
                true if is_end => self.set(at, LineRank::Should),
                true => self.set(at, LineRank::Last),
                false => self.set_rank(at, told),
            }
        }
    }

    fn set(&mut self, at: usize, rank: LineRank) {
        if let Some(old) = self.ranks.get_mut(at).filter(|old| **old != LineRank::Must) {
            *old = rank;
        }
    }
}

fn ends(page: &LinePage<'_>, at: usize, is_banner: bool) -> bool {
    let body = page.body(at);
    is_heading(body)
        || is_failed(body)
        || is_passed(body)
        || (page.indent(at) == 0 && is_entry(body.as_bytes()))
        || (!is_banner && page.reports_error(at))
        || is_total(body)
}

/// `____ test_x ____`, `---- a::b stdout ----`, `==== FAILURES ====`, `● suite › name`,
/// `--- FAIL: TestX (0.00s)`.
pub(super) fn is_heading(body: &str) -> bool {
    let is_ruled = |mark: u8| {
        let count = body.bytes().take_while(|byte| *byte == mark).count();
        count >= 3
            && body.len() > count * 2
            && body.as_bytes().get(count) == Some(&b' ')
            && body.as_bytes().ends_with(&[mark; 3])
    };
    match body.bytes().next() {
        Some(first @ (b'_' | b'-' | b'=')) => is_ruled(first) || body.starts_with("--- FAIL"),
        Some(0xe2) => body.starts_with("● "),
        _ => false,
    }
}

/// A test that failed, in a runner's marks: `✕ name`, `not ok 3 - name`, `2) name`.
pub(super) fn is_failed(body: &str) -> bool {
    match body.bytes().next() {
        Some(b'n') => body.starts_with("not ok "),
        Some(b'0'..=b'9') => {
            let rest = body.trim_start_matches(|letter: char| letter.is_ascii_digit());
            rest.starts_with(") ")
        }
        Some(0xe2 | 0xc3) => ["✕ ", "✗ ", "✘ ", "× "].iter().any(|mark| body.starts_with(mark)),
        _ => false,
    }
}

/// Whether a line has a value that an assertion compared: `Expected: 47`, `actual   : 600`.
pub(super) fn is_compared(body: &str) -> bool {
    const HEADS: [&str; 3] = ["Failure/Error: ", "expected ", "Which is: "];
    const KEYS: [&str; 9] =
        ["actual", "code", "expected", "got", "left", "received", "right", "want", "wanted"];
    let is_key = |key: &str| KEYS.iter().any(|known| known.eq_ignore_ascii_case(key.trim_end()));
    HEADS.iter().any(|head| body.starts_with(head))
        || body.split_once(": ").is_some_and(|(key, value)| is_key(key) && !value.is_empty())
}

/// A test that passed, or that begins.
pub(super) fn is_passed(body: &str) -> bool {
    let heads: &[&str] = match body.bytes().next() {
        Some(0xe2) => &["✓ ", "✔ "],
        Some(b'P') => &["PASS ", "PASS\t", "PASSED "],
        Some(b'o') => &["ok ", "ok\t"],
        Some(b'-') => &["--- PASS"],
        Some(b'=') => &["=== RUN", "=== CONT", "=== PAUSE"],
        _ => &[],
    };
    heads.iter().any(|head| body.starts_with(head))
        || match body.as_bytes().last() {
            Some(b'k') => body.ends_with(" ... ok"),
            Some(b'd') => body.ends_with(" ... ignored"),
            Some(b'D') => body.ends_with(" PASSED"),
            Some(b']') => {
                body.ends_with("%]") && !reports_error(body)
                    // `Passed Shop.Tests.Adds [1 ms]`
                    || body.ends_with("s]") && body.starts_with("Passed ")
            }
            _ => false,
        }
}

/// Whether a line has the totals at the end: how many passed and failed, of how many, how long it
/// took.
pub(super) fn is_total(body: &str) -> bool {
    /// Bytes: a word and a digit at the least.
    const COUNT_LINE_BYTES: std::ops::RangeInclusive<usize> = 4..=200;
    /// Words of a line that says one number.
    const MAX_COUNT_WORDS: u32 = 4;
    if !COUNT_LINE_BYTES.contains(&body.len()) {
        return false;
    }
    let mut known = 0;
    let words = scan_words(body, &COUNT_HEADS, |word| known += u32::from(counts(word)));
    let says =
        (known >= 2 && known * 6 >= words.count) || (known == 1 && words.count <= MAX_COUNT_WORDS);
    says && words.has_digit
}

/// Words that say what was counted, by length.
const COUNT_WORDS: [&[&str]; 9] = [
    &[],
    &[],
    &[],
    &["ran"],
    &["pass", "fail", "todo", "test", "time"],
    &["total", "tests"],
    &["passed", "failed", "suites"],
    &["passing", "failing", "skipped", "ignored", "pending", "failure"],
    &["duration", "finished", "failures"],
];

/// The first letters of these.
static COUNT_HEADS: WordHeads = WordHeads::new(&COUNT_WORDS);

/// Whether a word says what was counted.
fn counts(word: &[u8]) -> bool {
    let known = COUNT_WORDS.get(word.len()).copied().unwrap_or_default();
    known.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(word))
}
