//! Stage 5: what is remembered. Whoever recalled it, everything is checked here.

use std::cmp::Reverse;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::ledger::shown;
use crate::domain::{Classification, ContentHash, MemoryTier, word_of};
use crate::pack::MemoryLayer;
use crate::request::{MemoryRecord, RunContext};

#[derive(Debug, Clone)]
pub(super) struct Recalled {
    pub(super) record: MemoryRecord,
    pub(super) tier: MemoryTier,
    pub(super) level: &'static str,
    pub(super) hash: ContentHash,
}

#[derive(Debug, Default)]
pub(super) struct Output {
    /// In the order in which they are shown.
    pub(super) recalled: Vec<Recalled>,
    pub(super) rejected: Vec<(Arc<str>, &'static str)>,
}

pub(super) fn run(
    layer: &MemoryLayer,
    run: &RunContext,
    intent: &str,
    candidates: &[MemoryRecord],
    ceiling: Classification,
) -> Output {
    let mut output = Output::default();
    for record in candidates {
        match judge(layer, run, intent, record, ceiling) {
            Ok(recalled) => output.recalled.push(recalled),
            Err(reason) => output.rejected.push((Arc::clone(&record.id), reason)),
        }
    }
    output.recalled.sort_by(|a, b| {
        let place = |one: &Recalled| {
            (one.tier, Reverse(one.record.confidence), Reverse(one.record.promoted_at))
        };
        place(a).cmp(&place(b)).then_with(|| a.record.id.cmp(&b.record.id))
    });
    for over in output.recalled.split_off(layer.most.min(output.recalled.len())) {
        output.rejected.push((over.record.id, "recall_cap"));
    }
    output.rejected.sort_unstable();
    output
}

fn judge(
    layer: &MemoryLayer,
    run: &RunContext,
    intent: &str,
    record: &MemoryRecord,
    ceiling: Classification,
) -> Result<Recalled, &'static str> {
    if !record.is_promoted {
        return Err("not_promoted");
    }
    if record.tenant_id.as_ref() != Some(&run.tenant_id) {
        return Err("tenant_mismatch");
    }
    if record.subject.is_some() && record.subject != run.subject {
        return Err("subject_mismatch");
    }
    if !record.intents.is_empty() && !record.intents.iter().any(|own| &**own == intent) {
        return Err("intent_mismatch");
    }
    let level = record.classification.ok_or("classification_unknown")?;
    if level > ceiling {
        return Err("classification_above_ceiling");
    }
    let tier =
        record.tier.filter(|tier| layer.recalled.contains(tier)).ok_or("tier_not_allowed")?;
    if tier == MemoryTier::Working && record.session_id != run.session_id {
        return Err("session_mismatch");
    }
    let ttl = layer.tiers.get(&tier).copied().flatten();
    let by_tier = ttl.map(|seconds| record.promoted_at.after(Duration::from_secs(seconds)));
    if record.expires_at.or(by_tier).is_some_and(|end| end <= run.as_of) {
        return Err("expired");
    }
    let hash = ContentHash::of(&record.text);
    Ok(Recalled { tier, level: super::word(level), hash, record: record.clone() })
}

impl Output {
    pub(super) fn told(&self) -> Value {
        let recalled = self.recalled.iter().map(|one| {
            let tier = word_of(MemoryTier::WORDS, one.tier);
            json!({"id": one.record.id, "tier": tier, "text_hash": shown(&one.hash)})
        });
        json!({"recalled": recalled.collect::<Vec<_>>(), "rejected": self.rejected()})
    }

    pub(super) fn rejected(&self) -> Value {
        let rejected = self.rejected.iter();
        Value::Array(rejected.map(|(id, reason)| json!({"id": id, "reason": reason})).collect())
    }
}

/// What of the candidates counts: a set, in no order.
pub(super) fn candidates(given: &[MemoryRecord]) -> Value {
    let mut told: Vec<Value> = given
        .iter()
        .map(|one| {
            json!([
                one.id,
                one.version,
                shown(&ContentHash::of(&one.text)),
                one.is_promoted,
                one.tenant_id,
                one.subject,
                one.intents,
                one.confidence,
                one.promoted_at.micros(),
                one.classification.map(super::word),
                one.tier.map(|t| word_of(MemoryTier::WORDS, t))
            ])
        })
        .collect();
    told.sort_by_cached_key(Value::to_string);
    Value::Array(told)
}
