//! Stage 2: evaluates the rules. A denial is no failure: it is a decision.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use super::canonical::HashText;
use super::ledger::hash;
use crate::domain::ContentHash;
use crate::pack::{AccessMode, Bundle, PolicyLayer, PolicyRule};
use crate::pipeline::Deadline;
use crate::policy;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RuleVerdict {
    Allow,
    Require,
    Deny,
}

impl RuleVerdict {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Require => "require",
            Self::Deny => "deny",
        }
    }
}

/// A rule that holds, written without its texts.
#[derive(Debug, Serialize)]
pub(super) struct RuleDecision<'p> {
    #[serde(rename = "policy_decision_id")]
    pub(super) id: String,
    #[serde(rename = "rule_id")]
    pub(super) rule: &'p Arc<str>,
    #[serde(rename = "bundle_id")]
    pub(super) bundle: &'p Arc<str>,
    pub(super) verdict: RuleVerdict,
    pub(super) requires: &'p [Arc<str>],
    pub(super) forbids: &'p [Arc<str>],
    pub(super) targets: &'p [Arc<str>],
    #[serde(rename = "requires_approval_gate")]
    pub(super) gate: Option<&'p Arc<str>>,
    #[serde(rename = "approval_mode")]
    pub(super) mode: Option<AccessMode>,
    #[serde(rename = "arg_constraints")]
    pub(super) constraints: Value,
    /// Bytes of the constraints as the pack has them.
    #[serde(skip)]
    pub(super) constraint_bytes: usize,
    #[serde(skip)]
    pub(super) rationale: &'p Arc<str>,
    #[serde(skip)]
    pub(super) binding: Option<&'p Arc<str>>,
    #[serde(rename = "indeterminate")]
    pub(super) is_indeterminate: bool,
}

impl<'p> RuleDecision<'p> {
    /// The targets of a denial; empty means everything.
    pub(super) fn denied(&self) -> impl Iterator<Item = &'p Arc<str>> + use<'p> {
        self.targets.iter().chain(self.forbids)
    }
}

/// A rule with missing facts.
#[derive(Debug, Serialize)]
pub(super) struct DoubtfulRule<'p> {
    #[serde(rename = "rule_id")]
    rule: &'p Arc<str>,
    reason: &'static str,
    treated_as: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<Arc<str>>,
}

/// A rule that was not looked at, and the one that denied before.
#[derive(Debug, Serialize)]
pub(super) struct SuppressedRule<'p> {
    #[serde(rename = "rule_id")]
    rule: &'p Arc<str>,
    #[serde(rename = "bundle_id")]
    bundle: &'p Arc<str>,
    by: &'p Arc<str>,
}

#[derive(Debug, Default, Serialize)]
pub(super) struct Output<'p> {
    pub(super) decisions: Vec<RuleDecision<'p>>,
    pub(super) suppressed: Vec<SuppressedRule<'p>>,
    #[serde(rename = "indeterminate")]
    pub(super) doubts: Vec<DoubtfulRule<'p>>,
    #[serde(skip)]
    pub(super) evaluated: usize,
}

pub(super) struct Input<'i> {
    pub(super) layer_hash: ContentHash,
    pub(super) facts: &'i policy::Value,
    pub(super) facts_hash: ContentHash,
    pub(super) intent: &'i str,
    /// Whether the result of rules on missing facts is used.
    pub(super) trusts_missing: bool,
    /// Asked before and in each rule: hundreds of them may each do all the work that one may do.
    pub(super) deadline: &'i Deadline,
}

/// The targets that a rule denied, and the rule; an empty set is everything.
type DeniedTargets<'p> = (BTreeSet<&'p Arc<str>>, &'p Arc<str>);

pub(super) fn run<'p>(layer: &'p PolicyLayer, input: &Input<'_>) -> Output<'p> {
    let mut output = Output::default();
    let mut effort = policy::RuleBudget::new(input.deadline);
    let mut denied: Vec<DeniedTargets<'p>> = Vec::new();
    for bundle in &layer.bundles {
        for rule in bundle.rules.iter().filter(|rule| rule.is_for(input.intent)) {
            if input.deadline.check().is_err() {
                return output;
            }
            if let Some(by) = suppressor(rule, &denied) {
                let (rule, bundle) = (&rule.id, &bundle.id);
                output.suppressed.push(SuppressedRule { rule, bundle, by });
                continue;
            }
            output.evaluated += 1;
            if let Some(decision) = decide(input, bundle, rule, &mut effort, &mut output.doubts) {
                if decision.verdict == RuleVerdict::Deny {
                    denied.push((decision.denied().collect(), decision.rule));
                }
                output.decisions.push(decision);
            }
        }
    }
    output
}

/// The rule that denied all that this one is about.
fn suppressor<'p>(rule: &PolicyRule, denied: &[DeniedTargets<'p>]) -> Option<&'p Arc<str>> {
    let mut about = rule.targets.iter().chain(&rule.forbids).peekable();
    let is_about = about.peek().is_some();
    let covers = |set: &BTreeSet<&Arc<str>>| {
        set.is_empty() || (is_about && about.clone().all(|key| set.contains(key)))
    };
    denied.iter().find(|(set, _)| covers(set)).map(|(_, by)| *by)
}

fn decide<'p>(
    input: &Input<'_>,
    bundle: &'p Bundle,
    rule: &'p PolicyRule,
    effort: &mut policy::RuleBudget<'_>,
    doubts: &mut Vec<DoubtfulRule<'p>>,
) -> Option<RuleDecision<'p>> {
    let outcome = policy::evaluate(&rule.condition, input.facts, effort);
    let doubt = match (&outcome.value, outcome.unsure) {
        (Err(failure), _) => Some((failure.reason(), None)),
        (Ok(_), Some(unsure)) if !input.trusts_missing => Some((unsure.reason, unsure.path)),
        _ => None,
    };
    let holds = match (&doubt, &outcome.value) {
        (Some(_), _) => rule.restricts(),
        (None, Ok(value)) => value.is_truthy(),
        (None, Err(_)) => false,
    };
    let is_indeterminate = doubt.is_some();
    if let Some((reason, path)) = doubt {
        let treated_as = if holds { "fired" } else { "not_fired" };
        doubts.push(DoubtfulRule { rule: &rule.id, reason, treated_as, path });
    }
    if !holds {
        return None;
    }
    let verdict = if rule.denies {
        RuleVerdict::Deny
    } else if !rule.requires.is_empty() || rule.gate.is_some() || is_indeterminate {
        // Nothing is allowed if it is not known whether the rule holds.
        RuleVerdict::Require
    } else {
        RuleVerdict::Allow
    };
    let constraints = rule.constraints.as_deref().and_then(|text| serde_json::from_str(text).ok());
    Some(RuleDecision {
        id: id(input, bundle, rule),
        rule: &rule.id,
        bundle: &bundle.id,
        verdict,
        requires: &rule.requires,
        forbids: &rule.forbids,
        targets: &rule.targets,
        gate: rule.gate.as_ref(),
        // A mode that loosens does not count if facts are missing.
        mode: rule.mode.filter(|_| !is_indeterminate),
        constraints: constraints.unwrap_or_default(),
        constraint_bytes: rule.constraints.as_ref().map_or(0, |text| text.len()),
        rationale: &rule.rationale,
        binding: rule.binding.as_ref(),
        is_indeterminate,
    })
}

/// The same rule on the same facts has the same id, anywhere.
fn id(input: &Input<'_>, bundle: &Bundle, rule: &PolicyRule) -> String {
    #[derive(Serialize)]
    struct RuleOwner<'o> {
        bundle_id: &'o str,
        eval_hash: HashText,
        intent_id: &'o str,
        policy_layer_digest: HashText,
        rule_id: &'o str,
    }
    let digest = hash(&RuleOwner {
        bundle_id: &bundle.id,
        eval_hash: HashText(input.facts_hash),
        intent_id: input.intent,
        policy_layer_digest: HashText(input.layer_hash),
        rule_id: &rule.id,
    });
    let digits = digest.to_string();
    format!("pol_{}", digits.get(..20).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{self, Limits};
    use crate::pack::{self, PublicKeys};

    #[test]
    fn no_rule_is_evaluated_once_the_work_is_cancelled() {
        let text = include_str!("../../../examples/packs/deploy.json");
        let node = json::parse(text, Limits::default()).unwrap();
        let pack = pack::read(&node, &PublicKeys::default()).unwrap();
        let deadline = Deadline::default();
        let input = Input {
            layer_hash: ContentHash::of(""),
            facts: &policy::Value::Null,
            facts_hash: ContentHash::of(""),
            intent: "deploy.production",
            trusts_missing: false,
            deadline: &deadline,
        };
        assert!(run(&pack.policy, &input).evaluated > 2);
        deadline.cancel();
        assert_eq!(run(&pack.policy, &input).evaluated, 0);
    }
}
