//! Snapshots: a session's state at a time, its messages by their digests.

use std::sync::Arc;

use super::texts::digests;
use crate::domain::{RawJson, SnapshotHead};
use crate::store::sql::{Row, values};
use crate::store::{Error, Tx};

/// A snapshot as it is stored.
#[derive(Debug, Clone)]
pub struct StoredSnapshot {
    pub head: SnapshotHead,
    /// All of the session's state except its messages.
    pub document: String,
    pub messages: Vec<RawJson>,
}

/// The columns of an index, which has all that a list shows.
const HEAD_COLUMNS: &str = "id, session, label, created_at, length(digests), hooks_scoped";

/// Bytes of the digest of a message.
const DIGEST_BYTES: u64 = 32;

impl Tx<'_> {
    /// Stores a snapshot of a session's present state. `document` is all of the state except the
    /// messages of the session.
    pub fn put_snapshot(&self, head: &SnapshotHead, document: &str) -> Result<(), Error> {
        let digests = self.message_digests(&head.session)?;
        let digests: Vec<u8> = digests.iter().flat_map(|hash| hash.0).collect();
        self.execute(
            "INSERT INTO snapshots (tenant, id, session, label, created_at, document, digests,
                                    hooks_scoped)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            values![
                &head.id,
                &head.session,
                head.label.as_deref(),
                head.created_at,
                document,
                &digests,
                head.hooks_scoped
            ],
        )
        .map(drop)
    }

    /// Bytes of a snapshot; 0 if there is none.
    pub fn snapshot_bytes(&self, id: &str) -> Result<usize, Error> {
        let found = self.first(
            "SELECT document, digests FROM snapshots WHERE tenant = ?1 AND id = ?2",
            values![id],
            |row| Ok((row.get::<String>(0)?.len(), row.get::<Vec<u8>>(1)?)),
        )?;
        let Some((document, joined)) = found else { return Ok(0) };
        Ok(self.bytes_of_messages(&digests(&joined))?.saturating_add(document))
    }

    /// Reads a snapshot.
    pub fn snapshot(&self, id: &str) -> Result<Option<StoredSnapshot>, Error> {
        let found = self.first(
            &format!(
                "SELECT {HEAD_COLUMNS}, document, digests FROM snapshots WHERE tenant = ?1 AND id = ?2"
            ),
            values![id],
            |row| Ok((head(row)?, row.get::<String>(6)?, row.get::<Vec<u8>>(7)?)),
        )?;
        let Some((head, document, digests)) = found else { return Ok(None) };
        let messages = self.messages_of(&digests)?;
        Ok(Some(StoredSnapshot { head, document, messages }))
    }

    /// Lists up to `limit` snapshots of a session after an id, in the order of their creation.
    pub fn list_snapshots(
        &self,
        session: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<SnapshotHead>, Error> {
        self.all(
            &format!(
                "SELECT {HEAD_COLUMNS} FROM snapshots
                 WHERE tenant = ?1 AND session = ?2 AND id > ?3 ORDER BY id LIMIT ?4"
            ),
            values![session, after.unwrap_or_default(), limit],
            head,
        )
    }
}

fn head(row: &dyn Row) -> Result<SnapshotHead, Error> {
    let label: Option<Arc<str>> = row.get(2)?;
    Ok(SnapshotHead {
        id: row.get(0)?,
        session: row.get(1)?,
        label,
        created_at: row.get(3)?,
        messages: row.get::<u64>(4)? / DIGEST_BYTES,
        hooks_scoped: row.get(5)?,
    })
}
