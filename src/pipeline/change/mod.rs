//! Finds the first place where a payload differs from the cached prefix of the payload before it,
//! and why.
//!
//! Both payloads are compared block by block in the order in which providers read them: tools,
//! system text, messages. Cache marks are ignored.

mod blocks;
mod cause;
mod comparison;
mod split;

use serde::Serialize;

pub use blocks::PayloadBlocks;
use blocks::{Item, PayloadMember, PayloadShape, each_text};
use cause::{message_cause, system_cause, tools_cause};
use comparison::continues;
pub use split::SplitPlace;
use split::{SplitText, find_split};

use crate::domain::Source;

/// The first place where a payload leaves the one before it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct FirstChange {
    /// JSON Pointer into this payload.
    #[schema(example = "/messages/14")]
    pub pointer: String,
    /// Why.
    pub why: ChangeReason,
    /// Tokens from there to the end: what the provider has to read again.
    pub tokens_behind: u64,
    /// If only the end of a system text differs: where to split it. What changes belongs into a block
    /// of its own after the other system text, or into `dynamic_state`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub split: Option<SplitPlace>,
}

impl FirstChange {
    /// With each count of tokens as `scale` gives it.
    #[must_use]
    pub fn scaled(self, scale: &dyn Fn(u64) -> u64) -> Self {
        let split = self.split.map(|split| SplitPlace { tokens: scale(split.tokens), ..split });
        Self { tokens_behind: scale(self.tokens_behind), split, ..self }
    }
}

/// Why a payload leaves the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChangeReason {
    /// The payloads are in different providers' shapes.
    TargetChanged,
    ToolsChanged,
    /// The same tools in another order.
    ToolsReordered,
    SystemChanged,
    SkillChanged,
    MemoryChanged,
    /// State or context at the end of the last user message has changed.
    StateChanged,
    /// Newer messages have taken over the state, output block or prefill that stands last.
    TailMoved,
    /// A compaction point was passed.
    Compaction,
    /// This payload alone was shortened further, to fit.
    Squeeze,
    /// Another release of the service made the payload before, and writes forms in another way.
    EngineChanged,
    /// Thinking is no longer sent: what came before it when the model made it has changed.
    ThinkingRemoved,
    MessageInserted,
    MessageRemoved,
    MessageEdited,
    /// The output block or the prefill has changed.
    OutputChanged,
}

impl ChangeReason {
    /// The word of the report.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TargetChanged => "target_changed",
            Self::ToolsChanged => "tools_changed",
            Self::ToolsReordered => "tools_reordered",
            Self::SystemChanged => "system_changed",
            Self::SkillChanged => "skill_changed",
            Self::MemoryChanged => "memory_changed",
            Self::StateChanged => "state_changed",
            Self::TailMoved => "tail_moved",
            Self::Compaction => "compaction",
            Self::Squeeze => "squeeze",
            Self::EngineChanged => "engine_changed",
            Self::ThinkingRemoved => "thinking_removed",
            Self::MessageInserted => "message_inserted",
            Self::MessageRemoved => "message_removed",
            Self::MessageEdited => "message_edited",
            Self::OutputChanged => "output_changed",
        }
    }

    /// Whether an engine that shortens the history in another way changes payloads so.
    pub fn is_by_engine(self) -> bool {
        matches!(
            self,
            Self::Compaction
                | Self::Squeeze
                | Self::ThinkingRemoved
                | Self::MessageInserted
                | Self::MessageRemoved
                | Self::MessageEdited
        )
    }

    /// What a person can do about it.
    pub fn explain(self) -> &'static str {
        match self {
            Self::TargetChanged => "the payloads are in different providers' shapes",
            Self::ToolsChanged => {
                "a tool was added, removed or edited; tools stand before everything else"
            }
            Self::ToolsReordered => "the same tools are in another order",
            Self::SystemChanged => {
                "the system text differs; keep what changes out of it, in dynamic_state"
            }
            Self::SkillChanged => "another skill is active",
            Self::MemoryChanged => {
                "memory data differs; on the last user message it costs only what follows"
            }
            Self::StateChanged => {
                "state or context at the end of the last user message has changed, as it may"
            }
            Self::TailMoved => "newer messages have taken over what is at the end, as they must",
            Self::Compaction => {
                "the history passed its trigger and was shrunk once for many turns to come"
            }
            Self::Squeeze => "this payload alone was shortened further, to fit its budget",
            Self::EngineChanged => {
                "another release made the payload before; its forms differ this once"
            }
            Self::ThinkingRemoved => {
                "thinking is no longer sent, because what came before it has changed; give a session_id"
            }
            Self::MessageInserted => "a message was inserted before others that were there",
            Self::MessageRemoved => "a message that was there is gone",
            Self::MessageEdited => "a message that was there has other content",
            Self::OutputChanged => "the output block or the prefill differs",
        }
    }
}

/// Facts of a compile that its payload does not show.
#[derive(Debug, Clone, Default)]
pub struct ChangeHints {
    /// Whether this payload alone was shortened further, to fit.
    pub squeezed: bool,
    /// The skill's instructions.
    pub skill: Option<String>,
    /// The text of a prefill that is the last message.
    pub prefill: Option<String>,
    /// Whether blocks of state, context and memory data stay where they are until a compaction point.
    pub keeps_tail: bool,
}

const TOOL_KEYS: &[&str] = &["tools"];
const SYSTEM_KEYS: &[&str] = &["system", "systemInstruction", "instructions"];

/// Compares two payloads; `None` if the earlier one is a prefix of this one, or equal.
pub fn first_change(
    before: &PayloadBlocks<'_>,
    now: &PayloadBlocks<'_>,
    hints: &ChangeHints,
    count: &dyn Fn(&str) -> u64,
) -> Option<FirstChange> {
    let sections = [TOOL_KEYS, SYSTEM_KEYS, &Source::LIST_KEYS];
    if PayloadShape::detect(before)
        .zip(PayloadShape::detect(now))
        .is_some_and(|(before, now)| before != now)
    {
        let behind = sections.iter().map(|keys| tokens(now, keys, 0, count));
        let (pointer, why) = (String::new(), ChangeReason::TargetChanged);
        return Some(FirstChange { pointer, why, tokens_behind: behind.sum(), split: None });
    }
    sections.iter().enumerate().find_map(|(at, keys)| {
        let SectionChange { pointer, index, why, split } =
            section_change(before, now, keys, hints, count)?;
        let behind = sections.iter().skip(at).enumerate().map(|(further, keys)| {
            let skip = if further == 0 { index } else { 0 };
            tokens(now, keys, skip, count)
        });
        Some(FirstChange { pointer, why, tokens_behind: behind.sum(), split })
    })
}

/// Tokens of the messages after those that the earlier payload has.
pub fn appended_tokens(
    before: &PayloadBlocks<'_>,
    now: &PayloadBlocks<'_>,
    count: &dyn Fn(&str) -> u64,
) -> u64 {
    let known = before.first_of(&Source::LIST_KEYS).map(PayloadMember::items);
    tokens(now, &Source::LIST_KEYS, known.map_or(0, |items| items.len()), count)
}

/// The first change of a section.
struct SectionChange {
    pointer: String,
    /// The index of the item that differs.
    index: usize,
    why: ChangeReason,
    /// Where to split a system text of which only the end differs.
    split: Option<SplitPlace>,
}

fn section_change(
    before: &PayloadBlocks<'_>,
    now: &PayloadBlocks<'_>,
    keys: &[&str],
    hints: &ChangeHints,
    count: &dyn Fn(&str) -> u64,
) -> Option<SectionChange> {
    let (old_section, section) = (before.first_of(keys), now.first_of(keys));
    if old_section.zip(section).is_some_and(|(old, new)| old.is_equal(new)) {
        return None;
    }
    let old = old_section.map(PayloadMember::items).unwrap_or_default();
    let new = section.map(PayloadMember::items).unwrap_or_default();
    let differs = old.iter().zip(&new).position(|(a, b)| !a.is_same(*b));
    let index = differs.unwrap_or(old.len().min(new.len()));
    let is_list = keys == Source::LIST_KEYS;
    let (a, b) = (old.get(index).copied(), new.get(index).copied());
    match (a, b) {
        (None, None) => return None,
        // At the very end growth keeps the prefix, and so does coming back to an earlier end.
        (Some(_), None) | (None, Some(_)) if is_list => return None,
        (Some(a), Some(b))
            if is_list && index + 1 == old.len() && continues(a.node(), b.node()) =>
        {
            return None;
        }
        _ => {}
    }
    let pointer = section.map(|section| format!("/{}{}", section.name, section.steps(index)));
    let pointer = pointer.unwrap_or_default();
    let why = match keys {
        TOOL_KEYS => tools_cause(&old, &new),
        _ if is_list => message_cause(&old, &new, index, hints),
        _ => system_cause(a.map(Item::node), b.map(Item::node), hints),
    };
    let split = a.zip(b).filter(|_| why == ChangeReason::SystemChanged).and_then(|(a, b)| {
        let SplitText { pointer, head } = find_split(a.node(), b.node(), pointer.clone())?;
        let characters = head.chars().count() as u64;
        Some(SplitPlace { pointer, characters, tokens: count(head) })
    });
    Some(SectionChange { pointer, index, why, split })
}

fn tokens(
    payload: &PayloadBlocks<'_>,
    keys: &[&str],
    skip: usize,
    count: &dyn Fn(&str) -> u64,
) -> u64 {
    let Some(section) = payload.first_of(keys) else { return 0 };
    let mut sum = 0;
    for item in section.items().into_iter().skip(skip) {
        each_text(item.node(), &mut |text| sum += count(text));
    }
    sum
}
