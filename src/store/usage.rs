//! Usage by day, key and model: of a tenant, and of each of its sessions.

use super::sql::{Row, SqlValue, values};
use super::{Error, Tx};
use crate::domain::{CostTotals, Day, GATEWAY_SESSION_PREFIX, is_gateway_session};

/// The usage of a model under a key in a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageRow {
    pub day: Day,
    /// The session that the row is the share of; none for all requests, with a session or without.
    pub session: Option<String>,
    /// Empty for callers without a key.
    pub key: String,
    /// Empty if a request named none.
    pub model: String,
    pub requests: u64,
    pub tokens_before: u64,
    pub tokens_after: u64,
    /// Tokens that were left out for the first time.
    pub unique_saved_tokens: u64,
    pub cost: CostTotals,
}

/// Filter of a list of rows; an absent member leaves none out.
#[derive(Debug, Clone, Default)]
pub struct UsageFilter {
    pub key: Option<String>,
    pub model: Option<String>,
    /// First and last day.
    pub from: Option<Day>,
    pub to: Option<Day>,
}

/// The row after which a list of usage continues.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageCursor {
    /// The session of a row of a session.
    pub session: Option<String>,
    pub day: Day,
    pub key: String,
    pub model: String,
}

/// Days for which the share of a session of the gateway is kept.
const GATEWAY_USAGE_DAYS: i64 = 30;

/// The columns of a row after those that it is found by.
const SUMS: &str = "requests, tokens_before, tokens_after, priced_requests, reported_requests, \
    payload_micros, output_micros, unshortened_micros, unique_saved_tokens, unique_saved_micros";

/// Placeholders of the sums after the four values before them, and after the five.
const TENANT_SUMS: &str = "?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14";
const SESSION_SUMS: &str = "?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15";

impl Tx<'_> {
    /// Adds to what is stored for the row's day, key and model, and to the share of its session
    /// unless the session is gone. Sessions of the gateway have no row that could be gone.
    pub fn add_usage(&self, row: &UsageRow) -> Result<(), Error> {
        let mut given = values![row.day.0, &row.key, &row.model].to_vec();
        given.extend(sums(row));
        self.execute(
            &format!(
                "INSERT INTO usage (tenant, day, key, model, {SUMS})
                 VALUES (?1, ?2, ?3, ?4, {TENANT_SUMS})
                 ON CONFLICT (tenant, day, key, model) DO UPDATE SET {}",
                added("usage")
            ),
            &given,
        )?;
        let Some(session) = &row.session else { return Ok(()) };
        let exists = "SELECT 1 FROM sessions WHERE tenant = ?1 AND id = ?2";
        if !is_gateway_session(session) && !self.exists(exists, values![session])? {
            return Ok(());
        }
        let mut given = values![session, row.day.0, &row.key, &row.model].to_vec();
        given.extend(sums(row));
        self.execute(
            &format!(
                "INSERT INTO session_usage (tenant, session, day, key, model, {SUMS})
                 VALUES (?1, ?2, ?3, ?4, ?5, {SESSION_SUMS})
                 ON CONFLICT (tenant, session, day, key, model) DO UPDATE SET {}",
                added("session_usage")
            ),
            &given,
        )
        .map(drop)
    }

    /// Deletes the shares of the gateway's sessions that are older than their records usually are.
    pub(super) fn forget_gateway_usage(&self) -> Result<(), Error> {
        let today = Day::new(self.now());
        let end = format!("{}`", GATEWAY_SESSION_PREFIX.trim_end_matches('_'));
        self.execute(
            "DELETE FROM session_usage
             WHERE tenant = ?1 AND session >= ?2 AND session < ?3 AND day < ?4",
            values![GATEWAY_SESSION_PREFIX, &end, today.0 - GATEWAY_USAGE_DAYS],
        )
        .map(drop)
    }

    /// Tokens of the requests under a key in a day.
    pub fn tokens_of_day(&self, key: &str, day: Day) -> Result<u64, Error> {
        let sum = self.first(
            "SELECT CAST(coalesce(sum(tokens_before), 0) AS BIGINT) FROM usage
             WHERE tenant = ?1 AND day = ?3 AND key = ?2",
            values![key, day.0],
            |row| row.get(0),
        )?;
        Ok(sum.unwrap_or_default())
    }

    /// Lists up to `limit` rows by day, key and model: the first ones, or those after `after`.
    pub fn list_usage(
        &self,
        filter: &UsageFilter,
        after: Option<&UsageCursor>,
        limit: usize,
    ) -> Result<Vec<UsageRow>, Error> {
        self.all(
            &format!(
                "SELECT day, key, model, {SUMS} FROM usage
                 WHERE tenant = ?1 AND day >= ?2 AND day <= ?3
                   AND (CAST(?4 AS TEXT) IS NULL OR key = ?4)
                   AND (CAST(?5 AS TEXT) IS NULL OR model = ?5)
                   AND (day, key, model) > (?6, ?7, ?8)
                 ORDER BY day, key, model LIMIT ?9"
            ),
            &page(filter, after, limit),
            usage,
        )
    }

    /// Lists up to `limit` rows of sessions by session, day, key and model; of one session if it is
    /// given.
    pub fn list_session_usage(
        &self,
        session: Option<&str>,
        filter: &UsageFilter,
        after: Option<&UsageCursor>,
        limit: usize,
    ) -> Result<Vec<UsageRow>, Error> {
        let mut given = page(filter, after, limit);
        let last = after.and_then(|after| after.session.as_deref());
        given.push(last.unwrap_or_default().into());
        given.extend(session.map(SqlValue::from));
        let of_session = if session.is_some() { "AND session = ?11" } else { "" };
        self.all(
            &format!(
                "SELECT day, key, model, {SUMS}, session FROM session_usage
                 WHERE tenant = ?1 AND day >= ?2 AND day <= ?3
                   AND (CAST(?4 AS TEXT) IS NULL OR key = ?4)
                   AND (CAST(?5 AS TEXT) IS NULL OR model = ?5)
                   AND (session, day, key, model) > (?10, ?6, ?7, ?8) {of_session}
                 ORDER BY session, day, key, model LIMIT ?9"
            ),
            &given,
            |row| Ok(UsageRow { session: Some(row.get(13)?), ..usage(row)? }),
        )
    }
}

/// Assignments that add a row to the stored one.
fn added(table: &str) -> String {
    let sets = SUMS.split(", ").map(|sum| format!("{sum} = {table}.{sum} + excluded.{sum}"));
    sets.collect::<Vec<_>>().join(", ")
}

fn sums(row: &UsageRow) -> [SqlValue<'static>; 10] {
    let cost = &row.cost;
    [
        row.requests.into(),
        row.tokens_before.into(),
        row.tokens_after.into(),
        cost.priced_requests.into(),
        cost.reported_requests.into(),
        cost.payload_micros.into(),
        cost.output_micros.into(),
        cost.unshortened_micros.into(),
        row.unique_saved_tokens.into(),
        cost.unique_saved_micros.into(),
    ]
}

fn page<'v>(
    filter: &'v UsageFilter,
    after: Option<&'v UsageCursor>,
    limit: usize,
) -> Vec<SqlValue<'v>> {
    let (key, model) = after.map_or(("", ""), |after| (&after.key, &after.model));
    values![
        filter.from.map_or(i64::MIN, |day| day.0),
        filter.to.map_or(i64::MAX, |day| day.0),
        filter.key.as_ref(),
        filter.model.as_ref(),
        after.map_or(i64::MIN, |after| after.day.0),
        key,
        model,
        limit
    ]
    .to_vec()
}

fn usage(row: &dyn Row) -> Result<UsageRow, Error> {
    Ok(UsageRow {
        day: Day(row.get(0)?),
        session: None,
        key: row.get(1)?,
        model: row.get(2)?,
        requests: row.get(3)?,
        tokens_before: row.get(4)?,
        tokens_after: row.get(5)?,
        unique_saved_tokens: row.get(11)?,
        cost: CostTotals {
            priced_requests: row.get(6)?,
            reported_requests: row.get(7)?,
            payload_micros: row.get(8)?,
            output_micros: row.get(9)?,
            unshortened_micros: row.get(10)?,
            unique_saved_micros: row.get(12)?,
        },
    })
}
