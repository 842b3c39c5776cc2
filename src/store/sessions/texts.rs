//! Texts of a session by their digest. The blocks of its payload are the session's alone; texts of
//! messages are shared with its forks, and go with the last session that has them.

use std::sync::Arc;

use crate::domain::{ContentHash, Quota};
use crate::store::artifacts::packed;
use crate::store::pack::Packer;
use crate::store::sql::values;
use crate::store::{Error, Tx};

/// The kind of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextKind {
    /// The payload that was sent last.
    Block = 0,
    /// Its messages.
    Message = 1,
}

impl TextKind {
    const fn code(self) -> i64 {
        self as i64
    }
}

/// Splits digests that are joined without separators.
pub(super) fn digests(joined: &[u8]) -> Vec<ContentHash> {
    let (hashes, _) = joined.as_chunks::<32>();
    hashes.iter().copied().map(ContentHash).collect()
}

impl Tx<'_> {
    pub(super) fn put_session_text(
        &self,
        packer: &mut Packer,
        session: &str,
        kind: TextKind,
        hash: &ContentHash,
        text: &str,
    ) -> Result<(), Error> {
        if kind == TextKind::Message {
            self.put_message_text(packer, hash, text)?;
            return self
                .execute(
                    "INSERT INTO session_texts (tenant, session, kind, digest, form, size, content)
                 VALUES (?1, ?2, ?3, ?4, 0, 0, ?5)
                 ON CONFLICT (tenant, session, kind, digest) DO NOTHING",
                    values![session, kind.code(), hash, &[0_u8; 0]],
                )
                .map(drop);
        }
        let stored = packer.pack(text);
        self.execute(
            "INSERT INTO session_texts (tenant, session, kind, digest, form, size, content)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
             ON CONFLICT (tenant, session, kind, digest) DO NOTHING",
            values![session, kind.code(), hash, stored.form.code(), stored.size, &stored.content],
        )
        .map(drop)
    }

    /// Stores the text of a message, unless a session of the tenant has it already.
    fn put_message_text(
        &self,
        packer: &mut Packer,
        hash: &ContentHash,
        text: &str,
    ) -> Result<(), Error> {
        let exists = "SELECT 1 FROM message_texts WHERE tenant = ?1 AND digest = ?2";
        if self.exists(exists, values![hash])? {
            return Ok(());
        }
        let stored = packer.pack(text);
        self.admit(Quota::TurnBytes, stored.content.len() as u64)?;
        self.execute(
            "INSERT INTO message_texts (tenant, digest, form, size, content)
             VALUES (?1, ?2, ?3, ?4, ?5)",
            values![hash, stored.form.code(), stored.size, &stored.content],
        )
        .map(drop)
    }

    pub(super) fn drop_session_text(
        &self,
        session: &str,
        kind: TextKind,
        hash: &ContentHash,
    ) -> Result<(), Error> {
        self.execute(
            "DELETE FROM session_texts
             WHERE tenant = ?1 AND session = ?2 AND kind = ?3 AND digest = ?4",
            values![session, kind.code(), hash],
        )
        .map(drop)
    }

    /// The texts of these digests; one that is gone means that the store is damaged.
    pub(super) fn session_texts(
        &self,
        session: &str,
        kind: TextKind,
        hashes: &[ContentHash],
    ) -> Result<Vec<String>, Error> {
        let mut packer = Packer::default();
        let statement = match kind {
            TextKind::Block => {
                "SELECT form, size, content FROM session_texts
                 WHERE tenant = ?1 AND session = ?2 AND kind = ?3 AND digest = ?4"
            }
            TextKind::Message => {
                "SELECT m.form, m.size, m.content FROM session_texts AS s
                 JOIN message_texts AS m ON m.tenant = s.tenant AND m.digest = s.digest
                 WHERE s.tenant = ?1 AND s.session = ?2 AND s.kind = ?3 AND s.digest = ?4"
            }
        };
        let mut find = |hash: &ContentHash| {
            let values = values![session, kind.code(), hash];
            let found = self.first(statement, values, |row| packed(row, 0))?;
            let stored = found.ok_or_else(|| Error::Corrupt(Arc::new(MissingText(*hash))))?;
            packer.unpack(stored, hash)
        };
        hashes.iter().map(&mut find).collect()
    }
}

#[derive(Debug, thiserror::Error)]
#[error("the text {0:?} of a session is gone")]
struct MissingText(ContentHash);
