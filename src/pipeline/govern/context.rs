//! What was compiled, until it is told.

use serde_json::Value;

use super::canonical::{HashText, WrittenObject, WrittenValue};
use crate::domain::ContentHash;

/// What governs a payload: written once, and hashed when it is told.
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

    /// Appends it as JSON, with what hooks did behind the stages; answers the hash over its canonical
    /// JSON.
    pub fn tell(mut self, hooks: &[Value], out: &mut String) -> ContentHash {
        if !hooks.is_empty() {
            self.ledger.set("hooks", WrittenValue::of(hooks));
        }
        let own = self.ledger.hash();
        self.ledger.set("hash", WrittenValue::of(&HashText(own)));
        self.own.set("context_ledger", self.ledger.written());
        self.own.show(out);
        self.own.hash()
    }
}
