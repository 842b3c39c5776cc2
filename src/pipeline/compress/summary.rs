//! The message that stands for covered turns.

use crate::compress::summarize;
use crate::domain::{Message, Role};
use crate::pipeline::measure::Meter;
use crate::pipeline::slot::{PartName, Slot};
use crate::pipeline::{Stopped, prose};
use crate::request::Level;

/// Raw tokens below which a summary cannot say anything beside its own frame.
const LEAST_SUMMARY: u64 = 96;
/// Raw tokens that a summary takes at most (DESIGN §2, rule 4).
const MOST_SUMMARY: u64 = 2_000;

/// Raw tokens that a summary is charged and may take of a room: an eighth of it. 0 where turns are
/// rather dropped than summarised in so little.
pub(in crate::pipeline) fn summary_cap(level: Level, room: u64) -> u64 {
    match (room / 8).min(MOST_SUMMARY) {
        cap if level == Level::Drop && cap < LEAST_SUMMARY => 0,
        cap => cap.max(LEAST_SUMMARY),
    }
}

/// What a summary goes by.
pub(in crate::pipeline) struct SummaryRules<'t> {
    /// Raw tokens that it takes at most.
    pub(in crate::pipeline) cap: u64,
    /// Tool results of more characters are not quoted.
    pub(in crate::pipeline) stub_over: Option<usize>,
    /// Whether a fact stands in what is not covered.
    pub(in crate::pipeline) told: &'t dyn Fn(u64) -> bool,
}

/// The summary of covered messages, which take so many tokens; `None` where there is nothing to
/// quote, or what is quoted is no shorter than the messages.
pub(in crate::pipeline) fn summary(
    meter: &Meter<'_>,
    covered: &[&Message],
    tokens: u64,
    SummaryRules { cap, stub_over, told }: SummaryRules<'_>,
) -> Result<Option<Slot>, Stopped> {
    let frame = Message::text(Role::User, prose::summary(covered.len(), ""));
    let mut room = cap.saturating_sub(meter.message(&frame)?.real());
    // Joining text to its frame may cost a token or two more than both apart.
    for _ in 0..3 {
        let summary =
            summarize(meter.counter(), meter.tokenizer(), covered, (room, stub_over), told);
        if summary.text.is_empty() {
            return Ok(None);
        }
        let message = Message::text(Role::User, prose::summary(covered.len(), &summary.text));
        let slot = Slot::new(meter, message, PartName::History)?;
        let over = slot.cost.real().saturating_sub(cap);
        if over == 0 {
            return Ok((slot.cost.real() < tokens).then_some(slot));
        }
        room = room.saturating_sub(over + 1);
    }
    Ok(None)
}
