//! Blocks as text, and as messages.

use std::fmt::Write as _;
use std::ops::Range;

use super::blocks::{SUMMARY_KIND, turn_number};
use super::buckets::{Output, PackedBlock, shown_order};
use crate::domain::{Content, MediaSource, Message, Part};
use crate::pipeline::tags;

/// The shown blocks as one text.
pub(super) struct RenderedText {
    pub(super) text: String,
    /// The range of each block in it; none if it is not shown.
    places: Vec<Option<Range<usize>>>,
    /// The end of the text before session and task.
    head: usize,
}

impl RenderedText {
    pub(super) fn new(output: &Output) -> Self {
        let mut own =
            Self { text: String::new(), places: vec![None; output.blocks.len()], head: 0 };
        for bucket in shown_order(output) {
            let kept = |one: &PackedBlock| one.is_kept && one.block.bucket == bucket;
            let blocks = output.blocks.iter().enumerate().filter(|(_, one)| kept(one));
            if &*bucket == "session" {
                let mut turns: Vec<_> = blocks.collect();
                turns.sort_by_key(|(_, one)| {
                    let is_aside = !matches!(&*one.block.kind, "turn" | SUMMARY_KIND);
                    (is_aside, turn_number(&one.block.source))
                });
                for (at, one) in turns {
                    own.add(at, one);
                }
            } else {
                for (at, one) in blocks {
                    own.add(at, one);
                }
            }
            if !matches!(&*bucket, "session" | "task") {
                own.head = own.text.len();
            }
        }
        own
    }

    fn add(&mut self, at: usize, one: &PackedBlock) {
        if !self.text.is_empty() {
            self.text.push_str("\n\n");
        }
        let start = self.text.len();
        wrap(&mut self.text, one);
        if let Some(place) = self.places.get_mut(at) {
            *place = Some(start..self.text.len());
        }
    }

    /// The text before session and task.
    pub(super) fn head(&self) -> &str {
        self.text.get(..self.head).unwrap_or_default()
    }

    /// A block with its wrapper, by its place among the blocks.
    pub(super) fn block(&self, at: usize) -> &str {
        let place = self.places.get(at).cloned().flatten();
        place.and_then(|place| self.text.get(place)).unwrap_or_default()
    }
}

/// Appends a block with its wrapper, which nothing in it can close.
fn wrap(out: &mut String, one: &PackedBlock) {
    let block = &one.block;
    out.reserve(block.text.len() + block.id.len() + block.bucket.len() + 48);
    for part in ["<block id=\"", &block.id, "\" bucket=\"", &block.bucket, "\">\n"] {
        out.push_str(part);
    }
    if block.is_data {
        escape(out, &block.text);
    } else {
        out.push_str(&tags::without_closing(&block.text, "block"));
    }
    out.push_str("\n</block>");
}

fn escape(out: &mut String, text: &str) {
    let mut copied = 0;
    for at in memchr::memchr3_iter(b'&', b'<', b'>', text.as_bytes()) {
        out.push_str(text.get(copied..at).unwrap_or_default());
        copied = at + 1;
        out.push_str(match text.as_bytes().get(at) {
            Some(b'&') => "&amp;",
            Some(b'<') => "&lt;",
            _ => "&gt;",
        });
    }
    out.push_str(text.get(copied..).unwrap_or_default());
}

/// A message's texts, as a block has them.
pub(super) fn message_text(message: &Message) -> String {
    let role = match message.role {
        crate::domain::Role::System => "system",
        crate::domain::Role::User => "user",
        crate::domain::Role::Assistant => "assistant",
        crate::domain::Role::Tool => "tool",
    };
    let mut text = format!("{role}:");
    for part in &message.parts {
        text.push(' ');
        write_part(&mut text, part);
    }
    text
}

/// Writes all that a model reads of a part: text that is in no block would not be counted.
fn write_part(text: &mut String, part: &Part) {
    match &part.content {
        Content::Text(own) => text.push_str(own),
        Content::Thinking(thinking) => text.push_str(&thinking.text),
        Content::ToolCall(call) => {
            let _ = write!(text, "{}({})", call.name, call.arguments);
        }
        Content::ToolResult(result) => {
            result.content.iter().for_each(|part| write_part(text, part));
        }
        Content::Media(media) => match &media.source {
            MediaSource::Text(own) => text.push_str(own),
            _ => {
                let _ = write!(text, "[{}]", media.media_type);
            }
        },
        Content::Opaque { raw, .. } => text.push_str(raw.as_str()),
    }
}
