//! What was compiled, until it is told.

use std::ops::Range;

use serde_json::Value;

use super::buckets::Output as Buckets;
use super::render::Rendered;
use super::written::{Object, Sha, Written};
use crate::domain::ContentHash;

/// What governs a payload: written once, and hashed when it is told.
#[derive(Debug)]
pub struct Context {
    /// All but the ledger.
    own: Object,
    /// All but its hash.
    ledger: Object,
    rendered: String,
    /// The blocks of it whose wrappers are sent.
    blocks: Vec<Range<usize>>,
    /// What is to be done, without a wrapper.
    task: Option<String>,
}

impl Context {
    pub(super) fn new(own: Object, ledger: Object, buckets: &Buckets, rendered: Rendered) -> Self {
        let kept = buckets.blocks.iter().enumerate();
        let kept = kept.filter(|(_, one)| !matches!(&*one.block.bucket, "task" | "session"));
        let blocks = kept.filter_map(|(at, _)| rendered.place(at)).collect();
        let task = buckets.blocks.iter().find(|one| &*one.block.bucket == "task");
        let task = task.map(|one| one.block.text.clone());
        Self { own, ledger, rendered: rendered.text, blocks, task }
    }

    /// Texts that stand in what is sent.
    pub fn shown(&self) -> impl Iterator<Item = &str> {
        let blocks = self.blocks.iter().filter_map(|place| self.rendered.get(place.clone()));
        blocks.chain(self.task.as_deref())
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
