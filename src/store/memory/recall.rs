//! Finding entries by what they say, by weight and by age.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use super::row::{COLUMNS, entry};
use super::{ALIVE, parts};
use crate::domain::{MemoryEntry, MemoryScope};
use crate::store::sql::values;
use crate::store::{Error, Tx};

/// Words of a question that are looked for.
const MOST_WORDS: usize = 12;
/// A word that more entries than this have tells little: rarer ones are looked for instead.
const COMMON: u64 = 2_000;

/// Who looks: an entry is seen by those who share each part of its scope that is not empty.
#[derive(Debug, Clone, Default)]
pub struct MemoryView {
    pub scope: MemoryScope,
}

/// An entry that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Recalled {
    pub entry: MemoryEntry,
    /// By how much its words answer the question, more is better; 0 where none do.
    pub relevance: f64,
}

/// Holds for a row that the scope of `?3`, `?4` and `?5` sees.
const SEEN: &str = "subject IN ('', ?3) AND session IN ('', ?4) AND agent IN ('', ?5)
     AND status = 'promoted'";

impl Tx<'_> {
    /// At most so many entries in sight by each way of looking: those whose words answer the
    /// question best, and those of the most weight and the newest. In the order in which they came.
    pub fn recall_memory(
        &self,
        view: &MemoryView,
        question: &str,
        limit: usize,
    ) -> Result<Vec<Recalled>, Error> {
        let mut found = self.search(view, question, limit)?;
        let [subject, session, agent] = parts(&view.scope);
        // Each scope by itself, so that each is a walk along the index.
        for scope in scopes(subject, session, agent) {
            let [subject, session, agent] = scope;
            let rows = self.all(
                &format!(
                    "SELECT {COLUMNS} FROM memory
                     WHERE tenant = ?1 AND {ALIVE} AND subject = ?3 AND session = ?4 AND agent = ?5
                       AND status = 'promoted'
                     ORDER BY importance DESC, updated_at DESC LIMIT ?6"
                ),
                values![self.now(), subject, session, agent, limit],
                |row| Ok(Recalled { entry: entry(row, 0)?, relevance: 0.0 }),
            )?;
            found.extend(rows);
        }
        found.sort_by(|a, b| {
            let place = |one: &Recalled| {
                (one.entry.created_at, one.entry.key.clone(), one.entry.scope.clone())
            };
            place(a).cmp(&place(b)).then(b.relevance.total_cmp(&a.relevance))
        });
        found.dedup_by(|a, b| a.entry.key == b.entry.key && a.entry.scope == b.entry.scope);
        Ok(found)
    }

    /// Entries in sight whose time is up, in the order in which they came.
    pub fn expired_in_sight(&self, view: &MemoryView) -> Result<Vec<MemoryEntry>, Error> {
        let [subject, session, agent] = parts(&view.scope);
        let mut found = Vec::new();
        for [subject, session, agent] in scopes(subject, session, agent) {
            found.extend(self.all(
                &format!(
                    "SELECT {COLUMNS} FROM memory
                     WHERE tenant = ?1 AND NOT ({ALIVE})
                       AND subject = ?3 AND session = ?4 AND agent = ?5"
                ),
                values![self.now(), subject, session, agent],
                |row| entry(row, 0),
            )?);
        }
        found.sort_by(|a, b| (a.created_at, &a.key).cmp(&(b.created_at, &b.key)));
        Ok(found)
    }

    fn search(
        &self,
        view: &MemoryView,
        question: &str,
        limit: usize,
    ) -> Result<Vec<Recalled>, Error> {
        let words = self.telling_words(question)?;
        if words.is_empty() {
            return Ok(Vec::new());
        }
        let [subject, session, agent] = parts(&view.scope);
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

    /// The words of a question that few entries have; where all are common, the rarest.
    fn telling_words(&self, question: &str) -> Result<Vec<String>, Error> {
        let mut counted = Vec::new();
        for word in words(question) {
            let count = self.first(
                "SELECT count(*) FROM (
                     SELECT 1 FROM memory_words WHERE memory_words MATCH ?2 AND ?1 <> ''
                     LIMIT ?3) AS found",
                values![&self.matching(&word), COMMON + 1],
                |row| row.get::<u64>(0),
            )?;
            if let Some(count) = count.filter(|count| *count > 0) {
                counted.push((count, word));
            }
        }
        counted.sort();
        let rare = counted.iter().filter(|(count, _)| *count <= COMMON).count();
        counted.truncate(rare.max(1));
        Ok(counted.into_iter().map(|(_, word)| word).collect())
    }

    /// An expression that matches entries of the tenant alone.
    fn matching(&self, words: &str) -> String {
        format!("tenant : {} AND words : ({words})", tenant_word(self.tenant()))
    }

    pub(super) fn index_memory(&self, entry: &MemoryEntry, old: Option<i64>) -> Result<(), Error> {
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
        self.execute(
            "INSERT INTO memory_words (rowid, tenant, words) SELECT ?2, ?3, ?4 WHERE ?1 <> ''",
            values![id, &tenant_word(self.tenant()), &words],
        )
        .map(drop)
    }

    pub(super) fn unindex_memory(&self, id: i64) -> Result<(), Error> {
        self.execute("DELETE FROM memory_words WHERE rowid = ?2 AND ?1 <> ''", values![id])
            .map(drop)
    }
}

/// Every scope whose entries are in sight, once each.
fn scopes<'s>(subject: &'s str, session: &'s str, agent: &'s str) -> Vec<[&'s str; 3]> {
    let with = |part: &'s str| if part.is_empty() { vec![""] } else { vec!["", part] };
    let mut all = Vec::new();
    for subject in with(subject) {
        for session in with(session) {
            all.extend(with(agent).into_iter().map(|agent| [subject, session, agent]));
        }
    }
    all
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

/// The words of a question, quoted, each once, the longest first.
fn words(question: &str) -> Vec<String> {
    let mut found: Vec<String> = question
        .split(|character: char| !character.is_alphanumeric())
        .filter(|word| word.chars().count() >= 2)
        .map(|word| format!("\"{}\"", word.to_lowercase()))
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
    fn a_question_is_its_longest_words_quoted() {
        assert_eq!(
            words("Deploy \"to\" eu-west AND a OR b* to"),
            ["\"deploy\"", "\"west\"", "\"and\"", "\"eu\"", "\"or\"", "\"to\""]
        );
        assert!(words("? ! a").is_empty());
    }

    #[test]
    fn each_scope_in_sight_is_named_once() {
        assert_eq!(scopes("", "", "").len(), 1);
        assert_eq!(scopes("s", "t", "").len(), 4);
        assert_eq!(scopes("s", "t", "a").len(), 8);
    }
}
