//! JSON Schema, draft 2020-12: whether a value is what a schema asks for.
//!
//! A schema refers to nothing outside of itself. What one check may cost is bounded, whatever the
//! schema says of itself. `format`, as in the draft, is an annotation and not checked; a pattern
//! that cannot be matched in time linear in the text is not asked for either.

mod array;
mod choices;
mod form;
mod keywords;
mod object;
mod run;
#[cfg(test)]
mod tests;
mod value;

use serde_json::Value;

pub use keywords::{InnerSchemas, inner_schemas, schemas_in};

use choices::Choices;
use run::SchemaCheck;

use super::Path;
use crate::limit::{Deadline, StopReason};

/// A place that is not what it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// JSON Pointer into the value; empty for the whole of it.
    pub pointer: String,
    pub detail: String,
}

/// Why a value was not checked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SchemaError {
    /// The schema cannot be used, or asks for more than one check may do.
    #[error("{0}")]
    Unusable(String),
    #[error(transparent)]
    Stopped(#[from] StopReason),
}

impl From<String> for SchemaError {
    fn from(why: String) -> Self {
        Self::Unusable(why)
    }
}

/// A schema against which any number of values is checked. What does not depend on the value is
/// done once.
#[derive(Debug)]
pub struct JsonSchema {
    root: Value,
    /// Fault of the schema itself.
    form: Result<(), String>,
    choices: Choices,
}

impl JsonSchema {
    pub fn new(root: Value) -> Self {
        Self { form: form::check(&root), root, choices: Choices::default() }
    }

    /// Every place at which a value is not what the schema asks for; an error if the schema cannot
    /// be used.
    pub fn misfits(&self, value: &Value, deadline: &Deadline) -> Result<Vec<Misfit>, SchemaError> {
        self.form.clone()?;
        let mut run = SchemaCheck::new(&self.root, &self.choices, deadline);
        let mut found = Vec::new();
        run.check(&self.root, value, &Path::Root, Some(&mut found))?;
        Ok(found)
    }
}
