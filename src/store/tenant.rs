//! The handle for the rows of one tenant.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::backend::{AbandonedCheck, WriteHandle, WriteJob, WriteNeeds, job};
use super::batch::{AMBIGUOUS_HASH, RECIPE_PREFIX};
use super::pack::Packer;
use super::tx::CommitNotice;
use super::{Batch, ChainHash, CommittedBatch, Error, Feed, ResponseMessage, Store, Tx};
use crate::domain::{Artifact, ArtifactId, ContentHash};

/// A write that waits, with the notifications of its commit.
type PendingWrite<T, E> = WriteHandle<(T, CommitNotice), E>;

/// The handle for every read and write. Cheap to clone.
#[derive(Clone)]
pub struct Tenant {
    store: Store,
    name: Arc<str>,
    /// Whether its writes remove rows.
    frees_room: bool,
    /// Whether the caller has gone, so that its writes need not begin.
    has_gone: Option<AbandonedCheck>,
}

impl fmt::Debug for Tenant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tenant").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Tenant {
    pub(super) fn new(store: Store, name: &str) -> Self {
        Self { store, name: name.into(), frees_room: false, has_gone: None }
    }

    /// Marks the writes of this handle as removing rows: they are carried out on a full disk too.
    #[must_use]
    pub fn freeing_room(self) -> Self {
        Self { frees_room: true, ..self }
    }

    /// Has writes of this handle left out that have not begun when `has_gone` is true: their caller
    /// gets [`Error::Abandoned`].
    #[must_use]
    pub fn abandoned_if(self, has_gone: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self { has_gone: Some(Arc::new(has_gone)), ..self }
    }

    /// Runs `read` in one transaction.
    pub fn read<T, E: From<Error>>(
        &self,
        read: impl FnOnce(&Tx<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let inner = &self.store.inner;
        let (now, mut read, mut found) = (inner.clock.now(), Some(read), None);
        inner.backend.read(Some(&self.name), &mut |sql| {
            let tx = Tx::new(sql, &self.name, now).within(inner.retention.quotas);
            found = read.take().map(|read| read(&tx.with_message_texts(&inner.message_texts)));
            Ok(())
        })?;
        found.unwrap_or_else(|| Err(Error::no_row().into()))
    }

    /// Runs `write` in a transaction, and is back when that is committed. An error takes back what
    /// it wrote. `write` may be run twice.
    pub fn write<T, E>(
        &self,
        write: impl FnMut(&Tx<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        self.run(false, write)
    }

    /// Writes, and makes the commit survive a loss of power. Costs a flush to the disk.
    pub fn write_durable<T, E>(
        &self,
        write: impl FnMut(&Tx<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        self.run(true, write)
    }

    fn run<T, E>(
        &self,
        is_durable: bool,
        write: impl FnMut(&Tx<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let (mut job, pending) = self.job(is_durable, write);
        if let Some(has_gone) = &self.has_gone {
            job.abandon_if(Arc::clone(has_gone));
        }
        self.store.inner.backend.write(job)?;
        let (done, CommitNotice { events, queued, definitions_changed }) = pending.wait()?;
        if definitions_changed {
            self.store.inner.definition_changes.fetch_add(1, Ordering::SeqCst);
        }
        let is_heard = !events.is_empty() && self.store.inner.followed.load(Ordering::SeqCst);
        if queued || is_heard {
            self.store.inner.queued.notify_one();
        }
        if !events.is_empty() {
            self.store.inner.feeds.push(&self.name, events);
        }
        Ok(done)
    }

    /// A write that also returns the events that it published.
    fn job<T, E>(
        &self,
        is_durable: bool,
        mut write: impl FnMut(&Tx<'_>) -> Result<T, E> + Send + 'static,
    ) -> (Box<dyn WriteJob>, PendingWrite<T, E>)
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let (name, now) = (Arc::clone(&self.name), self.store.inner.clock.now());
        let quotas = self.store.inner.retention.quotas;
        let (owner, texts) = (Arc::clone(&name), Arc::clone(&self.store.inner.message_texts));
        let needs = WriteNeeds { is_durable, frees_room: self.frees_room };
        job(Some(&owner), needs, move |sql| {
            let tx = Tx::new(sql, &name, now).within(quotas).with_message_texts(&texts);
            write(&tx).map(|done| (done, tx.into_notice()))
        })
    }

    /// Time that data without an expiry of its own is kept.
    pub fn kept(&self) -> Duration {
        self.store.inner.retention.ttl
    }

    /// Whether events of the tenant are read live in this process.
    pub fn has_event_readers(&self) -> bool {
        self.store.inner.feeds.has_readers(&self.name)
    }

    /// The feed of committed events, for a reader in this process.
    pub fn feed(&self) -> Arc<Feed> {
        self.store.inner.feeds.feed(&self.name)
    }

    pub(super) fn retention(&self) -> &super::Retention {
        &self.store.inner.retention
    }

    pub(super) fn store(&self) -> &Store {
        &self.store
    }

    pub(super) fn name(&self) -> &Arc<str> {
        &self.name
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
    pub fn commit(&self, batch: Batch) -> Result<CommittedBatch, Error> {
        self.commit_with(batch, |_, _| Ok(()))
    }

    /// Commits a batch, and what `then` writes in the same transaction, given the stored artifacts.
    pub fn commit_with(
        &self,
        batch: Batch,
        mut then: impl FnMut(&Tx<'_>, &[Artifact]) -> Result<(), Error> + Send + 'static,
    ) -> Result<CommittedBatch, Error> {
        let inner = &self.store.inner;
        let now = inner.clock.now();
        let expires_at = now.after(inner.retention.ttl);
        let until = expires_at.after(inner.retention.ttl / 24);
        let Batch { artifacts, messages, answer, is_durable } = batch;

        let hashes: Vec<_> = artifacts.iter().map(|artifact| artifact.hash).collect();
        let ids: Vec<_> = messages.iter().map(|(hash, _)| *hash).collect();
        let (known, kept) = self.read(|tx| {
            Ok::<_, Error>((tx.has_artifacts(&hashes)?, tx.has_messages(&ids, expires_at)?))
        })?;
        let recipes: HashSet<ContentHash> = messages
            .iter()
            .filter(|(_, text)| text.starts_with(RECIPE_PREFIX))
            .map(|(hash, _)| *hash)
            .collect();
        let mut packer = Packer::default();
        let artifacts: Vec<_> = artifacts
            .into_iter()
            .zip(known)
            .map(|(artifact, known)| {
                let content = (!known).then(|| packer.pack(&artifact.text));
                (artifact, content)
            })
            .collect();
        let mut messages: Vec<_> = messages
            .into_iter()
            .zip(kept)
            .filter(|(_, kept)| !kept)
            .map(|((hash, text), _)| (hash, text))
            .collect();
        messages.sort_unstable_by_key(|(hash, _)| *hash);
        messages.dedup_by_key(|(hash, _)| *hash);
        let messages: Vec<_> =
            messages.into_iter().map(|(hash, text)| (hash, packer.pack(&text))).collect();
        let (chains, answer) = match answer {
            Some(answer) => {
                let originals: Vec<_> = answer.items.iter().map(|item| item.original).collect();
                (self.unknown_chains(answer.items, &recipes)?, Some((answer.id, originals)))
            }
            None => (Vec::new(), None),
        };
        let artifacts = self.run(is_durable, move |tx| {
            let put =
                |(new, packed): &(_, Option<_>)| tx.put_artifact(new, packed.as_ref(), expires_at);
            let stored = artifacts.iter().map(put).collect::<Result<Vec<_>, Error>>()?;
            for (hash, packed) in &messages {
                tx.put_message(hash, packed, until)?;
            }
            for item in &chains {
                tx.put_chain(item, until)?;
            }
            if let Some((id, originals)) = &answer {
                tx.put_answer(id, originals, until)?;
            }
            then(tx, &stored)?;
            Ok::<_, Error>(stored)
        })?;
        Ok(CommittedBatch { artifacts, expires_at })
    }

    /// The items whose chain is not stored yet, or expires too early, or refers to another
    /// original: then it refers to neither from now on, because the visible text cannot tell which
    /// is meant. A recipe describes how to get an original, so a recipe and its original may
    /// replace each other.
    fn unknown_chains(
        &self,
        items: Vec<ResponseMessage>,
        recipes: &HashSet<ContentHash>,
    ) -> Result<Vec<ResponseMessage>, Error> {
        let inner = &self.store.inner;
        let now = inner.clock.now();
        let expires_at = now.after(inner.retention.ttl);
        let chains: Vec<_> = items.iter().map(|item| item.chain).collect();
        let stored = self.read(|tx| tx.chains(&chains))?;
        let mut unknown = Vec::with_capacity(items.len());
        for (mut item, stored) in items.into_iter().zip(stored) {
            match stored {
                Some((original, until)) if original == item.original && until >= expires_at => {
                    continue;
                }
                Some((original, _)) if original == item.original => {}
                Some((AMBIGUOUS_HASH, _)) => item.original = AMBIGUOUS_HASH,
                Some((original, _)) if !recipes.contains(&item.original) => {
                    let stored = self.messages(&[original])?.pop().flatten();
                    if stored.is_some_and(|text| !text.starts_with(RECIPE_PREFIX)) {
                        item.original = AMBIGUOUS_HASH;
                    }
                }
                _ => {}
            }
            unknown.push(item);
        }
        Ok(unknown)
    }

    /// An artifact and its text, byte for byte as it was stored. Counts as a use of it.
    pub fn artifact(&self, id: ArtifactId) -> Result<Option<(Artifact, String)>, Error> {
        let Some((artifact, packed)) = self.read(|tx| tx.artifact(id))? else {
            return Ok(None);
        };
        let text = Packer::default().unpack(packed, &artifact.hash)?;
        // May be late, and may be lost.
        let (touch, _) = self.job(false, move |tx| tx.touch_artifact(id));
        self.store.inner.backend.write_later(touch);
        Ok(Some((artifact, text)))
    }

    /// Removes an artifact for good; returns whether it was there.
    pub fn delete_artifact(&self, id: ArtifactId) -> Result<bool, Error> {
        self.write(move |tx| {
            let Some((artifact, _)) = tx.artifact(id)? else {
                return Ok(false);
            };
            Ok(tx.remove_artifacts(&[(&artifact).into()])? == [true])
        })
    }

    /// The original of each chain: the hash of its JSON text, `None` if it is unknown. If two
    /// originals got the same short form after the same messages, the one that was stored last.
    pub fn originals(&self, chains: &[ChainHash]) -> Result<Vec<Option<ContentHash>>, Error> {
        let found = self.read(|tx| tx.chains(chains))?;
        Ok(found.into_iter().map(|found| found.map(|(original, _)| original)).collect())
    }

    /// The original messages of a response, in order; `None` if there is no such response.
    pub fn answer(&self, id: &str) -> Result<Option<Vec<ContentHash>>, Error> {
        self.read(|tx| tx.answer(id))
    }

    /// Messages by their hashes, each as it was stored; `None` if one is gone.
    pub fn messages(&self, ids: &[ContentHash]) -> Result<Vec<Option<String>>, Error> {
        let found = self.read(|tx| tx.messages(ids))?;
        let mut packer = Packer::default();
        let unpack = |(packed, id): (Option<_>, _)| {
            packed.map(|packed| packer.unpack(packed, id)).transpose()
        };
        found.into_iter().zip(ids).map(unpack).collect()
    }
}
