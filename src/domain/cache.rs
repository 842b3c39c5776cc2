//! What a conversation tells the cache of its provider: marks on blocks, and members of the request.

use super::{ContentHash, RawJson};

/// How a payload marks the ends of prefixes that the provider shall cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheMarks {
    /// `cache_control` of Anthropic's blocks.
    Blocks,
    /// `prompt_cache_breakpoint` of `OpenAI`'s content parts.
    Breakpoints,
}

impl CacheMarks {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Blocks => "blocks",
            Self::Breakpoints => "breakpoints",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::Blocks, Self::Breakpoints].into_iter().find(|marks| marks.as_str() == text)
    }

    /// The member of a block that is a mark.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Blocks => "cache_control",
            Self::Breakpoints => "prompt_cache_breakpoint",
        }
    }

    /// The word of a lifetime in a mark, if it is not the provider's default.
    pub fn ttl_word(self, ttl: CacheTtl) -> &'static str {
        match (self, ttl) {
            (Self::Blocks, CacheTtl::FiveMinutes) => "5m",
            (Self::Blocks, CacheTtl::OneHour) => "1h",
            (Self::Breakpoints, CacheTtl::FiveMinutes) => "30m",
            (Self::Breakpoints, CacheTtl::OneHour) => "12h",
        }
    }
}

/// A provider cache mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheMark {
    /// `None`: the provider's default.
    pub ttl: Option<CacheTtl>,
    /// The kind of mark that the caller gave.
    pub kind: CacheMarks,
}

impl CacheMark {
    pub const fn block(ttl: Option<CacheTtl>) -> Self {
        Self { ttl, kind: CacheMarks::Blocks }
    }

    pub const fn breakpoint(ttl: Option<CacheTtl>) -> Self {
        Self { ttl, kind: CacheMarks::Breakpoints }
    }
}

/// Time that a provider keeps a cached prefix: the shorter or the longer of the two that it offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheTtl {
    /// Five minutes at Anthropic, thirty at `OpenAI`.
    FiveMinutes,
    /// An hour at Anthropic, twelve at `OpenAI`.
    OneHour,
}

impl CacheTtl {
    pub fn as_str(self) -> &'static str {
        CacheMarks::Blocks.ttl_word(self)
    }

    /// Parses the word of a lifetime in a mark of this kind.
    pub fn parse_in(kind: CacheMarks, text: &str) -> Option<Self> {
        [Self::FiveMinutes, Self::OneHour].into_iter().find(|ttl| kind.ttl_word(*ttl) == text)
    }
}

/// Members of a provider's own request that direct its cache, as the caller gave them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CacheMembers {
    /// `cache_control` of the request: Anthropic itself puts a mark on the last block.
    pub automatic: Option<CacheMark>,
    /// `prompt_cache_key`: `OpenAI` sends requests with the same key to the same cache.
    pub key: Option<RawJson>,
    pub options: Option<BreakpointOptions>,
    /// `prompt_cache_retention` of `OpenAI`'s models before GPT-5.6.
    pub retention: Option<RawJson>,
    /// `cachedContent`: the name of what Gemini has stored.
    pub content: Option<RawJson>,
}

/// `prompt_cache_options`.
#[derive(Debug, Clone, PartialEq)]
pub struct BreakpointOptions {
    pub raw: RawJson,
    /// Whether `OpenAI` sets no mark of its own on the newest message.
    pub is_explicit: bool,
}

/// The key of a session for `prompt_cache_key`: the same for every compile of the session, whoever
/// its tenant is, and it does not show the session's id.
pub fn session_cache_key(session_id: &str) -> String {
    /// Hexadecimal digits of the hash in the key.
    const DIGITS: usize = 32;
    let hash = ContentHash::of(&format!("prompt_cache_key\n{session_id}")).to_string();
    let digits: String = hash.chars().take(DIGITS).collect();
    format!("ctx-{digits}")
}
