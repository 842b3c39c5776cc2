//! The measurements as JSON, for programs.

use serde_json::{Map, Value, json};

use super::facts::{FACT_KINDS, FactShare};
use super::formats::{FORMAT_NAMES, FormatCounts};
use super::{LevelMeasure, ParsedCounts};
use crate::cli::input_file::InputFile;

/// Returns one object: what was measured, a row for each level, and the texts that parse.
pub(super) fn figures(
    file: &InputFile,
    measured: &[LevelMeasure],
    parsed: Option<&ParsedCounts>,
) -> Value {
    let first = measured.first().map(|one| &one.round);
    json!({
        "kind": if file.is_text() { "text" } else { "messages" },
        "messages": first.map(|round| round.count),
        "tokenizer": first.map(|round| &round.tokenizer),
        "exact": first.map(|round| round.exact),
        "levels": measured.iter().map(level).collect::<Vec<_>>(),
        "parsed": parsed.map(|parsed| json!({
            "original": formats(&parsed.original),
            "compressed": formats(&parsed.compressed),
            "expanded": formats(&parsed.expanded),
            "decoded": formats(&parsed.decoded),
        })),
    })
}

fn level(one: &LevelMeasure) -> Value {
    let round = &one.round;
    json!({
        "level": round.level,
        "budget_tokens": round.budget,
        "fits": round.fits,
        "tokens_before": round.before,
        "tokens_after": round.after,
        "tokens_after_plain": round.notations.map(|tokens| tokens.plain),
        "tokens_after_computed": round.notations.map(|tokens| tokens.computed),
        "result_tokens_before": round.results_before,
        "result_tokens_after": round.results_after,
        "restored": round.restored,
        "decoded_equal": round.equal,
        "decoded_equivalent": round.equivalent,
        "lost": round.lost(),
        "milliseconds": u64::try_from(round.took.as_millis()).unwrap_or(u64::MAX),
        "facts": {
            "shown": facts(&one.compressed),
            "random_lines": facts(&one.random),
            "head_and_tail": facts(&one.ends),
        },
    })
}

fn facts(shares: &[FactShare]) -> Value {
    let row = |(kind, share): (&&str, &FactShare)| {
        (kind.replace(' ', "_"), json!({"seen": share.seen, "total": share.total}))
    };
    Value::Object(FACT_KINDS.iter().zip(shares).map(row).collect::<Map<_, _>>())
}

fn formats(counts: &FormatCounts) -> Value {
    let row = |(name, count): (&&str, &usize)| {
        (name.to_lowercase().replace(' ', "_"), Value::from(*count))
    };
    Value::Object(FORMAT_NAMES.iter().zip(&counts.counts).map(row).collect::<Map<_, _>>())
}
