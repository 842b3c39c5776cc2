//! What was compiled, until it is told.

use serde_json::Value;

use super::written::{Object, Sha, Written};
use crate::domain::ContentHash;

/// What governs a payload: written once, and hashed when it is told.
#[derive(Debug)]
pub struct Context {
    /// All but the ledger.
    own: Object,
    /// All but its hash.
    ledger: Object,
}

impl Context {
    pub(super) fn new(own: Object, ledger: Object) -> Self {
        Self { own, ledger }
    }

    /// Appends it as JSON, with what hooks did behind the stages; answers the hash over its canonical
    /// JSON.
    pub fn tell(mut self, hooks: &[Value], out: &mut String) -> ContentHash {
        if !hooks.is_empty() {
            self.ledger.set("hooks", Written::of(hooks));
        }
        let own = self.ledger.hash();
        self.ledger.set("hash", Written::of(&Sha(own)));
        self.own.set("context_ledger", self.ledger.written());
        self.own.show(out);
        self.own.hash()
    }
}
