//! Finds why a block differs: by the owner of the text with the first differing byte.
//!
//! Texts that a compile inserts are framed, so the frame around the place names their owner.

use std::cmp::Reverse;

use super::blocks::{Item, all_text, spoken_text};
use super::comparison::{Compared, is_same, is_thinking};
use super::{ChangeHints, ChangeReason};
use crate::json::Node;
use crate::pipeline::prose;

/// Messages on either side that are looked through for one that was there before.
const MAX_NEARBY_MESSAGES: usize = 64;

/// Texts of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OwnText {
    Skill,
    Memory,
    State,
    Output,
    Summary,
}

impl OwnText {
    fn reason(self, hints: &ChangeHints) -> ChangeReason {
        match self {
            Self::Skill => ChangeReason::SkillChanged,
            Self::Memory => ChangeReason::MemoryChanged,
            Self::State => ChangeReason::StateChanged,
            Self::Output => ChangeReason::OutputChanged,
            Self::Summary => shrink_reason(hints),
        }
    }
}

fn shrink_reason(hints: &ChangeHints) -> ChangeReason {
    if hints.squeezed { ChangeReason::Squeeze } else { ChangeReason::Compaction }
}

const SUMMARY_TAG: &str = "<history_summary>";
const SUMMARY_END_TAG: &str = "</history_summary>";
/// Beginnings of texts of ours.
const OWN_FRAMES: &[(&str, OwnText)] = &[
    (prose::MEMORY_INSTRUCTION, OwnText::Memory),
    (prose::SESSION_MEMORY_INSTRUCTION, OwnText::Memory),
    (prose::MEMORY_OPENING, OwnText::Memory),
    (prose::STATE_HEADING, OwnText::State),
    ("<dynamic_state>\n", OwnText::State),
    ("<implicit_context>\n", OwnText::State),
    (prose::STATE_ANCHOR, OwnText::State),
    (prose::EARLIER_STATE_ANCHOR, OwnText::State),
    ("<EPHEMERAL_MESSAGE>", OwnText::Output),
    ("<ephemeral_message type=\"prefill_enforcement\">", OwnText::Output),
    (SUMMARY_TAG, OwnText::Summary),
];

/// Finds the owner of the byte at `place`: the last frame that begins at or before it. White space
/// before a frame belongs to it.
fn find_owner(text: &str, place: usize, skill: Option<&str>) -> Option<OwnText> {
    let starts = |frame: &str| {
        let found = text.match_indices(frame).filter(|_| !frame.is_empty());
        let space = |start| text.get(..start).map_or(start, |before| before.trim_end().len());
        found.map(|(start, _)| space(start)).take_while(|start| *start <= place).last()
    };
    let skill = skill.and_then(|skill| Some((starts(skill)?, OwnText::Skill)));
    let frames = OWN_FRAMES.iter().filter_map(|(frame, ours)| Some((starts(frame)?, *ours)));
    let (start, ours) = frames.chain(skill).max_by_key(|(start, _)| *start)?;
    let end = text.get(start..).and_then(|rest| rest.find(SUMMARY_END_TAG));
    let ended = ours == OwnText::Summary && end.is_some_and(|end| start + end < place);
    (!ended).then_some(ours)
}

/// Bytes that two texts have in common at their heads.
fn common_prefix(a: &str, b: &str) -> usize {
    a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count()
}

pub(super) fn tools_cause(old: &[Item<'_, '_>], new: &[Item<'_, '_>]) -> ChangeReason {
    let same_set = old.len() == new.len()
        && new.iter().all(|tool| old.iter().any(|other| tool.is_same(*other)));
    if same_set {
        return ChangeReason::ToolsReordered;
    }
    // The tool that creates memory says how long its entries last.
    let creates_memory = |tool: &Item<'_, '_>| {
        let json = tool.node().raw;
        [prose::CREATE_SESSION_MEMORY, prose::CREATE_LASTING_MEMORY]
            .iter()
            .any(|about| json.contains(about))
    };
    let mut differing = old.iter().zip(new).filter(|(old, new)| !old.is_same(**new));
    let is_memory = old.len() == new.len()
        && differing.all(|(old, new)| creates_memory(old) && creates_memory(new));
    if is_memory { ChangeReason::MemoryChanged } else { ChangeReason::ToolsChanged }
}

/// Finds why a block of system text differs. One of the blocks is absent if it was added or
/// removed.
pub(super) fn system_cause(
    old: Option<&Node<'_>>,
    new: Option<&Node<'_>>,
    hints: &ChangeHints,
) -> ChangeReason {
    let was = old.map(all_text).unwrap_or_default();
    let is = new.map(all_text).unwrap_or_default();
    let place = common_prefix(&was, &is);
    let skill = hints.skill.as_deref();
    let ours = match (find_owner(&was, place, None), find_owner(&is, place, skill)) {
        // The skill's text is known only of this payload, so its place in it decides.
        (_, Some(OwnText::Skill)) => Some(OwnText::Skill),
        (was_in, is_in) => moved_text(was_in, is_in, &was),
    };
    ours.map_or(ChangeReason::SystemChanged, |ours| ours.reason(hints))
}

/// Of two texts of ours at one place, the one that was put in or taken out.
fn moved_text(was: Option<OwnText>, is: Option<OwnText>, before: &str) -> Option<OwnText> {
    let (Some(was), Some(is)) = (was, is) else { return is.or(was) };
    let stood = OWN_FRAMES.iter().any(|(frame, ours)| *ours == is && before.contains(frame));
    Some(if stood { was } else { is })
}

pub(super) fn message_cause(
    old: &[Item<'_, '_>],
    new: &[Item<'_, '_>],
    at: usize,
    hints: &ChangeHints,
) -> ChangeReason {
    let (Some(old_item), Some(new_item)) = (old.get(at), new.get(at)) else {
        return ChangeReason::MessageRemoved;
    };
    let (before, now) = (old_item.node(), new_item.node());
    let head = old.iter().take(at).all(|message| is_system(message.node()));
    if head && (is_system(before) || is_system(now)) {
        let (old, new) = (is_system(before), is_system(now));
        return system_cause(old.then_some(before), new.then_some(now), hints);
    }
    if is_prefill(old, at, hints) {
        return ChangeReason::TailMoved;
    }
    if is_prefill(new, at, hints) && at + 1 == old.len() {
        return ChangeReason::OutputChanged;
    }
    let (was, is) = (spoken_text(before), spoken_text(now));
    let place = common_prefix(&was, &is);
    // If the texts agree, a call, a result or a medium differs: never a text of ours.
    let (was_in, is_in) = if was == is {
        (None, None)
    } else {
        (find_owner(&was, place, None), find_owner(&is, place, None))
    };
    match (was_in, is_in) {
        (_, Some(OwnText::Summary)) => return shrink_reason(hints),
        // Shortened for itself alone, and whole again.
        (Some(OwnText::Summary), _) => return ChangeReason::Squeeze,
        // Blocks that stay are taken out where the history is shrunk.
        (Some(OwnText::State | OwnText::Memory), None) if hints.keeps_tail => {
            return shrink_reason(hints);
        }
        (Some(ours), None) if is_later(new, at, ours) => return ChangeReason::TailMoved,
        (None, None) => {}
        _ => {
            let ours = moved_text(was_in, is_in, &was);
            return ours.map_or(ChangeReason::MessageEdited, |ours| ours.reason(hints));
        }
    }
    // The note after a provider's own compaction replaces what was at the end of this message.
    let is_note = |item: &Item<'_, '_>| spoken_text(item.node()).starts_with(SUMMARY_TAG);
    if was.starts_with(is.as_str()) && new.get(at + 1).is_some_and(is_note) {
        return shrink_reason(hints);
    }
    match ReductionMarks::new(now).cmp(&ReductionMarks::new(before)) {
        std::cmp::Ordering::Greater => return shrink_reason(hints),
        std::cmp::Ordering::Less => return ChangeReason::Squeeze,
        std::cmp::Ordering::Equal => {}
    }
    if has_lost_thinking(before, now) {
        return lost_thinking_cause(old, new, at, hints);
    }
    // Another message in the place of the old one: looked for a little further on either side.
    let is_nearby = |list: &[Item<'_, '_>], item: &Item<'_, '_>| {
        list.iter().skip(at + 1).take(MAX_NEARBY_MESSAGES).any(|other| other.is_same(*item))
    };
    if is_nearby(new, old_item) {
        ChangeReason::MessageInserted
    } else if hints.squeezed {
        // If not even a marker had room, dropped messages left no trace.
        ChangeReason::Squeeze
    } else if is_nearby(old, new_item) {
        ChangeReason::MessageRemoved
    } else {
        ChangeReason::MessageEdited
    }
}

/// Whether thinking of an item is no longer sent, or the whole item, which was nothing else.
fn has_lost_thinking(before: &Node<'_>, now: &Node<'_>) -> bool {
    if is_thinking(before) {
        return !is_thinking(now);
    }
    is_same(before, now, Compared::WithoutThinking)
}

/// Finds why thinking at an index is no longer sent: a compaction takes it out together with what it
/// led to, whose change comes after it.
fn lost_thinking_cause(
    old: &[Item<'_, '_>],
    new: &[Item<'_, '_>],
    at: usize,
    hints: &ChangeHints,
) -> ChangeReason {
    let mut pairs = without_thinking(old, at).zip(without_thinking(new, at));
    let differing = pairs.find(|(old, new)| !is_same(old, new, Compared::WithoutThinking));
    let is_shortened = |(old, new): (&Node<'_>, &Node<'_>)| {
        ReductionMarks::new(new) > ReductionMarks::new(old)
            || spoken_text(new).contains(SUMMARY_TAG)
    };
    if hints.squeezed || differing.is_some_and(is_shortened) {
        return shrink_reason(hints);
    }
    ChangeReason::ThinkingRemoved
}

/// The items from an index on that are not thinking.
fn without_thinking<'i, 'p>(
    list: &'i [Item<'i, 'p>],
    at: usize,
) -> impl Iterator<Item = &'i Node<'p>> {
    let rest = list.iter().skip(at).take(MAX_NEARBY_MESSAGES).map(|item| item.node());
    rest.filter(|node| !is_thinking(node))
}

fn is_system(message: &Node<'_>) -> bool {
    matches!(message.get("role").and_then(Node::as_str), Some("system" | "developer"))
}

/// Whether the last message of a list is the prefill.
fn is_prefill(list: &[Item<'_, '_>], at: usize, hints: &ChangeHints) -> bool {
    let Some(prefill) = hints.prefill.as_deref() else { return false };
    at + 1 == list.len()
        && list.get(at).map(|message| message.node()).is_some_and(|message| {
            message.get("role").and_then(Node::as_str) == Some("assistant")
                && all_text(message) == prefill
        })
}

/// Whether a later message has a text of ours too.
fn is_later(list: &[Item<'_, '_>], at: usize, ours: OwnText) -> bool {
    list.iter().skip(at + 1).any(|message| {
        let text = spoken_text(message.node());
        OWN_FRAMES.iter().any(|(frame, other)| *other == ours && text.contains(frame))
    })
}

/// Marks of how far a message was taken down the ladder, in order of weight.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct ReductionMarks {
    /// Results that were cleared.
    cleared: usize,
    /// Whether something is left out.
    is_cut: bool,
    /// Bytes of a text with something left out: the shorter one is further down.
    bytes: Reverse<usize>,
}

impl ReductionMarks {
    fn new(message: &Node<'_>) -> Self {
        let text = all_text(message);
        let is_cut = text.contains('…');
        let bytes = Reverse(if is_cut { text.len() } else { 0 });
        Self { cleared: text.matches(prose::CLEARED_OPENING).count(), is_cut, bytes }
    }
}
