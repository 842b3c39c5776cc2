//! A request for a summary, for hooks as JSON and for a model as texts.

use super::prose;
use crate::domain::{Content, Message, PromptMessage, Role};

/// Bytes of one text that a model is given whole; of a longer one, so many of both ends.
const MAX_TEXT_BYTES: usize = 16 << 10;
const TEXT_HEAD_BYTES: usize = 12 << 10;
const TEXT_TAIL_BYTES: usize = 3 << 10;

/// A request for a summary.
#[derive(Debug, Clone, Copy)]
pub struct SummaryAsk<'a> {
    /// The input of hooks, as JSON text.
    pub input: &'a str,
    pub max_tokens: u64,
    /// Whether it is one text that is to be shorter, and no conversation.
    pub(super) is_prose: bool,
    pub(super) messages: &'a [Message],
    pub(super) instructions: Option<&'a str>,
    pub(super) material: Option<&'a str>,
}

impl SummaryAsk<'_> {
    /// Bytes of what is to be summarised.
    pub fn bytes(&self) -> usize {
        let texts = self.messages.iter().filter_map(flat);
        texts.map(|chat| chat.text.len()).sum()
    }

    /// The same for a model that speaks in plain texts: the messages in their order, then what is
    /// wanted. The messages take at most so many bytes; what is too much is left out of their
    /// middle.
    pub fn prompt(&self, most: usize) -> Vec<PromptMessage> {
        let mut prompt = bounded(self.messages.iter().filter_map(flat).collect(), most);
        if self.is_prose {
            let text = prose::shorter_text(self.max_tokens);
            prompt.push(PromptMessage { role: Role::User, text });
            return prompt;
        }
        let mut text = prose::hand_over(self.max_tokens);
        for (heading, more) in
            [("Additional instructions", self.instructions), ("Material for it", self.material)]
        {
            if let Some(more) = more.filter(|more| !more.trim().is_empty()) {
                text.push_str("\n\n");
                text.push_str(heading);
                text.push_str(":\n");
                text.push_str(more.trim());
            }
        }
        prompt.push(PromptMessage { role: Role::User, text });
        prompt
    }
}

/// A message as a plain text.
fn flat(message: &Message) -> Option<PromptMessage> {
    let mut lines: Vec<String> = Vec::new();
    for part in &message.parts {
        match &part.content {
            Content::ToolCall(call) => {
                lines.push(format!("[Called tool: {}({})]", call.name, call.arguments));
            }
            Content::ToolResult(result) => {
                let texts: Vec<&str> = result
                    .content
                    .iter()
                    .filter_map(|part| part.as_text().map(AsRef::as_ref))
                    .collect();
                let text = shortened(&texts.join("\n"));
                lines.push(format!("[Tool result ({}): {text}]", result.call_id));
            }
            _ => lines.extend(part.as_text().map(|text| shortened(text))),
        }
    }
    let text = lines.join("\n");
    let role = if message.role == Role::Assistant { Role::Assistant } else { Role::User };
    (!text.trim().is_empty()).then_some(PromptMessage { role, text })
}

fn shortened(text: &str) -> String {
    if text.len() <= MAX_TEXT_BYTES {
        return text.to_owned();
    }
    let head = text.get(..text.floor_char_boundary(TEXT_HEAD_BYTES)).unwrap_or_default();
    let tail =
        text.get(text.ceil_char_boundary(text.len() - TEXT_TAIL_BYTES)..).unwrap_or_default();
    let out = text.len() - head.len() - tail.len();
    format!("{head}\n[… {out} bytes left out …]\n{tail}")
}

/// The first message and as many of the newest as there is room for.
fn bounded(mut chats: Vec<PromptMessage>, most: usize) -> Vec<PromptMessage> {
    let whole: usize = chats.iter().map(|chat| chat.text.len()).sum();
    if whole <= most {
        return chats;
    }
    if let Some(first) = chats.first_mut() {
        first.text.truncate(first.text.floor_char_boundary(most / 4));
    }
    let mut left = most.saturating_sub(chats.first().map_or(0, |first| first.text.len()));
    let mut kept = 0;
    for chat in chats.iter().skip(1).rev() {
        let Some(rest) = left.checked_sub(chat.text.len()) else { break };
        left = rest;
        kept += 1;
    }
    let out = chats.len().saturating_sub(1 + kept);
    let gap =
        PromptMessage { role: Role::User, text: format!("[… {out} messages left out …]") };
    chats.splice(1.min(chats.len())..chats.len() - kept, (out > 0).then_some(gap));
    chats
}
