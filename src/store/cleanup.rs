//! Evicts artifacts if there are too many, too large or too old ones.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use crate::domain::{Artifact, ArtifactId, Timestamp};

/// The facts about an artifact that a cleanup needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ArtifactAge {
    pub(super) id: ArtifactId,
    pub(super) bytes: u64,
    pub(super) renewed_at: Timestamp,
    pub(super) accessed_at: Timestamp,
    pub(super) expires_at: Timestamp,
}

/// Caps of what may be kept. An absent cap caps nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Caps {
    /// Since an artifact was last stored.
    pub max_age: Option<Duration>,
    pub max_count: Option<u64>,
    pub max_bytes: Option<u64>,
}

impl Caps {
    /// These caps, with those of `other` where one is absent.
    pub(super) fn or(&self, other: &Self) -> Self {
        Self {
            max_age: self.max_age.or(other.max_age),
            max_count: self.max_count.or(other.max_count),
            max_bytes: self.max_bytes.or(other.max_bytes),
        }
    }
}

/// What a cleanup did.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, utoipa::ToSchema)]
#[schema(as = ArtifactCleanup)]
pub struct Cleanup {
    /// Ids in the order in which they went.
    #[schema(value_type = Vec<String>, example = json!(["574a963fe4c28cab63d90746"]))]
    pub evicted: Vec<ArtifactId>,
    /// Bytes of the removed artifacts.
    pub evicted_bytes: u64,
    /// Artifacts removed because of their age.
    pub evicted_by_age: u64,
    /// Artifacts removed because of the limit on their number.
    pub evicted_by_count: u64,
    /// Artifacts removed because of the limit on bytes.
    pub evicted_by_bytes: u64,
    /// Ids that should have gone and are still there.
    #[schema(value_type = Vec<String>)]
    pub failed: Vec<ArtifactId>,
}

/// Why an artifact was evicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    Age,
    Count,
    Bytes,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Age => "age",
            Self::Count => "count",
            Self::Bytes => "bytes",
        })
    }
}

/// An artifact that was evicted: the data of the event `artifact:evicted`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Eviction {
    pub tenant: Arc<str>,
    pub artifact: ArtifactId,
    pub bytes: u64,
    pub reason: Reason,
}

impl Cleanup {
    pub(super) fn count(&mut self, entry: &ArtifactAge, reason: Reason) {
        self.evicted.push(entry.id);
        self.evicted_bytes += entry.bytes;
        match reason {
            Reason::Age => self.evicted_by_age += 1,
            Reason::Count => self.evicted_by_count += 1,
            Reason::Bytes => self.evicted_by_bytes += 1,
        }
    }
}

impl From<&Artifact> for ArtifactAge {
    fn from(artifact: &Artifact) -> Self {
        Self {
            id: artifact.id,
            bytes: artifact.bytes,
            renewed_at: artifact.renewed_at,
            accessed_at: artifact.accessed_at,
            expires_at: artifact.expires_at,
        }
    }
}

/// Chooses the artifacts to evict, in order: expired by age first, oldest first, then the least
/// recently used until the caps are met. If both caps are exceeded, the reason is the count.
pub(super) fn plan(
    mut entries: Vec<ArtifactAge>,
    caps: &Caps,
    now: Timestamp,
) -> Vec<(ArtifactAge, Reason)> {
    let is_old = |entry: &ArtifactAge| {
        let age = now.since(entry.renewed_at);
        entry.expires_at <= now || caps.max_age.is_some_and(|most| age > most)
    };
    entries.sort_unstable_by_key(|entry| (entry.accessed_at, entry.renewed_at, entry.id));
    let (mut old, fresh): (Vec<_>, Vec<_>) = entries.into_iter().partition(is_old);
    old.sort_unstable_by_key(|entry| (entry.renewed_at, entry.id));
    let mut plan: Vec<_> = old.into_iter().map(|entry| (entry, Reason::Age)).collect();

    let mut count = fresh.len() as u64;
    let mut bytes: u64 = fresh.iter().map(|entry| entry.bytes).sum();
    for entry in fresh {
        let reason = if caps.max_count.is_some_and(|most| count > most) {
            Reason::Count
        } else if caps.max_bytes.is_some_and(|most| bytes > most) {
            Reason::Bytes
        } else {
            break;
        };
        count -= 1;
        bytes -= entry.bytes;
        plan.push((entry, reason));
    }
    plan
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(micros: i64) -> Timestamp {
        Timestamp::from_micros(micros)
    }

    fn entry(name: u8, bytes: u64, renewed: i64, accessed: i64) -> ArtifactAge {
        ArtifactAge {
            id: ArtifactId::from_bytes([name; 12]),
            bytes,
            renewed_at: at(renewed),
            accessed_at: at(accessed),
            expires_at: at(10_000),
        }
    }

    fn names(plan: &[(ArtifactAge, Reason)]) -> Vec<(u8, Reason)> {
        plan.iter().map(|(entry, reason)| (entry.id.as_bytes()[0], *reason)).collect()
    }

    #[test]
    fn age_is_strict_and_counts_from_the_last_time_stored() {
        let entries = vec![entry(1, 9, 0, 1999), entry(2, 9, 1000, 1000), entry(3, 9, 1800, 1800)];
        let caps = Caps { max_age: Some(Duration::from_millis(1)), ..Caps::default() };
        assert_eq!(names(&plan(entries.clone(), &caps, at(2000))), [(1, Reason::Age)]);
        assert_eq!(plan(entries, &Caps::default(), at(9_999)), []);
    }

    #[test]
    fn what_has_expired_goes_without_any_cap() {
        let entries = vec![entry(1, 9, 5, 5), entry(2, 9, 3, 3)];
        let gone = plan(entries, &Caps::default(), at(10_000));
        assert_eq!(names(&gone), [(2, Reason::Age), (1, Reason::Age)]);
    }

    #[test]
    fn the_least_recently_used_go_first() {
        let entries: Vec<_> = (1..=5).map(|name| entry(name, 9, i64::from(name), 0)).collect();
        let mut entries = entries;
        for (entry, accessed) in entries.iter_mut().zip([11, 12, 3, 4, 5]) {
            entry.accessed_at = at(accessed);
        }
        let caps = Caps { max_count: Some(3), ..Caps::default() };
        let gone = plan(entries, &caps, at(100));
        assert_eq!(names(&gone), [(3, Reason::Count), (4, Reason::Count)]);
    }

    #[test]
    fn count_is_named_before_bytes() {
        let entries = (1..=5).map(|name| entry(name, 100, i64::from(name), 0)).collect();
        let caps = Caps { max_count: Some(3), max_bytes: Some(200), max_age: None };
        let gone = plan(entries, &caps, at(100));
        assert_eq!(names(&gone), [(1, Reason::Count), (2, Reason::Count), (3, Reason::Bytes)]);
    }

    #[test]
    fn zero_keeps_nothing() {
        let entries: Vec<_> = (1..=2).map(|name| entry(name, 100, i64::from(name), 0)).collect();
        for caps in [
            Caps { max_count: Some(0), ..Caps::default() },
            Caps { max_bytes: Some(0), ..Caps::default() },
            Caps { max_age: Some(Duration::ZERO), ..Caps::default() },
        ] {
            assert_eq!(plan(entries.clone(), &caps, at(100)).len(), 2, "{caps:?}");
        }
    }
}
