//! Whether the arguments of a call are what its tool's schema asks for.

use serde_json::Value;

use crate::domain::{RawJson, ToolDefinition};
use crate::json::{Fault, misfits};
use crate::provider::as_json_schema;

/// Faults that a model is told of at once.
const MOST_TOLD: usize = 8;

/// What became of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verdict {
    Valid,
    /// What a model can mend, in words.
    Invalid(String),
}

/// Holds arguments to the schema of a tool; a fault where the schema cannot be used.
pub(super) fn check(tool: &ToolDefinition, arguments: &RawJson) -> Result<Verdict, Fault> {
    let name = &tool.name;
    let arguments = serde_json::from_str::<Value>(arguments.as_str()).ok();
    // What was no JSON came as a string.
    let Some(arguments) = arguments.filter(Value::is_object) else {
        let reason = format!("The arguments of {name} must be a JSON object. Nothing was done.");
        return Ok(Verdict::Invalid(reason));
    };
    let Some(schema) = tool.parameters.as_ref().and_then(read) else {
        return Ok(Verdict::Valid);
    };
    let found = misfits(&schema, &arguments).map_err(|detail| Fault {
        pointer: tool.origin.to_string(),
        detail: format!("its schema cannot be used: {detail}"),
        did_you_mean: None,
    })?;
    if found.is_empty() {
        return Ok(Verdict::Valid);
    }
    let told = found.iter().take(MOST_TOLD).map(|misfit| {
        let place = if misfit.pointer.is_empty() { "all of it" } else { &misfit.pointer };
        format!("{place} {}", misfit.detail)
    });
    let told: Vec<String> = told.collect();
    let more = if found.len() > MOST_TOLD { "; and more" } else { "" };
    Ok(Verdict::Invalid(format!(
        "The arguments of {name} are not what it takes: {}{more}. Nothing was done.",
        told.join("; ")
    )))
}

/// A schema as a model was shown it, Gemini's own words put into those of JSON Schema.
fn read(schema: &RawJson) -> Option<Value> {
    let plain = as_json_schema(schema.as_str());
    serde_json::from_str(plain.as_deref().unwrap_or(schema.as_str())).ok()
}
