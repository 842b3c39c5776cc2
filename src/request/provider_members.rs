//! Members of a provider's own request that callers send along with the conversation.

use crate::json::Faults;

/// Members that say how much a model may return.
const RESERVE_KEYS: &[&str] =
    &["max_completion_tokens", "max_output_tokens", "max_tokens", "max_tokens_to_sample"];
/// Other members of the requests of OpenAI, Anthropic and Gemini beside the conversation and the tools.
const PROVIDER_KEYS: &[&str] = &[
    "frequency_penalty",
    "generationConfig",
    "include",
    "logit_bias",
    "logprobs",
    "metadata",
    "n",
    "parallel_tool_calls",
    "presence_penalty",
    "reasoning",
    "reasoning_effort",
    "response_format",
    "safetySettings",
    "seed",
    "service_tier",
    "stop",
    "stop_sequences",
    "store",
    "stream",
    "stream_options",
    "temperature",
    "text",
    "thinking",
    "toolConfig",
    "tool_choice",
    "top_k",
    "top_logprobs",
    "top_p",
    "user",
    "verbosity",
];

/// Says of unknown keys that are a provider's where they belong.
pub(super) fn explain(faults: &mut Faults) {
    faults.explain_unknown_keys(|key| {
        let belongs = format!("`{key}` belongs in the provider's request, next to the payload");
        if RESERVE_KEYS.contains(&key) {
            Some(format!("{belongs}; the room for the response is `budget.reserve_output`"))
        } else {
            PROVIDER_KEYS.contains(&key).then_some(belongs)
        }
    });
}
