//! Legends: one line for each kind of notation, for readers without `docs/encodings.md`.
//!
//! ```text
//! §repeat 1 ×37
//! §: repeated so many times
//! waiting for the lock
//! ```
//!
//! A legend is below the header of the first block of its kind in a list, or below the first
//! reference. It is no line of the block's body and is left out when the block is decoded.

use crate::domain::ValueClass;

/// The beginning of a legend.
pub(crate) const LEGEND_MARK: &str = "§:";

/// A kind of notation that one legend explains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotationKind {
    Reference,
    Repeat,
    Tree,
    Numbered,
    /// All line numbers but the first are left out.
    BareNumbered,
    /// Lines that begin alike.
    Beginning,
    /// A template in which every cell is filled.
    Template,
    /// A template in which cells are computed.
    ComputedTemplate,
    Json,
    /// Each row is a document on a line of its own.
    JsonLines,
    /// Values that are there more than once have names.
    SharedJson,
    /// A document that is cut off.
    CutJson,
    Yaml,
    Xml,
    Csv,
    /// A table in which fields are those of the row above.
    DittoCsv,
    /// A table in which columns count.
    CountedCsv,
    Records,
}

/// Every kind, with its legend after the mark.
const LEGENDS: [(NotationKind, &str); 18] = [
    (NotationKind::Reference, " the same lines as there"),
    (NotationKind::Repeat, " repeated so many times"),
    (NotationKind::Tree, " deeper lines continue the one above"),
    (NotationKind::Numbered, " line numbers go on by one"),
    (NotationKind::BareNumbered, " line numbers go on by one from there"),
    (NotationKind::Beginning, " each line begins with the quoted text"),
    (NotationKind::Template, " rows fill the {} of their form"),
    (NotationKind::ComputedTemplate, " rows fill {}; empty cells repeat or count on"),
    (NotationKind::Json, " rows under their {columns}, b=x in all"),
    (NotationKind::JsonLines, " rows under their {columns}, b=x in all lines"),
    (NotationKind::SharedJson, " rows under their {columns}, b=x in all, *1 repeats &1"),
    (NotationKind::CutJson, " rows under their {columns}, b=x in all; … then the cut end"),
    (NotationKind::Yaml, " YAML; rows under their {columns}, b=x in all"),
    (NotationKind::Xml, " XML; rows under their {columns}, b=x in all"),
    (NotationKind::Csv, " b=x in all rows"),
    (NotationKind::DittoCsv, " b=x in all rows, ^ as above"),
    (NotationKind::CountedCsv, " b=x in all rows, dates count on"),
    (NotationKind::Records, " n rows under {columns} ×n, b=x in all"),
];

impl NotationKind {
    /// How values are shown by it: plain if each is as it was written. Kinds that were taken out of
    /// the plain ones for the figures of `docs/reading.md` count as computed.
    pub(crate) fn values(self) -> ValueClass {
        match self {
            Self::BareNumbered
            | Self::ComputedTemplate
            | Self::CountedCsv
            // A deeper line is put together with those above it.
            | Self::Tree
            // Values are as they were written; the reading test does not show that they are read
            // as well.
            | Self::Template
            | Self::JsonLines
            | Self::SharedJson
            | Self::CutJson
            | Self::Yaml
            | Self::Xml
            | Self::DittoCsv
            | Self::Records => ValueClass::Computed,
            _ => ValueClass::Plain,
        }
    }

    /// The line that explains it, without its line break.
    pub(crate) fn legend(self) -> String {
        let known = LEGENDS.iter().find(|(kind, _)| *kind == self);
        format!("{LEGEND_MARK}{}", known.map_or("", |(_, text)| text))
    }

    /// The kind that a line explains.
    pub(crate) fn of_legend(line: &str) -> Option<Self> {
        let text = line.strip_prefix(LEGEND_MARK)?;
        LEGENDS.iter().find(|(_, known)| *known == text).map(|(kind, _)| *kind)
    }

    fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// Some kinds of notations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct NotationKinds(u32);

impl NotationKinds {
    pub(crate) fn insert(&mut self, kind: NotationKind) {
        self.0 |= kind.bit();
    }

    pub(crate) fn contains(self, kind: NotationKind) -> bool {
        self.0 & kind.bit() != 0
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    #[must_use]
    pub(crate) fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Those that are not among others.
    #[must_use]
    pub(crate) fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = NotationKind> {
        LEGENDS.iter().map(|(kind, _)| *kind).filter(move |kind| self.contains(*kind))
    }

    /// How values are shown by all of them together; none if there are none.
    pub(crate) fn values(self) -> Option<ValueClass> {
        self.iter().map(NotationKind::values).max()
    }
}

impl From<NotationKind> for NotationKinds {
    fn from(kind: NotationKind) -> Self {
        Self(kind.bit())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::TokenizerName;
    use crate::tokenizer::Counter;

    #[test]
    fn a_legend_takes_at_most_twenty_tokens_and_names_its_kind() {
        let counter = Counter::new();
        for (kind, _) in LEGENDS {
            let line = kind.legend();
            for name in [TokenizerName::O200kBase, TokenizerName::Cl100kBase] {
                let tokens = counter.count(name, &line);
                assert!(tokens <= 20, "{line}: {tokens}");
            }
            assert_eq!(NotationKind::of_legend(&line), Some(kind), "{line}");
            assert!(!line.contains('\n'));
        }
    }

    #[test]
    fn kinds_are_kept_apart() {
        let mut kinds = NotationKinds::from(NotationKind::Json);
        assert_eq!(kinds.values(), Some(ValueClass::Plain));
        kinds.insert(NotationKind::CountedCsv);
        assert_eq!(kinds.values(), Some(ValueClass::Computed));
        let found: Vec<NotationKind> = kinds.without(NotationKind::Json.into()).iter().collect();
        assert_eq!(found, [NotationKind::CountedCsv]);
        assert_eq!(NotationKinds::default().values(), None);
    }
}
