//! What the gateway does to a request.

use std::str::FromStr;

use super::word_of;

/// What the gateway does to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GatewayMode {
    /// The request is relayed.
    Off,
    /// Nothing new is edited; what would be is counted.
    Observe,
    /// Tool results take their form on arrival.
    #[default]
    Compress,
    /// The same, and what is older is shortened too once the request is above its budget.
    Fit,
    /// The same, with memory, state and hooks' text after the newest text. Needs a key.
    Session,
}

impl GatewayMode {
    pub const WORDS: &[(&str, Self)] = &[
        ("off", Self::Off),
        ("observe", Self::Observe),
        ("compress", Self::Compress),
        ("fit", Self::Fit),
        ("session", Self::Session),
    ];

    /// Whether new texts are edited.
    pub fn edits(self) -> bool {
        matches!(self, Self::Compress | Self::Fit | Self::Session)
    }

    /// Whether requests are kept within their budget.
    pub fn fits(self) -> bool {
        matches!(self, Self::Fit | Self::Session)
    }

    pub fn as_str(self) -> &'static str {
        word_of(Self::WORDS, self)
    }
}

impl FromStr for GatewayMode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::WORDS.iter().find(|(word, _)| *word == text);
        found.map(|(_, mode)| *mode).ok_or_else(|| {
            let known: Vec<&str> = Self::WORDS.iter().map(|(word, _)| *word).collect();
            let known = known.join(", ");
            format!("`{text}` is not a mode of the gateway: known modes: {known}")
        })
    }
}
