//! Unified diffs. A hunk is as long as its header says, so what a hunk holds (a fence, a log line)
//! is never taken for a part of its own.

use super::line_bytes::{leading_number, run_of};
use crate::compress::text::LineTable;

/// Beginnings of the lines that git writes above a file.
const FILE_LINES: [&[u8]; 3] = [b"diff --git ", b"diff --cc ", b"diff --combined "];

/// Beginnings of the lines that git writes between the files and their hunks.
const HEADER_LINES: [&[u8]; 17] = [
    b"diff --git ",
    b"diff --cc ",
    b"diff --combined ",
    b"index ",
    b"Index: ",
    b"=======",
    b"new file mode ",
    b"deleted file mode ",
    b"old mode ",
    b"new mode ",
    b"similarity index ",
    b"dissimilarity index ",
    b"rename from ",
    b"rename to ",
    b"copy from ",
    b"copy to ",
    b"Binary files ",
];

/// The line after the diff that begins at a line. All of it is as far from the margin as its
/// first line does.
pub(super) fn end(lines: &LineTable<'_>, at: usize) -> Option<usize> {
    if !begins(lines, at) {
        return None;
    }
    let own = MarginLines::new(lines, at);
    let mut line = at;
    let mut end = at;
    while line < lines.len() {
        let bytes = own.line(line).unwrap_or_default();
        if let Some(hunk) = Hunk::read(bytes) {
            line = after_hunk(own, line + 1, hunk);
        } else if names_files(own, line) {
            line += 2;
        } else if HEADER_LINES.iter().any(|header| bytes.starts_with(header)) {
            line += 1;
        } else if lines.is_blank(line) && own.begins(line + 1) {
            line += 1;
            continue;
        } else {
            break;
        }
        end = line;
    }
    Some(end)
}

/// Whether a diff begins at a line.
pub(super) fn begins(lines: &LineTable<'_>, at: usize) -> bool {
    MarginLines::new(lines, at).begins(at)
}

/// Lines without the white space that precedes all of a diff.
#[derive(Clone, Copy)]
struct MarginLines<'t, 'l> {
    lines: &'l LineTable<'t>,
    margin: &'t [u8],
}

impl<'t, 'l> MarginLines<'t, 'l> {
    fn new(lines: &'l LineTable<'t>, first: usize) -> Self {
        Self { lines, margin: lines.slice(lines.start(first)..lines.head(first)) }
    }

    /// None if a line is nearer to the margin, and is not empty.
    fn line(self, at: usize) -> Option<&'t [u8]> {
        without_margin(self.margin, self.lines.bytes(at))
    }

    fn begins(self, at: usize) -> bool {
        let line = self.line(at).unwrap_or_default();
        FILE_LINES.iter().any(|header| line.starts_with(header))
            || Hunk::read(line).is_some()
            || names_files(self, at)
    }
}

/// A line without the margin of its diff; an empty one may have lost it.
pub(crate) fn without_margin<'t>(margin: &[u8], line: &'t [u8]) -> Option<&'t [u8]> {
    line.strip_prefix(margin).or_else(|| line.trim_ascii().is_empty().then_some(&[]))
}

fn names_files(own: MarginLines<'_, '_>, at: usize) -> bool {
    let begins = |at: usize, mark: &[u8]| own.line(at).is_some_and(|line| line.starts_with(mark));
    begins(at, b"--- ")
        && begins(at + 1, b"+++ ")
        && (begins(at + 2, b"@@ -") || begins(at + 2, b"@@@"))
}

/// Old files of a combined diff, at the most.
const MAX_OLD_FILES: usize = 8;

/// Lines still to come of those that the header of a hunk announces: `@@ -1,4 +1,5 @@`, and `@@@
/// -1,4 -1,3 +1,5 @@@` in a merge of two old files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hunk {
    old: [usize; MAX_OLD_FILES],
    files: usize,
    new: usize,
}

/// Class of a line of a hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HunkLine {
    /// In all of the files.
    Context,
    /// In some of them, or a note about one that is.
    Change,
}

impl Hunk {
    pub(crate) fn read(line: &[u8]) -> Option<Self> {
        let files = run_of(line, b'@')
            .checked_sub(1)
            .filter(|files| (1..=MAX_OLD_FILES).contains(files))?;
        let mut hunk = Self { old: [0; MAX_OLD_FILES], files, new: 0 };
        let (marks, mut rest) = line.split_at_checked(files + 1)?;
        for old in hunk.old.iter_mut().take(files) {
            (*old, rest) = count(rest.strip_prefix(b" -")?)?;
        }
        (hunk.new, rest) = count(rest.strip_prefix(b" +")?)?;
        rest.strip_prefix(b" ")?.starts_with(marks).then_some(hunk)
    }

    /// Whether a line is still to come.
    pub(crate) fn is_open(&self) -> bool {
        self.new > 0 || self.old.iter().any(|old| *old > 0)
    }

    /// Takes in the next line; none if it is not of the hunk.
    pub(crate) fn take(&mut self, line: &[u8]) -> Option<HunkLine> {
        if line.first() == Some(&b'\\') {
            return Some(HunkLine::Change);
        }
        // A mark for each old file; an empty line is context that lost its blanks.
        let marks = line.get(..self.files).unwrap_or(line);
        let is_gone = marks.contains(&b'-');
        let mut left = *self;
        for (at, old) in left.old.iter_mut().enumerate().take(self.files) {
            let is_there = match marks.get(at).unwrap_or(&b' ') {
                b' ' => !is_gone,
                b'-' => true,
                b'+' if !is_gone => false,
                _ => return None,
            };
            *old = old.checked_sub(usize::from(is_there))?;
        }
        left.new = left.new.checked_sub(usize::from(!is_gone))?;
        *self = left;
        let is_context = marks.iter().all(|mark| *mark == b' ');
        Some(if is_context { HunkLine::Context } else { HunkLine::Change })
    }
}

/// The count of `12,5` or `12`, and what follows.
fn count(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (_, rest) = leading_number::<usize>(bytes)?;
    match rest.strip_prefix(b",") {
        Some(rest) => leading_number(rest),
        None => Some((1, rest)),
    }
}

fn after_hunk(own: MarginLines<'_, '_>, mut line: usize, mut hunk: Hunk) -> usize {
    let bytes = |at: usize| own.line(at);
    while line < own.lines.len()
        && hunk.is_open()
        && bytes(line).is_some_and(|bytes| hunk.take(bytes).is_some())
    {
        line += 1;
    }
    while bytes(line).is_some_and(|bytes| bytes.starts_with(b"\\ ")) {
        line += 1;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(text: &str) -> Option<&str> {
        let lines = LineTable::new(text);
        end(&lines, 0).map(|end| &text[..lines.start(end)])
    }

    #[test]
    fn the_header_says_how_long_a_hunk_is() {
        let diff = "@@ -1,3 +1,2 @@ fn a\n a\n-b\n\n";
        assert_eq!(taken(&format!("{diff}- c\n")), Some(diff));
        assert_eq!(taken("@@ -1 +1 @\n-a\n+b\n"), None);
    }

    #[test]
    fn a_merge_has_a_mark_for_each_of_its_files() {
        let diff = "diff --cc a.rs\nindex 1a,2b..3c\n--- a/a.rs\n+++ b/a.rs\n\
            @@@ -1,3 -1,2 +1,3 @@@ fn a\n  a\n- b\n -c\n++d\n +e\n";
        assert_eq!(taken(&format!("{diff}  and so on\n")), Some(diff));
        let hunk = Hunk::read(b"@@@ -1,3 -1,2 +1,3 @@@").unwrap();
        for (line, is) in [
            ("  a", Some(HunkLine::Context)),
            ("", Some(HunkLine::Context)),
            ("+ a", Some(HunkLine::Change)),
            ("--a", Some(HunkLine::Change)),
            ("-+a", None),
            ("a", None),
        ] {
            let mut own = hunk;
            assert_eq!(own.take(line.as_bytes()), is, "{line:?}");
        }
        assert_eq!(Hunk::read(b"@@@ -1,3 +1,3 @@@"), None);
        assert_eq!(Hunk::read(b"@ +1,3 @"), None);
    }

    #[test]
    fn a_diff_may_stand_away_from_the_margin() {
        let diff = "    --- a/x\n    +++ b/x\n    @@ -1,3 +1,3 @@\n     a\n\n    -b\n    +c\n";
        assert_eq!(taken(&format!("{diff}and so on\n")), Some(diff));
        assert_eq!(taken("  @@ -1,2 +1,2 @@\n   a\n b\n"), Some("  @@ -1,2 +1,2 @@\n   a\n"));
    }
}
