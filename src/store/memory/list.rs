//! Lists entries by filters, in the byte order of their keys and scopes.

use super::conditions::Conditions;
use super::row::{self, COLUMNS, entry};
use super::{ALIVE_CONDITION, LIST_ORDER, MemoryCursor, MemoryFilter, word_of};
use crate::domain::{MemoryEntry, MemoryStatus, MemoryTier};
use crate::store::page::{Page, Window};
use crate::store::{Error, Tx};

impl Tx<'_> {
    /// Lists up to `limit` entries that are not expired, in the byte order of their keys and
    /// scopes. Looks at `MAX_EXAMINED_ROWS` at most.
    pub fn list_memory(
        &self,
        filter: &MemoryFilter,
        after: Option<&MemoryCursor>,
        limit: usize,
    ) -> Result<Page<MemoryEntry, MemoryCursor>, Error> {
        Page::read_by_windows(after.cloned(), limit, |after, window| {
            self.memory_of_window(filter, after, window)
        })
    }

    fn memory_of_window(
        &self,
        filter: &MemoryFilter,
        after: Option<&MemoryCursor>,
        window: Window,
    ) -> Result<Page<MemoryEntry, MemoryCursor>, Error> {
        let prefix_end = filter.prefix.as_deref().map(|prefix| format!("{prefix}\u{10ffff}"));
        let tag = filter.tag.as_deref().map(row::json);
        let mut range = Conditions::default();
        // Indexes have the entries of a whole scope, of a session and of a subject in this order.
        let scope = [
            ("subject = #", filter.subject.as_deref()),
            ("session = #", filter.session_id.as_deref()),
            ("agent = #", filter.agent.as_deref()),
            ("pack_tenant = #", filter.pack_tenant.as_deref()),
        ];
        match filter.session_id.as_deref() {
            _ if scope.iter().all(|(_, part)| part.is_some()) => {
                for (condition, part) in scope {
                    range.push(condition, part);
                }
            }
            Some(session) if !session.is_empty() => {
                range.push("session = # AND session <> ''", Some(session));
            }
            _ => range.push("subject = #", filter.subject.as_deref()),
        }
        range.push("key >= #", filter.prefix.as_deref());
        range.push("key < #", prefix_end.as_deref());
        if let Some(after) = after {
            range.push_order(">", after);
        }
        let examined = self.last_examined(&range, window)?;
        let mut conditions = range;
        for (condition, value) in scope.into_iter().chain([
            ("tier = #", filter.tier.map(|tier| word_of(MemoryTier::WORDS, tier))),
            ("status = #", filter.status.map(|status| word_of(MemoryStatus::WORDS, status))),
            // Holds the text; `LIKE` takes no care of case in one database and does in the other.
            ("replace(tags, #, '') <> tags", tag.as_deref()),
        ]) {
            conditions.push(condition, value);
        }
        if let Some(examined) = &examined {
            conditions.push_order("<=", examined);
        }
        let Conditions { sql, values } = conditions;
        let mut given = vec![self.now().into()];
        given.extend(values);
        given.push(window.limit.saturating_add(1).into());
        let rows = self.all(
            &format!(
                "SELECT {COLUMNS} FROM memory WHERE tenant = ?1 AND {ALIVE_CONDITION}{sql}
                 ORDER BY {LIST_ORDER} LIMIT ?{}",
                given.len() + 1
            ),
            &given,
            |row| entry(row, 0),
        )?;
        Ok(Page::new(rows, window.limit, MemoryCursor::after, examined))
    }

    /// The last row of a range that a window has; none if the range has no more rows than that.
    fn last_examined(
        &self,
        range: &Conditions<'_>,
        window: Window,
    ) -> Result<Option<MemoryCursor>, Error> {
        let mut given = vec![window.last_row().into()];
        given.extend_from_slice(&range.values);
        self.first(
            &format!(
                "SELECT {LIST_ORDER} FROM memory WHERE tenant = ?1{}
                 ORDER BY {LIST_ORDER} LIMIT 1 OFFSET ?2",
                range.sql
            ),
            &given,
            row::cursor,
        )
    }
}
