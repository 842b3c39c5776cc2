//! What became of a history that shrank, for observers and the event.

use std::sync::Arc;

use super::Driver;
use super::history_parts::{ArrivedHistory, OutsideHistory};
use crate::compress::Fidelity;
use crate::domain::Message;
use crate::hook::{HookInput, MatchContext, Point, TokenChange};
use crate::pipeline::Error;
use crate::pipeline::compress::{HistoryNote, Output as CompressOutput};
use crate::pipeline::points::compression;
use crate::pipeline::report::Report;
use crate::pipeline::slot::Slot;

/// A history that shrank.
#[derive(Debug, Default)]
pub(super) struct ShrunkHistory {
    /// Tokens of the payload with the history as it was before.
    pub(super) before: u64,
    /// The messages that left.
    covered: Vec<Message>,
    /// The text that replaces them.
    summary: Option<Arc<str>>,
}

impl ShrunkHistory {
    /// None if nothing shrank. `history` are the messages that were compressed.
    pub(super) fn new(
        history: &[Message],
        compressed: &CompressOutput,
        before: u64,
    ) -> Option<Self> {
        let lossy = |form: &crate::pipeline::arrived_forms::ArrivedForms| {
            form.class() == Some(Fidelity::Reversible)
        };
        if !compression::shrinks(&compressed.outcome) && !compressed.forms.iter().any(lossy) {
            return None;
        }
        let covered = compression::covered(history, &compressed.outcome);
        let is_noted =
            matches!(compressed.outcome.note, HistoryNote::Summary | HistoryNote::Marker);
        // Of the messages at the head, the note alone is none of the request's.
        let is_ours = |slot: &&Slot| slot.message.origin.is_none();
        let note = compressed.slots.iter().find(is_ours).filter(|_| is_noted);
        let text = note.and_then(|slot| slot.message.parts.first()?.as_text());
        Some(Self { before, covered, summary: text.cloned() })
    }

    /// With what shrank after it.
    pub(super) fn and(first: Option<Self>, later: Option<Self>) -> Option<Self> {
        let (mut first, later) = match (first, later) {
            (Some(first), Some(later)) => (first, later),
            (one, other) => return one.or(other),
        };
        let note = first.summary.take();
        let is_note = |message: &Message| {
            note.is_some() && message.parts.first().and_then(|part| part.as_text()) == note.as_ref()
        };
        first.covered.extend(later.covered.into_iter().filter(|message| !is_note(message)));
        first.summary = later.summary.or(note);
        Some(first)
    }
}

impl Driver<'_> {
    /// What the stages of stage 7 did to the history.
    pub(super) fn shrunk(
        &self,
        arrived_history: &ArrivedHistory,
        outside: &OutsideHistory,
        compressed: &CompressOutput,
    ) -> Option<ShrunkHistory> {
        let before = self.arrived(arrived_history, outside);
        ShrunkHistory::new(&arrived_history.history, compressed, before)
    }

    /// Notifies observers of a history that shrank, under a pack too; returns the tokens of the payload
    /// before and after.
    pub(super) fn after_compress(
        &mut self,
        shrunk: Option<ShrunkHistory>,
        report: &Report,
    ) -> Result<Option<TokenChange>, Error> {
        const POINT: Point = Point::AfterCompress;
        let omitted = &self.request.omitted;
        let of_pack = (!omitted.is_empty()).then(|| ShrunkHistory {
            before: report.tokens_after + omitted.saved_tokens,
            covered: omitted.messages().cloned().collect(),
            summary: omitted.summary.clone(),
        });
        let Some(shrunk) = ShrunkHistory::and(of_pack, shrunk) else { return Ok(None) };
        let tokens = TokenChange { before: shrunk.before, after: report.tokens_after };
        if self.hooks.has_any(POINT) {
            let input = compression::after(
                shrunk.summary.as_deref(),
                &shrunk.covered,
                tokens,
                report.actions,
            );
            let at = HookInput { point: POINT, input: &input, facts: MatchContext::default() };
            self.observe_stored(at)?;
        }
        Ok(Some(tokens))
    }
}
