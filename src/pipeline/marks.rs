//! Cache marks: the client's own, and ours where it asks for them.
//!
//! A mark goes on the last block of what it ends. Providers take four; the client's come
//! first, the latest of them before the earlier ones.

use super::slot::{PartName, Slot};
use crate::domain::{CacheMark, Content, Message, Notes, Part, Role, ToolDefinition, Ttl};
use crate::request::{CacheOptions, CacheState};

/// `written`: whether the target has cache marks at all.
pub(super) fn run(
    options: &CacheOptions,
    written: bool,
    slots: &mut [Slot],
    tools: &mut [ToolDefinition],
    notes: &mut Notes,
) {
    let mut left = if written { options.marks } else { 0 };
    let taken_off = keep_latest(&mut left, slots, tools);
    if taken_off > 0 && !written {
        notes.degraded(
            "cache_marks_dropped",
            "/cache/marks".to_owned(),
            format!("marks taken off: {taken_off}; the target finds cached prefixes by itself"),
        );
    } else if taken_off > 0 {
        notes.warn(
            "cache_marks_dropped",
            "/cache/marks".to_owned(),
            format!("{taken_off} of the earliest marks are more than may stand in a payload"),
        );
    }
    if options.state == CacheState::Cold {
        notes.warn(
            "cold_needs_session",
            "/cache/state".to_owned(),
            "without a session a cold cache is no compaction point",
        );
    }
    let Some(ttl) = options.ttl else { return };
    // The default needs no word of its own.
    let mark = CacheMark { ttl: (ttl == Ttl::OneHour).then_some(ttl) };
    for place in places(slots, tools) {
        if left == 0 {
            return;
        }
        let spot = match place {
            Place::Tool(at) => tools.get_mut(at).map(|tool| &mut tool.cache),
            Place::Message(at) => slots.get_mut(at).and_then(|slot| spot(&mut slot.message)),
        };
        if let Some(spot @ None) = spot {
            *spot = Some(mark);
            left -= 1;
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum Place {
    Tool(usize),
    Message(usize),
}

/// Where marks help most: the end of what every later payload repeats, the end of the system
/// text, the end of the summary, the end of the tools.
fn places(slots: &[Slot], tools: &[ToolDefinition]) -> Vec<Place> {
    let volatile = slots
        .iter()
        .position(|slot| slot.tail > 0 || slot.part == PartName::Tail)
        .unwrap_or(slots.len());
    let is_system = |slot: &Slot| slot.message.role == Role::System;
    let stable = |range: std::ops::Range<usize>| {
        range.rev().find(|at| slots.get(*at).is_some_and(|slot| !is_system(slot)))
    };
    let last = stable(0..volatile);
    let head = slots.iter().position(|slot| !is_system(slot)).unwrap_or(slots.len());
    let summary = slots
        .get(head)
        .filter(|slot| slot.message.origin.is_none() && slot.part == PartName::History);
    let mut places = Vec::new();
    places.extend(last.map(Place::Message));
    places.extend(head.checked_sub(1).map(Place::Message));
    places.extend(summary.map(|_| Place::Message(head)));
    places.extend(tools.len().checked_sub(1).map(Place::Tool));
    places
}

/// The last part of a message that can carry a mark.
fn spot(message: &mut Message) -> Option<&mut Option<CacheMark>> {
    let carries = |part: &&mut Part| match &part.content {
        Content::Text(text) => !text.trim().is_empty(),
        Content::Thinking(_) => false,
        _ => true,
    };
    message.parts.iter_mut().rev().find(carries).map(|part| &mut part.cache)
}

/// Takes the client's earliest marks off until no more than `left` stand, and counts the rest.
fn keep_latest(left: &mut usize, slots: &mut [Slot], tools: &mut [ToolDefinition]) -> usize {
    let mut taken_off = 0;
    let parts = slots.iter_mut().rev().flat_map(|slot| slot.message.parts.iter_mut().rev());
    let marks = parts
        .map(|part| &mut part.cache)
        .chain(tools.iter_mut().rev().map(|tool| &mut tool.cache))
        .filter(|mark| mark.is_some());
    for mark in marks {
        if let Some(rest) = left.checked_sub(1) {
            *left = rest;
        } else {
            *mark = None;
            taken_off += 1;
        }
    }
    taken_off
}
