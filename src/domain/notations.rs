//! The notations that a caller allows, and how they show the values of a text.

/// Notations that may be used to write a text shorter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum AllowedNotations {
    /// None: what is shown has the format of the original.
    None,
    /// Those in which each value of the original is shown as it was written.
    #[default]
    Plain,
    /// Also those in which values have to be computed.
    Computed,
}

impl AllowedNotations {
    pub const WORDS: &[(&str, Self)] =
        &[("plain", Self::Plain), ("computed", Self::Computed), ("none", Self::None)];

    /// Reads the word of a request.
    pub fn parse(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(known, _)| *known == word).map(|(_, own)| *own)
    }

    /// The word of a request.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Plain => "plain",
            Self::Computed => "computed",
        }
    }

    /// The class of values that notations may have; none if no notation may be used.
    pub fn values(self) -> Option<ValueClass> {
        match self {
            Self::None => None,
            Self::Plain => Some(ValueClass::Plain),
            Self::Computed => Some(ValueClass::Computed),
        }
    }
}

/// How the values of an original are shown by the notations of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ValueClass {
    /// Each as it was written.
    Plain,
    /// Some have to be computed from others.
    Computed,
}

impl ValueClass {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Computed => "computed",
        }
    }
}
