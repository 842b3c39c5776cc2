//! Responses: the messages that were sent back, and the originals that they replace.

use std::collections::HashSet;

use super::artifacts::packed;
use super::batch::{ChainHash, ResponseMessage};
use super::pack::PackedText;
use super::sql::{FromValue, Sql, SqlValue, values};
use super::{Error, Tx};
use crate::domain::{ContentHash, Timestamp};

/// Rows of a table that are removed in one transaction, triggers included, so that no write of the
/// tenant waits for long.
pub(super) const DELETE_BATCH_ROWS: u64 = 100;

impl Tx<'_> {
    /// Stores an original message that a response replaces, or extends its expiry.
    pub(super) fn put_message(
        &self,
        hash: &ContentHash,
        packed: &PackedText,
        until: Timestamp,
    ) -> Result<(), Error> {
        self.execute(
            "INSERT INTO blobs (tenant, digest, form, size, content, expires_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT (tenant, digest) DO UPDATE SET expires_at =
                 CASE WHEN blobs.expires_at > excluded.expires_at
                      THEN blobs.expires_at ELSE excluded.expires_at END",
            values![hash, packed.form.code(), packed.size, &packed.content, until],
        )
        .map(drop)
    }

    /// Records which original a chain refers to.
    pub(super) fn put_chain(&self, item: &ResponseMessage, until: Timestamp) -> Result<(), Error> {
        self.execute(
            "INSERT INTO chains (tenant, chain, original, expires_at) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (tenant, chain) DO UPDATE
             SET original = excluded.original, expires_at = excluded.expires_at",
            values![&item.chain.0, &item.original, until],
        )
        .map(drop)
    }

    /// Stores which originals an answer has, in order.
    pub(super) fn put_answer(
        &self,
        id: &str,
        originals: &[ContentHash],
        until: Timestamp,
    ) -> Result<(), Error> {
        let joined: Vec<u8> = originals.iter().flat_map(|hash| hash.0).collect();
        self.execute(
            "INSERT INTO answers (tenant, id, originals, expires_at) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (tenant, id) DO UPDATE
             SET originals = excluded.originals, expires_at = excluded.expires_at",
            values![id, &joined, until],
        )
        .map(drop)
    }

    /// Flags of the messages that are kept until `until` at least.
    pub(super) fn has_messages(
        &self,
        ids: &[ContentHash],
        until: Timestamp,
    ) -> Result<Vec<bool>, Error> {
        // The date is no condition: SQLite would go through all that are not out of date.
        let found = self.all_of(
            "SELECT digest, expires_at FROM blobs WHERE tenant = ?1",
            values![],
            ids,
            // Content that is only an artifact has no such expiry.
            |row| Ok((row.get::<ContentHash>(0)?, row.get::<Option<Timestamp>>(1)?)),
        )?;
        let kept_on = found.into_iter().filter(|(_, end)| end.is_some_and(|end| end >= until));
        let kept: HashSet<ContentHash> = kept_on.map(|(id, _)| id).collect();
        Ok(ids.iter().map(|id| kept.contains(id)).collect())
    }

    /// The original that each chain refers to, and when that entry expires.
    pub(super) fn chains(
        &self,
        chains: &[ChainHash],
    ) -> Result<Vec<Option<(ContentHash, Timestamp)>>, Error> {
        let find = |chain: &ChainHash| {
            self.first(
                "SELECT original, expires_at FROM chains
                 WHERE tenant = ?1 AND chain = ?2 AND expires_at > ?3",
                values![&chain.0, self.now()],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )
        };
        chains.iter().map(find).collect()
    }

    /// The originals of an answer that has not expired.
    pub(super) fn answer(&self, id: &str) -> Result<Option<Vec<ContentHash>>, Error> {
        self.first(
            "SELECT originals FROM answers WHERE tenant = ?1 AND id = ?2 AND expires_at > ?3",
            values![id, self.now()],
            |row| {
                let joined: Vec<u8> = row.get(0)?;
                let (hashes, _) = joined.as_chunks::<32>();
                Ok(hashes.iter().copied().map(ContentHash).collect())
            },
        )
    }

    /// The content of messages that have not expired.
    pub(super) fn messages(&self, ids: &[ContentHash]) -> Result<Vec<Option<PackedText>>, Error> {
        let find = |id: &ContentHash| {
            self.first(
                "SELECT form, size, content FROM blobs
                 WHERE tenant = ?1 AND digest = ?2 AND expires_at > ?3",
                values![id, self.now()],
                |row| packed(row, 0),
            )
        };
        ids.iter().map(find).collect()
    }

    /// Bytes of the messages that have not expired; of one that is named twice, twice its bytes.
    pub fn message_bytes(&self, ids: &[ContentHash]) -> Result<usize, Error> {
        let statement = "SELECT size FROM blobs
             WHERE tenant = ?1 AND digest = ?2 AND expires_at > ?3";
        let mut total = 0_usize;
        for id in ids {
            let found =
                self.first(statement, values![id, self.now()], |row| row.get::<usize>(0))?;
            total = total.saturating_add(found.unwrap_or_default());
        }
        Ok(total)
    }

    /// Deletes some of the expired entries; returns whether there are more.
    pub(super) fn forget_answers(&self) -> Result<bool, Error> {
        let values: &[SqlValue<'_>] = values![self.now(), DELETE_BATCH_ROWS];
        let chains = self.execute(
            "DELETE FROM chains WHERE tenant = ?1 AND chain IN (
                 SELECT chain FROM chains WHERE tenant = ?1 AND expires_at <= ?2 LIMIT ?3)",
            values,
        )?;
        let answers = self.execute(
            "DELETE FROM answers WHERE tenant = ?1 AND id IN (
                 SELECT id FROM answers WHERE tenant = ?1 AND expires_at <= ?2 LIMIT ?3)",
            values,
        )?;
        let messages = self.forget_messages(self.now())?;
        let replies = self.forget_replies()?;
        Ok(messages || replies || chains.max(answers) == DELETE_BATCH_ROWS)
    }

    /// Deletes some of the messages that expire at `last` or before; returns whether there are
    /// more. Content that an artifact needs too is kept for the artifact.
    pub(super) fn forget_messages(&self, last: Timestamp) -> Result<bool, Error> {
        let digests: Vec<ContentHash> = self.all(
            "SELECT digest FROM blobs WHERE tenant = ?1 AND expires_at <= ?2 LIMIT ?3",
            values![last, DELETE_BATCH_ROWS],
            |row| row.get(0),
        )?;
        for digest in &digests {
            let kept = self.execute(
                "UPDATE blobs SET expires_at = NULL
                 WHERE tenant = ?1 AND digest = ?2 AND EXISTS (
                     SELECT 1 FROM artifacts
                     WHERE tenant = ?1 AND id = substr(?2, 1, 12) AND digest = ?2)",
                values![digest],
            )?;
            if kept == 0 {
                self.execute(
                    "DELETE FROM blobs WHERE tenant = ?1 AND digest = ?2",
                    values![digest],
                )?;
            }
        }
        Ok(digests.len() as u64 == DELETE_BATCH_ROWS)
    }

    /// The expiry up to which messages must be deleted, so that the rest takes at most `max_bytes`;
    /// `None` if all may stay.
    pub(super) fn last_beyond(&self, max_bytes: u64) -> Result<Option<Timestamp>, Error> {
        let all: Option<u64> = self.first(
            "SELECT CAST(coalesce(sum(size), 0) AS BIGINT) FROM blobs
             WHERE tenant = ?1 AND expires_at IS NOT NULL",
            values![],
            |row| row.get(0),
        )?;
        if all.unwrap_or_default() <= max_bytes {
            return Ok(None);
        }
        let last = self.first(
            "SELECT max(expires_at) FROM (
                 SELECT expires_at,
                        sum(size) OVER (ORDER BY expires_at DESC RANGE UNBOUNDED PRECEDING) AS kept
                 FROM blobs WHERE tenant = ?1 AND expires_at IS NOT NULL) AS sums
             WHERE kept > ?2",
            values![max_bytes],
            |row| row.get(0),
        )?;
        Ok(last.flatten())
    }
}

/// Tables that name every tenant with rows to clean up: tables with an expiry, and the hooks.
const CLEANED_TABLES: [&str; 11] = [
    "blobs",
    "answers",
    "chains",
    "memory_state",
    "event_state",
    "replies",
    "sessions",
    "deliveries",
    "summaries",
    "hook_state",
    "lineages",
];

/// Every tenant with rows to clean up, found by one step in an index each.
pub(super) fn tenants(sql: &dyn Sql) -> Result<Vec<String>, Error> {
    let next = CLEANED_TABLES
        .map(|table| format!("SELECT min(tenant) AS tenant FROM {table} WHERE tenant > ?1"))
        .join(" UNION ALL ");
    let next = format!("SELECT min(tenant) FROM ({next}) AS firsts");
    let mut found: Vec<String> = Vec::new();
    loop {
        let after = found.last().map_or("", String::as_str);
        let mut name = None;
        sql.query(&next, values![after], &mut |row| {
            name = FromValue::from_value(row.value(0)?);
            Ok(())
        })?;
        match name {
            Some(name) => found.push(name),
            None => return Ok(found),
        }
    }
}
