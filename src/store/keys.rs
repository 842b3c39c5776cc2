//! Keys of a tenant, and the one lookup that is made before the tenant is known.

use std::sync::Arc;

use super::error::broken;
use super::sql::{FromValue, Row, values};
use super::{Error, Store, Tx};
use crate::domain::{Key, KeyHash, KeyLimits, Keyword, KeywordSet, PrincipalKind};

/// Keys that a tenant may have.
const MAX_KEYS: u64 = 10_000;

const KEY_COLUMNS: &str =
    "id, tenant, name, kind, scopes, roles, requests_per_minute, tokens_per_day,
                     defaults, created_at, updated_at";

impl Store {
    /// The key of this id and the hash of its secret, for any tenant; `None` if it was revoked.
    pub fn find_key(&self, id: &str) -> Result<Option<(Key, KeyHash)>, Error> {
        let query =
            format!("SELECT {KEY_COLUMNS}, hash FROM keys WHERE id = ?1 AND revoked_at IS NULL");
        let mut found = None;
        self.inner.backend.read(None, &mut |sql| {
            sql.query(&query, values![id], &mut |row| {
                found = Some((key(row)?, KeyHash(row.get(11)?)));
                Ok(())
            })
        })?;
        Ok(found)
    }

    /// Whether there was ever a key, of any tenant.
    pub fn has_keys(&self) -> Result<bool, Error> {
        let mut found = false;
        self.inner.backend.read(None, &mut |sql| {
            sql.query("SELECT 1 FROM keys LIMIT 1", &[], &mut |_| {
                found = true;
                Ok(())
            })
        })?;
        Ok(found)
    }
}

impl Tx<'_> {
    /// Stores a new key under this tenant; its times are now.
    pub fn insert_key(&self, key: &Key, hash: &KeyHash) -> Result<Key, Error> {
        let count: Option<u64> = self.first(
            "SELECT count(*) FROM keys WHERE tenant = ?1 AND revoked_at IS NULL",
            values![],
            |row| row.get(0),
        )?;
        if count.unwrap_or_default() >= MAX_KEYS {
            return Err(Error::TooManyKeys(MAX_KEYS));
        }
        self.execute(
            "INSERT INTO keys (tenant, id, hash, name, kind, scopes, roles, requests_per_minute,
                               tokens_per_day, defaults, created_at, updated_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?11)",
            values![
                &key.id,
                &hash.0,
                &key.name,
                key.kind.as_str(),
                &key.scopes.to_string(),
                &key.roles.to_string(),
                key.limits.requests_per_minute,
                key.limits.tokens_per_day,
                key.defaults.as_ref(),
                self.now()
            ],
        )?;
        self.key(&key.id)?.ok_or_else(Error::no_row)
    }

    /// A key that was not revoked.
    pub fn key(&self, id: &str) -> Result<Option<Key>, Error> {
        let query = format!(
            "SELECT {KEY_COLUMNS} FROM keys WHERE tenant = ?1 AND id = ?2 AND revoked_at IS NULL"
        );
        self.first(&query, values![id], key)
    }

    /// Lists up to `limit` keys by id: the first ones, or those after the id `after`.
    pub fn list_keys(&self, after: Option<&str>, limit: usize) -> Result<Vec<Key>, Error> {
        let query = format!(
            "SELECT {KEY_COLUMNS} FROM keys WHERE tenant = ?1 AND id > ?2 AND revoked_at IS NULL
             ORDER BY id LIMIT ?3"
        );
        self.all(&query, values![after.unwrap_or_default(), limit], key)
    }

    /// Stores the fields of a key that may change; `None` if there is no such key.
    pub fn update_key(&self, key: &Key) -> Result<Option<Key>, Error> {
        self.execute(
            "UPDATE keys SET name = ?3, kind = ?4, scopes = ?5, roles = ?6,
                             requests_per_minute = ?7, tokens_per_day = ?8, defaults = ?9,
                             updated_at = ?10
             WHERE tenant = ?1 AND id = ?2 AND revoked_at IS NULL",
            values![
                &key.id,
                &key.name,
                key.kind.as_str(),
                &key.scopes.to_string(),
                &key.roles.to_string(),
                key.limits.requests_per_minute,
                key.limits.tokens_per_day,
                key.defaults.as_ref(),
                self.now()
            ],
        )?;
        self.key(&key.id)
    }

    /// Revokes a key; returns whether it was there.
    pub fn revoke_key(&self, id: &str) -> Result<bool, Error> {
        let revoked = self.execute(
            "UPDATE keys SET revoked_at = ?3, defaults = NULL
             WHERE tenant = ?1 AND id = ?2 AND revoked_at IS NULL",
            values![id, self.now()],
        )?;
        Ok(revoked > 0)
    }
}

/// The columns of `KEY_COLUMNS`.
fn key(row: &dyn Row) -> Result<Key, Error> {
    let kind = PrincipalKind::parse(&row.get::<String>(3)?);
    Ok(Key {
        id: row.get(0)?,
        tenant: row.get(1)?,
        name: row.get(2)?,
        kind: kind.ok_or_else(|| broken("a stored key is of no known kind"))?,
        scopes: words(row, 4)?,
        roles: words(row, 5)?,
        limits: KeyLimits { requests_per_minute: row.get(6)?, tokens_per_day: row.get(7)? },
        defaults: row.get::<Option<Arc<str>>>(8)?,
        created_at: row.get(9)?,
        updated_at: row.get(10)?,
    })
}

fn words<W: Keyword>(row: &dyn Row, column: usize) -> Result<KeywordSet<W>, Error> {
    let text = String::from_value(row.value(column)?);
    let words = text.and_then(|text| KeywordSet::parse(&text));
    words.ok_or_else(|| broken("a stored key has a scope or role that is not known"))
}
