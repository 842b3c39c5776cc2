//! Finding entries by their words: BM25, by what each database has for it.
//!
//! In SQLite an FTS5 table, in PostgreSQL tables of terms that are made and weighed as FTS5 does it.

mod fts;
mod stem;
mod terms;

use super::row::{COLUMNS, entry};
use super::{ALIVE, MemoryView, Recalled, parts};
use crate::domain::MemoryEntry;
use crate::store::sql::Dialect;
use crate::store::{Error, Tx};

/// Words of a question that are looked for.
const MOST_WORDS: usize = 12;
/// A word that more entries than this have tells little: rarer ones are looked for instead.
const COMMON: u64 = 2_000;

/// Holds for a row that the scope of `?3`, `?4` and `?5` sees.
const SEEN: &str = "subject IN ('', ?3) AND session IN ('', ?4) AND agent IN ('', ?5)
     AND status = 'promoted'";

impl Tx<'_> {
    /// At most so many entries in sight whose words answer a question, the best first.
    pub(super) fn search(
        &self,
        view: &MemoryView,
        question: &str,
        limit: usize,
    ) -> Result<Vec<Recalled>, Error> {
        let words = self.telling_words(question)?;
        if words.is_empty() {
            return Ok(Vec::new());
        }
        match self.dialect() {
            Dialect::Sqlite => self.search_fts(view, &words, limit),
            Dialect::Postgres => self.search_terms(view, &words, limit),
        }
    }

    /// The words of a question that few entries have, each with how many those are; where all are
    /// common, the rarest.
    fn telling_words(&self, question: &str) -> Result<Vec<(u64, String)>, Error> {
        let mut counted = Vec::new();
        for word in words(question) {
            let (word, count) = match self.dialect() {
                Dialect::Sqlite => {
                    let count = self.count_fts(&word)?;
                    (word, count)
                }
                Dialect::Postgres => {
                    let term = stem::stem(&terms::folded(&word));
                    let count = self.count_term(&term)?;
                    (term, count)
                }
            };
            if count > 0 {
                counted.push((count, word));
            }
        }
        counted.sort();
        counted.dedup();
        let rare = counted.iter().filter(|(count, _)| *count <= COMMON).count();
        counted.truncate(rare.max(1));
        Ok(counted)
    }

    pub(in crate::store) fn index_memory(
        &self,
        entry: &MemoryEntry,
        old: Option<i64>,
    ) -> Result<(), Error> {
        if let Some(id) = old {
            self.unindex_memory(id)?;
        }
        let Some(id) = self.memory_id(&entry.scope, &entry.key)? else { return Ok(()) };
        let mut words = entry.key.replace(['_', '-', '.', '/', ':'], " ");
        for text in [entry.description.as_ref(), Some(&entry.text())].into_iter().flatten() {
            words.push('\n');
            words.push_str(text);
        }
        for tag in &entry.tags {
            words.push('\n');
            words.push_str(tag);
        }
        match self.dialect() {
            Dialect::Sqlite => self.index_fts(id, &words),
            Dialect::Postgres => self.index_terms(id, &words),
        }
    }

    pub(in crate::store) fn unindex_memory(&self, id: i64) -> Result<(), Error> {
        match self.dialect() {
            Dialect::Sqlite => self.unindex_fts(id),
            Dialect::Postgres => self.unindex_terms(id),
        }
    }
}

/// The words of a question, each once, the longest first.
fn words(question: &str) -> Vec<String> {
    let mut found: Vec<String> = question
        .split(|character: char| !character.is_alphanumeric())
        .filter(|word| word.chars().count() >= 2)
        .map(str::to_lowercase)
        .collect();
    found.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    found.dedup();
    found.truncate(MOST_WORDS);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_its_longest_words() {
        assert_eq!(
            words("Deploy \"to\" eu-west AND a OR b* to"),
            ["deploy", "west", "and", "eu", "or", "to"]
        );
        assert!(words("? ! a").is_empty());
    }
}
