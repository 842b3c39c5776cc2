//! Artifacts in tables.

use std::borrow::Cow;

use rusqlite::types::{FromSql, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension as _, Result, Row, named_params, params};

use super::error;
use crate::domain::{Artifact, ArtifactId, ContentHash, Timestamp};
use crate::store::Error;
use crate::store::backend::{Entry, Write};
use crate::store::batch::NewArtifact;
use crate::store::pack::{Form, Packed, Packer};

impl ToSql for Form {
    fn to_sql(&self) -> Result<ToSqlOutput<'_>> {
        Ok(self.code().into())
    }
}

impl FromSql for Form {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        i64::column_result(value).map(Self::of_code)
    }
}

/// Stores the artifacts of a batch, or renews them.
pub(super) fn put(
    connection: &Connection,
    tenant: &str,
    write: &Write,
) -> Result<Vec<Artifact>, Error> {
    let stored = write.artifacts.iter().map(|(new, packed)| {
        if let Some(stored) = renew(connection, tenant, new, write).map_err(error)? {
            return Ok(stored);
        }
        if is_taken(connection, tenant, new.id).map_err(error)? {
            return Err(Error::Collision(new.id));
        }
        insert(connection, tenant, new, packed.as_ref(), write).map_err(error)
    });
    stored.collect()
}

fn renew(
    connection: &Connection,
    tenant: &str,
    new: &NewArtifact,
    write: &Write,
) -> Result<Option<Artifact>> {
    let mut statement = connection.prepare_cached(
        "UPDATE artifacts SET renewed_at = :now, accessed_at = :now, expires_at = :expires_at
         WHERE tenant = :tenant AND id = :id AND digest = :digest
         RETURNING digest, media_type, bytes, lines, created_at, renewed_at, accessed_at, expires_at",
    )?;
    let values = named_params! {
        ":tenant": tenant,
        ":id": new.id.as_bytes(),
        ":digest": new.hash.0,
        ":now": write.now.micros(),
        ":expires_at": write.expires_at.micros(),
    };
    statement.query_row(values, artifact).optional()
}

fn is_taken(connection: &Connection, tenant: &str, id: ArtifactId) -> Result<bool> {
    connection
        .prepare_cached("SELECT 1 FROM artifacts WHERE tenant = ?1 AND id = ?2")?
        .exists(params![tenant, id.as_bytes()])
}

fn insert(
    connection: &Connection,
    tenant: &str,
    new: &NewArtifact,
    packed: Option<&Packed>,
    write: &Write,
) -> Result<Artifact> {
    let artifact = new.at(write.now, write.expires_at);
    let packed = match packed {
        Some(packed) => Cow::Borrowed(packed),
        None => Cow::Owned(Packer::default().pack(&new.text)),
    };
    connection
        .prepare_cached(
            "INSERT INTO blobs (tenant, digest, form, size, content) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT DO NOTHING",
        )?
        .execute(params![tenant, new.hash.0, packed.form, whole(packed.size), packed.content])?;
    connection
        .prepare_cached(
            "INSERT INTO artifacts (tenant, id, digest, media_type, bytes, lines, created_at,
                                    renewed_at, accessed_at, expires_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?7, ?8)",
        )?
        .execute(params![
            tenant,
            new.id.as_bytes(),
            new.hash.0,
            artifact.media_type,
            whole(artifact.bytes),
            whole(artifact.lines),
            write.now.micros(),
            write.expires_at.micros(),
        ])?;
    Ok(artifact)
}

pub(super) fn find(
    connection: &Connection,
    tenant: &str,
    id: ArtifactId,
    now: Timestamp,
) -> Result<Option<(Artifact, Packed)>> {
    connection
        .prepare_cached(
            "SELECT a.digest, media_type, bytes, lines, created_at, renewed_at, accessed_at,
                    a.expires_at, form, size, content
             FROM artifacts AS a JOIN blobs AS b ON b.tenant = a.tenant AND b.digest = a.digest
             WHERE a.tenant = ?1 AND a.id = ?2 AND a.expires_at > ?3",
        )?
        .query_row(params![tenant, id.as_bytes(), now.micros()], |row| {
            Ok((artifact(row)?, packed(row, 8)?))
        })
        .optional()
}

pub(super) fn touch(
    connection: &Connection,
    tenant: &str,
    id: ArtifactId,
    now: Timestamp,
) -> Result<()> {
    connection
        .prepare_cached(
            "UPDATE artifacts SET accessed_at = ?3
             WHERE tenant = ?1 AND id = ?2 AND accessed_at < ?3",
        )?
        .execute(params![tenant, id.as_bytes(), now.micros()])
        .map(drop)
}

pub(super) fn has(
    connection: &Connection,
    tenant: &str,
    hashes: &[ContentHash],
) -> Result<Vec<bool>> {
    let mut statement = connection
        .prepare_cached("SELECT 1 FROM artifacts WHERE tenant = ?1 AND id = ?2 AND digest = ?3")?;
    hashes
        .iter()
        .map(|hash| statement.exists(params![tenant, ArtifactId::of(hash).as_bytes(), hash.0]))
        .collect()
}

pub(super) fn list(connection: &Connection, tenant: &str) -> Result<Vec<Entry>> {
    let mut statement = connection.prepare_cached(
        "SELECT id, bytes, renewed_at, accessed_at, expires_at FROM artifacts WHERE tenant = ?1",
    )?;
    let entries = statement.query_map([tenant], |row| {
        Ok(Entry {
            id: ArtifactId::from_bytes(row.get(0)?),
            bytes: size(row.get(1)?),
            renewed_at: Timestamp::from_micros(row.get(2)?),
            accessed_at: Timestamp::from_micros(row.get(3)?),
            expires_at: Timestamp::from_micros(row.get(4)?),
        })
    })?;
    entries.collect()
}

/// Removes artifacts, and their content where no message needs it.
pub(super) fn remove(
    connection: &Connection,
    tenant: &str,
    entries: &[Entry],
) -> Result<Vec<bool>> {
    let mut artifacts = connection.prepare_cached(
        "DELETE FROM artifacts WHERE tenant = ?1 AND id = ?2 AND renewed_at = ?3 RETURNING digest",
    )?;
    let mut blobs = connection.prepare_cached(
        "DELETE FROM blobs WHERE tenant = ?1 AND digest = ?2 AND expires_at IS NULL",
    )?;
    let remove = |entry: &Entry| {
        let values = params![tenant, entry.id.as_bytes(), entry.renewed_at.micros()];
        let digest = artifacts.query_row(values, |row| row.get::<_, [u8; 32]>(0)).optional()?;
        if let Some(digest) = digest {
            blobs.execute(params![tenant, digest])?;
        }
        Ok(digest.is_some())
    };
    entries.iter().map(remove).collect()
}

/// The columns `digest` to `expires_at`, from the first on.
fn artifact(row: &Row<'_>) -> Result<Artifact> {
    let hash = ContentHash(row.get(0)?);
    Ok(Artifact {
        id: ArtifactId::of(&hash),
        hash,
        media_type: row.get(1)?,
        bytes: size(row.get(2)?),
        lines: size(row.get(3)?),
        created_at: Timestamp::from_micros(row.get(4)?),
        renewed_at: Timestamp::from_micros(row.get(5)?),
        accessed_at: Timestamp::from_micros(row.get(6)?),
        expires_at: Timestamp::from_micros(row.get(7)?),
    })
}

/// The columns `form`, `size` and `content`, from `first` on.
pub(super) fn packed(row: &Row<'_>, first: usize) -> Result<Packed> {
    Ok(Packed {
        form: row.get(first)?,
        size: usize::try_from(row.get::<_, i64>(first + 1)?).unwrap_or(0),
        content: row.get(first + 2)?,
    })
}

/// A size as a column holds it.
pub(super) fn whole(size: impl TryInto<i64>) -> i64 {
    size.try_into().unwrap_or(i64::MAX)
}

fn size(column: i64) -> u64 {
    u64::try_from(column).unwrap_or(0)
}
