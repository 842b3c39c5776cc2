//! Finds entries by their words, by weight and by age.

use super::row::{COLUMNS, entry};
use super::words::weigh;
use super::{ALIVE_CONDITION, parts};
use crate::domain::{MemoryEntry, MemoryScope};
use crate::store::sql::values;
use crate::store::{Error, Tx};

/// The scope of a reader: an entry is visible if each non-empty part of its scope is the same.
#[derive(Debug, Clone, Default)]
pub struct MemoryView {
    pub scope: MemoryScope,
}

/// An entry that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundEntry {
    pub entry: MemoryEntry,
    /// Relevance of its words for the question, higher is better; 0 if none match.
    pub relevance: f64,
}

impl Tx<'_> {
    /// Up to `limit` visible entries by each criterion: the best matches, the heaviest and the
    /// newest. In the order of their creation.
    pub fn recall_memory(
        &self,
        view: &MemoryView,
        question: &str,
        limit: usize,
    ) -> Result<Vec<FoundEntry>, Error> {
        let asked = self.find_terms(question)?;
        let mut found = self.entries_with_terms(view, &asked, limit)?;
        let [subject, session, agent] = parts(&view.scope);
        // Each scope by itself, so that each is a walk along the index.
        for scope in scopes(subject, session, agent) {
            let [subject, session, agent] = scope;
            let rows = self.all(
                &format!(
                    "SELECT {COLUMNS} FROM memory
                     WHERE tenant = ?1 AND {ALIVE_CONDITION} AND subject = ?3 AND session = ?4 AND agent = ?5
                       AND status = 'promoted'
                     ORDER BY importance DESC, updated_at DESC LIMIT ?6"
                ),
                values![self.now(), subject, session, agent, limit],
                |row| entry(row, 0),
            )?;
            found.extend(rows);
        }
        found.sort_by(|a, b| {
            (a.created_at, &a.key, &a.scope).cmp(&(b.created_at, &b.key, &b.scope))
        });
        found.dedup_by(|a, b| a.key == b.key && a.scope == b.scope);
        Ok(weigh(&asked, found))
    }

    /// Visible entries that have expired, in the order of their creation.
    pub fn expired_in_sight(&self, view: &MemoryView) -> Result<Vec<MemoryEntry>, Error> {
        let [subject, session, agent] = parts(&view.scope);
        let mut found = Vec::new();
        for [subject, session, agent] in scopes(subject, session, agent) {
            found.extend(self.all(
                &format!(
                    "SELECT {COLUMNS} FROM memory
                     WHERE tenant = ?1 AND NOT ({ALIVE_CONDITION})
                       AND subject = ?3 AND session = ?4 AND agent = ?5"
                ),
                values![self.now(), subject, session, agent],
                |row| entry(row, 0),
            )?);
        }
        found.sort_by(|a, b| (a.created_at, &a.key).cmp(&(b.created_at, &b.key)));
        Ok(found)
    }
}

/// Every scope whose entries are visible, once each.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_scope_in_sight_is_named_once() {
        assert_eq!(scopes("", "", "").len(), 1);
        assert_eq!(scopes("s", "t", "").len(), 4);
        assert_eq!(scopes("s", "t", "a").len(), 8);
    }
}
