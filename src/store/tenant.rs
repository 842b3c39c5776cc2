//! One tenant's part of the store.

use std::sync::Arc;

use super::backend::{Entry, NewAdapter, Write};
use super::cleanup::{self, Caps, Cleanup, Evicted, Reason};
use super::pack::Packer;
use super::{Batch, ChainHash, Committed, Error, Item, Store};
use crate::domain::{Artifact, ArtifactId, ContentHash, StoredAdapter};

/// Artifacts that are removed in one transaction, so that a large cleanup holds up nobody's
/// writes.
const REMOVED_AT_ONCE: usize = 500;

/// Adapters that a tenant may store.
const MOST_ADAPTERS: u64 = 1_000;

/// The handle that every read and write goes through. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Tenant {
    store: Store,
    name: Arc<str>,
}

impl Tenant {
    pub(super) fn new(store: Store, name: &str) -> Self {
        Self { store, name: name.into() }
    }

    /// Stores an original text, or renews how long it is kept.
    pub fn put_artifact(
        &self,
        text: impl Into<Arc<str>>,
        media_type: &'static str,
    ) -> Result<Option<Artifact>, Error> {
        let mut batch = Batch::default();
        batch.artifact(text, media_type);
        Ok(self.commit(batch)?.artifacts.pop())
    }

    /// Stores all of a batch, or nothing. What is stored already is only renewed: a conversation
    /// that has grown costs what it has grown by.
    pub fn commit(&self, batch: Batch) -> Result<Committed, Error> {
        let inner = &self.store.inner;
        let now = inner.clock.now();
        let expires_at = now.after(inner.retention.ttl);
        let until = expires_at.after(inner.retention.ttl / 24);
        let Batch { artifacts, messages, answer } = batch;

        let mut packer = Packer::default();
        let hashes: Vec<_> = artifacts.iter().map(|artifact| artifact.hash).collect();
        let known = inner.backend.has_artifacts(&self.name, &hashes)?;
        let artifacts = artifacts
            .into_iter()
            .zip(known)
            .map(|(artifact, known)| {
                let content = (!known).then(|| packer.pack(&artifact.text));
                (artifact, content)
            })
            .collect();

        let hashes: Vec<_> = messages.iter().map(|(hash, _)| *hash).collect();
        let known = inner.backend.has_messages(&self.name, &hashes, expires_at)?;
        let mut messages: Vec<_> = messages
            .into_iter()
            .zip(known)
            .filter(|(_, known)| !known)
            .map(|((hash, text), _)| (hash, text))
            .collect();
        messages.sort_unstable_by_key(|(hash, _)| *hash);
        messages.dedup_by_key(|(hash, _)| *hash);
        let messages =
            messages.into_iter().map(|(hash, text)| (hash, packer.pack(&text))).collect();

        let (chains, answer) = match answer {
            Some(answer) => {
                let originals = answer.items.iter().map(|item| item.original).collect();
                (self.unknown_chains(answer.items)?, Some((answer.id, originals)))
            }
            None => (Vec::new(), None),
        };
        let write = Write { now, expires_at, until, artifacts, messages, chains, answer };
        let artifacts = inner.backend.commit(&self.name, write)?;
        Ok(Committed { artifacts, expires_at })
    }

    /// The items whose chain is not stored yet, or not for long enough, or for another original.
    fn unknown_chains(&self, items: Vec<Item>) -> Result<Vec<Item>, Error> {
        let inner = &self.store.inner;
        let now = inner.clock.now();
        let expires_at = now.after(inner.retention.ttl);
        let chains: Vec<_> = items.iter().map(|item| item.chain).collect();
        let stored = inner.backend.chains(&self.name, &chains, now)?;
        let is_known = |item: &Item, stored: Option<_>| {
            stored.is_some_and(|(original, until)| original == item.original && until >= expires_at)
        };
        let pairs = items.into_iter().zip(stored);
        Ok(pairs.filter(|(item, stored)| !is_known(item, *stored)).map(|(item, _)| item).collect())
    }

    /// An artifact and its text, byte for byte as it was stored. Counts as a use of it.
    pub fn artifact(&self, id: ArtifactId) -> Result<Option<(Artifact, String)>, Error> {
        let inner = &self.store.inner;
        let now = inner.clock.now();
        let Some((artifact, packed)) = inner.backend.artifact(&self.name, id, now)? else {
            return Ok(None);
        };
        let text = Packer::default().unpack(packed, &artifact.hash)?;
        inner.backend.touch(&self.name, id, now);
        Ok(Some((artifact, text)))
    }

    /// Removes an artifact for good; answers whether it was there.
    pub fn delete_artifact(&self, id: ArtifactId) -> Result<bool, Error> {
        let backend = &self.store.inner.backend;
        // Twice where the artifact was stored anew in between: then that is what goes.
        for _ in 0..2 {
            let Some((artifact, _)) =
                backend.artifact(&self.name, id, self.store.inner.clock.now())?
            else {
                return Ok(false);
            };
            if backend.remove(&self.name, vec![(&artifact).into()])? == [true] {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Evicts what has expired, what is older than `caps` allows, and then the least recently
    /// used, until count and bytes are within the caps. A cap that is absent is the setting's.
    ///
    /// The plan is made once; what is stored meanwhile is not in it. What cannot be removed
    /// stays, and is told.
    pub fn cleanup(&self, caps: &Caps) -> Result<Cleanup, Error> {
        let inner = &self.store.inner;
        let _alone = self.store.alone();
        let entries = inner.backend.artifacts(&self.name)?;
        let caps = caps.or(&inner.retention.caps);
        let plan = cleanup::plan(entries, &caps, inner.clock.now());
        let mut done = Cleanup::default();
        for chunk in plan.chunks(REMOVED_AT_ONCE) {
            // One that cannot be removed must not keep the others.
            if self.evict(chunk, &mut done).is_err() {
                for one in chunk.chunks(1) {
                    if let Err(error) = self.evict(one, &mut done) {
                        tracing::warn!(%error, "an artifact could not be removed");
                        done.failed.extend(one.iter().map(|(entry, _)| entry.id));
                    }
                }
            }
        }
        Ok(done)
    }

    /// Removes part of a plan, all of it or nothing.
    fn evict(&self, part: &[(Entry, Reason)], done: &mut Cleanup) -> Result<(), Error> {
        let entries = part.iter().map(|(entry, _)| *entry).collect();
        let removed = self.store.inner.backend.remove(&self.name, entries)?;
        for ((entry, reason), _) in part.iter().zip(removed).filter(|(_, removed)| *removed) {
            done.count(entry, *reason);
            self.tell(entry.id, entry.bytes, *reason);
        }
        Ok(())
    }

    fn tell(&self, artifact: ArtifactId, bytes: u64, reason: Reason) {
        let tenant = Arc::clone(&self.name);
        (self.store.inner.on_evicted)(&Evicted { tenant, artifact, bytes, reason });
    }

    /// What each chain stands for: the hash of an original message's JSON text, none where that
    /// is not known. Where two originals took the same short form behind the same messages, the
    /// one that was stored last.
    pub fn originals(&self, chains: &[ChainHash]) -> Result<Vec<Option<ContentHash>>, Error> {
        let inner = &self.store.inner;
        let found = inner.backend.chains(&self.name, chains, inner.clock.now())?;
        Ok(found.into_iter().map(|found| found.map(|(original, _)| original)).collect())
    }

    /// The original messages of an answer, in its order; none where there is no such answer.
    pub fn answer(&self, id: &str) -> Result<Option<Vec<ContentHash>>, Error> {
        let inner = &self.store.inner;
        inner.backend.answer(&self.name, id, inner.clock.now())
    }

    /// Messages by their hashes, each as it was stored; none where one is gone.
    pub fn messages(&self, ids: &[ContentHash]) -> Result<Vec<Option<String>>, Error> {
        let inner = &self.store.inner;
        let found = inner.backend.messages(&self.name, ids, inner.clock.now())?;
        let mut packer = Packer::default();
        let unpack = |(packed, id): (Option<_>, _)| {
            packed.map(|packed| packer.unpack(packed, id)).transpose()
        };
        found.into_iter().zip(ids).map(unpack).collect()
    }

    /// Stores an adapter's definition, or replaces it; answers whether it is new. The same text
    /// again changes nothing.
    pub fn put_adapter(
        &self,
        name: &str,
        definition: &str,
    ) -> Result<(StoredAdapter, bool), Error> {
        let inner = &self.store.inner;
        let now = inner.clock.now();
        let adapter = NewAdapter { name: name.into(), definition: definition.into(), now };
        inner.backend.put_adapter(&self.name, adapter, MOST_ADAPTERS)
    }

    /// Adapters by their names, each with its definition's text; none where there is none.
    pub fn adapters(&self, names: &[&str]) -> Result<Vec<Option<(StoredAdapter, String)>>, Error> {
        self.store.inner.backend.adapters(&self.name, names)
    }

    /// At most so many adapters in the byte order of their names: the first ones, or those behind
    /// the name `after`.
    pub fn list_adapters(
        &self,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<StoredAdapter>, Error> {
        // Every name is behind the empty one.
        self.store.inner.backend.list_adapters(&self.name, after.unwrap_or_default(), limit)
    }

    /// Removes an adapter; answers whether it was there.
    pub fn delete_adapter(&self, name: &str) -> Result<bool, Error> {
        self.store.inner.backend.remove_adapter(&self.name, name)
    }
}
