//! Removes rows of a table, some in each transaction.
//!
//! The keys of the rows are read before they are deleted: of a statement that does both, PostgreSQL may
//! run the part that looks for them once for each row of the tenant.

use super::sql::{FromValue, SqlValue};
use super::{Error, Tx};
use crate::domain::Timestamp;

/// Rows of a table that are removed in one transaction, triggers included, so that no write of the
/// tenant waits for long. It is written into statements: PostgreSQL expects of a limit that is a value
/// that it is a tenth of the rows, and reads through the table.
pub(super) const DELETE_BATCH_ROWS: u64 = 100;

/// Rows that are old enough to go.
#[derive(Debug, Clone, Copy)]
pub(super) struct OldRows {
    pub(super) table: &'static str,
    /// The column that names a row of a tenant.
    pub(super) key: &'static str,
    /// True for a row that is old; `?2` is the time.
    pub(super) condition: &'static str,
    /// The column whose lowest values go first.
    pub(super) order: &'static str,
}

/// Rows that belong to something.
#[derive(Debug, Clone, Copy)]
pub(super) struct OwnedRows {
    pub(super) table: &'static str,
    /// The column that names what a row belongs to.
    pub(super) owner: &'static str,
    /// The column that names a row of one owner.
    pub(super) key: &'static str,
}

impl Tx<'_> {
    /// Deletes some of the rows that have expired, those that expired first; returns whether there are
    /// more.
    pub(super) fn delete_expired<T>(
        &self,
        table: &'static str,
        key: &'static str,
    ) -> Result<bool, Error>
    where
        T: FromValue,
        for<'v> SqlValue<'v>: From<&'v T>,
    {
        let rows = OldRows { table, key, condition: "expires_at <= ?2", order: "expires_at" };
        self.delete_old::<T>(rows, self.now())
    }

    /// Deletes some of the rows that are old at a time; returns whether there are more.
    pub(super) fn delete_old<T>(&self, rows: OldRows, time: Timestamp) -> Result<bool, Error>
    where
        T: FromValue,
        for<'v> SqlValue<'v>: From<&'v T>,
    {
        let OldRows { table, key, condition, order } = rows;
        let old: Vec<T> = self.all(
            &format!(
                "SELECT {key} FROM {table} WHERE tenant = ?1 AND {condition}
                 ORDER BY {order} LIMIT {DELETE_BATCH_ROWS}"
            ),
            &[SqlValue::Int(time.micros())],
            |row| row.get(0),
        )?;
        let delete = format!("DELETE FROM {table} WHERE tenant = ?1 AND {key} IN #");
        self.execute_for(&delete, &[], &old)?;
        Ok(old.len() as u64 == DELETE_BATCH_ROWS)
    }

    /// Deletes up to `limit` rows of an owner, in the order of their keys; returns the keys.
    pub(super) fn delete_owned<T>(
        &self,
        rows: OwnedRows,
        owner: &str,
        limit: u64,
    ) -> Result<Vec<T>, Error>
    where
        T: FromValue,
        for<'v> SqlValue<'v>: From<&'v T>,
    {
        let OwnedRows { table, owner: column, key } = rows;
        let found: Vec<T> = self.all(
            &format!(
                "SELECT {key} FROM {table} WHERE tenant = ?1 AND {column} = ?2
                 ORDER BY {key} LIMIT ?3"
            ),
            &[SqlValue::Text(owner), SqlValue::Int(i64::try_from(limit).unwrap_or(i64::MAX))],
            |row| row.get(0),
        )?;
        let delete =
            format!("DELETE FROM {table} WHERE tenant = ?1 AND {column} = ?2 AND {key} IN #");
        self.execute_for(&delete, &[SqlValue::Text(owner)], &found)?;
        Ok(found)
    }
}
