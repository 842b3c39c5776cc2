//! The message that stands for covered turns.

use crate::compress::summarize;
use crate::domain::{Message, Role};
use crate::pipeline::measure::Meter;
use crate::pipeline::slot::{PartName, Slot};
use crate::pipeline::{Stopped, prose};

/// The summary of covered messages, which take so many tokens, in at most `cap`; `None` where
/// there is nothing to quote, or what is quoted is no shorter than the messages.
pub(in crate::pipeline) fn summary(
    meter: &Meter<'_>,
    covered: &[&Message],
    tokens: u64,
    cap: u64,
    stub_over: Option<usize>,
) -> Result<Option<Slot>, Stopped> {
    let frame = Message::text(Role::User, prose::summary(covered.len(), ""));
    let mut room = cap.saturating_sub(meter.message(&frame)?.real());
    // Joining text to its frame may cost a token or two more than both apart.
    for _ in 0..3 {
        let summary = summarize(meter.counter(), meter.tokenizer(), covered, room, stub_over);
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
