//! Controls for the run: refusals, escalations, gates, evidence.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use serde::Serialize;

use super::buckets::Output as Buckets;
use super::canonical::{HashText, WrittenValue};
use super::evidence::Output as Evidence;
use super::policy::{RuleDecision, RuleVerdict};
use super::tools::SurfacedTool;
use crate::domain::ContentHash;
use crate::pack::{AccessMode, ApprovalGate, Pack};
use crate::pipeline::Deadline;
use crate::policy;

pub(super) struct Input<'i> {
    pub(super) pack: &'i Pack,
    pub(super) facts: &'i policy::Value,
    /// Asked before and in the condition of each gate.
    pub(super) deadline: &'i Deadline,
    pub(super) decisions: &'i [RuleDecision<'i>],
    pub(super) surfaced: &'i [SurfacedTool<'i>],
    pub(super) evidence: &'i Evidence<'i>,
    pub(super) buckets: &'i Buckets,
    /// Classes of evidence that rules require.
    pub(super) wanted: &'i BTreeSet<&'i Arc<str>>,
    /// Over the evidence that is shown, in no order.
    pub(super) snapshot: ContentHash,
}

/// The controls, and what a reader should know of them.
pub(super) struct Output<'i> {
    pub(super) controls: WrittenValue,
    pub(super) diagnostics: Vec<Diagnostic<'i>>,
}

/// Something about a capability that a reader should know.
#[derive(Debug, Serialize)]
pub(super) struct Diagnostic<'d> {
    pub(super) code: &'static str,
    pub(super) key: &'d Arc<str>,
}

#[derive(Serialize)]
struct ControlsDocument<'t> {
    must_refuse: BTreeSet<&'t Arc<str>>,
    must_escalate: BTreeSet<&'t Arc<str>>,
    approval_gates_active: Vec<&'t Arc<str>>,
    approval_gates: Vec<ActiveGate<'t>>,
    redaction_rules_active: BTreeSet<&'t Arc<str>>,
    evidence_gates: EvidenceGates<'t>,
}

/// A row of an active gate.
#[derive(Serialize)]
struct ActiveGate<'t> {
    gate_id: &'t Arc<str>,
    because: &'t [String],
    capabilities: &'t [Arc<str>],
    required_approver_role: &'t str,
    expires_in_seconds: Option<u64>,
    evidence_snapshot_hash: HashText,
}

/// Evidence that is required, and what is missing.
#[derive(Serialize)]
struct EvidenceGates<'t> {
    required: &'t BTreeSet<&'t Arc<str>>,
    satisfied: BTreeSet<&'t Arc<str>>,
    unresolved: BTreeSet<&'t Arc<str>>,
    rejected: BTreeSet<&'t Arc<str>>,
    conflicts: BTreeSet<&'t Arc<str>>,
    commit_allowed: bool,
}

/// Classes of evidence that rules require.
pub(super) fn wanted_evidence<'p>(
    pack: &'p Pack,
    decisions: &[RuleDecision<'p>],
) -> BTreeSet<&'p Arc<str>> {
    let mut wanted = BTreeSet::new();
    let mut known: Option<HashSet<&str>> = None;
    for decision in decisions {
        for name in decision.requires.iter().filter(|name| &***name != "approval") {
            let keys = || pack.capabilities.iter().map(|own| &*own.key).collect();
            if !known.get_or_insert_with(keys).contains(&**name) {
                wanted.insert(name);
            }
        }
        let spec = pack.decisions.iter().find(|spec| Some(&spec.key) == decision.binding);
        wanted.extend(spec.into_iter().flat_map(|spec| &spec.required_evidence));
    }
    wanted
}

pub(super) fn run<'i>(input: &Input<'i>) -> Output<'i> {
    let Input { pack, decisions, surfaced, .. } = input;
    let escalates = |decision: &&RuleDecision<'_>| {
        decision.gate.is_some() || decision.requires.iter().any(|name| &**name == "approval")
    };
    let denials = decisions.iter().filter(|decision| decision.verdict == RuleVerdict::Deny);
    let mut must_refuse: BTreeSet<&Arc<str>> = denials.map(|decision| decision.rule).collect();
    must_refuse.extend(&pack.policy.must_refuse);
    let mut must_escalate: BTreeSet<&Arc<str>> =
        decisions.iter().filter(escalates).map(|decision| decision.rule).collect();
    must_escalate.extend(&pack.policy.must_escalate);
    let gates = active_gates(input);
    let mut diagnostics = Vec::new();
    for tool in surfaced.iter().filter(|tool| tool.mode == AccessMode::Destructive) {
        let key = &tool.capability.key;
        if !gates.iter().any(|(gate, _)| covers(gate, decisions, key)) {
            diagnostics.push(Diagnostic { code: "controls_ungated_destructive", key });
            must_escalate.insert(key);
        }
    }
    let details = gates.iter().map(|(gate, because)| ActiveGate {
        gate_id: &gate.id,
        because,
        capabilities: &gate.capabilities,
        required_approver_role: &gate.approver,
        expires_in_seconds: gate.expires_in_seconds,
        evidence_snapshot_hash: HashText(input.snapshot),
    });
    let controls = WrittenValue::new(&ControlsDocument {
        must_refuse,
        must_escalate,
        approval_gates_active: gates.iter().map(|(gate, _)| &gate.id).collect(),
        approval_gates: details.collect(),
        redaction_rules_active: pack.policy.redaction.ids().collect(),
        evidence_gates: evidence_gates(input),
    });
    Output { controls, diagnostics }
}

/// Active gates by id, each with its reasons.
fn active_gates<'p>(input: &Input<'p>) -> Vec<(&'p ApprovalGate, Vec<String>)> {
    let mut found = Vec::new();
    let mut effort = policy::RuleBudget::new(input.deadline);
    for gate in &input.pack.policy.gates {
        if input.deadline.check().is_err() {
            break;
        }
        let mut because = Vec::new();
        for decision in input.decisions.iter().filter(|one| one.gate == Some(&gate.id)) {
            because.push(format!("rule:{}", decision.rule));
        }
        if let Some(condition) = &gate.condition {
            let outcome = policy::evaluate(condition, input.facts, &mut effort);
            match outcome.value {
                Ok(_) if outcome.unsure.is_some() => because.push("when:indeterminate".to_owned()),
                Ok(value) if value.is_truthy() => because.push("when:true".to_owned()),
                Ok(_) => {}
                Err(failure) => because.push(format!("when:{}", failure.reason())),
            }
        }
        for tool in input.surfaced.iter().filter(|tool| tool.mode == AccessMode::Destructive) {
            if gate.capabilities.contains(&tool.capability.key) {
                because.push(format!("destructive:{}", tool.capability.key));
            }
        }
        if !because.is_empty() {
            because.sort_unstable();
            because.dedup();
            found.push((gate, because));
        }
    }
    found.sort_by(|(a, _), (b, _)| a.id.cmp(&b.id));
    found
}

/// Whether an active gate is one for a capability.
fn covers(gate: &ApprovalGate, decisions: &[RuleDecision<'_>], key: &Arc<str>) -> bool {
    let by_rule = decisions.iter().any(|decision| {
        decision.gate == Some(&gate.id)
            && (decision.targets.is_empty() || decision.targets.contains(key))
    });
    let all = gate.condition.is_some() && gate.capabilities.is_empty();
    gate.capabilities.contains(key) || by_rule || all
}

fn evidence_gates<'i>(input: &Input<'i>) -> EvidenceGates<'i> {
    let Input { wanted: required, evidence, .. } = *input;
    let Evidence { admitted, rejected, .. } = evidence;
    let kept = input.buckets.kept("evidence");
    let proven = admitted.iter().filter(|one| one.is_eligible && kept.contains(&*one.given.id));
    let met: HashSet<&str> = proven.map(|one| &*one.given.class).collect();
    let (satisfied, unresolved): (BTreeSet<&Arc<str>>, BTreeSet<&Arc<str>>) =
        required.iter().partition(|class| met.contains(&****class));
    let class_of: HashMap<&str, &Arc<str>> =
        admitted.iter().map(|one| (&*one.given.id, &one.given.class)).collect();
    let mut conflicts: BTreeSet<&Arc<str>> = BTreeSet::new();
    let mut blocks = evidence.disputed.iter().any(|class| required.contains(*class));
    // If either of two pieces claims a conflict, neither is relied on.
    for (own, other) in &evidence.conflicts {
        if let (Some(one), Some(another)) = (class_of.get(&***own), class_of.get(&***other)) {
            blocks |= required.contains(*one) || required.contains(*another);
            conflicts.extend([*own, *other]);
        }
    }
    let disputed = rejected.iter().filter(|one| one.reason == "conflict_same_id");
    conflicts.extend(disputed.map(|one| one.id));
    let commit_allowed = unresolved.is_empty() && !blocks;
    let rejected = rejected.iter().map(|one| one.id).collect();
    EvidenceGates { required, satisfied, unresolved, rejected, conflicts, commit_allowed }
}
