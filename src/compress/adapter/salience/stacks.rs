//! Stacks of calls that a heading introduces: `freed by thread T2 here:` and `#0 …` below.

use super::super::page::LinePage;
use super::report::names_place;

/// A line of such a stack that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StackLine {
    Head {
        nth: usize,
    },
    /// The first call whose source is known.
    Call {
        nth: usize,
    },
}

/// Calls `each` with the headings of stacks, and the first call of each that says where it is.
pub(super) fn mark_stacks(page: &LinePage<'_>, mut each: impl FnMut(usize, StackLine)) {
    /// Calls among which the first of the program itself is.
    const MAX_CALLS: usize = 6;
    let mut nth = 0;
    for at in 1..page.len() {
        let body = page.body(at);
        if !body.starts_with("#0 ") || page.is_blank(at - 1) {
            continue;
        }
        if page.body(at - 1).ends_with(':') {
            each(at - 1, StackLine::Head { nth });
        }
        let mut calls = (at..page.len().min(at + MAX_CALLS))
            .take_while(|line| page.body(*line).starts_with('#'))
            .filter(|line| names_place(page.body(*line)) && !page.body(*line).contains(" /usr/"));
        if let Some(call) = calls.next() {
            each(call, StackLine::Call { nth });
        }
        nth += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_call_with_a_place_is_found() {
        let text = "freed by thread T2 here:\n  #0 0x1 in operator delete(void*) (/usr/bin/mesh+0x1)\n  #1 0x2 in close() /src/session.cc:174:5\n  #2 0x3 in run() /src/run.cc:1:5\n";
        let mut found = Vec::new();
        mark_stacks(&LinePage::new(text), |at, line| found.push((at, line)));
        assert_eq!(found, [(0, StackLine::Head { nth: 0 }), (2, StackLine::Call { nth: 0 })]);
    }
}
