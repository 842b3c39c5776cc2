//! The adapters of a request, in order.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use super::blob::BlobAdapter;
use super::csv::CsvAdapter;
use super::custom::CustomAdapter;
use super::diff::DiffAdapter;
use super::hook_shortened::HookTextAdapter;
use super::html::HtmlAdapter;
use super::json::JsonAdapter;
use super::layout::{CodeAdapter, MarkdownAdapter};
use super::log::LogAdapter;
use super::prose::ProseAdapter;
use super::search::SearchAdapter;
use super::settings::SettingsAdapter;
use super::source::SourceAdapter;
use super::stack_trace::StackTraceAdapter;
use super::structured_output::StructuredOutputAdapter;
use super::tuned::TunedAdapter;
use super::xml::XmlAdapter;
use super::yaml::YamlAdapter;
use super::{FormatAdapter, ProsePassage, prose_passages};
use crate::domain::{AdapterChoice, AdapterChoices, AdapterDefinition};
use crate::limit::Deadline;
use crate::tokenizer::Digest;

/// Names of those that others made texts for.
const HOOK: &str = "hook";
const SUMMARIZER: &str = "summarizer";
/// Of so many bytes a summariser may leave one, if the request does not say.
const USUAL_SUMMARY_SHARE: usize = 3;

/// Ours, in their order: most requests choose no other, and the digest takes a hash for each.
static USUAL: LazyLock<AdapterSet> =
    LazyLock::new(|| AdapterSet::built_in_except(&[], &Deadline::default()));

/// Prose for a summariser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SummarizerProse {
    pub(crate) text: Arc<str>,
    /// Bytes that its shorter form may take, about.
    pub(crate) most_bytes: usize,
}

/// Adapters in the order in which texts are offered to them.
#[derive(Debug, Clone)]
pub struct AdapterSet {
    list: Vec<Arc<dyn FormatAdapter>>,
    /// Number of adapters that are offered texts of people and of the model: words without a format
    /// are for the summary, unless prose was asked for.
    for_words: usize,
    /// Names the adapters and their order: the same texts take the same forms.
    digest: Digest,
    deadline: Deadline,
    /// The first of the list, if hooks made shorter forms of texts.
    hook_texts: Option<Arc<HookTextAdapter>>,
}

impl AdapterSet {
    /// The adapters that were chosen, in that order; ours in their own if nothing was.
    /// `deadline` ends the searches of custom ones.
    pub fn new(choices: &AdapterChoices, deadline: &Deadline) -> Self {
        let set = match choices {
            AdapterChoices::Usual(replaced) if replaced.is_empty() => USUAL.clone(),
            AdapterChoices::Usual(replaced) => Self::built_in_except(replaced, deadline),
            AdapterChoices::Chosen(list) => {
                let list = list.iter().filter_map(|choice| chosen_adapter(choice, deadline));
                Self::from_adapters(list.collect())
            }
        };
        Self { deadline: deadline.clone(), ..set }
    }

    /// Whether the request has to stop: what adapters made may lack something then.
    pub(crate) fn is_stopped(&self) -> bool {
        self.deadline.check().is_err()
    }

    fn built_in_except(replaced: &[Arc<AdapterDefinition>], deadline: &Deadline) -> Self {
        let ours = built_in_adapters();
        let in_place = |adapter: Arc<dyn FormatAdapter>| {
            let other = replaced.iter().find(|other| *other.name == *adapter.name());
            other.and_then(|other| custom_adapter(other, deadline)).unwrap_or(adapter)
        };
        let for_words = ours.len().saturating_sub(1);
        Self::from_list(ours.into_iter().map(in_place).collect(), for_words)
    }

    pub(crate) fn from_adapters(list: Vec<Arc<dyn FormatAdapter>>) -> Self {
        let for_words = list.len();
        Self::from_list(list, for_words)
    }

    fn from_list(list: Vec<Arc<dyn FormatAdapter>>, for_words: usize) -> Self {
        let digest = list.iter().zip(0..).fold(Digest::from_text(""), |digest, (adapter, at)| {
            digest.then(&Digest::from_text(&adapter.identity()), u8::from(at < for_words))
        });
        Self { list, for_words, digest, deadline: Deadline::default(), hook_texts: None }
    }

    /// The same, and before them what others made of texts as a whole.
    #[must_use]
    pub fn with_hook_texts(self, texts: BTreeMap<Arc<str>, Arc<str>>) -> Self {
        if texts.is_empty() {
            return self;
        }
        let Self { mut list, for_words, deadline, .. } = self;
        let hook_texts = Arc::new(HookTextAdapter::new(HOOK, texts));
        list.insert(0, Arc::clone(&hook_texts) as Arc<dyn FormatAdapter>);
        let hook_texts = Some(hook_texts);
        Self { deadline, hook_texts, ..Self::from_list(list, for_words.saturating_add(1)) }
    }

    /// The same, and before them what a summariser made of prose.
    #[must_use]
    pub(crate) fn with_summaries(self, texts: BTreeMap<Arc<str>, Arc<str>>) -> Self {
        if texts.is_empty() {
            return self;
        }
        let Self { mut list, for_words, deadline, hook_texts, .. } = self;
        list.insert(0, Arc::new(HookTextAdapter::new(SUMMARIZER, texts)));
        Self { deadline, hook_texts, ..Self::from_list(list, for_words.saturating_add(1)) }
    }

    /// Whether a summariser is asked to shorten prose.
    pub(crate) fn ask_summarizer(&self) -> bool {
        self.list.iter().any(|adapter| adapter.asks_summarizer())
    }

    /// The prose in a text that a summariser is asked about, and how many bytes of each may stay.
    pub(crate) fn summarizer_prose(&self, text: &str) -> Vec<SummarizerProse> {
        let list: Vec<&dyn FormatAdapter> = self.list(false).collect();
        let passages = prose_passages(&list, text).into_iter();
        let most = |passage: &ProsePassage| {
            let bytes = passage.text.len();
            passage.ratio.asked_bytes(bytes).unwrap_or(bytes / USUAL_SUMMARY_SHARE)
        };
        passages
            .map(|passage| SummarizerProse { most_bytes: most(&passage), text: passage.text })
            .collect()
    }

    /// Whether a hook made a shorter form of the text.
    pub(crate) fn has_hook_form(&self, text: &str) -> bool {
        self.hook_texts.as_ref().is_some_and(|adapter| adapter.has(text))
    }

    /// All adapters, or those for texts of people and of the model.
    pub(crate) fn list(&self, words: bool) -> impl Iterator<Item = &dyn FormatAdapter> {
        let count = if words { self.for_words } else { self.list.len() };
        self.list.iter().take(count).map(AsRef::as_ref)
    }

    pub(crate) fn digest(&self) -> &Digest {
        &self.digest
    }
}

/// Ours, in the order in which texts are offered to them; prose last.
fn built_in_adapters() -> Vec<Arc<dyn FormatAdapter>> {
    vec![
        Arc::new(DiffAdapter),
        Arc::new(StackTraceAdapter),
        Arc::new(SearchAdapter),
        Arc::new(SettingsAdapter),
        Arc::new(LogAdapter),
        Arc::new(JsonAdapter),
        Arc::new(CsvAdapter),
        Arc::new(XmlAdapter),
        Arc::new(HtmlAdapter),
        Arc::new(YamlAdapter),
        Arc::new(MarkdownAdapter),
        Arc::new(CodeAdapter),
        Arc::new(SourceAdapter),
        Arc::new(StructuredOutputAdapter),
        Arc::new(BlobAdapter),
        Arc::new(ProseAdapter),
    ]
}

fn chosen_adapter(choice: &AdapterChoice, deadline: &Deadline) -> Option<Arc<dyn FormatAdapter>> {
    match choice {
        AdapterChoice::Named(name) => named(name),
        AdapterChoice::Custom(definition) => custom_adapter(definition, deadline),
        AdapterChoice::Tuned(choice, tuning) => {
            let adapter = chosen_adapter(choice, deadline)?;
            Some(Arc::new(TunedAdapter::new(adapter, *tuning)))
        }
    }
}

fn named(name: &str) -> Option<Arc<dyn FormatAdapter>> {
    built_in_adapters().into_iter().find(|adapter| adapter.name() == name)
}

/// None if a pattern does not compile; definitions are checked before.
fn custom_adapter(
    definition: &Arc<AdapterDefinition>,
    deadline: &Deadline,
) -> Option<Arc<dyn FormatAdapter>> {
    Some(Arc::new(CustomAdapter::new(Arc::clone(definition), deadline)?))
}

/// Which options a request may give to an adapter of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuiltInOptions {
    pub takes_ratio: bool,
    pub takes_summarizer: bool,
}

/// The options of all adapters of ours, in the order of [`built_in_names`].
pub fn built_in_options() -> impl Iterator<Item = BuiltInOptions> {
    built_in_adapters().into_iter().map(|adapter| BuiltInOptions {
        takes_ratio: adapter.takes_ratio(),
        takes_summarizer: adapter.finds_prose(),
    })
}

/// The names of all adapters of ours, in their order.
pub fn built_in_names() -> impl Iterator<Item = String> {
    built_in_adapters().into_iter().map(|adapter| adapter.name().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{DetectRules, LineRemoval};

    fn definition(name: &str) -> Arc<AdapterDefinition> {
        Arc::new(AdapterDefinition {
            name: name.into(),
            detect: DetectRules { min_lines: Some(3), ..DetectRules::default() },
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
        let usual = AdapterSet::new(&AdapterChoices::default(), &Deadline::default());
        let csv = definition("csv");
        let replaced =
            AdapterSet::new(&AdapterChoices::Usual(vec![Arc::clone(&csv)]), &Deadline::default());
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
        let chosen = AdapterSet::new(&AdapterChoices::Chosen(list), &Deadline::default());
        assert_eq!(identities(&chosen, true), ["yaml", &format!("{custom:?}"), "xml"]);
    }

    #[test]
    fn what_words_are_offered_to_is_part_of_the_digest() {
        let all = built_in_names().map(|name| AdapterChoice::Named(name.as_str().into()));
        let chosen = AdapterSet::new(&AdapterChoices::Chosen(all.collect()), &Deadline::default());
        let usual = AdapterSet::new(&AdapterChoices::default(), &Deadline::default());
        assert_eq!(identities(&chosen, false), identities(&usual, false));
        assert_ne!(chosen.digest(), usual.digest());
    }
}
