//! What the requests of a session carry, and what of it was used: tools, skills, memory entries.
//!
//! The newest record in full has the whole conversation, so it tells which tools were called. Skills and
//! memory entries are told by the reports of all records.

use std::collections::BTreeMap;
use std::slice;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::StoredRecord;
use crate::domain::{Compilation, RecordLevel, Role};
use crate::json::{self, Limits};
use crate::pipeline::{self, Deadline};
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
    sessions::find(services, session)?;
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

/// Reads the request of a record; none if it is no longer kept or cannot be read today.
fn request_of(services: &Services, record: &StoredRecord) -> Option<CompileRequest> {
    let node = json::parse(record.request.as_deref()?, Limits::default()).ok()?;
    let known = adapters::look_up(services, node.get("compression")).ok()?;
    let check_url = |url: &str| services.check_hook_url(url);
    request::read_compile(&node, services.models(), &known, &check_url).ok()
}

fn count_tools(
    services: &Services,
    request: &CompileRequest,
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
    let body: Value = serde_json::from_str(row.body.as_str()).unwrap_or_default();
    let add = |counts: &mut BTreeMap<String, u64>, value: &Value| {
        if let Some(name) = value.as_str() {
            *counts.entry(name.to_owned()).or_default() += 1;
        }
    };
    if let Some(skill) = body.pointer("/report/skill") {
        add(skills, skill);
    }
    let shown = body.pointer("/report/memory/injected").and_then(Value::as_array);
    for key in shown.into_iter().flatten() {
        add(memory, key);
    }
}
