//! Messages without what a pack's rules find in them.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::domain::{Content, Extra, Media, MediaSource, Message, Part, ToolCall};
use crate::pack::Redactor;

/// Hits of each rule.
pub(super) type RuleHits = BTreeMap<Arc<str>, u64>;

/// A message without what rules find in it.
pub(crate) fn redact_message(message: Message, redaction: Redactor<'_>) -> Message {
    clean_message(message, redaction).0
}

/// Redacts a message and counts the hits of each rule. Parts that cannot be changed are whole or
/// absent: thinking and a provider's own items are absent if rules match in them.
pub(super) fn clean_message(mut message: Message, redaction: Redactor<'_>) -> (Message, RuleHits) {
    let mut rules = RedactionRules { redaction, hits: RuleHits::new() };
    if !redaction.is_empty() {
        message.parts.retain_mut(|part| rules.part(part));
        rules.extra(&mut message.extra);
        if let Some(name) = &mut message.name {
            rules.text(name);
        }
    }
    (message, rules.hits)
}

struct RedactionRules<'r> {
    redaction: Redactor<'r>,
    hits: RuleHits,
}

impl RedactionRules<'_> {
    fn apply(&mut self, text: &str) -> Option<String> {
        let redacted = self.redaction.apply(text);
        for (id, count) in redacted.hits {
            *self.hits.entry(id).or_default() += count;
        }
        redacted.text
    }

    fn text(&mut self, text: &mut Arc<str>) {
        if let Some(new) = self.apply(text) {
            *text = new.into();
        }
    }

    /// Members that are not read here: each is whole or absent.
    fn extra(&mut self, extra: &mut Extra) {
        extra.retain(|(_, raw)| self.apply(raw.as_str()).is_none());
    }

    /// Whether the part stays.
    fn part(&mut self, part: &mut Part) -> bool {
        self.extra(&mut part.extra);
        match &mut part.content {
            Content::Text(text) => self.text(text),
            Content::Thinking(thinking) => {
                let opaque = thinking.opaque.as_ref();
                return self.apply(&thinking.text).is_none()
                    && opaque.is_none_or(|raw| self.apply(raw.as_str()).is_none());
            }
            Content::ToolCall(call) => self.arguments(call),
            Content::ToolResult(result) => result.content.retain_mut(|part| self.part(part)),
            Content::Media(media) => return self.media(media),
            Content::Opaque { raw, .. } => return self.apply(raw.as_str()).is_none(),
        }
        true
    }

    fn arguments(&mut self, call: &mut ToolCall) {
        if let Some(new) = self.apply(&call.arguments) {
            let is_json = serde_json::from_str::<serde_json::Value>(&new).is_ok();
            call.arguments =
                if is_json || call.custom { new.into() } else { "{\"redacted\":true}".into() };
        }
    }

    fn media(&mut self, media: &mut Media) -> bool {
        if let Some(name) = &mut media.name {
            self.text(name);
        }
        match &mut media.source {
            MediaSource::Text(text) => self.text(text),
            // An address with something left out leads nowhere.
            MediaSource::Url(url) => return self.apply(url).is_none(),
            MediaSource::Base64(_) | MediaSource::FileId(_) => {}
        }
        true
    }
}
