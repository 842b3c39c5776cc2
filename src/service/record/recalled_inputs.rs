//! Inputs of a compile under a pack from the store and the clock, as its record has them.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::domain::{MemoryTier, RawJson, Timestamp, word_of};
use crate::json::{self, Limits, Node};
use crate::pack::CLASSIFICATIONS;
use crate::request::MemoryRecord;

/// Inputs of a compile under a pack besides its request and its pack.
#[derive(Debug, Clone)]
pub(crate) struct RecalledInputs {
    /// The time of the run if its context names none.
    pub(crate) as_of: Timestamp,
    /// Number of earlier changes of the tenant's entries.
    pub(crate) store_revision: u64,
    /// Stored entries that the run may use; none if the request has its own.
    pub(crate) candidates: Option<Vec<MemoryRecord>>,
}

impl RecalledInputs {
    /// Writes the inputs as JSON text, for the record.
    pub(super) fn text(&self) -> String {
        let candidates = self.candidates.as_ref();
        let candidates = candidates.map(|own| own.iter().map(row).collect::<Vec<_>>());
        json!({
            "as_of": self.as_of.micros(), "store_revision": self.store_revision,
            "candidates": candidates,
        })
        .to_string()
    }

    /// Reads the inputs of a full record; none if it was compiled without a pack.
    pub(crate) fn read(raw: &RawJson) -> Option<Self> {
        let node = json::parse(raw.as_str(), Limits::default()).ok()?;
        let node = node.get("recalled")?;
        let candidates = match node.get("candidates")?.as_array() {
            Some(rows) => Some(rows.iter().map(read).collect::<Option<_>>()?),
            None => None,
        };
        Some(Self {
            as_of: time(node.get("as_of")?)?,
            store_revision: node.get("store_revision")?.as_u64()?,
            candidates,
        })
    }
}

fn row(one: &MemoryRecord) -> Value {
    json!({
        "id": &*one.id, "intents": one.intents, "text": &*one.text, "version": one.version,
        "tier": one.tier.map(|tier| word_of(MemoryTier::WORDS, tier)),
        "classification": one.classification.map(|level| word_of(CLASSIFICATIONS, level)),
        "promoted_at": one.promoted_at.micros(), "is_promoted": one.is_promoted,
        "expires_at": one.expires_at.map(Timestamp::micros), "confidence": one.confidence,
        "tenant_id": one.tenant_id, "subject": one.subject, "session_id": one.session_id,
    })
}

fn read(node: &Node<'_>) -> Option<MemoryRecord> {
    let given = |key: &str| node.get(key).filter(|value| !value.is_null());
    let text = |key: &str| given(key).and_then(Node::as_str).map(Arc::<str>::from);
    let intents = node.get("intents")?.as_array()?.iter();
    Some(MemoryRecord {
        id: text("id")?,
        intents: intents.map(|own| own.as_str().map(Into::into)).collect::<Option<_>>()?,
        tier: word(given("tier"), MemoryTier::WORDS),
        text: text("text")?,
        promoted_at: time(node.get("promoted_at")?)?,
        classification: word(given("classification"), CLASSIFICATIONS),
        tenant_id: text("tenant_id"),
        subject: text("subject"),
        is_promoted: node.get("is_promoted")?.as_bool()?,
        confidence: u32::try_from(node.get("confidence")?.as_u64()?).ok()?,
        expires_at: given("expires_at").and_then(time),
        session_id: text("session_id"),
        version: node.get("version")?.as_u64()?,
    })
}

fn word<T: Copy>(node: Option<&Node<'_>>, words: &[(&'static str, T)]) -> Option<T> {
    let own = node?.as_str()?;
    words.iter().find(|(word, _)| *word == own).map(|(_, value)| *value)
}

/// Reads microseconds since 1970.
fn time(node: &Node<'_>) -> Option<Timestamp> {
    node.raw.parse().ok().map(Timestamp::from_micros)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Classification;

    #[test]
    fn what_was_recalled_is_read_as_it_was_written() {
        let whole = MemoryRecord {
            id: "k".into(),
            intents: vec!["a.b".into()],
            tier: Some(MemoryTier::Durable),
            text: "a \"text\"\nof lines".into(),
            promoted_at: Timestamp::from_micros(-5),
            classification: Some(Classification::Internal),
            tenant_id: Some("acme".into()),
            subject: Some("u1".into()),
            is_promoted: true,
            confidence: 750,
            expires_at: Some(Timestamp::from_micros(9)),
            session_id: Some("s".into()),
            version: 3,
        };
        let bare = MemoryRecord {
            tier: None,
            classification: None,
            tenant_id: None,
            subject: None,
            expires_at: None,
            session_id: None,
            ..whole.clone()
        };
        for candidates in [None, Some(vec![whole, bare])] {
            let as_of = Timestamp::from_micros(1_700_000_000_000_001);
            let own = RecalledInputs { as_of, store_revision: 7, candidates };
            let raw = RawJson::new(format!("{{\"recalled\":{}}}", own.text()));
            let read = RecalledInputs::read(&raw).unwrap();
            assert_eq!(format!("{read:?}"), format!("{own:?}"));
        }
        assert!(RecalledInputs::read(&RawJson::new("{}".to_owned())).is_none());
    }
}
