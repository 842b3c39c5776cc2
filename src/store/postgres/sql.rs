//! A connection to PostgreSQL as what runs statements.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::error::Error as StdError;
use std::sync::Arc;
use std::time::Duration;

use bytes::BytesMut;
use tokio::runtime::Handle;
use tokio_postgres::types::{Format, IsNull, ToSql, Type, to_sql_checked};
use tokio_postgres::{Client, Statement};

use super::error;
use super::stall::{ANSWER_TIMEOUT, StallSwitch};
use crate::store::Error;
use crate::store::error::broken;
use crate::store::sql::{Dialect, Row, Sql, SqlValue, check_texts};

/// Texts of statements that a connection keeps compiled.
const MAX_STATEMENTS: usize = 256;

/// A statement and the types of its values: null has none of its own.
type TypedStatement = (Vec<Type>, Statement);

/// A connection that one thread uses at a time.
pub(super) struct Connection {
    client: Client,
    handle: Handle,
    statements: RefCell<HashMap<Box<str>, Vec<TypedStatement>>>,
    /// Whether an answer timed out.
    dead: Cell<bool>,
    stall: Arc<StallSwitch>,
    /// Time to wait for an answer.
    limit: Cell<Duration>,
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection").field("dead", &self.is_dead()).finish_non_exhaustive()
    }
}

impl Connection {
    pub(super) fn new(client: Client, handle: Handle, stall: Arc<StallSwitch>) -> Self {
        let (statements, dead) = (RefCell::default(), Cell::new(false));
        Self { client, handle, statements, dead, stall, limit: Cell::new(ANSWER_TIMEOUT) }
    }

    /// Waits for each answer for as long as it takes: a step of the schema may take minutes.
    pub(super) fn wait_without_limit(&self) {
        self.limit.set(Duration::MAX);
    }

    /// Whether an answer did not arrive in time.
    pub(super) fn has_timed_out(&self) -> bool {
        self.dead.get()
    }

    /// Whether the connection is unusable.
    pub(super) fn is_dead(&self) -> bool {
        self.dead.get() || self.client.is_closed()
    }

    /// Runs statements that take no values and answer nothing.
    pub(super) fn batch(&self, sql: &str) -> Result<(), Error> {
        self.wait(self.client.batch_execute(sql))
    }

    fn wait<T>(
        &self,
        answer: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T, Error> {
        if let Ok(answer) = block_on(&self.handle, self.limit.get(), answer) {
            answer.map_err(error)
        } else {
            self.dead.set(true);
            self.stall.note();
            Err(broken("the database did not answer"))
        }
    }

    fn statement(&self, sql: &str, values: &[SqlValue<'_>]) -> Result<Statement, Error> {
        let is_for = |types: &[Type]| {
            types.len() == values.len()
                && types.iter().zip(values).all(|(known, value)| *known == type_of(value))
        };
        let known = self.statements.borrow().get(sql).and_then(|all| {
            all.iter().find(|(types, _)| is_for(types)).map(|(_, statement)| statement.clone())
        });
        if let Some(statement) = known {
            return Ok(statement);
        }
        let types: Vec<Type> = values.iter().map(type_of).collect();
        let dollars = with_dollars(sql);
        let statement = self.wait(self.client.prepare_typed(&dollars, &types))?;
        let mut statements = self.statements.borrow_mut();
        if statements.len() >= MAX_STATEMENTS {
            statements.clear();
        }
        statements.entry(sql.into()).or_default().push((types, statement.clone()));
        Ok(statement)
    }
}

impl Sql for Connection {
    fn execute(&self, sql: &str, values: &[SqlValue<'_>]) -> Result<u64, Error> {
        check_texts(values)?;
        let values = named_values(sql, values);
        let statement = self.statement(sql, values)?;
        let given = values.iter().map(|value| value as &(dyn ToSql + Sync));
        self.wait(self.client.execute_raw(&statement, given))
    }

    fn query(
        &self,
        sql: &str,
        values: &[SqlValue<'_>],
        each: &mut dyn FnMut(&dyn Row) -> Result<(), Error>,
    ) -> Result<(), Error> {
        check_texts(values)?;
        let values = named_values(sql, values);
        let statement = self.statement(sql, values)?;
        let given: Vec<_> = values.iter().map(|value| value as &(dyn ToSql + Sync)).collect();
        let rows = self.wait(self.client.query(&statement, &given))?;
        rows.iter().try_for_each(|row| each(row))
    }

    fn dialect(&self) -> Dialect {
        Dialect::Postgres
    }
}

/// No answer arrived in time.
#[derive(Debug, Clone, Copy)]
struct AnswerTimeout;

/// Waits for an answer on this thread, whatever else runs on it.
fn block_on<F: Future>(
    handle: &Handle,
    limit: Duration,
    future: F,
) -> Result<F::Output, AnswerTimeout> {
    let _timers = handle.enter();
    pollster::block_on(tokio::time::timeout(limit, future)).map_err(|_| AnswerTimeout)
}

/// The values that a statement names, up to the last one.
fn named_values<'s, 'v>(sql: &str, values: &'s [SqlValue<'v>]) -> &'s [SqlValue<'v>] {
    let last = sql.split('?').skip(1).map(number).max().unwrap_or(0);
    values.get(..last).unwrap_or(values)
}

/// The number at the beginning of a text.
fn number(text: &str) -> usize {
    let end = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
    text.get(..end).and_then(|digits| digits.parse().ok()).unwrap_or(0)
}

/// Replaces `?1` with `$1`. No statement here contains a question mark for another reason.
fn with_dollars(sql: &str) -> String {
    sql.replace('?', "$")
}

fn type_of(value: &SqlValue<'_>) -> Type {
    match value {
        SqlValue::Null => Type::UNKNOWN,
        SqlValue::Int(_) => Type::INT8,
        SqlValue::Real(_) => Type::FLOAT8,
        SqlValue::Text(_) => Type::TEXT,
        SqlValue::Blob(_) => Type::BYTEA,
    }
}

impl ToSql for SqlValue<'_> {
    fn to_sql(
        &self,
        wanted: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn StdError + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Int(value) => value.to_sql(wanted, out),
            Self::Real(value) => value.to_sql(wanted, out),
            Self::Text(value) => value.to_sql(wanted, out),
            Self::Blob(value) => value.to_sql(wanted, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        // A statement is prepared with the types of its values.
        true
    }

    fn encode_format(&self, _: &Type) -> Format {
        Format::Binary
    }

    to_sql_checked!();
}

impl Row for tokio_postgres::Row {
    fn value(&self, column: usize) -> Result<SqlValue<'_>, Error> {
        let wanted = self.columns().get(column).map(|column| column.type_().clone());
        let Some(wanted) = wanted else { return Err(broken("a row has not this many columns")) };
        let value = match wanted {
            Type::INT8 => {
                self.try_get::<_, Option<i64>>(column).map(|value| value.map(SqlValue::Int))
            }
            Type::INT4 => self
                .try_get::<_, Option<i32>>(column)
                .map(|value| value.map(|value| SqlValue::Int(value.into()))),
            Type::BOOL => self
                .try_get::<_, Option<bool>>(column)
                .map(|value| value.map(|value| SqlValue::Int(value.into()))),
            Type::FLOAT8 => {
                self.try_get::<_, Option<f64>>(column).map(|value| value.map(SqlValue::Real))
            }
            Type::BYTEA => {
                self.try_get::<_, Option<&[u8]>>(column).map(|value| value.map(SqlValue::Blob))
            }
            _ => self.try_get::<_, Option<&str>>(column).map(|value| value.map(SqlValue::Text)),
        };
        Ok(value.map_err(error)?.unwrap_or(SqlValue::Null))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_named_with_dollars_and_no_more_are_given_than_are_named() {
        assert_eq!(with_dollars("a = ?1 AND b = ?12"), "a = $1 AND b = $12");
        let values = [SqlValue::Int(1), SqlValue::Int(2), SqlValue::Int(3)];
        assert_eq!(named_values("a = ?2 AND b = ?1", &values), &values[..2]);
        assert_eq!(named_values("nothing", &values), &values[..0]);
        assert_eq!(named_values("a = ?9", &values), &values);
    }
}
