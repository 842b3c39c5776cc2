//! A provider's own count: its `usage` object, unchanged.

use std::sync::Arc;

use super::diagnostics::{DIAGNOSTIC_KEYS, ProviderDiagnostics};
use crate::domain::ReportedTokens;
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
const SEPARATE_WRITE: &str = "cache_creation_input_tokens";
const SEPARATE_READ: &str = "cache_read_input_tokens";
/// Objects with parts of the tokens that a total includes.
const DETAIL_KEYS: &[&str] =
    &["prompt_tokens_details", "input_tokens_details", "inputTokenDetails"];
/// Names for what was read from the cache and is part of the total, in the object and its details.
const READ_KEYS: &[&str] =
    &["cachedContentTokenCount", "cached_content_token_count", "cachedInputTokens"];
const DETAIL_READ_KEYS: &[&str] = &["cached_tokens", "cacheReadTokens"];
/// The same for what was written to it.
const DETAIL_WRITE_KEYS: &[&str] = &["cache_write_tokens", "cacheWriteTokens"];
/// Names for the tokens of the reply, with its reasoning.
const OUTPUT_KEYS: &[&str] =
    &["completion_tokens", "completionTokens", "output_tokens", "outputTokens"];
/// Gemini's names for them, whose reasoning is separate.
const CANDIDATE_KEYS: &[&str] = &["candidatesTokenCount", "candidates_token_count"];
const THOUGHT_KEYS: &[&str] = &["thoughtsTokenCount", "thoughts_token_count"];

/// The body of `POST /sessions/{id}/usage`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageRequest {
    /// Tokens of a request and its reply; `None` if the provider has counted none.
    pub tokens: Option<ReportedTokens>,
    /// The model; the last one compiled for if it is absent.
    pub model: Option<Arc<str>>,
    pub diagnostics: ProviderDiagnostics,
}

/// Reads it.
pub fn read_usage_request(body: &Node<'_>) -> Result<UsageRequest, Vec<Fault>> {
    let mut faults = Faults::default();
    let known: Vec<&str> = ["usage", "model"].iter().chain(DIAGNOSTIC_KEYS).copied().collect();
    let Some(fields) = Fields::read(body, Path::Root, &known, &mut faults) else {
        return Err(faults.into_vec());
    };
    if fields.get("usage").is_none() {
        fields.fault("usage", "is missing", &mut faults);
    }
    let model = fields.text_without_nul("model", &mut faults).map(Into::into);
    let diagnostics = ProviderDiagnostics::read(&fields, &mut faults);
    let tokens = read_usage(&fields, &mut faults);
    let request = UsageRequest { tokens, model, diagnostics };
    if faults.is_empty() { Ok(request) } else { Err(faults.into_vec()) }
}

/// Reads the tokens from a usage object; `None` if the request has none, or zero.
///
/// The names are those of the references of OpenAI (Chat Completions, Responses), Anthropic
/// (Messages), Gemini (`usageMetadata`) and the Vercel AI SDK.
pub(super) fn read_usage(fields: &Fields<'_, '_>, faults: &mut Faults) -> Option<ReportedTokens> {
    let node = fields.get("usage")?;
    if node.as_object().is_none() {
        let detail = format!("must be a provider's usage object, not {}", node.kind());
        fields.fault("usage", detail, faults);
        return None;
    }
    let mut counts = CountReader { is_wrong: false };
    let Some(total) = counts.first(node, TOTAL_KEYS) else {
        if counts.is_wrong {
            fields.fault("usage", "its tokens must be whole numbers", faults);
        } else {
            let detail = format!("names no tokens of a request: one of {}", TOTAL_KEYS.join(", "));
            fields.fault("usage", detail, faults);
        }
        return None;
    };
    let tokens = counts.tokens(node, total);
    if counts.is_wrong {
        fields.fault("usage", "its tokens must be whole numbers", faults);
    }
    (tokens.input() > 0).then_some(tokens)
}

/// Reads a usage object by itself, as a provider sends it; none if it has no tokens, or is malformed.
pub fn read_reported_tokens(usage: &Node<'_>) -> Option<ReportedTokens> {
    let mut counts = CountReader { is_wrong: false };
    let total = counts.first(usage, TOTAL_KEYS)?;
    let tokens = counts.tokens(usage, total);
    (!counts.is_wrong && tokens.input() > 0).then_some(tokens)
}

/// Reads counts, and remembers whether one was no count.
struct CountReader {
    is_wrong: bool,
}

impl CountReader {
    fn tokens(&mut self, node: &Node<'_>, total: u64) -> ReportedTokens {
        let (separate_read, separate_write) =
            (self.first(node, &[SEPARATE_READ]), self.first(node, &[SEPARATE_WRITE]));
        let output = self.output(node);
        if separate_read.is_some() || separate_write.is_some() {
            let all = separate_write.unwrap_or_default();
            let lifetimes = node.get("cache_creation").filter(|own| own.as_object().is_some());
            let long = lifetimes.and_then(|own| self.first(own, &["ephemeral_1h_input_tokens"]));
            let long = long.unwrap_or_default().min(all);
            return ReportedTokens {
                uncached: total,
                read: separate_read.unwrap_or_default(),
                written: all - long,
                written_long: long,
                output,
            };
        }
        let details: Vec<&Node<'_>> =
            DETAIL_KEYS.iter().filter_map(|name| node.get(name)).collect();
        let mut of_details =
            |keys: &[&str]| details.iter().find_map(|details| self.first(details, keys));
        let detailed = (of_details(DETAIL_READ_KEYS), of_details(DETAIL_WRITE_KEYS));
        let read = self.first(node, READ_KEYS);
        let read = detailed.0.or(read).unwrap_or_default().min(total);
        let written = detailed.1.unwrap_or_default().min(total - read);
        ReportedTokens { uncached: total - read - written, read, written, written_long: 0, output }
    }

    fn output(&mut self, node: &Node<'_>) -> Option<u64> {
        if let Some(output) = self.first(node, OUTPUT_KEYS) {
            return Some(output);
        }
        let (shown, thought) = (self.first(node, CANDIDATE_KEYS), self.first(node, THOUGHT_KEYS));
        (shown.is_some() || thought.is_some())
            .then(|| shown.unwrap_or_default().saturating_add(thought.unwrap_or_default()))
    }

    /// The first of these counts that the object has and that is not null.
    fn first(&mut self, node: &Node<'_>, names: &[&str]) -> Option<u64> {
        let given = names.iter().find_map(|name| node.get(name).filter(|node| !node.is_null()))?;
        let count = count_of(given);
        self.is_wrong |= count.is_none();
        count
    }
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

    fn read(usage: &str) -> (Option<ReportedTokens>, usize) {
        let text = format!("{{\"usage\":{usage}}}");
        let node = parse(&text, Limits::default()).unwrap();
        let mut faults = Faults::default();
        let fields = Fields::read(&node, Path::Root, &["usage"], &mut faults).unwrap();
        (read_usage(&fields, &mut faults), faults.into_vec().len())
    }

    /// The objects as the providers' references show them: uncached, read, written for minutes, for
    /// an hour, output.
    #[test]
    fn every_provider_s_object_is_understood() {
        for (usage, [uncached, read_tokens, written, written_long], output) in [
            (
                r#"{"prompt_tokens":19,"completion_tokens":10,"total_tokens":29,
                 "prompt_tokens_details":{"cached_tokens":8}}"#,
                [11, 8, 0, 0],
                Some(10),
            ),
            (
                r#"{"prompt_tokens":19,"prompt_tokens_details":{"cached_tokens":8,
                 "cache_write_tokens":10,"audio_tokens":null}}"#,
                [1, 8, 10, 0],
                None,
            ),
            (
                r#"{"input_tokens":36,"input_tokens_details":{"cached_tokens":20},
                 "output_tokens":87,"total_tokens":123}"#,
                [16, 20, 0, 0],
                Some(87),
            ),
            (
                r#"{"input_tokens":50,"cache_creation_input_tokens":248,
                 "cache_read_input_tokens":1800,"output_tokens":503}"#,
                [50, 1800, 248, 0],
                Some(503),
            ),
            (
                r#"{"input_tokens":50,"cache_creation_input_tokens":248,
                 "cache_read_input_tokens":1800,"cache_creation":
                 {"ephemeral_5m_input_tokens":148,"ephemeral_1h_input_tokens":100}}"#,
                [50, 1800, 148, 100],
                None,
            ),
            (
                r#"{"input_tokens":50,"cache_creation_input_tokens":null,
                 "cache_read_input_tokens":null,"output_tokens":503}"#,
                [50, 0, 0, 0],
                Some(503),
            ),
            (
                r#"{"promptTokenCount":11,"candidatesTokenCount":73,"totalTokenCount":91,
                 "thoughtsTokenCount":7,"cachedContentTokenCount":4}"#,
                [7, 4, 0, 0],
                Some(80),
            ),
            (r#"{"prompt_token_count":11,"candidates_token_count":73}"#, [11, 0, 0, 0], Some(73)),
            (
                r#"{"inputTokens":21,"outputTokens":3,"cachedInputTokens":2}"#,
                [19, 2, 0, 0],
                Some(3),
            ),
            (
                r#"{"inputTokens":21,"inputTokenDetails":{"noCacheTokens":12,"cacheReadTokens":5,
                 "cacheWriteTokens":4},"outputTokens":3}"#,
                [12, 5, 4, 0],
                Some(3),
            ),
            // More parts than there are tokens.
            (
                r#"{"prompt_tokens":9,"prompt_tokens_details":{"cached_tokens":8,
                 "cache_write_tokens":8}}"#,
                [0, 8, 1, 0],
                None,
            ),
        ] {
            let tokens =
                ReportedTokens { uncached, read: read_tokens, written, written_long, output };
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
        let (_, faults) = read(r#"{"prompt_tokens":5,"completion_tokens":"3"}"#);
        assert_eq!(faults, 1);
    }
}
