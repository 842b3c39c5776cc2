//! Cache marks: the client's own, and ours if the request asks for them.
//!
//! A mark is set on the last block of the part that it ends. Providers allow four; the client's
//! marks have priority, the latest of them first.

use super::slot::{PartName, Slot};
use crate::domain::{
    CacheMark, CacheTtl, Content, Message, Notes, Part, ProgramCalls, ToolDefinition,
};
use crate::request::{CacheOptions, CacheState};

/// Warns of what nothing comes of.
pub(super) fn warn(options: &CacheOptions, in_session: bool, notes: &mut Notes) {
    if options.state == CacheState::Cold && !in_session {
        notes.warn(
            "cold_needs_session",
            "/cache/state".to_owned(),
            "without a session a cold cache is no compaction point",
        );
    }
}

/// `written`: whether the target has cache marks at all.
pub(super) fn run(
    options: &CacheOptions,
    written: bool,
    slots: &mut [Slot],
    tools: &mut [ToolDefinition],
    notes: &mut Notes,
) {
    let programs = ProgramCalls::new(slots.iter().map(|slot| &slot.message));
    let wanted = places(slots, tools, &programs);
    let mut all = spots(slots, tools, &programs);
    move_refused(written, &mut all, notes);
    let left = keep_latest(options.marks, written, &mut all, notes);
    if client_order_is_wrong(&all) && written {
        notes.warn(
            "cache_ttl_order",
            String::new(),
            "a mark of one hour stands behind one of five minutes, which the provider refuses",
        );
    }
    if let Some(ttl) = options.ttl.filter(|_| written) {
        place(&mut all, &wanted, left, ttl);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MarkPlace {
    Tool(usize),
    Message(usize),
}

/// One place of the payload that can have a mark.
struct MarkSpot<'m> {
    place: MarkPlace,
    /// JSON Pointer to the place in the request; empty if it is not known.
    pointer: &'m str,
    mark: &'m mut Option<CacheMark>,
    /// Whether it ends a block of ours: text, media, a call, a result, a tool.
    carries: bool,
    /// Whether the mark in it is ours.
    ours: bool,
    /// Whether the provider refuses a mark here: deferred tools, calls of programs and their results.
    refused: bool,
}

impl MarkSpot<'_> {
    /// The lifetime that the client asks for here.
    fn client(&self) -> Option<CacheTtl> {
        if self.ours {
            None
        } else {
            self.mark.map(|mark| mark.ttl.unwrap_or(CacheTtl::FiveMinutes))
        }
    }
}

/// Finds the places where marks help most: the end of what every later payload repeats, of the
/// system text, of the summary and of the tools. System text is read before all messages, so if it
/// changes with every compile, no mark in a message helps.
fn places(slots: &[Slot], tools: &[ToolDefinition], programs: &ProgramCalls) -> Vec<MarkPlace> {
    let is_system = |slot: &Slot| slot.message.is_hoisted();
    let system_changes = slots.iter().any(|slot| is_system(slot) && slot.changes(true));
    let first = |found: &dyn Fn(&Slot) -> bool| slots.iter().position(found).unwrap_or(slots.len());
    let volatile = if system_changes { 0 } else { first(&|slot| slot.changes(true)) };
    let is_programs = |message: &Message| message.parts.iter().all(|part| programs.has(part));
    let is_message = |at: &usize| {
        slots.get(*at).is_some_and(|slot| {
            !is_system(slot) && (slot.message.parts.is_empty() || !is_programs(&slot.message))
        })
    };
    let last = (0..volatile).rev().find(is_message);
    let head = first(&|slot| !is_system(slot));
    let system = head.min(first(&|slot| slot.changes(true)));
    let is_ours = |slot: &&Slot| slot.message.origin.is_none() && slot.part == PartName::History;
    let summary = slots.get(head).filter(is_ours).filter(|_| head < volatile);
    let mut places = Vec::new();
    places.extend(last.map(MarkPlace::Message));
    places.extend(system.checked_sub(1).map(MarkPlace::Message));
    places.extend(summary.map(|_| MarkPlace::Message(head)));
    places.extend(tools.iter().rposition(|tool| !tool.is_deferred()).map(MarkPlace::Tool));
    places
}

/// All places in the order in which the provider reads them: tools, system text, messages.
fn spots<'m>(
    slots: &'m mut [Slot],
    tools: &'m mut [ToolDefinition],
    programs: &ProgramCalls,
) -> Vec<MarkSpot<'m>> {
    let mut found = Vec::new();
    for (at, tool) in tools.iter_mut().enumerate() {
        let refused = tool.is_deferred();
        let ToolDefinition { cache: mark, origin: pointer, .. } = tool;
        found.push(MarkSpot {
            place: MarkPlace::Tool(at),
            pointer,
            mark,
            carries: !refused,
            ours: false,
            refused,
        });
    }
    let mut later = Vec::new();
    for (at, slot) in slots.iter_mut().enumerate() {
        let system = slot.message.is_hoisted();
        let list = if system { &mut found } else { &mut later };
        for part in &mut slot.message.parts {
            let refused = programs.has(part);
            add(part, MarkPlace::Message(at), MarkLevel { outer: true, refused }, list);
        }
    }
    found.append(&mut later);
    found
}

/// The level of a part in its message.
#[derive(Debug, Clone, Copy)]
struct MarkLevel {
    /// It is a block of the message itself, not of a result in it.
    outer: bool,
    /// The provider refuses a mark here.
    refused: bool,
}

fn add<'m>(part: &'m mut Part, place: MarkPlace, level: MarkLevel, spots: &mut Vec<MarkSpot<'m>>) {
    let carries = match &mut part.content {
        Content::Text(text) => !text.trim().is_empty(),
        Content::Thinking(_) => false,
        Content::ToolResult(result) => {
            let level = MarkLevel { outer: false, ..level };
            result.content.iter_mut().for_each(|part| add(part, place, level, spots));
            true
        }
        _ => true,
    };
    let MarkLevel { outer, refused } = level;
    let carries = carries && outer && !refused;
    let mark = &mut part.cache;
    spots.push(MarkSpot { place, pointer: "", mark, carries, ours: false, refused });
}

/// Moves the client's marks from where the provider refuses them to the block before. A mark on a
/// deferred tool or on a program's call is a 400
/// (<https://platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool>).
fn move_refused(written: bool, spots: &mut [MarkSpot<'_>], notes: &mut Notes) {
    // The block that takes a mark, as far as the spots were read.
    let mut before = None;
    let mut moved = 0;
    for at in 0..spots.len() {
        let Some(spot) = spots.get_mut(at) else { continue };
        if spot.carries {
            before = Some(at);
        }
        let Some(mark) = spot.mark.take_if(|_| spot.refused && written) else { continue };
        moved += 1;
        if let Some(earlier) = before.and_then(|at| spots.get_mut(at)) {
            *earlier.mark = earlier.mark.or(Some(mark));
        }
    }
    if moved > 0 {
        let detail =
            format!("marks moved: {moved}; deferred tools and calls of programs take none");
        notes.degraded("cache_marks_moved", String::new(), detail);
    }
}

/// Removes the client's earliest marks until no more than `most` are left; returns how many more
/// are allowed.
fn keep_latest(most: usize, written: bool, spots: &mut [MarkSpot<'_>], notes: &mut Notes) -> usize {
    let mut left = if written { most } else { 0 };
    let mut taken_off = 0;
    // Of the earliest that goes.
    let mut at = "";
    for spot in spots.iter_mut().rev().filter(|spot| spot.mark.is_some()) {
        if let Some(rest) = left.checked_sub(1) {
            left = rest;
        } else {
            *spot.mark = None;
            at = spot.pointer;
            taken_off += 1;
        }
    }
    if taken_off > 0 && !written {
        let detail =
            format!("marks taken off: {taken_off}; the target finds cached prefixes by itself");
        notes.degraded("cache_marks_dropped", at.to_owned(), detail);
    } else if taken_off > 0 {
        let detail = format!("{taken_off} of the earliest marks are more than may stand");
        notes.warn("cache_marks_dropped", at.to_owned(), detail);
    }
    left
}

/// Whether the client's own lifetimes grow along the payload, which only it can mend.
fn client_order_is_wrong(spots: &[MarkSpot<'_>]) -> bool {
    let marks: Vec<CacheTtl> = spots.iter().filter_map(MarkSpot::client).collect();
    !marks.is_sorted_by(|before, after| rank(*before) >= rank(*after))
}

/// Sets marks of ours. A longer lifetime may not follow a shorter one, so ours use what the
/// client's marks before and after them allow.
fn place(spots: &mut [MarkSpot<'_>], wanted: &[MarkPlace], left: usize, ttl: CacheTtl) {
    let mut left = left;
    for place in wanted {
        if left == 0 {
            return;
        }
        let Some(at) = spots.iter().rposition(|spot| spot.place == *place && spot.carries) else {
            continue;
        };
        let ranks = |spots: &[MarkSpot<'_>]| -> Vec<u8> {
            spots.iter().filter_map(MarkSpot::client).map(rank).collect()
        };
        let (before, behind) = spots.split_at_checked(at).unwrap_or((&[], &[]));
        let least = ranks(behind).into_iter().max().unwrap_or(0);
        let most = ranks(before).into_iter().min().unwrap_or(u8::MAX);
        let long = rank(ttl).max(least).min(most) == rank(CacheTtl::OneHour);
        if let Some(spot) = spots.get_mut(at).filter(|spot| spot.mark.is_none()) {
            // The default needs no word of its own.
            *spot.mark = Some(CacheMark { ttl: long.then_some(CacheTtl::OneHour) });
            spot.ours = true;
            left -= 1;
        }
    }
}

fn rank(ttl: CacheTtl) -> u8 {
    match ttl {
        CacheTtl::FiveMinutes => 1,
        CacheTtl::OneHour => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Message, Role};
    use crate::pipeline::measure::Cost;

    const HOUR: Option<CacheMark> = Some(CacheMark { ttl: Some(CacheTtl::OneHour) });
    const SHORT: Option<CacheMark> = Some(CacheMark { ttl: None });

    fn slot(role: Role, cache: Option<CacheMark>) -> Slot {
        let mut message = Message::text(role, "text");
        message.origin = Some(0);
        message.parts.iter_mut().for_each(|part| part.cache = cache);
        let cost = Cost::default();
        Slot { message, cost, part: PartName::History, tail: 0, fixed: false }
    }

    /// The marks of a system text and three messages after ours were set.
    fn marked(client: [Option<CacheMark>; 4], ttl: CacheTtl) -> (Vec<Option<CacheMark>>, Notes) {
        let [system, first, second, third] = client;
        let mut slots = vec![
            slot(Role::System, system),
            slot(Role::User, first),
            slot(Role::Assistant, second),
            slot(Role::User, third),
        ];
        let options = CacheOptions { ttl: Some(ttl), ..CacheOptions::default() };
        let mut notes = Notes::default();
        run(&options, true, &mut slots, &mut [], &mut notes);
        let marks = slots.iter().map(|slot| slot.message.parts.first().unwrap().cache).collect();
        (marks, notes)
    }

    #[test]
    fn ours_stand_at_the_end_of_the_system_text_and_of_the_list() {
        let (marks, notes) = marked([None; 4], CacheTtl::FiveMinutes);
        assert_eq!(marks, [SHORT, None, None, SHORT]);
        assert!(notes.warnings.is_empty());
    }

    #[test]
    fn no_longer_lifetime_follows_a_shorter_one() {
        let (marks, _) = marked([None, SHORT, None, None], CacheTtl::OneHour);
        assert_eq!(marks, [HOUR, SHORT, None, SHORT]);
        let (marks, _) = marked([None, HOUR, None, None], CacheTtl::FiveMinutes);
        assert_eq!(marks, [HOUR, HOUR, None, SHORT]);
        let (_, notes) = marked([SHORT, HOUR, None, None], CacheTtl::FiveMinutes);
        assert_eq!(notes.warnings.first().unwrap().code, "cache_ttl_order");
    }

    #[test]
    fn what_goes_is_told_where_it_stands() {
        let tool = |at: usize| ToolDefinition {
            name: "t".into(),
            description: None,
            parameters: None,
            cache: SHORT,
            extra: Vec::new(),
            opaque: None,
            origin: format!("/tools/{at}").into(),
        };
        let mut tools: Vec<ToolDefinition> = (0..2).map(tool).collect();
        let mut slots = vec![slot(Role::User, SHORT)];
        let mut notes = Notes::default();
        run(&CacheOptions::default(), false, &mut slots, &mut tools, &mut notes);
        assert_eq!(notes.degraded.first().unwrap().pointer, "/tools/0");
        let mut notes = Notes::default();
        let mut slots = vec![slot(Role::User, SHORT)];
        run(&CacheOptions::default(), false, &mut slots, &mut [], &mut notes);
        assert_eq!(notes.degraded.first().unwrap().pointer, "");
    }

    #[test]
    fn marks_inside_a_tool_result_count_too() {
        use crate::domain::ToolResult;
        let mut inner = Part::text("r");
        inner.cache = SHORT;
        let content = vec![inner.clone(), inner.clone(), inner.clone()];
        let result = ToolResult { call_id: "c".into(), name: None, content, is_error: None };
        let mut message = Message::new(Role::Tool, vec![Part::new(Content::ToolResult(result))]);
        message.parts.iter_mut().for_each(|part| part.cache = SHORT);
        let cost = Cost::default();
        let mut slots = vec![
            slot(Role::User, SHORT),
            Slot { message, cost, part: PartName::History, tail: 0, fixed: false },
        ];
        let mut notes = Notes::default();
        run(&CacheOptions::default(), true, &mut slots, &mut [], &mut notes);
        assert_eq!(slots.first().unwrap().message.parts.first().unwrap().cache, None);
        assert_eq!(notes.warnings.first().unwrap().code, "cache_marks_dropped");
    }
}
