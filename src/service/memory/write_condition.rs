//! The condition of a write: [`WriteCondition`].

use super::Error;
use crate::domain::MemoryEntry;

/// The state that an entry must have for a write of it to be carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WriteCondition {
    #[default]
    Anything,
    /// The entry has this version; 0 if there is no entry.
    Version(u64),
    /// There is an entry, of any version.
    Something,
    /// There is no entry.
    Nothing,
}

impl WriteCondition {
    pub(super) fn check(self, old: Option<&MemoryEntry>) -> Result<(), Error> {
        let version = old.map_or(0, |old| old.version);
        let holds = match self {
            Self::Anything => true,
            Self::Version(wanted) => wanted == version,
            Self::Something => old.is_some(),
            Self::Nothing => old.is_none(),
        };
        if holds { Ok(()) } else { Err(Error::Stale(version)) }
    }
}
