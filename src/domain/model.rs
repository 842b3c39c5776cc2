//! The table of models: window, largest answer, tokenizer.

use std::sync::Arc;

use super::Target;

/// The tokenizers that tokens are counted with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TokenizerName {
    O200kBase,
    Cl100kBase,
    /// `ceil(bytes / 4)` a text and no framing: for tests that do sums by hand.
    Bytes4,
}

impl TokenizerName {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::O200kBase => "o200k_base",
            Self::Cl100kBase => "cl100k_base",
            Self::Bytes4 => "bytes4",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::O200kBase, Self::Cl100kBase, Self::Bytes4]
            .into_iter()
            .find(|name| name.as_str() == text)
    }
}

/// The maker of a model, which decides the factor on the counted tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    Openai,
    Anthropic,
    Gemini,
    Other,
}

impl Family {
    /// The factor for an `o200k_base` count, in thousandths: only `OpenAI` publishes its
    /// tokenizers, so other counts are estimates.
    pub fn factor_milli(self) -> u32 {
        match self {
            Self::Openai => 1000,
            Self::Anthropic => 1200,
            Self::Gemini => 1050,
            Self::Other => 1100,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Openai => "openai",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Other => "other",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::Openai, Self::Anthropic, Self::Gemini, Self::Other]
            .into_iter()
            .find(|family| family.as_str() == text)
    }
}

/// A row of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    pub name: Arc<str>,
    pub family: Family,
    /// Tokens of the model's window, output included.
    pub context_window: u64,
    /// Tokens of its largest answer.
    pub max_output: u64,
    pub tokenizer: TokenizerName,
    /// Thousandths by which a count is multiplied; 1000 is exact.
    pub factor_milli: u32,
    /// Whether the provider continues a last assistant message (prefill).
    pub prefill: bool,
}

impl Model {
    /// Whether counts for it are exact rather than estimated.
    pub fn is_exact(&self) -> bool {
        self.factor_milli == 1000
    }

    /// Tokens of this model for a raw count of its tokenizer, rounded up.
    pub fn scale(&self, raw: u64) -> u64 {
        raw.saturating_mul(u64::from(self.factor_milli)).div_ceil(1000)
    }

    /// The largest raw count that [`Self::scale`] keeps within `tokens`.
    pub fn unscale(&self, tokens: u64) -> u64 {
        tokens.saturating_mul(1000) / u64::from(self.factor_milli.max(1))
    }
}

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
        Self { rows: super::model_table::rows() }
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
