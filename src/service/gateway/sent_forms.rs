//! Puts what is decided about a request into its body.

use std::collections::BTreeMap;
use std::ops::Range;

use super::GatewaySavings;
use super::known_blocks::PutBlocks;
use super::lineage::{KnownLineage, NewDecision};
use super::sent::MessageEdit;
use crate::gateway::{BodyEdit, MessageDecision, Replacement, RequestOutline, splice};

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

    /// Returns the body with the forms of all texts and the blocks of mode `session`, and without thinking
    /// that a compaction unbound.
    pub(super) fn splice(&self, body: &str) -> SplicedBody {
        let newest = self.outline.newest();
        let mut spliced = SplicedBody::default();
        let mut insertions = self.insertions();
        let mut edits: Vec<OwnedEdit<'_>> = Vec::new();
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
            for form in applied {
                let span = form.text.span.clone();
                let own =
                    OwnedEdit { span, replacement: OwnedReplacement::Form(&form.decided.form) };
                // Blocks at the end of a text with a form are part of the edit.
                let joined = insertions.remove_entry(&own.last_byte());
                edits.push(match joined {
                    Some((_, inserted)) => own.followed_by(&inserted.text),
                    None => own,
                });
            }
        }
        let unbound = self.lineage.unbound();
        let thinking = self.outline.thinking.iter();
        let unbound = thinking.filter(|place| unbound.contains(&place.message));
        edits.extend(unbound.map(|place| OwnedEdit {
            span: place.span.clone(),
            replacement: OwnedReplacement::Nothing,
        }));
        edits.extend(insertions.into_iter().map(|(at, inserted)| OwnedEdit {
            span: at..at,
            replacement: OwnedReplacement::Json(inserted.json),
        }));
        // Members of an object may stand in any order.
        edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
        let edits: Vec<BodyEdit<'_>> = edits.iter().map(OwnedEdit::edit).collect();
        spliced.body = if edits.is_empty() { None } else { splice(body, &edits) };
        spliced
    }

    /// The blocks of mode `session` by the byte before which they are put.
    fn insertions(&self) -> BTreeMap<usize, Insertion> {
        let shown = self.lineage.shown_blocks();
        let insertion = |own: &PutBlocks| {
            let place = self.outline.messages.get(own.index)?.block_place.as_ref()?;
            let text = own.texts.join(SEPARATOR);
            let json = place.insertion(self.outline.endpoint, &text);
            Some((place.span().start, Insertion { text, json }))
        };
        shown.iter().filter_map(insertion).collect()
    }
}

/// What is between two blocks, and between a text and a block.
const SEPARATOR: &str = "\n\n";

/// Blocks after a message.
#[derive(Debug)]
struct Insertion {
    text: String,
    json: String,
}

/// An edit with the text that it puts in.
#[derive(Debug)]
struct OwnedEdit<'d> {
    span: Range<usize>,
    replacement: OwnedReplacement<'d>,
}

#[derive(Debug)]
enum OwnedReplacement<'d> {
    Nothing,
    Form(&'d str),
    /// A form with blocks at its end.
    Joined(String),
    Json(String),
}

impl OwnedEdit<'_> {
    /// The place of the closing quote of a string.
    fn last_byte(&self) -> usize {
        self.span.end.saturating_sub(1)
    }

    fn followed_by(self, blocks: &str) -> Self {
        match self.replacement {
            OwnedReplacement::Form(form) => Self {
                replacement: OwnedReplacement::Joined(format!("{form}{SEPARATOR}{blocks}")),
                ..self
            },
            _ => self,
        }
    }

    fn edit(&self) -> BodyEdit<'_> {
        let replacement = match &self.replacement {
            OwnedReplacement::Nothing => Replacement::Nothing,
            OwnedReplacement::Form(text) => Replacement::Text(text),
            OwnedReplacement::Joined(text) => Replacement::Text(text),
            OwnedReplacement::Json(json) => Replacement::Json(json),
        };
        BodyEdit { start: self.span.start, end: self.span.end, replacement }
    }
}
