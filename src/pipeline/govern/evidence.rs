//! Stage 4: which evidence counts: of the run's snapshot, unaltered, the tenant's, not above the
//! ceiling.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use super::ledger::shown;
use crate::domain::{Classification, ContentHash};
use crate::pack::{Pack, Refusal, RefusalCode};
use crate::request::{EvidenceRef, RunContext};

/// Evidence that counts.
#[derive(Debug, Clone)]
pub(super) struct Admitted {
    pub(super) given: EvidenceRef,
    /// The word of its level; `given` has the one that it came with.
    pub(super) level: &'static str,
    /// Whether what it says is there.
    pub(super) is_resolved: bool,
    /// Whether it is of the run's snapshot, trusted and current.
    pub(super) is_eligible: bool,
}

#[derive(Debug, Default)]
pub(super) struct Output {
    /// By class and id.
    pub(super) admitted: Vec<Admitted>,
    pub(super) rejected: Vec<(Arc<str>, &'static str)>,
}

pub(super) fn run(
    pack: &Pack,
    run: &RunContext,
    candidates: &[EvidenceRef],
    ceiling: Classification,
) -> Result<Output, Refusal> {
    if pack.is_pinned && run.snapshot.is_none() {
        let detail = "the pack wants evidence of one snapshot, and the run names none";
        let refusal = Refusal::new(RefusalCode::EvidenceSnapshotUnpinned, Some("evidence"), detail);
        return Err(refusal.at("/run_context/kg_snapshot_id"));
    }
    let mut output = Output::default();
    for given in candidates {
        match judge(pack, run, given, ceiling) {
            Ok(admitted) => output.admitted.push(admitted),
            Err(reason) => output.rejected.push((Arc::clone(&given.id), reason)),
        }
    }
    settle_duplicates(&mut output);
    output
        .admitted
        .sort_by(|a, b| (&a.given.class, &a.given.id).cmp(&(&b.given.class, &b.given.id)));
    output.rejected.sort_unstable();
    output.rejected.dedup();
    Ok(output)
}

fn judge(
    pack: &Pack,
    run: &RunContext,
    given: &EvidenceRef,
    ceiling: Classification,
) -> Result<Admitted, &'static str> {
    let snapshot = given.snapshot().filter(|snapshot| !snapshot.is_empty());
    let is_formed = given.id.split('#').next().is_some_and(|head| head.split(':').count() >= 3);
    let hash = given.payload_hash.strip_prefix("sha256:").and_then(ContentHash::parse);
    let Some(hash) = hash.filter(|_| is_formed && !given.class.is_empty()) else {
        return Err("malformed");
    };
    let is_pinned = run.snapshot.is_some();
    match (snapshot, &run.snapshot) {
        (Some(of), Some(wanted)) if of == &**wanted => {}
        (_, Some(_)) => return Err("snapshot_mismatch"),
        (None, None) => return Err("malformed"),
        (Some(_), None) => {}
    }
    if given.content.as_ref().is_some_and(|content| content.hash != hash) {
        return Err("hash_mismatch");
    }
    if given.tenant_id.as_ref().is_some_and(|tenant| *tenant != pack.tenant) {
        return Err("tenant_mismatch");
    }
    let level = given.level().ok_or("classification_unknown")?;
    if level > ceiling {
        return Err("classification_above_ceiling");
    }
    if given.expires_at.is_some_and(|end| end <= run.as_of) {
        return Err("expired");
    }
    let is_resolved = given.content.is_some();
    Ok(Admitted {
        level: super::word(level),
        is_resolved,
        is_eligible: is_pinned && is_resolved && given.is_trusted && given.is_current,
        given: given.clone(),
    })
}

/// The same twice is one; two of one id that say otherwise are none.
fn settle_duplicates(output: &mut Output) {
    let mut seen: BTreeMap<Arc<str>, (Arc<str>, bool)> = BTreeMap::new();
    for one in &output.admitted {
        let hash = &one.given.payload_hash;
        let entry =
            seen.entry(Arc::clone(&one.given.id)).or_insert_with(|| (Arc::clone(hash), false));
        entry.1 |= entry.0 != *hash;
    }
    let mut kept: Vec<Arc<str>> = Vec::new();
    let mut admitted = std::mem::take(&mut output.admitted);
    // So that of two that are the same the same one is kept, in whatever order they came.
    admitted.sort_by_cached_key(|one| (!one.is_eligible, !one.is_resolved));
    for one in admitted {
        let id = Arc::clone(&one.given.id);
        if seen.get(&id).is_some_and(|(_, conflicts)| *conflicts) {
            output.rejected.push((id, "conflict_same_id"));
        } else if !kept.contains(&id) {
            kept.push(id);
            output.admitted.push(one);
        }
    }
}

impl Output {
    pub(super) fn told(&self) -> Value {
        let admitted: Vec<Value> = self
            .admitted
            .iter()
            .map(|one| json!({"id": one.given.id, "payload_hash": one.given.payload_hash}))
            .collect();
        json!({"admitted": admitted, "rejected": self.rejected()})
    }

    pub(super) fn rejected(&self) -> Value {
        let rejected = self.rejected.iter();
        Value::Array(rejected.map(|(id, reason)| json!({"id": id, "reason": reason})).collect())
    }
}

/// What of the candidates counts: a set, in no order.
pub(super) fn candidates(given: &[EvidenceRef]) -> Value {
    let mut told: Vec<Value> = given
        .iter()
        .map(|one| {
            let content = one.content.as_ref().map(|content| shown(&content.hash));
            json!([
                one.id,
                one.class,
                one.classification,
                one.payload_hash,
                content,
                one.tenant_id,
                one.is_trusted,
                one.is_current,
                one.priority,
                one.conflicts_with
            ])
        })
        .collect();
    told.sort_by_cached_key(Value::to_string);
    Value::Array(told)
}
