//! Responses to queued calls about compiles whose record is in full.

use std::sync::Arc;

use super::{AttemptRow, ClaimedDelivery, small};
use crate::domain::{RecordLevel, Timestamp};
use crate::store::sql::values;
use crate::store::{Error, Tx};

/// The newest attempt of a queued call about a compile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookResponse {
    pub hook: Arc<str>,
    pub point: Arc<str>,
    pub occurrence: u32,
    /// The id of the delivery.
    pub delivery: Arc<str>,
    /// The number of the attempt.
    pub number: u32,
    pub at: Timestamp,
    /// `None` if there was no response.
    pub status: Option<u16>,
    pub response: Option<Arc<str>>,
}

impl Tx<'_> {
    /// Stores the response to an attempt in the place of the one before, if the call is about a compile
    /// whose record is in full and still kept.
    pub fn put_hook_response(
        &self,
        claimed: &ClaimedDelivery,
        attempt: &AttemptRow,
        response: Option<&str>,
    ) -> Result<(), Error> {
        let Some(compilation) = claimed.compilation_id.as_deref() else { return Ok(()) };
        let is_full = self.first(
            "SELECT 1 FROM compilations
             WHERE tenant = ?1 AND id = ?2 AND level = ?3 AND expires_at > ?4",
            values![compilation, RecordLevel::Full.as_str(), self.now()],
            |row| row.get::<u64>(0),
        )?;
        if is_full.is_none() {
            return Ok(());
        }
        self.execute(
            "INSERT INTO hook_responses (tenant, compilation, hook, point, occurrence, delivery,
                                         number, at, status, response)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
             ON CONFLICT (tenant, compilation, hook, point, occurrence) DO UPDATE
             SET delivery = ?6, number = ?7, at = ?8, status = ?9, response = ?10",
            values![
                compilation,
                &claimed.hook,
                &claimed.point,
                u64::from(claimed.occurrence),
                &claimed.id,
                u64::from(attempt.number),
                attempt.at,
                attempt.status.map(u64::from),
                response
            ],
        )
        .map(drop)
    }

    /// The responses to queued calls about a compile.
    pub fn hook_responses(&self, compilation: &str) -> Result<Vec<HookResponse>, Error> {
        self.all(
            "SELECT hook, point, occurrence, delivery, number, at, status, response
             FROM hook_responses WHERE tenant = ?1 AND compilation = ?2
             ORDER BY hook, point, occurrence",
            values![compilation],
            |row| {
                let status: Option<u64> = row.get(6)?;
                Ok(HookResponse {
                    hook: row.get(0)?,
                    point: row.get(1)?,
                    occurrence: small(row, 2)?,
                    delivery: row.get(3)?,
                    number: small(row, 4)?,
                    at: row.get(5)?,
                    status: status.and_then(|status| status.try_into().ok()),
                    response: row.get(7)?,
                })
            },
        )
    }
}
