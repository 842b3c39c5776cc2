//! Messages in neutral shape: what every provider's conversation is read into.

use std::sync::Arc;

use super::{CacheMark, RawJson};

/// The role of a message. `developer` is [`Role::System`] with its own word kept in
/// [`Message::role_word`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    System,
    User,
    Assistant,
    Tool,
}

/// An entry of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// The client's own id, if it sent one.
    pub id: Option<Arc<str>>,
    pub role: Role,
    /// The source's word for the role if it is more specific (`developer`).
    pub role_word: Option<&'static str>,
    /// Participant name.
    pub name: Option<Arc<str>>,
    pub parts: Vec<Part>,
    /// Uninterpreted fields of the source; they reach only targets that keep them.
    pub extra: Extra,
    /// Index in the list that the message was read from; `None` for messages that the service adds.
    pub origin: Option<usize>,
    /// Whether a system message keeps its place for a target that has its system text before all
    /// messages. Decided last: it depends on the messages next to it.
    pub stays: bool,
}

/// Uninterpreted members of an object, in their order.
pub type Extra = Vec<(Arc<str>, RawJson)>;

impl Message {
    /// A message made by this service, without origin.
    pub fn new(role: Role, parts: Vec<Part>) -> Self {
        Self {
            id: None,
            role,
            role_word: None,
            name: None,
            parts,
            extra: Extra::new(),
            origin: None,
            stays: false,
        }
    }

    /// Whether it is written before all messages if the target has its system text there.
    pub fn is_hoisted(&self) -> bool {
        self.role == Role::System && !self.stays
    }

    /// A message made by this service, with one text.
    pub fn text(role: Role, text: impl Into<Arc<str>>) -> Self {
        Self::new(role, vec![Part::text(text)])
    }

    /// The tool calls in it, in order.
    pub fn tool_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.parts.iter().filter_map(|part| match &part.content {
            Content::ToolCall(call) => Some(call),
            _ => None,
        })
    }

    pub fn tool_results(&self) -> impl Iterator<Item = &ToolResult> {
        self.parts.iter().filter_map(|part| match &part.content {
            Content::ToolResult(result) => Some(result),
            _ => None,
        })
    }

    pub fn has_tool_calls(&self) -> bool {
        self.tool_calls().next().is_some()
    }
}

/// A piece of a message.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    pub content: Content,
    /// The client's own cache mark on this part.
    pub cache: Option<CacheMark>,
    /// The provider's signature of this part (Anthropic thinking, Gemini thought signatures). Only
    /// the provider that signed it can read it.
    pub signature: Option<Arc<str>>,
    /// Uninterpreted fields (`citations`, `annotations`, `detail`, …).
    pub extra: Extra,
}

impl Part {
    pub fn new(content: Content) -> Self {
        Self { content, cache: None, signature: None, extra: Extra::new() }
    }

    pub fn text(text: impl Into<Arc<str>>) -> Self {
        Self::new(Content::Text(text.into()))
    }

    pub fn as_text(&self) -> Option<&Arc<str>> {
        match &self.content {
            Content::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// The content of a part.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    Text(Arc<str>),
    Thinking(Thinking),
    ToolCall(ToolCall),
    ToolResult(ToolResult),
    Media(Media),
    /// An item of the source's own that no other provider knows (`web_search_call`,
    /// `server_tool_use`, …), whole. `kind` is its `type`.
    Opaque {
        kind: Arc<str>,
        raw: RawJson,
    },
}

/// A model's reasoning. Whole or absent, never edited.
#[derive(Debug, Clone, PartialEq)]
pub struct Thinking {
    /// Its readable text; may be empty.
    pub text: Arc<str>,
    /// The provider's own item, unchanged, if the reasoning is encrypted, redacted, or an item of
    /// its own. It is what that provider gets back.
    pub opaque: Option<RawJson>,
}

/// A call of a tool by the model.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// Distinct within a conversation after ingest.
    pub id: Arc<str>,
    pub name: Arc<str>,
    /// The arguments' text: a JSON object, unless `custom`, or kept raw by the caller's wish.
    pub arguments: Arc<str>,
    /// A free-form call (`OpenAI`'s custom tools): `arguments` is plain text.
    pub custom: bool,
}

/// The result of a tool. Contains text, media and opaque parts only.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolResult {
    pub call_id: Arc<str>,
    /// The tool's name, if the source or the call has it.
    pub name: Option<Arc<str>>,
    pub content: Vec<Part>,
    pub is_error: Option<bool>,
}

/// An image, a sound, a document.
#[derive(Debug, Clone, PartialEq)]
pub struct Media {
    /// `image/png`; `image/*` or `*/*` if the source does not specify it.
    pub media_type: Arc<str>,
    pub source: MediaSource,
    pub name: Option<Arc<str>>,
}

impl Media {
    pub fn is_image(&self) -> bool {
        self.media_type.get(..6).is_some_and(|head| head.eq_ignore_ascii_case("image/"))
    }

    pub fn is_audio(&self) -> bool {
        self.media_type.get(..6).is_some_and(|head| head.eq_ignore_ascii_case("audio/"))
    }

    pub fn is_video(&self) -> bool {
        self.media_type.get(..6).is_some_and(|head| head.eq_ignore_ascii_case("video/"))
    }
}

/// The bytes of a [`Media`], or where they are. One canonical form: base64 never has a `data:`
/// prefix.
#[derive(Debug, Clone, PartialEq)]
pub enum MediaSource {
    Base64(Arc<str>),
    /// `https:`, `gs:` and the like.
    Url(Arc<str>),
    /// A file that the provider already has.
    FileId(Arc<str>),
    /// A document given as plain text.
    Text(Arc<str>),
}

/// A tool result before and after the hooks at `tool_result`.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplacedResult {
    pub old: ToolResult,
    pub new: ToolResult,
}
