//! What has to be watched while a run acts: refusals, escalations, gates, evidence.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};

use super::buckets::Output as Buckets;
use super::evidence::Output as Evidence;
use super::ledger::{hash, shown};
use super::policy::{Decision, Verdict};
use super::tools::Surfaced;
use crate::pack::{Gate, Mode, Pack};
use crate::policy;

pub(super) struct Input<'i> {
    pub(super) pack: &'i Pack,
    pub(super) facts: &'i policy::Value,
    pub(super) decisions: &'i [Decision],
    pub(super) surfaced: &'i [Surfaced],
    pub(super) evidence: &'i Evidence,
    pub(super) buckets: &'i Buckets,
    /// The evidence that is shown.
    pub(super) manifest: &'i Value,
}

/// The controls, and what a reader should know of them.
pub(super) struct Output {
    pub(super) controls: Value,
    pub(super) diagnostics: Vec<Value>,
}

/// What rules ask to be proven: evidence by its class.
pub(super) fn wanted(pack: &Pack, decisions: &[Decision]) -> BTreeSet<Arc<str>> {
    let mut wanted = BTreeSet::new();
    for decision in decisions {
        let named = decision.requires.iter();
        let named = named.filter(|name| &***name != "approval" && pack.capability(name).is_none());
        wanted.extend(named.cloned());
        let spec = pack.decisions.iter().find(|spec| Some(&spec.key) == decision.binding.as_ref());
        wanted.extend(spec.into_iter().flat_map(|spec| spec.required_evidence.iter().cloned()));
    }
    wanted
}

pub(super) fn run(input: &Input<'_>) -> Output {
    let Input { pack, decisions, surfaced, .. } = input;
    let escalates = |decision: &&Decision| {
        decision.gate.is_some() || decision.requires.iter().any(|name| &**name == "approval")
    };
    let rules = |holds: &dyn Fn(&&Decision) -> bool| -> BTreeSet<Arc<str>> {
        decisions.iter().filter(|one| holds(one)).map(|one| Arc::clone(&one.rule)).collect()
    };
    let mut must_refuse = rules(&|decision| decision.verdict == Verdict::Deny);
    must_refuse.extend(pack.policy.must_refuse.iter().cloned());
    let mut must_escalate = rules(&escalates);
    must_escalate.extend(pack.policy.must_escalate.iter().cloned());
    let gates = active(input);
    let mut diagnostics = Vec::new();
    for tool in surfaced.iter().filter(|tool| tool.mode == Mode::Destructive) {
        let key = &tool.capability.key;
        if !gates.iter().any(|(gate, _)| covers(gate, decisions, key)) {
            diagnostics.push(json!({"code": "controls_ungated_destructive", "key": key}));
            must_escalate.insert(Arc::clone(key));
        }
    }
    let snapshot = shown(&hash(&sorted(input.manifest)));
    let details: Vec<Value> = gates
        .iter()
        .map(|(gate, because)| {
            json!({
                "gate_id": gate.id,
                "because": because,
                "capabilities": gate.capabilities,
                "required_approver_role": gate.approver,
                "expires_in_seconds": gate.expires_in_seconds,
                "evidence_snapshot_hash": snapshot,
            })
        })
        .collect();
    let active: Vec<&Arc<str>> = gates.iter().map(|(gate, _)| &gate.id).collect();
    let redaction: BTreeSet<&Arc<str>> = pack.policy.redaction.ids().collect();
    let controls = json!({
        "must_refuse": must_refuse,
        "must_escalate": must_escalate,
        "approval_gates_active": active,
        "approval_gates": details,
        "redaction_rules_active": redaction,
        "evidence_gates": evidence(input),
    });
    Output { controls, diagnostics }
}

/// Gates that stand in the way, by id, each with why.
fn active<'p>(input: &Input<'p>) -> Vec<(&'p Gate, Vec<String>)> {
    let mut found = Vec::new();
    for gate in &input.pack.policy.gates {
        let mut because = Vec::new();
        for decision in input.decisions.iter().filter(|one| one.gate.as_ref() == Some(&gate.id)) {
            because.push(format!("rule:{}", decision.rule));
        }
        if let Some(condition) = &gate.condition {
            let outcome = policy::evaluate(condition, input.facts);
            match outcome.value {
                Ok(_) if outcome.unsure.is_some() => because.push("when:indeterminate".to_owned()),
                Ok(value) if value.is_truthy() => because.push("when:true".to_owned()),
                Ok(_) => {}
                Err(failure) => because.push(format!("when:{}", failure.reason())),
            }
        }
        for tool in input.surfaced.iter().filter(|tool| tool.mode == Mode::Destructive) {
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
fn covers(gate: &Gate, decisions: &[Decision], key: &Arc<str>) -> bool {
    let by_rule = decisions.iter().any(|decision| {
        decision.gate.as_ref() == Some(&gate.id)
            && (decision.targets.is_empty() || decision.targets.contains(key))
    });
    let all = gate.condition.is_some() && gate.capabilities.is_empty();
    gate.capabilities.contains(key) || by_rule || all
}

fn sorted(manifest: &Value) -> Value {
    let mut items = manifest.as_array().cloned().unwrap_or_default();
    items.sort_by_cached_key(Value::to_string);
    Value::Array(items)
}

fn evidence(input: &Input<'_>) -> Value {
    let required = wanted(input.pack, input.decisions);
    let admitted = &input.evidence.admitted;
    let is_met = |class: &Arc<str>| {
        admitted.iter().any(|one| {
            one.given.class == *class
                && one.is_eligible
                && input.buckets.has("evidence", &one.given.id)
        })
    };
    let (satisfied, unresolved): (BTreeSet<&Arc<str>>, BTreeSet<&Arc<str>>) =
        required.iter().partition(|class| is_met(class));
    let is_there = |id: &Arc<str>| admitted.iter().any(|one| one.given.id == *id);
    let conflicting = admitted.iter().filter(|one| one.given.conflicts_with.iter().any(is_there));
    let mut conflicts: BTreeSet<Arc<str>> = BTreeSet::new();
    let mut blocks = false;
    for one in conflicting {
        blocks |= required.contains(&one.given.class);
        conflicts.insert(Arc::clone(&one.given.id));
    }
    for (id, reason) in &input.evidence.rejected {
        if *reason == "conflict_same_id" {
            blocks |= id.split(':').nth(1).is_some_and(|class| required.contains(class));
            conflicts.insert(Arc::clone(id));
        }
    }
    let rejected: BTreeSet<&Arc<str>> = input.evidence.rejected.iter().map(|(id, _)| id).collect();
    json!({
        "required": required, "satisfied": satisfied, "unresolved": unresolved,
        "rejected": rejected, "conflicts": conflicts,
        "commit_allowed": unresolved.is_empty() && !blocks,
    })
}
