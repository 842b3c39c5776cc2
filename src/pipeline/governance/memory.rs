//! Stage 5: remembered records. Each is checked here, whichever store it is from.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use super::canonical::{HashText, WrittenList};
use super::ledger::{hash, hash_of_set, is_exact};
use crate::domain::{Classification, ContentHash, MemoryTier, Timestamp, word_of};
use crate::pack::MemoryLayer;
use crate::request::{MemoryRecord, RunContext};

#[derive(Debug)]
pub(super) struct RecalledRecord<'r> {
    pub(super) record: &'r MemoryRecord,
    pub(super) tier: MemoryTier,
    pub(super) level: &'static str,
    pub(super) hash: ContentHash,
}

#[derive(Debug, Default)]
pub(super) struct Output<'r> {
    /// In the order in which they are shown.
    pub(super) recalled: Vec<RecalledRecord<'r>>,
    pub(super) rejected: Vec<RejectedItem<'r>>,
}

/// A record that may not be shown, and why.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(super) struct RejectedItem<'r> {
    pub(super) id: &'r Arc<str>,
    pub(super) reason: &'static str,
}

/// The candidates with the hashes of their texts.
pub(super) type Candidates<'r> = Vec<(&'r MemoryRecord, ContentHash)>;

pub(super) fn candidates(given: &[MemoryRecord]) -> Candidates<'_> {
    given.iter().map(|record| (record, ContentHash::of(&record.text))).collect()
}

pub(super) fn run<'r>(
    layer: &MemoryLayer,
    run: &RunContext,
    intent: &str,
    candidates: &Candidates<'r>,
    ceiling: Classification,
) -> Output<'r> {
    let mut output = Output::default();
    for (record, hash) in candidates {
        match judge(layer, run, intent, record, ceiling) {
            Ok((tier, level)) => {
                output.recalled.push(RecalledRecord { record, tier, level, hash: *hash });
            }
            Err(reason) => output.rejected.push(RejectedItem { id: &record.id, reason }),
        }
    }
    settle_duplicates(&mut output);
    output.recalled.sort_by(|a, b| {
        let place = |one: &RecalledRecord<'_>| {
            (one.tier, Reverse(one.record.confidence), Reverse(one.record.promoted_at))
        };
        place(a).cmp(&place(b)).then_with(|| a.record.id.cmp(&b.record.id))
    });
    for over in output.recalled.split_off(layer.most.min(output.recalled.len())) {
        output.rejected.push(RejectedItem { id: &over.record.id, reason: "recall_cap" });
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
) -> Result<(MemoryTier, &'static str), &'static str> {
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
    Ok((tier, super::level_word(level)))
}

/// Of several of one id the newest is shown; of equally new ones always the same.
fn settle_duplicates<'r>(output: &mut Output<'r>) {
    let mut seen: HashSet<&'r Arc<str>> = HashSet::with_capacity(output.recalled.len());
    let is_new = |one: &RecalledRecord<'r>| seen.insert(&one.record.id);
    if output.recalled.iter().all(is_new) {
        return;
    }
    let mut recalled = std::mem::take(&mut output.recalled);
    recalled.sort_by_cached_key(|one| {
        let text = serde_json::to_string(&row(one.record, one.hash)).unwrap_or_default();
        (Reverse(one.record.version), Reverse(one.record.promoted_at), text)
    });
    seen.clear();
    for one in recalled {
        let id: &'r Arc<str> = &one.record.id;
        if seen.insert(id) {
            output.recalled.push(one);
        } else {
            output.rejected.push(RejectedItem { id, reason: "duplicate_id" });
        }
    }
}

impl Output<'_> {
    /// The hash of what the stage gives.
    pub(super) fn hash(&self) -> ContentHash {
        #[derive(Serialize)]
        struct Row<'r> {
            id: &'r str,
            text_hash: HashText,
            tier: &'static str,
            classification: &'static str,
            promoted_at: i64,
        }
        #[derive(Serialize)]
        struct HashedMemory<'t, R> {
            recalled: R,
            rejected: &'t [RejectedItem<'t>],
        }
        let recalled = WrittenList(|| {
            self.recalled.iter().map(|one| Row {
                id: &one.record.id,
                text_hash: HashText(one.hash),
                tier: word_of(MemoryTier::WORDS, one.tier),
                classification: one.level,
                promoted_at: one.record.promoted_at.micros(),
            })
        });
        hash(&HashedMemory { recalled, rejected: &self.rejected })
    }
}

/// Over what of the candidates counts: a set, in no order.
pub(super) fn hash_candidates(given: &Candidates<'_>) -> ContentHash {
    let is_plain = |one: &MemoryRecord| {
        is_exact(one.version) && is_exact(one.promoted_at.micros().unsigned_abs())
    };
    let rows = given.iter().map(|(one, hash)| row(one, *hash));
    hash_of_set(rows, given.iter().all(|(one, _)| is_plain(one)))
}

/// The members of a candidate that are hashed.
fn row(one: &MemoryRecord, text: ContentHash) -> impl Serialize {
    (
        &one.id,
        one.version,
        HashText(text),
        one.is_promoted,
        &one.tenant_id,
        &one.subject,
        &one.intents,
        one.confidence,
        one.promoted_at.micros(),
        one.classification.map(super::level_word),
        one.tier.map(|tier| word_of(MemoryTier::WORDS, tier)),
        one.expires_at.map(Timestamp::micros),
        &one.session_id,
    )
}
