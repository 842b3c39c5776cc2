//! Turns that have no room in the session's bucket: their summary has an eighth of it, so that nothing
//! of another bucket pays for a long conversation.

use super::blocks::{Block, BlockMaker, Draft, SUMMARY_KIND, turn_number};
use super::ledger::hash;
use super::session::GovernedSession;
use crate::compress::{SummaryInput, summarize};
use crate::domain::{ContentHash, Message, Model};
use crate::pipeline::compress::summary_cap;
use crate::pipeline::prose;
use crate::request::{Compression, Level};
use crate::tokenizer::Counter;

/// Above every turn that may be dropped, below those that may not.
const SUMMARY_PRIORITY: i64 = 1 << 39;

/// Parameters of the summary of turns.
#[derive(Debug, Clone, Copy)]
pub struct SummaryContext<'s> {
    pub compression: &'s Compression,
    pub counter: &'s Counter,
    pub model: &'s Model,
}

impl SummaryContext<'_> {
    /// The most tokens that a summary takes of a room; 0 if turns are not summarised.
    fn cap(&self, room: u64) -> u64 {
        let is_wanted = self.compression.level >= Level::Summary;
        if is_wanted { summary_cap(Level::Drop, room) } else { 0 }
    }

    /// Over what has a say in it.
    pub(super) fn hash(&self) -> ContentHash {
        let Compression { level, stub_tool_results_over, summary_instructions, .. } =
            self.compression;
        let is_wanted = *level >= Level::Summary;
        hash(&(is_wanted, stub_tool_results_over, summary_instructions))
    }

    fn write(&self, messages: &[&Message], tokens: u64) -> String {
        let covered = SummaryInput {
            messages,
            earlier: &[],
            instructions: self.compression.summary_instructions.as_deref(),
            stub_over: self.compression.stub_tool_results_over,
            is_shown: &|_| false,
        };
        let room = self.model.unscale(tokens);
        summarize(self.counter, self.model.tokenizer, &covered, room)
    }
}

/// Replaces the oldest turns by a summary; returns their blocks. Does nothing if all turns have
/// room, or a summary would be no shorter.
pub(super) fn run(
    maker: &mut BlockMaker<'_>,
    session: &GovernedSession,
    room: u64,
    context: SummaryContext<'_>,
) -> Vec<Block> {
    let cap = context.cap(room);
    let of_session = |block: &&Block| &*block.bucket == "session";
    let turn = |block: &Block| turn_number(&block.source).filter(|_| &*block.bucket == "session");
    let all: u64 = maker.made.iter().filter(of_session).map(|block| block.tokens).sum();
    if cap == 0 || all <= room {
        return Vec::new();
    }
    let stays = |block: &Block| turn(block).is_none() || block.is_required;
    let fixed = maker.made.iter().filter(of_session).filter(|block| stays(block));
    let mut left = room.saturating_sub(fixed.map(|block| block.tokens).sum::<u64>() + cap);
    let mut covered: Vec<usize> = Vec::new();
    let free = maker.made.iter().rev().filter(|block| !stays(block));
    for (block, number) in free.filter_map(|block| Some((block, turn(block)?))) {
        // The turns that stay are one unbroken tail.
        match left.checked_sub(block.tokens).filter(|_| covered.is_empty()) {
            Some(rest) => left = rest,
            None => covered.push(number),
        }
    }
    covered.reverse();
    let is_covered = |block: &Block| turn(block).is_some_and(|number| covered.contains(&number));
    let tokens: u64 =
        maker.made.iter().filter(|block| is_covered(block)).map(|block| block.tokens).sum();
    let messages = session.messages(&covered);
    let Some(text) = write_summary(maker, &messages, cap.min(tokens), context) else {
        return Vec::new();
    };
    let (gone, kept) = std::mem::take(&mut maker.made).into_iter().partition(is_covered);
    maker.made = kept;
    maker.add(Draft {
        bucket: "session",
        kind: SUMMARY_KIND,
        source: SUMMARY_KIND.into(),
        text,
        priority: SUMMARY_PRIORITY,
        is_required: false,
        is_data: true,
        is_redacted: true,
    });
    gone
}

/// A summary within so many tokens, its heading counted.
fn write_summary(
    maker: &BlockMaker<'_>,
    messages: &[&Message],
    most: u64,
    context: SummaryContext<'_>,
) -> Option<String> {
    let mut room = most.checked_sub(maker.count(&prose::session_summary(messages.len(), "")))?;
    // Joining text to its heading may cost a token or two more than both apart.
    for _ in 0..3 {
        let summary = context.write(messages, room);
        if summary.trim().is_empty() {
            return None;
        }
        let text = prose::session_summary(messages.len(), summary.trim_end());
        let over = maker.count(&text).saturating_sub(most);
        if over == 0 {
            return Some(text);
        }
        room = room.saturating_sub(over + 1);
    }
    None
}
