//! Finds entries by their words: BM25 over the entries that two bounded queries found.
//!
//! The terms of a text are made here, the same for every database: SQLite has them in an FTS5
//! table, PostgreSQL in an ordinary table. Both only return which entries have a term, the newest
//! first and at most [`MAX_ENTRIES_PER_WORD`]; the weight of an entry is computed from its own
//! text. So a question costs the same in a store of a hundred entries and of a million, and both
//! databases return the same entries.

mod fts;
mod stem;
mod terms;

use std::collections::BTreeMap;

use self::stem::stem;
use self::terms::{count_hits, fold, terms};
use super::row::{COLUMN_COUNT, COLUMNS, entry, placeholders};
use super::{ALIVE_CONDITION, FoundEntry, MemoryView, parts};
use crate::domain::{MemoryEntry, Timestamp};
use crate::store::sql::{Dialect, Sql, SqlValue, values};
use crate::store::{Error, Tx};

/// Words of a question that are looked for.
const MAX_WORDS: usize = 12;
/// Entries of a word that are read: the newest, if more have it.
const MAX_ENTRIES_PER_WORD: usize = 500;
/// Entries that are read at once to find the visible ones.
const READ_BATCH_ENTRIES: usize = 200;
const MAX_READS: usize = 5;

/// As FTS5's `bm25` has them.
const BM25_K1: f64 = 1.2;
const BM25_B: f64 = 0.75;

/// True for a row that is visible in the scope of `?3` to `?6`.
pub(super) const SCOPE_CONDITION: &str =
    "subject IN ('', ?3) AND session IN ('', ?4) AND agent IN ('', ?5)
     AND pack_tenant IN ('', ?6)";

/// A term of a question, and who has it.
#[derive(Debug)]
pub(super) struct QueryTerm {
    term: String,
    /// The weight of the term: the fewer entries have it, the higher.
    weight: f64,
    /// Entries that have it, the newest first.
    entries: Vec<i64>,
}

impl Tx<'_> {
    /// The terms of a question that any entry has.
    pub(super) fn find_terms(&self, question: &str) -> Result<Vec<QueryTerm>, Error> {
        let mut found = Vec::new();
        for term in question_terms(question) {
            let entries = match self.dialect() {
                Dialect::Sqlite => self.entries_of_token(&term, MAX_ENTRIES_PER_WORD)?,
                Dialect::Postgres => self.entries_of_term(&term, MAX_ENTRIES_PER_WORD)?,
            };
            if !entries.is_empty() {
                found.push(QueryTerm { term, weight: 0.0, entries });
            }
        }
        let all = float(self.memory_state()?.1);
        let last = found.iter().filter_map(|one| one.entries.first()).max().copied().unwrap_or(0);
        for one in &mut found {
            let count = count(&one.entries, last).min(all);
            one.weight = (1.0 + (all - count + 0.5) / (count + 0.5)).ln();
        }
        Ok(found)
    }

    /// Up to `limit` visible entries that have terms of a question, the best matches first, and the
    /// newer one of two that are equal.
    pub(super) fn entries_with_terms(
        &self,
        view: &MemoryView,
        asked: &[QueryTerm],
        limit: usize,
    ) -> Result<Vec<MemoryEntry>, Error> {
        let mut weights: BTreeMap<i64, f64> = BTreeMap::new();
        for one in asked {
            for id in &one.entries {
                *weights.entry(*id).or_default() += one.weight;
            }
        }
        let mut best: Vec<(i64, f64)> = weights.into_iter().collect();
        best.sort_by(|(a, first), (b, second)| second.total_cmp(first).then(b.cmp(a)));
        let [subject, session, agent, pack] = parts(&view.scope);
        let ids = placeholders(7, READ_BATCH_ENTRIES);
        // By their numbers: both databases would take any index of the tenant for a shorter way, or go
        // through one in addition.
        let by_id = match self.dialect() {
            Dialect::Sqlite => format!("memory NOT INDEXED WHERE tenant = ?1 AND id IN ({ids})"),
            Dialect::Postgres => {
                format!(
                    "(SELECT * FROM memory WHERE id IN ({ids}) OFFSET 0) AS memory WHERE tenant = ?1"
                )
            }
        };
        let sql = format!(
            "SELECT {COLUMNS}, id FROM {by_id}
               AND {ALIVE_CONDITION} AND {SCOPE_CONDITION} AND status IN {}",
            view.statuses(),
        );
        let mut found = Vec::new();
        for part in best.chunks(READ_BATCH_ENTRIES).take(MAX_READS) {
            let mut given: Vec<SqlValue<'_>> =
                values![self.now(), subject, session, agent, pack].to_vec();
            given.extend(part.iter().map(|(id, _)| SqlValue::Int(*id)));
            // No entry has the number 0: so the statement is the same for every question.
            given.resize(READ_BATCH_ENTRIES + 5, SqlValue::Int(0));
            let mut read =
                self.all(&sql, &given, |row| Ok((row.get::<i64>(COLUMN_COUNT)?, entry(row, 0)?)))?;
            let places: BTreeMap<i64, usize> = part.iter().map(|(id, _)| *id).zip(0..).collect();
            read.sort_by_key(|(id, _)| places.get(id).copied());
            found.extend(read.into_iter().map(|(_, entry)| entry));
            if found.len() >= limit {
                found.truncate(limit);
                break;
            }
        }
        Ok(found)
    }

    pub(crate) fn index_memory(&self, entry: &MemoryEntry, old: Option<i64>) -> Result<(), Error> {
        if let Some(id) = old {
            self.unindex_memory(id)?;
        }
        let Some(id) = self.memory_id(&entry.scope, &entry.key)? else { return Ok(()) };
        let mut terms: Vec<String> = terms(&text_of(entry)).collect();
        terms.sort_unstable();
        terms.dedup();
        match self.dialect() {
            Dialect::Sqlite => self.index_tokens(id, &terms),
            Dialect::Postgres => self.index_terms(id, &terms),
        }
    }

    pub(crate) fn unindex_memory(&self, id: i64) -> Result<(), Error> {
        match self.dialect() {
            Dialect::Sqlite => self.unindex_tokens(id),
            Dialect::Postgres => self.unindex_terms(id),
        }
    }
}

/// Rebuilds the terms of every entry: for a file whose terms were made by other rules.
pub(crate) fn index_all(sql: &dyn Sql) -> Result<(), Error> {
    sql.query(&format!("SELECT {COLUMNS}, tenant FROM memory"), &[], &mut |row| {
        let tenant: String = row.get(COLUMN_COUNT)?;
        Tx::new(sql, &tenant, Timestamp::default()).index_memory(&entry(row, 0)?, None)
    })
}

/// The relevance of each entry by BM25: higher is better, 0 if it has no term of the question.
pub(super) fn weigh(asked: &[QueryTerm], entries: Vec<MemoryEntry>) -> Vec<FoundEntry> {
    if asked.is_empty() {
        return entries.into_iter().map(|entry| FoundEntry { entry, relevance: 0.0 }).collect();
    }
    let wanted: Vec<&str> = asked.iter().map(|one| &*one.term).collect();
    let hits: Vec<_> = entries.iter().map(|entry| count_hits(&text_of(entry), &wanted)).collect();
    let total: u64 = hits.iter().map(|(length, _)| length).sum();
    let average = float(total.max(1)) / float((hits.len() as u64).max(1));
    let worth = |(length, times): &(u64, Vec<u64>)| {
        let norm = BM25_K1 * (1.0 - BM25_B + BM25_B * float(*length) / average);
        let one = |(one, times): (&QueryTerm, &u64)| {
            one.weight * float(*times) * (BM25_K1 + 1.0) / (float(*times) + norm)
        };
        asked.iter().zip(times).map(one).sum()
    };
    let weighed = entries.into_iter().zip(&hits);
    weighed.map(|(entry, hits)| FoundEntry { entry, relevance: worth(hits) }).collect()
}

/// Estimates how many entries have a term; `newest` are its newest entries, `last` is the newest
/// entry of all. Beyond the entries that were read, the estimate follows from how close their
/// numbers are.
fn count(newest: &[i64], last: i64) -> f64 {
    let found = float(newest.len() as u64);
    let oldest = newest.last().copied().unwrap_or(1);
    if newest.len() < MAX_ENTRIES_PER_WORD || last <= oldest {
        return found;
    }
    found * float(last.unsigned_abs()) / float(last.abs_diff(oldest) + 1)
}

/// The searchable text of an entry.
fn text_of(entry: &MemoryEntry) -> String {
    let mut words = entry.key.replace(['_', '-', '.', '/', ':'], " ");
    for text in [entry.description.as_ref(), Some(&entry.text())].into_iter().flatten() {
        words.push('\n');
        words.push_str(text);
    }
    for tag in &entry.tags {
        words.push('\n');
        words.push_str(tag);
    }
    words
}

/// The terms of the words of a question, each once, the longest words first.
fn question_terms(question: &str) -> Vec<String> {
    let mut terms = Vec::new();
    for word in words(question) {
        let term = stem(&fold(&word));
        if !terms.contains(&term) {
            terms.push(term);
        }
    }
    terms
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
    found.truncate(MAX_WORDS);
    found
}

/// Small enough for a double to represent exactly.
#[expect(clippy::cast_precision_loss, reason = "counts of entries and words are below 2^53")]
fn float(count: u64) -> f64 {
    count as f64
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
        assert_eq!(question_terms("deployed deploying caf\u{e9}"), ["deploi", "cafe"]);
    }

    #[test]
    fn how_many_have_a_common_word_is_judged_by_the_newest() {
        let every = |step: i64| (0..500).map(move |at| 100_000 - at * step);
        let count_of = |step| count(&every(step).collect::<Vec<_>>(), 100_000).round();
        assert!((count_of(1) - 100_000.0).abs() < 1_000.0);
        assert!((count_of(10) - 10_000.0).abs() < 100.0);
        assert!((count(&[7, 3], 100_000) - 2.0).abs() < f64::EPSILON, "few are counted");
    }
}
