//! Stored responses to requests that may be repeated.

use super::removal::DELETE_BATCH_ROWS;
use super::sql::values;
use super::{Error, Tx};
use crate::domain::{ContentHash, Quota, Timestamp};

impl Tx<'_> {
    /// The hash of the request that an idempotency key came with, and the stored response.
    pub fn find_reply(
        &self,
        route: &str,
        key: &str,
    ) -> Result<Option<(ContentHash, String)>, Error> {
        self.first(
            "SELECT digest, answer FROM replies
             WHERE tenant = ?1 AND route = ?2 AND key = ?3 AND expires_at > ?4",
            values![route, key, self.now()],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
    }

    /// Stores a response until `until`, in the transaction of its effect: the transaction fails if
    /// another node was faster, or the tenant's quota has no room for it.
    pub fn remember_reply(
        &self,
        route: &str,
        key: &str,
        digest: &ContentHash,
        answer: &str,
        until: Timestamp,
    ) -> Result<(), Error> {
        self.execute(
            "DELETE FROM replies
             WHERE tenant = ?1 AND route = ?2 AND key = ?3 AND expires_at <= ?4",
            values![route, key, self.now()],
        )?;
        self.admit(Quota::ReplyBytes, answer.len() as u64)?;
        self.execute(
            "INSERT INTO replies (tenant, route, key, digest, answer, expires_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            values![route, key, digest, answer, until],
        )
        .map(drop)
    }

    /// Writes something and takes it away again.
    pub(super) fn probe(&self) -> Result<(), Error> {
        let digest = ContentHash([0; 32]);
        self.remember_reply("probe", "", &digest, "", self.now())?;
        self.execute("DELETE FROM replies WHERE tenant = ?1 AND route = 'probe'", values![])
            .map(drop)
    }

    /// Deletes some of the expired responses; returns whether there are more.
    pub(super) fn forget_replies(&self) -> Result<bool, Error> {
        let old: Vec<(String, String)> = self.all(
            &format!(
                "SELECT route, key FROM replies WHERE tenant = ?1 AND expires_at <= ?2
                 ORDER BY expires_at LIMIT {DELETE_BATCH_ROWS}"
            ),
            values![self.now()],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        for (route, key) in &old {
            self.execute(
                "DELETE FROM replies WHERE tenant = ?1 AND route = ?2 AND key = ?3",
                values![route, key],
            )?;
        }
        Ok(old.len() as u64 == DELETE_BATCH_ROWS)
    }
}
