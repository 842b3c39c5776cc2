//! Schemas of `/adapters`.

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::domain::StoredAdapter;
use crate::service::adapters::{AdapterTrial, ListedAdapter};

/// A format adapter as data: which texts it takes, which of their lines stay, and how the rest is
/// put next to them.
#[derive(Debug, ToSchema)]
#[schema(example = json!({
    "detect": {"min_lines": 3, "line_matches": {"1": ","},
               "min_share_of_lines": {"regex": ",", "share": 0.9}},
    "keep": [{"lines": "1"}],
    "shrink": "rest",
    "join": "{kept}\n[{summary}]"
}))]
pub struct AdapterDefinition {
    /// What requests and reports call it; in a list of a request it must be there.
    #[schema(example = "ledger")]
    pub name: Option<String>,
    /// Which texts it takes.
    pub detect: AdapterDetect,
    /// Lines that stay: `{"lines": "1"}`, `"2-5"` or `"-3"` for the last three, or `{"regex"}`.
    pub keep: Option<Vec<Value>>,
    /// `rest` for all lines that are not kept, or a list of `{"regex"}`: lines with a match.
    #[schema(value_type = Option<Value>, default = "rest")]
    pub shrink: Option<Value>,
    /// Holds `{kept}` and `{summary}` once each. The summary is of the lines that may go.
    #[schema(default = "{kept}\n{summary}")]
    pub join: Option<String>,
}

/// Which texts an adapter takes: those that meet every condition that is given.
#[derive(Debug, ToSchema)]
pub struct AdapterDetect {
    /// Stands somewhere in the text.
    pub regex: Option<String>,
    /// The least number of lines of the text.
    pub min_lines: Option<u64>,
    /// Patterns by the numbers of their lines.
    #[schema(value_type = Option<Object>, example = json!({"1": ","}))]
    pub line_matches: Option<Value>,
    /// The least share of lines with a match.
    pub min_share_of_lines: Option<ShareOfLines>,
}

/// So many of the lines match.
#[derive(Debug, ToSchema)]
#[schema(as = AdapterLineShare)]
pub struct ShareOfLines {
    /// The pattern that lines must match.
    pub regex: String,
    /// The share of the lines, from 0 to 1.
    #[schema(minimum = 0.0, maximum = 1.0)]
    pub share: f64,
}

/// An adapter. The members after `builtin` are there for your own alone.
#[derive(Debug, Serialize, ToSchema)]
pub struct Adapter {
    /// What requests and reports call it.
    #[schema(example = "ledger")]
    pub name: String,
    /// Whether it is part of the program.
    pub builtin: bool,
    /// As it was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<AdapterDefinition>)]
    pub definition: Option<Box<RawValue>>,
    /// From 1, one more with each other definition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "2026-12-31T23:59:59Z")]
    pub created_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "2026-12-31T23:59:59Z")]
    pub updated_at: Option<String>,
}

impl Adapter {
    pub(crate) fn built_in(name: String) -> Self {
        Self {
            name,
            builtin: true,
            definition: None,
            version: None,
            created_at: None,
            updated_at: None,
        }
    }

    /// `text`: the definition, which was read as JSON before.
    pub(crate) fn custom(stored: &StoredAdapter, text: String) -> Self {
        Self {
            name: stored.name.to_string(),
            builtin: false,
            definition: RawValue::from_string(text).ok(),
            version: Some(stored.version),
            created_at: Some(stored.created_at.to_string()),
            updated_at: Some(stored.updated_at.to_string()),
        }
    }
}

/// A row of the list: an adapter without its definition.
#[derive(Debug, Serialize, ToSchema)]
pub struct AdapterRow {
    /// What requests and reports call it.
    #[schema(example = "ledger")]
    pub name: String,
    /// Whether it is part of the program.
    pub builtin: bool,
    /// Of a built-in one: one of your own replaces it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaced: Option<bool>,
    /// From 1, one more with each other definition; absent for a built-in adapter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "2026-12-31T23:59:59Z")]
    pub created_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "2026-12-31T23:59:59Z")]
    pub updated_at: Option<String>,
}

impl From<ListedAdapter> for AdapterRow {
    fn from(listed: ListedAdapter) -> Self {
        match listed {
            ListedAdapter::BuiltIn { name, replaced } => Self {
                name,
                builtin: true,
                replaced: Some(replaced),
                version: None,
                created_at: None,
                updated_at: None,
            },
            ListedAdapter::Custom(stored) => Self {
                name: stored.name.to_string(),
                builtin: false,
                replaced: None,
                version: Some(stored.version),
                created_at: Some(stored.created_at.to_string()),
                updated_at: Some(stored.updated_at.to_string()),
            },
        }
    }
}

/// Some of the adapters.
#[derive(Debug, Serialize, ToSchema)]
pub struct AdapterList {
    pub items: Vec<AdapterRow>,
    /// Where the list goes on; null at its end.
    pub next_cursor: Option<String>,
}

/// A text to try an adapter on.
#[derive(Debug, ToSchema)]
#[schema(example = json!({"text": "id,item,note\n1,lamp,paid in cash\n2,chair,paid in cash\n"}))]
pub struct AdapterTestRequest {
    /// The text.
    pub text: String,
    /// Tried in the place of what is stored under the name.
    pub definition: Option<AdapterDefinition>,
}

/// What an adapter made of a text, by itself: `/compress` shortens what it leaves further.
#[derive(Debug, Serialize, ToSchema)]
pub struct AdapterTest {
    /// Whether the adapter takes the text, or a part of it.
    pub detects: bool,
    /// What it leaves; the text as it came where `changed` is false.
    pub text: String,
    /// Whether the adapter left something out.
    pub changed: bool,
    /// Counted with `o200k_base`.
    pub tokens_before: u64,
    /// Tokens of `text`, counted with `o200k_base`.
    pub tokens_after: u64,
    /// Whether its cuts broke the format, and were taken back.
    pub reverted: bool,
    /// Lines that a definition keeps of a text that it takes as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept_lines: Option<usize>,
}

impl From<AdapterTrial> for AdapterTest {
    fn from(tested: AdapterTrial) -> Self {
        let AdapterTrial {
            detects,
            text,
            changed,
            tokens_before,
            tokens_after,
            reverted,
            kept_lines,
        } = tested;
        Self { detects, text, changed, tokens_before, tokens_after, reverted, kept_lines }
    }
}
