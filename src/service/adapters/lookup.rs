//! The adapters that a request can name: built-in ones, and those that the tenant has stored.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use quick_cache::sync::Cache;

use crate::compress::{built_in_names, built_in_options};
use crate::domain::AdapterDefinition;
use crate::json::{self, Fault, Faults, Limits, Node, Path};
use crate::limit::PatternBudget;
use crate::request::{self, KnownAdapters};
use crate::service::definition_read::DefinitionRead;
use crate::service::{Services, StoreError};

/// Names that are read from the store in one go.
const MAX_NAMES: usize = 1_000;
/// Tenants that are known to replace no built-in adapter.
const MAX_CACHED_TENANTS: usize = 16_384;

/// Tenants that had replaced no built-in adapter when the store was last asked.
#[derive(Debug)]
pub(crate) struct UnreplacedAdapters(Cache<Arc<str>, DefinitionRead>);

impl Default for UnreplacedAdapters {
    fn default() -> Self {
        Self(Cache::new(MAX_CACHED_TENANTS))
    }
}

/// Looks up the adapters that a request can name. `section` is the object with the key `adapters`.
pub(crate) fn look_up(
    services: &Services,
    section: Option<&Node<'_>>,
) -> Result<Arc<KnownAdapters>, StoreError> {
    match request::given_adapters(section) {
        Some(list) => Ok(Arc::new(look_up_names(services, list)?)),
        None => usual(services),
    }
}

/// The adapters of a request that names none.
fn usual(services: &Services) -> Result<Arc<KnownAdapters>, StoreError> {
    let (cache, store) = (&services.inner.unreplaced_adapters.0, &services.inner.store);
    let tenant = &services.caller().tenant;
    if cache.get(tenant).is_some_and(|read| read.is_recent(store)) {
        return Ok(built_in());
    }
    let read = DefinitionRead::begin(store);
    let names: Vec<&str> = BUILT_IN.built_in.iter().map(|own| own.name.as_str()).collect();
    let found = services.tenant().read(|tx| tx.adapters(&names))?;
    if found.iter().all(Option::is_none) {
        cache.insert(Arc::clone(tenant), read);
        return Ok(built_in());
    }
    let mut known = new_built_in();
    let mut patterns = request::adapter_patterns();
    for (stored, text) in found.into_iter().flatten() {
        let definition = definition_of(&stored.name, &text, &mut patterns)?;
        known.add_stored(stored.name, definition);
    }
    Ok(Arc::new(known))
}

fn look_up_names(services: &Services, list: &Node<'_>) -> Result<KnownAdapters, StoreError> {
    let mut known = new_built_in();
    let tenant = services.tenant();
    let names: Vec<&str> = request::adapter_names(list).into_iter().collect();
    let found = tenant.read(|tx| tx.adapters(&names))?;
    let is_ours = |name: &&str| known.built_in.iter().any(|own| own.name == **name);
    if names.iter().zip(&found).any(|(name, found)| found.is_none() && !is_ours(name)) {
        let all = tenant.read(|tx| tx.list_adapters(None, MAX_NAMES))?;
        known.names = all.into_iter().map(|stored| stored.name).collect();
    }
    let mut patterns = request::adapter_patterns();
    for (stored, text) in found.into_iter().flatten() {
        known.patterns += request::patterns_in(&parse(&text)?);
        if known.patterns > request::MAX_PATTERNS_IN_ALL {
            break;
        }
        let definition = definition_of(&stored.name, &text, &mut patterns)?;
        known.add_stored(stored.name, definition);
    }
    Ok(known)
}

/// The adapters of a record, read from their definitions.
pub(crate) fn from_record(texts: &BTreeMap<Arc<str>, String>) -> Result<KnownAdapters, StoreError> {
    let mut known = new_built_in();
    let mut patterns = request::adapter_patterns();
    for (name, text) in texts {
        known.patterns += request::patterns_in(&parse(text)?);
        known.add_stored(Arc::clone(name), definition_of(name, text, &mut patterns)?);
    }
    Ok(known)
}

static BUILT_IN: LazyLock<Arc<KnownAdapters>> = LazyLock::new(|| Arc::new(new_built_in()));

/// The built-in adapters alone.
pub(crate) fn built_in() -> Arc<KnownAdapters> {
    Arc::clone(&BUILT_IN)
}

fn new_built_in() -> KnownAdapters {
    let options = built_in_names().zip(built_in_options());
    let built_in = options.map(|(name, options)| request::BuiltInAdapter {
        name,
        takes_ratio: options.takes_ratio,
        takes_summarizer: options.takes_summarizer,
    });
    KnownAdapters { built_in: built_in.collect(), ..KnownAdapters::default() }
}

/// Parses a stored definition. It was checked before it was stored, maybe by a release whose limits
/// were wider: then it has faults.
pub(super) fn definition_of(
    name: &str,
    text: &str,
    patterns: &mut PatternBudget,
) -> Result<Result<Arc<AdapterDefinition>, Vec<Fault>>, StoreError> {
    let mut faults = Faults::default();
    let node = parse(text)?;
    let read = request::read_definition(&node, Path::Root, Some(name), patterns, &mut faults);
    Ok(match read.filter(|_| faults.is_empty()) {
        Some(definition) => Ok(Arc::new(definition)),
        None => Err(faults.into_vec()),
    })
}

fn parse(text: &str) -> Result<Node<'_>, StoreError> {
    json::parse(text, Limits::default()).map_err(|error| StoreError::Corrupt(Arc::new(error)))
}
