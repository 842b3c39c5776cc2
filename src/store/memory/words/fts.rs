//! Terms in SQLite: one FTS5 table for all tenants, in which a tenant's term is a token of its own.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use crate::store::sql::values;
use crate::store::{Error, Tx};

impl Tx<'_> {
    /// Entries that have a term, the newest first.
    pub(super) fn entries_of_token(&self, term: &str, limit: usize) -> Result<Vec<i64>, Error> {
        self.all(
            "SELECT rowid FROM memory_words WHERE memory_words MATCH ?2 AND ?1 <> ''
             ORDER BY rowid DESC LIMIT ?3",
            values![&token(self.tenant(), term), limit],
            |row| row.get(0),
        )
    }

    pub(super) fn index_tokens(&self, id: i64, terms: &[String]) -> Result<(), Error> {
        let tokens: Vec<String> = terms.iter().map(|term| token(self.tenant(), term)).collect();
        self.execute(
            "INSERT INTO memory_words (rowid, words) SELECT ?2, ?3 WHERE ?1 <> ''",
            values![id, &tokens.join(" ")],
        )
        .map(drop)
    }

    pub(super) fn unindex_tokens(&self, id: i64) -> Result<(), Error> {
        self.execute("DELETE FROM memory_words WHERE rowid = ?2 AND ?1 <> ''", values![id])
            .map(drop)
    }
}

/// The token for a term of a tenant, for any texts of both: one word to FTS5's tokenizer and in its
/// expressions. It begins with a letter that no operator begins with.
fn token(tenant: &str, term: &str) -> String {
    let hash = Sha256::new().chain_update(tenant).chain_update([0]).chain_update(term).finalize();
    let mut token = String::from("t");
    for byte in hash.iter().take(10) {
        let _ = write!(token, "{byte:02x}");
    }
    token
}
