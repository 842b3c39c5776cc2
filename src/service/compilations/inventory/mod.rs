//! What the requests of a session carry, and what of it was used: tools, skills, memory entries.
//!
//! The newest record in full has the whole conversation, so it shows what was called and used. Which
//! skills and memory entries were sent is in the reports of all records.

mod items;
mod uses;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::slice;
use std::sync::Arc;

use serde::Serialize;
use utoipa::ToSchema;

use self::items::CarriedItems;
use self::uses::AgedMessage;
use super::StoredRecord;
use crate::domain::{
    Compilation, Conversation, Model, Notes, RecordLevel, Source, Target, is_gateway_session,
};
use crate::json::{self, Faults, Limits, Node, Text, Value};
use crate::pipeline::{self, Deadline};
use crate::provider;
use crate::request::{self, CompileRequest, RequestMemoryEntry};
use crate::service::{Error, Services, adapters, record, sessions};

/// What the newest requests of a session carried, and what of it was used.
#[derive(Debug, Serialize, ToSchema)]
pub struct Inventory {
    /// Records that were looked at.
    pub records: usize,
    /// The record whose conversation shows what was used; null if none of these records is in full. `tools` is
    /// empty then, and uses are null.
    pub compilation_id: Option<String>,
    /// Tools of its request, in their order.
    pub tools: Vec<CarriedTool>,
    /// Skills whose instructions were sent, by name. A message of the model uses a skill if it calls a tool of the
    /// skill's `allowed_tools`; of a skill without them, or that is no longer there, uses are null.
    pub skills: Vec<CarriedItem>,
    /// Memory entries that were shown, by key. A message of the model uses an entry if it calls a memory tool with
    /// the entry's key (or the path of its file), or repeats the entry's value word for word in its text or in the
    /// arguments of a call. A value of fewer than 8 characters is not looked for: without a call, uses of its entry
    /// are null.
    pub memory: Vec<CarriedItem>,
}

/// A tool that the request of the newest record in full carries.
#[derive(Debug, Serialize, ToSchema)]
pub struct CarriedTool {
    #[schema(example = "read_file")]
    pub name: String,
    /// Tokens of its definition.
    pub tokens: u64,
    /// Calls within the newest turns.
    pub calls: u64,
    /// Turns since its last call, 0 for the newest one; null if the conversation has no call of it.
    pub turns_since_call: Option<u64>,
}

/// A skill or a memory entry that was sent.
#[derive(Debug, Serialize, ToSchema)]
pub struct CarriedItem {
    /// The skill's name, or the entry's key.
    #[schema(example = "style")]
    pub name: String,
    /// Records that have it.
    pub records: u64,
    /// Tokens of its text in the newest record that has it, which a request without it saves; null if no record
    /// has the text.
    pub tokens: Option<u64>,
    /// The model's messages within the newest turns that use it; null if that is not known.
    pub uses: Option<u64>,
    /// Turns since its last use, 0 for the newest one; null if there was none or it is not known.
    pub turns_since_use: Option<u64>,
}

/// Reads the inventory of a session over its newest `turns` records. Turns of the conversation are
/// counted by its assistant's messages.
pub fn read(services: &Services, session: &str, turns: usize) -> Result<Inventory, Error> {
    // The sessions of the gateway have records, and no state that could be found.
    if !is_gateway_session(session) {
        sessions::find(services, session)?;
    }
    let rows = super::list_of_session(services, session, None, turns)?.rows;
    let newest = rows.iter().find(|row| row.level == RecordLevel::Full);
    let request = match newest {
        Some(row) => request_of(services, &super::find(services, &row.id)?),
        None => None,
    };
    let tools = match &request {
        Some(request) => count_tools(services, request, turns, services.deadline())?,
        None => Vec::new(),
    };
    let CarriedItems { skills, memory } = items::read(services, &rows, request.as_ref(), turns)?;
    let compilation_id = newest.filter(|_| request.is_some()).map(|row| row.id.to_string());
    Ok(Inventory { records: rows.len(), compilation_id, tools, skills, memory })
}

/// The conversation that a request carries, and the model that reads it.
struct CarriedRequest {
    conversation: Conversation,
    /// Memory entries of the request itself, or those that the gateway put into it. An entry that changed may
    /// be there as it was and as it is.
    memory: Vec<RequestMemoryEntry>,
    /// The name of a skill that the request defines itself.
    own_skill: Option<Arc<str>>,
    model: Model,
}

/// Reads the request of a record; none if it is no longer kept or cannot be read today.
fn request_of(services: &Services, record: &StoredRecord) -> Option<CarriedRequest> {
    let node = json::parse(record.request.as_deref()?, Limits::default()).ok()?;
    if record.is_of_gateway {
        let memory = record.payload.as_deref().map(shown_memory).unwrap_or_default();
        let request = request_of_gateway(services, node, &record.compilation)?;
        return Some(CarriedRequest { memory, ..request });
    }
    let known = adapters::look_up(services, node.get("compression")).ok()?;
    let check_url = |url: &str| services.check_hook_url(url);
    let mut request = request::read_compile(&node, services.models(), &known, &check_url).ok()?;
    if let Some(session) = record::session_of(&record.compilation.body) {
        session.put_into(&mut request);
    }
    // As the payload was counted: by the factor that the session had learnt.
    let model = request.measured();
    let CompileRequest { conversation, memory, skill, .. } = request;
    let own_skill = skill.filter(|skill| skill.wanted.is_none()).map(|skill| skill.name);
    let memory = memory.map(|memory| memory.entries).unwrap_or_default();
    Some(CarriedRequest { conversation, memory, own_skill, model })
}

/// Reads a request as it came to the gateway: the provider's own, which has members that no compile takes.
fn request_of_gateway(
    services: &Services,
    mut node: Node<'_>,
    row: &Compilation,
) -> Option<CarriedRequest> {
    let target = Target::parse(&row.target)?;
    // A malformed call was the provider's to judge.
    if let Value::Object(members) = &mut node.value {
        let lenient = Value::String(Text::Borrowed("lenient"));
        members.push((Cow::Borrowed("repair"), Node { raw: "\"lenient\"", value: lenient }));
    }
    let (mut faults, mut notes) = (Faults::default(), Notes::default());
    let conversation = provider::read(&node, Source::from(target), &mut faults, &mut notes);
    let name = Some(&*row.model).filter(|name| !name.is_empty());
    let model = request::resolve_model(name, target, services.models(), &mut notes);
    let carried = CarriedRequest { conversation, memory: Vec::new(), own_skill: None, model };
    faults.is_empty().then_some(carried)
}

/// The memory entries in the texts of a payload.
fn shown_memory(payload: &str) -> Vec<RequestMemoryEntry> {
    let Ok(node) = json::parse(payload, Limits::default()) else { return Vec::new() };
    let (mut nodes, mut entries) = (vec![&node], Vec::new());
    while let Some(node) = nodes.pop() {
        match &node.value {
            Value::String(_) => {
                entries.extend(node.as_str().map(pipeline::shown_entries).unwrap_or_default());
            }
            // The last one is taken first.
            Value::Array(items) => nodes.extend(items.iter().rev()),
            Value::Object(members) => nodes.extend(members.iter().rev().map(|(_, node)| node)),
            _ => {}
        }
    }
    entries
}

fn count_tools(
    services: &Services,
    request: &CarriedRequest,
    turns: usize,
    deadline: &Deadline,
) -> Result<Vec<CarriedTool>, Error> {
    let mut calls: BTreeMap<Arc<str>, Vec<u64>> = BTreeMap::new();
    for AgedMessage { message, age } in uses::by_age(&request.conversation) {
        for call in message.tool_calls() {
            calls.entry(Arc::clone(&call.name)).or_default().push(age);
        }
    }
    let counter = &services.pipeline().counter;
    let newest = u64::try_from(turns).unwrap_or(u64::MAX);
    let count = |tool| {
        let tokens =
            pipeline::count_tools(counter, &request.model, slice::from_ref(tool), deadline)?;
        let ages = calls.get(&tool.name).map_or(&[][..], Vec::as_slice);
        Ok(CarriedTool {
            name: tool.name.to_string(),
            tokens,
            calls: ages.iter().filter(|age| **age < newest).count() as u64,
            turns_since_call: ages.first().copied(),
        })
    };
    request.conversation.tools.iter().map(count).collect()
}
