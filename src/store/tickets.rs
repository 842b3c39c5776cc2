//! Tickets for streams, by the hash of their text.

use std::sync::Arc;

use super::sql::values;
use super::{Error, Store, Tx};
use crate::domain::{ContentHash, Timestamp};

/// Tickets of a tenant that may be out at once.
const MAX_TICKETS: u64 = 10_000;

impl Store {
    /// The tenant of a ticket, used or not: a lookup that is made before the tenant is known.
    pub fn find_ticket(&self, ticket: &ContentHash) -> Result<Option<Arc<str>>, Error> {
        let mut found = None;
        self.inner.backend.read(None, &mut |sql| {
            sql.query("SELECT tenant FROM tickets WHERE digest = ?1", values![ticket], &mut |row| {
                found = Some(row.get::<String>(0)?.into());
                Ok(())
            })
        })?;
        Ok(found)
    }
}

impl Tx<'_> {
    /// Issues a ticket for the holder of a key, until `until`; false if there are too many.
    pub fn put_ticket(
        &self,
        ticket: &ContentHash,
        key: Option<&str>,
        until: Timestamp,
    ) -> Result<bool, Error> {
        self.delete_expired::<ContentHash>("tickets", "digest")?;
        let out = "SELECT count(*) FROM tickets WHERE tenant = ?1";
        let out: Option<u64> = self.first(out, values![], |row| row.get(0))?;
        if out.unwrap_or_default() >= MAX_TICKETS {
            return Ok(false);
        }
        self.execute(
            "INSERT INTO tickets (tenant, digest, key, expires_at) VALUES (?1, ?2, ?3, ?4)",
            values![ticket, key, until],
        )?;
        Ok(true)
    }

    /// The key of a ticket that was issued and is not expired; the ticket stays valid.
    pub fn read_ticket(&self, ticket: &ContentHash) -> Result<Option<Option<Arc<str>>>, Error> {
        self.first(
            "SELECT key FROM tickets WHERE tenant = ?1 AND digest = ?2 AND expires_at > ?3",
            values![ticket, self.now()],
            |row| Ok(row.get::<Option<String>>(0)?.map(Arc::from)),
        )
    }

    /// Redeems a ticket; returns its key if it was issued, unused and not expired.
    pub fn take_ticket(&self, ticket: &ContentHash) -> Result<Option<Option<Arc<str>>>, Error> {
        let found = self.first(
            "SELECT key, expires_at FROM tickets WHERE tenant = ?1 AND digest = ?2",
            values![ticket],
            |row| Ok((row.get::<Option<String>>(0)?, row.get::<Timestamp>(1)?)),
        )?;
        self.execute("DELETE FROM tickets WHERE tenant = ?1 AND digest = ?2", values![ticket])?;
        let good = found.filter(|(_, until)| *until > self.now());
        Ok(good.map(|(key, _)| key.map(Arc::from)))
    }
}
