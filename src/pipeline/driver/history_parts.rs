//! The history on its way through the stages, and what is around it.

use crate::domain::{Message, Notes, Source};
use crate::pipeline::compress::SummaryMaterial;
use crate::pipeline::read_back::ReadBack;
use crate::pipeline::report::Action;
use crate::pipeline::volatile_blocks::{BareMessage, BlockAnchor, BlocksInSight};
use crate::pipeline::{arrival, budget, frame, manifest};
use crate::request::OnArrival;

/// The history, and what is known of it on arrival.
pub(super) struct ArrivedHistory {
    pub(super) history: Vec<Message>,
    pub(super) protected: Vec<bool>,
    pub(super) read_back: ReadBack,
    /// Names of messages in decisions; empty if no decisions are asked for.
    pub(super) names: Vec<manifest::MessageName>,
    pub(super) arrived: arrival::Output,
    /// Form of results that are not shortened further.
    pub(super) on_arrival: OnArrival,
    /// Compaction points of the session, in addition to the automatic ones.
    pub(super) points: Vec<u64>,
    /// Raw tokens that the forms on arrival save in addition to `arrived.costs`.
    pub(super) saved: u64,
    /// Messages that hooks at `tool_result` and `before_compress` changed or added, by their
    /// indexes.
    pub(super) edits: Vec<(usize, Action)>,
    /// Blocks of earlier payloads that stay in the history.
    pub(super) in_sight: BlocksInSight,
    /// The messages that have such blocks, without them.
    pub(super) bare: Vec<BareMessage>,
    /// The message that takes the blocks of this compile for good.
    pub(super) anchor: Option<BlockAnchor>,
}

impl ArrivedHistory {
    /// Records what hooks did to messages that no stage shortened.
    pub(super) fn note_edits(&self, actions: &mut [Action]) {
        for (at, edit) in &self.edits {
            if let Some(action) = actions.get_mut(*at).filter(|action| **action == Action::Kept) {
                *action = *edit;
            }
        }
    }

    /// Raw tokens of the history in its forms on arrival, media by kind.
    pub(super) fn flat(&self) -> u64 {
        let costs: u64 = self.arrived.costs.iter().map(|cost| cost.flat()).sum();
        costs.saturating_sub(self.saved)
    }
}

/// The parts before the history, which no stage changes.
pub(super) struct Preamble {
    pub(super) source: Source,
    pub(super) system: Vec<Message>,
    /// Raw tokens of the tools.
    pub(super) tools: u64,
}

/// Everything around the history.
pub(super) struct OutsideHistory {
    pub(super) frame: frame::Output,
    pub(super) allocation: budget::Output,
    pub(super) memory_tokens: u64,
    /// Keys of the memory entries that are shown.
    pub(super) injected: Vec<String>,
    /// The blocks that this compile puts into the payload.
    pub(super) blocks: Vec<String>,
    pub(super) notes: Notes,
}

impl OutsideHistory {
    /// A history that is already part of the list around it.
    pub(super) fn bare(frame: frame::Output, allocation: budget::Output) -> Self {
        Self {
            frame,
            allocation,
            memory_tokens: 0,
            injected: Vec::new(),
            blocks: Vec::new(),
            notes: Notes::default(),
        }
    }

    /// Raw tokens of what is around the history, and of the messages that it is appended to.
    pub(super) fn taken(&self) -> u64 {
        let stitched = self.frame.stitched.iter().map(|(_, slot)| slot.cost.real());
        self.allocation.fixed + stitched.sum::<u64>()
    }
}

/// Parameters of one compression pass.
#[derive(Debug, Clone)]
pub(super) struct CompressionPass {
    pub(super) keep: HistoryUse,
    /// Raw tokens to keep free in addition to what is around the history.
    pub(super) free: u64,
    /// Raw tokens that the text of hooks at `before_compile` takes.
    pub(super) text_tokens: u64,
    /// Whether nothing is taken further than it arrived.
    pub(super) leave: bool,
    pub(super) material: SummaryMaterial,
}

impl CompressionPass {
    pub(super) fn new(keep: HistoryUse, free: u64) -> Self {
        Self { keep, free, text_tokens: 0, leave: false, material: SummaryMaterial::default() }
    }
}

/// Whether the history is needed once more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HistoryUse {
    No,
    Yes,
}
