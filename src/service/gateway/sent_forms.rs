//! Puts what is decided about a request into its body.

use super::GatewaySavings;
use super::lineage::{KnownLineage, NewDecision};
use super::sent::MessageEdit;
use crate::gateway::{AppliedForm, BodyEdit, MessageDecision, RequestOutline, splice};

/// The decisions about the messages of a request, with those that are not stored yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct SentForms<'s> {
    pub(super) outline: &'s RequestOutline,
    pub(super) lineage: &'s KnownLineage<'s>,
    /// Decisions about undecided messages, in order.
    pub(super) made: &'s [NewDecision],
}

/// A body with the forms of all texts.
#[derive(Debug, Default)]
pub(super) struct SplicedBody {
    /// None if it stays as it came.
    pub(super) body: Option<String>,
    pub(super) savings: GatewaySavings,
    pub(super) edits: Vec<MessageEdit>,
}

impl SentForms<'_> {
    fn decision(&self, index: usize) -> Option<&MessageDecision> {
        let made = self.made.binary_search_by_key(&index, |new| new.index).ok();
        let made = made.and_then(|at| self.made.get(at)).map(|new| &new.decision);
        self.lineage.decision(index).or(made)
    }

    /// Returns the body with the forms of all texts, and without thinking that a compaction unbound.
    pub(super) fn splice(&self, body: &str) -> SplicedBody {
        let newest = self.outline.newest();
        let (mut edits, mut spliced) = (Vec::new(), SplicedBody::default());
        for (index, message) in self.outline.messages.iter().enumerate() {
            let Some(decision) = self.decision(index) else { continue };
            let applied = decision.applied(message);
            let saved_tokens = applied.iter().map(|form| form.decided.saved_tokens).sum();
            spliced.savings.tokens += saved_tokens;
            if index >= newest {
                spliced.savings.new_tokens += saved_tokens;
            }
            if !applied.is_empty() {
                spliced.edits.push(MessageEdit {
                    message: index,
                    saved_tokens,
                    rule: self.lineage.rule(index),
                });
            }
            edits.extend(applied.into_iter().map(edit));
        }
        let thinking = self.outline.thinking.iter();
        let unbound = thinking.filter(|place| self.lineage.is_unbound(place.message));
        edits.extend(unbound.map(|place| BodyEdit {
            start: place.span.start,
            end: place.span.end,
            text: None,
        }));
        // Members of an object may stand in any order.
        edits.sort_by_key(|edit| edit.start);
        spliced.body = if edits.is_empty() { None } else { splice(body, &edits) };
        spliced
    }
}

fn edit(form: AppliedForm<'_>) -> BodyEdit<'_> {
    let span = &form.text.span;
    BodyEdit { start: span.start, end: span.end, text: Some(&form.decided.form) }
}
