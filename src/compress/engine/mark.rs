//! The marks: how a reference is written, how a block begins, and how a text that only looks
//! like one of these is kept apart.

use std::fmt::Write as _;

use crate::compress::notation::{LEGEND_MARK, MARK};

/// One of these is written before a text that must not be decoded although it contains lines that
/// look like marks. Which one, is a matter of tokens: letters and slashes join with what is before.
pub(super) const LITERAL_MARKS: [&str; 3] = ["§§", "§\n", "§ "];

/// A text that a reference can point into.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum ReferenceTarget {
    /// The answer to a tool call: the n-th one of the list, from 1.
    Result(usize),
    /// The lines above in the same text.
    Above,
    /// An argument of a tool call: the n-th call of the list, from 1; no key if the arguments
    /// are plain text.
    Call(usize, Option<String>),
}

/// `§= result 7 lines 12-40`: the same lines are here, too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reference {
    pub(super) place: ReferenceTarget,
    /// First line, from 1, and how many; the whole text if there is none.
    pub(super) lines: Option<(usize, usize)>,
}

/// Writes a reference to some lines of a place; the first from 1, and how many.
pub(super) fn write_reference(
    out: &mut String,
    place: &ReferenceTarget,
    lines: Option<(usize, usize)>,
) {
    out.push(MARK);
    match place {
        ReferenceTarget::Above => out.push_str("= above"),
        ReferenceTarget::Result(nth) => {
            out.push_str("= result ");
            push_number(out, *nth);
        }
        ReferenceTarget::Call(nth, key) => {
            out.push_str("= call ");
            push_number(out, *nth);
            if let Some(key) = key {
                out.push(' ');
                out.push_str(key);
            }
        }
    }
    match lines {
        None => {}
        Some((first, 1)) => {
            out.push_str(" line ");
            push_number(out, first);
        }
        Some((first, count)) => {
            out.push_str(" lines ");
            push_number(out, first);
            out.push('-');
            push_number(out, first + count - 1);
        }
    }
}

fn push_number(out: &mut String, number: usize) {
    let _ = write!(out, "{number}");
}

impl Reference {
    pub(super) fn parse(line: &str) -> Option<Self> {
        let mut words = line.strip_prefix(MARK)?.strip_prefix("= ")?.split(' ').peekable();
        let place = match words.next()? {
            "above" => ReferenceTarget::Above,
            "result" => ReferenceTarget::Result(number(words.next()?)?),
            "call" => {
                let nth = number(words.next()?)?;
                let key = words.next_if(|word| !matches!(*word, "line" | "lines"));
                ReferenceTarget::Call(nth, key.map(str::to_owned))
            }
            _ => return None,
        };
        let lines = match (words.next(), words.next(), words.next()) {
            (None, ..) => None,
            (Some("line"), Some(first), None) => Some((number(first)?, 1)),
            (Some("lines"), Some(range), None) => {
                let (first, last) = range.split_once('-')?;
                let (first, last) = (number(first)?, number(last)?);
                Some((first, (last + 1).checked_sub(first).filter(|count| *count > 1)?))
            }
            _ => return None,
        };
        Some(Self { place, lines })
    }
}

/// A whole number from 1, written in one way only.
fn number(text: &str) -> Option<usize> {
    let value: usize = text.parse().ok()?;
    (value > 0 && value < 1 << 32 && value.to_string() == text).then_some(value)
}

/// Whether a key can be in a reference.
pub(super) fn is_key(key: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    !key.is_empty() && key.len() <= 40 && key.bytes().all(plain) && !matches!(key, "line" | "lines")
}

/// The first line of a block: `§name n args`.
pub(super) struct BlockHeader<'l> {
    pub(super) name: &'l str,
    /// Number of body lines that follow.
    pub(super) lines: usize,
    pub(super) args: &'l str,
}

impl<'l> BlockHeader<'l> {
    pub(super) fn parse(line: &'l str) -> Option<Self> {
        let (name, rest) = line.strip_prefix(MARK)?.split_once(' ')?;
        let (lines, args) = rest.split_once(' ').unwrap_or((rest, ""));
        Some(Self { name, lines: number(lines)?, args })
    }
}

/// Whether a line begins as our marks do: a section sign alone, as in `§ 5`, is a text's own.
pub(super) fn is_marked(line: &str) -> bool {
    let rest = line.strip_prefix(MARK);
    rest.is_some_and(|rest| rest.starts_with(|next: char| next == '=' || next.is_ascii_lowercase()))
}

/// Whether a line is a legend below a mark.
pub(super) fn is_legend(line: &str) -> bool {
    line.starts_with(LEGEND_MARK)
}

/// Whether a line begins as a mark or as what explains one.
pub(super) fn is_marked_or_legend(line: &str) -> bool {
    is_marked(line) || is_legend(line)
}

/// Whether a text would be taken for one with marks of ours.
pub(super) fn has_marks(text: &str) -> bool {
    let finder = memchr::memmem::Finder::new("§");
    LITERAL_MARKS.iter().any(|literal| text.starts_with(literal))
        || finder.find_iter(text.as_bytes()).any(|at| {
            let begins = at.checked_sub(1).is_none_or(|at| text.as_bytes().get(at) == Some(&b'\n'));
            begins && text.get(at..).is_some_and(is_marked_or_legend)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_reads_as_it_was_written() {
        let call = |key: Option<&str>| ReferenceTarget::Call(12, key.map(str::to_owned));
        for (place, lines, text) in [
            (ReferenceTarget::Result(7), None, "§= result 7"),
            (ReferenceTarget::Result(7), Some((3, 1)), "§= result 7 line 3"),
            (ReferenceTarget::Result(7), Some((12, 29)), "§= result 7 lines 12-40"),
            (ReferenceTarget::Above, Some((3, 4)), "§= above lines 3-6"),
            (call(None), Some((1, 2)), "§= call 12 lines 1-2"),
            (call(Some("content")), None, "§= call 12 content"),
        ] {
            let reference = Reference { place, lines };
            let mut written = String::new();
            write_reference(&mut written, &reference.place, reference.lines);
            assert_eq!(written, text);
            assert_eq!(Reference::parse(text), Some(reference));
        }
    }

    #[test]
    fn anything_else_is_no_reference() {
        for text in [
            "= result 7",
            "§ result 7",
            "§= result 0",
            "§= result 07",
            "§= result x",
            "§= result 7 line",
            "§= result 7 lines 5-5",
            "§= result 7 lines 6-5",
            "§= result 7 lines 1-2 ",
            "§= reply 7",
            "§= above 7",
            "§= above lines 0-2",
        ] {
            assert_eq!(Reference::parse(text), None, "{text}");
        }
    }

    #[test]
    fn marks_stand_at_line_starts() {
        assert!(has_marks("§json 1") && has_marks("a\n§= x") && has_marks("§ 1"));
        assert!(has_marks("a\n§: these lines"));
        assert!(!has_marks("see §= 1") && !has_marks("a\n §=") && !has_marks("a\n§ 5 BGB"));
    }
}
