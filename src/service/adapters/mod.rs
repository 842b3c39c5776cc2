//! Format adapters: built-in ones, and custom ones that callers have defined as data.

mod lookup;

use std::sync::Arc;

pub(super) use self::lookup::{UnreplacedAdapters, built_in, from_record, look_up};
use super::{Error, Services};
use crate::compress::{TrialOutput, built_in_names};
use crate::domain::{AdapterChoice, StoredAdapter, TokenizerName};
use crate::json::{self, Faults, Limits, Path};
use crate::request::{self, Fields};
use crate::store::Page;

/// Bytes of the text of a definition.
const MAX_DEFINITION_BYTES: usize = 64 << 10;

const TEST_KEYS: &[&str] = &["text", "definition"];

/// A row of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListedAdapter {
    /// A built-in adapter, and whether a stored adapter of the same name replaces it.
    BuiltIn {
        name: String,
        replaced: bool,
    },
    Custom(StoredAdapter),
}

/// The row after which a list continues.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AdapterCursor {
    BuiltIn(String),
    Custom(String),
}

/// An adapter by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FoundAdapter {
    BuiltIn(String),
    /// With the text of its definition.
    Custom(StoredAdapter, String),
}

/// Result of trying an adapter on a text.
#[derive(Debug)]
pub struct AdapterTrial {
    pub detects: bool,
    /// The shortened text, or the text as it came.
    pub text: String,
    pub changed: bool,
    pub tokens_before: u64,
    pub tokens_after: u64,
    pub reverted: bool,
    pub kept_lines: Option<usize>,
}

/// Lists at most `limit` adapters that come after a row: built-in ones in their order, then stored
/// ones in the byte order of their names. Returns the row after which the list continues, if it
/// does.
pub fn list(
    services: &Services,
    after: Option<&AdapterCursor>,
    limit: usize,
) -> Result<Page<ListedAdapter, AdapterCursor>, Error> {
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
    let after_name = match after {
        Some(AdapterCursor::Custom(name)) => Some(name.as_str()),
        _ => None,
    };
    // One row more than `limit` tells whether the list continues.
    let room = (limit + 1).saturating_sub(rows.len());
    if room > 0 {
        let stored = tenant.read(|tx| tx.list_adapters(after_name, room))?;
        rows.extend(stored.into_iter().map(ListedAdapter::Custom));
    }
    let position = |row: &ListedAdapter| match row {
        ListedAdapter::BuiltIn { name, .. } => AdapterCursor::BuiltIn(name.clone()),
        ListedAdapter::Custom(stored) => AdapterCursor::Custom(stored.name.to_string()),
    };
    Ok(Page::new(rows, limit, position, None))
}

/// Finds an adapter by its name: a stored one, else a built-in one.
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
    if node.raw.len() > MAX_DEFINITION_BYTES {
        faults.add(&Path::Root, format!("must be at most {MAX_DEFINITION_BYTES} bytes"));
    }
    let mut patterns = request::adapter_patterns();
    request::read_definition(&node, Path::Root, Some(name), &mut patterns, &mut faults);
    if !faults.is_empty() {
        return Err(Error::Invalid(faults.into_vec()));
    }
    let (name, text) = (name.to_owned(), node.raw.to_owned());
    let definition = text.clone();
    let (stored, is_new) =
        services.tenant().write_durable(move |tx| tx.put_adapter(&name, &definition))?;
    Ok(PutAdapter { stored, text, is_new })
}

/// Removes a stored adapter; returns whether it existed.
pub fn delete(services: &Services, name: &str) -> Result<bool, Error> {
    let name = name.to_owned();
    Ok(services.tenant().write_durable(move |tx| tx.delete_adapter(&name))?)
}

/// Tries an adapter on the text in `body`: `{"text", "definition"?}`. Returns none if there is
/// neither a definition nor an adapter of this name.
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
        let mut patterns = request::adapter_patterns();
        request::read_definition(given, path, Some(name), &mut patterns, &mut faults)
    });
    let Some(text) = text.filter(|_| faults.is_empty()) else {
        return Err(Error::Invalid(faults.into_vec()));
    };
    let choice = match definition {
        Some(definition) => AdapterChoice::Custom(Arc::new(definition)),
        None => match find(services, name)? {
            Some(FoundAdapter::Custom(stored, text)) => {
                let mut patterns = request::adapter_patterns();
                let definition = lookup::definition_of(&stored.name, &text, &mut patterns)?;
                AdapterChoice::Custom(definition.map_err(Error::Invalid)?)
            }
            Some(FoundAdapter::BuiltIn(name)) => AdapterChoice::Named(name.into()),
            None => return Ok(None),
        },
    };
    let counter = &services.pipeline().counter;
    let count = |text: &str| counter.count_once(TokenizerName::O200kBase, text);
    let tried = TrialOutput::run(&choice, text, &count, services.deadline());
    services.deadline().check()?;
    Ok(tried.map(|TrialOutput { detects, text: left, reverted, kept_lines }| {
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
