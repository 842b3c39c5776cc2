//! The compiled context, until it is written.

use serde_json::Value;

use super::canonical::{HashText, WrittenObject, WrittenValue};
use crate::domain::ContentHash;

/// The context of a governed payload, hashed when it is written.
#[derive(Debug)]
pub struct GovernedContext {
    /// All but the ledger.
    own: WrittenObject,
    /// All but its hash.
    ledger: WrittenObject,
}

impl GovernedContext {
    pub(super) fn new(own: WrittenObject, ledger: WrittenObject) -> Self {
        Self { own, ledger }
    }

    /// Appends it as JSON, with the runs of hooks after the stages; returns the hash over its
    /// canonical JSON.
    pub fn write(mut self, hooks: &[Value], out: &mut String) -> ContentHash {
        if !hooks.is_empty() {
            self.ledger.set("hooks", WrittenValue::new(hooks));
        }
        let own = self.ledger.hash();
        self.ledger.set("hash", WrittenValue::new(&HashText(own)));
        self.own.set("context_ledger", self.ledger.written());
        self.own.show(out);
        self.own.hash()
    }
}
