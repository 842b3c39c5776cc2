//! Summaries by models: the first committed summary wins.

use std::time::Duration;

use super::removal::DELETE_BATCH_ROWS;
use super::sql::values;
use super::{Error, Tx};
use crate::domain::{ContentHash, Summary, Timestamp};

/// Age of the recorded time of use at which it is written again: a compile that only reads should
/// not have to write.
const USE_NOTE_INTERVAL: Duration = Duration::from_hours(1);

impl Tx<'_> {
    /// A summary by its key; and whether this session has a use of it to note.
    pub fn find_summary(
        &self,
        key: &ContentHash,
        session: &str,
    ) -> Result<Option<(Summary, bool)>, Error> {
        let found = self.all(
            "SELECT author, content, session, used_at FROM summaries
             WHERE tenant = ?1 AND digest = ?2 ORDER BY session",
            values![key],
            |row| {
                let summary = Summary { by: row.get(0)?, text: row.get(1)? };
                let (of, used_at): (String, Timestamp) = (row.get(2)?, row.get(3)?);
                let is_noted = of == session && self.now().since(used_at) < USE_NOTE_INTERVAL;
                Ok::<_, Error>((summary, is_noted))
            },
        )?;
        let is_noted = found.iter().any(|(_, is_noted)| *is_noted);
        Ok(found.into_iter().next().map(|(summary, _)| (summary, !is_noted)))
    }

    /// Stores a summary for a session unless another was faster; returns the one that is stored.
    pub fn keep_summary(
        &self,
        key: &ContentHash,
        session: &str,
        new: &Summary,
    ) -> Result<Summary, Error> {
        let known = self.find_summary(key, session)?;
        let summary = known.map_or_else(|| new.clone(), |(summary, _)| summary);
        self.execute(
            "INSERT INTO summaries (tenant, digest, session, author, content, used_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT (tenant, digest, session) DO UPDATE SET used_at = excluded.used_at",
            values![key, session, &*summary.by, &*summary.text, self.now()],
        )?;
        Ok(summary)
    }

    /// Makes it a holder's turn to have a summary written, until `until`; false while it is another's.
    pub fn claim_summary(
        &self,
        key: &ContentHash,
        holder: &str,
        until: Timestamp,
    ) -> Result<bool, Error> {
        let taken = self.execute(
            "INSERT INTO summary_turns (tenant, digest, holder, expires_at)
             VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (tenant, digest) DO UPDATE
             SET holder = excluded.holder, expires_at = excluded.expires_at
             WHERE summary_turns.expires_at <= ?5",
            values![key, holder, until, self.now()],
        )?;
        Ok(taken > 0)
    }

    /// Ends the turn of `holder`, if it still has it.
    pub fn release_summary(&self, key: &ContentHash, holder: &str) -> Result<(), Error> {
        let his = "DELETE FROM summary_turns WHERE tenant = ?1 AND digest = ?2 AND holder = ?3";
        self.execute(his, values![key, holder]).map(drop)
    }

    /// Deletes some of the summaries that no session names and that were not used for `kept`;
    /// returns whether there are more.
    pub(super) fn forget_summaries(&self, kept: Duration) -> Result<bool, Error> {
        let old: Vec<(ContentHash, String)> = self.all(
            &format!(
                "SELECT digest, session FROM summaries AS old
                 WHERE tenant = ?1 AND used_at <= ?2 AND NOT EXISTS (
                     SELECT 1 FROM sessions
                     WHERE sessions.tenant = ?1 AND sessions.id = old.session)
                 ORDER BY used_at LIMIT {DELETE_BATCH_ROWS}"
            ),
            values![self.now().before(kept)],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        for (digest, session) in &old {
            self.execute(
                "DELETE FROM summaries WHERE tenant = ?1 AND digest = ?2 AND session = ?3",
                values![digest, session],
            )?;
        }
        Ok(old.len() as u64 == DELETE_BATCH_ROWS)
    }
}
