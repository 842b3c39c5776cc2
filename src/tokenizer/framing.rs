//! Tokens that a provider adds around the texts of a payload.

use crate::domain::TokenizerName;

/// Tokens in addition to the texts themselves. The message and reply figures are those `OpenAI`
/// publishes for its chat models; calls, results and tools are not published, and are set to
/// the most that was seen, so that a payload that fits by this account fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Framing {
    /// Around each message: its role and delimiters.
    pub message: u64,
    /// Before a participant's name.
    pub name: u64,
    /// Around each part after the first of a message.
    pub part: u64,
    /// Around a tool call's name and arguments.
    pub call: u64,
    /// Around a tool result.
    pub result: u64,
    /// Around a tool definition.
    pub tool: u64,
    /// Before the model's reply, once a payload.
    pub reply: u64,
}

impl Framing {
    pub fn for_tokenizer(name: TokenizerName) -> Self {
        match name {
            TokenizerName::Bytes4 => {
                Self { message: 0, name: 0, part: 0, call: 0, result: 0, tool: 0, reply: 0 }
            }
            TokenizerName::O200kBase | TokenizerName::Cl100kBase => {
                Self { message: 3, name: 1, part: 1, call: 6, result: 2, tool: 8, reply: 3 }
            }
        }
    }
}
