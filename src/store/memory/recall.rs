//! Finding entries by what they say, by weight and by age.

use super::row::{COLUMNS, entry};
use super::words::weigh;
use super::{ALIVE_CONDITION, parts};
use crate::domain::{MemoryEntry, MemoryScope};
use crate::store::sql::values;
use crate::store::{Error, Tx};

/// Who looks: an entry is seen by those who share each part of its scope that is not empty.
#[derive(Debug, Clone, Default)]
pub struct MemoryView {
    pub scope: MemoryScope,
}

/// An entry that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundEntry {
    pub entry: MemoryEntry,
    /// By how much its words answer the question, more is better; 0 where none do.
    pub relevance: f64,
}

impl Tx<'_> {
    /// At most so many entries in sight by each way of looking: those whose words answer the
    /// question best, and those of the most weight and the newest. In the order in which they came.
    pub fn recall_memory(
        &self,
        view: &MemoryView,
        question: &str,
        limit: usize,
    ) -> Result<Vec<FoundEntry>, Error> {
        let asked = self.asked(question)?;
        let mut found = self.answering(view, &asked, limit)?;
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

    /// Entries in sight whose time is up, in the order in which they came.
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
