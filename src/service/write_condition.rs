//! The condition of a write: [`WriteCondition`].

use super::Error;

/// The state that something stored must have for a write of it to be carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WriteCondition {
    #[default]
    Anything,
    /// It has this version; 0 if there is nothing.
    Version(u64),
    /// There is something, of any version.
    Something,
    /// There is nothing.
    Nothing,
}

impl WriteCondition {
    /// Checks the stored version; none if there is nothing.
    pub(super) fn check(self, stored: Option<u64>) -> Result<(), Error> {
        let version = stored.unwrap_or_default();
        let holds = match self {
            Self::Anything => true,
            Self::Version(wanted) => wanted == version,
            Self::Something => stored.is_some(),
            Self::Nothing => stored.is_none(),
        };
        if holds { Ok(()) } else { Err(Error::Stale(version)) }
    }
}
