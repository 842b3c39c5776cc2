//! Import of entries as JSON Lines, in the form of an export.

use super::change::{MemoryChange, carry_out};
use super::{Error, Services};
use crate::domain::{MemoryAction, MemoryOrigin};
use crate::json::Faults;
use crate::request::{self, ImportLine};
use crate::service::idempotency::ResponseRecorder;

/// Lines of one import, which is one transaction.
const MAX_LINES: usize = 10_000;

/// Entries that an import has written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ImportCounts {
    pub created: u64,
    pub updated: u64,
}

/// Stores one entry per line: all of them, or none if a line has a fault.
pub fn import(
    services: &Services,
    body: &str,
    telling: ResponseRecorder<ImportCounts>,
) -> Result<ImportCounts, Error> {
    let mut faults = Vec::new();
    let mut lines: Vec<ImportLine> = Vec::new();
    for (number, line) in body.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        if number >= MAX_LINES {
            let mut too_many = Faults::default();
            let detail = format!("at most {MAX_LINES} lines are imported at once");
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
    services.write_observed(None, move |tx| {
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
