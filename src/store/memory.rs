//! A store that ends with the process: for trying things out, and for tests.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::backend::{Backend, Entry, NewAdapter, Write};
use super::batch::ChainHash;
use super::pack::{Packed, Packer};
use super::{Error, batch};
use crate::domain::{Artifact, ArtifactId, ContentHash, StoredAdapter, Timestamp};

#[derive(Debug, Default)]
pub(super) struct Memory {
    everyone: Mutex<BTreeMap<Arc<str>, Rows>>,
}

/// What one tenant has stored.
#[derive(Debug, Default)]
struct Rows {
    artifacts: BTreeMap<ArtifactId, (Artifact, Packed)>,
    messages: BTreeMap<ContentHash, (Packed, Timestamp)>,
    chains: BTreeMap<ChainHash, (ContentHash, Timestamp)>,
    answers: BTreeMap<String, (Vec<ContentHash>, Timestamp)>,
    adapters: BTreeMap<Arc<str>, (StoredAdapter, Arc<str>)>,
}

impl Memory {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<Arc<str>, Rows>> {
        self.everyone.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read<T: Default>(&self, tenant: &str, read: impl FnOnce(&Rows) -> T) -> T {
        self.lock().get(tenant).map(read).unwrap_or_default()
    }
}

impl Rows {
    fn is_empty(&self) -> bool {
        self.artifacts.is_empty()
            && self.messages.is_empty()
            && self.chains.is_empty()
            && self.answers.is_empty()
            && self.adapters.is_empty()
    }

    fn put(
        &mut self,
        new: &batch::NewArtifact,
        packed: Option<Packed>,
        now: Timestamp,
        expires_at: Timestamp,
    ) -> Artifact {
        let packed = packed.unwrap_or_else(|| Packer::default().pack(&new.text));
        let stored = self.artifacts.entry(new.id).or_insert_with(|| {
            let artifact = new.at(now, expires_at);
            (artifact, packed)
        });
        let artifact = &mut stored.0;
        (artifact.renewed_at, artifact.accessed_at) = (now, now);
        artifact.expires_at = expires_at;
        artifact.clone()
    }
}

impl Backend for Memory {
    fn commit(&self, tenant: &Arc<str>, write: Write) -> Result<Vec<Artifact>, Error> {
        let mut everyone = self.lock();
        let rows = everyone.entry(Arc::clone(tenant)).or_default();
        for (new, _) in &write.artifacts {
            if rows.artifacts.get(&new.id).is_some_and(|(stored, _)| stored.hash != new.hash) {
                return Err(Error::Collision(new.id));
            }
        }
        let Write { now, expires_at, until, artifacts, messages, chains, answer } = write;
        let stored = artifacts
            .into_iter()
            .map(|(new, packed)| rows.put(&new, packed, now, expires_at))
            .collect();
        for (hash, packed) in messages {
            rows.messages.insert(hash, (packed, until));
        }
        for item in chains {
            rows.chains.insert(item.chain, (item.original, until));
        }
        if let Some((id, originals)) = answer {
            rows.answers.insert(id, (originals, until));
        }
        Ok(stored)
    }

    fn artifact(
        &self,
        tenant: &str,
        id: ArtifactId,
        now: Timestamp,
    ) -> Result<Option<(Artifact, Packed)>, Error> {
        Ok(self.read(tenant, |rows| {
            rows.artifacts.get(&id).filter(|(artifact, _)| artifact.expires_at > now).cloned()
        }))
    }

    fn touch(&self, tenant: &Arc<str>, id: ArtifactId, now: Timestamp) {
        let mut everyone = self.lock();
        let found = everyone.get_mut(tenant).and_then(|rows| rows.artifacts.get_mut(&id));
        if let Some((artifact, _)) = found {
            artifact.accessed_at = artifact.accessed_at.max(now);
        }
    }

    fn has_artifacts(&self, tenant: &str, hashes: &[ContentHash]) -> Result<Vec<bool>, Error> {
        let everyone = self.lock();
        let rows = everyone.get(tenant);
        let has = |hash: &ContentHash| {
            let id = ArtifactId::of(hash);
            let stored = rows.and_then(|rows| rows.artifacts.get(&id));
            stored.is_some_and(|(artifact, _)| artifact.hash == *hash)
        };
        Ok(hashes.iter().map(has).collect())
    }

    fn artifacts(&self, tenant: &str) -> Result<Vec<Entry>, Error> {
        Ok(self.read(tenant, |rows| {
            rows.artifacts.values().map(|(artifact, _)| artifact.into()).collect()
        }))
    }

    fn remove(&self, tenant: &Arc<str>, entries: Vec<Entry>) -> Result<Vec<bool>, Error> {
        let mut everyone = self.lock();
        let Some(rows) = everyone.get_mut(tenant) else { return Ok(vec![false; entries.len()]) };
        let remove = |entry: Entry| {
            let stored = rows.artifacts.get(&entry.id);
            stored.is_some_and(|(artifact, _)| artifact.renewed_at == entry.renewed_at)
                && rows.artifacts.remove(&entry.id).is_some()
        };
        Ok(entries.into_iter().map(remove).collect())
    }

    fn has_messages(
        &self,
        tenant: &str,
        ids: &[ContentHash],
        until: Timestamp,
    ) -> Result<Vec<bool>, Error> {
        let everyone = self.lock();
        let rows = everyone.get(tenant);
        let kept = |id: &ContentHash| rows.and_then(|rows| rows.messages.get(id));
        Ok(ids.iter().map(|id| kept(id).is_some_and(|(_, kept)| *kept >= until)).collect())
    }

    fn chains(
        &self,
        tenant: &str,
        chains: &[ChainHash],
        now: Timestamp,
    ) -> Result<Vec<Option<(ContentHash, Timestamp)>>, Error> {
        let everyone = self.lock();
        let rows = everyone.get(tenant);
        let find = |chain: &ChainHash| {
            rows.and_then(|rows| rows.chains.get(chain)).filter(|(_, until)| *until > now)
        };
        Ok(chains.iter().map(|chain| find(chain).copied()).collect())
    }

    fn answer(
        &self,
        tenant: &str,
        id: &str,
        now: Timestamp,
    ) -> Result<Option<Vec<ContentHash>>, Error> {
        Ok(self.read(tenant, |rows| {
            let found = rows.answers.get(id).filter(|(_, until)| *until > now);
            found.map(|(originals, _)| originals.clone())
        }))
    }

    fn messages(
        &self,
        tenant: &str,
        ids: &[ContentHash],
        now: Timestamp,
    ) -> Result<Vec<Option<Packed>>, Error> {
        let everyone = self.lock();
        let rows = everyone.get(tenant);
        let find = |id: &ContentHash| {
            let found = rows.and_then(|rows| rows.messages.get(id));
            found.filter(|(_, until)| *until > now).map(|(packed, _)| packed.clone())
        };
        Ok(ids.iter().map(find).collect())
    }

    fn put_adapter(
        &self,
        tenant: &Arc<str>,
        adapter: NewAdapter,
        most: u64,
    ) -> Result<(StoredAdapter, bool), Error> {
        let NewAdapter { name, definition, now } = adapter;
        let mut everyone = self.lock();
        let adapters = &mut everyone.entry(Arc::clone(tenant)).or_default().adapters;
        if let Some((stored, text)) = adapters.get_mut(&name) {
            if *text != definition {
                (stored.version, stored.updated_at) = (stored.version + 1, now);
                *text = definition;
            }
            return Ok((stored.clone(), false));
        }
        if adapters.len() as u64 >= most {
            return Err(Error::TooManyAdapters(most));
        }
        let stored =
            StoredAdapter { name: Arc::clone(&name), version: 1, created_at: now, updated_at: now };
        adapters.insert(name, (stored.clone(), definition));
        Ok((stored, true))
    }

    fn adapters(
        &self,
        tenant: &str,
        names: &[&str],
    ) -> Result<Vec<Option<(StoredAdapter, String)>>, Error> {
        let everyone = self.lock();
        let rows = everyone.get(tenant);
        let find = |name: &&str| {
            let (stored, text) = rows?.adapters.get(*name)?;
            Some((stored.clone(), text.to_string()))
        };
        Ok(names.iter().map(find).collect())
    }

    fn list_adapters(
        &self,
        tenant: &str,
        after: &str,
        limit: usize,
    ) -> Result<Vec<StoredAdapter>, Error> {
        Ok(self.read(tenant, |rows| {
            let behind = rows.adapters.range::<str, _>((Bound::Excluded(after), Bound::Unbounded));
            behind.take(limit).map(|(_, (stored, _))| stored.clone()).collect()
        }))
    }

    fn remove_adapter(&self, tenant: &Arc<str>, name: &str) -> Result<bool, Error> {
        let mut everyone = self.lock();
        let rows = everyone.get_mut(tenant);
        Ok(rows.is_some_and(|rows| rows.adapters.remove(name).is_some()))
    }

    fn tenants(&self) -> Result<Vec<String>, Error> {
        Ok(self.lock().keys().map(|name| (**name).to_owned()).collect())
    }

    fn purge(&self, now: Timestamp, max_bytes: u64) -> Result<(), Error> {
        let mut everyone = self.lock();
        for rows in everyone.values_mut() {
            rows.chains.retain(|_, (_, until)| *until > now);
            rows.answers.retain(|_, (_, until)| *until > now);
            rows.messages.retain(|_, (_, until)| *until > now);
            let mut newest: Vec<_> =
                rows.messages.values().map(|(packed, until)| (*until, packed.size)).collect();
            newest.sort_unstable_by(|a, b| b.cmp(a));
            let mut kept = 0_u64;
            let last = newest.into_iter().find(|(_, size)| {
                kept += *size as u64;
                kept > max_bytes
            });
            if let Some((last, _)) = last {
                rows.messages.retain(|_, (_, until)| *until > last);
            }
        }
        everyone.retain(|_, rows| !rows.is_empty());
        Ok(())
    }
}
