//! Statements and rows, whichever database they belong to.
//!
//! Statements number their values (`?1`, `?2`), are of the dialect that all databases here share,
//! and are compiled once a connection.

use std::sync::Arc;

use super::Error;
use crate::domain::{ContentHash, Timestamp};

/// A connection inside of a transaction.
pub(super) trait Sql {
    /// Runs a statement that returns no rows; returns how many it changed.
    fn execute(&self, sql: &str, values: &[SqlValue<'_>]) -> Result<u64, Error>;

    /// Runs a statement and hands each row to `each`, in order.
    fn query(
        &self,
        sql: &str,
        values: &[SqlValue<'_>],
        each: &mut dyn FnMut(&dyn Row) -> Result<(), Error>,
    ) -> Result<(), Error>;

    /// The database, for the few statements that databases do not share.
    fn dialect(&self) -> Dialect;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    Sqlite,
    Postgres,
}

/// The value of a column, or of a placeholder such as `?1`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum SqlValue<'v> {
    Null,
    Int(i64),
    Real(f64),
    Text(&'v str),
    Blob(&'v [u8]),
}

/// Refuses texts that not every database can store. Requests with such texts are refused earlier,
/// with the place of the text; this is the safety net for a reader of requests that misses one.
pub(super) fn check_texts(values: &[SqlValue<'_>]) -> Result<(), Error> {
    let has_nul =
        |value: &SqlValue<'_>| matches!(value, SqlValue::Text(text) if text.contains('\0'));
    if values.iter().any(has_nul) { Err(Error::Nul) } else { Ok(()) }
}

/// One row of a result.
pub(super) trait Row {
    /// The value of a column, counted from 0.
    fn value(&self, column: usize) -> Result<SqlValue<'_>, Error>;
}

impl dyn Row + '_ {
    /// A column as the type that is wanted; another type in it means that the store is damaged.
    pub(super) fn get<T: FromValue>(&self, column: usize) -> Result<T, Error> {
        T::from_value(self.value(column)?).ok_or_else(|| {
            Error::Corrupt(Arc::new(UnexpectedColumn {
                column,
                wanted: std::any::type_name::<T>(),
            }))
        })
    }
}

#[derive(Debug, thiserror::Error)]
#[error("column {column} does not hold a {wanted}")]
struct UnexpectedColumn {
    column: usize,
    wanted: &'static str,
}

/// A type that a column can be read as.
pub(super) trait FromValue: Sized {
    fn from_value(value: SqlValue<'_>) -> Option<Self>;
}

/// `values![a, b]` are the values of `?1` and `?2`.
macro_rules! values {
    ($($value:expr),* $(,)?) => { &[$($crate::store::sql::SqlValue::from($value)),*] };
}
pub(super) use values;

impl From<i64> for SqlValue<'_> {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

/// Sizes and counts; larger numbers become the largest number of a column.
impl From<u64> for SqlValue<'_> {
    fn from(value: u64) -> Self {
        Self::Int(i64::try_from(value).unwrap_or(i64::MAX))
    }
}

impl From<usize> for SqlValue<'_> {
    fn from(value: usize) -> Self {
        Self::Int(i64::try_from(value).unwrap_or(i64::MAX))
    }
}

impl From<bool> for SqlValue<'_> {
    fn from(value: bool) -> Self {
        Self::Int(i64::from(value))
    }
}

impl From<f64> for SqlValue<'_> {
    fn from(value: f64) -> Self {
        Self::Real(value)
    }
}

impl From<Timestamp> for SqlValue<'_> {
    fn from(value: Timestamp) -> Self {
        Self::Int(value.micros())
    }
}

impl<'v> From<&'v str> for SqlValue<'v> {
    fn from(value: &'v str) -> Self {
        Self::Text(value)
    }
}

impl<'v> From<&'v String> for SqlValue<'v> {
    fn from(value: &'v String) -> Self {
        Self::Text(value)
    }
}

impl<'v> From<&'v Arc<str>> for SqlValue<'v> {
    fn from(value: &'v Arc<str>) -> Self {
        Self::Text(value)
    }
}

impl<'v> From<&'v [u8]> for SqlValue<'v> {
    fn from(value: &'v [u8]) -> Self {
        Self::Blob(value)
    }
}

impl<'v> From<&'v Vec<u8>> for SqlValue<'v> {
    fn from(value: &'v Vec<u8>) -> Self {
        Self::Blob(value)
    }
}

impl<'v, const N: usize> From<&'v [u8; N]> for SqlValue<'v> {
    fn from(value: &'v [u8; N]) -> Self {
        Self::Blob(value)
    }
}

/// Parts of a list that are of few lengths, so that a statement over each is compiled once.
pub(super) fn parts<T>(mut items: &[T]) -> impl Iterator<Item = &[T]> {
    const PART_LENGTHS: [usize; 3] = [64, 8, 1];
    std::iter::from_fn(move || {
        let length = PART_LENGTHS.into_iter().find(|length| *length <= items.len())?;
        let (part, rest) = items.split_at_checked(length)?;
        items = rest;
        Some(part)
    })
}

/// Calls `run` with a statement and its values for some of the items at a time: `#` in the statement
/// stands for their list, after `values`, of which the first is `?2`.
pub(super) fn for_parts<'v, T>(
    sql: &str,
    values: &[SqlValue<'v>],
    items: &'v [T],
    mut run: impl FnMut(&str, &[SqlValue<'v>]) -> Result<(), Error>,
) -> Result<(), Error>
where
    SqlValue<'v>: From<&'v T>,
{
    let first = values.len() + 2;
    for part in parts(items) {
        let list = format!("(?{first}{})", more(first + 1, part.len(), "?#"));
        let given: Vec<SqlValue<'v>> =
            values.iter().copied().chain(part.iter().map(SqlValue::from)).collect();
        run(&sql.replace('#', &list), &given)?;
    }
    Ok(())
}

/// The SQL for the values of a part after the first: `one` for each, in which `#` is its number;
/// `next` is the number of the second.
pub(super) fn more(next: usize, values: usize, one: &str) -> String {
    (next..next + values.saturating_sub(1))
        .flat_map(|number| [", ".to_owned(), one.replace('#', &number.to_string())])
        .collect()
}

impl<'v> From<&'v ContentHash> for SqlValue<'v> {
    fn from(value: &'v ContentHash) -> Self {
        Self::Blob(&value.0)
    }
}

impl<T: Into<Self>> From<Option<T>> for SqlValue<'_> {
    fn from(value: Option<T>) -> Self {
        value.map_or(SqlValue::Null, Into::into)
    }
}

impl FromValue for i64 {
    fn from_value(value: SqlValue<'_>) -> Option<Self> {
        if let SqlValue::Int(value) = value { Some(value) } else { None }
    }
}

impl FromValue for u64 {
    fn from_value(value: SqlValue<'_>) -> Option<Self> {
        i64::from_value(value).and_then(|value| value.try_into().ok())
    }
}

impl FromValue for usize {
    fn from_value(value: SqlValue<'_>) -> Option<Self> {
        i64::from_value(value).and_then(|value| value.try_into().ok())
    }
}

impl FromValue for bool {
    fn from_value(value: SqlValue<'_>) -> Option<Self> {
        i64::from_value(value).map(|value| value != 0)
    }
}

impl FromValue for f64 {
    fn from_value(value: SqlValue<'_>) -> Option<Self> {
        if let SqlValue::Real(value) = value { Some(value) } else { None }
    }
}

impl FromValue for Timestamp {
    fn from_value(value: SqlValue<'_>) -> Option<Self> {
        i64::from_value(value).map(Self::from_micros)
    }
}

impl FromValue for String {
    fn from_value(value: SqlValue<'_>) -> Option<Self> {
        if let SqlValue::Text(value) = value { Some(value.to_owned()) } else { None }
    }
}

impl FromValue for Arc<str> {
    fn from_value(value: SqlValue<'_>) -> Option<Self> {
        if let SqlValue::Text(value) = value { Some(value.into()) } else { None }
    }
}

impl FromValue for Vec<u8> {
    fn from_value(value: SqlValue<'_>) -> Option<Self> {
        if let SqlValue::Blob(value) = value { Some(value.to_vec()) } else { None }
    }
}

impl<const N: usize> FromValue for [u8; N] {
    fn from_value(value: SqlValue<'_>) -> Option<Self> {
        if let SqlValue::Blob(value) = value { value.try_into().ok() } else { None }
    }
}

impl FromValue for ContentHash {
    fn from_value(value: SqlValue<'_>) -> Option<Self> {
        FromValue::from_value(value).map(Self)
    }
}

impl<T: FromValue> FromValue for Option<T> {
    fn from_value(value: SqlValue<'_>) -> Option<Self> {
        if value == SqlValue::Null { Some(None) } else { T::from_value(value).map(Some) }
    }
}
