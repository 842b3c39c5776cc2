//! Texts of a session by their digest. The blocks of its payload are the session's alone; texts of
//! messages are shared with its forks, and go with the last session that has them.

use std::collections::{HashMap, HashSet};
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

    /// The blocks of these digests; one that is gone means that the store is damaged.
    pub(super) fn session_blocks(
        &self,
        session: &str,
        hashes: &[ContentHash],
    ) -> Result<Vec<Arc<str>>, Error> {
        let rows = self.all_of(
            "SELECT digest, form, size, content FROM session_texts
             WHERE tenant = ?1 AND session = ?2 AND kind = ?3",
            values![session, TextKind::Block.code()],
            &distinct(hashes),
            |row| Ok((row.get::<ContentHash>(0)?, packed(row, 1)?)),
        )?;
        let mut packer = Packer::default();
        let mut found = HashMap::with_capacity(hashes.len());
        for (hash, stored) in rows {
            found.insert(hash, packer.unpack(stored, &hash)?.into());
        }
        in_order(hashes, &found)
    }

    /// The texts of messages by their digests; one that is gone means that the store is damaged.
    pub(super) fn message_texts_of(&self, hashes: &[ContentHash]) -> Result<Vec<Arc<str>>, Error> {
        let cache = self.message_texts();
        let (mut found, missing) = self.cached_message_texts(hashes);
        let rows = self.all_of(
            "SELECT digest, form, size, content FROM message_texts WHERE tenant = ?1",
            values![],
            &missing,
            |row| Ok((row.get::<ContentHash>(0)?, packed(row, 1)?)),
        )?;
        let mut packer = Packer::default();
        for (hash, stored) in rows {
            let text: Arc<str> = packer.unpack(stored, &hash)?.into();
            if let Some(cache) = cache {
                cache.put(hash, &text);
            }
            found.insert(hash, text);
        }
        in_order(hashes, &found)
    }

    /// Bytes of messages; of one that is named twice, twice its bytes.
    pub(super) fn bytes_of_messages(&self, hashes: &[ContentHash]) -> Result<usize, Error> {
        let (found, missing) = self.cached_message_texts(hashes);
        let rows = self.all_of(
            "SELECT digest, size FROM message_texts WHERE tenant = ?1",
            values![],
            &missing,
            |row| Ok((row.get::<ContentHash>(0)?, row.get::<usize>(1)?)),
        )?;
        let sizes: HashMap<ContentHash, usize> = rows.into_iter().collect();
        let size = |hash| match found.get(hash) {
            Some(text) => text.len(),
            None => sizes.get(hash).copied().unwrap_or_default(),
        };
        Ok(hashes.iter().map(size).fold(0, usize::saturating_add))
    }

    /// The texts that this process knows, and the digests of the others, each once.
    fn cached_message_texts(
        &self,
        hashes: &[ContentHash],
    ) -> (HashMap<ContentHash, Arc<str>>, Vec<ContentHash>) {
        let cache = self.message_texts();
        let mut found = HashMap::with_capacity(hashes.len());
        let mut missing = Vec::new();
        for hash in distinct(hashes) {
            match cache.and_then(|cache| cache.get(&hash)) {
                Some(text) => drop(found.insert(hash, text)),
                None => missing.push(hash),
            }
        }
        (found, missing)
    }

    /// Takes the texts of a session's messages out of the cache of this process.
    pub(super) fn uncache_message_texts(&self, session: &str) -> Result<(), Error> {
        let Some(cache) = self.message_texts() else { return Ok(()) };
        self.message_digests(session)?.iter().for_each(|hash| cache.remove(hash));
        Ok(())
    }
}

/// Each digest once, where it is first.
fn distinct(hashes: &[ContentHash]) -> Vec<ContentHash> {
    let mut seen = HashSet::with_capacity(hashes.len());
    hashes.iter().copied().filter(|hash| seen.insert(*hash)).collect()
}

/// The texts of digests, in the order of the digests.
fn in_order(
    hashes: &[ContentHash],
    found: &HashMap<ContentHash, Arc<str>>,
) -> Result<Vec<Arc<str>>, Error> {
    let text = |hash: &ContentHash| {
        found.get(hash).cloned().ok_or_else(|| Error::Corrupt(Arc::new(MissingText(*hash))))
    };
    hashes.iter().map(text).collect()
}

#[derive(Debug, thiserror::Error)]
#[error("the text {0:?} of a session is gone")]
struct MissingText(ContentHash);
