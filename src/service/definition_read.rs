//! Definitions that are kept in memory: hooks, and which adapters a tenant has stored.

use std::time::{Duration, Instant};

use crate::store::Store;

/// How long definitions that were read are used without another look at the store, if this process has
/// changed none since: other processes are followed within this time.
const MAX_AGE: Duration = Duration::from_secs(1);

/// When definitions were read from the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct DefinitionRead {
    pub(super) at: Instant,
    /// The changes of hooks and adapters that this process had made by then.
    pub(super) changes: u64,
}

impl DefinitionRead {
    /// A read that begins now.
    pub(super) fn begin(store: &Store) -> Self {
        Self { at: Instant::now(), changes: store.definition_changes() }
    }

    /// Whether what was read needs no other look at the store.
    pub(super) fn is_recent(&self, store: &Store) -> bool {
        self.changes == store.definition_changes() && self.at.elapsed() < MAX_AGE
    }
}
