//! Removes blocks of ours that a caller sent back with the messages of a payload, so that the
//! current blocks are there once.
//!
//! Each of them ends a text of the user's or of the system, or is all of it. Only a text with the
//! exact words at both ends is taken for one.

use super::prose::{self, BLOCK_SEPARATOR};
use crate::domain::{Content, Conversation, Message, Notes, Part, Role};

/// The use of blocks that come back in messages of the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReturnedBlocks {
    TakeOut,
    /// For models that bind thinking to what is before it.
    Leave,
}

/// Removes blocks of an earlier payload from a conversation: those that this compile may add, and
/// the instructions of its skill.
pub(super) fn take_out(
    conversation: &mut Conversation,
    skill: Option<&str>,
    returned: ReturnedBlocks,
    notes: &mut Notes,
) {
    let list = conversation.source.list_key();
    let skill = skill.filter(|text| !text.trim().is_empty());
    let mut stays = |message: &mut Message| {
        if !without(message, skill) {
            return true;
        }
        let pointer =
            message.origin.map_or_else(|| format!("/{list}"), |at| format!("/{list}/{at}"));
        let detail = "the text that an earlier payload had there is left out";
        notes.repaired("own_block_returned", pointer, detail);
        !message.parts.is_empty()
    };
    conversation.system.retain_mut(&mut stays);
    if returned == ReturnedBlocks::TakeOut {
        conversation.history.retain_mut(stays);
    }
}

/// Removes blocks from a message; returns whether there were any.
fn without(message: &mut Message, skill: Option<&str>) -> bool {
    if message.role == Role::Assistant {
        return false;
    }
    let skill = skill.filter(|_| message.role == Role::System);
    let mut had = false;
    message.parts.retain_mut(|part| {
        let Part { content: Content::Text(text), .. } = part else { return true };
        let rest = rest(text, skill);
        if rest.len() == text.len() {
            return true;
        }
        had = true;
        let is_left = !rest.is_empty();
        *text = rest.into();
        is_left
    });
    had
}

/// The text before the blocks at its end.
fn rest<'t>(text: &'t str, skill: Option<&str>) -> &'t str {
    let before_skill = |text: &'t str| parted(text.strip_suffix(skill?)?);
    let mut rest = text;
    while let Some(before) = before_block(rest).or_else(|| before_skill(rest)) {
        rest = before;
    }
    rest
}

/// The blocks at the end of a text of the user's, in their order.
pub(super) fn blocks(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(before) = before_block(rest) {
        found.extend(
            rest.get(before.len()..)
                .map(|block| block.strip_prefix(BLOCK_SEPARATOR).unwrap_or(block)),
        );
        rest = before;
    }
    found.reverse();
    found
}

/// The text before the last block; none if it does not end in a block.
fn before_block(text: &str) -> Option<&str> {
    // Most texts end in no tag and in no sentence of ours.
    for instruction in [prose::MEMORY_INSTRUCTION, prose::SESSION_MEMORY_INSTRUCTION] {
        if let Some(before) = text.strip_suffix(instruction) {
            return parted(before);
        }
    }
    for anchor in [prose::STATE_ANCHOR, prose::EARLIER_STATE_ANCHOR] {
        if let Some(before) = text.strip_suffix(anchor) {
            return before_state(before.strip_suffix(BLOCK_SEPARATOR)?);
        }
    }
    if !text.ends_with('>') {
        return None;
    }
    prose::ANSWER_NOTES
        .iter()
        .find_map(|(opening, closing)| before_frame(text, opening, closing))
        .or_else(|| before_frame(text, prose::MEMORY_OPENING, "</memory>"))
        .or_else(|| {
            // In a system message state is below its heading, context a line further down.
            let state = before_frame_at("\n", text, CONTEXT_TAGS.0, CONTEXT_TAGS.1).unwrap_or(text);
            parted(before_element(state)?.strip_suffix('\n')?.strip_suffix(prose::STATE_HEADING)?)
        })
        .or_else(|| before_frame(text, CONTEXT_TAGS.0, CONTEXT_TAGS.1))
        .or_else(|| before_bare_state(text))
}

const CONTEXT_TAGS: (&str, &str) = ("<implicit_context>\n", "\n</implicit_context>");

/// The text before the state and the context of a tail, at least one of them.
fn before_state(text: &str) -> Option<&str> {
    let state = before_frame(text, CONTEXT_TAGS.0, CONTEXT_TAGS.1);
    before_element(state.unwrap_or(text)).and_then(parted).or(state)
}

/// The text before a state that no sentence follows.
fn before_bare_state(text: &str) -> Option<&str> {
    let before = before_element(text)?;
    let state = text.get(before.len()..)?;
    state.strip_prefix("<dynamic_state>\n").and_then(|_| parted(before))
}

/// The text before the state at its end. The state may have elements of its own name.
fn before_element(text: &str) -> Option<&str> {
    const NAME: &str = "dynamic_state>";
    let mut open = 0_usize;
    let mut before = text.strip_suffix("</dynamic_state>").map(|_| text)?;
    loop {
        before = before.get(..before.rfind(NAME)?)?;
        if before.ends_with("</") {
            open += 1;
        } else if let Some(before) = before.strip_suffix('<') {
            open = open.saturating_sub(1);
            if open == 0 {
                return Some(before);
            }
        }
    }
}

/// The text before a block between two tags at its end.
fn before_frame<'t>(text: &'t str, opening: &str, closing: &str) -> Option<&'t str> {
    before_frame_at(BLOCK_SEPARATOR, text, opening, closing)
}

/// The same for a block with another separator. Nothing in a block closes it, so it begins after
/// the last closing tag before its own.
fn before_frame_at<'t>(
    between: &str,
    text: &'t str,
    opening: &str,
    closing: &str,
) -> Option<&'t str> {
    let inside = text.strip_suffix(closing)?;
    let earlier = inside.rfind(closing.trim_start()).map_or(0, |at| at + 1);
    let mut from = earlier;
    while let Some(at) = inside.get(from..)?.find(opening).map(|at| from + at) {
        let before = inside.get(..at)?;
        if before.is_empty() {
            return Some(before);
        }
        if let Some(before) = before.strip_suffix(between) {
            return Some(before);
        }
        from = at + opening.len();
    }
    None
}

/// A text without the separator of a block after it.
fn parted(before: &str) -> Option<&str> {
    if before.is_empty() { Some(before) } else { before.strip_suffix(BLOCK_SEPARATOR) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> &str {
        rest(text, Some("Use the skill."))
    }

    #[test]
    fn what_a_payload_ends_with_is_taken_out() {
        let state = "<dynamic_state>\n  <step>\n  <dynamic_state>2</dynamic_state>\n</step>\n</dynamic_state>";
        let context = "<implicit_context>\na\n\n<implicit_context>\nb\n</implicit_context>";
        let memory = format!("{}<entry key=\"a\">b</entry>\n</memory>", prose::MEMORY_OPENING);
        let (anchor, earlier) = (prose::STATE_ANCHOR, prose::EARLIER_STATE_ANCHOR);
        let heading = prose::STATE_HEADING;
        let (instruction, tag) = (prose::MEMORY_INSTRUCTION, prose::output_tag("answer"));
        let prefill = prose::prefill("{\"a\": \"</b>");
        for block in [
            format!("{memory}\n\n{state}\n\n{anchor}\n\n{context}\n\n{prefill}"),
            format!("{memory}\n\n{state}\n\n{context}\n\n{earlier}\n\n{prefill}"),
            format!("{state}\n\n{anchor}"),
            format!("{state}\n\n{context}"),
            format!("{context}\n\n{earlier}"),
            context.to_owned(),
            state.to_owned(),
            memory.clone(),
            format!("{instruction}\n\n{memory}"),
            format!("{}\n\n{memory}", prose::SESSION_MEMORY_INSTRUCTION),
            format!("Use the skill.\n\n{instruction}"),
            format!("{heading}\n{state}\n{context}\n\n{tag}\n\n{prefill}"),
            format!("{heading}\n{state}"),
            tag,
        ] {
            assert_eq!(of(&block), "", "{block}");
            assert_eq!(of(&format!("Do it.\n\n{block}")), "Do it.", "{block}");
            assert_eq!(of(&format!("Do it.\n\n{block}\n\n{block}")), "Do it.", "{block}");
            // A text after a block, or right before it, is the caller's own.
            for own in [format!("{block} Why?"), format!("Do it. {block}")] {
                assert!(of(&own).len() > 6, "{own}");
            }
        }
    }

    #[test]
    fn what_others_wrote_stays() {
        for text in [
            "",
            "What does <memory> mean?</memory>",
            "<memory>\nmine\n</memory>",
            "<dynamic_state>1</dynamic_state>",
            "</implicit_context>",
            "Use the skill.!",
            prose::STATE_HEADING,
        ] {
            assert_eq!(of(text), text);
        }
        let anchored = format!("Say this: {}", prose::STATE_ANCHOR);
        assert_eq!(of(&anchored), anchored);
    }

    #[test]
    fn a_text_of_many_blocks_is_read_in_linear_time() {
        let block = format!("\n\n<dynamic_state>1</dynamic_state>\n\n{}", prose::STATE_ANCHOR);
        let text = format!("x{}", block.repeat(40_000));
        assert_eq!(of(&text), "x");
        let open = format!("{}</memory>", prose::MEMORY_OPENING.repeat(40_000));
        assert_eq!(of(&open), "");
    }
}
