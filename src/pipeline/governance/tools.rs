//! Stage 3: which capabilities may be shown, and why the others are not.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Number, Value};

use super::canonical::WrittenList;
use super::policy::{RuleDecision, RuleVerdict};
use crate::domain::ContentHash;
use crate::json;
use crate::limit::Allowance;
use crate::pack::{AccessMode, Capability, Pack, Permission};
use crate::request::RunContext;

/// A capability that may be shown.
#[derive(Debug)]
pub(super) struct SurfacedTool<'p> {
    pub(super) capability: &'p Capability,
    pub(super) mode: AccessMode,
    pub(super) constraints: Map<String, Value>,
    pub(super) gates: Vec<&'p str>,
}

/// One that may not.
#[derive(Debug, Clone, Serialize)]
pub(super) struct WithheldTool<'p> {
    pub(super) key: &'p Arc<str>,
    pub(super) reason: &'static str,
    pub(super) by: Option<&'p Arc<str>>,
}

#[derive(Debug, Default)]
pub(super) struct Output<'p> {
    pub(super) surfaced: Vec<SurfacedTool<'p>>,
    pub(super) withheld: Vec<WithheldTool<'p>>,
    /// Capabilities for which a rule names a mode above their own.
    pub(super) above: Vec<&'p Arc<str>>,
}

/// Copies of a row of a capability: manifests, the prompt, the record.
const ROW_COPIES: usize = 4;

/// Constraints and gates of one rule may be those of hundreds of capabilities: each row is taken from
/// the allowance. Without enough of it rows lack them, and the request is refused in the end.
pub(super) fn run<'p>(
    pack: &'p Pack,
    run: &RunContext,
    decisions: &[RuleDecision<'p>],
    allowance: &Allowance,
) -> Output<'p> {
    let mut output = Output::default();
    let known = CapabilityIndex::new(pack, run, decisions);
    for capability in &pack.capabilities {
        let key = &capability.key;
        let targeted = known.decisions_on(key);
        let lowering = targeted.iter().find_map(|decision| decision.mode);
        if lowering.is_some_and(|mode| mode > capability.ceiling) {
            output.above.push(key);
        }
        let mode = lowering.map_or(capability.ceiling, |mode| mode.min(capability.ceiling));
        let refused = known
            .find_refusal(capability)
            .or_else(|| (mode > run.safety_mode).then_some(("above_safety_mode", None)));
        if let Some((reason, by)) = refused {
            output.withheld.push(WithheldTool { key, reason, by });
            continue;
        }
        let (gates, constraints) = match allowance.take(known.row_bytes(key)) {
            Ok(()) => (known.gates(key), constraints(known.permissions(key), targeted)),
            Err(_) => Default::default(),
        };
        output.surfaced.push(SurfacedTool { capability, mode, constraints, gates });
    }
    output
}

/// Permissions and rules on capabilities, by key.
struct CapabilityIndex<'k, 'p> {
    permitted: HashMap<&'p str, Vec<&'p Permission>>,
    /// Whether the run permits it, if the run lists permissions.
    granted: Option<HashMap<&'k str, bool>>,
    /// Keys that the run prohibits.
    prohibited: HashSet<&'k str>,
    /// Decisions that are about it, in their order.
    targeted: HashMap<&'p str, Vec<&'k RuleDecision<'p>>>,
    /// The first one that forbids it.
    forbidden: HashMap<&'p str, &'p Arc<str>>,
    /// The first one that denies it, and its place.
    denied: HashMap<&'p str, (usize, &'p Arc<str>)>,
    /// The first one that denies everything.
    all_denied: Option<(usize, &'p Arc<str>)>,
    /// Gates that name it.
    gated: HashMap<&'p str, Vec<&'p str>>,
}

impl<'k, 'p> CapabilityIndex<'k, 'p> {
    fn new(pack: &'p Pack, run: &'k RunContext, decisions: &'k [RuleDecision<'p>]) -> Self {
        let mut known = Self {
            permitted: HashMap::with_capacity(pack.permissions.len()),
            granted: None,
            prohibited: run.prohibitions.iter().map(|key| &**key).collect(),
            targeted: HashMap::new(),
            forbidden: HashMap::new(),
            denied: HashMap::new(),
            all_denied: None,
            gated: HashMap::new(),
        };
        for permission in &pack.permissions {
            known.permitted.entry(&permission.key).or_default().push(permission);
        }
        if let Some(given) = &run.permissions {
            let granted = known.granted.insert(HashMap::with_capacity(given.len()));
            for (key, allow) in given {
                *granted.entry(key).or_insert(true) &= *allow;
            }
        }
        for (at, decision) in decisions.iter().enumerate() {
            for key in decision.targets {
                let own = known.targeted.entry(key).or_default();
                // A rule may name a key twice.
                if !own.last().is_some_and(|last| std::ptr::eq(*last, decision)) {
                    own.push(decision);
                }
            }
            for key in decision.forbids {
                known.forbidden.entry(key).or_insert(decision.rule);
            }
            if decision.verdict == RuleVerdict::Deny {
                for key in decision.denied() {
                    known.denied.entry(key).or_insert((at, decision.rule));
                }
                if decision.denied().next().is_none() {
                    known.all_denied.get_or_insert((at, decision.rule));
                }
            }
        }
        for gate in &pack.policy.gates {
            for key in &gate.capabilities {
                known.gated.entry(key).or_default().push(&gate.id);
            }
        }
        known
    }

    fn permissions(&self, key: &str) -> &[&'p Permission] {
        self.permitted.get(key).map_or(&[], Vec::as_slice)
    }

    fn decisions_on(&self, key: &str) -> &[&'k RuleDecision<'p>] {
        self.targeted.get(key).map_or(&[], Vec::as_slice)
    }

    /// The first test that a capability does not pass.
    fn find_refusal(
        &self,
        capability: &Capability,
    ) -> Option<(&'static str, Option<&'p Arc<str>>)> {
        let key = &*capability.key;
        let own = self.permissions(key);
        if own.iter().any(|permission| !permission.allow) {
            return Some(("permission_denied", None));
        }
        if own.is_empty() {
            return Some(("no_permission", None));
        }
        let is_granted = |given: &HashMap<_, bool>| given.get(key).copied().unwrap_or(false);
        if self.granted.as_ref().is_some_and(|given| !is_granted(given)) {
            return Some(("run_not_permitted", None));
        }
        let is_prohibited = |key: &Cow<'_, str>| self.prohibited.contains(&**key);
        if !self.prohibited.is_empty() && capability.prohibition_keys().iter().any(is_prohibited) {
            return Some(("prohibited", None));
        }
        if let Some(by) = self.forbidden.get(key) {
            return Some(("policy_forbidden", Some(*by)));
        }
        let denied = self.denied.get(key).into_iter().chain(&self.all_denied);
        let (_, by) = denied.min_by_key(|(at, _)| *at)?;
        Some(("policy_denied", Some(*by)))
    }

    /// The most bytes of the gates and constraints of a capability.
    fn row_bytes(&self, key: &str) -> usize {
        let targeted = self.decisions_on(key);
        let gates = self.gated.get(key).into_iter().flatten().map(|gate| gate.len());
        let asked = targeted.iter().filter_map(|decision| decision.gate).map(|gate| gate.len());
        let own = self.permissions(key).iter().filter_map(|one| one.constraints.as_ref());
        let own = own.map(|text| text.len());
        let of_rules = targeted.iter().map(|decision| decision.constraint_bytes);
        ROW_COPIES * gates.chain(asked).chain(own).chain(of_rules).sum::<usize>()
    }

    /// Gates that name the capability, or that a rule about it asks for.
    fn gates(&self, key: &str) -> Vec<&'p str> {
        let named = self.gated.get(key).into_iter().flatten().copied();
        let asked = self.decisions_on(key).iter().filter_map(|decision| Some(&**decision.gate?));
        let mut gates: Vec<&str> = named.chain(asked).collect();
        gates.sort_unstable();
        gates.dedup();
        gates
    }
}

/// Joins the constraints of permissions and rules on the arguments.
fn constraints(own: &[&Permission], of_rules: &[&RuleDecision<'_>]) -> Map<String, Value> {
    let own = own.iter().filter_map(|permission| permission.constraints.as_deref());
    let own = own.filter_map(|text| serde_json::from_str::<Map<String, Value>>(text).ok());
    let of_rules = of_rules.iter().filter_map(|decision| decision.constraints.as_object().cloned());
    own.chain(of_rules).reduce(join_constraints).unwrap_or_default()
}

/// Constraints that are no looser than either of two. What no third one can say at once is as the
/// first has it.
fn join_constraints(
    mut first: Map<String, Value>,
    mut second: Map<String, Value>,
) -> Map<String, Value> {
    /// The key that removes a limit: an approval lifts the limits of both only if both have it.
    const EXEMPTION: &str = "unless_approved";
    if first.get(EXEMPTION) != second.get(EXEMPTION) {
        for constraints in [&mut first, &mut second] {
            // An argument may have this name.
            constraints.retain(|key, value| key != EXEMPTION || value.is_object());
        }
    }
    for (key, new) in second {
        match first.get_mut(&key) {
            Some(known) => tighten(&key, known, new),
            None => {
                first.insert(key, new);
            }
        }
    }
    first
}

fn tighten(key: &str, known: &mut Value, new: Value) {
    match (key, known, new) {
        (_, Value::Object(first), Value::Object(second)) => {
            *first = join_constraints(std::mem::take(first), second);
        }
        ("max", Value::Number(first), Value::Number(second)) => {
            *first = choose_bound(first, second, Ordering::Less);
        }
        ("min", Value::Number(first), Value::Number(second)) => {
            *first = choose_bound(first, second, Ordering::Greater);
        }
        ("required", Value::Bool(first), Value::Bool(second)) => *first |= second,
        ("enum" | "in" | "one_of" | "allowed", Value::Array(first), Value::Array(second)) => {
            // By their canonical texts: lists may be long, and each is compared with the other.
            let second: HashSet<String> = second.iter().map(json::jcs_value).collect();
            first.retain(|one| second.contains(&json::jcs_value(one)));
        }
        _ => {}
    }
}

/// The second of two numbers if it has this order to the first one, else the first.
fn choose_bound(first: &Number, second: Number, so: Ordering) -> Number {
    let stands = second.as_f64().partial_cmp(&first.as_f64());
    if stands == Some(so) { second } else { first.clone() }
}

/// A row of a capability that may be shown.
#[derive(Serialize)]
pub(super) struct CapabilityRow<'r> {
    adapter_id: &'r str,
    capability_id: &'r str,
    approval_mode: AccessMode,
    ceiling: AccessMode,
    schema_ref: Option<&'r str>,
    arg_constraints: &'r Map<String, Value>,
    gates: &'r [&'r str],
    #[serde(skip_serializing_if = "Option::is_none")]
    in_prompt: Option<bool>,
}

impl SurfacedTool<'_> {
    /// `in_prompt`: whether its block is shown, once that is known.
    pub(super) fn row(&self, in_prompt: Option<bool>) -> CapabilityRow<'_> {
        CapabilityRow {
            adapter_id: &self.capability.adapter,
            capability_id: &self.capability.id,
            approval_mode: self.mode,
            ceiling: self.capability.ceiling,
            schema_ref: self.capability.schema_ref.as_deref(),
            arg_constraints: &self.constraints,
            gates: &self.gates,
            in_prompt,
        }
    }
}

impl Output<'_> {
    /// The hash of what the stage gives.
    pub(super) fn hash(&self) -> ContentHash {
        #[derive(Serialize)]
        struct HashedTools<'t, S> {
            surfaced: S,
            withheld: &'t [WithheldTool<'t>],
        }
        let surfaced = WrittenList(|| {
            self.surfaced.iter().map(|tool| {
                let capability = tool.capability;
                (tool.row(None), &capability.description, &capability.schema_ref)
            })
        });
        super::ledger::hash(&HashedTools { surfaced, withheld: &self.withheld })
    }
}
