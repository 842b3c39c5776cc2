//! The key `adapters`: which ones, in which order, and inline definitions.

mod definition;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::domain::{AdapterChoice, AdapterChoices, AdapterDefinition, Notes};
use crate::json::{Fault, Faults, Fields, Node};
use crate::limit::PatternBudget;

pub use definition::{ADAPTER_KEYS, patterns_in, read_definition};
use definition::{is_name, read_tuning, tuned_name};

/// Adapters that a request may name.
const MAX_ADAPTERS: usize = 64;
/// Patterns of all definitions that a list defines or names.
pub const MAX_PATTERNS_IN_ALL: usize = 64;
/// Bytes that the patterns of all definitions may take compiled.
const MAX_COMPILED_BYTES: usize = 1 << 20;
/// Unknown names for which a similar name is looked up: there may be thousands of known ones.
const MAX_HINTS: usize = 4;

/// The budget of patterns that the definitions of one list share.
pub fn adapter_patterns() -> PatternBudget {
    PatternBudget::new(MAX_PATTERNS_IN_ALL, MAX_COMPILED_BYTES)
}

/// A built-in adapter, and the options that change what it does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuiltInAdapter {
    pub name: String,
    pub takes_ratio: bool,
    pub takes_summarizer: bool,
}

/// The meanings of names in a list that the list does not define itself.
#[derive(Debug, Default)]
pub struct KnownAdapters {
    /// The built-in adapters, in their order.
    pub built_in: Vec<BuiltInAdapter>,
    /// Stored definitions: of the names in the request, or of the default names if it has none.
    pub stored: BTreeMap<Arc<str>, Arc<AdapterDefinition>>,
    /// Patterns of the stored definitions of the names that are given. Above
    /// [`MAX_PATTERNS_IN_ALL`] not all of these are in `stored`.
    pub patterns: usize,
    /// Stored adapters whose definitions are beyond the present limits, and why they cannot be
    /// used.
    pub unusable: BTreeMap<Arc<str>, String>,
    /// Further known names, for suggestions.
    pub names: Vec<Arc<str>>,
}

impl KnownAdapters {
    /// Adds a stored adapter, or what is wrong with its definition.
    pub fn add_stored(
        &mut self,
        name: Arc<str>,
        definition: Result<Arc<AdapterDefinition>, Vec<Fault>>,
    ) {
        match definition {
            Ok(definition) => {
                self.stored.insert(name, definition);
            }
            Err(faults) => {
                let why = faults.first().map_or_else(String::new, |fault| {
                    format!("`{}` {}", fault.pointer, fault.detail)
                });
                self.unusable.insert(name, why);
            }
        }
    }

    /// Warns about stored adapters that a request without a list would use and cannot.
    pub(crate) fn warn_unusable(&self, has_list: bool, notes: &mut Notes) {
        for (name, why) in self.unusable.iter().filter(|_| !has_list) {
            let detail = format!("the stored adapter `{name}` is not used: {why}");
            notes.warn("adapter_unusable", String::new(), detail);
        }
    }

    /// The adapters of a request that does not choose any.
    pub(super) fn default_choices(&self) -> AdapterChoices {
        AdapterChoices::Usual(self.stored.values().map(Arc::clone).collect())
    }

    fn is_built_in(&self, name: &str) -> bool {
        self.built_in.iter().any(|own| own.name == name)
    }

    fn all<'k>(&'k self, inline: &'k BTreeSet<&str>) -> impl Iterator<Item = &'k str> {
        let stored = self.stored.keys().chain(&self.names).map(AsRef::as_ref);
        let built_in = self.built_in.iter().map(|own| own.name.as_str());
        inline.iter().copied().chain(stored).chain(built_in)
    }
}

/// The key `adapters` of a request or of its `compression`, unparsed; `None` if it is absent.
pub fn given_adapters<'r, 'a>(section: Option<&'r Node<'a>>) -> Option<&'r Node<'a>> {
    section?.get("adapters").filter(|node| !node.is_null())
}

/// The names in a list that it does not define.
pub fn adapter_names<'r>(list: &'r Node<'_>) -> BTreeSet<&'r str> {
    let items = list.as_array().unwrap_or_default().iter().take(MAX_ADAPTERS);
    let names = items.filter_map(|item| item.as_str().or_else(|| tuned_name(item)));
    names.filter(|name| is_name(name)).collect()
}

/// Warns of a list of adapters in a request in which no adapter works.
pub(crate) fn warn_unused_adapters(fields: &Fields<'_, '_>, notes: &mut Notes) {
    let list = fields.get("adapters").and_then(Node::as_array);
    if list.is_some_and(|list| !list.is_empty()) {
        let detail = "adapters work at level `reversible` and above: at this level, none is used";
        notes.warn("adapters_unused", fields.path().key("adapters").pointer(), detail);
    }
}

/// Warns of options that change nothing about the adapters that they were given to.
pub(crate) fn warn_idle_options(
    fields: &Fields<'_, '_>,
    choices: &AdapterChoices,
    known: &KnownAdapters,
    notes: &mut Notes,
) {
    let AdapterChoices::Chosen(list) = choices else { return };
    let path = fields.path().key("adapters");
    for (index, choice) in list.iter().enumerate() {
        let AdapterChoice::Tuned(adapter, tuning) = choice else { continue };
        let (name, takes_ratio, takes_summarizer) = match &**adapter {
            AdapterChoice::Named(name) => {
                let own = known.built_in.iter().find(|own| *own.name == **name);
                let Some(own) = own else { continue };
                (&**name, own.takes_ratio, own.takes_summarizer)
            }
            AdapterChoice::Custom(definition) => (&*definition.name, true, false),
            AdapterChoice::Tuned(..) => continue,
        };
        for (key, is_idle) in [
            ("ratio", tuning.keep_milli.is_some() && !takes_ratio),
            ("summarizer", tuning.summarizer && !takes_summarizer),
        ] {
            if is_idle {
                let detail = format!("`{name}` does the same with and without `{key}`");
                let pointer = path.index(index).key(key).pointer();
                notes.warn("adapter_option_unused", pointer, detail);
            }
        }
    }
}

/// The choice with the definition that its name stands for, if it stands for one.
fn resolve_name(
    choice: AdapterChoice,
    definition: &dyn Fn(&str) -> Option<Arc<AdapterDefinition>>,
) -> AdapterChoice {
    match choice {
        AdapterChoice::Named(name) => {
            definition(&name).map_or(AdapterChoice::Named(name), AdapterChoice::Custom)
        }
        AdapterChoice::Tuned(choice, tuning) => {
            AdapterChoice::Tuned(Box::new(resolve_name(*choice, definition)), tuning)
        }
        custom @ AdapterChoice::Custom(_) => custom,
    }
}

/// Reads a list of names and definitions.
pub(crate) fn read_adapters(
    fields: &Fields<'_, '_>,
    known: &KnownAdapters,
    faults: &mut Faults,
) -> AdapterChoices {
    if fields.get("adapters").is_none() {
        return known.default_choices();
    }
    let list = fields.path().key("adapters");
    let items = fields.list("adapters", MAX_ADAPTERS, faults);
    let patterns: usize = items.iter().map(patterns_in).sum();
    if patterns + known.patterns > MAX_PATTERNS_IN_ALL {
        let rule = format!("must not take more than {MAX_PATTERNS_IN_ALL} patterns in all");
        faults.add(&list, rule);
        return AdapterChoices::default();
    }
    let definitions = items.iter().filter(|item| tuned_name(item).is_none());
    let inline = definitions.filter_map(|item| item.get("name")?.as_str());
    let inline: BTreeSet<&str> = inline.filter(|name| is_name(name)).collect();
    let (mut choices, mut defined) = (Vec::new(), BTreeMap::new());
    let mut hints = MAX_HINTS;
    let mut budget = adapter_patterns();
    for (index, item) in items.iter().enumerate() {
        let path = list.index(index);
        let is_object = item.as_object().is_some();
        let tuning = is_object.then(|| read_tuning(item, list.index(index), faults));
        let tuned = |choice| match tuning.filter(|tuning| !tuning.is_usual()) {
            Some(tuning) => AdapterChoice::Tuned(Box::new(choice), tuning),
            None => choice,
        };
        if let Some(name) = item.as_str().or_else(|| tuned_name(item)) {
            let is_inline = inline.contains(name);
            if let Some(why) = known.unusable.get(name).filter(|_| !is_inline) {
                faults.add(&path, format!("the stored adapter `{name}` cannot be used: {why}"));
            } else if is_inline || known.stored.contains_key(name) || known.is_built_in(name) {
                choices.push(tuned(AdapterChoice::Named(name.into())));
            } else {
                let near = known.all(&inline).take_while(|_| is_name(name) && hints > 0);
                faults.unknown_name(&path, "adapter", name, near);
                hints = hints.saturating_sub(1);
            }
        } else if let Some(definition) = read_definition(item, path, None, &mut budget, faults) {
            let definition = Arc::new(definition);
            if defined.insert(Arc::clone(&definition.name), Arc::clone(&definition)).is_some() {
                faults.add(&path.key("name"), "is defined in this list already");
            }
            choices.push(tuned(AdapterChoice::Custom(definition)));
        }
    }
    let meant = |choice| {
        resolve_name(choice, &|name| {
            defined.get(name).or_else(|| known.stored.get(name)).map(Arc::clone)
        })
    };
    AdapterChoices::Chosen(choices.into_iter().map(meant).collect())
}
