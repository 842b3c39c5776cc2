//! The skills and memory entries of a session's records, with their tokens and uses.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::uses::{UseCount, WrittenMessages};
use super::{CarriedItem, CarriedRequest};
use crate::domain::{Compilation, Model, RecordLevel};
use crate::pipeline;
use crate::request::RequestMemoryEntry;
use crate::service::{Error, Services, record, skills};

/// The skills and memory entries of records, in the order of their names.
pub(super) struct CarriedItems {
    pub(super) skills: Vec<CarriedItem>,
    pub(super) memory: Vec<CarriedItem>,
}

/// A skill in the records.
#[derive(Default)]
struct SentSkill {
    records: u64,
    /// Tokens of its instructions in the newest of them.
    tokens: Option<u64>,
}

/// A memory entry in the records.
#[derive(Default)]
struct SentMemory {
    records: u64,
    /// The entry in the newest of them that has its text.
    entry: Option<RequestMemoryEntry>,
}

/// The names in records with what is known of each.
#[derive(Default)]
struct SentItems {
    skills: BTreeMap<String, SentSkill>,
    memory: BTreeMap<String, SentMemory>,
}

/// Reads the items of `rows`, which are sorted newest first. `request` is that of the newest record in
/// full.
pub(super) fn read(
    services: &Services,
    rows: &[Compilation],
    request: Option<&CarriedRequest>,
    turns: usize,
) -> Result<CarriedItems, Error> {
    let mut sent = SentItems::default();
    for row in rows {
        sent.add(row);
    }
    let written = request.map(|request| WrittenMessages::read(&request.conversation, turns));
    let mut items = CarriedItems { skills: Vec::new(), memory: Vec::new() };
    for (name, SentSkill { records, tokens }) in sent.skills {
        let own = request.and_then(|request| request.own_skill.as_deref());
        let used = match &written {
            // What is stored under the name of a skill of the request is another skill.
            Some(_) if own == Some(&*name) => UseCount::default(),
            Some(written) => {
                let allowed =
                    skills::find(services, &name)?.and_then(|own| own.skill.allowed_tools);
                written.of_tools(&allowed.unwrap_or_default())
            }
            None => UseCount::default(),
        };
        items.skills.push(CarriedItem::new(name, records, tokens, used));
    }
    let deadline = services.deadline();
    for (key, SentMemory { records, entry }) in sent.memory {
        let own = request.map_or(&[][..], |request| &request.memory);
        let mut entries: Vec<_> = own.iter().filter(|own| *own.key == *key).collect();
        if entries.is_empty() {
            entries.extend(&entry);
        }
        let used = match &written {
            Some(written) => written.of_memory(&key, &entries, deadline)?,
            None => UseCount::default(),
        };
        let tokens = match request {
            Some(request) => count_tokens(services, &request.model, &entries)?,
            None => None,
        };
        items.memory.push(CarriedItem::new(key, records, tokens, used));
    }
    Ok(items)
}

/// Counts the tokens of an entry, of all its versions that are carried; none if its text is not known.
fn count_tokens(
    services: &Services,
    model: &Model,
    entries: &[&RequestMemoryEntry],
) -> Result<Option<u64>, Error> {
    let (counter, deadline) = (&services.pipeline().counter, services.deadline());
    let count =
        |entry: &&RequestMemoryEntry| pipeline::count_memory_entry(counter, model, entry, deadline);
    let tokens = entries.iter().map(count).sum::<Result<u64, _>>()?;
    Ok((!entries.is_empty()).then_some(tokens))
}

impl SentItems {
    /// Adds the skill and the memory entries of a record that is older than those before.
    fn add(&mut self, row: &Compilation) {
        let body: Value = serde_json::from_str(row.body.as_str()).unwrap_or_default();
        let report = body.get("report").unwrap_or(&Value::Null);
        if let Some(name) = report.get("skill").and_then(Value::as_str) {
            let skill = self.skills.entry(name.to_owned()).or_default();
            skill.records += 1;
            let tokens = || report.pointer("/parts/skill")?.as_u64();
            skill.tokens = skill.tokens.or_else(tokens);
        }
        let of_gateway = || body.pointer("/gateway/memory");
        let shown = report.pointer("/memory/injected").or_else(of_gateway);
        let shown = shown.and_then(Value::as_array);
        let Some(shown) = shown.filter(|shown| !shown.is_empty()) else { return };
        let entries = (row.level == RecordLevel::Full).then(|| record::memory_of(&row.body));
        let entries = entries.flatten().unwrap_or_default().into_iter();
        let mut entries: BTreeMap<Arc<str>, RequestMemoryEntry> =
            entries.map(|entry| (Arc::clone(&entry.key), entry)).collect();
        for key in shown.iter().filter_map(Value::as_str) {
            let item = self.memory.entry(key.to_owned()).or_default();
            item.records += 1;
            if item.entry.is_none() {
                item.entry = entries.remove(key);
            }
        }
    }
}

impl CarriedItem {
    fn new(name: String, records: u64, tokens: Option<u64>, used: UseCount) -> Self {
        let UseCount { uses, turns_since } = used;
        Self { name, records, tokens, uses, turns_since_use: turns_since }
    }
}
