//! Words in SQLite: one FTS5 table for all tenants, each entry beside a word that stands for its own.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use super::{ALIVE, COLUMNS, COMMON, MemoryView, Recalled, SEEN, entry, parts};
use crate::store::sql::values;
use crate::store::{Error, Tx};

impl Tx<'_> {
    pub(super) fn search_fts(
        &self,
        view: &MemoryView,
        words: &[(u64, String)],
        limit: usize,
    ) -> Result<Vec<Recalled>, Error> {
        let [subject, session, agent] = parts(&view.scope);
        let words: Vec<String> = words.iter().map(|(_, word)| format!("\"{word}\"")).collect();
        let asked = self.matching(&words.join(" OR "));
        self.all(
            &format!(
                "SELECT {COLUMNS}, -bm25(memory_words, 0.0, 1.0) AS relevance
                 FROM memory_words JOIN memory ON memory.id = memory_words.rowid
                 WHERE memory_words MATCH ?6 AND memory.tenant = ?1 AND {ALIVE} AND {SEEN}
                 ORDER BY relevance DESC, created_at, key LIMIT ?7"
            ),
            values![self.now(), subject, session, agent, &asked, limit],
            |row| Ok(Recalled { entry: entry(row, 0)?, relevance: row.get::<f64>(22)?.max(0.0) }),
        )
    }

    /// How many entries have a word; more than [`COMMON`] are not counted.
    pub(super) fn count_fts(&self, word: &str) -> Result<u64, Error> {
        let count = self.first(
            "SELECT count(*) FROM (
                 SELECT 1 FROM memory_words WHERE memory_words MATCH ?2 AND ?1 <> ''
                 LIMIT ?3) AS found",
            values![&self.matching(&format!("\"{word}\"")), COMMON + 1],
            |row| row.get::<u64>(0),
        )?;
        Ok(count.unwrap_or_default())
    }

    /// An expression that matches entries of the tenant alone.
    fn matching(&self, words: &str) -> String {
        format!("tenant : {} AND words : ({words})", tenant_word(self.tenant()))
    }

    pub(super) fn index_fts(&self, id: i64, words: &str) -> Result<(), Error> {
        self.execute(
            "INSERT INTO memory_words (rowid, tenant, words) SELECT ?2, ?3, ?4 WHERE ?1 <> ''",
            values![id, &tenant_word(self.tenant()), words],
        )
        .map(drop)
    }

    pub(super) fn unindex_fts(&self, id: i64) -> Result<(), Error> {
        self.execute("DELETE FROM memory_words WHERE rowid = ?2 AND ?1 <> ''", values![id])
            .map(drop)
    }
}

/// A word that stands for a tenant, whatever its name is made of.
fn tenant_word(tenant: &str) -> String {
    let hash = Sha256::digest(tenant.as_bytes());
    let mut word = String::from("tenant");
    for byte in hash.iter().take(12) {
        let _ = write!(word, "{byte:02x}");
    }
    word
}
