//! The shapes of conversations that are read and written.

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
    pub const ALL: &[Self] =
        &[Self::Openai, Self::OpenaiResponses, Self::Anthropic, Self::Gemini, Self::Neutral];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Openai => "openai",
            Self::OpenaiResponses => "openai_responses",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Neutral => "neutral",
        }
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
        Self::ALL.iter().copied().find(|source| source.as_str() == text)
    }
}

impl Target {
    pub const ALL: &[Self] =
        &[Self::Openai, Self::OpenaiResponses, Self::Anthropic, Self::Gemini, Self::Neutral];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Openai => "openai",
            Self::OpenaiResponses => "openai_responses",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Neutral => "neutral",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|target| target.as_str() == text)
    }

    /// Whether items that this source signed or keeps for itself can go back to this target.
    pub fn reads_items_of(self, source: Source) -> bool {
        self.as_str() == source.as_str() || self == Self::Neutral
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
