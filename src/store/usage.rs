//! Usage by day, key and model.

use super::sql::{Row, values};
use super::{Error, Tx};
use crate::domain::Day;

/// The usage of a model under a key in a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageRow {
    pub day: Day,
    /// Empty for callers without a key.
    pub key: String,
    /// Empty if a request named none.
    pub model: String,
    pub requests: u64,
    pub tokens_before: u64,
    pub tokens_after: u64,
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
    pub day: Day,
    pub key: String,
    pub model: String,
}

impl Tx<'_> {
    /// Adds to what is stored for the row's day, key and model.
    pub fn add_usage(&self, row: &UsageRow) -> Result<(), Error> {
        self.execute(
            "INSERT INTO usage (tenant, day, key, model, requests, tokens_before, tokens_after)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
             ON CONFLICT (tenant, day, key, model) DO UPDATE
             SET requests = usage.requests + excluded.requests,
                 tokens_before = usage.tokens_before + excluded.tokens_before,
                 tokens_after = usage.tokens_after + excluded.tokens_after",
            values![
                row.day.0,
                &row.key,
                &row.model,
                row.requests,
                row.tokens_before,
                row.tokens_after
            ],
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
        let day = after.map_or(i64::MIN, |after| after.day.0);
        let (key, model) = after.map_or(("", ""), |after| (&after.key, &after.model));
        self.all(
            "SELECT day, key, model, requests, tokens_before, tokens_after FROM usage
             WHERE tenant = ?1 AND day >= ?2 AND day <= ?3
               AND (CAST(?4 AS TEXT) IS NULL OR key = ?4)
               AND (CAST(?5 AS TEXT) IS NULL OR model = ?5)
               AND (day, key, model) > (?6, ?7, ?8)
             ORDER BY day, key, model LIMIT ?9",
            values![
                filter.from.map_or(i64::MIN, |day| day.0),
                filter.to.map_or(i64::MAX, |day| day.0),
                filter.key.as_ref(),
                filter.model.as_ref(),
                day,
                key,
                model,
                limit
            ],
            usage,
        )
    }
}

fn usage(row: &dyn Row) -> Result<UsageRow, Error> {
    Ok(UsageRow {
        day: Day(row.get(0)?),
        key: row.get(1)?,
        model: row.get(2)?,
        requests: row.get(3)?,
        tokens_before: row.get(4)?,
        tokens_after: row.get(5)?,
    })
}
