//! Stage 2: evaluates the rules. A denial is no failure: it is a decision.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use super::canonical::HashText;
use super::ledger::hash;
use crate::domain::ContentHash;
use crate::limit::PaidText;
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
    let mut evaluator = RuleEvaluator::new(input);
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
            if let Some(decision) = evaluator.decide(bundle, rule, &mut output.doubts) {
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

/// Evaluates the rules of one compile.
struct RuleEvaluator<'i> {
    input: &'i Input<'i>,
    effort: policy::RuleBudget<'i>,
    /// Hashes of the facts that rules read, by path.
    fact_hashes: BTreeMap<Arc<str>, ContentHash>,
}

impl<'i> RuleEvaluator<'i> {
    fn new(input: &'i Input<'i>) -> Self {
        let effort = policy::RuleBudget::new(input.deadline);
        Self { input, effort, fact_hashes: BTreeMap::new() }
    }

    /// Decides one rule; none if it does not hold.
    fn decide<'p>(
        &mut self,
        bundle: &'p Bundle,
        rule: &'p PolicyRule,
        doubts: &mut Vec<DoubtfulRule<'p>>,
    ) -> Option<RuleDecision<'p>> {
        let input = self.input;
        let outcome = policy::evaluate(&rule.condition, input.facts, &mut self.effort);
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
        let constraints = rule.constraints.as_deref();
        let constraints = constraints.and_then(|text| serde_json::from_str(text).ok());
        Some(RuleDecision {
            id: self.id(bundle, rule, &outcome.reads),
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

    /// The id of a decision: the same rule that reads the same facts has the same id, anywhere.
    fn id(
        &mut self,
        bundle: &Bundle,
        rule: &PolicyRule,
        reads: &BTreeMap<Arc<str>, policy::Value>,
    ) -> String {
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
            eval_hash: HashText(self.hash_reads(reads)),
            intent_id: self.input.intent,
            policy_layer_digest: HashText(self.input.layer_hash),
            rule_id: &rule.id,
        });
        let digits = digest.to_string();
        format!("pol_{}", digits.get(..20).unwrap_or_default())
    }

    /// The hash of facts with their paths. Each fact is written once for all rules, and paid for:
    /// rules may read the same facts hundreds of times.
    fn hash_reads(&mut self, reads: &BTreeMap<Arc<str>, policy::Value>) -> ContentHash {
        let mut rows: Vec<(&str, HashText)> = Vec::with_capacity(reads.len());
        for (path, value) in reads {
            let known = if let Some(known) = self.fact_hashes.get(path) {
                *known
            } else {
                let mut text = PaidText::new(self.input.deadline.allowance());
                // Without allowance the request is refused in the end.
                if value.write(&mut text).is_err() {
                    return self.input.facts_hash;
                }
                let hash = ContentHash::of(&text.into_string());
                self.fact_hashes.insert(Arc::clone(path), hash);
                hash
            };
            rows.push((path, HashText(known)));
        }
        hash(&rows)
    }
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
