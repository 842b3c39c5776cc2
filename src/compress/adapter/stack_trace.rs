//! `stack_trace`: what was thrown, and where. Every message stays, and of the frames below each
//! the first, the last and those of the application; runs of a library's frames go to marks, and
//! so do frames that are above already.

use foldhash::HashSet;

use super::frame::{Frame, frame, root};
use super::line_choice::{LineRank, choose_cuts};
use super::page::{LinePage, attempt, is_elided};
use super::{AdapterAttempt, FormatAdapter, InnerTexts, Part};
use crate::compress::segment::Kind;

/// Frames of one root that follow each other stay up to so many.
const MAX_RUN_FRAMES: usize = 6;
/// Frames that stay at each end of a longer run.
const END_FRAMES: usize = 2;

/// Stack traces; see the module.
#[derive(Debug)]
pub(crate) struct StackTraceAdapter;

impl FormatAdapter for StackTraceAdapter {
    fn name(&self) -> &'static str {
        "stack_trace"
    }

    fn takes_ratio(&self) -> bool {
        false
    }

    fn detects(&self, part: Part<'_>) -> bool {
        part.is_all(|kind| kind == Kind::Trace)
    }

    fn holds(&self, before: &str, after: &str) -> bool {
        is_elided(before, after)
    }

    fn attempt<'p>(&'p self, part: Part<'p>, _: &mut dyn InnerTexts) -> AdapterAttempt<'p> {
        attempt(part.text, |page| choose_cuts(page, &ranks(page), part.ratio))
    }
}

fn ranks(page: &LinePage<'_>) -> Vec<LineRank> {
    let mut ranks = vec![LineRank::Once; page.len()];
    let mut seen = HashSet::default();
    let mut at = 0;
    while at < page.len() {
        let frames = frames(page, at);
        let Some(last) = frames.last() else {
            at += 1;
            continue;
        };
        at = last.to;
        rank_frames(page, &frames, &mut seen, &mut ranks);
    }
    ranks
}

/// The frames that follow each other from a line on.
fn frames(page: &LinePage<'_>, at: usize) -> Vec<Frame> {
    let mut frames: Vec<Frame> = Vec::new();
    let mut next = at;
    while let Some(frame) = frame(page, next, next > at) {
        next = frame.to;
        frames.push(frame);
        if next >= page.len() {
            break;
        }
    }
    frames
}

/// Ranks the frames below one message.
fn rank_frames<'t>(
    page: &LinePage<'t>,
    frames: &[Frame],
    seen: &mut HashSet<&'t str>,
    ranks: &mut [LineRank],
) {
    let mut at = 0;
    for run in frames.chunk_by(|a, b| root(page, *a) == root(page, *b)) {
        for (place, frame) in run.iter().enumerate() {
            let is_end = at == 0 || at + 1 == frames.len();
            let is_inner =
                run.len() > MAX_RUN_FRAMES && place >= END_FRAMES && place + END_FRAMES < run.len();
            let rank = if !seen.insert(page.slice(frame.from, frame.to)) {
                LineRank::Last
            } else if is_end {
                LineRank::Must
            } else if frame.is_library {
                LineRank::Last
            } else if is_inner {
                LineRank::May(2)
            } else {
                LineRank::Must
            };
            if let Some(lines) = ranks.get_mut(frame.from..frame.to) {
                lines.fill(rank);
            }
            at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compress::adapter::laws::{detects, short};

    #[test]
    fn messages_and_own_frames_stay() {
        let python = short(&StackTraceAdapter, include_str!("fixtures/python_trace.txt"));
        for line in [
            "manage.py\", line 22",
            "count.py\", line 31",
            "KeyError: 4417",
            "report.py\", line 77",
            "socket.py\", line 852",
            "ConnectionRefusedError: [Errno 111]",
        ] {
            assert!(python.contains(line), "{line} in:\n{python}");
        }
        assert!(!python.contains("core/management"), "{python}");
        let java = short(&StackTraceAdapter, include_str!("fixtures/java_trace.txt"));
        for line in [
            "OrderService.java:64",
            "OrderController.java:41",
            "Thread.java:1583",
            "Caused by: java.sql.SQLException",
            "Pool.java:203",
            "... 17 more",
        ] {
            assert!(java.contains(line), "{line} in:\n{java}");
        }
        assert!(!java.contains("reflect.Method"), "{java}");
    }

    #[test]
    fn runs_of_library_frames_go() {
        let text = include_str!("fixtures/js_trace.txt");
        let js = short(&StackTraceAdapter, text);
        assert!(js.len() * 3 < text.len() && js.contains("orders.js:88:9"), "{js}");
        let rust = short(&StackTraceAdapter, include_str!("fixtures/rust_trace.txt"));
        assert!(
            rust.contains("at ./src/planner.rs:80:20") && !rust.contains("panic_fmt"),
            "{rust}"
        );
        assert!(
            rust.starts_with(
                "thread 'main' panicked at src/planner.rs:214:9:\nindex out of bounds"
            )
        );
    }

    #[test]
    fn what_recurs_stands_once() {
        let frame = "    at walk (/srv/shop/src/tree.js:12:9)\n";
        let text = format!(
            "RangeError: too deep\n{}    at main (/srv/shop/src/main.js:3:1)\n",
            frame.repeat(90)
        );
        let expected = format!(
            "RangeError: too deep\n{frame}    [… 89 lines as above]\n    at main (/srv/shop/src/main.js:3:1)\n"
        );
        assert_eq!(short(&StackTraceAdapter, &text), expected);
        assert!(!detects(&StackTraceAdapter, "look at it (now)\n"));
    }
}
