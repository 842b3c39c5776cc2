//! Cache marks: the client's own, and ours if the request asks for them; and the members of the payload
//! that direct its provider's cache.
//!
//! A mark is set on the last block of the part that it ends. Providers allow four; the client's
//! marks have priority, the latest of them first.

mod members;
mod places;
mod rules;
#[cfg(test)]
mod tests;

pub(super) use members::{note_stored_head, payload_caching};
use places::{ListView, PrefixTokens};
use rules::MarkFit;
pub(super) use rules::MarkRules;

use super::slot::Slot;
use crate::domain::{
    CacheMark, CacheMarks, CacheTtl, Content, Notes, Part, ProgramCalls, Role, Target,
    ToolDefinition,
};
use crate::request::{CacheOptions, CacheState};

/// Warns of what nothing comes of.
pub(super) fn warn(options: &CacheOptions, target: Target, in_session: bool, notes: &mut Notes) {
    if options.state == CacheState::Cold && !in_session {
        notes.warn(
            "cold_needs_session",
            "/cache/state".to_owned(),
            "without a session a cold cache is no compaction point",
        );
    }
    if options.asks_ttl && target == Target::Gemini && options.members.content.is_none() {
        notes.warn(
            "cache_ttl_unused",
            "/cache/ttl".to_owned(),
            "Gemini finds cached prefixes by itself and takes no lifetime; `cachedContent` names what is stored there",
        );
    }
}

/// The list that is marked.
pub(super) struct MarkedList<'l> {
    pub(super) slots: &'l mut [Slot],
    pub(super) tools: &'l mut [ToolDefinition],
    /// Raw tokens of each tool.
    pub(super) tool_tokens: &'l [u64],
}

/// Moves and removes the client's marks as the rules want it, and sets ours; returns whether any block
/// has a mark then.
pub(super) fn run(rules: MarkRules<'_>, list: MarkedList<'_>, notes: &mut Notes) -> bool {
    let programs = ProgramCalls::new(list.slots.iter().map(|slot| &slot.message));
    let tokens = PrefixTokens::new(rules, &list);
    let wanted = ListView::new(rules, &list, &programs).places();
    let MarkedList { slots, tools, .. } = list;
    let mut all = spots(rules, slots, tools, &programs);
    if !rules.is_known {
        drop_foreign(rules, &mut all, notes);
    }
    if rules.kind.is_some() {
        move_refused(rules, &mut all, notes);
        free_last_block(rules, &mut all, notes);
    }
    let left = keep_latest(rules, &mut all, notes);
    if rules.kind.is_some() {
        lengthen_before_hour(rules, &mut all, notes);
        warn_early(rules, &all, &tokens, notes);
    }
    if let Some(ttl) = rules.options.ttl.filter(|_| rules.sets_ours()) {
        let counts = |place: &MarkPlace| tokens.at(*place) >= rules.min_tokens();
        let wanted: Vec<MarkPlace> = wanted.into_iter().filter(counts).collect();
        place(rules, &mut all, &wanted, left, ttl);
    }
    all.iter().any(|spot| spot.mark.is_some())
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
    fit: MarkFit,
    /// Whether the mark in it is ours.
    ours: bool,
}

impl MarkSpot<'_> {
    fn carries(&self) -> bool {
        self.fit == MarkFit::Carries
    }

    /// The lifetime that the client asks for here.
    fn client(&self) -> Option<CacheTtl> {
        if self.ours { None } else { self.mark.map(lifetime) }
    }
}

/// The lifetime of a mark; the default is the shorter one.
fn lifetime(mark: CacheMark) -> CacheTtl {
    mark.ttl.unwrap_or(CacheTtl::FiveMinutes)
}

/// All places in the order in which the provider reads them: tools, system text, messages.
fn spots<'m>(
    rules: MarkRules<'_>,
    slots: &'m mut [Slot],
    tools: &'m mut [ToolDefinition],
    programs: &ProgramCalls,
) -> Vec<MarkSpot<'m>> {
    let mut found = Vec::new();
    for (at, tool) in tools.iter_mut().enumerate() {
        let fit = rules.tool_fit(tool.is_deferred());
        let ToolDefinition { cache: mark, origin: pointer, .. } = tool;
        found.push(MarkSpot { place: MarkPlace::Tool(at), pointer, mark, fit, ours: false });
    }
    let is_system = |slot: &Slot| slot.message.role == Role::System;
    let leading = slots.iter().take_while(|slot| is_system(slot)).count();
    let instructions = if rules.target == Target::OpenaiResponses { leading } else { 0 };
    let mut later = Vec::new();
    for (at, slot) in slots.iter_mut().enumerate() {
        let is_first = rules.hoists() && slot.message.is_hoisted();
        let fits: Vec<MarkFit> = {
            let message = &slot.message;
            let fit = |part| rules.fit(message, at < instructions, part, programs);
            message.parts.iter().map(fit).collect()
        };
        let list = if is_first { &mut found } else { &mut later };
        for (part, fit) in slot.message.parts.iter_mut().zip(fits) {
            add(part, MarkPlace::Message(at), fit, list);
        }
    }
    found.append(&mut later);
    found
}

/// Adds a part of a message, after the parts of a result in it.
fn add<'m>(part: &'m mut Part, place: MarkPlace, fit: MarkFit, spots: &mut Vec<MarkSpot<'m>>) {
    if let Content::ToolResult(result) = &mut part.content {
        let inner = if fit == MarkFit::Refused { fit } else { MarkFit::Passive };
        result.content.iter_mut().for_each(|part| add(part, place, inner, spots));
    }
    spots.push(MarkSpot { place, pointer: "", mark: &mut part.cache, fit, ours: false });
}

/// Removes the client's marks of another kind than a model takes that is not known.
fn drop_foreign(rules: MarkRules<'_>, spots: &mut [MarkSpot<'_>], notes: &mut Notes) {
    let mut taken_off = 0;
    for spot in spots {
        let foreign = spot.mark.take_if(|mark| Some(mark.kind) != rules.kind);
        taken_off += usize::from(foreign.is_some());
    }
    note_without_marks(taken_off, "", notes);
}

fn note_without_marks(taken_off: usize, at: &str, notes: &mut Notes) {
    if taken_off > 0 {
        let detail =
            format!("marks taken off: {taken_off}; the target finds cached prefixes by itself");
        notes.degraded("cache_marks_dropped", at.to_owned(), detail);
    }
}

/// Moves the client's marks from where the provider refuses them to the block before. A mark on a
/// deferred tool or on a program's call is a 400
/// (<https://platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool>), and so is one of
/// `OpenAI`'s on a tool or on what the model said
/// (<https://developers.openai.com/api/docs/guides/prompt-caching>).
fn move_refused(rules: MarkRules<'_>, spots: &mut [MarkSpot<'_>], notes: &mut Notes) {
    // The block that takes a mark, as far as the spots were read.
    let mut before = None;
    let (mut moved, mut lost) = (0, 0);
    for at in 0..spots.len() {
        let Some(spot) = spots.get_mut(at) else { continue };
        if spot.carries() {
            before = Some(at);
        }
        let Some(mark) = spot.mark.take_if(|_| spot.fit == MarkFit::Refused) else { continue };
        if let Some(earlier) = before.and_then(|at| spots.get_mut(at)) {
            *earlier.mark = earlier.mark.or(Some(mark));
            moved += 1;
        } else {
            lost += 1;
        }
    }
    if moved > 0 {
        let refused = match rules.kind {
            Some(CacheMarks::Breakpoints) => "tools and what the model said take none",
            _ => "deferred tools and calls of programs take none",
        };
        let detail = format!("marks moved: {moved}; {refused}");
        notes.degraded("cache_marks_moved", String::new(), detail);
    }
    if lost > 0 {
        let detail = format!("marks taken off: {lost}; no block before them can have one");
        notes.degraded("cache_mark_dropped", String::new(), detail);
    }
}

/// Removes the client's mark on the last block if the provider sets its own there with another
/// lifetime, which it refuses
/// (<https://github.com/anthropics/skills/blob/main/skills/claude-api/shared/prompt-caching.md>).
fn free_last_block(rules: MarkRules<'_>, spots: &mut [MarkSpot<'_>], notes: &mut Notes) {
    let Some(automatic) = automatic(rules) else { return };
    let last = spots.iter_mut().rev().find(|spot| spot.carries());
    let other = last.and_then(|spot| spot.mark.take_if(|mark| lifetime(*mark) != automatic));
    if other.is_some() {
        let detail = "the mark on the last block has another lifetime than that of the request";
        notes.warn("cache_marks_dropped", "/cache_control".to_owned(), detail);
    }
}

/// The lifetime of the mark that Anthropic itself sets on the last block.
fn automatic(rules: MarkRules<'_>) -> Option<CacheTtl> {
    let is_block = rules.kind == Some(CacheMarks::Blocks);
    rules.options.members.automatic.filter(|_| is_block).map(lifetime)
}

/// Removes the client's earliest marks until no more are left than are allowed; returns how many more
/// are allowed.
fn keep_latest(rules: MarkRules<'_>, spots: &mut [MarkSpot<'_>], notes: &mut Notes) -> usize {
    let mut left = rules.most();
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
    if rules.kind.is_none() {
        note_without_marks(taken_off, at, notes);
    } else if taken_off > 0 {
        let detail = format!("{taken_off} of the earliest marks are more than may stand");
        notes.warn("cache_marks_dropped", at.to_owned(), detail);
    }
    left
}

/// Warns about the client's marks that end a prefix which is too short to be cached.
fn warn_early(
    rules: MarkRules<'_>,
    spots: &[MarkSpot<'_>],
    tokens: &PrefixTokens,
    notes: &mut Notes,
) {
    let least = rules.min_tokens();
    let is_early = |spot: &&MarkSpot<'_>| spot.mark.is_some() && tokens.at(spot.place) < least;
    let early = spots.iter().filter(is_early).count();
    if let Some(first) = spots.iter().find(is_early) {
        let detail = format!(
            "marks after fewer than the {least} tokens that the model caches at least: {early}"
        );
        notes.warn("mark_too_early", first.pointer.to_owned(), detail);
    }
}

/// Lengthens marks of the client that have one of an hour after them: the provider refuses a longer
/// lifetime after a shorter one.
fn lengthen_before_hour(rules: MarkRules<'_>, spots: &mut [MarkSpot<'_>], notes: &mut Notes) {
    let mut is_hour = automatic(rules) == Some(CacheTtl::OneHour);
    let mut count = 0;
    for spot in spots.iter_mut().rev() {
        let Some(own) = spot.client() else { continue };
        is_hour |= own == CacheTtl::OneHour;
        if let Some(mark) = spot.mark.as_mut().filter(|_| is_hour && own != CacheTtl::OneHour) {
            mark.ttl = Some(CacheTtl::OneHour);
            count += 1;
        }
    }
    if count > 0 {
        let detail = format!("{count} marks of five minutes before one of an hour became an hour");
        notes.warn("cache_ttl_order", String::new(), detail);
    }
}

/// Sets marks of ours. A longer lifetime may not follow a shorter one, so ours use what the
/// client's marks before and after them allow.
fn place(
    rules: MarkRules<'_>,
    spots: &mut [MarkSpot<'_>],
    wanted: &[MarkPlace],
    left: usize,
    ttl: CacheTtl,
) {
    let mut left = left;
    let automatic = automatic(rules);
    // The provider itself marks the last block.
    let taken = spots.iter().rposition(MarkSpot::carries).filter(|_| automatic.is_some());
    for place in wanted {
        if left == 0 {
            return;
        }
        let Some(at) = spots.iter().rposition(|spot| spot.place == *place && spot.carries()) else {
            continue;
        };
        let ranks = |spots: &[MarkSpot<'_>]| -> Vec<u8> {
            spots.iter().filter_map(MarkSpot::client).map(rank).collect()
        };
        let (before, behind) = spots.split_at_checked(at).unwrap_or((&[], &[]));
        let least = ranks(behind).into_iter().chain(automatic.map(rank)).max().unwrap_or(0);
        let most = ranks(before).into_iter().min().unwrap_or(u8::MAX);
        let long = rank(ttl).max(least).min(most) == rank(CacheTtl::OneHour);
        let is_free = |spot: &&mut MarkSpot<'_>| spot.mark.is_none() && taken != Some(at);
        if let Some(spot) = spots.get_mut(at).filter(is_free) {
            // The default needs no word of its own.
            let ttl = long.then_some(CacheTtl::OneHour);
            let kind = rules.kind.unwrap_or(CacheMarks::Blocks);
            *spot.mark = Some(CacheMark { ttl, kind });
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
