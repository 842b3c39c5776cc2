//! Entries as JSON Lines, as a list answers them.

use super::change::{MemoryChange, carry_out};
use super::{Error, Services};
use crate::domain::{MemoryAction, MemoryOrigin};
use crate::json::Faults;
use crate::request::{self, ImportLine};
use crate::service::idempotency::ResponseRecorder;

/// Entries of one import: all of it is one transaction.
const MOST_LINES: usize = 10_000;

/// What an import did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ImportCounts {
    pub created: u64,
    pub updated: u64,
}

/// Stores an entry a line, all of them or none.
pub fn import(
    services: &Services,
    body: &str,
    telling: ResponseRecorder<ImportCounts>,
) -> Result<ImportCounts, Error> {
    let mut faults = Vec::new();
    let mut lines: Vec<ImportLine> = Vec::new();
    for (number, line) in body.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        if number >= MOST_LINES {
            let mut too_many = Faults::default();
            let detail = format!("at most {MOST_LINES} lines are imported at once");
            too_many.add(&crate::json::Path::Root, detail);
            return Err(Error::Invalid(too_many.into_vec()));
        }
        match request::read_memory_line(line, number) {
            Ok(line) => lines.push(line),
            Err(found) => faults.extend(found),
        }
    }
    if !faults.is_empty() {
        return Err(Error::Invalid(faults));
    }
    services.write_told(None, move |tx| {
        let mut done = ImportCounts::default();
        for ImportLine { key, scope, write } in &lines {
            let old = tx.memory(scope, key)?;
            match &old {
                Some(_) => done.updated += 1,
                None => done.created += 1,
            }
            let change = MemoryChange {
                scope: scope.clone(),
                key: std::sync::Arc::clone(key),
                write: write.clone(),
                action: MemoryAction::Set,
                origin: MemoryOrigin::Direct,
            };
            carry_out(tx, &change, old)?;
        }
        telling.remember(tx, &done)?;
        Ok(done)
    })
}
