//! Hashes of messages. A text is hashed once, by its address in memory, however many messages and
//! stages have it; another hash covers its role and the rest of its message.

use std::collections::HashMap;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use super::text_hashes::TextHashes;
use crate::domain::{Content, ContentHash, Extra, MediaSource, Message, Part, ToolDefinition};

/// Bytes from which on a text is hashed by itself.
const MIN_HASHED_BYTES: usize = 128;

/// The parts of a message that its hash covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HashScope {
    Everything,
    /// What a provider binds thinking to: not the thinking, cache marks, or ids that are not sent.
    Bound,
}

/// Hashes messages, and remembers the hashes of their texts.
#[derive(Debug, Default)]
pub(super) struct MessageHasher {
    /// Hashes that compiles before have made, where they are kept.
    earlier: Option<Arc<TextHashes>>,
    /// Texts by the place of their first byte; they are held, so no other text takes the place.
    known: HashMap<usize, (Arc<str>, ContentHash)>,
}

impl MessageHasher {
    pub(super) fn new(earlier: Arc<TextHashes>) -> Self {
        Self { earlier: Some(earlier), known: HashMap::new() }
    }

    /// The hash of one message.
    pub(super) fn message(&mut self, message: &Message, scope: HashScope) -> ContentHash {
        let mut hasher = Sha256::new();
        self.message_into(&mut hasher, message, scope);
        finish_hash(hasher)
    }

    pub(super) fn message_into(
        &mut self,
        hasher: &mut Sha256,
        message: &Message,
        scope: HashScope,
    ) {
        hasher.update([message.role as u8]);
        text_into(hasher, message.role_word.unwrap_or_default());
        if scope == HashScope::Everything {
            text_into(hasher, message.id.as_deref().unwrap_or_default());
        }
        text_into(hasher, message.name.as_deref().unwrap_or_default());
        extra_into(hasher, &message.extra);
        let parts = || message.parts.iter().filter(|part| is_covered(part, scope));
        number_into(hasher, parts().count());
        for part in parts() {
            self.part(hasher, part, scope);
        }
    }

    fn part(&mut self, hasher: &mut Sha256, part: &Part, scope: HashScope) {
        match &part.content {
            Content::Text(text) => {
                hasher.update([0]);
                self.shared(hasher, text);
            }
            Content::Thinking(thinking) => {
                hasher.update([1]);
                self.shared(hasher, &thinking.text);
                if let Some(raw) = &thinking.opaque {
                    self.shared(hasher, raw.text());
                }
            }
            Content::ToolCall(call) => {
                hasher.update([2, u8::from(call.custom)]);
                text_into(hasher, &call.id);
                text_into(hasher, &call.name);
                self.shared(hasher, &call.arguments);
            }
            Content::ToolResult(result) => {
                hasher.update([3, result.is_error.map_or(2, u8::from)]);
                text_into(hasher, &result.call_id);
                text_into(hasher, result.name.as_deref().unwrap_or_default());
                number_into(hasher, result.content.len());
                for inner in &result.content {
                    self.part(hasher, inner, scope);
                }
            }
            Content::Media(media) => {
                hasher.update([4]);
                text_into(hasher, &media.media_type);
                text_into(hasher, media.name.as_deref().unwrap_or_default());
                let (kind, text) = match &media.source {
                    MediaSource::Base64(text) => (0, text),
                    MediaSource::Url(text) => (1, text),
                    MediaSource::FileId(text) => (2, text),
                    MediaSource::Text(text) => (3, text),
                };
                hasher.update([kind]);
                self.shared(hasher, text);
            }
            Content::Opaque { kind, raw } => {
                hasher.update([5]);
                text_into(hasher, kind);
                self.shared(hasher, raw.text());
            }
        }
        if scope == HashScope::Everything {
            let mark = part.cache.map_or(0, |mark| mark.ttl.map_or(1, |ttl| ttl as u8 + 2));
            hasher.update([mark]);
        }
        text_into(hasher, part.signature.as_deref().unwrap_or_default());
        extra_into(hasher, &part.extra);
    }

    /// A text that many stages hand on.
    fn shared(&mut self, hasher: &mut Sha256, text: &Arc<str>) {
        if text.len() < MIN_HASHED_BYTES {
            text_into(hasher, text);
            return;
        }
        let place = text.as_ptr() as usize;
        let Self { known, earlier } = self;
        let hash_of = |text: &str| match &*earlier {
            Some(earlier) => earlier.get(text),
            None => ContentHash::of(text),
        };
        let (_, hash) = known.entry(place).or_insert_with(|| (Arc::clone(text), hash_of(text)));
        number_into(hasher, usize::MAX);
        hasher.update(hash.0);
    }
}

fn is_covered(part: &Part, scope: HashScope) -> bool {
    scope == HashScope::Everything || !matches!(part.content, Content::Thinking(_))
}

/// The hash of tools.
pub(super) fn tools_hash<'t>(
    tools: impl IntoIterator<Item = &'t ToolDefinition>,
    scope: HashScope,
) -> ContentHash {
    let mut hasher = Sha256::new();
    for tool in tools {
        text_into(&mut hasher, &tool.name);
        text_into(&mut hasher, tool.description.as_deref().unwrap_or_default());
        for raw in tool.parameters.iter().chain(&tool.opaque) {
            text_into(&mut hasher, raw.as_str());
        }
        extra_into(&mut hasher, &tool.extra);
        if scope == HashScope::Everything {
            hasher.update([tool.cache.map_or(0, |mark| mark.ttl.map_or(1, |ttl| ttl as u8 + 2))]);
        }
    }
    finish_hash(hasher)
}

fn extra_into(hasher: &mut Sha256, extra: &Extra) {
    number_into(hasher, extra.len());
    for (name, raw) in extra {
        text_into(hasher, name);
        text_into(hasher, raw.as_str());
    }
}

/// Hashes a text after its length, so that its end is known.
pub(super) fn text_into(hasher: &mut Sha256, text: &str) {
    number_into(hasher, text.len());
    hasher.update(text);
}

pub(super) fn number_into(hasher: &mut Sha256, number: usize) {
    hasher.update((number as u64).to_le_bytes());
}

pub(super) fn finish_hash(hasher: Sha256) -> ContentHash {
    ContentHash(hasher.finalize().into())
}
