//! Stage 2: which rules hold, and what they ask for. A denial is no failure: it is told.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};

use super::ledger::{hash, put, shown};
use crate::domain::ContentHash;
use crate::pack::{Bundle, Mode, PolicyLayer, Rule};
use crate::policy;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Allow,
    Require,
    Deny,
}

impl Verdict {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Require => "require",
            Self::Deny => "deny",
        }
    }
}

/// A rule that holds.
#[derive(Debug, Clone)]
pub(super) struct Decision {
    pub(super) id: String,
    pub(super) rule: Arc<str>,
    pub(super) bundle: Arc<str>,
    pub(super) verdict: Verdict,
    pub(super) requires: Vec<Arc<str>>,
    pub(super) forbids: Vec<Arc<str>>,
    pub(super) targets: Vec<Arc<str>>,
    pub(super) gate: Option<Arc<str>>,
    pub(super) mode: Option<Mode>,
    pub(super) constraints: Option<Arc<str>>,
    pub(super) rationale: Arc<str>,
    pub(super) binding: Option<Arc<str>>,
    pub(super) is_indeterminate: bool,
}

impl Decision {
    /// What a denial is about; everything where it names nothing.
    pub(super) fn denied(&self) -> BTreeSet<Arc<str>> {
        self.targets.iter().chain(&self.forbids).cloned().collect()
    }
}

/// A rule whose facts were missing.
#[derive(Debug)]
pub(super) struct Doubt {
    rule: Arc<str>,
    reason: &'static str,
    path: Option<Arc<str>>,
    fired: bool,
}

#[derive(Debug, Default)]
pub(super) struct Output {
    pub(super) decisions: Vec<Decision>,
    /// Rules that were not looked at, each with the one that denied before.
    pub(super) suppressed: Vec<(Arc<str>, Arc<str>, Arc<str>)>,
    pub(super) doubts: Vec<Doubt>,
    pub(super) evaluated: usize,
}

pub(super) struct Input<'i> {
    pub(super) layer: &'i PolicyLayer,
    pub(super) layer_hash: ContentHash,
    pub(super) facts: &'i policy::Value,
    pub(super) facts_hash: ContentHash,
    pub(super) intent: &'i str,
}

pub(super) fn run(input: &Input<'_>) -> Output {
    let mut output = Output::default();
    // What was denied so far, and by which rule; an empty set is everything.
    let mut denied: Vec<(BTreeSet<Arc<str>>, Arc<str>)> = Vec::new();
    for bundle in &input.layer.bundles {
        for rule in bundle.rules.iter().filter(|rule| rule.is_for(input.intent)) {
            if let Some(by) = suppressor(rule, &denied) {
                let names = (Arc::clone(&rule.id), Arc::clone(&bundle.id), by);
                output.suppressed.push(names);
                continue;
            }
            output.evaluated += 1;
            if let Some(decision) = decide(input, bundle, rule, &mut output.doubts) {
                if decision.verdict == Verdict::Deny {
                    denied.push((decision.denied(), Arc::clone(&decision.rule)));
                }
                output.decisions.push(decision);
            }
        }
    }
    output
}

/// The rule that denied all that this one is about.
fn suppressor(rule: &Rule, denied: &[(BTreeSet<Arc<str>>, Arc<str>)]) -> Option<Arc<str>> {
    let about: BTreeSet<&Arc<str>> = rule.targets.iter().chain(&rule.forbids).collect();
    let covers = |set: &BTreeSet<Arc<str>>| {
        set.is_empty() || (!about.is_empty() && about.iter().all(|key| set.contains(*key)))
    };
    denied.iter().find(|(set, _)| covers(set)).map(|(_, by)| Arc::clone(by))
}

fn decide(
    input: &Input<'_>,
    bundle: &Bundle,
    rule: &Rule,
    doubts: &mut Vec<Doubt>,
) -> Option<Decision> {
    let outcome = policy::evaluate(&rule.condition, input.facts);
    let trusts = input.layer.trusts_missing;
    let doubt = match (&outcome.value, outcome.unsure) {
        (Err(failure), _) => Some((failure.reason(), None)),
        (Ok(_), Some(unsure)) if !trusts => Some((unsure.reason, unsure.path)),
        _ => None,
    };
    let holds = match (&doubt, &outcome.value) {
        (Some(_), _) => rule.restricts(),
        (None, Ok(value)) => value.is_truthy(),
        (None, Err(_)) => false,
    };
    let is_indeterminate = doubt.is_some();
    if let Some((reason, path)) = doubt {
        doubts.push(Doubt { rule: Arc::clone(&rule.id), reason, path, fired: holds });
    }
    if !holds {
        return None;
    }
    let verdict = if rule.denies {
        Verdict::Deny
    } else if !rule.requires.is_empty() || rule.gate.is_some() {
        Verdict::Require
    } else {
        Verdict::Allow
    };
    Some(Decision {
        id: id(input, bundle, rule),
        rule: Arc::clone(&rule.id),
        bundle: Arc::clone(&bundle.id),
        verdict,
        requires: rule.requires.clone(),
        forbids: rule.forbids.clone(),
        targets: rule.targets.clone(),
        gate: rule.gate.clone(),
        // What loosens does not count where facts are missing.
        mode: rule.mode.filter(|_| !is_indeterminate),
        constraints: rule.constraints.clone(),
        rationale: Arc::clone(&rule.rationale),
        binding: rule.binding.clone(),
        is_indeterminate,
    })
}

/// The same rule on the same facts has the same id, anywhere.
fn id(input: &Input<'_>, bundle: &Bundle, rule: &Rule) -> String {
    let digest = hash(&json!({
        "policy_layer_digest": shown(&input.layer_hash),
        "bundle_id": bundle.id,
        "rule_id": rule.id,
        "intent_id": input.intent,
        "eval_hash": shown(&input.facts_hash),
    }));
    let digits = digest.to_string();
    format!("pol_{}", digits.get(..20).unwrap_or_default())
}

impl Output {
    pub(super) fn told(&self) -> Value {
        let decisions: Vec<Value> = self.decisions.iter().map(Decision::told).collect();
        let suppressed: Vec<Value> = self.suppressed.iter().map(suppressed).collect();
        json!({"decisions": decisions, "suppressed": suppressed, "indeterminate": self.doubts()})
    }

    pub(super) fn doubts(&self) -> Value {
        let doubts = self.doubts.iter().map(|doubt| {
            let treated = if doubt.fired { "fired" } else { "not_fired" };
            let mut told = json!({
                "rule_id": doubt.rule, "reason": doubt.reason, "treated_as": treated
            });
            if let Some(path) = &doubt.path {
                put(&mut told, "path", json!(path));
            }
            told
        });
        Value::Array(doubts.collect())
    }
}

pub(super) fn suppressed((rule, bundle, by): &(Arc<str>, Arc<str>, Arc<str>)) -> Value {
    json!({"rule_id": rule, "bundle_id": bundle, "by": by})
}

impl Decision {
    pub(super) fn told(&self) -> Value {
        let constraints =
            self.constraints.as_deref().and_then(|text| serde_json::from_str(text).ok());
        json!({
            "policy_decision_id": self.id,
            "rule_id": self.rule,
            "bundle_id": self.bundle,
            "verdict": self.verdict.as_str(),
            "requires": self.requires,
            "forbids": self.forbids,
            "targets": self.targets,
            "requires_approval_gate": self.gate,
            "approval_mode": self.mode.map(Mode::as_str),
            "arg_constraints": constraints.unwrap_or(Value::Null),
            "indeterminate": self.is_indeterminate,
        })
    }
}
