//! The points around a history that shrinks: hooks at `before_compress` may deny it, change the
//! history, and add to the material of its summary; `after_compress` notifies observers.

use std::fmt::Write as _;
use std::ops::Range;

use super::list::ShownMessages;
use crate::domain::{Message, Turn, turns};
use crate::hook::{Fragment, IncludePlace};
use crate::json::write_string;
use crate::pipeline::compress::{LadderOutcome, SummaryMaterial, TurnForm, covers_any};

/// Splits the fragments of hooks by their place.
pub(crate) fn material(fragments: &[Fragment]) -> SummaryMaterial {
    let all = |include: IncludePlace| {
        let own = fragments.iter().filter(|fragment| fragment.include == include);
        let texts: Vec<&str> = own.map(|fragment| &*fragment.content).collect();
        (!texts.is_empty()).then(|| texts.join("\n").into())
    };
    let (input, verbatim) = (all(IncludePlace::SummaryInput), all(IncludePlace::Verbatim));
    SummaryMaterial { input, verbatim, ..SummaryMaterial::default() }
}

/// Tokens of the payload, as the report counts them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TokenPressure {
    pub(crate) current: u64,
    pub(crate) limit: u64,
}

/// The input of hooks before: `{"history", "system", "tokens", "trigger", "to_compress"}`.
pub(crate) fn before(
    system: &[Message],
    history: &ShownMessages,
    tokens: TokenPressure,
    touched: &Range<usize>,
) -> String {
    let Range { start: from, end: to } = touched;
    let TokenPressure { current, limit } = tokens;
    let trigger = if current > limit { "over_limit" } else { "threshold" };
    let system = ShownMessages::new(system.iter());
    format!(
        "{{\"history\":{},\"system\":{},\"tokens\":{{\"current\":{current},\"limit\":{limit}}},\
         \"trigger\":\"{trigger}\",\"to_compress\":{{\"from\":{from},\"to\":{to}}}}}",
        history.text(),
        system.text()
    )
}

/// The input of hooks after: `{"summary", "truncated_count", "compressed_messages", "tokens"}`.
pub(crate) fn after(summary: Option<&str>, covered: &[Message], before: u64, after: u64) -> String {
    let mut out = String::from("{\"summary\":");
    match summary {
        Some(text) => write_string(&mut out, text),
        None => out.push_str("null"),
    }
    let messages = ShownMessages::new(covered.iter());
    let (count, list) = (covered.len(), messages.text());
    let _ = write!(
        out,
        ",\"truncated_count\":{count},\"compressed_messages\":{list},\
         \"tokens\":{{\"before\":{before},\"after\":{after}}}}}"
    );
    out
}

/// Whether anything of the history is shorter than it arrived.
pub(crate) fn shrinks(outcome: &LadderOutcome) -> bool {
    outcome.forms.iter().any(|form| *form != TurnForm::Whole)
}

/// The messages that stay and are shortened, or leave.
pub(crate) fn shrinking<'m>(history: &'m [Message], outcome: &LadderOutcome) -> Vec<&'m Message> {
    let spans = turns(history);
    let touched = spans.iter().zip(&outcome.forms).filter(|(_, form)| **form != TurnForm::Whole);
    touched.flat_map(|(span, _)| history.get(span.clone()).unwrap_or_default()).collect()
}

/// The messages that leave the history; if none do, those that are shortened.
pub(crate) fn touched(history: &[Message], outcome: &LadderOutcome) -> Range<usize> {
    let leaves = covers_any(outcome);
    let is_touched = |form: &TurnForm| {
        if leaves { *form == TurnForm::Covered } else { *form != TurnForm::Whole }
    };
    let spans: Vec<Turn> = turns(history);
    let mut found = spans.iter().zip(&outcome.forms).filter(|(_, form)| is_touched(form));
    let Some((first, _)) = found.next() else { return 0..0 };
    let last = found.next_back().map_or(first, |(span, _)| span);
    first.start..last.end
}

/// The messages that left the history.
pub(crate) fn covered(history: &[Message], outcome: &LadderOutcome) -> Vec<Message> {
    let spans = turns(history);
    let gone = spans.iter().zip(&outcome.forms).filter(|(_, form)| **form == TurnForm::Covered);
    gone.flat_map(|(span, _)| history.get(span.clone()).unwrap_or_default()).cloned().collect()
}
