//! Adapters in a table.

use rusqlite::{Connection, OptionalExtension as _, Result, Row, named_params, params};

use super::artifacts::whole;
use super::error;
use crate::domain::{StoredAdapter, Timestamp};
use crate::store::Error;
use crate::store::backend::NewAdapter;

/// Stores a definition, or replaces it where it is another text.
pub(super) fn put(
    connection: &Connection,
    tenant: &str,
    adapter: &NewAdapter,
    most: u64,
) -> std::result::Result<(StoredAdapter, bool), Error> {
    let name = &*adapter.name;
    let exists = connection
        .prepare_cached("SELECT 1 FROM adapters WHERE tenant = ?1 AND name = ?2")
        .and_then(|mut statement| statement.exists(params![tenant, name]))
        .map_err(error)?;
    if !exists && count(connection, tenant).map_err(error)? >= whole(most) {
        return Err(Error::TooManyAdapters(most));
    }
    let stored = write(connection, tenant, adapter).map_err(error)?;
    Ok((stored, !exists))
}

fn count(connection: &Connection, tenant: &str) -> Result<i64> {
    connection
        .prepare_cached("SELECT count(*) FROM adapters WHERE tenant = ?1")?
        .query_row([tenant], |row| row.get(0))
}

fn write(connection: &Connection, tenant: &str, adapter: &NewAdapter) -> Result<StoredAdapter> {
    let values = named_params! {
        ":tenant": tenant,
        ":name": &*adapter.name,
        ":definition": &*adapter.definition,
        ":now": adapter.now.micros(),
    };
    connection
        .prepare_cached(
            "INSERT INTO adapters (tenant, name, version, created_at, updated_at, definition)
             VALUES (:tenant, :name, 1, :now, :now, :definition)
             ON CONFLICT DO UPDATE SET
                 version = version + (definition <> excluded.definition),
                 updated_at = iif(definition = excluded.definition, updated_at, :now),
                 definition = excluded.definition
             RETURNING name, version, created_at, updated_at",
        )?
        .query_row(values, stored)
}

pub(super) fn find(
    connection: &Connection,
    tenant: &str,
    names: &[&str],
) -> Result<Vec<Option<(StoredAdapter, String)>>> {
    let mut statement = connection.prepare_cached(
        "SELECT name, version, created_at, updated_at, definition FROM adapters
         WHERE tenant = ?1 AND name = ?2",
    )?;
    let read = |row: &Row<'_>| Ok((stored(row)?, row.get(4)?));
    names.iter().map(|name| statement.query_row(params![tenant, name], read).optional()).collect()
}

pub(super) fn list(
    connection: &Connection,
    tenant: &str,
    after: &str,
    limit: usize,
) -> Result<Vec<StoredAdapter>> {
    let mut statement = connection.prepare_cached(
        "SELECT name, version, created_at, updated_at FROM adapters
         WHERE tenant = ?1 AND name > ?2 ORDER BY name LIMIT ?3",
    )?;
    statement.query_map(params![tenant, after, whole(limit)], stored)?.collect()
}

pub(super) fn remove(connection: &Connection, tenant: &str, name: &str) -> Result<bool> {
    let removed = connection
        .prepare_cached("DELETE FROM adapters WHERE tenant = ?1 AND name = ?2")?
        .execute(params![tenant, name])?;
    Ok(removed > 0)
}

fn stored(row: &Row<'_>) -> Result<StoredAdapter> {
    let version: i64 = row.get(1)?;
    Ok(StoredAdapter {
        name: row.get(0)?,
        version: version.cast_unsigned(),
        created_at: Timestamp::from_micros(row.get(2)?),
        updated_at: Timestamp::from_micros(row.get(3)?),
    })
}
