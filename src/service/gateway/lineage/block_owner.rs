//! The key under which the blocks of a list are kept: the caller's, or the one that it replaces.
//!
//! A key that is rotated gets another id. If its defaults show the same as those of the earlier key, the same
//! session of the API among them, it continues the lists of that key with the blocks that they have.

use std::sync::Arc;

use crate::domain::ContentHash;
use crate::gateway::{LineageHash, SessionBlocks};
use crate::json::{self, Limits, Node};
use crate::service::Services;
use crate::service::gateway::cache::KnownPut;
use crate::service::gateway::lineage::DecisionSource;
use crate::store::{Error, StoredDecision};

/// The members of a key's defaults that say what is shown, in byte order.
const SHOWN: &[&str] =
    &["dynamic_state", "dynamic_state_anchor", "hooks", "implicit_context", "memory", "session_id"];

/// The key under which blocks are kept, and the row that names it for keys which replace it.
#[derive(Debug, Default)]
pub(super) struct BlockOwner {
    /// None for a caller without a key, whose requests have no blocks.
    key: Option<Arc<str>>,
    /// The row; none if it is stored, or the defaults name no session.
    unstored: Option<LineageHash>,
}

impl BlockOwner {
    /// Finds the owner of the blocks of a list, whose messages have these hashes.
    pub(super) fn find(
        services: &Services,
        hashes: &[LineageHash],
        source: DecisionSource,
    ) -> Self {
        let key = services.caller().key.clone();
        let row = key.as_ref().and_then(|_| {
            let shown = shown_defaults(services.caller().defaults.as_deref()?)?;
            Some(hashes.first()?.of_block_owner(&shown))
        });
        let Some(row) = row else { return Self { key, unstored: None } };
        let known = match services.decisions().blocks(&row) {
            KnownPut::Unknown if source == DecisionSource::Store => read(services, row),
            KnownPut::Unknown | KnownPut::Nothing => None,
            KnownPut::Blocks(names) => names.0.first().cloned(),
        };
        match known {
            Some(owner) => Self { key: Some(owner), unstored: None },
            None => Self { key, unstored: Some(row) },
        }
    }

    pub(super) fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }

    /// The row that names the key, if it is to be stored with the first blocks of the list.
    pub(super) fn row(&self) -> Option<StoredDecision> {
        let (row, names) = (self.unstored?, self.names()?);
        Some(StoredDecision { digest: ContentHash(row.0), decision: names.pack() })
    }

    /// Notes which row is stored: that of this owner, or of another that was first.
    pub(super) fn note_stored(&mut self, services: &Services, stored: &StoredDecision) {
        if let (Some(row), Some(names)) =
            (self.unstored.take(), SessionBlocks::unpack(&stored.decision))
        {
            services.decisions().insert_blocks(row, Arc::new(names));
        }
    }

    fn names(&self) -> Option<SessionBlocks> {
        Some(SessionBlocks(vec![Arc::clone(self.key.as_ref()?)]))
    }
}

/// Reads the key that a row names. What the store does not have, this process does not ask for again.
fn read(services: &Services, row: LineageHash) -> Option<Arc<str>> {
    let (tenant, digest) = (services.tenant(), ContentHash(row.0));
    let found = tenant.read(|tx| tx.decisions(&[digest]));
    let found = found
        .inspect_err(|error| tracing::debug!(%error, "the owner of blocks cannot be read"))
        .ok()?;
    let names = found.decisions.first().and_then(|row| SessionBlocks::unpack(&row.decision));
    let Some(names) = names else {
        services.decisions().note_no_blocks(row);
        return None;
    };
    if found.has_old_use
        && let Err(error) = tenant.write::<_, Error>(move |tx| tx.note_decisions(&[digest]))
    {
        tracing::debug!(%error, "the last use of the owner of blocks could not be stored");
    }
    let owner = names.0.first().cloned();
    services.decisions().insert_blocks(row, Arc::new(names));
    owner
}

/// What defaults show, in one spelling; none if they name no session, since two keys without one may have
/// different users.
fn shown_defaults(defaults: &str) -> Option<String> {
    let node = json::parse(defaults, Limits::default()).ok()?;
    node.get("session_id").and_then(Node::as_str)?;
    let mut text = String::new();
    for key in SHOWN {
        if let Some(member) = node.get(key).filter(|member| !member.is_null()) {
            text.push_str(key);
            text.push('\n');
            json::canonical(&mut text, member);
            text.push('\n');
        }
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::shown_defaults;

    #[test]
    fn defaults_that_show_the_same_are_equal_in_any_spelling() {
        let one =
            shown_defaults(r#"{"session_id": "desk", "memory": {"max_tokens": 9, "query": "q"}}"#);
        let other = shown_defaults(
            r#"{"gateway": {"mode": "session"}, "memory": {"query": "q", "max_tokens": 9},
                "record": "full", "implicit_context": null, "session_id": "desk"}"#,
        );
        assert_eq!(one, other);
        assert!(one.is_some());
        for different in [
            r#"{"session_id": "desk"}"#,
            r#"{"session_id": "hall", "memory": {"max_tokens": 9, "query": "q"}}"#,
            r#"{"session_id": "desk", "memory": {"max_tokens": 8, "query": "q"}}"#,
            r#"{"session_id": "desk", "memory": {"max_tokens": 9, "query": "q"}, "dynamic_state": {}}"#,
        ] {
            assert_ne!(shown_defaults(different), one, "{different}");
        }
        assert_eq!(shown_defaults(r#"{"memory": true}"#), None);
        assert_eq!(shown_defaults("{"), None);
    }
}
