//! A text in the form that is shown, and how much of the original it holds.

use std::borrow::Cow;
use std::sync::Arc;

use crate::compress::notation::NotationKinds;
use crate::domain::ValueClass;

/// Fidelity of what is shown: how much of a text can be restored from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fidelity {
    /// Decoding the shown list gives the original bytes.
    Exact,
    /// It gives bytes that are equal after a documented normalisation.
    Equivalent,
    /// The original is in the artifact.
    Reversible,
}

impl Fidelity {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Equivalent => "equivalent",
            Self::Reversible => "reversible",
        }
    }
}

/// A text in the form that is shown to the model.
#[derive(Debug, Clone)]
pub struct ShownForm {
    /// None if the text stays unchanged.
    pub text: Option<Arc<str>>,
    pub class: Fidelity,
    /// Rules that were applied, in order: `adapter:` with the adapter's name, `digest`, `clean`,
    /// the notations' names, `reference`, `escape`.
    pub rules: Vec<Cow<'static, str>>,
    /// Kinds of the notations in it.
    pub kinds: NotationKinds,
    /// Notations and adapters whose work was taken back.
    pub reverted: Vec<Cow<'static, str>>,
    /// Adapters that would have made it no shorter.
    pub refused: Vec<Cow<'static, str>>,
    pub tokens_before: u64,
    pub tokens_after: u64,
    /// Tokens without its references, which depend on other texts.
    pub tokens_alone: u64,
}

impl ShownForm {
    /// The form of an unchanged text.
    pub(super) fn as_it_came(tokens: u64) -> Self {
        Self {
            text: None,
            class: Fidelity::Exact,
            rules: Vec::new(),
            kinds: NotationKinds::default(),
            reverted: Vec::new(),
            refused: Vec::new(),
            tokens_before: tokens,
            tokens_after: tokens,
            tokens_alone: tokens,
        }
    }

    /// How the edits of rung 1 show the values of the text; none if there are none.
    pub fn values(&self) -> Option<ValueClass> {
        let is_clean = self.rules.iter().any(|rule| rule == "clean");
        self.text.as_ref()?;
        self.kinds.values().or(is_clean.then_some(ValueClass::Plain))
    }
}
