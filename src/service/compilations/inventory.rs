//! What the requests of a session carry, and what of it was used: tools, skills, memory entries.
//!
//! The newest record in full has the whole conversation, so it tells which tools were called. Skills and
//! memory entries are told by the reports of all records.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::slice;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value as ReportValue;
use utoipa::ToSchema;

use super::StoredRecord;
use crate::domain::{
    Compilation, Conversation, Model, Notes, RecordLevel, Role, Source, Target, is_gateway_session,
};
use crate::json::{self, Faults, Limits, Node, Text, Value};
use crate::pipeline::{self, Deadline};
use crate::provider;
use crate::request::{self, CompileRequest};
use crate::service::{Error, Services, adapters, sessions};

/// What the newest requests of a session carried, and what of it was used.
#[derive(Debug, Serialize, ToSchema)]
pub struct Inventory {
    /// Records that were looked at.
    pub records: usize,
    /// The record that tells about tools; null if no record of these is in full, and `tools` is empty then.
    pub compilation_id: Option<String>,
    /// Tools of its request, in their order.
    pub tools: Vec<CarriedTool>,
    /// Skills whose instructions were sent.
    pub skills: Vec<CarriedItem>,
    /// Memory entries that were shown.
    pub memory: Vec<CarriedItem>,
}

/// A tool that the newest request carries.
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

/// A skill or a memory entry.
#[derive(Debug, Serialize, ToSchema)]
pub struct CarriedItem {
    /// The skill's name, or the entry's key.
    pub name: String,
    /// Records that have it.
    pub records: u64,
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
    let (mut tools, mut compilation_id) = (Vec::new(), None);
    if let Some(row) = newest {
        let record = super::find(services, &row.id)?;
        if let Some(request) = request_of(services, &record) {
            tools = count_tools(services, &request, turns, services.deadline())?;
            compilation_id = Some(row.id.to_string());
        }
    }
    let mut skills = BTreeMap::new();
    let mut memory = BTreeMap::new();
    for row in &rows {
        count_items(row, &mut skills, &mut memory);
    }
    let items = |counts: BTreeMap<String, u64>| {
        counts.into_iter().map(|(name, records)| CarriedItem { name, records }).collect()
    };
    Ok(Inventory {
        records: rows.len(),
        compilation_id,
        tools,
        skills: items(skills),
        memory: items(memory),
    })
}

/// The conversation that a request carries, and the model that reads it.
struct CarriedRequest {
    conversation: Conversation,
    model: Model,
}

/// Reads the request of a record; none if it is no longer kept or cannot be read today.
fn request_of(services: &Services, record: &StoredRecord) -> Option<CarriedRequest> {
    let node = json::parse(record.request.as_deref()?, Limits::default()).ok()?;
    if record.is_of_gateway {
        return request_of_gateway(services, node, &record.compilation);
    }
    let known = adapters::look_up(services, node.get("compression")).ok()?;
    let check_url = |url: &str| services.check_hook_url(url);
    let request = request::read_compile(&node, services.models(), &known, &check_url).ok()?;
    let CompileRequest { conversation, model, .. } = request;
    Some(CarriedRequest { conversation, model })
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
    faults.is_empty().then_some(CarriedRequest { conversation, model })
}

fn count_tools(
    services: &Services,
    request: &CarriedRequest,
    turns: usize,
    deadline: &Deadline,
) -> Result<Vec<CarriedTool>, Error> {
    let mut calls: BTreeMap<Arc<str>, Vec<u64>> = BTreeMap::new();
    let mut age = 0_u64;
    for message in request.conversation.history.iter().rev() {
        for call in message.tool_calls() {
            calls.entry(Arc::clone(&call.name)).or_default().push(age);
        }
        age += u64::from(message.role == Role::Assistant);
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

/// Adds the skill and the memory entries of a record to the counts.
fn count_items(
    row: &Compilation,
    skills: &mut BTreeMap<String, u64>,
    memory: &mut BTreeMap<String, u64>,
) {
    let body: ReportValue = serde_json::from_str(row.body.as_str()).unwrap_or_default();
    let add = |counts: &mut BTreeMap<String, u64>, value: &ReportValue| {
        if let Some(name) = value.as_str() {
            *counts.entry(name.to_owned()).or_default() += 1;
        }
    };
    if let Some(skill) = body.pointer("/report/skill") {
        add(skills, skill);
    }
    let shown = body.pointer("/report/memory/injected").and_then(ReportValue::as_array);
    for key in shown.into_iter().flatten() {
        add(memory, key);
    }
}
