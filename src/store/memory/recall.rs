//! Finds entries by their words, by weight and by age.

use super::row::{COLUMNS, entry};
use super::words::{SCOPE_CONDITION, weigh};
use super::{ALIVE_CONDITION, FoundEntry, MemoryView, parts};
use crate::domain::MemoryEntry;
use crate::store::sql::values;
use crate::store::{Error, Tx};

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
        let statuses = view.statuses();
        // Each scope by itself, so that each is a walk along the index.
        for [subject, session, agent, pack] in scopes(parts(&view.scope)) {
            let rows = self.all(
                &format!(
                    "SELECT {COLUMNS} FROM memory
                     WHERE tenant = ?1 AND {ALIVE_CONDITION} AND subject = ?3 AND session = ?4
                       AND agent = ?5 AND pack_tenant = ?6 AND status IN {statuses}
                     ORDER BY importance DESC, updated_at DESC LIMIT ?7"
                ),
                values![self.now(), subject, session, agent, pack, limit],
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

    /// The visible entries of a key.
    pub fn memory_in_sight(&self, view: &MemoryView, key: &str) -> Result<Vec<MemoryEntry>, Error> {
        let [subject, session, agent, pack] = parts(&view.scope);
        let statuses = view.statuses();
        self.all(
            &format!(
                "SELECT {COLUMNS} FROM memory
                 WHERE tenant = ?1 AND {ALIVE_CONDITION} AND {SCOPE_CONDITION}
                   AND status IN {statuses} AND key = ?7"
            ),
            values![self.now(), subject, session, agent, pack, key],
            |row| entry(row, 0),
        )
    }

    /// Visible entries that have expired, in the order of their creation.
    pub fn expired_in_sight(&self, view: &MemoryView) -> Result<Vec<MemoryEntry>, Error> {
        let mut found = Vec::new();
        for [subject, session, agent, pack] in scopes(parts(&view.scope)) {
            found.extend(self.all(
                &format!(
                    "SELECT {COLUMNS} FROM memory
                     WHERE tenant = ?1 AND NOT ({ALIVE_CONDITION})
                       AND subject = ?3 AND session = ?4 AND agent = ?5 AND pack_tenant = ?6"
                ),
                values![self.now(), subject, session, agent, pack],
                |row| entry(row, 0),
            )?);
        }
        found.sort_by(|a, b| (a.created_at, &a.key).cmp(&(b.created_at, &b.key)));
        Ok(found)
    }
}

/// Every scope whose entries are visible, once each.
fn scopes<'s>(parts: [&'s str; 4]) -> Vec<[&'s str; 4]> {
    let mut all = vec![[""; 4]];
    for (at, part) in parts.into_iter().enumerate().filter(|(_, part)| !part.is_empty()) {
        let with_part = |scope: &[&'s str; 4]| {
            let mut scope = *scope;
            if let Some(own) = scope.get_mut(at) {
                *own = part;
            }
            scope
        };
        let narrower: Vec<_> = all.iter().map(with_part).collect();
        all.extend(narrower);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_scope_in_sight_is_named_once() {
        assert_eq!(scopes([""; 4]), [[""; 4]]);
        assert_eq!(scopes(["s", "", "a", ""]).len(), 4);
        let all = scopes(["s", "t", "a", "p"]);
        let unique: std::collections::BTreeSet<_> = all.iter().collect();
        assert_eq!(unique.len(), 16);
    }
}
