//! Format adapters that callers have written, as data.

use super::sql::{Row, values};
use super::{Error, Tx};
use crate::domain::StoredAdapter;

/// Adapters that a tenant may store.
const MAX_ADAPTERS: u64 = 1_000;

impl Tx<'_> {
    /// Stores a definition, or replaces it; returns whether it is new. Storing the same text again
    /// changes nothing.
    pub fn put_adapter(
        &self,
        name: &str,
        definition: &str,
    ) -> Result<(StoredAdapter, bool), Error> {
        let exists =
            self.exists("SELECT 1 FROM adapters WHERE tenant = ?1 AND name = ?2", values![name])?;
        if !exists && self.count_adapters()? >= MAX_ADAPTERS {
            return Err(Error::TooManyAdapters(MAX_ADAPTERS));
        }
        let stored = self.first(
            "INSERT INTO adapters (tenant, name, version, created_at, updated_at, definition)
             VALUES (?1, ?2, 1, ?4, ?4, ?3)
             ON CONFLICT (tenant, name) DO UPDATE SET
                 version = adapters.version
                     + CASE WHEN adapters.definition = excluded.definition THEN 0 ELSE 1 END,
                 updated_at = CASE WHEN adapters.definition = excluded.definition
                                   THEN adapters.updated_at ELSE excluded.updated_at END,
                 definition = excluded.definition
             RETURNING name, version, created_at, updated_at",
            values![name, definition, self.now()],
            read_adapter,
        )?;
        self.note_definitions_changed();
        Ok((stored.ok_or_else(Error::no_row)?, !exists))
    }

    fn count_adapters(&self) -> Result<u64, Error> {
        let count =
            self.first("SELECT count(*) FROM adapters WHERE tenant = ?1", values![], |row| {
                row.get(0)
            })?;
        Ok(count.unwrap_or_default())
    }

    /// Reads adapters by name, each with its definition's text; `None` for a name that is not
    /// stored.
    pub fn adapters(&self, names: &[&str]) -> Result<Vec<Option<(StoredAdapter, String)>>, Error> {
        let find = |name: &&str| {
            self.first(
                "SELECT name, version, created_at, updated_at, definition FROM adapters
                 WHERE tenant = ?1 AND name = ?2",
                values![*name],
                |row| Ok((read_adapter(row)?, row.get(4)?)),
            )
        };
        names.iter().map(find).collect()
    }

    /// Lists up to `limit` adapters in the byte order of their names: the first ones, or those
    /// after the name `after`.
    pub fn list_adapters(
        &self,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<StoredAdapter>, Error> {
        self.all(
            "SELECT name, version, created_at, updated_at FROM adapters
             WHERE tenant = ?1 AND name > ?2 ORDER BY name LIMIT ?3",
            // Every name sorts after the empty one.
            values![after.unwrap_or_default(), limit],
            read_adapter,
        )
    }

    /// Removes an adapter; returns whether it was there.
    pub fn delete_adapter(&self, name: &str) -> Result<bool, Error> {
        let removed =
            self.execute("DELETE FROM adapters WHERE tenant = ?1 AND name = ?2", values![name])?;
        if removed > 0 {
            self.note_definitions_changed();
        }
        Ok(removed > 0)
    }
}

fn read_adapter(row: &dyn Row) -> Result<StoredAdapter, Error> {
    Ok(StoredAdapter {
        name: row.get(0)?,
        version: row.get(1)?,
        created_at: row.get(2)?,
        updated_at: row.get(3)?,
    })
}
