//! A connection to SQLite as what runs statements.

use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, Statement};

use super::error;
use crate::store::Error;
use crate::store::sql::{Dialect, Row, Sql, SqlValue, check_texts};

impl Sql for Connection {
    fn execute(&self, sql: &str, values: &[SqlValue<'_>]) -> Result<u64, Error> {
        check_texts(values)?;
        let run = || {
            let mut statement = self.prepare_cached(sql)?;
            bind(&mut statement, values)?;
            // A statement that returns rows is not refused: it may change some too.
            let mut rows = statement.raw_query();
            while rows.next()?.is_some() {}
            Ok(self.changes())
        };
        run().map_err(error)
    }

    fn query(
        &self,
        sql: &str,
        values: &[SqlValue<'_>],
        each: &mut dyn FnMut(&dyn Row) -> Result<(), Error>,
    ) -> Result<(), Error> {
        check_texts(values)?;
        let mut statement = self.prepare_cached(sql).map_err(error)?;
        bind(&mut statement, values).map_err(error)?;
        let mut rows = statement.raw_query();
        while let Some(row) = rows.next().map_err(error)? {
            each(row)?;
        }
        Ok(())
    }

    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }
}

/// Values that a statement does not name are skipped.
fn bind(statement: &mut Statement<'_>, values: &[SqlValue<'_>]) -> rusqlite::Result<()> {
    for (value, number) in values.iter().zip(1..=statement.parameter_count()) {
        statement.raw_bind_parameter(number, value)?;
    }
    Ok(())
}

impl ToSql for SqlValue<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match *self {
            Self::Null => ValueRef::Null,
            Self::Int(value) => ValueRef::Integer(value),
            Self::Real(value) => ValueRef::Real(value),
            Self::Text(value) => ValueRef::Text(value.as_bytes()),
            Self::Blob(value) => ValueRef::Blob(value),
        }))
    }
}

impl Row for rusqlite::Row<'_> {
    fn value(&self, column: usize) -> Result<SqlValue<'_>, Error> {
        Ok(match self.get_ref(column).map_err(error)? {
            ValueRef::Null => SqlValue::Null,
            ValueRef::Integer(value) => SqlValue::Int(value),
            ValueRef::Real(value) => SqlValue::Real(value),
            ValueRef::Blob(value) => SqlValue::Blob(value),
            text @ ValueRef::Text(_) => {
                SqlValue::Text(text.as_str().map_err(|cause| error(cause.into()))?)
            }
        })
    }
}
