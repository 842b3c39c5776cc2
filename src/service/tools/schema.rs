//! Checks the arguments of a call against the schema of its tool.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use serde_json::Value;

use crate::domain::{RawJson, ToolDefinition};
use crate::json::{self, Fault, JsonSchema, Limits, SchemaError, beginning, cut};
use crate::limit::{Deadline, StopReason};
use crate::provider::{as_current_schema, as_json_schema};

/// Faults that a refusal lists.
const MAX_LISTED_FAULTS: usize = 8;
/// Bytes of the faults in a refusal.
const MAX_MISFITS_BYTES: usize = 4 << 10;

/// Result of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SchemaVerdict {
    Valid,
    /// The faults, in words for the model.
    Invalid(String),
}

/// Why arguments were not checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CheckFailure {
    /// The schema of the tool cannot be used.
    Schema(Fault),
    Stopped(StopReason),
}

/// Parsed schemas of a request's tools. Each is parsed once, however many calls are checked.
#[derive(Debug, Default)]
pub(crate) struct Schemas {
    /// By the JSON Pointer of the tool in the request.
    parsed: RefCell<BTreeMap<Arc<str>, Option<Rc<JsonSchema>>>>,
}

impl Schemas {
    /// Checks arguments against the schema of a tool of the request.
    pub(super) fn check(
        &self,
        tool: &ToolDefinition,
        arguments: &RawJson,
        deadline: &Deadline,
    ) -> Result<SchemaVerdict, CheckFailure> {
        let known = self.parsed.borrow().get(&tool.origin).cloned();
        let schema = known.unwrap_or_else(|| {
            let schema = schema_of(tool).map(Rc::new);
            self.parsed.borrow_mut().insert(Arc::clone(&tool.origin), schema.clone());
            schema
        });
        check_against(tool, schema.as_deref(), arguments, deadline)
    }
}

/// Checks arguments against the schema of a tool. Returns a fault if the schema cannot be used.
pub(super) fn check(
    tool: &ToolDefinition,
    arguments: &RawJson,
    deadline: &Deadline,
) -> Result<SchemaVerdict, CheckFailure> {
    check_against(tool, schema_of(tool).as_ref(), arguments, deadline)
}

fn check_against(
    tool: &ToolDefinition,
    schema: Option<&JsonSchema>,
    arguments: &RawJson,
    deadline: &Deadline,
) -> Result<SchemaVerdict, CheckFailure> {
    let name = beginning(&tool.name);
    let arguments = serde_json::from_str::<Value>(arguments.as_str()).ok();
    // Arguments that were not JSON are a string here.
    let Some(arguments) = arguments.filter(Value::is_object) else {
        let reason = format!("The arguments of {name} must be a JSON object. Nothing was done.");
        return Ok(SchemaVerdict::Invalid(reason));
    };
    let Some(schema) = schema else { return Ok(SchemaVerdict::Valid) };
    let found = schema.misfits(&arguments, deadline).map_err(|error| match error {
        SchemaError::Unusable(detail) => CheckFailure::Schema(Fault {
            pointer: tool.origin.to_string(),
            detail: format!("its schema cannot be used: {detail}"),
            did_you_mean: None,
        }),
        SchemaError::Stopped(stop) => CheckFailure::Stopped(stop),
    })?;
    if found.is_empty() {
        return Ok(SchemaVerdict::Valid);
    }
    let details = found.iter().take(MAX_LISTED_FAULTS).map(|misfit| {
        let place = if misfit.pointer.is_empty() { "all of it" } else { &misfit.pointer };
        format!("{place} {}", misfit.detail)
    });
    let details: Vec<String> = details.collect();
    let details = details.join("; ");
    let shown = cut(&details, MAX_MISFITS_BYTES);
    let is_all = shown.len() == details.len() && found.len() <= MAX_LISTED_FAULTS;
    let more = if is_all { "" } else { "; and more" };
    Ok(SchemaVerdict::Invalid(format!(
        "The arguments of {name} are not what it takes: {shown}{more}. Nothing was done."
    )))
}

/// The schema of a tool as JSON Schema of the present draft, as payloads have it. Gemini's own keywords
/// are converted.
fn schema_of(tool: &ToolDefinition) -> Option<JsonSchema> {
    let schema = tool.parameters.as_ref()?;
    let plain = as_json_schema(schema.as_str());
    let plain = plain.as_deref().unwrap_or(schema.as_str());
    let node = json::parse(plain, Limits::default()).ok()?;
    let current = as_current_schema(&node).map(|current| current.text);
    serde_json::from_str(current.as_deref().unwrap_or(plain)).map(JsonSchema::new).ok()
}
