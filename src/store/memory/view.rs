//! What a reader of memory sees, and what it finds.

use crate::domain::{MemoryEntry, MemoryScope};

/// The scope of a reader: an entry is visible if each non-empty part of its scope is the same.
#[derive(Debug, Clone, Default)]
pub struct MemoryView {
    pub scope: MemoryScope,
    /// Whether only promoted entries are recalled, without those that models wrote.
    pub promoted_only: bool,
}

impl MemoryView {
    /// A view of promoted and captured entries.
    pub fn new(scope: MemoryScope) -> Self {
        Self { scope, promoted_only: false }
    }

    /// The SQL list of the statuses that are recalled.
    pub(super) fn statuses(&self) -> &'static str {
        if self.promoted_only { "('promoted')" } else { "('promoted', 'captured')" }
    }
}

/// An entry that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundEntry {
    pub entry: MemoryEntry,
    /// Relevance of its words for the question, higher is better; 0 if none match.
    pub relevance: f64,
}
