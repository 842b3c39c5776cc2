//! Stage 3: which capabilities may be shown, and why the others are not.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::policy::{Decision, Verdict};
use crate::pack::{Capability, Mode, Pack};
use crate::request::RunContext;

/// A capability that may be shown.
#[derive(Debug, Clone)]
pub(super) struct Surfaced {
    pub(super) capability: Capability,
    pub(super) mode: Mode,
    pub(super) constraints: Value,
    pub(super) gates: Vec<Arc<str>>,
}

/// One that may not.
#[derive(Debug, Clone)]
pub(super) struct Withheld {
    pub(super) key: Arc<str>,
    pub(super) reason: &'static str,
    pub(super) by: Option<Arc<str>>,
}

#[derive(Debug, Default)]
pub(super) struct Output {
    pub(super) surfaced: Vec<Surfaced>,
    pub(super) withheld: Vec<Withheld>,
    /// Capabilities for which a rule names a mode above their own.
    pub(super) above: Vec<Arc<str>>,
}

pub(super) fn run(pack: &Pack, run: &RunContext, decisions: &[Decision]) -> Output {
    let mut output = Output::default();
    for capability in &pack.capabilities {
        let key = &capability.key;
        let lowering = decisions
            .iter()
            .find_map(|decision| decision.mode.filter(|_| decision.targets.contains(key)));
        if lowering.is_some_and(|mode| mode > capability.ceiling) {
            output.above.push(Arc::clone(key));
        }
        let mode = lowering.map_or(capability.ceiling, |mode| mode.min(capability.ceiling));
        let refused = refused(pack, run, decisions, capability)
            .or_else(|| (mode > run.safety_mode).then_some(("above_safety_mode", None)));
        match refused {
            Some((reason, by)) => {
                output.withheld.push(Withheld { key: Arc::clone(key), reason, by });
            }
            None => output.surfaced.push(Surfaced {
                mode,
                constraints: constraints(pack, decisions, key),
                gates: gates(pack, decisions, key),
                capability: capability.clone(),
            }),
        }
    }
    output
}

/// The first test that a capability does not pass.
fn refused(
    pack: &Pack,
    run: &RunContext,
    decisions: &[Decision],
    capability: &Capability,
) -> Option<(&'static str, Option<Arc<str>>)> {
    let key = &capability.key;
    let own = || pack.permissions.iter().filter(|permission| permission.key == *key);
    if own().any(|permission| !permission.allow) {
        return Some(("permission_denied", None));
    }
    if own().next().is_none() {
        return Some(("no_permission", None));
    }
    if let Some(given) = &run.permissions {
        let mut of = given.iter().filter(|(named, _)| named == key).peekable();
        if of.peek().is_none() || of.any(|(_, allow)| !allow) {
            return Some(("run_not_permitted", None));
        }
    }
    let all = format!("{}.*", capability.adapter);
    if run.prohibitions.iter().any(|named| *named == *key || **named == *all) {
        return Some(("prohibited", None));
    }
    if let Some(by) = decisions.iter().find(|decision| decision.forbids.contains(key)) {
        return Some(("policy_forbidden", Some(Arc::clone(&by.rule))));
    }
    let denies = |decision: &&Decision| {
        let denied = decision.denied();
        decision.verdict == Verdict::Deny && (denied.is_empty() || denied.contains(key))
    };
    let by = decisions.iter().find(denies)?;
    Some(("policy_denied", Some(Arc::clone(&by.rule))))
}

/// What permissions and rules ask of the arguments; of two that say otherwise the rule's counts.
fn constraints(pack: &Pack, decisions: &[Decision], key: &Arc<str>) -> Value {
    let own = pack.permissions.iter().filter(|permission| permission.key == *key);
    let of_rules = decisions.iter().filter(|decision| decision.targets.contains(key));
    let texts = own
        .filter_map(|permission| permission.constraints.as_deref())
        .chain(of_rules.filter_map(|decision| decision.constraints.as_deref()));
    let mut merged = Map::new();
    for text in texts {
        if let Ok(Value::Object(members)) = serde_json::from_str(text) {
            merged.extend(members);
        }
    }
    Value::Object(merged)
}

/// Gates that name the capability, or that a rule about it asks for.
fn gates(pack: &Pack, decisions: &[Decision], key: &Arc<str>) -> Vec<Arc<str>> {
    let named = pack.policy.gates.iter().filter(|gate| gate.capabilities.contains(key));
    let asked = decisions.iter().filter(|decision| decision.targets.contains(key));
    let mut gates: Vec<Arc<str>> = named
        .map(|gate| Arc::clone(&gate.id))
        .chain(asked.filter_map(|decision| decision.gate.clone()))
        .collect();
    gates.sort_unstable();
    gates.dedup();
    gates
}

impl Surfaced {
    pub(super) fn told(&self) -> Value {
        json!({
            "adapter_id": self.capability.adapter,
            "capability_id": self.capability.id,
            "approval_mode": self.mode.as_str(),
            "ceiling": self.capability.ceiling.as_str(),
            "schema_ref": self.capability.schema_ref,
            "arg_constraints": self.constraints,
            "gates": self.gates,
        })
    }
}

impl Withheld {
    pub(super) fn told(&self) -> Value {
        json!({"key": self.key, "reason": self.reason, "by": self.by})
    }
}

impl Output {
    pub(super) fn told(&self) -> Value {
        let surfaced: Vec<Value> = self.surfaced.iter().map(Surfaced::told).collect();
        let withheld: Vec<Value> = self.withheld.iter().map(Withheld::told).collect();
        json!({"surfaced": surfaced, "withheld": withheld})
    }
}
