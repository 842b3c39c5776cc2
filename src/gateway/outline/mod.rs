//! The messages of a request, and which of its texts may be edited, with their places in the bytes.

mod anthropic;
mod block_place;
mod chat;
mod gemini;
mod identity;
mod read_tool;
mod responses;
mod summary_request;
mod thinking;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

pub use self::block_place::BlockPlace;
pub(super) use self::identity::Identity;
pub use self::read_tool::ReadTool;
pub use self::thinking::ThinkingPlace;
use super::ProviderEndpoint;
use crate::json::{Node, Value};

/// Bytes of a text that is worth an edit.
pub const MIN_EDIT_BYTES: usize = 256;

/// A text of a request, as a JSON string in the body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestText {
    /// The bytes of the string in the body, with its quotes.
    pub span: Range<usize>,
    pub text: Arc<str>,
}

/// The kind of a group of texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupKind {
    /// The texts of one tool result.
    Result,
    /// A text of the user.
    Words,
}

/// Texts that are edited by the same rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextGroup {
    pub kind: GroupKind,
    /// The tool of a result, if the request has its call.
    pub tool: Option<Arc<str>>,
    /// Whether the texts stay as they are: an error, or the result of a call by a program.
    pub is_fixed: bool,
    /// Whether it is the result of a call by a program, next to which no text of the user may be.
    pub is_of_program: bool,
    pub texts: Vec<RequestText>,
}

/// A message of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutlinedMessage {
    /// The hash of what the message says, whatever marks of caching it has.
    pub hash: [u8; 32],
    /// Whether the model wrote it.
    pub is_of_model: bool,
    pub groups: Vec<TextGroup>,
    /// Where blocks of ours are put; none if they cannot be.
    pub block_place: Option<BlockPlace>,
}

/// The messages of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestOutline {
    pub endpoint: ProviderEndpoint,
    pub model: Option<String>,
    pub messages: Vec<OutlinedMessage>,
    /// Signed thinking in Anthropic's format, in order.
    pub thinking: Vec<ThinkingPlace>,
    /// Whether the client asks for a summary of the conversation, which goes on with another list.
    pub is_summary_request: bool,
    /// Whether the model sees every message of the list, so that one may refer to another.
    pub is_in_sight: bool,
    /// The tool with which the model can read what is shortened, if it has one.
    pub read_tool: Option<ReadTool>,
}

/// Reads texts of a body with their places.
#[derive(Debug, Clone, Copy)]
struct BodyReader<'b> {
    body: &'b str,
}

/// A call that a result belongs to.
#[derive(Debug, Clone)]
struct OutlinedCall {
    tool: Arc<str>,
    /// Whether a program made it, which reads the result.
    is_of_program: bool,
}

/// Calls of the request so far, by their ids.
type Calls<'n> = HashMap<&'n str, OutlinedCall>;

impl RequestOutline {
    /// Reads a request; none if it has no list of messages. `node` must be read from `body`.
    pub fn read(endpoint: ProviderEndpoint, body: &str, node: &Node<'_>) -> Option<Self> {
        let reader = BodyReader { body };
        let mut messages = match endpoint {
            ProviderEndpoint::Messages => anthropic::read(reader, node)?,
            ProviderEndpoint::ChatCompletions => chat::read(reader, node)?,
            ProviderEndpoint::Responses => responses::read(reader, node)?,
            ProviderEndpoint::GenerateContent => gemini::read(reader, node)?,
            ProviderEndpoint::Other => return None,
        };
        block_place::find(endpoint, reader, node, &mut messages);
        let is_cut = node.get("truncation").and_then(Node::as_str) == Some("auto");
        let is_edited = node.get("context_management").is_some_and(takes_messages_out);
        let is_summary_request = summary_request::is_one(node, &messages);
        let model = node.get("model").and_then(Node::as_str).map(str::to_owned);
        let thinking = match endpoint {
            ProviderEndpoint::Messages => anthropic::thinking(reader, node),
            _ => Vec::new(),
        };
        let is_in_sight = !is_cut && !is_edited;
        let read_tool = read_tool::find(node);
        Some(Self {
            endpoint,
            model,
            messages,
            thinking,
            is_summary_request,
            is_in_sight,
            read_tool,
        })
    }

    /// The index of the first of the newest messages: those after the last one of the model.
    pub fn newest(&self) -> usize {
        self.messages.iter().rposition(|message| message.is_of_model).map_or(0, |last| last + 1)
    }
}

impl BodyReader<'_> {
    /// A text with its place; none if the value is no string.
    fn text(self, node: &Node<'_>) -> Option<RequestText> {
        let Value::String(text) = &node.value else { return None };
        Some(RequestText { span: self.span(node)?, text: text.to_shared() })
    }

    /// The bytes of a value in the body.
    fn span(self, node: &Node<'_>) -> Option<Range<usize>> {
        let from = (node.raw.as_ptr() as usize).checked_sub(self.body.as_ptr() as usize)?;
        let span = from..from + node.raw.len();
        // A value of another document has no place here.
        (self.body.get(span.clone()) == Some(node.raw)).then_some(span)
    }

    /// The texts of a value that is a string, or a list of parts with a `text` of these types.
    fn texts(self, node: &Node<'_>, types: &[&str]) -> Vec<RequestText> {
        if let Some(text) = self.text(node) {
            return vec![text];
        }
        let parts = node.as_array().unwrap_or_default().iter();
        let is_text = |part: &&Node<'_>| {
            part.get("type").and_then(Node::as_str).is_some_and(|kind| types.contains(&kind))
        };
        parts.filter(is_text).filter_map(|part| self.text(part.get("text")?)).collect()
    }

    /// A group for each text of the user, since each may be edited by itself.
    fn words(self, node: &Node<'_>, types: &[&str]) -> Vec<TextGroup> {
        let group = |text| TextGroup {
            kind: GroupKind::Words,
            tool: None,
            is_fixed: false,
            is_of_program: false,
            texts: vec![text],
        };
        self.texts(node, types).into_iter().map(group).collect()
    }
}

impl TextGroup {
    /// The group of a result, by the id of its call.
    fn of_result(texts: Vec<RequestText>, call: Option<&OutlinedCall>) -> Self {
        let is_of_program = call.is_some_and(|call| call.is_of_program);
        let tool = call.map(|call| Arc::clone(&call.tool));
        Self { kind: GroupKind::Result, tool, is_fixed: is_of_program, is_of_program, texts }
    }
}

impl OutlinedMessage {
    fn new(node: &Node<'_>, is_of_model: bool, groups: Vec<TextGroup>) -> Self {
        Self { hash: Identity::of(node), is_of_model, groups, block_place: None }
    }

    /// Whether any text of it may be worth an edit.
    pub fn is_editable(&self) -> bool {
        let is_long = |text: &RequestText| text.text.len() >= MIN_EDIT_BYTES;
        self.groups.iter().any(|group| !group.is_fixed && group.texts.iter().any(is_long))
    }
}

/// Whether the provider takes more than thinking out of the list, by the setting of a request.
fn takes_messages_out(management: &Node<'_>) -> bool {
    let edits = management.get("edits").unwrap_or(management).as_array();
    let is_of_thinking = |edit: &Node<'_>| str_of(edit, "type").starts_with("clear_thinking_");
    !management.is_null() && !edits.is_some_and(|edits| edits.iter().all(is_of_thinking))
}

fn str_of<'n>(node: &'n Node<'_>, key: &str) -> &'n str {
    node.get(key).and_then(Node::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests;
