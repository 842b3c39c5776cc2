//! Shorter forms that hooks made of texts in formats of their own.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::{AdapterAttempt, Cut, FormatAdapter, InnerTexts, Part, plain_text};
use crate::domain::ContentHash;

/// Texts, each with the shorter one that takes its place as a whole.
#[derive(Debug)]
pub(super) struct HookTextAdapter {
    /// Who made them.
    name: &'static str,
    texts: BTreeMap<Arc<str>, Arc<str>>,
    identity: String,
}

impl HookTextAdapter {
    pub(super) fn new(name: &'static str, texts: BTreeMap<Arc<str>, Arc<str>>) -> Self {
        let pairs = texts.iter().flat_map(|(before, after)| [before, after]);
        let hashes: Vec<String> = pairs.map(|text| ContentHash::of(text).to_string()).collect();
        let identity = format!("{name} {}", hashes.join(" "));
        // Adapters are offered texts without their colours.
        let plain = texts.iter().map(|(before, after)| (plain_text(before).into(), after.clone()));
        let mut all: BTreeMap<Arc<str>, Arc<str>> = plain.collect();
        all.extend(texts);
        Self { name, texts: all, identity }
    }

    /// Whether a hook made a shorter form of a text.
    pub(super) fn has(&self, text: &str) -> bool {
        self.texts.contains_key(text)
    }
}

impl FormatAdapter for HookTextAdapter {
    fn name(&self) -> &'static str {
        self.name
    }

    fn identity(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.identity)
    }

    fn detects(&self, part: Part<'_>) -> bool {
        self.has(part.text)
    }

    fn attempt<'p>(&'p self, part: Part<'p>, _: &mut dyn InnerTexts) -> AdapterAttempt<'p> {
        let shorter = self.texts.get(part.text).into_iter();
        let cut = |text: &Arc<str>| Cut { range: 0..part.text.len(), with: text.to_string() };
        AdapterAttempt::new(shorter.map(cut).collect(), |after| self.holds(part.text, after))
    }

    /// Only the hook knows the promises of its format.
    fn holds(&self, _: &str, _: &str) -> bool {
        true
    }
}
