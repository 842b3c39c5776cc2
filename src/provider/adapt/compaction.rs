//! A provider's own compaction: it replaces what came before it.

use super::{ConversationAdapter, MessageRegion, pointer};
use crate::domain::{Content, Message, Part, RawJson, Role, Target};
use crate::json::{self, Node};
use crate::provider::{COMPACTION, is_compaction};

impl ConversationAdapter<'_> {
    /// Removes what stands before the newest compaction: the provider ignores it, or has it in the
    /// compaction. System text stays.
    pub(super) fn compaction(&mut self, history: &mut Vec<Message>) {
        if !matches!(self.target, Target::OpenaiResponses | Target::Anthropic) {
            return;
        }
        let Some(newest) = history.iter().rposition(is_compaction) else { return };
        let is_superseded =
            |at: usize, message: &Message| at < newest && message.role != Role::System;
        let mut count = 0;
        let mut at = 0;
        history.retain(|message| {
            let goes = is_superseded(at, message);
            at += 1;
            count += usize::from(goes);
            !goes
        });
        let Some(message) = history.iter_mut().rfind(|message| is_compaction(message)) else {
            return;
        };
        let is_own = |part: &Part| matches!(&part.content, Content::Opaque { kind, .. } if **kind == *COMPACTION);
        let first = message.parts.iter().rposition(is_own).unwrap_or_default();
        message.parts.drain(..first);
        if count > 0 {
            let at = pointer(self.source, message.origin, MessageRegion::History);
            let detail = format!("{count} messages before the provider's compaction are left out");
            self.notes.degraded("superseded_by_compaction", at, detail);
        }
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
