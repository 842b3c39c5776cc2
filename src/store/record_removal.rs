//! Removes records of compiles, with the texts that they need and the responses that go with them.
//!
//! A record in full may need any number of texts, so each call removes a bounded number of rows.

use std::sync::Arc;

use super::removal::{DELETE_BATCH_ROWS, OwnedRows};
use super::sql::values;
use super::{Error, Tx};
use crate::domain::ContentHash;

/// Records that are removed in one transaction.
const DELETE_BATCH_RECORDS: u64 = 64;

/// What becomes of the content of texts that a removed record needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TextContent {
    /// It has an expiry of its own.
    Expires,
    /// It is removed now, unless something else needs it.
    Removed,
}

impl Tx<'_> {
    /// Deletes up to `rows` rows of a session's records, and every text that nothing else needs; `rows`
    /// goes down by what was deleted. Returns whether all records are gone.
    pub(super) fn forget_session_records(
        &self,
        session: &str,
        rows: &mut u64,
    ) -> Result<bool, Error> {
        // The empty text means no session.
        if session.is_empty() {
            return Ok(true);
        }
        loop {
            let ids: Vec<Arc<str>> = self.all(
                &format!(
                    "SELECT id FROM compilations WHERE tenant = ?1 AND session = ?2
                     ORDER BY id LIMIT {DELETE_BATCH_RECORDS}"
                ),
                values![session],
                |row| row.get(0),
            )?;
            if ids.is_empty() {
                return Ok(true);
            }
            if *rows == 0 {
                return Ok(false);
            }
            self.remove_records(&ids, TextContent::Removed, rows)?;
        }
    }

    /// Deletes some of the expired records; returns whether there are more. Their texts have an
    /// expiry of their own.
    pub(super) fn forget_compilations(&self) -> Result<bool, Error> {
        let ids: Vec<Arc<str>> = self.all(
            &format!(
                "SELECT id FROM compilations WHERE tenant = ?1 AND expires_at <= ?2
                 ORDER BY expires_at, id LIMIT {DELETE_BATCH_RECORDS}"
            ),
            values![self.now()],
            |row| row.get(0),
        )?;
        let mut rows = DELETE_BATCH_ROWS;
        self.remove_records(&ids, TextContent::Expires, &mut rows)?;
        Ok(rows == 0 || ids.len() as u64 == DELETE_BATCH_RECORDS)
    }

    /// Deletes records in their order, as far as `rows` rows go. A record is deleted after its texts.
    fn remove_records(
        &self,
        ids: &[Arc<str>],
        content: TextContent,
        rows: &mut u64,
    ) -> Result<(), Error> {
        let mut without_texts = 0;
        for id in ids {
            if *rows == 0 {
                break;
            }
            let texts = self.remove_record_texts(id, content, *rows)?;
            *rows -= texts;
            // The last text may have been the last row.
            if *rows > 0 {
                *rows -= 1;
                without_texts += 1;
            }
        }
        let done = ids.get(..without_texts).unwrap_or_default();
        for (table, column) in [("hook_responses", "compilation"), ("compilations", "id")] {
            let delete = format!("DELETE FROM {table} WHERE tenant = ?1 AND {column} IN #");
            self.execute_for(&delete, values![], done)?;
        }
        Ok(())
    }

    /// Deletes up to `limit` texts of a record; returns how many.
    fn remove_record_texts(
        &self,
        id: &str,
        content: TextContent,
        limit: u64,
    ) -> Result<u64, Error> {
        let rows = OwnedRows { table: "compilation_texts", owner: "compilation", key: "digest" };
        let digests: Vec<ContentHash> = self.delete_owned(rows, id, limit)?;
        if content == TextContent::Removed {
            self.forget_texts(&digests)?;
        }
        Ok(digests.len() as u64)
    }

    /// Removes texts that no record, artifact or answer needs any more.
    fn forget_texts(&self, digests: &[ContentHash]) -> Result<(), Error> {
        let unneeded = "NOT EXISTS (
                 SELECT 1 FROM compilation_texts AS c
                 WHERE c.tenant = ?1 AND c.digest = blobs.digest)
               AND NOT EXISTS (
                 SELECT 1 FROM chains AS c WHERE c.tenant = ?1 AND c.original = blobs.digest)";
        self.remove_messages(digests, unneeded)
    }
}
