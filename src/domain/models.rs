//! The table of models, by name.

use super::model_table::rows;
use super::{Family, Model, Target, TokenizerName};

/// All known models.
#[derive(Debug, Clone)]
pub struct Models {
    rows: Vec<Model>,
}

impl Models {
    /// Tokens of the window of a model that is not in the table.
    pub const DEFAULT_WINDOW_TOKENS: u64 = 128_000;

    /// The built-in table.
    pub fn built_in() -> Self {
        Self { rows: rows() }
    }

    /// A table without rows.
    pub fn empty() -> Self {
        Self { rows: Vec::new() }
    }

    /// Adds rows; a row with a known name replaces that row.
    pub fn extend(&mut self, rows: impl IntoIterator<Item = Model>) {
        for row in rows {
            match self.rows.iter_mut().find(|known| known.name == row.name) {
                Some(known) => *known = row,
                None => self.rows.push(row),
            }
        }
    }

    pub fn rows(&self) -> &[Model] {
        &self.rows
    }

    /// The row for a model's name: the row of that name, or the longest row name that it extends
    /// with `-`, `@` or `:` (dated and tuned variants such as `gpt-4o-2024-11-20`), with or without
    /// a vendor's path before it (`anthropic/claude-…`).
    pub fn find(&self, name: &str) -> Option<&Model> {
        let bare = name.rsplit('/').next().unwrap_or(name);
        self.rows
            .iter()
            .filter(|row| {
                bare.strip_prefix(&*row.name)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '@', ':']))
            })
            .max_by_key(|row| row.name.len())
    }

    /// The row for a name in a session's calibration: a model's, or a target's if requests name no
    /// model.
    pub fn calibrated(&self, name: &str) -> Model {
        match (self.find(name), Target::parse(name)) {
            (Some(row), _) => row.clone(),
            (None, Some(target)) => Self::for_target(target),
            (None, None) => Self::unknown(name),
        }
    }

    /// The row for a model that is not in the table.
    pub fn unknown(name: &str) -> Model {
        Self::generic(name, Family::Other)
    }

    /// The row for requests that name no model: the target's family decides the factor.
    pub fn for_target(target: Target) -> Model {
        let family = match target {
            Target::Openai | Target::OpenaiResponses | Target::Neutral => Family::Openai,
            Target::Anthropic => Family::Anthropic,
            Target::Gemini => Family::Gemini,
        };
        Self::generic("", family)
    }

    fn generic(name: &str, family: Family) -> Model {
        Model {
            name: name.into(),
            family,
            context_window: Self::DEFAULT_WINDOW_TOKENS,
            max_output: 8_192,
            tokenizer: TokenizerName::O200kBase,
            factor_milli: family.factor_milli(),
            prefill: family == Family::Anthropic,
            system_messages: false,
            tool_changes: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_find_their_row() {
        let models = Models::built_in();
        assert_eq!(&*models.find("gpt-4o-2024-11-20").unwrap().name, "gpt-4o");
        assert_eq!(&*models.find("openai/gpt-4o").unwrap().name, "gpt-4o");
        assert_eq!(&*models.find("gpt-4o-mini").unwrap().name, "gpt-4o-mini");
        assert!(models.find("gpt-4oX").is_none());
        assert!(models.find("llama-99").is_none());
    }

    #[test]
    fn scaling_back_never_passes_the_budget() {
        let model = Models::for_target(Target::Anthropic);
        for tokens in 0..5000 {
            let raw = model.unscale(tokens);
            assert!(model.scale(raw) <= tokens);
            assert!(model.scale(raw + 1) > tokens);
        }
    }
}
