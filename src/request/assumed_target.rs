//! The shape of a payload whose request names no `target`.

use crate::domain::{Family, Model, Notes};

/// Says which shape the payload has if the request names none and the model's maker has an API of
/// its own. A gateway, such as `LiteLLM`, takes `OpenAI`'s shape for every model, so that stays the
/// default.
pub(super) fn explain(model: &Model, notes: &mut Notes) {
    let target = match model.family {
        Family::Anthropic => "anthropic",
        Family::Gemini => "gemini",
        Family::Openai | Family::Other => return,
    };
    notes.warn(
        "target_assumed",
        "/target".to_owned(),
        format!(
            "the payload has the shape of OpenAI's Chat Completions; for the API of the model's \
             maker set `target` to `{target}`"
        ),
    );
}
