//! The key `adapters`: which ones, in which order, and inline definitions.

mod definition;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::domain::{AdapterChoice, AdapterChoices, AdapterDefinition, Notes};
use crate::json::{Fault, Faults, Fields, Node};
use crate::limit::PatternBudget;

use definition::is_name;
pub use definition::{ADAPTER_KEYS, patterns_in, read_definition};

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

/// The meanings of names in a list that the list does not define itself.
#[derive(Debug, Default)]
pub struct KnownAdapters {
    /// The names of the built-in adapters, in their order.
    pub built_in: Vec<String>,
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
        self.built_in.iter().any(|own| own == name)
    }

    fn all<'k>(&'k self, inline: &'k BTreeSet<&str>) -> impl Iterator<Item = &'k str> {
        let stored = self.stored.keys().chain(&self.names).map(AsRef::as_ref);
        inline.iter().copied().chain(stored).chain(self.built_in.iter().map(String::as_str))
    }
}

/// The key `adapters` of a request or of its `compression`, unparsed; `None` if it is absent.
pub fn given_adapters<'r, 'a>(section: Option<&'r Node<'a>>) -> Option<&'r Node<'a>> {
    section?.get("adapters").filter(|node| !node.is_null())
}

/// The names in a list that it does not define.
pub fn adapter_names<'r>(list: &'r Node<'_>) -> BTreeSet<&'r str> {
    let items = list.as_array().unwrap_or_default().iter().take(MAX_ADAPTERS);
    items.filter_map(Node::as_str).filter(|name| is_name(name)).collect()
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
    let inline = items.iter().filter_map(|item| item.get("name")?.as_str());
    let inline: BTreeSet<&str> = inline.filter(|name| is_name(name)).collect();
    let (mut choices, mut defined) = (Vec::new(), BTreeMap::new());
    let mut hints = MAX_HINTS;
    let mut budget = adapter_patterns();
    for (index, item) in items.iter().enumerate() {
        let path = list.index(index);
        if let Some(name) = item.as_str() {
            let is_inline = inline.contains(name);
            if let Some(why) = known.unusable.get(name).filter(|_| !is_inline) {
                faults.add(&path, format!("the stored adapter `{name}` cannot be used: {why}"));
            } else if is_inline || known.stored.contains_key(name) || known.is_built_in(name) {
                choices.push(AdapterChoice::Named(name.into()));
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
            choices.push(AdapterChoice::Custom(definition));
        }
    }
    let meant = |choice| match choice {
        AdapterChoice::Named(name) => {
            match defined.get(&name).or_else(|| known.stored.get(&name)) {
                Some(definition) => AdapterChoice::Custom(Arc::clone(definition)),
                None => AdapterChoice::Named(name),
            }
        }
        custom @ AdapterChoice::Custom(_) => custom,
    };
    AdapterChoices::Chosen(choices.into_iter().map(meant).collect())
}
