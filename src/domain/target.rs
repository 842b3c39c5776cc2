//! The shapes of conversations that are read and written.

use super::word_of;

/// The shape of the conversation in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    Openai,
    OpenaiResponses,
    Anthropic,
    Gemini,
    Neutral,
}

/// The shape of the payload to produce.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Target {
    Openai,
    OpenaiResponses,
    Anthropic,
    Gemini,
    Neutral,
}

impl Source {
    /// The words of requests and reports.
    pub const WORDS: &[(&str, Self)] = &[
        ("openai", Self::Openai),
        ("openai_responses", Self::OpenaiResponses),
        ("anthropic", Self::Anthropic),
        ("gemini", Self::Gemini),
        ("neutral", Self::Neutral),
    ];

    pub fn as_str(self) -> &'static str {
        word_of(Self::WORDS, self)
    }

    /// The keys that may contain the list of messages of a request.
    pub const LIST_KEYS: [&str; 3] = ["messages", "contents", "input"];

    /// The key under which a request of this shape keeps its messages.
    pub fn list_key(self) -> &'static str {
        match self {
            Self::Openai | Self::Anthropic | Self::Neutral => "messages",
            Self::OpenaiResponses => "input",
            Self::Gemini => "contents",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(word, _)| *word == text).map(|(_, source)| *source)
    }
}

impl Target {
    /// The words of requests and reports.
    pub const WORDS: &[(&str, Self)] = &[
        ("openai", Self::Openai),
        ("openai_responses", Self::OpenaiResponses),
        ("anthropic", Self::Anthropic),
        ("gemini", Self::Gemini),
        ("neutral", Self::Neutral),
    ];

    pub fn as_str(self) -> &'static str {
        word_of(Self::WORDS, self)
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(word, _)| *word == text).map(|(_, target)| *target)
    }

    /// Whether items that this source signed or keeps for itself can go back to this target.
    pub fn reads_items_of(self, source: Source) -> bool {
        Source::from(self) == source || self == Self::Neutral
    }
}

/// The shape that a target's payload is in.
impl From<Target> for Source {
    fn from(target: Target) -> Self {
        match target {
            Target::Openai => Self::Openai,
            Target::OpenaiResponses => Self::OpenaiResponses,
            Target::Anthropic => Self::Anthropic,
            Target::Gemini => Self::Gemini,
            Target::Neutral => Self::Neutral,
        }
    }
}

/// The shape for returning a conversation to its source.
impl From<Source> for Target {
    fn from(source: Source) -> Self {
        match source {
            Source::Openai => Self::Openai,
            Source::OpenaiResponses => Self::OpenaiResponses,
            Source::Anthropic => Self::Anthropic,
            Source::Gemini => Self::Gemini,
            Source::Neutral => Self::Neutral,
        }
    }
}
