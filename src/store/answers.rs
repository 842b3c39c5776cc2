//! Responses: the messages that were sent back, and the originals that they replace.

use std::collections::HashSet;

use super::artifacts::packed;
use super::batch::{ChainHash, ResponseMessage};
use super::pack::PackedText;
use super::removal::DELETE_BATCH_ROWS;
use super::sql::values;
use super::{Error, Tx};
use crate::domain::{ContentHash, Timestamp};

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

    /// Deletes some of the messages that expire at `last` or before; returns whether there are
    /// more. Content that an artifact needs too is kept for the artifact.
    pub(super) fn forget_messages(&self, last: Timestamp) -> Result<bool, Error> {
        let digests: Vec<ContentHash> = self.all(
            &format!(
                "SELECT digest FROM blobs WHERE tenant = ?1 AND expires_at <= ?2
                 ORDER BY expires_at LIMIT {DELETE_BATCH_ROWS}"
            ),
            values![last],
            |row| row.get(0),
        )?;
        self.remove_messages(&digests, "true")?;
        Ok(digests.len() as u64 == DELETE_BATCH_ROWS)
    }

    /// Removes those of these messages for which a condition on `blobs` is true. Content that an
    /// artifact needs too is kept for the artifact.
    pub(super) fn remove_messages(
        &self,
        digests: &[ContentHash],
        condition: &str,
    ) -> Result<(), Error> {
        self.execute_for(
            &format!(
                "UPDATE blobs SET expires_at = NULL
                 WHERE tenant = ?1 AND digest IN # AND expires_at IS NOT NULL AND EXISTS (
                     SELECT 1 FROM artifacts AS a
                     WHERE a.tenant = ?1 AND a.id = substr(blobs.digest, 1, 12)
                       AND a.digest = blobs.digest)
                   AND {condition}"
            ),
            values![],
            digests,
        )?;
        self.execute_for(
            &format!(
                "DELETE FROM blobs
                 WHERE tenant = ?1 AND digest IN # AND expires_at IS NOT NULL AND {condition}"
            ),
            values![],
            digests,
        )
        .map(drop)
    }

    /// Bytes of the messages that are kept. A trigger of the schema keeps the figure.
    pub(super) fn original_bytes(&self) -> Result<u64, Error> {
        let found = self.first(
            "SELECT original_bytes FROM tenant_usage WHERE tenant = ?1",
            values![],
            |row| row.get(0),
        )?;
        Ok(found.unwrap_or_default())
    }

    /// The expiry up to which messages must be deleted, so that the rest takes at most `max_bytes`;
    /// `None` if all may stay. Reads no more rows than are to be deleted.
    pub(super) fn last_beyond(&self, max_bytes: u64) -> Result<Option<Timestamp>, Error> {
        let beyond = self.original_bytes()?.saturating_sub(max_bytes);
        if beyond == 0 {
            return Ok(None);
        }
        // In the order of the index, so that the sums end at the first that is large enough.
        self.first(
            "SELECT expires_at FROM (
                 SELECT expires_at, sum(size) OVER (ORDER BY expires_at) AS bytes
                 FROM blobs WHERE tenant = ?1 AND expires_at IS NOT NULL) AS sums
             WHERE bytes >= ?2 ORDER BY expires_at LIMIT 1",
            values![beyond],
            |row| row.get(0),
        )
    }
}
