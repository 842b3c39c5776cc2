//! Memory entries: data that is kept between conversations.

use std::sync::Arc;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, PercentEncode, utf8_percent_encode};

use super::{RawJson, Timestamp};

/// Something that is remembered under a key.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryEntry {
    pub scope: MemoryScope,
    pub key: Arc<str>,
    /// A JSON value; text is a JSON string.
    pub value: RawJson,
    pub description: Option<Arc<str>>,
    pub tags: Vec<Arc<str>>,
    /// From 0 to 1.
    pub importance: f64,
    pub tier: MemoryTier,
    pub classification: Classification,
    pub status: MemoryStatus,
    /// Its origin, in the words of its writer.
    pub source: Option<Arc<str>>,
    /// Its writer.
    pub author: Option<Arc<str>>,
    /// A JSON object that is carried and not read.
    pub metadata: Option<RawJson>,
    /// From 1, one more with each write.
    pub version: u64,
    /// Writes of its value: 1 when it is new.
    pub update_count: u64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub ttl: Option<MemoryTtl>,
    /// When it expires, if its TTL is in seconds.
    pub expires_at: Option<Timestamp>,
    /// The turn of its session at which it expires, if its TTL is in turns.
    pub expires_at_turn: Option<u64>,
}

impl MemoryEntry {
    /// The value as a model reads it: a string's characters, anything else as JSON.
    pub fn text(&self) -> Arc<str> {
        value_text(&self.value)
    }

    /// Bytes of its texts.
    pub fn text_bytes(&self) -> usize {
        let optional = [&self.description, &self.source, &self.author];
        self.key.len()
            + self.value.as_str().len()
            + optional.into_iter().flatten().map(|text| text.len()).sum::<usize>()
            + self.tags.iter().map(|tag| tag.len()).sum::<usize>()
            + self.metadata.as_ref().map_or(0, |metadata| metadata.as_str().len())
    }

    /// Whether the entry has expired at a time and a turn of its session.
    pub fn is_expired(&self, now: Timestamp, turn: u64) -> bool {
        self.expires_at.is_some_and(|end| end <= now)
            || self.expires_at_turn.is_some_and(|end| end <= turn)
    }

    /// Sets when the entry expires, counted from a time and a turn. What was set before is gone.
    pub fn expire(&mut self, ttl: Option<MemoryTtl>, now: Timestamp, turn: u64) {
        self.ttl = ttl;
        self.expires_at = None;
        self.expires_at_turn = None;
        match ttl {
            Some(MemoryTtl::Seconds(seconds)) => {
                self.expires_at = Some(now.after(std::time::Duration::from_secs(seconds)));
            }
            Some(MemoryTtl::Turns(turns)) => {
                self.expires_at_turn = Some(turn.saturating_add(turns));
            }
            None => {}
        }
    }
}

/// A JSON value as a model reads it.
pub fn value_text(value: &RawJson) -> Arc<str> {
    match serde_json::from_str::<String>(value.as_str()) {
        Ok(text) => text.into(),
        Err(_) => Arc::clone(value.text()),
    }
}

/// The scope of an entry. An absent part is shared: an entry with an empty scope belongs to the
/// whole tenant.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemoryScope {
    /// The person or thing it is about.
    pub subject: Option<Arc<str>>,
    pub session_id: Option<Arc<str>>,
    pub agent: Option<Arc<str>>,
    /// The tenant of a context pack (`run_context.tenant_id`). Compiles without a pack, and those
    /// under packs of other tenants, do not see the entry.
    pub pack_tenant: Option<Arc<str>>,
}

impl MemoryScope {
    /// The id of the entry of a key in this scope, unique in its tenant: the path of the entry below
    /// `/memory/`, such as `plan` or `plan?subject=ann`.
    pub fn entry_id(&self, key: &str) -> String {
        let Self { subject, session_id, agent, pack_tenant } = self;
        let parts = [
            ("subject", subject),
            ("session_id", session_id),
            ("agent", agent),
            ("pack_tenant", pack_tenant),
        ];
        let mut id = encode(key).to_string();
        let named = parts.iter().filter_map(|(name, part)| Some((name, part.as_deref()?)));
        for (index, (name, part)) in named.enumerate() {
            id.push(if index == 0 { '?' } else { '&' });
            id.push_str(name);
            id.push('=');
            id.extend(encode(part));
        }
        id
    }

    /// Whether a part that this scope names is shared in the other scope.
    pub fn is_narrower_than(&self, other: &Self) -> bool {
        let parts = |scope: &Self| {
            let Self { subject, session_id, agent, pack_tenant } = scope;
            [subject, session_id, agent, pack_tenant].map(Option::is_some)
        };
        parts(self).iter().zip(parts(other)).any(|(own, other)| *own && !other)
    }
}

/// Percent-encodes all but the unreserved characters of RFC 3986.
fn encode(text: &str) -> PercentEncode<'_> {
    const RESERVED: &AsciiSet =
        &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
    utf8_percent_encode(text, RESERVED)
}

/// When an entry expires, from its last write on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryTtl {
    Seconds(u64),
    /// Compiles of its session.
    Turns(u64),
}

/// Tier of an entry: how long its content is expected to be valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MemoryTier {
    Durable,
    Semantic,
    Episodic,
    Working,
}

impl MemoryTier {
    /// In the order in which a compile recalls them.
    pub const WORDS: &[(&str, Self)] = &[
        ("durable", Self::Durable),
        ("semantic", Self::Semantic),
        ("episodic", Self::Episodic),
        ("working", Self::Working),
    ];
}

/// Who may read an entry, from everyone to few.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Classification {
    Public,
    Internal,
    Confidential,
    Restricted,
}

impl Classification {
    pub const WORDS: &[(&str, Self)] = &[
        ("public", Self::Public),
        ("internal", Self::Internal),
        ("confidential", Self::Confidential),
        ("restricted", Self::Restricted),
    ];
}

/// The state of an entry. Only promoted and captured entries are recalled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryStatus {
    /// Written by an application or approved by a review.
    Promoted,
    /// Written by a model and not reviewed: not recalled under a pack, unless the pack's own policy
    /// promotes it.
    Captured,
    Superseded,
    Retracted,
    Deprecated,
}

impl MemoryStatus {
    pub const WORDS: &[(&str, Self)] = &[
        ("promoted", Self::Promoted),
        ("captured", Self::Captured),
        ("superseded", Self::Superseded),
        ("retracted", Self::Retracted),
        ("deprecated", Self::Deprecated),
    ];

    /// Whether compiles without a pack recall entries of this status.
    pub fn is_recalled(self) -> bool {
        matches!(self, Self::Promoted | Self::Captured)
    }
}

/// The kind of a change of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryAction {
    Set,
    Retract,
    /// Another entry, or another value, has taken its place.
    Supersede,
    Restore,
    /// A review accepted what a model had captured.
    Promote,
    Delete,
    Expire,
}

impl MemoryAction {
    pub const WORDS: &[(&str, Self)] = &[
        ("set", Self::Set),
        ("retract", Self::Retract),
        ("supersede", Self::Supersede),
        ("restore", Self::Restore),
        ("promote", Self::Promote),
        ("delete", Self::Delete),
        ("expire", Self::Expire),
    ];
}

/// The origin of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryOrigin {
    /// The application.
    Direct,
    /// A model, through its tools.
    Model,
    /// A review that promoted a candidate.
    Review,
    /// A change of its session: a deletion, a switch, a fork, a restore.
    Session,
    /// No actor: the entry expired.
    Expiry,
}

impl MemoryOrigin {
    pub const WORDS: &[(&str, Self)] = &[
        ("direct", Self::Direct),
        ("model", Self::Model),
        ("review", Self::Review),
        ("session", Self::Session),
        ("expiry", Self::Expiry),
    ];
}

/// An entry as it was after one of its writes.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryVersion {
    pub action: MemoryAction,
    pub origin: MemoryOrigin,
    /// As it was then; `updated_at` is when.
    pub entry: MemoryEntry,
}

/// The word of a value in one of the tables above.
pub fn word_of<T: Copy + PartialEq>(words: &[(&'static str, T)], value: T) -> &'static str {
    words.iter().find(|(_, known)| *known == value).map_or("", |(word, _)| word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_the_path_of_the_entry() {
        let scope = |subject: Option<&str>, session: Option<&str>| MemoryScope {
            subject: subject.map(Into::into),
            session_id: session.map(Into::into),
            ..MemoryScope::default()
        };
        assert_eq!(scope(None, None).entry_id("mem_1.a-b~"), "mem_1.a-b~");
        assert_eq!(scope(None, None).entry_id("a/b?c"), "a%2Fb%3Fc");
        let both = scope(Some("\u{e4} &"), Some("s")).entry_id("k");
        assert_eq!(both, "k?subject=%C3%A4%20%26&session_id=s");
    }

    #[test]
    fn a_scope_is_narrower_by_each_part_that_only_it_names() {
        let shared = MemoryScope::default();
        let ann = MemoryScope { subject: Some("ann".into()), ..shared.clone() };
        let session = MemoryScope { session_id: Some("s".into()), ..shared.clone() };
        assert!(ann.is_narrower_than(&shared) && ann.is_narrower_than(&session));
        assert!(!shared.is_narrower_than(&ann) && !ann.is_narrower_than(&ann));
    }

    #[test]
    fn a_value_is_shown_as_its_text_or_as_json() {
        for (json, text) in [(r#""a\nb""#, "a\nb"), ("[1, 2]", "[1, 2]"), ("null", "null")] {
            assert_eq!(&*value_text(&RawJson::new(json)), text);
        }
    }
}
