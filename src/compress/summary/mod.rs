//! Rung 4, built in: a summary made of the conversation's own lines.
//!
//! A pure function of the messages it covers. It quotes and never paraphrases, in five sections:
//! what was asked, the state, what was found and what failed, the next steps, what to keep. The
//! first request is always quoted, whole if it is not long; of the rest the newest first, until a
//! share of the room is used, then put back in order. What room is left goes to the sentences that
//! show most of what nothing quoted shows, and to a list of the paths, names and digests that no
//! sentence has. A line of code or data is no finding. A summary that was made before is read back by its
//! sections, so that the next one holds its lines and not the summary.

mod earlier_summaries;
mod line;
mod names;
mod page;
mod selection;
mod statement;

use std::collections::BTreeSet;

use foldhash::HashSet;

use super::digest::pieces_of;
use super::notation::reports_error;
use crate::domain::{Message, Role, TokenizerName};
use crate::tokenizer::Counter;

use earlier_summaries::EarlierSummaries;
#[cfg(fuzzing)]
pub(super) use line::one_line;
use names::take_names;
use page::{LineWorth, SummaryPage};
use selection::{all_texts, is_long_result, next, pick_calls, pick_reply, pick_request, to_keep};
use statement::{figures_aside, is_general, is_half, is_plan, is_report, is_statement, is_strong};

/// The sections, in their order.
pub const SECTIONS: [&str; 5] = ["Asked:", "State:", "Found:", "Next:", "Keep:"];

/// A section by its place among [`SECTIONS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Section {
    Asked,
    State,
    Found,
    Next,
    Keep,
}

/// Rule of a section that quotes message by message, the newest first.
struct QuoteRule {
    section: Section,
    /// Hundredths of the room beside the first request that it may use.
    share: u64,
    /// Characters of one line.
    width: usize,
    /// Lines at most.
    most: usize,
    pick: fn(&Message, usize, &mut Vec<String>),
}

const QUOTE_RULES: &[QuoteRule] = &[
    QuoteRule {
        section: Section::Asked,
        share: 30,
        width: 400,
        most: usize::MAX,
        pick: pick_request,
    },
    QuoteRule { section: Section::Next, share: 5, width: 240, most: MAX_NEXT_STEPS, pick: next },
    QuoteRule { section: Section::Keep, share: 5, width: 240, most: usize::MAX, pick: to_keep },
    QuoteRule {
        section: Section::Found,
        share: 16,
        width: 240,
        most: usize::MAX,
        pick: pick_reply,
    },
    QuoteRule { section: Section::State, share: 8, width: 160, most: usize::MAX, pick: pick_calls },
];
/// Steps that are named: older ones have been taken, or given up.
const MAX_NEXT_STEPS: usize = 5;
/// Hundredths of the room for errors, and for lines that show what nothing else does.
const ERRORS_PERCENT: u64 = 18;
const STATEMENTS_PERCENT: u64 = 9;
const NAMES_PERCENT: u64 = 9;
/// Tokens up to which the first request is quoted whole, if it leaves half of the room to the rest.
const MAX_FIRST_REQUEST_TOKENS: u64 = 400;
/// The weight of a line that reports an error, in addition to its facts.
const ERROR_WEIGHT: u32 = 3;
/// The weight of a line that has a word of the caller's instructions, in addition to its facts.
const INSTRUCTION_WEIGHT: u32 = 4;
/// Bytes of a line that is worth quoting for what it shows.
const MIN_QUOTE_BYTES: usize = 8;

/// Material of a summary.
#[expect(missing_debug_implementations, reason = "a function has nothing to show")]
#[derive(Clone, Copy)]
pub struct SummaryInput<'c> {
    /// The messages, in order.
    pub messages: &'c [&'c Message],
    /// Texts of summaries that replace the messages before them, without any wrapper.
    pub earlier: &'c [&'c str],
    /// Instructions of the caller: lines with a word of them come first.
    pub instructions: Option<&'c str>,
    /// Tool results of more characters are not searched.
    pub stub_over: Option<usize>,
    /// Whether a fact is in what is not covered.
    pub is_shown: &'c dyn Fn(u64) -> bool,
}

/// Lines of results that speak of failures, with the places of their messages.
#[derive(Default)]
struct FailureLines<'t> {
    reports: Vec<(usize, &'t str)>,
    /// Those that report none, such as that there are none.
    others: Vec<(usize, &'t str)>,
    /// What may fail and what must not: it is no finding.
    plans: Vec<(usize, &'t str)>,
}

impl<'t> FailureLines<'t> {
    fn add_text(&mut self, at: usize, text: &'t str) {
        let own: Vec<&str> = text.lines().map(str::trim).collect();
        let line = |place: usize| own.get(place).copied().unwrap_or_default();
        for place in (0..own.len()).filter(|place| reports_error(line(*place))) {
            let before = place.checked_sub(1).map(line).unwrap_or_default();
            let (line, after) = (line(place), line(place + 1));
            if !is_strong(line) && is_half(before, line, after) {
                continue;
            }
            if is_report(line) {
                self.reports.push((at, line));
            } else if is_statement(line) {
                let is_other = !is_plan(line) && !is_general(line);
                if is_other { &mut self.others } else { &mut self.plans }.push((at, line));
            }
        }
    }
}

/// Summarises in at most `room` tokens; headings are left out of sections that have no line.
pub fn summarize(
    counter: &Counter,
    name: TokenizerName,
    covered: &SummaryInput<'_>,
    room: u64,
) -> String {
    let earlier = EarlierSummaries::read(covered.earlier);
    let mut page = SummaryPage::new(counter, name);
    page.add_tokens(room);
    page.quote_first_request(covered, &earlier, (room / 2).min(MAX_FIRST_REQUEST_TOKENS));
    let room = page.take_left();
    for quotes in QUOTE_RULES {
        page.add_tokens(room * quotes.share / 100);
        page.quote_section(quotes, covered, &earlier);
    }
    let searched = || {
        let is_searched =
            |message: &Message| covered.stub_over.is_none_or(|most| !is_long_result(message, most));
        let messages = covered.messages.iter().enumerate();
        messages.filter(move |(_, message)| is_searched(message))
    };
    let before = |section| earlier.section_lines(section).iter().map(|line| (0, line.as_str()));
    let reports = before(Section::Found).filter(|(_, line)| reports_error(line)).collect();
    let mut failures = FailureLines { reports, ..FailureLines::default() };
    for (at, message) in searched().filter(|(_, message)| message.role == Role::Tool) {
        all_texts(message).for_each(|text| failures.add_text(at + 1, text));
    }
    let FailureLines { reports, others, plans } = failures;
    page.add_tokens(room * ERRORS_PERCENT / 100);
    let focus = LineWorth::new(covered.instructions);
    page.quote_lines(Section::Found, reports, &focus.with_base(ERROR_WEIGHT), &|_| false);
    page.quote_lines(Section::Found, others, &focus.with_base(ERROR_WEIGHT), &|_| false);
    page.quote_lines(Section::State, plans, &focus.with_base(ERROR_WEIGHT), &|_| false);
    let mut lines: Vec<(usize, &str)> = before(Section::State).collect();
    let names = take_names(&mut lines);
    let known: BTreeSet<String> = page.lines().map(str::to_owned).collect();
    lines.retain(|(_, line)| !known.contains(*line));
    let lines_of = |message| {
        let lines = all_texts(message).flat_map(str::lines).flat_map(pieces_of).map(str::trim);
        lines.filter(|line| {
            let is_gap = line.starts_with(['…', '[']) && line.contains('…');
            line.len() >= MIN_QUOTE_BYTES && !is_gap && !known.contains(*line)
        })
    };
    // Of lines that differ in figures alone, such as the cost of each step, the newest counts.
    let mut kinds: HashSet<u64> = known.iter().map(|line| figures_aside(line)).collect();
    let mut newest_lines: Vec<(usize, &str)> = Vec::new();
    for (at, message) in searched().rev() {
        let own: Vec<&str> = lines_of(message).collect();
        let own = own.into_iter().rev();
        let own = own.filter(|line| is_statement(line) || focus.is_meant(line));
        let own = own.filter(|line| kinds.insert(figures_aside(line)));
        newest_lines.extend(own.map(|line| (at + 1, line)));
    }
    lines.extend(newest_lines.into_iter().rev());
    page.add_tokens(room * STATEMENTS_PERCENT / 100);
    page.quote_lines(Section::State, lines, &focus, covered.is_shown);
    page.add_tokens(room * NAMES_PERCENT / 100);
    let newest = || {
        searched().rev().flat_map(|(_, message)| {
            let lines: Vec<&str> = lines_of(message).collect();
            lines.into_iter().rev()
        })
    };
    page.list_names(newest, &names, covered.is_shown);
    page.write()
}

#[cfg(test)]
mod tests;
