//! The response to a live compile, and what is stored with it.

use std::ops::Range;
use std::sync::Arc;

use super::live::{CommittedCompile, LiveCompile, ResponseOwner};
use super::{CompileTurn, CompiledResponse, Error, hooks};
use crate::pipeline::{CompiledPayload, Report, timed};
use crate::provider::WrittenPayload;
use crate::service::earlier_payload::RememberedPayload;
use crate::service::effects::{Effects, StoredReply, StoredTurn, TurnEffects};
use crate::service::response_body::ResponseBody;

impl LiveCompile<'_> {
    /// Stores the effects, completes the report with hooks that observe at once, and writes the
    /// response.
    pub(super) fn respond(
        &mut self,
        effects: Effects,
        mut compiled: CompiledPayload,
        governed: &str,
    ) -> Result<CompiledResponse, Error> {
        let (effects, batch) = self.with_record(effects, &mut compiled)?;
        let CommittedCompile { observed, is_lost } = self.commit(effects, batch)?;
        let CompiledPayload { written, mut report, .. } = compiled;
        if is_lost {
            report.degrade(super::events::not_stored());
        }
        report.hooks(self.runs.iter().chain(&observed).filter_map(hooks::line));
        let report = report.finish();
        self.count_usage(&report);
        let mut timings = self.job.timings;
        let body = timed(&mut timings.serialise, || {
            ResponseBody::new(written.bytes(), rest(&report, governed, None))
        });
        let payload = self.remember(written);
        Ok(CompiledResponse { body, payload, report, timings })
    }

    /// Writes the response, and stores it with the other effects: hooks that observe after the
    /// transaction are not in its report.
    pub(super) fn respond_stored(
        &mut self,
        owner: ResponseOwner<'_>,
        effects: Effects,
        mut compiled: CompiledPayload,
        governed: &str,
    ) -> Result<CompiledResponse, Error> {
        let turn = match owner {
            ResponseOwner::Turn(turn) => Some(&**turn),
            ResponseOwner::Request(_) => None,
        };
        let of_turn = turn.map(CompileTurn::runs).unwrap_or_default();
        compiled.report.hooks(of_turn.iter().chain(&self.runs).filter_map(hooks::line));
        let (mut effects, batch) = self.with_record(effects, &mut compiled)?;
        let CompiledPayload { written, report, .. } = compiled;
        let report = report.finish();
        let body = timed(&mut self.job.timings.serialise, || {
            ResponseBody::new(written.bytes(), rest(&report, governed, turn))
        });
        match owner {
            ResponseOwner::Turn(turn) => {
                effects.turn = Some(TurnEffects {
                    turn: Arc::clone(turn) as Arc<dyn StoredTurn>,
                    response: body.clone(),
                });
            }
            ResponseOwner::Request(once) => {
                effects.reply = Some(StoredReply { once: once.clone(), body: body.clone() });
            }
        }
        // It is stored or fails, so its report never notes lost events.
        self.commit(effects, batch)?;
        self.count_usage(&report);
        let payload = self.remember(written);
        Ok(CompiledResponse { body, payload, report, timings: self.job.timings })
    }

    /// Remembers the payload for the next compile of its session. Returns its place in its text.
    fn remember(&mut self, written: WrittenPayload) -> Range<usize> {
        let place = written.head_end..written.text.len();
        if self.job.draft.level.is_kept() && !self.input.mode.is_dry {
            let bytes = written.bytes().slice(place.clone());
            let hashes = std::mem::take(&mut self.block_hashes);
            let blocks = written.blocks.into();
            let payload = RememberedPayload { bytes, blocks, hashes };
            self.job.services.remember_payload(&self.id, payload);
        }
        place
    }
}

/// What follows the payload in a response: the report, the members of a pack, the results of a turn's
/// calls.
fn rest(report: &Report, governed: &str, turn: Option<&dyn CompileTurn>) -> String {
    let mut text = String::with_capacity(governed.len() + 4_096);
    text.push_str(",\"report\":");
    // A report is plain data with string keys: serialising it cannot fail.
    text.push_str(&serde_json::to_string(report).unwrap_or_default());
    text.push_str(governed);
    if let Some(turn) = turn {
        text.push_str(",\"results\":");
        text.push_str(turn.results());
    }
    text.push('}');
    text
}
