//! Progress that overwrites itself: a tool writes `  3% done`, a carriage return, `  4% done`, and
//! a terminal shows the last of them.
//!
//! Between carriage returns of one line are *states*. Of states that follow each other and differ
//! in numbers, bars and units alone, the last stays. States that report errors all stay.

use std::borrow::Cow;

use crate::compress::notation::reports_error;

/// Letters of the shortest word that is no unit and no part of one.
const MIN_WORD_LETTERS: usize = 4;
/// Bytes of the longest state.
const MAX_STATE_BYTES: usize = 1000;

/// The text without the states of progress that are overwritten by others.
pub(super) fn without_overwritten(text: &str) -> Cow<'_, str> {
    let ends: Vec<usize> = memchr::memchr_iter(b'\r', text.as_bytes()).collect();
    let mut out = String::new();
    let mut copied = 0;
    // The state before the carriage return, if it may go: where it begins, and its key.
    let mut before: Option<(usize, ProgressKey<'_>)> = None;
    for (nth, end) in ends.iter().enumerate() {
        let line_start =
            || text.get(..*end).and_then(|head| head.rfind('\n')).map_or(0, |at| at + 1);
        let start = match nth.checked_sub(1).and_then(|last| ends.get(last)) {
            Some(last) if !text.get(*last..*end).is_some_and(|state| state.contains('\n')) => {
                last + 1
            }
            _ => line_start(),
        };
        // The key of the state before this carriage return was found as what follows the last one.
        let own = match before.take() {
            Some((at, key)) if at == start => Some(key),
            _ => text.get(start..*end).and_then(ProgressKey::new),
        };
        let rest = text.get(end + 1..).unwrap_or_default();
        let length = memchr::memchr2(b'\r', b'\n', rest.as_bytes()).unwrap_or(rest.len());
        let next = rest.get(..length).and_then(ProgressKey::new);
        if own.is_some() && own == next {
            out.push_str(text.get(copied..start).unwrap_or_default());
            copied = end + 1;
        }
        before = next.map(|key| (end + 1, key));
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(out)
}

/// What states of the same progress have in common: the text before the number that grows, and the
/// words after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ProgressKey<'t> {
    head: &'t str,
    rest: ProgressWords<'t>,
}

/// The words of a text: runs of letters that are too long to be units.
#[derive(Debug, Clone, Copy)]
struct ProgressWords<'t>(&'t str);

impl<'t> ProgressWords<'t> {
    fn words(self) -> impl Iterator<Item = &'t str> {
        let runs = self.0.split(|letter: char| !letter.is_alphabetic());
        runs.filter(|run| run.len() >= MIN_WORD_LETTERS)
    }
}

impl PartialEq for ProgressWords<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.words().eq(other.words())
    }
}

impl Eq for ProgressWords<'_> {}

impl<'t> ProgressKey<'t> {
    /// The key of a state; none if the text is none.
    fn new(state: &'t str) -> Option<Self> {
        if state.len() > MAX_STATE_BYTES || state.contains(['\u{1b}', '\n']) {
            return None;
        }
        let (start, end) = number(state.as_bytes())?;
        let head = state.get(..start)?.trim_end_matches(' ');
        (!reports_error(state)).then_some(Self { head, rest: ProgressWords(state.get(end..)?) })
    }
}

/// Where the number of a state is: of `12%`, `12.5 %` or else `3/40`.
fn number(state: &[u8]) -> Option<(usize, usize)> {
    let is_digit = |byte: &&u8| byte.is_ascii_digit() || **byte == b'.';
    let digits_before =
        |at: usize| state.get(..at).unwrap_or_default().iter().rev().take_while(is_digit).count();
    let percent = memchr::memchr_iter(b'%', state).find_map(|at| {
        let blank = usize::from(at > 0 && state.get(at - 1) == Some(&b' '));
        let digits = digits_before(at - blank);
        (digits > 0 && !is_field_end(state, at + 1)).then_some((at - blank - digits, at + 1))
    });
    percent.or_else(|| {
        memchr::memchr_iter(b'/', state).find_map(|at| {
            let before = digits_before(at);
            let after = state.get(at + 1..).unwrap_or_default().iter().take_while(is_digit).count();
            let end = at + 1 + after;
            (before > 0 && after > 0 && !is_field_end(state, end)).then_some((at - before, end))
        })
    })
}

/// Whether a field of separated values ends here: in files whose lines end with carriage returns,
/// nothing overwrites anything.
fn is_field_end(state: &[u8], at: usize) -> bool {
    match state.get(at) {
        Some(b',') => state.get(at + 1) != Some(&b' '),
        Some(sign) => matches!(sign, b';' | b'\t' | b'"'),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_state_of_a_progress_stays() {
        let bar = |n: usize| format!("model.bin: {n:3}%|{:10}| {n}/100 kB", "█".repeat(n / 10));
        let states: Vec<String> = (0..=100).step_by(5).map(bar).collect();
        let text = format!("begin\n{}\nend 5%\r\n", states.join("\r"));
        assert_eq!(without_overwritten(&text), format!("begin\n{}\nend 5%\r\n", bar(100)));
        for (text, left) in [
            ("10%\r20%\r30%\nok", "30%\nok"),
            ("\r 1/9 done\r 2/9 done\r", "\r 2/9 done\r"),
            ("a: 1%, 9 kB\ra: 99%, 8 MB\rb: 1%, 9 kB\rb: 3%, 9 kB", "a: 99%, 8 MB\rb: 3%, 9 kB"),
            ("x: 1%\rx: 2%\nx: 3%\rx: 4%", "x: 2%\nx: 4%"),
        ] {
            assert_eq!(without_overwritten(text), left);
        }
    }

    #[test]
    fn what_says_something_else_stays() {
        for text in [
            "",
            "\r",
            "no\rnumbers\r",
            "1% fetch alpha\r2% fetch beta",
            "a 1%\rb 2%",
            "x: 1%\rx: error 2%\rx: 3%",
            "id,place,share\r1,Lund,5%\r2,Umeå,6%\r3,Lund,7%",
            "2024,FL,CLAY COUNTY,510.5\r2025,FL,CLAY COUNTY,520.5",
            "5%,A\r6%,B\r7%,C",
            "1%\n2%\n",
        ] {
            assert_eq!(without_overwritten(text), text);
        }
    }
}
