//! Context packs as they were published.

use super::sql::{Row, values};
use super::{Error, Tx};
use crate::domain::{ContentHash, StoredPack};

const PACK_COLUMNS: &str = "id, major, minor, patch, digest, is_signed, created_at";

/// Versions of packs that a tenant may store.
const MAX_VERSIONS: u64 = 10_000;

/// The result of publishing a pack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PublishResult {
    New(StoredPack),
    /// The same document is published already.
    Same(StoredPack),
    /// Another document has this version.
    Other(StoredPack),
}

impl Tx<'_> {
    /// Stores a version, unless there is one of its name.
    pub fn publish_pack(&self, pack: &StoredPack, document: &str) -> Result<PublishResult, Error> {
        if let Some((stored, _)) = self.find_pack(&pack.id, pack.version)? {
            let is_same = stored.digest == pack.digest;
            return Ok(if is_same {
                PublishResult::Same(stored)
            } else {
                PublishResult::Other(stored)
            });
        }
        let count: Option<u64> =
            self.first("SELECT count(*) FROM packs WHERE tenant = ?1", values![], |row| {
                row.get(0)
            })?;
        if count.unwrap_or_default() >= MAX_VERSIONS {
            return Err(Error::TooManyPacks(MAX_VERSIONS));
        }
        let [major, minor, patch] = pack.version;
        self.execute(
            "INSERT INTO packs (tenant, id, major, minor, patch, version, digest, is_signed,
                                created_at, document)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            values![
                &pack.id,
                major,
                minor,
                patch,
                &pack.version_text(),
                &pack.digest,
                pack.is_signed,
                self.now(),
                document
            ],
        )?;
        Ok(PublishResult::New(StoredPack { created_at: self.now(), ..pack.clone() }))
    }

    /// A version and its document.
    pub fn find_pack(
        &self,
        id: &str,
        [major, minor, patch]: [u64; 3],
    ) -> Result<Option<(StoredPack, String)>, Error> {
        self.first(
            &format!(
                "SELECT {PACK_COLUMNS}, document FROM packs
                 WHERE tenant = ?1 AND id = ?2 AND major = ?3 AND minor = ?4 AND patch = ?5"
            ),
            values![id, major, minor, patch],
            |row| Ok((read_pack(row)?, row.get(7)?)),
        )
    }

    /// Lists up to `limit` versions of a pack, the newest first.
    pub fn pack_versions(&self, id: &str, limit: usize) -> Result<Vec<StoredPack>, Error> {
        self.all(
            &format!(
                "SELECT {PACK_COLUMNS} FROM packs WHERE tenant = ?1 AND id = ?2
                 ORDER BY major DESC, minor DESC, patch DESC LIMIT ?3"
            ),
            values![id, limit],
            read_pack,
        )
    }

    /// Lists up to `limit` versions of packs by their names: the first ones, or those after
    /// `after`.
    pub fn list_packs(
        &self,
        after: Option<(&str, [u64; 3])>,
        limit: usize,
    ) -> Result<Vec<StoredPack>, Error> {
        // Every id sorts after the empty one.
        let (id, [major, minor, patch]) = after.unwrap_or_default();
        self.all(
            &format!(
                "SELECT {PACK_COLUMNS} FROM packs
                 WHERE tenant = ?1 AND (id, major, minor, patch) > (?2, ?3, ?4, ?5)
                 ORDER BY id, major, minor, patch LIMIT ?6"
            ),
            values![id, major, minor, patch, limit],
            read_pack,
        )
    }
}

fn read_pack(row: &dyn Row) -> Result<StoredPack, Error> {
    Ok(StoredPack {
        id: row.get(0)?,
        version: [row.get(1)?, row.get(2)?, row.get(3)?],
        digest: row.get::<ContentHash>(4)?,
        is_signed: row.get(5)?,
        created_at: row.get(6)?,
    })
}
