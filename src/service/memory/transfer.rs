//! Import of entries as JSON Lines, in the form of an export.

use std::collections::HashSet;
use std::sync::Arc;

use super::change::{MemoryChange, carry_out};
use super::{Error, Services};
use crate::domain::{MemoryAction, MemoryOrigin, MemoryScope};
use crate::json::Faults;
use crate::request::{self, ImportLine};
use crate::service::idempotency::ResponseRecorder;
use crate::store::Tx;

/// Lines of one import.
const MAX_LINES: usize = 10_000;
/// Lines of one transaction, so that writes of others do not wait for the whole import.
const PART_LINES: usize = 64;

/// Entries that an import has written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ImportCounts {
    pub created: u64,
    pub updated: u64,
}

/// Stores one entry per line; none if a line has a fault, or if the quota has no room for all.
///
/// The entries are written in parts. If the request ends early, the first parts are stored; sent
/// again, it stores the rest.
pub fn import(
    services: &Services,
    body: &str,
    telling: ResponseRecorder<ImportCounts>,
) -> Result<ImportCounts, Error> {
    let lines = read_lines(body)?;
    services.tenant().read(|tx| {
        let mut new: HashSet<(&MemoryScope, &str)> = HashSet::new();
        for ImportLine { key, scope, .. } in &lines {
            if !new.contains(&(scope, &**key)) && tx.memory_row(scope, key)?.is_none() {
                new.insert((scope, &**key));
            }
        }
        tx.admit_memory(u64::try_from(new.len()).unwrap_or(u64::MAX))
    })?;
    let (mut done, mut telling) = (ImportCounts::default(), Some(telling));
    let mut lines = lines.into_iter().peekable();
    loop {
        services.deadline().check()?;
        let part: Vec<ImportLine> = lines.by_ref().take(PART_LINES).collect();
        let is_last = lines.peek().is_none();
        let before = done;
        // The response is that of the whole import.
        let telling = if is_last { telling.take() } else { None };
        done = services.write_observed(None, move |tx| {
            let mut done = before;
            for line in &part {
                import_line(tx, line, &mut done)?;
            }
            if let Some(telling) = &telling {
                telling.remember(tx, &done)?;
            }
            Ok::<_, Error>(done)
        })?;
        if is_last {
            return Ok(done);
        }
    }
}

/// Reads all lines, with the faults of all.
fn read_lines(body: &str) -> Result<Vec<ImportLine>, Error> {
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
    if faults.is_empty() { Ok(lines) } else { Err(Error::Invalid(faults)) }
}

fn import_line(tx: &Tx<'_>, line: &ImportLine, done: &mut ImportCounts) -> Result<(), Error> {
    let ImportLine { key, scope, write } = line;
    let old = tx.memory(scope, key)?;
    match &old {
        Some(_) => done.updated += 1,
        None => done.created += 1,
    }
    let change = MemoryChange {
        scope: scope.clone(),
        key: Arc::clone(key),
        write: write.clone(),
        action: MemoryAction::Set,
        origin: MemoryOrigin::Direct,
    };
    carry_out(tx, &change, old).map(drop)
}
