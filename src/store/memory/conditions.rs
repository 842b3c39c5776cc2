//! Conditions of a list of entries.

use std::fmt::Write as _;

use super::{LIST_ORDER, MemoryCursor, parts, placeholders};
use crate::store::sql::SqlValue;

/// Conditions of a statement whose first two values are the tenant and one more.
#[derive(Debug, Clone, Default)]
pub(super) struct Conditions<'v> {
    /// Each begins with ` AND `.
    pub(super) sql: String,
    pub(super) values: Vec<SqlValue<'v>>,
}

impl<'v> Conditions<'v> {
    /// Adds a condition about a value, which `#` stands for; nothing without a value.
    pub(super) fn push(&mut self, condition: &str, value: Option<&'v str>) {
        if let Some(value) = value {
            let number = format!("?{}", self.values.len() + 3);
            self.sql.push_str(" AND ");
            self.sql.push_str(&condition.replace('#', &number));
            self.values.push(value.into());
        }
    }

    /// Adds a condition about the place in a list.
    pub(super) fn push_order(&mut self, compare: &str, cursor: &'v MemoryCursor) {
        let scope = parts(&cursor.scope);
        let placeholders = placeholders(self.values.len() + 3, scope.len() + 1);
        let _ = write!(self.sql, " AND ({LIST_ORDER}) {compare} ({placeholders})");
        self.values.push(cursor.key.as_str().into());
        self.values.extend(scope.map(SqlValue::from));
    }
}
