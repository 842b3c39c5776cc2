//! Payloads in which blocks of ours stay where they were, and those for models that bind their thinking
//! to the bytes before it.

use super::Driver;
use crate::domain::{Message, SentPrefix, SentUpdate, ToolDefinition};
use crate::pipeline::StopReason;
use crate::pipeline::bound_thinking::{self, BindingFacts, BrokenRange};
use crate::pipeline::read_back::ReadBack;
use crate::pipeline::slot::Slot;
use crate::pipeline::stage::timed;
use crate::pipeline::volatile_blocks::{self, BlockAnchor, BlocksInSight, RestoredBlocks};

impl Driver<'_> {
    /// Puts the blocks that earlier payloads had back into the history, and finds the newest of each
    /// kind; nothing if blocks do not stay.
    pub(super) fn restore_blocks(&mut self, history: &mut [Message]) -> RestoredBlocks {
        if !self.request.keeps_tail() {
            return RestoredBlocks::default();
        }
        timed(&mut self.timings.compile, || match &self.request.sent {
            Some(sent) => volatile_blocks::restore(history, sent, self.trace.hasher()),
            None => RestoredBlocks {
                in_sight: volatile_blocks::find_returned(history),
                bare: Vec::new(),
            },
        })
    }

    /// The message that takes the blocks of this compile for good, if somebody remembers them: the
    /// session, or the caller, who has sent earlier ones back.
    pub(super) fn anchor(
        &mut self,
        history: &[Message],
        read_back: &ReadBack,
        in_sight: &BlocksInSight,
    ) -> Option<BlockAnchor> {
        let is_remembered = self.request.sent.is_some() || !in_sight.is_empty();
        if !self.request.keeps_tail() || !is_remembered {
            return None;
        }
        BlockAnchor::find(history, &read_back.programs, self.trace.hasher())
    }

    /// Whether the caller has sent the messages of the last payload back.
    pub(super) fn is_payload(&self, in_sight: &BlocksInSight) -> bool {
        self.request.keeps_tail() && self.request.sent.is_none() && !in_sight.is_empty()
    }

    /// Leaves out the thinking that is bound to other bytes, and returns what the session keeps of the
    /// payload.
    pub(super) fn unbind(
        &mut self,
        slots: &mut Vec<Slot>,
        tools: &[ToolDefinition],
        known: BindingInput<'_>,
    ) -> Result<Option<SentUpdate>, StopReason> {
        let binds = self.request.binds_thinking();
        if !binds && !self.request.keeps_tail() {
            return Ok(None);
        }
        let BindingInput { length, anchor, blocks, broken } = known;
        let sent = self.request.sent.as_deref();
        let forgets_tail = anchor.is_none() && !blocks.is_empty();
        let facts = BindingFacts { sent, broken, forgets_tail, binds };
        let meter = self.meter;
        let list = timed(&mut self.timings.compile, || {
            bound_thinking::run(&meter, &facts, slots, tools, self.trace.hasher())
        })?;
        if list.removed > 0 {
            let remedy = if sent.is_none() && forgets_tail {
                "; give a `session_id`, with which state and memory data stay where they are"
            } else {
                ""
            };
            let detail = format!(
                "thinking blocks left out: {}; the provider refuses signed thinking if anything \
                 before it has changed{remedy}",
                list.removed
            );
            self.notes.warn("thinking_unbound", String::new(), detail);
        }
        Ok(list.hash.map(|hash| SentUpdate {
            prefix: SentPrefix { length, hash, thinking: list.thinking },
            blocks: anchor.map(|anchor| anchor.to_sent(blocks)).unwrap_or_default(),
        }))
    }
}

/// What the stages before know of the list.
#[derive(Clone, Copy)]
pub(super) struct BindingInput<'b> {
    /// Items of the request's list.
    pub(super) length: u64,
    pub(super) anchor: Option<BlockAnchor>,
    /// The blocks of this compile.
    pub(super) blocks: &'b [String],
    pub(super) broken: &'b [BrokenRange],
}
