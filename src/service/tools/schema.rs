//! Whether the arguments of a call are what its tool's schema asks for.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use serde_json::Value;

use crate::domain::{RawJson, ToolDefinition};
use crate::json::{Fault, beginning, cut, misfits};
use crate::provider::as_json_schema;

/// Faults that a model is told of at once.
const MOST_TOLD: usize = 8;
/// Bytes of all that it is told.
const MAX_REASON_BYTES: usize = 4 << 10;

/// What became of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SchemaVerdict {
    Valid,
    /// What a model can mend, in words.
    Invalid(String),
}

/// The schemas of a request's tools, each read once however many calls are held to it.
#[derive(Debug, Default)]
pub(crate) struct Schemas {
    /// By the place of the tool in the request.
    read: RefCell<BTreeMap<Arc<str>, Option<Rc<Value>>>>,
}

impl Schemas {
    /// [`check`] of a tool of the request.
    pub(super) fn check(
        &self,
        tool: &ToolDefinition,
        arguments: &RawJson,
    ) -> Result<SchemaVerdict, Fault> {
        let known = self.read.borrow().get(&tool.origin).cloned();
        let schema = known.unwrap_or_else(|| {
            let schema = schema_of(tool).map(Rc::new);
            self.read.borrow_mut().insert(Arc::clone(&tool.origin), schema.clone());
            schema
        });
        against(tool, schema.as_deref(), arguments)
    }
}

/// Holds arguments to the schema of a tool; a fault where the schema cannot be used.
pub(super) fn check(tool: &ToolDefinition, arguments: &RawJson) -> Result<SchemaVerdict, Fault> {
    against(tool, schema_of(tool).as_ref(), arguments)
}

fn against(
    tool: &ToolDefinition,
    schema: Option<&Value>,
    arguments: &RawJson,
) -> Result<SchemaVerdict, Fault> {
    let name = beginning(&tool.name);
    let arguments = serde_json::from_str::<Value>(arguments.as_str()).ok();
    // What was no JSON came as a string.
    let Some(arguments) = arguments.filter(Value::is_object) else {
        let reason = format!("The arguments of {name} must be a JSON object. Nothing was done.");
        return Ok(SchemaVerdict::Invalid(reason));
    };
    let Some(schema) = schema else { return Ok(SchemaVerdict::Valid) };
    let found = misfits(schema, &arguments).map_err(|detail| Fault {
        pointer: tool.origin.to_string(),
        detail: format!("its schema cannot be used: {detail}"),
        did_you_mean: None,
    })?;
    if found.is_empty() {
        return Ok(SchemaVerdict::Valid);
    }
    let told = found.iter().take(MOST_TOLD).map(|misfit| {
        let place = if misfit.pointer.is_empty() { "all of it" } else { &misfit.pointer };
        format!("{place} {}", misfit.detail)
    });
    let told: Vec<String> = told.collect();
    let told = told.join("; ");
    let shown = cut(&told, MAX_REASON_BYTES);
    let is_all = shown.len() == told.len() && found.len() <= MOST_TOLD;
    let more = if is_all { "" } else { "; and more" };
    Ok(SchemaVerdict::Invalid(format!(
        "The arguments of {name} are not what it takes: {shown}{more}. Nothing was done."
    )))
}

/// A schema as a model was shown it, Gemini's own words put into those of JSON Schema.
fn schema_of(tool: &ToolDefinition) -> Option<Value> {
    let schema = tool.parameters.as_ref()?;
    let plain = as_json_schema(schema.as_str());
    serde_json::from_str(plain.as_deref().unwrap_or(schema.as_str())).ok()
}
