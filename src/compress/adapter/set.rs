//! The adapters of a request, in order.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::FormatAdapter;
use super::blob::Blob;
use super::code::Code;
use super::csv::Csv;
use super::custom::Custom;
use super::diff::Diff;
use super::hook_shortened::HookShortened;
use super::html::Html;
use super::json::Json;
use super::log::LogAdapter;
use super::markdown::Markdown;
use super::prose::Prose;
use super::search::SearchAdapter;
use super::source::SourceAdapter;
use super::stack_trace::StackTrace;
use super::structured_output::StructuredOutput;
use super::xml::XmlAdapter;
use super::yaml::YamlAdapter;
use crate::domain::{AdapterChoice, AdapterChoices, AdapterDefinition};
use crate::tokenizer::Digest;

/// Adapters in the order in which texts are offered to them.
#[derive(Debug, Clone)]
pub struct AdapterSet {
    list: Vec<Arc<dyn FormatAdapter>>,
    /// How many of them what somebody said is offered to: words that are in no format are for the
    /// summary, unless prose was asked for.
    for_words: usize,
    /// Names the adapters and their order: the same texts take the same forms.
    digest: Digest,
}

impl AdapterSet {
    /// The adapters that were chosen, in that order; ours in their own where nothing was.
    pub fn of(choices: &AdapterChoices) -> Self {
        match choices {
            AdapterChoices::Usual(replaced) => Self::usual(built_in(), replaced),
            AdapterChoices::Chosen(list) => {
                let list = list.iter().filter_map(|choice| match choice {
                    AdapterChoice::Named(name) => named(name),
                    AdapterChoice::Custom(definition) => custom(definition),
                });
                Self::new(list.collect())
            }
        }
    }

    fn usual(ours: Vec<Arc<dyn FormatAdapter>>, replaced: &[Arc<AdapterDefinition>]) -> Self {
        let in_place = |adapter: Arc<dyn FormatAdapter>| {
            let other = replaced.iter().find(|other| *other.name == *adapter.name());
            other.and_then(custom).unwrap_or(adapter)
        };
        let for_words = ours.len().saturating_sub(1);
        Self::with(ours.into_iter().map(in_place).collect(), for_words)
    }

    pub(crate) fn new(list: Vec<Arc<dyn FormatAdapter>>) -> Self {
        let for_words = list.len();
        Self::with(list, for_words)
    }

    fn with(list: Vec<Arc<dyn FormatAdapter>>, for_words: usize) -> Self {
        let digest = list.iter().zip(0..).fold(Digest::of(""), |digest, (adapter, at)| {
            digest.then(&Digest::of(&adapter.identity()), u8::from(at < for_words))
        });
        Self { list, for_words, digest }
    }

    /// The same, and before them what others made of texts as a whole.
    #[must_use]
    pub fn before(self, texts: BTreeMap<Arc<str>, Arc<str>>) -> Self {
        if texts.is_empty() {
            return self;
        }
        let Self { mut list, for_words, .. } = self;
        list.insert(0, Arc::new(HookShortened::new(texts)));
        Self::with(list, for_words.saturating_add(1))
    }

    /// All of them, or those for what somebody said.
    pub(crate) fn list(&self, words: bool) -> impl Iterator<Item = &dyn FormatAdapter> {
        let count = if words { self.for_words } else { self.list.len() };
        self.list.iter().take(count).map(AsRef::as_ref)
    }

    pub(crate) fn digest(&self) -> &Digest {
        &self.digest
    }
}

/// Ours, in the order in which texts are offered to them; prose last.
fn built_in() -> Vec<Arc<dyn FormatAdapter>> {
    vec![
        Arc::new(Diff),
        Arc::new(StackTrace),
        Arc::new(LogAdapter),
        Arc::new(SearchAdapter),
        Arc::new(Json),
        Arc::new(Csv),
        Arc::new(XmlAdapter),
        Arc::new(Html),
        Arc::new(YamlAdapter),
        Arc::new(Markdown),
        Arc::new(Code),
        Arc::new(SourceAdapter),
        Arc::new(StructuredOutput),
        Arc::new(Blob),
        Arc::new(Prose),
    ]
}

fn named(name: &str) -> Option<Arc<dyn FormatAdapter>> {
    built_in().into_iter().find(|adapter| adapter.name() == name)
}

/// None where a pattern does not compile; definitions are checked before.
fn custom(definition: &Arc<AdapterDefinition>) -> Option<Arc<dyn FormatAdapter>> {
    Some(Arc::new(Custom::new(Arc::clone(definition))?))
}

/// The names of all adapters of ours, in their order.
pub fn built_in_names() -> impl Iterator<Item = String> {
    built_in().into_iter().map(|adapter| adapter.name().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Detect, LineRemoval};

    fn definition(name: &str) -> Arc<AdapterDefinition> {
        Arc::new(AdapterDefinition {
            name: name.into(),
            detect: Detect { min_lines: Some(3), ..Detect::default() },
            keep: Vec::new(),
            shrink: LineRemoval::Rest,
            join: "{kept}{summary}".into(),
        })
    }

    fn identities(adapters: &AdapterSet, words: bool) -> Vec<String> {
        adapters.list(words).map(|adapter| adapter.identity().into_owned()).collect()
    }

    #[test]
    fn a_definition_takes_the_place_of_ours_of_its_name() {
        let usual = AdapterSet::of(&AdapterChoices::default());
        let csv = definition("csv");
        let replaced = AdapterSet::of(&AdapterChoices::Usual(vec![Arc::clone(&csv)]));
        for words in [true, false] {
            let was = identities(&usual, words);
            let is = identities(&replaced, words);
            let at = was.iter().position(|name| name == "csv").unwrap();
            assert_eq!(is[at], format!("{csv:?}"));
            assert_eq!((&is[..at], &is[at + 1..]), (&was[..at], &was[at + 1..]));
        }
        assert_ne!(usual.digest(), replaced.digest());
    }

    #[test]
    fn what_is_chosen_stands_in_its_order() {
        let named = |name: &str| AdapterChoice::Named(name.into());
        let custom = definition("ledger");
        let list = vec![named("yaml"), AdapterChoice::Custom(Arc::clone(&custom)), named("xml")];
        let chosen = AdapterSet::of(&AdapterChoices::Chosen(list));
        assert_eq!(identities(&chosen, true), ["yaml", &format!("{custom:?}"), "xml"]);
    }

    #[test]
    fn what_words_are_offered_to_is_part_of_the_digest() {
        let all = built_in_names().map(|name| AdapterChoice::Named(name.as_str().into()));
        let chosen = AdapterSet::of(&AdapterChoices::Chosen(all.collect()));
        let usual = AdapterSet::of(&AdapterChoices::default());
        assert_eq!(identities(&chosen, false), identities(&usual, false));
        assert_ne!(chosen.digest(), usual.digest());
    }
}
