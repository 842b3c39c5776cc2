//! What lossless edits save, by how they may show values.

use serde::Serialize;

use crate::domain::AllowedNotations;

/// Tokens after lossless edits alone, by how they may show values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct NotationTokens {
    /// Each value as it was written.
    pub plain: u64,
    /// Some values computed from others.
    pub computed: u64,
}

impl NotationTokens {
    /// Counts with each class of notations.
    pub(crate) fn count<E>(
        tokens_with: impl Fn(AllowedNotations) -> Result<u64, E>,
    ) -> Result<Self, E> {
        Ok(Self {
            plain: tokens_with(AllowedNotations::Plain)?,
            computed: tokens_with(AllowedNotations::Computed)?,
        })
    }
}
