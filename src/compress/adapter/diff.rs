//! `diff`: unified diffs. Every changed line and every header stays byte for byte; of the context
//! the line next to a change stays, and the rest goes to marks.
//!
//! A mark begins with `[` at the beginning of its line. No line of a hunk begins so, and the
//! counts of the hunk's header no longer add up: a tool that applies patches refuses it, rather
//! than applying it in part.

use super::page::{LinePage, MarkMargin, cuts, shown_lines};
use super::{AdapterAttempt, FormatAdapter, InnerTexts, Part};
use crate::compress::segment::{Hunk, HunkLine, Kind, Span, segment, without_margin};

/// Lines of context that stay before and after a change.
const CONTEXT_LINES: usize = 1;

/// Unified diffs; see the module.
#[derive(Debug)]
pub(crate) struct DiffAdapter;

impl FormatAdapter for DiffAdapter {
    fn name(&self) -> &'static str {
        "diff"
    }

    fn takes_ratio(&self) -> bool {
        false
    }

    fn detects(&self, part: Part<'_>) -> bool {
        let is_diff = |kind| kind == Kind::Diff;
        // Output of `git show` and `git log -p`: commits, and a diff below each.
        part.is_all(is_diff) || (part.has(is_diff) && is_commit(part.text))
    }

    fn holds(&self, before: &str, after: &str) -> bool {
        let spans = segment(before);
        keeps(&LinePage::new(before), Part::new(before, &spans), after)
    }

    fn attempt<'p>(&'p self, part: Part<'p>, _: &mut dyn InnerTexts) -> AdapterAttempt<'p> {
        let page = LinePage::new(part.text);
        let cuts = if page.may_shrink() {
            cuts(&page, &without_context(&page, part.spans, CONTEXT_LINES), MarkMargin::None)
        } else {
            Vec::new()
        };
        AdapterAttempt::new(cuts, move |after| keeps(&page, part, after))
    }
}

/// Whether all that went is context, and every change is as it did.
fn keeps(page: &LinePage<'_>, part: Part<'_>, after: &str) -> bool {
    let before = part.text;
    let changes = |text| str::lines(text).filter(|line| line.starts_with(['+', '-']));
    let Some(shows) = shown_lines(page, &LinePage::new(after)) else { return false };
    // Of the context, what is next to a change too.
    let bound = without_context(page, part.spans, 0);
    let all_context = bound.iter().zip(&shows).all(|(bound, shows)| *shows || !bound);
    let is_flush = |line: &str| !line.trim_ascii_start().starts_with("[… ");
    let indented = |line: &str| line.starts_with([' ', '\t']) && !is_flush(line);
    let all_flush = before.contains("[… ") || !after.lines().any(indented);
    all_context && all_flush && changes(before).eq(changes(after))
}

/// Flags of the lines that stay if the context of a diff stays only `near` a change.
fn without_context(page: &LinePage<'_>, spans: &[Span], near: usize) -> Vec<bool> {
    let mut shows = vec![true; page.len()];
    for span in spans.iter().filter(|span| span.kind == Kind::Diff) {
        let mut at = page.at(span.range.start);
        let end = page.at(span.range.end.saturating_sub(1)) + 1;
        while at < end {
            at = drop_context(page, at, end, near, &mut shows);
        }
    }
    shows
}

/// Whether a text begins as a commit is shown.
fn is_commit(text: &str) -> bool {
    let id = text.trim_ascii_start().strip_prefix("commit ").unwrap_or_default();
    id.bytes().take_while(u8::is_ascii_hexdigit).count() >= 7
}

/// Lets go of the context in the hunk that begins at a line, but for what is `near` a change;
/// gives the line after it.
fn drop_context(
    page: &LinePage<'_>,
    at: usize,
    end: usize,
    near: usize,
    shows: &mut [bool],
) -> usize {
    let header = page.line(at).as_bytes();
    let body = header.trim_ascii_start();
    let Some(mut hunk) = Hunk::read(body) else { return at + 1 };
    let margin = header.get(..header.len() - body.len()).unwrap_or_default();
    let mut line = at + 1;
    // The first line of the context that is not near the change before it.
    let mut far = line;
    while line < end && hunk.is_open() {
        let own = without_margin(margin, page.line(line).as_bytes());
        match own.and_then(|own| hunk.take(own)) {
            None => break,
            Some(HunkLine::Context) => line += 1,
            Some(HunkLine::Change) => {
                drop_lines(shows, far, line.saturating_sub(near));
                line += 1;
                far = line + near;
            }
        }
    }
    // A hunk that breaks off may have been cut; its last lines are still context.
    drop_lines(shows, far, line);
    line
}

fn drop_lines(shows: &mut [bool], from: usize, to: usize) {
    if let Some(lines) = shows.get_mut(from..to) {
        lines.fill(false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compress::adapter::laws::{detects, short};

    const CHANGE: &str = include_str!("fixtures/change.txt");

    #[test]
    fn context_goes_and_changes_stay() {
        let short = short(&DiffAdapter, CHANGE);
        assert!(short.len() * 3 < CHANGE.len() * 2, "{short}");
        for line in CHANGE.lines().filter(|line| !line.starts_with(' ')) {
            assert!(short.lines().any(|shown| shown == line), "{line}");
        }
        let around = "[… 7 lines]\n class Job:\n-    name: str\n+    name: str = \"unnamed\"\n";
        assert!(short.contains(around), "{short}");
        assert!(
            !detects(&DiffAdapter, &short)
                || DiffAdapter.attempt(Part::new(&short, &[]), &mut Never).cuts.is_empty()
        );
    }

    struct Never;

    impl InnerTexts for Never {
        fn shorten(&mut self, _: &str) -> Option<String> {
            None
        }
    }

    #[test]
    fn commits_are_taken_whole() {
        let commit = "commit 3f1c2ab9d0e4173f1c2ab9d0e4173f1c2ab9d0e4\nAuthor: A <a@example.org>\n\n    \
            Name jobs that have no name, and count how often each of them was tried.\n\n";
        let text = format!("{commit}{CHANGE}\n{}{CHANGE}", commit.replace("3f1c", "77aa"));
        let short = short(&DiffAdapter, &text);
        assert_eq!(short.matches(commit).count(), 1);
        assert_eq!(short.matches("[… 7 lines]\n").count(), 2);
    }

    #[test]
    fn a_merge_and_a_diff_away_from_the_margin_keep_their_changes() {
        let context = |mark: &str| -> String {
            let line = |at| format!("{mark}let value_{at} = take();\n");
            (0..9).map(line).collect()
        };
        let merge = format!(
            "diff --cc a.rs\nindex 1a2,2b3..3c4\n--- a/a.rs\n+++ b/a.rs\n@@@ -1,20 -1,19 +1,20 @@@\n\
             {0}- gone();\n -gone_too();\n++come();\n +come_too();\n{0}",
            context("  ")
        );
        let plain = format!("@@ -1,19 +1,19 @@\n{0}-gone();\n+come();\n{0}", context(" "));
        let indent = |line| format!("    {line}\n");
        let indented: String = plain.lines().map(indent).collect();
        for text in [&merge, &indented] {
            let short = short(&DiffAdapter, text);
            assert_eq!(short.matches("[… 8 lines]\n").count(), 2, "{short}");
            for line in text.lines().filter(|line| !line.contains("let ")) {
                assert!(short.lines().any(|shown| shown == line), "{line} in {short}");
                assert!(
                    !DiffAdapter.holds(text, &short.replacen(&format!("{line}\n"), "", 1)),
                    "{line}"
                );
            }
        }
    }

    #[test]
    fn what_is_no_diff_is_left() {
        assert!(!detects(&DiffAdapter, "commit to it\n\nand more words\n"));
        assert!(!detects(&DiffAdapter, "-a\n+b\n"));
    }

    #[test]
    fn a_changed_line_less_is_refused() {
        let short = short(&DiffAdapter, CHANGE);
        assert!(!DiffAdapter.holds(CHANGE, &short.replacen("+    tries: int = 0\n", "", 1)));
        assert!(!DiffAdapter.holds(CHANGE, &short.replacen("[… 7", " [… 7", 1)));
        assert!(!DiffAdapter.holds(CHANGE, &short.replacen("[… 7", "[… 8", 1)));
        let (head, _) = CHANGE.split_once("-            job").unwrap();
        let (_, tail) = CHANGE.split_once("self.taken += 1\n").unwrap();
        assert!(!DiffAdapter.holds(CHANGE, &format!("{head}[… 2 lines]\n{tail}")));
    }
}
