//! Prefixes that providers are taken to keep for sessions, until they run out.

use std::sync::Arc;

use crate::domain::{ContentHash, Timestamp};
use crate::store::sql::{Row, values};
use crate::store::{Error, Store, Tx};

/// The prefix of a session's last payload in its provider's cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CachedPrefix {
    pub session: Arc<str>,
    pub expires_at: Timestamp,
    /// Seconds that the provider keeps it after each use.
    pub ttl_seconds: u64,
    /// The compile of the payload.
    pub compilation: Arc<str>,
    /// The model's name in the calibration of the session.
    pub model: Arc<str>,
    /// Of the payload's text up to the end of its last marked block.
    pub hash: ContentHash,
    pub tokens: u64,
    /// Micro-dollars that writing it again costs more than reading it; none if that is not known.
    pub rewrite_micros: Option<u64>,
}

const COLUMNS: &str = "session, expires_at, ttl_seconds, compilation, model, prefix_hash, \
    prefix_tokens, rewrite_micros";

const DUE_TENANTS: &str = "SELECT DISTINCT tenant FROM session_caches
    WHERE published = 0 AND expires_at <= ?1 ORDER BY tenant LIMIT ?2";

impl Store {
    /// Up to `limit` tenants with a prefix that runs out by a time, which was not published yet.
    pub fn tenants_with_expiring_caches(
        &self,
        by: Timestamp,
        limit: usize,
    ) -> Result<Vec<Arc<str>>, Error> {
        let mut found = Vec::new();
        self.inner.backend.read(None, &mut |sql| {
            found.clear();
            sql.query(DUE_TENANTS, values![by, limit], &mut |row| {
                found.push(row.get(0)?);
                Ok(())
            })
        })?;
        Ok(found)
    }
}

impl Tx<'_> {
    /// Stores the prefix of a session in the place of the one before, with a time that is not published
    /// yet.
    pub fn put_cached_prefix(&self, prefix: &CachedPrefix) -> Result<(), Error> {
        self.execute(
            &format!(
                "INSERT INTO session_caches (tenant, {COLUMNS}, published)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 0)
                 ON CONFLICT (tenant, session) DO UPDATE SET expires_at = excluded.expires_at,
                     ttl_seconds = excluded.ttl_seconds, compilation = excluded.compilation,
                     model = excluded.model, prefix_hash = excluded.prefix_hash,
                     prefix_tokens = excluded.prefix_tokens,
                     rewrite_micros = excluded.rewrite_micros, published = 0"
            ),
            values![
                &prefix.session,
                prefix.expires_at,
                prefix.ttl_seconds,
                &prefix.compilation,
                &prefix.model,
                &prefix.hash,
                prefix.tokens,
                prefix.rewrite_micros,
            ],
        )
        .map(drop)
    }

    /// The prefix of a session.
    pub fn cached_prefix(&self, session: &str) -> Result<Option<CachedPrefix>, Error> {
        self.first(
            &format!("SELECT {COLUMNS} FROM session_caches WHERE tenant = ?1 AND session = ?2"),
            values![session],
            prefix,
        )
    }

    /// Forgets the prefix of a session.
    pub fn forget_cached_prefix(&self, session: &str) -> Result<(), Error> {
        self.execute(
            "DELETE FROM session_caches WHERE tenant = ?1 AND session = ?2",
            values![session],
        )
        .map(drop)
    }

    /// Up to `limit` prefixes that run out by a time, which was not published yet; the first ones
    /// first.
    pub fn expiring_caches(&self, by: Timestamp, limit: usize) -> Result<Vec<CachedPrefix>, Error> {
        self.all(
            &format!(
                "SELECT {COLUMNS} FROM session_caches
                 WHERE tenant = ?1 AND published = 0 AND expires_at <= ?2
                 ORDER BY expires_at, session LIMIT ?3"
            ),
            values![by, limit],
            prefix,
        )
    }

    /// Claims the time at which a prefix runs out, for the node that publishes it. False if another
    /// node was faster, or if the prefix was used since.
    pub fn claim_expiring_cache(&self, prefix: &CachedPrefix) -> Result<bool, Error> {
        let claimed = self.execute(
            "UPDATE session_caches SET published = 1
             WHERE tenant = ?1 AND session = ?2 AND expires_at = ?3 AND published = 0",
            values![&prefix.session, prefix.expires_at],
        )?;
        Ok(claimed > 0)
    }
}

fn prefix(row: &dyn Row) -> Result<CachedPrefix, Error> {
    Ok(CachedPrefix {
        session: row.get(0)?,
        expires_at: row.get(1)?,
        ttl_seconds: row.get(2)?,
        compilation: row.get(3)?,
        model: row.get(4)?,
        hash: row.get(5)?,
        tokens: row.get(6)?,
        rewrite_micros: row.get(7)?,
    })
}
