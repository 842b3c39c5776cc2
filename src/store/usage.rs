//! Usage by day, key and model: of a tenant, of each of its sessions, and by hour. How long requests took.

use super::removal::DELETE_BATCH_ROWS;
use super::sql::{Row, SqlValue, values};
use super::{Error, Tx};
use crate::domain::{CostTotals, Day, DurationBucket, Timestamp, is_gateway_session};

/// The usage of a model under a key in a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageRow {
    pub day: Day,
    /// The hour of the day, 0 to 23; none in lists that are not by hour.
    pub hour: Option<u8>,
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
    /// The hour of a row of an hour.
    pub hour: Option<u8>,
    pub key: String,
    pub model: String,
}

/// Days for which usage is kept by hour.
const HOUR_USAGE_DAYS: i64 = 31;

/// Days for which the share of a session of the gateway is kept.
const GATEWAY_USAGE_DAYS: i64 = 30;

/// True for a row of `session_usage` of a session of the gateway. An index has these rows by their day.
pub(super) const GATEWAY_SESSION_CONDITION: &str = "session >= 'gws_' AND session < 'gws`'";

/// The first days of which usage by hour, and usage of sessions of the gateway, is kept.
pub(super) fn oldest_usage_days(now: Timestamp) -> (i64, i64) {
    let today = Day::new(now).0;
    (today - HOUR_USAGE_DAYS, today - GATEWAY_USAGE_DAYS)
}

/// The columns of a row after those that it is found by.
const SUMS: &str = "requests, tokens_before, tokens_after, priced_requests, reported_requests, \
    payload_micros, output_micros, unshortened_micros, unique_saved_tokens, unique_saved_micros, \
    cache_read_tokens, cache_write_tokens, priced_tokens";
const SUM_COUNT: usize = 13;

impl Tx<'_> {
    /// Adds to what is stored for the row's day, key and model, to those of its hour if it has one,
    /// and to the share of its session unless the session is gone. Sessions of the gateway have no
    /// row that could be gone.
    pub fn add_usage(&self, row: &UsageRow) -> Result<(), Error> {
        self.add_sums("usage", "day, key, model", values![row.day.0, &row.key, &row.model], row)?;
        if let Some(hour) = row.hour {
            let place = values![row.day.0, i64::from(hour), &row.key, &row.model];
            self.add_sums("hour_usage", "day, hour, key, model", place, row)?;
        }
        let Some(session) = &row.session else { return Ok(()) };
        let exists = "SELECT 1 FROM sessions WHERE tenant = ?1 AND id = ?2";
        if !is_gateway_session(session) && !self.exists(exists, values![session])? {
            return Ok(());
        }
        let place = values![session, row.day.0, &row.key, &row.model];
        self.add_sums("session_usage", "session, day, key, model", place, row)
    }

    /// Adds the sums of a row to those of a table that are found by `columns` after the tenant.
    fn add_sums(
        &self,
        table: &str,
        columns: &str,
        place: &[SqlValue<'_>],
        row: &UsageRow,
    ) -> Result<(), Error> {
        let mut given = place.to_vec();
        given.extend(sums(row));
        // The first placeholder is the tenant's.
        let places: Vec<String> = (1..=given.len() + 1).map(|at| format!("?{at}")).collect();
        let sets: Vec<String> =
            SUMS.split(", ").map(|sum| format!("{sum} = {table}.{sum} + excluded.{sum}")).collect();
        self.execute(
            &format!(
                "INSERT INTO {table} (tenant, {columns}, {SUMS}) VALUES ({})
                 ON CONFLICT (tenant, {columns}) DO UPDATE SET {}",
                places.join(", "),
                sets.join(", ")
            ),
            &given,
        )
        .map(drop)
    }

    /// Adds to the requests of a day that took so long.
    pub fn add_durations(
        &self,
        day: Day,
        bucket: DurationBucket,
        requests: u64,
    ) -> Result<(), Error> {
        self.execute(
            "INSERT INTO usage_durations (tenant, day, bucket, requests) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (tenant, day, bucket)
             DO UPDATE SET requests = usage_durations.requests + excluded.requests",
            values![day.0, i64::from(bucket.0), requests],
        )
        .map(drop)
    }

    /// How many requests of the days took how long, the fastest first.
    pub fn list_durations(
        &self,
        from: Option<Day>,
        to: Option<Day>,
    ) -> Result<Vec<(DurationBucket, u64)>, Error> {
        self.all(
            "SELECT bucket, CAST(sum(requests) AS BIGINT) FROM usage_durations
             WHERE tenant = ?1 AND day >= ?2 AND day <= ?3 GROUP BY bucket ORDER BY bucket",
            values![from.map_or(i64::MIN, |day| day.0), to.map_or(i64::MAX, |day| day.0)],
            |row| {
                let bucket: i64 = row.get(0)?;
                Ok((DurationBucket(u16::try_from(bucket).unwrap_or(u16::MAX)), row.get(1)?))
            },
        )
    }

    /// Deletes some of the shares of the gateway's sessions that are older than their records usually
    /// are, and of the usage by hour that is older than a month; returns whether there are more.
    pub(super) fn forget_old_usage(&self) -> Result<bool, Error> {
        let (hours_from, sessions_from) = oldest_usage_days(self.now());
        let hours: Vec<(i64, i64, String, String)> = self.all(
            &format!(
                "SELECT day, hour, key, model FROM hour_usage WHERE tenant = ?1 AND day < ?2
                 ORDER BY day, hour, key, model LIMIT {DELETE_BATCH_ROWS}"
            ),
            values![hours_from],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)),
        )?;
        for (day, hour, key, model) in &hours {
            self.execute(
                "DELETE FROM hour_usage
                 WHERE tenant = ?1 AND day = ?2 AND hour = ?3 AND key = ?4 AND model = ?5",
                values![*day, *hour, key, model],
            )?;
        }
        let sessions: Vec<(String, i64, String, String)> = self.all(
            &format!(
                "SELECT session, day, key, model FROM session_usage
                 WHERE tenant = ?1 AND {GATEWAY_SESSION_CONDITION} AND day < ?2
                 ORDER BY day LIMIT {DELETE_BATCH_ROWS}"
            ),
            values![sessions_from],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)),
        )?;
        for (session, day, key, model) in &sessions {
            self.execute(
                "DELETE FROM session_usage
                 WHERE tenant = ?1 AND session = ?2 AND day = ?3 AND key = ?4 AND model = ?5",
                values![session, *day, key, model],
            )?;
        }
        Ok(hours.len().max(sessions.len()) as u64 == DELETE_BATCH_ROWS)
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

    /// Lists up to `limit` rows by day, hour, key and model, of hours that are kept.
    pub fn list_hour_usage(
        &self,
        filter: &UsageFilter,
        after: Option<&UsageCursor>,
        limit: usize,
    ) -> Result<Vec<UsageRow>, Error> {
        let mut given = page(filter, after, limit);
        given.push(after.and_then(|after| after.hour).map_or(-1, i64::from).into());
        self.all(
            &format!(
                "SELECT day, key, model, {SUMS}, hour FROM hour_usage
                 WHERE tenant = ?1 AND day >= ?2 AND day <= ?3
                   AND (CAST(?4 AS TEXT) IS NULL OR key = ?4)
                   AND (CAST(?5 AS TEXT) IS NULL OR model = ?5)
                   AND (day, hour, key, model) > (?6, ?10, ?7, ?8)
                 ORDER BY day, hour, key, model LIMIT ?9"
            ),
            &given,
            |row| {
                let hour: i64 = row.get(3 + SUM_COUNT)?;
                Ok(UsageRow { hour: u8::try_from(hour).ok(), ..usage(row)? })
            },
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
            |row| Ok(UsageRow { session: Some(row.get(3 + SUM_COUNT)?), ..usage(row)? }),
        )
    }
}

fn sums(row: &UsageRow) -> [SqlValue<'static>; SUM_COUNT] {
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
        cost.cache_read_tokens.into(),
        cost.cache_write_tokens.into(),
        cost.priced_tokens.into(),
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
        hour: None,
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
            cache_read_tokens: row.get(13)?,
            cache_write_tokens: row.get(14)?,
            priced_tokens: row.get(15)?,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::GATEWAY_SESSION_PREFIX;

    #[test]
    fn the_condition_is_that_of_the_prefix() {
        let (head, end) = GATEWAY_SESSION_PREFIX.split_at(GATEWAY_SESSION_PREFIX.len() - 1);
        assert_eq!(end, "_", "the byte before the one in the condition");
        let condition = format!("session >= '{GATEWAY_SESSION_PREFIX}' AND session < '{head}`'");
        assert_eq!(GATEWAY_SESSION_CONDITION, condition);
    }
}
