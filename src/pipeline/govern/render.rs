//! Blocks as text, and as messages.

use std::fmt::Write as _;
use std::sync::Arc;

use super::buckets::{Output, Packed, shown_order};
use crate::domain::{Content, Message, Part};
use crate::pack::Redaction;

/// A block with its wrapper, which nothing in it can close.
pub(super) fn wrapped(one: &Packed) -> String {
    let block = &one.block;
    let text = if block.is_data {
        escaped(&block.text)
    } else {
        block.text.replace("</block", "< /block")
    };
    format!("<block id=\"{}\" bucket=\"{}\">\n{text}\n</block>", block.id, block.bucket)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// What is shown of some buckets.
pub(super) fn text(output: &Output, takes: impl Fn(&str) -> bool) -> String {
    let mut texts = Vec::new();
    for bucket in shown_order(output).into_iter().filter(|name| takes(name)) {
        let mut own: Vec<&Packed> =
            output.blocks.iter().filter(|one| one.is_kept && one.block.bucket == bucket).collect();
        if &*bucket == "session" {
            own.sort_by_key(|one| (one.block.kind != Arc::from("turn"), place(&one.block.source)));
        }
        texts.extend(own.into_iter().map(wrapped));
    }
    texts.join("\n\n")
}

/// The place of a turn, from what its block came from.
pub(super) fn place(source: &str) -> Option<usize> {
    source.strip_prefix("turn:").and_then(|at| at.parse().ok())
}

/// A message's texts, as a block has them.
pub(super) fn spoken(message: &Message) -> String {
    let role = match message.role {
        crate::domain::Role::System => "system",
        crate::domain::Role::User => "user",
        crate::domain::Role::Assistant => "assistant",
        crate::domain::Role::Tool => "tool",
    };
    let mut text = format!("{role}:");
    for part in &message.parts {
        text.push(' ');
        match &part.content {
            Content::Text(own) => text.push_str(own),
            Content::Thinking(thinking) => text.push_str(&thinking.text),
            Content::ToolCall(call) => {
                let _ = write!(text, "{}({})", call.name, call.arguments);
            }
            Content::ToolResult(result) => {
                for own in result.content.iter().filter_map(Part::as_text) {
                    text.push_str(own);
                }
            }
            Content::Media(media) => {
                let _ = write!(text, "[{}]", media.media_type);
            }
            Content::Opaque { kind, .. } => {
                let _ = write!(text, "[{kind}]");
            }
        }
    }
    text
}

/// A message without what rules find in it. Thinking is whole or absent: where they find something
/// in it, it is absent.
pub(super) fn redacted(mut message: Message, redaction: &Redaction) -> Message {
    if redaction.is_empty() {
        return message;
    }
    let clean = |text: &Arc<str>| redaction.apply(text).text.map(Arc::<str>::from);
    message.parts.retain(|part| match &part.content {
        Content::Thinking(thinking) => clean(&thinking.text).is_none(),
        Content::Opaque { raw, .. } => clean(raw.text()).is_none(),
        _ => true,
    });
    for part in &mut message.parts {
        match &mut part.content {
            Content::Text(text) => {
                if let Some(new) = clean(text) {
                    *text = new;
                }
            }
            Content::ToolCall(call) => {
                if let Some(new) = clean(&call.arguments) {
                    let is_json = serde_json::from_str::<serde_json::Value>(&new).is_ok();
                    call.arguments =
                        if is_json || call.custom { new } else { "{\"redacted\":true}".into() };
                }
            }
            Content::ToolResult(result) => {
                for own in &mut result.content {
                    if let Content::Text(text) = &mut own.content
                        && let Some(new) = clean(text)
                    {
                        *text = new;
                    }
                }
            }
            _ => {}
        }
    }
    message
}
