//! Counts messages as the target's payload will hold them.

use std::sync::Arc;

use super::pdf_pages::count_pages;
use super::{Deadline, StopReason};
use crate::domain::{
    Content, Conversation, Media, MediaSource, Message, Part, RawJson, Role, Target, TokenizerName,
    ToolDefinition,
};
use crate::json;
use crate::provider::{COMPACTION, is_turn_scoped};
use crate::tokenizer::{Counter, Framing};

/// Raw tokens of an image; providers charge by size, which only they know for certain.
const IMAGE_TOKENS: u64 = 1_100;
/// Raw tokens of a page of a PDF for all providers but Gemini.
pub(super) const PAGE_TOKENS: u64 = 1_500;
/// Raw tokens of a sound, a file or a document that is only referred to.
const DOCUMENT_TOKENS: u64 = 2_000;
/// Bytes of an embedded document to a raw token: about 1,500 tokens to a page of 40 KB.
const DOCUMENT_BYTES_PER_TOKEN: u64 = 27;

/// Bytes from which a string inside an opaque item can be a medium.
const MIN_BLOB_BYTES: usize = 1_024;

/// Finds the media inside an item's JSON text: data URIs, and base64 under the keys that providers
/// use for the bytes of media. Encrypted values are no media.
fn blobs(text: &str) -> Vec<(usize, usize)> {
    const BLOB_KEYS: &[&str] = &["result", "data", "image_data", "b64_json", "partial_image_b64"];
    let mut found = Vec::new();
    let Ok(root) = json::parse(text, json::Limits::default()) else { return found };
    let start = text.as_ptr() as usize;
    let mut nodes = vec![("", &root)];
    while let Some((key, node)) = nodes.pop() {
        match &node.value {
            json::Value::Array(items) => nodes.extend(items.iter().map(|item| (key, item))),
            json::Value::Object(members) => {
                nodes.extend(members.iter().map(|(key, node)| (key.as_ref(), node)));
            }
            json::Value::String(value) if value.len() >= MIN_BLOB_BYTES => {
                let is_data =
                    value.starts_with("data:") || (BLOB_KEYS.contains(&key) && is_base64(value));
                if is_data {
                    let at = node.raw.as_ptr() as usize - start;
                    found.push((at, at + node.raw.len()));
                }
            }
            _ => {}
        }
    }
    found.sort_unstable();
    found
}

fn is_base64(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='))
}

/// Bytes of an encrypted value that are no reasoning, and bytes of the rest to a raw token: the
/// estimate of `OpenAI`'s own client for its encrypted reasoning, which no provider publishes a count
/// of. `estimate_reasoning_length` in <https://github.com/openai/codex>.
const SEALED_ENVELOPE_BYTES: u64 = 650;
const SEALED_BYTES_PER_TOKEN: u64 = 4;

/// Raw tokens of reasoning that is encrypted in `base64` bytes of text.
fn sealed_tokens(base64: usize) -> u64 {
    let bytes = base64 as u64 * 3 / 4;
    bytes.saturating_sub(SEALED_ENVELOPE_BYTES).div_ceil(SEALED_BYTES_PER_TOKEN)
}

/// The type of an output of `OpenAI`'s computer, which is an image.
const SCREENSHOT: &str = "\"computer_screenshot\"";

/// Members of items that hold encrypted text.
const SEALED_KEYS: &[&str] = &["encrypted_content", "data", "signature"];

/// Raw tokens of a message or a part: before the model's factor.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Cost {
    pub(super) text: u64,
    /// Media, as exactly as can be estimated.
    pub(super) media: u64,
    /// Media by kind alone: sizes of media never move a compaction point.
    pub(super) media_flat: u64,
    /// Text that its provider leaves out again after the turn. It never moves a compaction point,
    /// since it is gone later.
    pub(super) scoped: u64,
    /// Whether a part of `text` is estimated.
    pub(super) is_estimate: bool,
}

impl Cost {
    /// Tokens that count against the budget.
    pub(super) fn real(self) -> u64 {
        self.text + self.media + self.scoped
    }

    /// Whether any of it is estimated: media, and what is encrypted.
    pub(super) fn is_estimated(self) -> bool {
        self.is_estimate || self.media > 0
    }

    /// Tokens that count when compaction points are replayed.
    pub(super) fn flat(self) -> u64 {
        self.text + self.media_flat
    }
}

/// Raw tokens saved; negative if more are taken.
pub(super) fn saved(before: u64, after: u64) -> i64 {
    i64::try_from(before).unwrap_or(i64::MAX) - i64::try_from(after).unwrap_or(i64::MAX)
}

impl std::ops::AddAssign for Cost {
    fn add_assign(&mut self, other: Self) {
        self.text += other.text;
        self.media += other.media;
        self.media_flat += other.media_flat;
        self.scoped += other.scoped;
        self.is_estimate |= other.is_estimate;
    }
}

/// The source of a text in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextSource {
    /// A tool's.
    Result,
    /// The message's own.
    Own,
}

/// Counts for one target and tokenizer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Meter<'c> {
    counter: &'c Counter,
    name: TokenizerName,
    framing: Framing,
    target: Target,
    deadline: &'c Deadline,
}

impl<'c> Meter<'c> {
    pub(super) fn new(
        counter: &'c Counter,
        name: TokenizerName,
        target: Target,
        deadline: &'c Deadline,
    ) -> Self {
        Self { counter, name, framing: Framing::for_tokenizer(name), target, deadline }
    }

    pub(super) fn deadline(&self) -> &'c Deadline {
        self.deadline
    }

    pub(super) fn counter(&self) -> &'c Counter {
        self.counter
    }

    pub(super) fn tokenizer(&self) -> TokenizerName {
        self.name
    }

    /// Whether the compile may go on.
    pub(super) fn check(&self) -> Result<(), StopReason> {
        self.deadline.check()
    }

    /// Raw tokens of the framing before the reply, once for each payload.
    pub(super) fn reply(&self) -> u64 {
        self.framing.reply
    }

    pub(super) fn text(&self, text: &str) -> Result<u64, StopReason> {
        let mut stopped = None;
        let tokens = self.counter.count_while(self.name, text, &mut || {
            stopped = self.deadline.check().err();
            stopped.is_none()
        });
        tokens.ok_or_else(|| stopped.unwrap_or(StopReason::Cancelled))
    }

    /// Raw tokens of a message, its framing included.
    pub(super) fn message(&self, message: &Message) -> Result<Cost, StopReason> {
        self.message_by(message, &mut |_, text| self.text(text))
    }

    /// As [`Self::message`], with `known` returning the tokens of each text, in order.
    pub(super) fn message_by(
        &self,
        message: &Message,
        known: &mut dyn FnMut(TextSource, &str) -> Result<u64, StopReason>,
    ) -> Result<Cost, StopReason> {
        let mut cost = Cost { text: self.framing.message, ..Cost::default() };
        if let Some(name) = &message.name {
            cost.text += self.framing.name + self.text(name)?;
        }
        cost.text += self.extra(message.extra.iter())?;
        for (index, part) in message.parts.iter().enumerate() {
            // A text after results is a message of the user's when the payload is read again.
            let is_message = message.role == Role::Tool && matches!(part.content, Content::Text(_));
            cost.text += match index {
                0 => 0,
                _ if is_message => self.framing.message,
                _ => self.framing.part,
            };
            cost += self.part(part, known)?;
        }
        if is_turn_scoped(message) {
            (cost.text, cost.scoped) = (0, cost.text);
        }
        Ok(cost)
    }

    fn part(
        &self,
        part: &Part,
        known: &mut dyn FnMut(TextSource, &str) -> Result<u64, StopReason>,
    ) -> Result<Cost, StopReason> {
        let mut cost = Cost::default();
        match &part.content {
            Content::Text(text) => cost.text = known(TextSource::Own, text)?,
            Content::Thinking(thinking) => {
                cost = match (&thinking.opaque, &part.signature) {
                    (Some(raw), _) => self.sealed(raw)?,
                    // The signature of thinking that is not shown holds it.
                    (None, Some(signature)) if thinking.text.trim().is_empty() => {
                        Cost { text: sealed_tokens(signature.len()), is_estimate: true, ..cost }
                    }
                    (None, _) => Cost { text: self.text(&thinking.text)?, ..cost },
                };
            }
            Content::ToolCall(call) => {
                cost.text =
                    self.framing.call + self.text(&call.name)? + self.text(&call.arguments)?;
            }
            Content::ToolResult(result) => {
                cost.text = self.framing.result;
                // Gemini's responses repeat the tool's name.
                if let (Some(name), Target::Gemini) = (&result.name, self.target) {
                    cost.text += self.framing.name + self.text(name)?;
                }
                for (index, inner) in result.content.iter().enumerate() {
                    if index > 0 {
                        cost.text += self.framing.part;
                    }
                    cost += match &inner.content {
                        Content::Text(text) => {
                            let extra = self.extra(inner.extra.iter())?;
                            Cost {
                                text: known(TextSource::Result, text)? + extra,
                                ..Cost::default()
                            }
                        }
                        _ => self.part(inner, known)?,
                    };
                }
            }
            Content::Media(media) => cost = self.media(media)?,
            Content::Opaque { kind, raw } if **kind == *COMPACTION => cost = self.sealed(raw)?,
            Content::Opaque { raw, .. } => cost = self.opaque(raw)?,
        }
        // How closely a model looks at an image is no text that it reads.
        let is_medium = matches!(part.content, Content::Media(_));
        let read = part.extra.iter().filter(|(name, _)| !is_medium || &**name != "detail");
        cost.text += self.extra(read)?;
        Ok(cost)
    }

    fn extra<'e>(
        &self,
        mut extra: impl Iterator<Item = &'e (Arc<str>, RawJson)>,
    ) -> Result<u64, StopReason> {
        extra
            .try_fold(0, |sum, (name, raw)| Ok(sum + self.text(name)? + self.text(raw.as_str())?))
    }

    /// Counts an item that is passed through: its JSON text, except for images and the like inside
    /// it, which count as media anywhere.
    fn opaque(&self, raw: &RawJson) -> Result<Cost, StopReason> {
        let text = raw.as_str();
        let blobs = if text.len() < MIN_BLOB_BYTES { Vec::new() } else { blobs(text) };
        let mut cost = Cost::default();
        let mut from = 0;
        for (start, end) in blobs {
            cost.text += self.text(text.get(from..start).unwrap_or_default())?;
            cost.media += IMAGE_TOKENS;
            cost.media_flat += IMAGE_TOKENS;
            from = end;
        }
        cost.text += self.text(text.get(from..).unwrap_or_default())?;
        // At an address, in a file, or so small that it was not found.
        if cost.media == 0 && text.contains(SCREENSHOT) {
            cost.media += IMAGE_TOKENS;
            cost.media_flat += IMAGE_TOKENS;
        }
        Ok(cost)
    }

    /// Counts an item of reasoning: its readable texts, and an estimate of what is encrypted in it,
    /// whose bytes say nothing about its tokens.
    fn sealed(&self, raw: &RawJson) -> Result<Cost, StopReason> {
        let Ok(node) = json::parse(raw.as_str(), json::Limits::default()) else {
            return self.opaque(raw);
        };
        let mut cost = Cost::default();
        let is_sealed = |name: &str, value: &json::Node<'_>| {
            SEALED_KEYS.contains(&name) && value.as_str().is_some_and(|text| !text.is_empty())
        };
        let sealed = node.as_object().into_iter().flatten();
        for (_, value) in sealed.filter(|(name, value)| is_sealed(name, value)) {
            cost.text += sealed_tokens(value.as_str().map_or(0, str::len));
            cost.is_estimate = true;
        }
        let readable = json::without_members(&node, is_sealed);
        cost.text += self.text(readable.as_deref().unwrap_or(raw.as_str()))?;
        Ok(cost)
    }

    fn media(&self, media: &Media) -> Result<Cost, StopReason> {
        let mut cost = Cost::default();
        if let Some(name) = &media.name {
            cost.text += self.text(name)?;
        }
        let flat = if media.is_image() { IMAGE_TOKENS } else { DOCUMENT_TOKENS };
        cost.media_flat = flat;
        cost.media = match &media.source {
            MediaSource::Text(text) => {
                cost.media_flat = 0;
                cost.text += self.text(text)?;
                0
            }
            MediaSource::Base64(data) if !media.is_image() => {
                let by_bytes = data.len() as u64 * 3 / 4 / DOCUMENT_BYTES_PER_TOKEN;
                let is_pdf = &*media.media_type == "application/pdf";
                let pages = if is_pdf { count_pages(data) } else { 0 };
                flat.max(by_bytes).max(pages * self.page_tokens())
            }
            MediaSource::Url(url) => {
                cost.text += self.text(url)?;
                flat
            }
            _ => flat,
        };
        Ok(cost)
    }

    /// Raw tokens of a page of a PDF. Gemini takes each as an image, the others as an image with its
    /// text: <https://ai.google.dev/gemini-api/docs/document-processing>,
    /// <https://platform.claude.com/docs/en/build-with-claude/pdf-support>.
    fn page_tokens(&self) -> u64 {
        if self.target == Target::Gemini { 258 } else { PAGE_TOKENS }
    }

    /// Raw tokens of a conversation, without the framing before the reply.
    pub(super) fn conversation(&self, conversation: &Conversation) -> Result<u64, StopReason> {
        let messages = conversation.system.iter().chain(&conversation.history);
        let messages = messages.map(|message| self.message(message).map(Cost::real));
        messages.chain([self.tools(&conversation.tools)]).sum()
    }

    /// Raw tokens of the tool definitions.
    pub(super) fn tools(&self, tools: &[ToolDefinition]) -> Result<u64, StopReason> {
        let mut tokens = 0;
        for tool in tools {
            tokens += self.tool(tool)?;
        }
        Ok(tokens)
    }

    /// Raw tokens of one of them.
    pub(super) fn tool(&self, tool: &ToolDefinition) -> Result<u64, StopReason> {
        if tool.is_deferred() {
            return Ok(0);
        }
        let mut tokens = self.framing.tool;
        if let Some(raw) = &tool.opaque {
            return Ok(tokens + self.text(raw.as_str())?);
        }
        tokens += self.text(&tool.name)?;
        if let Some(description) = &tool.description {
            tokens += self.text(description)?;
        }
        for raw in tool.parameters.iter().chain(tool.extra.iter().map(|(_, raw)| raw)) {
            tokens += self.text(raw.as_str())?;
        }
        Ok(tokens)
    }
}
