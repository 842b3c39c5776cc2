//! JSON Schema, draft 2020-12: whether a value is what a schema asks for.
//!
//! A schema refers to nothing outside of itself. What one check may cost is bounded, whatever the
//! schema says of itself. `format`, as in the draft, is an annotation and not checked; a pattern
//! that cannot be matched in time linear in the text is not asked for either.

mod array;
mod form;
mod object;
mod run;
#[cfg(test)]
mod tests;
mod value;

use serde_json::Value;

use run::SchemaCheck;

use super::Path;

/// A place that is not what it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// JSON Pointer into the value; empty for the whole of it.
    pub pointer: String,
    pub detail: String,
}

/// Every place at which a value is not what a schema asks for; an error if the schema cannot
/// be used.
pub fn misfits(schema: &Value, value: &Value) -> Result<Vec<Misfit>, String> {
    form::check(schema)?;
    let mut run = SchemaCheck::new(schema);
    let mut found = Vec::new();
    run.check(schema, value, &Path::Root, Some(&mut found))?;
    Ok(found)
}
