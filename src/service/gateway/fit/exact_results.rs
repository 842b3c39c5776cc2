//! Results of tools that are exact by contract: they are never shortened, and go to one line as a whole,
//! after everything else.

use std::sync::Arc;

use crate::domain::TokenizerName;
use crate::gateway::{
    BodyEdit, GroupKind, Replacement, RequestOutline, TextGroup, is_exact_tool, splice,
};
use crate::pipeline;
use crate::tokenizer::Counter;

/// What stands for the texts of a result after the first one, which has the line.
pub(super) const FURTHER_TEXT: &str = "[…]";

/// The exact results of a message, and the line for each.
#[derive(Debug)]
pub(super) struct ExactMessage<'o> {
    /// The index of the message.
    pub(super) index: usize,
    /// Raw tokens that the lines save.
    pub(super) saved: u64,
    lines: Vec<(&'o TextGroup, Arc<str>)>,
}

/// Whether the results of a group are exact.
pub(super) fn is_exact(group: &TextGroup) -> bool {
    group.kind == GroupKind::Result && group.tool.as_deref().is_some_and(is_exact_tool)
}

/// Finds the messages before `end` whose exact results would be shorter as a line, oldest first.
pub(super) fn find<'o>(
    outline: &'o RequestOutline,
    end: usize,
    counter: &Counter,
    tokenizer: TokenizerName,
) -> Vec<ExactMessage<'o>> {
    let mut found = Vec::new();
    for (index, message) in outline.messages.iter().enumerate().take(end) {
        let mut own = ExactMessage { index, saved: 0, lines: Vec::new() };
        let groups = message.groups.iter().filter(|group| is_exact(group) && !group.is_fixed);
        for group in groups {
            let texts = group.texts.iter().map(|text| &*text.text);
            let before: u64 = texts.clone().map(|text| counter.count(tokenizer, text)).sum();
            let line = pipeline::cleared_result(group.tool.as_deref(), texts);
            let after = counter.count(tokenizer, &line) + group.texts.len() as u64;
            if let Some(saved) = before.checked_sub(after).filter(|saved| *saved > 0) {
                own.saved += saved;
                own.lines.push((group, line.into()));
            }
        }
        if !own.lines.is_empty() {
            found.push(own);
        }
    }
    found
}

/// Returns the body with lines in the place of these results; none if there are none.
pub(super) fn clear(body: &str, cleared: &[ExactMessage<'_>]) -> Option<String> {
    let mut edits = Vec::new();
    for (group, line) in cleared.iter().flat_map(|own| &own.lines) {
        let lines = std::iter::once(&**line).chain(std::iter::repeat(FURTHER_TEXT));
        edits.extend(group.texts.iter().zip(lines).map(|(text, line)| BodyEdit {
            start: text.span.start,
            end: text.span.end,
            replacement: Replacement::Text(line),
        }));
    }
    edits.sort_by_key(|edit| edit.start);
    if edits.is_empty() { None } else { splice(body, &edits) }
}
