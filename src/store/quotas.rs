//! Use of each quota by a tenant. Triggers of the schema keep the figures.

use super::sql::values;
use super::{Error, Tx};
use crate::domain::{Quota, QuotaUse};

impl Tx<'_> {
    /// Refuses a write by which the tenant would keep `more` than its quota. A tenant above its
    /// quota may do everything but grow.
    pub(super) fn admit(&self, quota: Quota, more: u64) -> Result<(), Error> {
        let max = self.quotas().max(quota);
        let used = self.quota_used(quota)?;
        if used.saturating_add(more) <= max {
            return Ok(());
        }
        Err(Error::QuotaExceeded(QuotaUse { quota, used, max }))
    }

    /// The use of each quota.
    pub fn quota_uses(&self) -> Result<Vec<QuotaUse>, Error> {
        let read = |quota| {
            let max = self.quotas().max(quota);
            Ok(QuotaUse { quota, used: self.quota_used(quota)?, max })
        };
        Quota::ALL.into_iter().map(read).collect()
    }

    fn quota_used(&self, quota: Quota) -> Result<u64, Error> {
        let column = match quota {
            // The entries are counted with the revision of the memory.
            Quota::MemoryEntries => return Ok(self.memory_state()?.1),
            other => other.as_str(),
        };
        let used: Option<i64> = self.first(
            &format!("SELECT {column} FROM tenant_usage WHERE tenant = ?1"),
            values![],
            |row| row.get(0),
        )?;
        // Below zero if an older release discounted a text more than once: that must not fail a write.
        Ok(u64::try_from(used.unwrap_or_default()).unwrap_or_default())
    }
}
