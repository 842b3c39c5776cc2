//! Artifacts: original texts by their content.

use std::borrow::Cow;

use super::batch::NewArtifact;
use super::cleanup::ArtifactAge;
use super::pack::{PackedText, Packer, StoredForm};
use super::sql::{Row, values};
use super::{Error, Tx};
use crate::domain::{Artifact, ArtifactId, ContentHash, Timestamp};

impl Tx<'_> {
    /// Stores an artifact until `expires_at`, or renews it. `packed` is its content unless that is
    /// known to be stored.
    pub(super) fn put_artifact(
        &self,
        new: &NewArtifact,
        packed: Option<&PackedText>,
        expires_at: Timestamp,
    ) -> Result<Artifact, Error> {
        if let Some(stored) = self.renew_artifact(new, expires_at)? {
            return Ok(stored);
        }
        let is_taken = self.exists(
            "SELECT 1 FROM artifacts WHERE tenant = ?1 AND id = ?2",
            values![new.id.as_bytes()],
        )?;
        if is_taken {
            return Err(Error::Collision(new.id));
        }
        self.insert_artifact(new, packed, expires_at)
    }

    fn renew_artifact(
        &self,
        new: &NewArtifact,
        expires_at: Timestamp,
    ) -> Result<Option<Artifact>, Error> {
        self.first(
            "UPDATE artifacts SET renewed_at = ?4, accessed_at = ?4, expires_at = ?5
             WHERE tenant = ?1 AND id = ?2 AND digest = ?3
             RETURNING digest, media_type, bytes, lines, created_at, renewed_at, accessed_at,
                       expires_at",
            values![new.id.as_bytes(), &new.hash, self.now(), expires_at],
            artifact,
        )
    }

    fn insert_artifact(
        &self,
        new: &NewArtifact,
        packed: Option<&PackedText>,
        expires_at: Timestamp,
    ) -> Result<Artifact, Error> {
        let artifact = new.at(self.now(), expires_at);
        let packed = match packed {
            Some(packed) => Cow::Borrowed(packed),
            None => Cow::Owned(Packer::default().pack(&new.text)),
        };
        self.execute(
            "INSERT INTO blobs (tenant, digest, form, size, content) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT DO NOTHING",
            values![&new.hash, packed.form.code(), packed.size, &packed.content],
        )?;
        self.execute(
            "INSERT INTO artifacts (tenant, id, digest, media_type, bytes, lines, created_at,
                                    renewed_at, accessed_at, expires_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?7, ?8)",
            values![
                new.id.as_bytes(),
                &new.hash,
                &artifact.media_type,
                artifact.bytes,
                artifact.lines,
                self.now(),
                expires_at
            ],
        )?;
        Ok(artifact)
    }

    /// An artifact that has not expired, with its content.
    pub(super) fn artifact(&self, id: ArtifactId) -> Result<Option<(Artifact, PackedText)>, Error> {
        self.first(
            "SELECT a.digest, media_type, bytes, lines, created_at, renewed_at, accessed_at,
                    a.expires_at, form, size, content
             FROM artifacts AS a JOIN blobs AS b ON b.tenant = a.tenant AND b.digest = a.digest
             WHERE a.tenant = ?1 AND a.id = ?2 AND a.expires_at > ?3",
            values![id.as_bytes(), self.now()],
            |row| Ok((artifact(row)?, packed(row, 8)?)),
        )
    }

    /// Notes that an artifact was read.
    pub(super) fn touch_artifact(&self, id: ArtifactId) -> Result<(), Error> {
        self.execute(
            "UPDATE artifacts SET accessed_at = ?3
             WHERE tenant = ?1 AND id = ?2 AND accessed_at < ?3",
            values![id.as_bytes(), self.now()],
        )
        .map(drop)
    }

    /// Flags of the artifacts that are there, expired or not.
    pub(super) fn has_artifacts(&self, hashes: &[ContentHash]) -> Result<Vec<bool>, Error> {
        let has = |hash: &ContentHash| {
            self.exists(
                "SELECT 1 FROM artifacts WHERE tenant = ?1 AND id = ?2 AND digest = ?3",
                values![ArtifactId::from(hash).as_bytes(), hash],
            )
        };
        hashes.iter().map(has).collect()
    }

    /// The bytes of an artifact's text; none if there is no such artifact.
    pub fn artifact_bytes(&self, id: ArtifactId) -> Result<Option<u64>, Error> {
        self.first(
            "SELECT bytes FROM artifacts WHERE tenant = ?1 AND id = ?2 AND expires_at > ?3",
            values![id.as_bytes(), self.now()],
            |row| row.get(0),
        )
    }

    /// All artifacts, expired ones too, with the facts that a cleanup needs.
    pub(super) fn artifact_entries(&self) -> Result<Vec<ArtifactAge>, Error> {
        self.all(
            "SELECT id, bytes, renewed_at, accessed_at, expires_at FROM artifacts
             WHERE tenant = ?1",
            values![],
            |row| {
                Ok(ArtifactAge {
                    id: ArtifactId::from_bytes(row.get(0)?),
                    bytes: row.get(1)?,
                    renewed_at: row.get(2)?,
                    accessed_at: row.get(3)?,
                    expires_at: row.get(4)?,
                })
            },
        )
    }

    /// Removes artifacts, and their content if no message needs it; skips artifacts that were
    /// stored again since their entry was read. Returns the artifacts that this call removed.
    pub(super) fn remove_artifacts(&self, entries: &[ArtifactAge]) -> Result<Vec<bool>, Error> {
        let remove = |entry: &ArtifactAge| {
            let digest = self.first(
                "DELETE FROM artifacts WHERE tenant = ?1 AND id = ?2 AND renewed_at = ?3
                 RETURNING digest",
                values![entry.id.as_bytes(), entry.renewed_at],
                |row| row.get::<ContentHash>(0),
            )?;
            if let Some(digest) = &digest {
                self.execute(
                    "DELETE FROM blobs WHERE tenant = ?1 AND digest = ?2 AND expires_at IS NULL",
                    values![digest],
                )?;
            }
            Ok(digest.is_some())
        };
        entries.iter().map(remove).collect()
    }
}

/// The columns `digest` to `expires_at`, from the first on.
fn artifact(row: &dyn Row) -> Result<Artifact, Error> {
    let hash: ContentHash = row.get(0)?;
    Ok(Artifact {
        id: ArtifactId::from(&hash),
        hash,
        media_type: row.get(1)?,
        bytes: row.get(2)?,
        lines: row.get(3)?,
        created_at: row.get(4)?,
        renewed_at: row.get(5)?,
        accessed_at: row.get(6)?,
        expires_at: row.get(7)?,
    })
}

/// The columns `form`, `size` and `content`, from `first` on.
pub(super) fn packed(row: &dyn Row, first: usize) -> Result<PackedText, Error> {
    let form = StoredForm::of_code(row.get(first)?);
    Ok(PackedText { form, size: row.get(first + 1)?, content: row.get(first + 2)? })
}
