//! Stage 6: what the payload may take, what is spoken for, what is left for the history.

use super::frame;
use crate::domain::Model;

/// Tokens kept for state and implicit context if either is given, whatever they really take: so
/// that their size never moves a compaction point.
pub(super) const VOLATILE_TOKENS: u64 = 2_000;

pub(super) struct Input<'i> {
    pub(super) model: &'i Model,
    /// The same, with the factor that its provider's counts have shown.
    pub(super) measured: &'i Model,
    /// The same, with the factor by which turns are dropped.
    pub(super) dropping: &'i Model,
    /// Window less reserve, or less to stay below a price step.
    pub(super) budget: u64,
    pub(super) frame: &'i frame::Output,
    /// Raw tokens of the tools and of the framing before the reply.
    pub(super) tools: u64,
    pub(super) reply: u64,
    /// Whether state or implicit context is given.
    pub(super) volatile: bool,
    /// Tokens that hooks may provide.
    pub(super) provided: u64,
    /// `memory.max_tokens`, if memory is on.
    pub(super) memory: Option<u64>,
    /// Raw tokens of the memory data in the head.
    pub(super) memory_data: u64,
}

/// All in raw tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Output {
    /// The input's budget, as the provider counts.
    pub(super) budget: u64,
    /// The budget that the squeeze may drop turns for; never less.
    pub(super) drop_budget: u64,
    /// Raw tokens that compaction points are replayed against. It depends on stable parts and on
    /// declared caps, never on the size of volatile parts.
    pub(super) room: u64,
    /// Raw tokens of everything but the history in this payload.
    pub(super) fixed: u64,
}

pub(super) fn run(input: &Input<'_>) -> Output {
    let (measured, dropping) =
        (input.measured.unscale(input.budget), input.dropping.unscale(input.budget));
    let budget = input.model.unscale(input.budget);
    let head: u64 = input.frame.head.iter().map(|slot| slot.cost.real()).sum();
    let foot: u64 = input.frame.foot.iter().map(|slot| slot.cost.real()).sum();
    let other_tokens = input.tools + input.reply;
    let stable = head.saturating_sub(input.memory_data) + other_tokens;
    let state = if input.volatile { input.model.unscale(VOLATILE_TOKENS) } else { 0 };
    let memory = input.memory.map_or(0, |tokens| input.model.unscale(tokens));
    let provided = input.model.unscale(input.provided);
    let declared = state.saturating_add(memory).saturating_add(provided).min(budget / 4);
    Output {
        budget: measured,
        drop_budget: dropping,
        room: budget.saturating_sub(stable).saturating_sub(declared),
        fixed: head + foot + other_tokens,
    }
}
