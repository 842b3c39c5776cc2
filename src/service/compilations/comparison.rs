//! Compares two records.

use super::{StoredRecord, find};
use crate::domain::Drift;
use crate::json::{self, Faults, Fields, JsonDifference, Limits, Path};
use crate::service::{Error, Services};

/// Differences between two payloads that are listed.
const MAX_DIFFERENCES: usize = 200;

/// Differences between two compiles.
#[derive(Debug)]
pub struct CompilationDrift {
    pub a: StoredRecord,
    pub b: StoredRecord,
    pub drift: Drift,
    /// Differences between the payloads, if both are stored.
    pub diff: Vec<JsonDifference>,
}

/// Compares the two records that `body` names.
pub fn compare(services: &Services, body: &str) -> Result<CompilationDrift, Error> {
    let node = json::parse(body, Limits::default())?;
    let mut faults = Faults::default();
    let mut ids = None;
    if let Some(fields) = Fields::read(&node, Path::Root, &["a", "b"], &mut faults) {
        let mut id = |key: &str| {
            let given = fields.text(key, &mut faults);
            if fields.get(key).is_none() {
                fields.fault(key, "must be the id of a compilation", &mut faults);
            }
            given.unwrap_or_default().to_owned()
        };
        ids = Some((id("a"), id("b")));
    }
    let Some((a, b)) = ids.filter(|_| faults.is_empty()) else {
        return Err(Error::Invalid(faults.into_vec()));
    };
    let (a, b) = (find(services, &a)?, find(services, &b)?);
    let drift = Drift::between(&a.body.ledger, &b.body.ledger);
    let diff = match (&a.payload, &b.payload) {
        (Some(before), Some(now)) => payload_diff(before, now),
        _ => Vec::new(),
    };
    Ok(CompilationDrift { a, b, drift, diff })
}

/// Lists the differences between two payloads.
pub(super) fn payload_diff(before: &str, now: &str) -> Vec<JsonDifference> {
    let read = |text| json::parse(text, Limits::default()).ok();
    match (read(before), read(now)) {
        (Some(before), Some(now)) => json::differences(&before, &now, MAX_DIFFERENCES),
        _ => Vec::new(),
    }
}
