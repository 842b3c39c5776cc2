//! The rows of the built-in model table.

use super::{Family, Model, TokenizerName};

/// name, family, window, largest answer, prefill
#[rustfmt::skip]
const ROWS: &[(&str, Family, u64, u64, bool)] = &[
    ("gpt-4o",      Family::Openai, 128_000, 16_384, false),
    ("gpt-4o-mini", Family::Openai, 128_000, 16_384, false),
];

pub(super) fn rows() -> Vec<Model> {
    let mut rows: Vec<Model> = ROWS
        .iter()
        .map(|&(name, family, context_window, max_output, prefill)| Model {
            name: name.into(),
            family,
            context_window,
            max_output,
            tokenizer: TokenizerName::O200kBase,
            factor_milli: family.factor_milli(),
            prefill,
        })
        .collect();
    rows.push(Model {
        name: "bytes4".into(),
        family: Family::Other,
        context_window: 128_000,
        max_output: 8_192,
        tokenizer: TokenizerName::Bytes4,
        factor_milli: 1000,
        prefill: true,
    });
    rows
}
