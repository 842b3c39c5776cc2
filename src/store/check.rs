//! An integrity check of everything that is stored.

use super::sql::values;
use super::{Error, Store, TenantLog, Tx};

/// The result of a check.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// The number of tenants with stored data.
    pub tenants: usize,
    /// Faults, a line each.
    pub faults: Vec<String>,
}

/// What a look at a database finds that changes nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DatabaseState {
    /// Whether it is there, with a schema or without.
    pub exists: bool,
    /// Whether a key was ever stored.
    pub has_keys: bool,
}

impl Store {
    /// Reads the rows of every tenant and checks them against their hashes and references.
    pub(super) fn check_all(&self) -> Result<CheckReport, Error> {
        let mut done = CheckReport::default();
        for name in self.tenants()? {
            let found = self.tenant(&name).read(check)?;
            done.faults.extend(found.into_iter().map(|fault| format!("tenant {name}: {fault}")));
            done.tenants += 1;
        }
        Ok(done)
    }
}

fn check(tx: &Tx<'_>) -> Result<Vec<String>, Error> {
    let mut faults = Vec::new();
    for (log, name) in [(TenantLog::Captures, "captures"), (TenantLog::Transitions, "transitions")]
    {
        if let Some(line) = tx.verify_log(log)?.broken_at {
            faults.push(format!("the log of {name} is broken at line {line}"));
        }
    }
    let (counted, noted) = (tx.count_memory()?, tx.memory_state()?.1);
    if counted != noted {
        faults.push(format!("there are {counted} memory entries, and {noted} are noted"));
    }
    let (counted, noted) = (tx.count_queued_calls()?, tx.count_noted_calls()?);
    if counted != noted {
        faults.push(format!("there are {counted} queued calls, and {noted} are noted"));
    }
    let ((newest, oldest), events) = (tx.event_bounds()?, tx.count_events()?);
    if events != (newest + 1).saturating_sub(oldest) {
        faults.push(format!("of the events from {oldest} to {newest} there are {events}"));
    }
    let (counted, noted) = (tx.count_original_bytes()?, tx.original_bytes()?);
    if counted != noted {
        faults.push(format!("there are {counted} bytes of originals, and {noted} are noted"));
    }
    Ok(faults)
}

impl Tx<'_> {
    fn count_memory(&self) -> Result<u64, Error> {
        self.count("SELECT count(*) FROM memory WHERE tenant = ?1")
    }

    fn count_queued_calls(&self) -> Result<u64, Error> {
        self.count("SELECT count(*) FROM deliveries WHERE tenant = ?1 AND state = 'queued'")
    }

    fn count_noted_calls(&self) -> Result<u64, Error> {
        self.count(
            "SELECT CAST(coalesce(sum(queued), 0) AS BIGINT) FROM delivery_hooks WHERE tenant = ?1",
        )
    }

    fn count_events(&self) -> Result<u64, Error> {
        self.count("SELECT count(*) FROM events WHERE tenant = ?1")
    }

    fn count_original_bytes(&self) -> Result<u64, Error> {
        self.count(
            "SELECT CAST(coalesce(sum(size), 0) AS BIGINT) FROM blobs
             WHERE tenant = ?1 AND expires_at IS NOT NULL",
        )
    }

    fn count(&self, sql: &str) -> Result<u64, Error> {
        Ok(self.first(sql, values![], |row| row.get(0))?.unwrap_or_default())
    }
}
