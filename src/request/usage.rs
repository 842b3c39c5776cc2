//! A provider's own count: its `usage` object, unchanged.

use std::sync::Arc;

use crate::json::{Fault, Faults, Fields, Node, Path};

/// Names for the tokens of a request that include the cached ones.
const TOTAL_KEYS: &[&str] = &[
    "prompt_tokens",
    "promptTokenCount",
    "prompt_token_count",
    "promptTokens",
    "input_tokens",
    "inputTokens",
];
/// Tokens that Anthropic counts separately from `input_tokens`.
const CACHE_KEYS: &[&str] = &["cache_creation_input_tokens", "cache_read_input_tokens"];

/// The body of `POST /sessions/{id}/usage`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageRequest {
    /// Tokens of a request; `None` if the provider has counted none.
    pub tokens: Option<u64>,
    /// The model; the last one compiled for if it is absent.
    pub model: Option<Arc<str>>,
}

/// Reads it.
pub fn read_usage_request(body: &Node<'_>) -> Result<UsageRequest, Vec<Fault>> {
    let mut faults = Faults::default();
    let Some(fields) = Fields::read(body, Path::Root, &["usage", "model"], &mut faults) else {
        return Err(faults.into_vec());
    };
    if fields.get("usage").is_none() {
        fields.fault("usage", "is missing", &mut faults);
    }
    let model = fields.text_without_nul("model", &mut faults).map(Into::into);
    let request = UsageRequest { tokens: read_usage(&fields, &mut faults), model };
    if faults.is_empty() { Ok(request) } else { Err(faults.into_vec()) }
}

/// Reads the tokens of the request from a usage object; `None` if it has none, or zero.
pub(super) fn read_usage(fields: &Fields<'_, '_>, faults: &mut Faults) -> Option<u64> {
    let node = fields.get("usage")?;
    if node.as_object().is_none() {
        let detail = format!("must be a provider's usage object, not {}", node.kind());
        fields.fault("usage", detail, faults);
        return None;
    }
    let Some(whole) =
        TOTAL_KEYS.iter().find_map(|name| node.get(name).filter(|node| !node.is_null()))
    else {
        let detail = format!("names no tokens of a request: one of {}", TOTAL_KEYS.join(", "));
        fields.fault("usage", detail, faults);
        return None;
    };
    let apart = CACHE_KEYS.iter().filter_map(|name| node.get(name)).filter(|node| !node.is_null());
    let mut tokens: u64 = 0;
    for count in std::iter::once(whole).chain(apart) {
        match count_of(count) {
            Some(count) => tokens = tokens.saturating_add(count),
            None => fields.fault("usage", "its tokens must be whole numbers", faults),
        }
    }
    (tokens > 0).then_some(tokens)
}

fn count_of(node: &Node<'_>) -> Option<u64> {
    /// More than any window.
    const MAX_TOKENS: u64 = 1 << 40;
    node.as_u64().filter(|count| *count <= MAX_TOKENS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Limits, parse};

    fn read(usage: &str) -> (Option<u64>, usize) {
        let text = format!("{{\"usage\":{usage}}}");
        let node = parse(&text, Limits::default()).unwrap();
        let mut faults = Faults::default();
        let fields = Fields::read(&node, Path::Root, &["usage"], &mut faults).unwrap();
        (read_usage(&fields, &mut faults), faults.into_vec().len())
    }

    /// The objects as the providers' references show them.
    #[test]
    fn every_provider_s_object_is_understood() {
        for (usage, tokens) in [
            (
                r#"{"prompt_tokens":19,"completion_tokens":10,"total_tokens":29,
                 "prompt_tokens_details":{"cached_tokens":8}}"#,
                19,
            ),
            (
                r#"{"input_tokens":36,"input_tokens_details":{"cached_tokens":20},
                 "output_tokens":87,"total_tokens":123}"#,
                36,
            ),
            (
                r#"{"input_tokens":50,"cache_creation_input_tokens":248,
                 "cache_read_input_tokens":1800,"output_tokens":503}"#,
                2098,
            ),
            (
                r#"{"input_tokens":50,"cache_creation_input_tokens":null,
                 "cache_read_input_tokens":null,"output_tokens":503}"#,
                50,
            ),
            (
                r#"{"promptTokenCount":11,"candidatesTokenCount":73,"totalTokenCount":84,
                 "cachedContentTokenCount":4}"#,
                11,
            ),
            (r#"{"prompt_token_count":11,"candidates_token_count":73}"#, 11),
            (r#"{"inputTokens":21,"outputTokens":3,"cachedInputTokens":2}"#, 21),
        ] {
            assert_eq!(read(usage), (Some(tokens), 0), "{usage}");
        }
    }

    #[test]
    fn what_tells_nothing_is_a_fault_and_zero_is_nothing() {
        assert_eq!(read("7"), (None, 1));
        assert_eq!(read("{}"), (None, 1));
        assert_eq!(read(r#"{"completion_tokens":3}"#), (None, 1));
        assert_eq!(read(r#"{"prompt_tokens":-3}"#), (None, 1));
        assert_eq!(read(r#"{"prompt_tokens":1.5}"#), (None, 1));
        assert_eq!(read(r#"{"prompt_tokens":0}"#), (None, 0));
    }
}
