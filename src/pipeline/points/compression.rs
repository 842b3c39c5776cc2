//! The points around a history that shrinks: hooks at `before_compress` may deny it, change the
//! history, and add to the material of its summary; `after_compress` notifies observers.

use std::ops::Range;

use super::list::ShownMessages;
use crate::domain::{Actions, Message, Turn, turns};
use crate::hook::{
    AfterCompressInput, BeforeCompressInput, CompressTrigger, Fragment, IncludePlace, MessageSpan,
    PointInput as _, TokenChange, TokenPressure,
};
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

/// Tokens before a history shrinks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ShrinkPressure {
    /// The payload against the budget.
    pub(crate) payload: TokenPressure,
    /// The history against the limit above which it shrinks.
    pub(crate) history: TokenPressure,
}

/// The input of hooks before.
pub(crate) fn before(
    system: &[Message],
    history: &ShownMessages,
    pressure: ShrinkPressure,
    touched: &Range<usize>,
) -> String {
    let ShrinkPressure { payload, history: history_tokens } = pressure;
    let is_over = payload.current > payload.limit;
    BeforeCompressInput {
        history: history.json(),
        system: ShownMessages::new(system.iter()).json(),
        tokens: payload,
        history_tokens,
        trigger: if is_over { CompressTrigger::OverLimit } else { CompressTrigger::Threshold },
        to_compress: MessageSpan { from: touched.start, to: touched.end },
    }
    .to_json()
}

/// The input of hooks after.
pub(crate) fn after(
    summary: Option<&str>,
    covered: &[Message],
    tokens: TokenChange,
    actions: Actions,
) -> String {
    AfterCompressInput {
        summary,
        truncated_count: covered.len(),
        compressed_messages: ShownMessages::new(covered.iter()).json(),
        tokens,
        actions,
    }
    .to_json()
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
