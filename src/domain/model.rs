//! A model: window, largest answer, tokenizer, prices, rules of its provider.

use std::sync::Arc;

use super::{CacheMarks, Day, Prices};

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
    /// The factor for an `o200k_base` count, in thousandths, of a row that has none of its own.
    /// Only `OpenAI` publishes its tokenizers, so other counts are estimates.
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

/// Which messages of the assistant have to have the model's reasoning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WantedReasoning {
    Never,
    /// Those that call tools.
    WithCalls,
    Always,
}

/// A row of the catalogue; see [`super::ModelRow`] for its JSON.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a rule of its own")]
pub struct Model {
    pub name: Arc<str>,
    pub family: Family,
    /// Tokens of the model's window, output included.
    pub context_window: u64,
    /// Tokens of the largest input, if the provider takes less than the window.
    pub max_input: Option<u64>,
    /// Tokens of its largest answer.
    pub max_output: u64,
    pub tokenizer: TokenizerName,
    /// Thousandths by which a count is multiplied; 1000 is exact.
    pub factor_milli: u32,
    /// What the provider charges; `None` if that is unknown.
    pub prices: Option<Prices>,
    /// `None` if the provider finds cached prefixes by itself.
    pub cache_marks: Option<CacheMarks>,
    /// Tokens of the shortest prefix that the provider caches.
    pub min_cached_tokens: Option<u64>,
    /// Content blocks before a mark in which the provider looks for a cached prefix; of breakpoints, the
    /// newest ones among which it does.
    pub cache_lookback_blocks: Option<u32>,
    /// Whether the provider continues a last assistant message (prefill).
    pub prefill: bool,
    /// Whether the provider takes system messages between the others.
    pub system_messages: bool,
    /// Whether it takes changes of tools in these messages.
    pub tool_changes: bool,
    /// Whether a signed thinking block is valid only while all content before it is unchanged.
    pub preserved_thinking: bool,
    /// Whether the provider keeps thinking of earlier turns in the context.
    pub keeps_thinking: bool,
    /// The day on which the provider ends the model.
    pub retired: Option<Day>,
    /// The dataset that the row is from, the day on which that was read, and the page that
    /// corrections are from.
    pub source: Option<Arc<str>>,
    pub checked: Option<Day>,
    pub page: Option<Arc<str>>,
}

impl Model {
    /// A model with the rules of its family alone: prices and rules of caches are unknown.
    pub fn new(name: &str, family: Family, window: u64, max_output: u64) -> Self {
        Self {
            name: name.into(),
            family,
            context_window: window,
            max_input: None,
            max_output,
            tokenizer: TokenizerName::O200kBase,
            factor_milli: family.factor_milli(),
            prices: None,
            cache_marks: None,
            min_cached_tokens: None,
            cache_lookback_blocks: None,
            prefill: false,
            system_messages: false,
            tool_changes: false,
            preserved_thinking: false,
            keeps_thinking: false,
            retired: None,
            source: None,
            checked: None,
            page: None,
        }
    }

    /// What a count is multiplied by.
    pub fn factor(&self) -> f64 {
        f64::from(self.factor_milli) / 1000.0
    }

    /// Whether counts for it are exact rather than estimated.
    pub fn is_exact(&self) -> bool {
        self.factor_milli == 1000
    }

    /// Whether the provider refuses calls without a thought signature: Gemini 3 and later
    /// (<https://ai.google.dev/gemini-api/docs/thought-signatures>).
    pub fn wants_signed_calls(&self) -> bool {
        self.gemini_version().is_some_and(|major| major >= 3)
    }

    /// Whether it is a named Gemini of an earlier major version.
    pub fn is_before_gemini(&self, version: u32) -> bool {
        self.gemini_version().is_some_and(|major| major < version)
    }

    fn gemini_version(&self) -> Option<u32> {
        let version = self.bare_name().strip_prefix("gemini-")?;
        version.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    }

    /// Whether it is one of Mistral's, whose API takes ids of calls with nine letters and digits alone,
    /// no members that it does not know, and no last message of the assistant without `prefix`
    /// (<https://github.com/mistralai/mistral-common>, `validator.py`).
    pub fn is_mistral(&self) -> bool {
        const NAMES: [&str; 7] =
            ["codestral", "devstral", "magistral", "ministral", "mistral", "mixtral", "pixtral"];
        let name = self.bare_name().to_ascii_lowercase();
        let name = name.strip_prefix("open-").unwrap_or(&name);
        NAMES.iter().any(|own| name.starts_with(own))
    }

    /// The messages of the assistant that the provider refuses without `reasoning_content`; on Anthropic's
    /// wire, those with calls are refused without thinking. `DeepSeek`'s V4
    /// (<https://api-docs.deepseek.com/guides/thinking_mode>), and models of Kimi that think
    /// (<https://platform.kimi.ai/docs/guide/use-kimi-k2-thinking-model>).
    pub fn wanted_reasoning(&self) -> WantedReasoning {
        let name = self.bare_name().to_ascii_lowercase();
        if name.starts_with("deepseek-v4") {
            return WantedReasoning::Always;
        }
        let Some(version) = name.strip_prefix("kimi-k") else { return WantedReasoning::Never };
        let mut numbers = version.split(|letter: char| !letter.is_ascii_digit());
        let mut number = || numbers.next().and_then(|digits| digits.parse::<u32>().ok());
        let (major, minor) = (number().unwrap_or_default(), number().unwrap_or_default());
        // The dates in names of K2 are no minor version: `kimi-k2-0905`.
        let is_later_k2 = major == 2 && version.starts_with("2.") && minor >= 5;
        let thinks = major > 2 || is_later_k2 || version.starts_with("2-thinking");
        if thinks { WantedReasoning::WithCalls } else { WantedReasoning::Never }
    }

    /// Whether the Responses API refuses items of reasoning for the model: it takes them for models that
    /// reason or use a computer (<https://github.com/openai/openai-agents-python/issues/569>).
    pub fn refuses_reasoning(&self) -> bool {
        const NAMES: [&str; 4] = ["chatgpt-4o", "gpt-3.5", "gpt-4", "gpt-5-chat"];
        let name = self.bare_name().to_ascii_lowercase();
        NAMES.iter().any(|own| name.starts_with(own))
    }

    /// Whether it is a named model that `OpenAI`'s own API runs: none whose weights others run.
    pub fn is_openai_own(&self) -> bool {
        self.family == Family::Openai && !self.name.is_empty() && !self.name.starts_with("gpt-oss")
    }

    /// Whether its provider's API in Anthropic's language reads thinking without a signature and no
    /// `redacted_thinking`, and wants thinking back with the calls that it led to: `DeepSeek`'s
    /// (<https://api-docs.deepseek.com/guides/anthropic_api>), and those of Kimi and `MiniMax`
    /// (<https://platform.minimax.io/docs/guides/text-m2-function-call>).
    pub fn reads_unsigned_thinking(&self) -> bool {
        let name = self.bare_name().to_ascii_lowercase();
        ["deepseek", "kimi", "minimax"].iter().any(|own| name.starts_with(own))
    }

    /// The name without the provider that gateways put before it.
    fn bare_name(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or_default()
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
