//! Depths of reduction of a text.

/// Depths of reduction: how much of a text rung 2 leaves, see [`crate::compress`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Depth {
    /// The output of its format's adapter.
    Reduced,
    /// Its errors, and the lines that say most: a third of it.
    Outline,
    /// The same, a fifth of it.
    Extract,
    /// The same, an eighth of it.
    Digest,
    /// The same, a twentieth of it.
    Gist,
}

impl Depth {
    /// All depths, the least harmful first.
    pub const ALL: [Self; 5] =
        [Self::Reduced, Self::Outline, Self::Extract, Self::Digest, Self::Gist];

    /// Of so many bytes one stays, and what a decision calls that; none if an adapter decides.
    pub(super) fn share(self) -> Option<(usize, &'static str)> {
        match self {
            Self::Reduced => None,
            Self::Outline => Some((3, "outline")),
            Self::Extract => Some((5, "extract")),
            Self::Digest => Some((8, "digest")),
            Self::Gist => Some((20, "gist")),
        }
    }

    /// Whether the result depends on what the other texts show.
    pub(super) fn depends_on_context(self) -> bool {
        self.share().is_some()
    }

    /// Whether a rule names a depth at which no format is kept.
    pub fn is_extract(rule: &str) -> bool {
        Self::ALL.iter().filter_map(|depth| depth.share()).any(|(_, name)| name == rule)
    }
}
