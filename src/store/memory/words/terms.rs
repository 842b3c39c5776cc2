//! Words in PostgreSQL: the terms that FTS5's tokenizers would make of a text, weighed as its `bm25`
//! weighs them, over the tenant's own entries.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use super::stem::stem;
use super::{ALIVE, COLUMNS, COMMON, MemoryView, Recalled, SEEN, entry, parts};
use crate::store::sql::{Value, values};
use crate::store::{Error, Tx};

/// As FTS5 has them.
const K1: f64 = 1.2;
const B: f64 = 0.75;
/// What a word is worth that most entries have.
const LEAST: f64 = 1e-6;

impl Tx<'_> {
    pub(super) fn search_terms(
        &self,
        view: &MemoryView,
        words: &[(u64, String)],
        limit: usize,
    ) -> Result<Vec<Recalled>, Error> {
        let state = self.first(
            "SELECT entries, words FROM memory_word_state WHERE tenant = ?1",
            values![],
            |row| Ok((row.get::<i64>(0)?, row.get::<i64>(1)?)),
        )?;
        let (entries, total) = state.unwrap_or((1, 1));
        let (entries, average) = (float(entries), float(total.max(1)) / float(entries.max(1)));
        let [subject, session, agent] = parts(&view.scope);
        let mut given: Vec<Value<'_>> =
            values![self.now(), subject, session, agent, limit].to_vec();
        given.extend([Value::Real(average)]);
        let mut weights = String::new();
        for (count, word) in words {
            let count = float(i64::try_from(*count).unwrap_or(i64::MAX));
            let weight = ((entries - count + 0.5) / (count + 0.5)).ln();
            given.push(Value::Text(word));
            given.push(Value::Real(if weight > 0.0 { weight } else { LEAST }));
            let comma = if weights.is_empty() { "" } else { ", " };
            let _ = write!(weights, "{comma}(?{}, ?{})", given.len(), given.len() + 1);
        }
        self.all(
            &format!(
                "SELECT {COLUMNS}, relevance FROM (
                     SELECT found.id AS id, sum(
                         weight * times * {more} / (times + {K1} * ({rest} + {B} * words / ?7))
                     ) AS relevance
                     FROM (VALUES {weights}) AS asked (term, weight)
                     JOIN memory_terms AS found ON found.tenant = ?1 AND found.term = asked.term
                     JOIN memory_words AS counted
                       ON counted.tenant = ?1 AND counted.id = found.id
                     GROUP BY found.id) AS ranked
                 JOIN memory ON memory.id = ranked.id
                 WHERE memory.tenant = ?1 AND {ALIVE} AND {SEEN}
                 ORDER BY relevance DESC, created_at, key LIMIT ?6",
                more = K1 + 1.0,
                rest = 1.0 - B,
            ),
            &given,
            |row| Ok(Recalled { entry: entry(row, 0)?, relevance: row.get::<f64>(22)?.max(0.0) }),
        )
    }

    /// How many entries have a term; more than [`COMMON`] are not counted.
    pub(super) fn count_term(&self, term: &str) -> Result<u64, Error> {
        let count = self.first(
            "SELECT count(*) FROM (
                 SELECT 1 FROM memory_terms WHERE tenant = ?1 AND term = ?2 LIMIT ?3) AS found",
            values![term, COMMON + 1],
            |row| row.get::<u64>(0),
        )?;
        Ok(count.unwrap_or_default())
    }

    pub(super) fn index_terms(&self, id: i64, text: &str) -> Result<(), Error> {
        let mut times: BTreeMap<String, u64> = BTreeMap::new();
        // The word that FTS5 has for the tenant is counted there.
        let mut count: u64 = 1;
        for term in terms(text) {
            *times.entry(term).or_default() += 1;
            count += 1;
        }
        self.execute(
            "INSERT INTO memory_words (tenant, id, words) VALUES (?1, ?2, ?3)",
            values![id, count],
        )?;
        // A term holds no white space.
        let listed: Vec<&str> = times.keys().map(String::as_str).collect();
        let counts: Vec<String> = times.values().map(u64::to_string).collect();
        self.execute(
            "INSERT INTO memory_terms (tenant, term, id, times)
             SELECT ?1, term, ?2, CAST(times AS BIGINT)
             FROM unnest(string_to_array(?3, ' '), string_to_array(?4, ' ')) AS made (term, times)",
            values![id, &listed.join(" "), &counts.join(" ")],
        )?;
        self.count_words(1, count)
    }

    pub(super) fn unindex_terms(&self, id: i64) -> Result<(), Error> {
        let gone = self.first(
            "DELETE FROM memory_words WHERE tenant = ?1 AND id = ?2 RETURNING words",
            values![id],
            |row| row.get::<u64>(0),
        )?;
        let Some(words) = gone else { return Ok(()) };
        self.execute("DELETE FROM memory_terms WHERE tenant = ?1 AND id = ?2", values![id])?;
        self.count_words(-1, words)
    }

    /// Counts an entry, or counts it no longer.
    fn count_words(&self, entries: i64, words: u64) -> Result<(), Error> {
        let words = i64::try_from(words).unwrap_or(i64::MAX).saturating_mul(entries);
        self.execute(
            "INSERT INTO memory_word_state (tenant, entries, words) VALUES (?1, ?2, ?3)
             ON CONFLICT (tenant) DO UPDATE
             SET entries = memory_word_state.entries + excluded.entries,
                 words = memory_word_state.words + excluded.words",
            values![entries, words],
        )
        .map(drop)
    }
}

/// Of a size that a double holds exactly.
#[expect(clippy::cast_precision_loss, reason = "counts of entries and words are below 2^53")]
fn float(count: i64) -> f64 {
    count as f64
}

/// The terms of a text, in order: runs of letters and digits, without case and diacritics, stemmed.
fn terms(text: &str) -> impl Iterator<Item = String> {
    text.split(|character: char| !character.is_alphanumeric() && !is_combining_mark(character))
        .map(folded)
        .filter(|word| !word.is_empty())
        .map(|word| stem(&word))
}

/// A word without case and diacritics.
pub(super) fn folded(word: &str) -> String {
    word.nfd().filter(|character| !is_combining_mark(*character)).collect::<String>().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_have_no_case_no_accents_and_no_endings() {
        let found: Vec<String> = terms("Dépl\u{f6}ying (eu-west-1) cafe\u{301}s!").collect();
        assert_eq!(found, ["deploi", "eu", "west", "1", "cafe"]);
        assert_eq!(terms(" - ").next(), None);
    }
}
