//! A provider's own compaction: it replaces what came before it.

use super::{ConversationAdapter, MessageRegion, pointer};
use crate::domain::{Message, RawJson, Role, Target, counted};
use crate::json::{self, Node};
use crate::provider::{has_compaction, is_compaction};

impl ConversationAdapter<'_> {
    /// Removes what is before the newest compaction: the provider ignores it, or has it in the
    /// compaction. System text stays.
    pub(super) fn compaction(&mut self, history: &mut Vec<Message>) {
        if !matches!(self.target, Target::OpenaiResponses | Target::Anthropic) {
            return;
        }
        let Some(newest) = history.iter().rposition(has_compaction) else { return };
        let mut current = history.split_off(newest);
        history.retain(|message| message.role == Role::System);
        let count = newest - history.len();
        if let Some(message) = current.first_mut() {
            let first = message.parts.iter().rposition(is_compaction).unwrap_or_default();
            message.parts.drain(..first);
            if count > 0 {
                let at = pointer(self.source, message.origin, MessageRegion::History);
                let detail = format!(
                    "left out: {} before the provider's compaction",
                    counted(count as u64, "message")
                );
                self.notes.degraded("superseded_by_compaction", at, detail);
            }
        }
        history.append(&mut current);
    }
}

/// The provider of a compaction: `OpenAI`'s is encrypted, Anthropic's is text.
pub(super) fn owner(raw: &RawJson) -> Option<Target> {
    let node = json::parse(raw.as_str(), json::Limits::default()).ok()?;
    if node.get("encrypted_content").is_some_and(|own: &Node<'_>| !own.is_null()) {
        return Some(Target::OpenaiResponses);
    }
    node.get("content").map(|_| Target::Anthropic)
}
