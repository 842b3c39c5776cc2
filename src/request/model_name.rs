//! The model that a request names.

use crate::domain::{Model, Models, Notes, Target};

/// The model a request counts for; an unknown one is a warning, never an error.
pub fn resolve_model(
    name: Option<&str>,
    target: Target,
    models: &Models,
    notes: &mut Notes,
) -> Model {
    let Some(name) = name else { return Models::for_target(target) };
    if let Some(model) = models.find(name) {
        model.clone()
    } else {
        let model = Models::unknown(name);
        notes.warn(
            "unknown_model",
            "/model".to_owned(),
            format!(
                "not in the table: counted as {} × {} in a window of {} tokens",
                model.tokenizer.as_str(),
                model.factor(),
                model.context_window
            ),
        );
        model
    }
}
