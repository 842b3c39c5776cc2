//! Stage 8: puts volatile parts into tail blocks, where they break no cached prefix.

use super::measure::Meter;
use super::volatile_blocks::{BlockKind, BlocksInSight};
use super::{StopReason, memory, prose, tags, xml};
use crate::domain::{Notes, RawJson, counted_as};
use crate::json::{self, Path};
use crate::provider::without_nul;
use crate::request::{MemoryOptions, Placement};

pub(super) struct Input<'i> {
    pub(super) dynamic_state: Option<&'i RawJson>,
    pub(super) dynamic_state_placement: Placement,
    /// Whether a sentence after the state says that it is current.
    pub(super) dynamic_state_anchor: bool,
    pub(super) implicit_context: Option<&'i str>,
    pub(super) memory: Option<&'i MemoryOptions>,
    /// Raw tokens that memory data may take.
    pub(super) memory_room: u64,
    /// Blocks of earlier payloads that stay in the history.
    pub(super) in_sight: &'i BlocksInSight,
}

#[derive(Debug, Default)]
pub(super) struct Output {
    /// The system message at the top if memory is on, with data of system placement.
    pub(super) memory_instruction: Option<String>,
    pub(super) memory_data: Option<String>,
    /// Raw tokens of the memory data, wherever it is placed.
    pub(super) memory_tokens: u64,
    /// The blocks for the end of the last user message.
    pub(super) tail: Vec<String>,
    /// Dynamic state for a system message after the history.
    pub(super) state_message: Option<String>,
    /// Keys of the memory entries that are shown.
    pub(super) injected: Vec<String>,
}

pub(super) fn run(
    meter: &Meter<'_>,
    input: &Input<'_>,
    notes: &mut Notes,
) -> Result<Output, StopReason> {
    let mut output = Output::default();
    let mut tail: Vec<String> = Vec::new();
    if let Some(memory) = input.memory {
        let instruction = prose::memory_instruction(memory::in_session(memory));
        output.memory_instruction = Some(instruction.to_owned());
        let fit = memory::fit(&memory.entries, input.memory_room, &|text| meter.text(text))?;
        note_left_out(&fit, memory.from_store, notes);
        let shown = memory.entries.iter().zip(&fit.shown).filter(|(_, shown)| **shown);
        let mut shown: Vec<_> = shown.map(|(entry, _)| entry).collect();
        shown.sort_by_key(|entry| entry.place);
        output.injected = shown.into_iter().map(|entry| entry.key.to_string()).collect();
        output.memory_tokens = fit.tokens;
        match memory.placement {
            Placement::System => output.memory_data = fit.block,
            Placement::LastUser => tail.extend(fit.block),
        }
    }
    let state = input.dynamic_state.and_then(state_xml);
    let context = input.implicit_context.map(|text| implicit_context(text, notes));
    match input.dynamic_state_placement {
        Placement::LastUser => {
            tail.extend(state.map(|state| {
                // It is about state alone: context may be what a search found.
                let anchor = input.dynamic_state_anchor.then_some(prose::STATE_ANCHOR);
                anchor.map_or_else(|| state.clone(), |anchor| format!("{state}\n\n{anchor}"))
            }));
            tail.extend(context);
        }
        // Without state, context is placed as without this setting.
        Placement::System => match state {
            Some(state) => {
                let mut text = format!("{}\n{state}", prose::STATE_HEADING);
                if let Some(context) = context {
                    text.push('\n');
                    text.push_str(&context);
                }
                output.state_message = Some(text);
            }
            None => tail.extend(context),
        },
    }
    output.tail = with_changes(tail, input.in_sight);
    Ok(output)
}

/// The blocks that say something new after those in sight. Empty ones end what is no longer so.
fn with_changes(blocks: Vec<String>, in_sight: &BlocksInSight) -> Vec<String> {
    let has = |kind| blocks.iter().any(|block| BlockKind::of(block) == Some(kind));
    let mut changed: Vec<String> = Vec::new();
    for (kind, empty) in [
        (BlockKind::Memory, format!("{}</memory>", prose::MEMORY_OPENING)),
        (BlockKind::State, "<dynamic_state></dynamic_state>".to_owned()),
    ] {
        if in_sight.has_kind(kind) && !has(kind) && !in_sight.has(&empty) {
            changed.push(empty);
        }
    }
    changed.extend(blocks.into_iter().filter(|block| !in_sight.has(block)));
    changed
}

/// The state as the model reads it.
pub(super) fn state_xml(state: &RawJson) -> Option<String> {
    let node = json::parse(state.as_str(), json::Limits::default()).ok()?;
    xml::element("dynamic_state", &node)
}

/// Context goes in as it is, but for NUL and for tags of our frames, which are broken up.
fn implicit_context(text: &str, notes: &mut Notes) -> String {
    // The request's own has none: a NUL here is a hook's, and has no place in the request.
    let text = without_nul(text, &Path::Root, notes);
    let broken = tags::without_frames(&text);
    if broken.len() != text.len() {
        notes.warn(
            "closing_tag_broken_up",
            "/implicit_context".to_owned(),
            "the text held a tag of a frame of the payload",
        );
    }
    format!("<implicit_context>\n{broken}\n</implicit_context>")
}

/// Warns of entries of the request that are not shown. Of a store, only the best entries are
/// taken, which is no loss.
fn note_left_out(fit: &memory::MemoryRoom, from_store: bool, notes: &mut Notes) {
    let left_out = fit.shown.iter().filter(|shown| !**shown).count();
    if left_out > 0 && !from_store {
        let detail = format!(
            "{} found no room within max_tokens",
            counted_as(left_out as u64, "entry", "entries")
        );
        notes.warn("memory_left_out", "/memory/entries".to_owned(), detail);
    }
}
