//! Where a payload leaves the cached prefix of the one before it, and why.
//!
//! Both payloads are compared block by block in the order in which providers read them: tools,
//! system text, messages. Cache marks are no content and are passed over.

use serde::Serialize;

use super::prose;
use crate::json::{Node, Value};

/// The first place where a payload leaves the one before it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct FirstChange {
    /// JSON Pointer into this payload.
    #[schema(example = "/messages/14")]
    pub pointer: String,
    /// Why.
    pub why: Why,
    /// Tokens from there to the end: what the provider has to read anew.
    pub tokens_behind: u64,
}

/// Why a payload leaves the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Why {
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
    /// A newer user message has taken the tail over.
    TailMoved,
    /// A compaction point was passed.
    Compaction,
    /// This payload alone was shortened further, to fit.
    Squeeze,
    MessageInserted,
    MessageRemoved,
    MessageEdited,
    /// The output block or the prefill has changed.
    OutputChanged,
}

impl Why {
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
            Self::MessageInserted => "message_inserted",
            Self::MessageRemoved => "message_removed",
            Self::MessageEdited => "message_edited",
            Self::OutputChanged => "output_changed",
        }
    }

    /// What a person can do about it.
    pub fn explain(self) -> &'static str {
        match self {
            Self::TargetChanged => "the payloads are in different providers' shapes",
            Self::ToolsChanged => {
                "a tool was added, removed or edited; tools stand before everything else"
            }
            Self::ToolsReordered => "the same tools stand in another order",
            Self::SystemChanged => {
                "the system text differs; keep what changes out of it, in dynamic_state"
            }
            Self::SkillChanged => "another skill is active",
            Self::MemoryChanged => {
                "memory data differs; place it on the last user message to keep what stands before"
            }
            Self::StateChanged => {
                "state or context at the end of the last user message has changed, as it may"
            }
            Self::TailMoved => "a newer user message has taken the tail over, as it must",
            Self::Compaction => {
                "the history passed its trigger and was shrunk once for many turns to come"
            }
            Self::Squeeze => "this payload alone was shortened further, to fit its budget",
            Self::MessageInserted => "a message was inserted before others that were there",
            Self::MessageRemoved => "a message that was there is gone",
            Self::MessageEdited => "a message that was there has other content",
            Self::OutputChanged => "the output block or the prefill differs",
        }
    }
}

/// What the compile knows that the payloads do not show.
#[derive(Debug, Clone, Default)]
pub struct Hints {
    pub squeezed: bool,
    /// Texts of the skill and of memory in system messages.
    pub skill: Option<String>,
}

const SYSTEM_KEYS: &[&str] = &["system", "systemInstruction", "instructions"];
const LIST_KEYS: &[&str] = &["messages", "contents", "input"];

/// Compares two payloads; `None` where the earlier one is a prefix of this one, or equal.
pub fn first_change(
    before: &Node<'_>,
    now: &Node<'_>,
    hints: &Hints,
    count: &dyn Fn(&str) -> u64,
) -> Option<FirstChange> {
    let sections = [&["tools"][..], SYSTEM_KEYS, LIST_KEYS];

    sections.iter().enumerate().find_map(|(at, keys)| {
        let (pointer, index, why) = section(before, now, keys, hints)?;
        let behind = sections.iter().skip(at).enumerate().map(|(further, keys)| {
            let skip = if further == 0 { index } else { 0 };
            tokens(now, keys, skip, count)
        });
        Some(FirstChange { pointer, why, tokens_behind: behind.sum() })
    })
}

type Found = (String, usize, Why);

fn section(before: &Node<'_>, now: &Node<'_>, keys: &[&str], hints: &Hints) -> Option<Found> {
    let old = keys.iter().find_map(|key| Some((*key, before.get(key)?)));
    let new = keys.iter().find_map(|key| Some((*key, now.get(key)?)));
    let is_list = keys == LIST_KEYS;
    let (old, (key, new)) = match (old, new) {
        (None, None) => return None,
        (Some((a, old)), Some((b, new))) if a == b => (Some(old), (b, new)),
        (None, Some(new)) if !is_list => (None, new),
        (Some((key, _)), None) if !is_list => {
            let why = if keys == SYSTEM_KEYS { Why::SystemChanged } else { Why::ToolsChanged };
            return Some((format!("/{key}"), 0, why));
        }
        _ => return Some((String::new(), 0, Why::TargetChanged)),
    };
    let old = old.map(items).unwrap_or_default();
    let new_items = items(new);
    let at = (0..new_items.len()).find(|at| match (old.get(*at), new_items.get(*at)) {
        (Some(a), Some(b)) => !same(a, b),
        // Beyond the end of the earlier list: growth at the very end keeps the prefix.
        _ => !is_list,
    });
    let at = match at {
        Some(at) if is_list && at >= old.len() => return None,
        Some(at) => at,
        None if old.len() > new_items.len() && !is_list => new_items.len(),
        None => return None,
    };
    let pointer = match (&new.value, key) {
        (Value::Array(_), _) => format!("/{key}/{at}"),
        (Value::Object(_), _) => format!("/{key}/parts/{at}"),
        _ => format!("/{key}"),
    };
    let why = match keys {
        ["tools"] => why_tools(&old, &new_items),
        _ if is_list => why_message(&old, &new_items, at, hints),
        _ => why_system(old.get(at).copied(), new_items.get(at).copied(), hints),
    };
    Some((pointer, at, why))
}

/// The blocks of a section: of a list its items, of Gemini's system its parts, of a text itself.
fn items<'n, 'a>(node: &'n Node<'a>) -> Vec<&'n Node<'a>> {
    match &node.value {
        Value::Array(items) => items.iter().collect(),
        Value::Object(_) => match node.get("parts").and_then(Node::as_array) {
            Some(parts) => parts.iter().collect(),
            None => vec![node],
        },
        _ => vec![node],
    }
}

/// Equal as JSON values, cache marks aside. Objects keep their order: providers hash text.
fn same(a: &Node<'_>, b: &Node<'_>) -> bool {
    if a.raw == b.raw {
        return true;
    }
    match (&a.value, &b.value) {
        (Value::String(a), Value::String(b)) => a == b,
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            let (mut a, mut b) = (unmarked(a), unmarked(b));
            loop {
                match (a.next(), b.next()) {
                    (None, None) => return true,
                    (Some((k, a)), Some((l, b))) if k == l && same(a, b) => {}
                    _ => return false,
                }
            }
        }
        _ => false,
    }
}

fn unmarked<'n, 'a>(
    members: &'n crate::json::Object<'a>,
) -> impl Iterator<Item = (&'n str, &'n Node<'a>)> {
    members.iter().filter(|(key, _)| key != "cache_control").map(|(key, node)| (key.as_ref(), node))
}

fn why_tools(old: &[&Node<'_>], new: &[&Node<'_>]) -> Why {
    let same_set =
        old.len() == new.len() && new.iter().all(|tool| old.iter().any(|other| same(tool, other)));
    if same_set { Why::ToolsReordered } else { Why::ToolsChanged }
}

fn why_system(old: Option<&Node<'_>>, new: Option<&Node<'_>>, hints: &Hints) -> Why {
    let holds = |text: &str| {
        let in_node = |node: Option<&Node<'_>>| {
            let mut found = false;
            if let Some(node) = node {
                each_text(node, &mut |value| found |= value.contains(text));
            }
            found
        };
        in_node(old) || in_node(new)
    };
    if holds(prose::MEMORY_INSTRUCTION) {
        Why::MemoryChanged
    } else if hints.skill.as_deref().is_some_and(|skill| !skill.is_empty() && holds(skill)) {
        Why::SkillChanged
    } else if holds(prose::STATE_HEADING) {
        Why::StateChanged
    } else if holds("<EPHEMERAL_MESSAGE>") {
        Why::OutputChanged
    } else {
        Why::SystemChanged
    }
}

fn why_message(old: &[&Node<'_>], new: &[&Node<'_>], at: usize, hints: &Hints) -> Why {
    let (Some(before), Some(now)) = (old.get(at), new.get(at)) else { return Why::MessageRemoved };
    let (was, is) = (all_text(before), all_text(now));
    let is_system = |node: &Node<'_>| {
        matches!(node.get("role").and_then(Node::as_str), Some("system" | "developer"))
    };
    if hints.squeezed {
        return Why::Squeeze;
    }
    if is_system(before) && is_system(now) {
        return why_system(Some(before), Some(now), hints);
    }
    if (is.contains("<history_summary>") && !same(before, now)) || cleared_more(&was, &is) {
        return Why::Compaction;
    }
    // Another message in the place of the old one: looked for a little further on either side.
    let is_at = |list: &[&Node<'_>], node: &Node<'_>| {
        list.iter().skip(at + 1).take(64).any(|other| same(other, node))
    };
    match (tail_of(&was), tail_of(&is)) {
        (Some(_), None) if was.starts_with(is.as_str()) => return Why::TailMoved,
        (None, Some(_)) if is.starts_with(was.as_str()) => return Why::StateChanged,
        (Some(a), Some(b)) if was.get(..a) == is.get(..b) => return Why::StateChanged,
        _ => {}
    }
    if was.contains("prefill_enforcement") || is.contains("prefill_enforcement") {
        return Why::OutputChanged;
    }
    if is_at(new, before) {
        Why::MessageInserted
    } else if is_at(old, now) {
        Why::MessageRemoved
    } else {
        Why::MessageEdited
    }
}

fn cleared_more(was: &str, is: &str) -> bool {
    let cleared = |text: &str| text.matches(prose::CLEARED_RESULT).count();
    cleared(is) > cleared(was)
}

/// Byte at which our tail begins in a message's text.
fn tail_of(text: &str) -> Option<usize> {
    ["<memory>\n", "<dynamic_state>\n", "<implicit_context>\n"]
        .iter()
        .filter_map(|frame| text.find(frame))
        .min()
        .map(|at| text.get(..at).map_or(at, |head| head.trim_end().len()))
}

fn all_text(node: &Node<'_>) -> String {
    let mut text = String::new();
    each_text(node, &mut |value| {
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        text.push_str(value);
    });
    text
}

/// Every text that a model reads in a node, in order.
fn each_text(node: &Node<'_>, visit: &mut dyn FnMut(&str)) {
    const NOT_READ: &[&str] = &[
        "role",
        "type",
        "id",
        "tool_use_id",
        "tool_call_id",
        "call_id",
        "cache_control",
        "signature",
    ];
    match &node.value {
        Value::String(text) => visit(text),
        Value::Array(items) => items.iter().for_each(|item| each_text(item, visit)),
        Value::Object(members) => members
            .iter()
            .filter(|(key, _)| !NOT_READ.contains(&key.as_ref()))
            .for_each(|(_, value)| each_text(value, visit)),
        _ => {}
    }
}

fn tokens(payload: &Node<'_>, keys: &[&str], skip: usize, count: &dyn Fn(&str) -> u64) -> u64 {
    let Some(section) = keys.iter().find_map(|key| payload.get(key)) else { return 0 };
    let mut sum = 0;
    for item in items(section).into_iter().skip(skip) {
        each_text(item, &mut |text| sum += count(text));
    }
    sum
}
