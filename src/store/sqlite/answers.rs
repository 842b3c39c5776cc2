//! Answers, chains and messages in tables.

use rusqlite::{Connection, OptionalExtension as _, Result, named_params, params};

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

/// Forgets what has expired, then the messages that expire first while all take more than
/// `max_bytes`.
pub(super) fn purge(
    connection: &Connection,
    tenant: &str,
    now: Timestamp,
    max_bytes: u64,
) -> Result<()> {
    for table in ["chains", "answers"] {
        connection
            .prepare_cached(&format!("DELETE FROM {table} WHERE tenant = ?1 AND expires_at <= ?2"))?
            .execute(params![tenant, now.micros()])?;
    }
    forget_messages(connection, tenant, now)?;
    if let Some(last) = first_within(connection, tenant, max_bytes)? {
        forget_messages(connection, tenant, last)?;
    }
    Ok(())
}

/// Forgets messages that expire at `last` or before. What an artifact needs too stays as its.
fn forget_messages(connection: &Connection, tenant: &str, last: Timestamp) -> Result<()> {
    let values = named_params! { ":tenant": tenant, ":last": last.micros() };
    connection
        .prepare_cached(
            "UPDATE blobs SET expires_at = NULL
             WHERE tenant = :tenant AND expires_at <= :last AND EXISTS (
                 SELECT 1 FROM artifacts AS a
                 WHERE a.tenant = blobs.tenant AND a.id = substr(blobs.digest, 1, 12)
                   AND a.digest = blobs.digest)",
        )?
        .execute(values)?;
    connection
        .prepare_cached("DELETE FROM blobs WHERE tenant = :tenant AND expires_at <= :last")?
        .execute(values)
        .map(drop)
}

/// The expiry up to which messages must go, so that the rest takes `max_bytes` at most.
fn first_within(
    connection: &Connection,
    tenant: &str,
    max_bytes: u64,
) -> Result<Option<Timestamp>> {
    let values = named_params! { ":tenant": tenant, ":most": whole(max_bytes) };
    connection
        .prepare_cached(
            "SELECT max(expires_at) FROM (
                 SELECT expires_at,
                        sum(size) OVER (ORDER BY expires_at DESC RANGE UNBOUNDED PRECEDING) AS kept
                 FROM blobs WHERE tenant = :tenant AND expires_at IS NOT NULL)
             WHERE kept > :most",
        )?
        .query_row(values, |row| Ok(row.get::<_, Option<i64>>(0)?.map(Timestamp::from_micros)))
}
