//! Format adapters: ours, and those that callers have written as data.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Error, Services, StoreError};
use crate::compress::{Tryout, built_in_names};
use crate::domain::{AdapterChoice, AdapterDefinition, StoredAdapter, TokenizerName};
use crate::json::{self, Fault, Faults, Limits, Node, Path};
use crate::request::{self, Fields, KnownAdapters};

/// Bytes of a definition's text.
const LONGEST: usize = 64 << 10;
/// Names that are read from the store at once.
const AT_ONCE: usize = 1_000;

const TEST_KEYS: &[&str] = &["text", "definition"];

/// A row of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListedAdapter {
    /// One of ours; whether a stored one of the same name stands in its place.
    BuiltIn {
        name: String,
        replaced: bool,
    },
    Custom(StoredAdapter),
}

/// The row behind which a list goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AdapterCursor {
    BuiltIn(String),
    Custom(String),
}

/// An adapter by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FoundAdapter {
    BuiltIn(String),
    /// With its definition's text, as it was given.
    Custom(StoredAdapter, String),
}

/// What an adapter made of a text.
#[derive(Debug)]
pub struct AdapterTrial {
    pub detects: bool,
    /// What it leaves, or the text as it came.
    pub text: String,
    pub changed: bool,
    pub tokens_before: u64,
    pub tokens_after: u64,
    pub reverted: bool,
    pub kept_lines: Option<usize>,
}

/// At most `limit` adapters behind a row: ours in their order, then the stored ones in the byte
/// order of their names. And where the list goes on; none where that is its end.
pub fn list(
    services: &Services,
    after: Option<&AdapterCursor>,
    limit: usize,
) -> Result<(Vec<ListedAdapter>, Option<AdapterCursor>), Error> {
    let tenant = services.tenant();
    let ours: Vec<String> = built_in_names().collect();
    let first = match after {
        None => 0,
        Some(AdapterCursor::BuiltIn(name)) => {
            ours.iter().position(|own| own == name).map_or(ours.len(), |at| at + 1)
        }
        Some(AdapterCursor::Custom(_)) => ours.len(),
    };
    let names: Vec<&str> = ours.iter().skip(first).map(String::as_str).collect();
    let replaced =
        tenant.read(|tx| tx.adapters(&names))?.into_iter().map(|stored| stored.is_some());
    let mut rows: Vec<ListedAdapter> = names
        .iter()
        .zip(replaced)
        .map(|(name, replaced)| ListedAdapter::BuiltIn { name: (*name).to_owned(), replaced })
        .collect();
    let behind = match after {
        Some(AdapterCursor::Custom(name)) => Some(name.as_str()),
        _ => None,
    };
    // One more than is shown tells whether there is more.
    let room = (limit + 1).saturating_sub(rows.len());
    if room > 0 {
        let stored = tenant.read(|tx| tx.list_adapters(behind, room))?;
        rows.extend(stored.into_iter().map(ListedAdapter::Custom));
    }
    let goes_on = rows.len() > limit;
    rows.truncate(limit);
    let next = rows.last().filter(|_| goes_on).map(|row| match row {
        ListedAdapter::BuiltIn { name, .. } => AdapterCursor::BuiltIn(name.clone()),
        ListedAdapter::Custom(stored) => AdapterCursor::Custom(stored.name.to_string()),
    });
    Ok((rows, next))
}

/// What a name stands for: a stored adapter, else one of ours, else nothing.
pub fn find(services: &Services, name: &str) -> Result<Option<FoundAdapter>, Error> {
    if let Some((stored, text)) = services.tenant().read(|tx| tx.adapters(&[name]))?.pop().flatten()
    {
        return Ok(Some(FoundAdapter::Custom(stored, text)));
    }
    Ok(built_in_names().find(|own| own == name).map(FoundAdapter::BuiltIn))
}

/// An adapter that was just stored.
#[derive(Debug)]
pub struct PutAdapter {
    pub stored: StoredAdapter,
    /// The definition, as JSON text.
    pub text: String,
    pub is_new: bool,
}

/// Stores the definition in `body` under a name.
pub fn put(services: &Services, name: &str, body: &str) -> Result<PutAdapter, Error> {
    let node = json::parse(body, Limits::default())?;
    let mut faults = Faults::default();
    if node.raw.len() > LONGEST {
        faults.add(&Path::Root, format!("must be at most {LONGEST} bytes"));
    }
    request::read_definition(&node, Path::Root, Some(name), &mut faults);
    if !faults.is_empty() {
        return Err(Error::Invalid(faults.into_vec()));
    }
    let (name, text) = (name.to_owned(), node.raw.to_owned());
    let definition = text.clone();
    let (stored, is_new) =
        services.tenant().write_durable(move |tx| tx.put_adapter(&name, &definition))?;
    Ok(PutAdapter { stored, text, is_new })
}

/// Removes a stored adapter; answers whether it was there.
pub fn delete(services: &Services, name: &str) -> Result<bool, Error> {
    let name = name.to_owned();
    Ok(services.tenant().write_durable(move |tx| tx.delete_adapter(&name))?)
}

/// Tries an adapter on the text in `body`: `{"text", "definition"?}`. None where no definition is
/// given and the name stands for nothing.
pub fn test(services: &Services, name: &str, body: &str) -> Result<Option<AdapterTrial>, Error> {
    let node = json::parse(body, Limits::default())?;
    let mut faults = Faults::default();
    let Some(fields) = Fields::read(&node, Path::Root, TEST_KEYS, &mut faults) else {
        return Err(Error::Invalid(faults.into_vec()));
    };
    let text = fields.text("text", &mut faults);
    if fields.get("text").is_none() {
        fields.fault("text", "is missing", &mut faults);
    }
    let given = fields.get("definition");
    let definition = given.and_then(|given| {
        let path = fields.path().key("definition");
        request::read_definition(given, path, Some(name), &mut faults)
    });
    let Some(text) = text.filter(|_| faults.is_empty()) else {
        return Err(Error::Invalid(faults.into_vec()));
    };
    let choice = match definition {
        Some(definition) => AdapterChoice::Custom(Arc::new(definition)),
        None => match find(services, name)? {
            Some(FoundAdapter::Custom(stored, text)) => {
                AdapterChoice::Custom(definition_of(&stored.name, &text)?)
            }
            Some(FoundAdapter::BuiltIn(name)) => AdapterChoice::Named(name.into()),
            None => return Ok(None),
        },
    };
    let counter = &services.pipeline().counter;
    let count = |text: &str| counter.count_once(TokenizerName::O200kBase, text);
    let tried = Tryout::run(&choice, text, &count);
    Ok(tried.map(|Tryout { detects, text: left, reverted, kept_lines }| {
        let tokens_before = count(text);
        AdapterTrial {
            detects,
            changed: left.is_some(),
            tokens_before,
            tokens_after: left.as_deref().map_or(tokens_before, count),
            text: left.unwrap_or_else(|| text.to_owned()),
            reverted,
            kept_lines,
        }
    }))
}

/// What the names in a request can mean. `section`: what holds the key `adapters`.
pub(super) fn known(
    services: &Services,
    section: Option<&Node<'_>>,
) -> Result<KnownAdapters, StoreError> {
    let mut known = ours();
    let tenant = services.tenant();
    let Some(list) = request::given_adapters(section) else {
        let names: Vec<&str> = known.built_in.iter().map(String::as_str).collect();
        for (stored, text) in tenant.read(|tx| tx.adapters(&names))?.into_iter().flatten() {
            known.stored.insert(Arc::clone(&stored.name), definition_of(&stored.name, &text)?);
        }
        return Ok(known);
    };
    let names: Vec<&str> = request::adapter_names(list).into_iter().collect();
    let found = tenant.read(|tx| tx.adapters(&names))?;
    let is_ours = |name: &&str| known.built_in.iter().any(|own| own == name);
    if names.iter().zip(&found).any(|(name, found)| found.is_none() && !is_ours(name)) {
        let all = tenant.read(|tx| tx.list_adapters(None, AT_ONCE))?;
        known.names = all.into_iter().map(|stored| stored.name).collect();
    }
    for (stored, text) in found.into_iter().flatten() {
        known.patterns += request::patterns_in(&parse(&text)?);
        if known.patterns > request::MAX_PATTERNS_IN_ALL {
            break;
        }
        known.stored.insert(Arc::clone(&stored.name), definition_of(&stored.name, &text)?);
    }
    Ok(known)
}

/// What names meant when these definitions were stored.
pub(super) fn recorded(texts: &BTreeMap<Arc<str>, String>) -> Result<KnownAdapters, StoreError> {
    let mut known = ours();
    for (name, text) in texts {
        known.patterns += request::patterns_in(&parse(text)?);
        known.stored.insert(Arc::clone(name), definition_of(name, text)?);
    }
    Ok(known)
}

/// What names mean where nothing is stored.
pub(super) fn ours() -> KnownAdapters {
    KnownAdapters { built_in: built_in_names().collect(), ..KnownAdapters::default() }
}

/// A stored definition, read again. It was checked before it was stored.
fn definition_of(name: &str, text: &str) -> Result<Arc<AdapterDefinition>, StoreError> {
    let mut faults = Faults::default();
    let node = parse(text)?;
    let read = request::read_definition(&node, Path::Root, Some(name), &mut faults);
    match read.filter(|_| faults.is_empty()) {
        Some(definition) => Ok(Arc::new(definition)),
        None => Err(StoreError::Corrupt(Arc::new(UnreadableAdapter(faults.into_vec())))),
    }
}

fn parse(text: &str) -> Result<Node<'_>, StoreError> {
    json::parse(text, Limits::default()).map_err(|error| StoreError::Corrupt(Arc::new(error)))
}

#[derive(Debug, thiserror::Error)]
#[error("a stored adapter is not valid in {}", json::places(.0))]
struct UnreadableAdapter(Vec<Fault>);
