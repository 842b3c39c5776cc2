//! A row of the catalogue of models as JSON: in `models/models.json`, in a models file of the
//! operator, and in `GET /models`.

use serde::{Deserialize, Serialize};

use super::{CacheMarks, Day, Family, Model, Prices, PricesRow, TokenizerName};

/// One row of the catalogue.
#[derive(Debug, Clone, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a rule of its own")]
pub struct ModelRow {
    /// What `model` in a request names; dated variants (`name-2025-01-01`) find it too.
    #[schema(example = "gpt-4o")]
    pub name: String,
    /// `openai`, `anthropic`, `gemini` or `other`.
    #[serde(default = "other")]
    #[schema(example = "openai")]
    pub family: String,
    /// Tokens of the window, the answer included.
    #[schema(example = 128_000)]
    pub context_window: u64,
    /// Tokens of the largest input, if the provider takes less than the window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_input: Option<u64>,
    /// Tokens of the largest answer.
    #[schema(example = 16_384)]
    pub max_output: u64,
    /// `o200k_base`, `cl100k_base` or `bytes4`.
    #[serde(default = "o200k")]
    #[schema(example = "o200k_base")]
    pub tokenizer: String,
    /// What a count is multiplied by; 1 if the tokenizer is the model's own. The family's when
    /// absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = 1.0)]
    pub factor: Option<f64>,
    /// What the provider charges; absent if it is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prices: Option<PricesRow>,
    /// How a payload marks the ends of cached prefixes: `blocks` (`cache_control`), `breakpoints`
    /// (`prompt_cache_breakpoint`); absent if the provider finds them by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "blocks")]
    pub cache_marks: Option<String>,
    /// Tokens of the shortest prefix that the provider caches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = 1_024)]
    pub min_cached_tokens: Option<u64>,
    /// Content blocks before a mark in which the provider looks for a cached prefix; with
    /// `breakpoints`, the newest marks among which it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = 20)]
    pub cache_lookback_blocks: Option<u32>,
    /// Whether the model goes on from a last assistant message.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub prefill: bool,
    /// Whether an Anthropic model takes system messages between the others.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub system_messages: bool,
    /// Whether it takes changes of tools in these messages.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tool_changes: bool,
    /// Whether a signed thinking block is valid only while all content before it is unchanged.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub preserved_thinking: bool,
    /// Whether the provider keeps thinking of earlier turns in the context.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keeps_thinking: bool,
    /// The day on which the provider ends the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "2026-10-23")]
    pub retired: Option<String>,
    /// The dataset that the row is from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The day on which that was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "2026-11-27")]
    pub checked: Option<String>,
    /// The page of the provider that corrections are from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
}

impl From<&Model> for ModelRow {
    fn from(model: &Model) -> Self {
        let text = |text: &Option<std::sync::Arc<str>>| text.as_deref().map(str::to_owned);
        Self {
            name: (*model.name).to_owned(),
            family: model.family.as_str().to_owned(),
            context_window: model.context_window,
            max_input: model.max_input,
            max_output: model.max_output,
            tokenizer: model.tokenizer.as_str().to_owned(),
            factor: Some(model.factor()),
            prices: model.prices.as_ref().map(PricesRow::from),
            cache_marks: model.cache_marks.map(|marks| marks.as_str().to_owned()),
            min_cached_tokens: model.min_cached_tokens,
            cache_lookback_blocks: model.cache_lookback_blocks,
            prefill: model.prefill,
            system_messages: model.system_messages,
            tool_changes: model.tool_changes,
            preserved_thinking: model.preserved_thinking,
            keeps_thinking: model.keeps_thinking,
            retired: model.retired.map(|day| day.to_string()),
            source: text(&model.source),
            checked: model.checked.map(|day| day.to_string()),
            page: text(&model.page),
        }
    }
}

impl TryFrom<ModelRow> for Model {
    /// What is wrong with the row.
    type Error = String;

    fn try_from(row: ModelRow) -> Result<Self, String> {
        if row.context_window == 0 {
            return Err("`context_window` is zero".to_owned());
        }
        if row.max_input.is_some_and(|input| input == 0 || input > row.context_window) {
            return Err("`max_input` is not between 1 and `context_window`".to_owned());
        }
        let family = Family::parse(&row.family).ok_or_else(|| {
            format!("`{}` is no family: openai, anthropic, gemini, other", row.family)
        })?;
        let tokenizer = TokenizerName::parse(&row.tokenizer).ok_or_else(|| {
            format!("`{}` is no tokenizer: o200k_base, cl100k_base, bytes4", row.tokenizer)
        })?;
        let marks = |word: String| {
            CacheMarks::parse(&word)
                .ok_or_else(|| format!("`{word}` is no kind of marks: blocks, breakpoints"))
        };
        Ok(Self {
            name: row.name.into(),
            family,
            context_window: row.context_window,
            max_input: row.max_input,
            max_output: row.max_output,
            tokenizer,
            factor_milli: row.factor.map_or(Ok(family.factor_milli()), thousandths)?,
            prices: row.prices.map(Prices::try_from).transpose()?,
            cache_marks: row.cache_marks.map(marks).transpose()?,
            min_cached_tokens: row.min_cached_tokens,
            cache_lookback_blocks: row.cache_lookback_blocks,
            prefill: row.prefill,
            system_messages: row.system_messages,
            tool_changes: row.tool_changes,
            preserved_thinking: row.preserved_thinking,
            keeps_thinking: row.keeps_thinking,
            retired: row.retired.map(|text| day("retired", &text)).transpose()?,
            source: row.source.map(Into::into),
            checked: row.checked.map(|text| day("checked", &text)).transpose()?,
            page: row.page.map(Into::into),
        })
    }
}

/// A factor in thousandths; rounded up, so that an estimate is never below what was asked for.
fn thousandths(factor: f64) -> Result<u32, String> {
    if !(0.1..=100.0).contains(&factor) {
        return Err("`factor` is not between 0.1 and 100".to_owned());
    }
    let milli = (factor * 1000.0 - 1e-6).ceil();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 100 and 100,000 by the check above"
    )]
    Ok(milli as u32)
}

fn day(key: &str, text: &str) -> Result<Day, String> {
    Day::parse(text).ok_or_else(|| format!("`{key}` is no day such as 2026-12-31: `{text}`"))
}

fn other() -> String {
    Family::Other.as_str().to_owned()
}

fn o200k() -> String {
    TokenizerName::O200kBase.as_str().to_owned()
}
