//! The rows of the built-in model table.
//!
//! From the providers' model pages and SDKs as of November 2026. If a window is published as input
//! alone (Gemini), the row has that number. A name covers its dated and tuned variants
//! ([`super::Models::find`]); `--models-file` adds missing models.

use super::{Family, Model, TokenizerName};

use Family::{Anthropic, Gemini, Openai, Other};

/// The cells of a row in the order of the table's columns.
macro_rules! row {
    ($name:literal, $family:ident, $context_window:literal, $max_output:literal, $prefill:literal) => {
        ModelRow {
            name: $name,
            family: $family,
            context_window: $context_window,
            max_output: $max_output,
            prefill: $prefill,
        }
    };
}

/// What a row says of a model; the rest of [`Model`] follows from name and family.
struct ModelRow {
    name: &'static str,
    family: Family,
    context_window: u64,
    max_output: u64,
    /// Whether a request may end in an assistant message, which the reply continues.
    prefill: bool,
}

/// Columns: name, family, window, largest answer, prefill.
#[rustfmt::skip]
const ROWS: &[ModelRow] = &[
    // Anthropic. From 4.6 on a request that ends in an assistant message is refused.
    row!("claude-3-haiku",         Anthropic,   200_000,   4_096, true),
    row!("claude-3-opus",          Anthropic,   200_000,   4_096, true),
    row!("claude-3-5-haiku",       Anthropic,   200_000,   8_192, true),
    row!("claude-3-5-sonnet",      Anthropic,   200_000,   8_192, true),
    row!("claude-3-7-sonnet",      Anthropic,   200_000,  64_000, true),
    row!("claude-opus-4",          Anthropic,   200_000,  32_000, true),
    row!("claude-opus-4-1",        Anthropic,   200_000,  32_000, true),
    row!("claude-opus-4-5",        Anthropic,   200_000,  64_000, true),
    row!("claude-opus-4-6",        Anthropic, 1_000_000, 128_000, false),
    row!("claude-opus-4-7",        Anthropic, 1_000_000, 128_000, false),
    row!("claude-opus-4-8",        Anthropic, 1_000_000, 128_000, false),
    row!("claude-opus-5",          Anthropic, 1_000_000, 128_000, false),
    row!("claude-opus-5-5",        Anthropic, 1_000_000, 128_000, false),
    row!("claude-sonnet-4",        Anthropic,   200_000,  64_000, true),
    row!("claude-sonnet-4-5",      Anthropic,   200_000,  64_000, true),
    row!("claude-sonnet-4-6",      Anthropic, 1_000_000, 128_000, false),
    row!("claude-sonnet-5",        Anthropic, 1_000_000, 128_000, false),
    row!("claude-sonnet-5-5",      Anthropic, 1_000_000, 128_000, false),
    row!("claude-haiku-4-5",       Anthropic,   200_000,  64_000, true),
    row!("claude-haiku-5-5",       Anthropic, 1_000_000, 128_000, false),
    row!("claude-fable-5",         Anthropic, 1_000_000, 128_000, false),
    row!("claude-mythos-5",        Anthropic, 1_000_000, 128_000, false),
    row!("claude-mythos-preview",  Anthropic, 1_000_000, 128_000, false),
    // Gemini
    row!("gemini-1.5-flash",       Gemini, 1_048_576,  8_192, false),
    row!("gemini-1.5-pro",         Gemini, 2_097_152,  8_192, false),
    row!("gemini-2.0-flash",       Gemini, 1_048_576,  8_192, false),
    row!("gemini-2.5-flash",       Gemini, 1_048_576, 65_536, false),
    row!("gemini-2.5-pro",         Gemini, 1_048_576, 65_536, false),
    row!("gemini-3-flash",         Gemini, 1_048_576, 65_536, false),
    row!("gemini-3-pro",           Gemini, 1_048_576, 65_536, false),
    row!("gemini-3.1-flash",       Gemini, 1_048_576, 65_536, false),
    row!("gemini-3.1-pro",         Gemini, 1_048_576, 65_536, false),
    row!("gemini-3.5-flash",       Gemini, 1_048_576, 65_536, false),
    row!("gemini-3.7-flash",       Gemini, 1_048_576, 65_536, false),
    row!("gemini-3.8-flash",       Gemini, 1_048_576, 65_536, false),
    // OpenAI
    row!("chatgpt-4o-latest",      Openai,   128_000,  16_384, false),
    row!("codex-mini-latest",      Openai,   200_000, 100_000, false),
    row!("gpt-3.5-turbo",          Openai,    16_385,   4_096, false),
    row!("gpt-4",                  Openai,     8_192,   8_192, false),
    row!("gpt-4-0125-preview",     Openai,   128_000,   4_096, false),
    row!("gpt-4-1106-preview",     Openai,   128_000,   4_096, false),
    row!("gpt-4-32k",              Openai,    32_768,  32_768, false),
    row!("gpt-4-turbo",            Openai,   128_000,   4_096, false),
    row!("gpt-4-vision-preview",   Openai,   128_000,   4_096, false),
    row!("gpt-4.1",                Openai, 1_047_576,  32_768, false),
    row!("gpt-4o",                 Openai,   128_000,  16_384, false),
    row!("gpt-4o-2024-05-13",      Openai,   128_000,   4_096, false),
    row!("gpt-4o-mini",            Openai,   128_000,  16_384, false),
    row!("gpt-5",                  Openai,   400_000, 128_000, false),
    row!("gpt-5-chat",             Openai,   128_000,  16_384, false),
    row!("gpt-5-pro",              Openai,   400_000, 272_000, false),
    row!("gpt-5.1",                Openai,   400_000, 128_000, false),
    row!("gpt-5.1-chat",           Openai,   128_000,  16_384, false),
    row!("gpt-5.2",                Openai,   400_000, 128_000, false),
    row!("gpt-5.2-chat",           Openai,   128_000,  16_384, false),
    row!("gpt-5.3",                Openai,   400_000, 128_000, false),
    row!("gpt-5.3-chat",           Openai,   128_000,  16_384, false),
    row!("gpt-5.4",                Openai, 1_050_000, 128_000, false),
    row!("gpt-5.4-mini",           Openai,   400_000, 128_000, false),
    row!("gpt-5.4-nano",           Openai,   400_000, 128_000, false),
    row!("gpt-5.5",                Openai, 1_050_000, 128_000, false),
    row!("gpt-5.6",                Openai, 1_050_000, 128_000, false),
    row!("gpt-6",                  Openai, 1_050_000, 128_000, false),
    row!("gpt-6.1",                Openai, 1_050_000, 128_000, false),
    row!("gpt-6.2",                Openai, 1_050_000, 128_000, false),
    row!("gpt-audio",              Openai,   128_000,  16_384, false),
    row!("gpt-oss",                Openai,   131_072, 131_072, false),
    row!("o1",                     Openai,   200_000, 100_000, false),
    row!("o1-mini",                Openai,   128_000,  65_536, false),
    row!("o1-preview",             Openai,   128_000,  32_768, false),
    row!("o3",                     Openai,   200_000, 100_000, false),
    row!("o4-mini",                Openai,   200_000, 100_000, false),
    // Others, behind OpenAI-compatible endpoints
    row!("codestral",              Other,   256_000,   8_192, false),
    row!("deepseek-chat",          Other,   131_072,   8_192, false),
    row!("deepseek-flash",         Other, 1_048_576, 393_216, false),
    row!("deepseek-r1",            Other,   131_072,  65_536, false),
    row!("deepseek-reasoner",      Other,   131_072,  65_536, false),
    row!("deepseek-v3",            Other,   131_072,   8_192, false),
    row!("deepseek-v3.1",          Other,   131_072,  65_536, false),
    row!("deepseek-v3.2",          Other,   131_072,  65_536, false),
    row!("deepseek-v4-flash",      Other, 1_048_576, 393_216, false),
    row!("deepseek-v4-pro",        Other, 1_048_576, 393_216, false),
    row!("deepseek-v4.1-flash",    Other, 1_048_576, 393_216, false),
    row!("devstral",               Other,   131_072,   8_192, false),
    row!("devstral-latest",        Other,   262_144, 131_072, false),
    row!("grok-3",                 Other,   131_072,  16_384, false),
    row!("grok-4",                 Other,   256_000,  64_000, false),
    row!("grok-4-fast",            Other, 2_000_000,  30_000, false),
    row!("grok-4-1-fast",          Other, 2_000_000,  30_000, false),
    row!("grok-4.20",              Other, 1_000_000, 128_000, false),
    row!("grok-4.3",               Other, 1_000_000, 128_000, false),
    row!("grok-4.5",               Other,   500_000, 128_000, false),
    row!("grok-4.6",               Other,   500_000, 128_000, false),
    row!("grok-4.7",               Other,   500_000, 128_000, false),
    row!("grok-build-0.1",         Other,   256_000,  64_000, false),
    row!("grok-code-fast-1",       Other,   256_000,  10_000, false),
    row!("kimi-k2",                Other,   131_072, 131_072, false),
    row!("kimi-k2-0905",           Other,   262_144, 262_144, false),
    row!("kimi-k2.5",              Other,   262_144, 262_144, false),
    row!("kimi-k3",                Other, 1_048_576, 131_072, false),
    row!("kimi-k3.1-pro",          Other, 1_048_576, 131_072, false),
    row!("llama-3.1",              Other,   131_072,   8_192, false),
    row!("llama-3.2",              Other,   131_072,   8_192, false),
    row!("llama-3.3",              Other,   131_072,   8_192, false),
    row!("llama-4-maverick",       Other, 1_048_576,  16_384, false),
    row!("llama-4-scout",          Other, 1_048_576,  16_384, false),
    row!("magistral-medium",       Other,   131_072,  40_000, false),
    row!("magistral-small",        Other,   131_072,  40_000, false),
    row!("ministral",              Other,   131_072,   8_192, false),
    row!("mistral-large",          Other,   131_072,   8_192, false),
    row!("mistral-large-3",        Other,   262_144, 131_072, false),
    row!("mistral-large-latest",   Other,   262_144, 131_072, false),
    row!("mistral-medium",         Other,   131_072,   8_192, false),
    row!("mistral-medium-3-5",     Other,   262_144, 131_072, false),
    row!("mistral-medium-3.5",     Other,   262_144, 131_072, false),
    row!("mistral-small",          Other,   131_072,   8_192, false),
    row!("qwen2.5",                Other,   131_072,   8_192, false),
    row!("qwen3",                  Other,   131_072,  32_768, false),
    row!("qwen3-coder",            Other,   262_144,  65_536, false),
    row!("qwen3-max",              Other,   262_144,  65_536, false),
    row!("qwen3.7-max",            Other,   991_000,  65_536, false),
    row!("qwen3.8-max",            Other,   991_000, 128_000, false),
];

/// The names of `OpenAI` models that still count with `cl100k_base`; all after them count with
/// `o200k_base`.
const CL100K: &[&str] = &[
    "gpt-3.5-turbo",
    "gpt-4",
    "gpt-4-0125-preview",
    "gpt-4-1106-preview",
    "gpt-4-32k",
    "gpt-4-turbo",
    "gpt-4-vision-preview",
];

/// The names of Anthropic's models that take system messages between the others:
/// <https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages>.
const SYSTEM_MESSAGES: &[&str] = &[
    "claude-fable-5",
    "claude-haiku-5-5",
    "claude-mythos-5",
    "claude-opus-4-8",
    "claude-opus-5",
    "claude-opus-5-5",
    "claude-sonnet-5",
    "claude-sonnet-5-5",
];

/// Those of them that take no changes of tools there.
const NO_TOOL_CHANGES: &[&str] = &["claude-sonnet-5"];

pub(super) fn rows() -> Vec<Model> {
    let mut rows: Vec<Model> = ROWS
        .iter()
        .map(|row| Model {
            name: row.name.into(),
            family: row.family,
            context_window: row.context_window,
            max_output: row.max_output,
            tokenizer: if CL100K.contains(&row.name) {
                TokenizerName::Cl100kBase
            } else {
                TokenizerName::O200kBase
            },
            factor_milli: row.family.factor_milli(),
            prefill: row.prefill,
            system_messages: SYSTEM_MESSAGES.contains(&row.name),
            tool_changes: SYSTEM_MESSAGES.contains(&row.name)
                && !NO_TOOL_CHANGES.contains(&row.name),
        })
        .collect();
    rows.push(Model {
        name: "bytes4".into(),
        family: Other,
        context_window: 128_000,
        max_output: 8_192,
        tokenizer: TokenizerName::Bytes4,
        factor_milli: 1000,
        prefill: true,
        system_messages: false,
        tool_changes: false,
    });
    rows
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::domain::Models;

    #[test]
    fn names_are_distinct_and_answers_fit_their_window() {
        let rows = rows();
        let names: HashSet<_> = rows.iter().map(|row| row.name.clone()).collect();
        assert_eq!(names.len(), rows.len());
        for row in &rows {
            assert!(row.max_output <= row.context_window, "{}", row.name);
            assert_eq!(row.name.to_lowercase(), *row.name);
        }
        for name in CL100K.iter().chain(SYSTEM_MESSAGES).chain(NO_TOOL_CHANGES) {
            assert!(names.contains(*name), "{name}");
        }
    }

    #[test]
    fn dated_names_find_the_row_that_knows_them_best() {
        let models = Models::built_in();
        let found = |name: &str| models.find(name).unwrap();
        assert!(found("claude-sonnet-4-5-20250929").prefill);
        assert!(!found("claude-opus-4-6").prefill);
        assert!(!found("claude-fable-5-2").prefill);
        assert_eq!(found("gpt-4-0613").tokenizer, TokenizerName::Cl100kBase);
        assert_eq!(found("gpt-4.1-mini-2025-04-14").tokenizer, TokenizerName::O200kBase);
        assert_eq!(&*found("gpt-6.2-astra-law").name, "gpt-6.2");
        assert_eq!(&*found("google/gemini-3-flash-preview").name, "gemini-3-flash");
    }
}
