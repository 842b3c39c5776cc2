//! Depths of reduction of a text.

use crate::compress::digest::DigestSize;

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

    /// Whether a rule names a depth, or an excerpt, at which no format is kept.
    pub fn is_extract(rule: &str) -> bool {
        rule == EXCERPT_RULE
            || Self::ALL.iter().filter_map(|depth| depth.share()).any(|(_, name)| name == rule)
    }
}

/// What a decision calls an excerpt.
const EXCERPT_RULE: &str = "excerpt";

/// How much rung 2 leaves of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReducedSize {
    /// A share of the text, whatever the room.
    To(Depth),
    /// Its errors, and the lines that say most, in so many bytes: the room is known.
    Excerpt { bytes: u32 },
}

impl ReducedSize {
    /// The size of a digest, and what a decision calls it; none if an adapter decides.
    pub(super) fn digest(self) -> Option<(DigestSize, &'static str)> {
        match self {
            Self::To(depth) => depth.share().map(|(share, rule)| (DigestSize::Share(share), rule)),
            Self::Excerpt { bytes } => Some((DigestSize::Bytes(bytes as usize), EXCERPT_RULE)),
        }
    }

    /// The depth, if it is one.
    pub fn depth(self) -> Option<Depth> {
        match self {
            Self::To(depth) => Some(depth),
            Self::Excerpt { .. } => None,
        }
    }
}
