//! Differences that show whole documents: `+` and `-` in the first column, all else indented.

use super::super::page::LinePage;

/// A changed line, and how many like it precede it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChangedLine {
    /// The heading of what changed.
    Head { nth: usize },
    /// A line that is new, or the first in which something new differs from what was.
    New { nth: usize },
    /// A line that was.
    Old { nth: usize },
}

/// Calls `each` with the lines that differ and their headings, if a text is such a difference. A
/// difference in hunks says by itself where each is.
pub(super) fn mark_differences(page: &LinePage<'_>, mut each: impl FnMut(usize, ChangedLine)) {
    /// Lines that differ at the least.
    const MIN_CHANGED: usize = 2;
    let solid = page.solid();
    let is_hunk = |at: &usize| page.line(*at).starts_with("@@ ");
    let changed = solid.iter().filter(|at| is_changed(page.line(**at))).count();
    let context = solid.iter().filter(|at| page.indent(**at) > 0).count();
    let is_difference = changed >= MIN_CHANGED && changed * 2 <= context;
    if !is_difference || (changed + context) * 10 < solid.len() * 9 || solid.iter().any(is_hunk) {
        return;
    }
    let (mut heads, mut new, mut old) = (0, 0, 0);
    for at in solid.iter().copied() {
        let line = page.line(at);
        if page.indent(at) == 0 && line.trim_ascii_end().ends_with(':') && !is_changed(line) {
            each(at, ChangedLine::Head { nth: heads });
            heads += 1;
        } else if is_changed(line) && line.starts_with('+') {
            each(at, ChangedLine::New { nth: new });
            new += 1;
        } else if is_changed(line) {
            each(at, ChangedLine::Old { nth: old });
            old += 1;
        }
    }
}

fn is_changed(line: &str) -> bool {
    let rest = line.strip_prefix(['+', '-']).unwrap_or_default();
    rest.starts_with(' ') && rest.bytes().any(|byte| byte.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(text: &str) -> Vec<usize> {
        let mut found = Vec::new();
        mark_differences(&LinePage::new(text), |at, _| found.push(at));
        found
    }

    #[test]
    fn changed_lines_of_whole_documents_are_found() {
        let text = "shop, a, Job (batch) has changed:\n  kind: Job\n  spec:\n-   image: a:1\n+   image: a:2\n    name: a\n    args: b\n    tty: c\n    env: d\n    uid: e\n";
        assert_eq!(marked(text), [0, 3, 4]);
        let hunk = "@@ -1,4 +1,4 @@\n  a: b\n- c: d\n+ c: e\n  f: g\n  h: i\n  j: k\n";
        assert!(marked(hunk).is_empty());
        assert!(marked("- an item\n- another item\n+ a third\n").is_empty());
    }
}
