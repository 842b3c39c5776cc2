//! The payload that a session was sent last, in blocks: one that has grown costs what is new of it.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use super::texts::TextKind;
use crate::domain::ContentHash;
use crate::store::pack::Packer;
use crate::store::sql::values;
use crate::store::{Error, Tenant, Tx};

/// A payload: its members in order, each a list of blocks or one block.
#[derive(Debug, Clone, Default)]
pub struct SentPayload {
    /// Names of the members, and the number of blocks of a member that is a list.
    pub layout: Vec<(Arc<str>, Option<usize>)>,
    /// The blocks as JSON texts.
    pub blocks: Vec<(ContentHash, Arc<str>)>,
}

/// A payload that is to be stored: its text, and where its blocks are in it.
#[derive(Debug, Clone, Default)]
pub struct NewSentPayload {
    /// Names of the members, and the number of blocks of a member that is a list.
    pub layout: Vec<(Arc<str>, Option<usize>)>,
    pub blocks: Vec<PlacedBlock>,
    pub text: Arc<String>,
}

/// A block of a payload that is to be stored.
#[derive(Debug, Clone)]
pub struct PlacedBlock {
    /// Over the block's JSON text.
    pub hash: ContentHash,
    /// Its bytes in the payload's text.
    pub place: Range<usize>,
}

/// The compile of a stored payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentCompile {
    pub id: Arc<str>,
    /// Tokens of the conversation before it was shortened; none if no record of the compile is left.
    pub tokens_before: Option<u64>,
    /// The engine that made it; none if no record of the compile is left.
    pub engine: Option<Arc<str>>,
}

impl Tx<'_> {
    /// Stores what a session was sent in the place of what it was sent before.
    pub fn put_sent(
        &self,
        session: &str,
        compilation: &str,
        payload: &NewSentPayload,
    ) -> Result<(), Error> {
        let old: BTreeSet<ContentHash> = self.sent_digests(session)?.into_iter().collect();
        let mut packer = Packer::default();
        let new: BTreeSet<ContentHash> = payload.blocks.iter().map(|block| block.hash).collect();
        for PlacedBlock { hash, place } in &payload.blocks {
            if !old.contains(hash) {
                let text = payload.text.get(place.clone()).unwrap_or_default();
                self.put_session_text(&mut packer, session, TextKind::Block, hash, text)?;
            }
        }
        for hash in old.difference(&new) {
            self.drop_session_text(session, TextKind::Block, hash)?;
        }
        // Names and numbers: writing them as JSON cannot fail.
        let layout = payload.layout.iter().map(|(name, blocks)| (&**name, *blocks));
        let layout: Vec<(&str, Option<usize>)> = layout.collect();
        let layout = serde_json::to_string(&layout).unwrap_or_default();
        let digests: Vec<u8> = payload.blocks.iter().flat_map(|block| block.hash.0).collect();
        self.execute(
            "INSERT INTO session_payloads (tenant, session, compilation, layout, digests)
             VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (tenant, session) DO UPDATE SET compilation = excluded.compilation,
                 layout = excluded.layout, digests = excluded.digests",
            values![session, compilation, &layout, &digests],
        )
        .map(drop)
    }

    /// Lets a session that has been sent nothing go on from what another was sent last.
    pub fn take_over_sent(&self, from: &str, to: &str) -> Result<(), Error> {
        self.execute(
            "INSERT INTO session_payloads (tenant, session, compilation, layout, digests)
             SELECT ?1, CAST(?3 AS TEXT), compilation, layout, digests FROM session_payloads
             WHERE tenant = ?1 AND session = ?2 ON CONFLICT DO NOTHING",
            values![from, to],
        )?;
        self.execute(
            "INSERT INTO session_texts (tenant, session, kind, digest, form, size, content)
             SELECT ?1, CAST(?3 AS TEXT), kind, digest, form, size, content FROM session_texts
             WHERE tenant = ?1 AND session = ?2 AND kind = 0 ON CONFLICT DO NOTHING",
            values![from, to],
        )
        .map(drop)
    }

    /// The compile of the payload that a session was sent last.
    pub fn sent_compile(&self, session: &str) -> Result<Option<SentCompile>, Error> {
        self.first(
            "SELECT p.compilation, c.tokens_before, c.engine FROM session_payloads AS p
             LEFT JOIN compilations AS c ON c.tenant = p.tenant AND c.id = p.compilation
             WHERE p.tenant = ?1 AND p.session = ?2",
            values![session],
            |row| {
                Ok(SentCompile { id: row.get(0)?, tokens_before: row.get(1)?, engine: row.get(2)? })
            },
        )
    }

    fn sent_digests(&self, session: &str) -> Result<Vec<ContentHash>, Error> {
        let found = self.first(
            "SELECT digests FROM session_payloads WHERE tenant = ?1 AND session = ?2",
            values![session],
            |row| row.get::<Vec<u8>>(0),
        )?;
        Ok(super::texts::digests(&found.unwrap_or_default()))
    }
}

impl Tenant {
    /// The last payload of a session.
    pub fn sent_payload(&self, session: &str) -> Result<Option<SentPayload>, Error> {
        let found = self.read(|tx| {
            let found = tx.first(
                "SELECT layout, digests FROM session_payloads WHERE tenant = ?1 AND session = ?2",
                values![session],
                |row| Ok((row.get::<String>(0)?, row.get::<Vec<u8>>(1)?)),
            )?;
            let Some((layout, digests)) = found else { return Ok(None) };
            let digests = super::texts::digests(&digests);
            let texts = tx.session_blocks(session, &digests)?;
            Ok::<_, Error>(Some((layout, digests.into_iter().zip(texts).collect::<Vec<_>>())))
        })?;
        let Some((layout, texts)) = found else { return Ok(None) };
        let layout: Vec<(Arc<str>, Option<usize>)> =
            serde_json::from_str(&layout).map_err(|error| Error::Corrupt(Arc::new(error)))?;
        let blocks = texts;
        Ok(Some(SentPayload { layout, blocks }))
    }
}
