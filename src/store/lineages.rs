//! What the gateway decided about messages: the first committed decision wins, for good.

use std::time::Duration;

use super::removal::OldRows;
use super::sql::values;
use super::{Error, Tx};
use crate::domain::{ContentHash, Timestamp};

/// Age of the recorded time of use at which it is written again.
const USE_NOTE_INTERVAL: Duration = Duration::from_hours(24);
/// Time that a decision is kept after its last use: longer than people leave a conversation.
pub(super) const MAX_UNUSED: Duration = Duration::from_hours(30 * 24);
/// Decisions of a tenant beyond which the least recently used are removed.
const MAX_DECISIONS: u64 = 1_000_000;

/// The decision about a message, in its stored form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredDecision {
    /// The hash of the message and of all before it.
    pub digest: ContentHash,
    pub decision: Vec<u8>,
}

/// Decisions that were found.
#[derive(Debug, Default)]
pub struct FoundDecisions {
    pub decisions: Vec<StoredDecision>,
    /// Whether their use is to be noted ([`Tx::note_decisions`]).
    pub has_old_use: bool,
}

impl Tx<'_> {
    /// The decisions about messages, in no order.
    pub fn decisions(&self, digests: &[ContentHash]) -> Result<FoundDecisions, Error> {
        let mut found = FoundDecisions::default();
        let statement = "SELECT digest, decision, used_at FROM lineages WHERE tenant = ?1";
        found.decisions = self.all_of(statement, values![], digests, |row| {
            let used_at: Timestamp = row.get(2)?;
            found.has_old_use |= self.now().since(used_at) >= USE_NOTE_INTERVAL;
            Ok(StoredDecision { digest: row.get(0)?, decision: row.get(1)? })
        })?;
        Ok(found)
    }

    /// Stores decisions about messages that have none. Returns those that others stored before, which
    /// stand.
    pub fn keep_decisions(&self, new: &[StoredDecision]) -> Result<Vec<StoredDecision>, Error> {
        let mut lost = Vec::new();
        for StoredDecision { digest, decision } in new {
            let stored = self.execute(
                "INSERT INTO lineages (tenant, digest, decision, used_at) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (tenant, digest) DO NOTHING",
                values![digest, decision, self.now()],
            )?;
            if stored == 0 {
                lost.push(*digest);
            }
        }
        Ok(self.decisions(&lost)?.decisions)
    }

    /// Stores decisions in the place of those that are stored: the ones of messages that were sent
    /// otherwise.
    pub fn replace_decisions(&self, new: &[StoredDecision]) -> Result<(), Error> {
        for StoredDecision { digest, decision } in new {
            self.execute(
                "INSERT INTO lineages (tenant, digest, decision, used_at) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (tenant, digest) DO UPDATE SET decision = excluded.decision",
                values![digest, decision, self.now()],
            )?;
        }
        Ok(())
    }

    /// Notes that decisions are used, so that they are kept.
    pub fn note_decisions(&self, digests: &[ContentHash]) -> Result<(), Error> {
        for digest in digests {
            self.execute(
                "UPDATE lineages SET used_at = ?3 WHERE tenant = ?1 AND digest = ?2",
                values![digest, self.now()],
            )?;
        }
        Ok(())
    }

    /// Whether anything was decided about any message.
    pub fn has_decisions(&self) -> Result<bool, Error> {
        self.exists("SELECT 1 FROM lineages WHERE tenant = ?1 LIMIT 1", values![])
    }

    /// The time of the last use up to which decisions are deleted: they were not used for long, or
    /// are beyond the number that a tenant may keep. Reads as many rows as that number at most.
    pub(super) fn last_unused(&self) -> Result<Timestamp, Error> {
        let beyond: Option<Timestamp> = self.first(
            "SELECT used_at FROM lineages WHERE tenant = ?1
             ORDER BY used_at DESC LIMIT 1 OFFSET ?2",
            values![MAX_DECISIONS],
            |row| row.get(0),
        )?;
        Ok(self.now().before(MAX_UNUSED).max(beyond.unwrap_or(Timestamp::from_micros(0))))
    }

    /// Deletes some of the decisions whose last use was at `last` or before; returns whether there
    /// are more.
    pub(super) fn forget_decisions(&self, last: Timestamp) -> Result<bool, Error> {
        let rows = OldRows {
            table: "lineages",
            key: "digest",
            condition: "used_at <= ?2",
            order: "used_at",
        };
        self.delete_old::<ContentHash>(rows, last)
    }
}
