//! Stage 4: which evidence counts: of the run's snapshot, unaltered, the tenant's, not above the
//! ceiling.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use serde::Serialize;

use super::canonical::{HashText, WrittenList};
use super::ledger::{hash, hash_of_set, is_exact};
use super::memory::RejectedItem;
use crate::domain::{Classification, ContentHash, Timestamp};
use crate::pack::{Pack, Refusal, RefusalCode};
use crate::request::{EvidenceRef, RunContext};

/// Evidence that counts.
#[derive(Debug)]
pub(super) struct AdmittedEvidence<'e> {
    pub(super) given: &'e EvidenceRef,
    /// The word of its level; `given` has the original one.
    pub(super) level: &'static str,
    /// Whether its content is present.
    pub(super) is_resolved: bool,
    /// Whether it is of the run's snapshot, trusted and current.
    pub(super) is_eligible: bool,
}

#[derive(Debug, Default)]
pub(super) struct Output<'e> {
    /// By class and id.
    pub(super) admitted: Vec<AdmittedEvidence<'e>>,
    pub(super) rejected: Vec<RejectedItem<'e>>,
    /// Classes of evidence that was rejected since one id has two contents.
    pub(super) disputed: BTreeSet<&'e Arc<str>>,
    /// Ids of evidence, each with an id that it conflicts with.
    pub(super) conflicts: Vec<(&'e Arc<str>, &'e Arc<str>)>,
}

pub(super) fn run<'e>(
    pack: &Pack,
    run: &RunContext,
    candidates: &'e [EvidenceRef],
    ceiling: Classification,
) -> Result<Output<'e>, Refusal> {
    if pack.is_pinned && run.snapshot.is_none() {
        let detail = "the pack wants evidence of one snapshot, and the run names none";
        let refusal = Refusal::new(RefusalCode::EvidenceSnapshotUnpinned, Some("evidence"), detail);
        return Err(refusal.at("/run_context/kg_snapshot_id"));
    }
    let mut output = Output::default();
    for given in candidates {
        match judge(pack, run, given, ceiling) {
            Ok(admitted) => output.admitted.push(admitted),
            Err(reason) => output.rejected.push(RejectedItem { id: &given.id, reason }),
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

fn judge<'e>(
    pack: &Pack,
    run: &RunContext,
    given: &'e EvidenceRef,
    ceiling: Classification,
) -> Result<AdmittedEvidence<'e>, &'static str> {
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
    Ok(AdmittedEvidence {
        level: super::level_word(level),
        is_resolved,
        is_eligible: is_pinned && is_resolved && given.is_trusted && given.is_current,
        given,
    })
}

/// The same twice is one; two of one id that say otherwise are none.
fn settle_duplicates<'e>(output: &mut Output<'e>) {
    // The first one of each id, and whether another has other content.
    let mut seen: HashMap<&str, (&EvidenceRef, bool)> =
        HashMap::with_capacity(output.admitted.len());
    for one in &output.admitted {
        let given: &'e EvidenceRef = one.given;
        let (first, is_disputed) = seen.entry(&given.id).or_insert((given, false));
        *is_disputed |= !says_the_same(first, given);
        // A conflict counts if either of two claims it, whichever is kept.
        output.conflicts.extend(given.conflicts_with.iter().map(|other| (&given.id, other)));
    }
    if seen.len() == output.admitted.len() {
        return;
    }
    let mut admitted = std::mem::take(&mut output.admitted);
    // Makes the choice between two equal pieces independent of their order.
    admitted.sort_by_cached_key(|one| {
        let text = serde_json::to_string(&row(one.given)).unwrap_or_default();
        (!one.is_eligible, !one.is_resolved, text)
    });
    let mut kept = HashSet::with_capacity(seen.len());
    for one in admitted {
        let given: &'e EvidenceRef = one.given;
        let id = &given.id;
        if seen.get(&**id).is_some_and(|(_, is_disputed)| *is_disputed) {
            output.rejected.push(RejectedItem { id, reason: "conflict_same_id" });
            output.disputed.insert(&given.class);
        } else if kept.insert(id) {
            output.admitted.push(one);
        }
    }
}

/// Whether two of one id agree in what rules and readers go by.
fn says_the_same(one: &EvidenceRef, other: &EvidenceRef) -> bool {
    one.payload_hash == other.payload_hash
        && one.class == other.class
        && one.level() == other.level()
}

impl Output<'_> {
    /// The hash of what the stage gives.
    pub(super) fn hash(&self) -> ContentHash {
        #[derive(Serialize)]
        struct Row<'r> {
            id: &'r str,
            class: &'r str,
            classification: &'static str,
            is_eligible: bool,
            payload_hash: &'r str,
        }
        #[derive(Serialize)]
        struct HashedEvidence<'t, A> {
            admitted: A,
            rejected: &'t [RejectedItem<'t>],
        }
        let admitted = WrittenList(|| {
            self.admitted.iter().map(|one| Row {
                id: &one.given.id,
                class: &one.given.class,
                classification: one.level,
                is_eligible: one.is_eligible,
                payload_hash: &one.given.payload_hash,
            })
        });
        hash(&HashedEvidence { admitted, rejected: &self.rejected })
    }
}

/// Over what of the candidates counts: a set, in no order.
pub(super) fn hash_given(given: &[EvidenceRef]) -> ContentHash {
    let is_plain = |one: &EvidenceRef| one.priority.is_none_or(|own| is_exact(own.unsigned_abs()));
    hash_of_set(given.iter().map(row), given.iter().all(is_plain))
}

/// The members of a candidate that are hashed.
fn row(one: &EvidenceRef) -> impl Serialize {
    (
        &one.id,
        &one.class,
        &one.classification,
        &one.payload_hash,
        one.content.as_ref().map(|content| HashText(content.hash)),
        &one.tenant_id,
        one.is_trusted,
        one.is_current,
        one.priority,
        &one.conflicts_with,
        one.expires_at.map(Timestamp::micros),
    )
}
