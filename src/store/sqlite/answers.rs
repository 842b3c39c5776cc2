//! Answers, chains and messages in tables.

use rusqlite::{Connection, OptionalExtension as _, Result, params};

use super::artifacts::{packed, whole};
use crate::domain::{ContentHash, Timestamp};
use crate::store::backend::Write;
use crate::store::batch::ChainHash;
use crate::store::pack::Packed;

/// Stores the messages, the chains and the answer of a batch, or renews them.
pub(super) fn put(connection: &Connection, tenant: &str, write: &Write) -> Result<()> {
    let until = write.until.micros();
    let mut statement = connection.prepare_cached(
        "INSERT INTO blobs (tenant, digest, form, size, content, expires_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT DO UPDATE SET expires_at = max(coalesce(expires_at, 0), excluded.expires_at)",
    )?;
    for (hash, packed) in &write.messages {
        let Packed { form, size, content } = packed;
        statement.execute(params![tenant, hash.0, form, whole(*size), content, until])?;
    }
    let mut statement = connection.prepare_cached(
        "INSERT INTO chains (tenant, chain, original, expires_at) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT DO UPDATE SET original = excluded.original, expires_at = excluded.expires_at",
    )?;
    for item in &write.chains {
        statement.execute(params![tenant, item.chain.0, item.original.0, until])?;
    }
    if let Some((id, originals)) = &write.answer {
        let joined: Vec<u8> = originals.iter().flat_map(|hash| hash.0).collect();
        connection
            .prepare_cached(
                "INSERT INTO answers (tenant, id, originals, expires_at) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT DO UPDATE
                 SET originals = excluded.originals, expires_at = excluded.expires_at",
            )?
            .execute(params![tenant, id, joined, until])?;
    }
    Ok(())
}

pub(super) fn has_messages(
    connection: &Connection,
    tenant: &str,
    ids: &[ContentHash],
    until: Timestamp,
) -> Result<Vec<bool>> {
    let mut statement = connection.prepare_cached(
        "SELECT 1 FROM blobs WHERE tenant = ?1 AND digest = ?2 AND expires_at >= ?3",
    )?;
    ids.iter().map(|id| statement.exists(params![tenant, id.0, until.micros()])).collect()
}

pub(super) fn chains(
    connection: &Connection,
    tenant: &str,
    chains: &[ChainHash],
    now: Timestamp,
) -> Result<Vec<Option<(ContentHash, Timestamp)>>> {
    let mut statement = connection.prepare_cached(
        "SELECT original, expires_at FROM chains
         WHERE tenant = ?1 AND chain = ?2 AND expires_at > ?3",
    )?;
    let find = |chain: &ChainHash| {
        let values = params![tenant, chain.0, now.micros()];
        let row = statement.query_row(values, |row| {
            Ok((ContentHash(row.get(0)?), Timestamp::from_micros(row.get(1)?)))
        });
        row.optional()
    };
    chains.iter().map(find).collect()
}

pub(super) fn find(
    connection: &Connection,
    tenant: &str,
    id: &str,
    now: Timestamp,
) -> Result<Option<Vec<ContentHash>>> {
    connection
        .prepare_cached(
            "SELECT originals FROM answers WHERE tenant = ?1 AND id = ?2 AND expires_at > ?3",
        )?
        .query_row(params![tenant, id, now.micros()], |row| {
            let joined: Vec<u8> = row.get(0)?;
            let (hashes, _) = joined.as_chunks::<32>();
            Ok(hashes.iter().copied().map(ContentHash).collect())
        })
        .optional()
}

pub(super) fn messages(
    connection: &Connection,
    tenant: &str,
    ids: &[ContentHash],
    now: Timestamp,
) -> Result<Vec<Option<Packed>>> {
    let mut statement = connection.prepare_cached(
        "SELECT form, size, content FROM blobs
         WHERE tenant = ?1 AND digest = ?2 AND expires_at > ?3",
    )?;
    let find = |id: &ContentHash| {
        let values = params![tenant, id.0, now.micros()];
        statement.query_row(values, |row| packed(row, 0)).optional()
    };
    ids.iter().map(find).collect()
}

/// Everyone with a row, found by one step in the index each.
pub(super) fn tenants(connection: &Connection) -> Result<Vec<String>> {
    let mut statement = connection.prepare_cached(
        "WITH RECURSIVE found (tenant) AS (
             SELECT min(tenant) FROM (SELECT min(tenant) AS tenant FROM blobs
                                      UNION ALL SELECT min(tenant) FROM answers
                                      UNION ALL SELECT min(tenant) FROM chains)
             UNION ALL
             SELECT (SELECT min(tenant) FROM (
                         SELECT min(tenant) AS tenant FROM blobs WHERE tenant > found.tenant
                         UNION ALL SELECT min(tenant) FROM answers WHERE tenant > found.tenant
                         UNION ALL SELECT min(tenant) FROM chains WHERE tenant > found.tenant))
             FROM found WHERE found.tenant IS NOT NULL)
         SELECT tenant FROM found WHERE tenant IS NOT NULL",
    )?;
    statement.query_map([], |row| row.get(0))?.collect()
}

/// Rows of a table that are removed in one transaction, so that no write waits for long.
const FORGOTTEN_AT_ONCE: usize = 1000;

/// Forgets some of what has expired at `now`; answers whether there is more.
pub(super) fn forget(connection: &Connection, tenant: &str, now: Timestamp) -> Result<bool> {
    let values = params![tenant, now.micros(), whole(FORGOTTEN_AT_ONCE)];
    let chains = connection
        .prepare_cached(
            "DELETE FROM chains WHERE tenant = ?1 AND chain IN (
                 SELECT chain FROM chains WHERE tenant = ?1 AND expires_at <= ?2 LIMIT ?3)",
        )?
        .execute(values)?;
    let answers = connection
        .prepare_cached(
            "DELETE FROM answers WHERE tenant = ?1 AND id IN (
                 SELECT id FROM answers WHERE tenant = ?1 AND expires_at <= ?2 LIMIT ?3)",
        )?
        .execute(values)?;
    let messages = forget_messages(connection, tenant, now)?;
    Ok(messages || chains.max(answers) == FORGOTTEN_AT_ONCE)
}

/// Forgets some of the messages that expire at `last` or before; answers whether there are more.
/// What an artifact needs too stays as its.
pub(super) fn forget_messages(
    connection: &Connection,
    tenant: &str,
    last: Timestamp,
) -> Result<bool> {
    let digests: Vec<[u8; 32]> = connection
        .prepare_cached("SELECT digest FROM blobs WHERE tenant = ?1 AND expires_at <= ?2 LIMIT ?3")?
        .query_map(params![tenant, last.micros(), whole(FORGOTTEN_AT_ONCE)], |row| row.get(0))?
        .collect::<Result<_>>()?;
    let mut keep = connection.prepare_cached(
        "UPDATE blobs SET expires_at = NULL
         WHERE tenant = ?1 AND digest = ?2 AND EXISTS (
             SELECT 1 FROM artifacts WHERE tenant = ?1 AND id = substr(?2, 1, 12) AND digest = ?2)",
    )?;
    let mut delete =
        connection.prepare_cached("DELETE FROM blobs WHERE tenant = ?1 AND digest = ?2")?;
    for digest in &digests {
        if keep.execute(params![tenant, digest])? == 0 {
            delete.execute(params![tenant, digest])?;
        }
    }
    Ok(digests.len() == FORGOTTEN_AT_ONCE)
}

/// The expiry up to which messages must go, so that the rest takes `max_bytes` at most; none
/// where all do.
pub(super) fn first_within(
    connection: &Connection,
    tenant: &str,
    max_bytes: u64,
) -> Result<Option<Timestamp>> {
    let all: i64 = connection
        .prepare_cached(
            "SELECT coalesce(sum(size), 0) FROM blobs
             WHERE tenant = ?1 AND expires_at IS NOT NULL",
        )?
        .query_row([tenant], |row| row.get(0))?;
    if all <= whole(max_bytes) {
        return Ok(None);
    }
    connection
        .prepare_cached(
            "SELECT max(expires_at) FROM (
                 SELECT expires_at,
                        sum(size) OVER (ORDER BY expires_at DESC RANGE UNBOUNDED PRECEDING) AS kept
                 FROM blobs WHERE tenant = ?1 AND expires_at IS NOT NULL)
             WHERE kept > ?2",
        )?
        .query_row(params![tenant, whole(max_bytes)], |row| {
            Ok(row.get::<_, Option<i64>>(0)?.map(Timestamp::from_micros))
        })
}
