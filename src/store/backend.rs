//! What a place to store things must be able to do.
//!
//! Time comes in as an argument, so rows are the same in every run. Whoever implements this is
//! held to `store/tests.rs`; nobody but [`super::Tenant`] and [`super::Store`] calls it.

use std::fmt;
use std::sync::Arc;

use super::batch::{ChainHash, NewArtifact};
use super::pack::Packed;
use super::{Error, Item};
use crate::domain::{Artifact, ArtifactId, ContentHash, StoredAdapter, Timestamp};

pub(super) trait Backend: fmt::Debug + Send + Sync {
    /// Stores everything or nothing. Answers the artifacts, in their order.
    fn commit(&self, tenant: &Arc<str>, write: Write) -> Result<Vec<Artifact>, Error>;

    /// An artifact that is there at `now`, with its content.
    fn artifact(
        &self,
        tenant: &str,
        id: ArtifactId,
        now: Timestamp,
    ) -> Result<Option<(Artifact, Packed)>, Error>;

    /// Notes that an artifact was read. May be late, and may be lost.
    fn touch(&self, tenant: &Arc<str>, id: ArtifactId, now: Timestamp);

    /// Which of these artifacts are there, expired or not.
    fn has_artifacts(&self, tenant: &str, ids: &[ContentHash]) -> Result<Vec<bool>, Error>;

    /// All artifacts of a tenant, expired ones too, with what a cleanup decides by.
    fn artifacts(&self, tenant: &str) -> Result<Vec<Entry>, Error>;

    /// Removes artifacts and their content; passes over those that were stored again since
    /// their entry was read. Answers which are gone by this call.
    fn remove(&self, tenant: &Arc<str>, entries: Vec<Entry>) -> Result<Vec<bool>, Error>;

    /// Which of these messages are kept until `until` at least.
    fn has_messages(
        &self,
        tenant: &str,
        ids: &[ContentHash],
        until: Timestamp,
    ) -> Result<Vec<bool>, Error>;

    /// What each chain stands for at `now`, and until when that is kept.
    fn chains(
        &self,
        tenant: &str,
        chains: &[ChainHash],
        now: Timestamp,
    ) -> Result<Vec<Option<(ContentHash, Timestamp)>>, Error>;

    /// The originals of an answer that is there at `now`.
    fn answer(
        &self,
        tenant: &str,
        id: &str,
        now: Timestamp,
    ) -> Result<Option<Vec<ContentHash>>, Error>;

    /// The content of messages that are there at `now`.
    fn messages(
        &self,
        tenant: &str,
        ids: &[ContentHash],
        now: Timestamp,
    ) -> Result<Vec<Option<Packed>>, Error>;

    /// Stores a definition under its name, or replaces it; answers whether it is new. One that is
    /// new where there are `most` already is refused. Survives the machine's power.
    fn put_adapter(
        &self,
        tenant: &Arc<str>,
        adapter: NewAdapter,
        most: u64,
    ) -> Result<(StoredAdapter, bool), Error>;

    /// The definitions of these names, one each.
    fn adapters(
        &self,
        tenant: &str,
        names: &[&str],
    ) -> Result<Vec<Option<(StoredAdapter, String)>>, Error>;

    /// At most so many in the byte order of their names, those behind `after`.
    fn list_adapters(
        &self,
        tenant: &str,
        after: &str,
        limit: usize,
    ) -> Result<Vec<StoredAdapter>, Error>;

    /// Answers whether it was there. Survives the machine's power.
    fn remove_adapter(&self, tenant: &Arc<str>, name: &str) -> Result<bool, Error>;

    /// At least everyone who has stored something that goes at some time.
    fn tenants(&self) -> Result<Vec<String>, Error>;

    /// Forgets chains, answers and messages that have expired at `now`, and of each tenant the
    /// messages that expire first, until the rest has `max_bytes` at most.
    fn purge(&self, now: Timestamp, max_bytes: u64) -> Result<(), Error>;
}

/// A batch, as far as it is not stored yet.
#[derive(Debug)]
pub(super) struct Write {
    pub(super) now: Timestamp,
    /// Until when artifacts are kept.
    pub(super) expires_at: Timestamp,
    /// Until when all else is kept: a little longer, so that a renewal need not write each time.
    pub(super) until: Timestamp,
    /// Packed where they are not known to be stored.
    pub(super) artifacts: Vec<(NewArtifact, Option<Packed>)>,
    pub(super) messages: Vec<(ContentHash, Packed)>,
    /// Messages that are known to be stored, to be kept longer.
    pub(super) chains: Vec<Item>,
    pub(super) answer: Option<(String, Vec<ContentHash>)>,
}

/// A definition that is to be stored.
#[derive(Debug)]
pub(super) struct NewAdapter {
    pub(super) name: Arc<str>,
    pub(super) definition: Arc<str>,
    pub(super) now: Timestamp,
}

/// What a cleanup knows of an artifact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) id: ArtifactId,
    pub(super) bytes: u64,
    pub(super) renewed_at: Timestamp,
    pub(super) accessed_at: Timestamp,
    pub(super) expires_at: Timestamp,
}
