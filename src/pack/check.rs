//! Whether what a pack names is there.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use super::document::{Capability, Pack, PolicyRule, matches};
use super::lint::Lint;
use crate::json::{Fields, Node};

/// Checks every name across the layers. `targets`: intents to be evaluated, with their places.
pub(super) fn run(
    pack: &Pack,
    fields: &Fields<'_, '_>,
    targets: &[(Arc<str>, String)],
    lint: &mut Lint,
) {
    /// Rules, or capabilities, of a whole pack.
    const MAX_LAYER_ITEMS: usize = 500;
    let node = fields.node();
    let all: usize = pack.policy.bundles.iter().map(|bundle| bundle.rules.len()).sum();
    for (count, layer) in [(all, "policy_layer"), (pack.capabilities.len(), "tooling_layer")] {
        if count > MAX_LAYER_ITEMS {
            let detail = format!("{count} of them; a pack may have {MAX_LAYER_ITEMS}");
            lint.error_at("pack_too_large", format!("/{layer}"), detail);
            return;
        }
    }
    let names = DefinedNames::new(pack);
    check_compatibility(pack, lint);
    check_intents(pack, targets, lint);
    check_rules(pack, &names, node, lint);
    check_gates(pack, &names, lint);
    check_tools(pack, &names, lint);
    check_budget(pack, lint);
}

/// The names that the layers define, for lookups: rules name thousands of things.
struct DefinedNames<'p> {
    capabilities: BTreeMap<&'p str, &'p Capability>,
    gates: BTreeSet<&'p str>,
    /// Whether a gate has a condition, and so may be for any rule.
    has_conditional_gate: bool,
    /// Capabilities that gates name.
    gated: BTreeSet<&'p str>,
    decisions: BTreeSet<&'p str>,
    /// Classes of evidence that decisions ask for.
    evidence: BTreeSet<&'p str>,
}

impl<'p> DefinedNames<'p> {
    fn new(pack: &'p Pack) -> Self {
        let gates = &pack.policy.gates;
        let mut capabilities = BTreeMap::new();
        for capability in &pack.capabilities {
            // The first one of a key counts, as in `Pack::capability`.
            capabilities.entry(&*capability.key).or_insert(capability);
        }
        let behind_gates = gates.iter().flat_map(|gate| &gate.capabilities);
        let evidence = pack.decisions.iter().flat_map(|spec| &spec.required_evidence);
        Self {
            capabilities,
            gates: gates.iter().map(|gate| &*gate.id).collect(),
            has_conditional_gate: gates.iter().any(|gate| gate.condition.is_some()),
            gated: behind_gates.map(|key| &**key).collect(),
            decisions: pack.decisions.iter().map(|spec| &*spec.key).collect(),
            evidence: evidence.map(|name| &**name).collect(),
        }
    }

    fn has_capability(&self, key: &str) -> bool {
        self.capabilities.contains_key(key)
    }

    /// Whether a gate is for what a rule is about.
    fn is_gated(&self, rule: &PolicyRule) -> bool {
        let is_named = if rule.targets.is_empty() {
            !self.gated.is_empty()
        } else {
            rule.targets.iter().any(|key| self.gated.contains(&**key))
        };
        self.has_conditional_gate || is_named
    }
}

/// Whether there is what the pack needs. It may be published ahead of its runtime; nothing is
/// compiled under it before.
fn check_compatibility(pack: &Pack, lint: &mut Lint) {
    for (name, detail) in pack.unmet() {
        let path = format!("/contract_meta/compatibility/requires/{}", escaped(name));
        lint.warn_at("pack_incompatible", path, detail);
    }
}

/// A name as a part of a JSON Pointer.
fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

fn check_intents(pack: &Pack, targets: &[(Arc<str>, String)], lint: &mut Lint) {
    report_repeats(pack.intents.iter().map(|intent| &intent.id), |at, id| {
        let path = format!("/intent_layer/catalog/{at}/id");
        lint.error_at("intent_duplicate", path, format!("the intent `{id}` stands twice"));
    });
    for (intent, path) in targets {
        if !pack.intents.iter().any(|row| row.id == *intent) {
            let detail = format!("no intent of the catalogue is `{intent}`");
            lint.error_at("eval_intent_unresolved", path.clone(), detail);
        }
    }
    report_repeats(pack.decisions.iter().map(|spec| &spec.key), |at, key| {
        let path = format!("/decision_layer/decision_specs/{at}/decision_key");
        lint.error_at("decision_duplicate", path, format!("the decision `{key}` stands twice"));
    });
}

/// Calls `report` for every repeated name, with its index.
fn report_repeats<'n>(
    names: impl Iterator<Item = &'n Arc<str>>,
    mut report: impl FnMut(usize, &str),
) {
    let mut seen = BTreeSet::new();
    for (at, name) in names.enumerate() {
        if !seen.insert(name) {
            report(at, name);
        }
    }
}

/// The rules in the order of the document, with their places: the pack has them in another one.
fn place_rules<'p>(pack: &'p Pack, node: &Node<'_>) -> Vec<(String, &'p PolicyRule)> {
    let mut known: BTreeMap<(&str, &str), VecDeque<&'p PolicyRule>> = BTreeMap::new();
    for bundle in &pack.policy.bundles {
        for rule in &bundle.rules {
            known.entry((&*bundle.id, &*rule.id)).or_default().push_back(rule);
        }
    }
    let bundles = node.get("policy_layer").and_then(|layer| layer.get("policy_bundles"));
    let mut found = Vec::new();
    for (at, bundle) in bundles.and_then(Node::as_array).into_iter().flatten().enumerate() {
        let rules = bundle.get("policy_dsl").and_then(|dsl| dsl.get("rules"));
        for (index, rule) in rules.and_then(Node::as_array).into_iter().flatten().enumerate() {
            let id = rule.get("rule_id").and_then(Node::as_str).unwrap_or_default();
            let bundle = bundle.get("bundle_id").and_then(Node::as_str).unwrap_or_default();
            let place = format!("/policy_layer/policy_bundles/{at}/policy_dsl/rules/{index}");
            let rule = known.get_mut(&(bundle, id)).and_then(VecDeque::pop_front);
            found.extend(rule.map(|rule| (place, rule)));
        }
    }
    found
}

fn check_rules(pack: &Pack, names: &DefinedNames<'_>, node: &Node<'_>, lint: &mut Lint) {
    let placed = place_rules(pack, node);
    report_repeats(placed.iter().map(|(_, rule)| &rule.id), |at, id| {
        let place = placed.get(at).map(|(place, _)| format!("{place}/rule_id"));
        let detail = format!("the rule `{id}` stands twice");
        lint.error_at("policy_rule_duplicate", place.unwrap_or_default(), detail);
    });
    let bundles = node.get("policy_layer").and_then(|layer| layer.get("policy_bundles"));
    let mut seen = BTreeSet::new();
    for (at, bundle) in bundles.and_then(Node::as_array).into_iter().flatten().enumerate() {
        if let Some(id) = bundle.get("bundle_id").and_then(Node::as_str)
            && !seen.insert(id)
        {
            let place = format!("/policy_layer/policy_bundles/{at}/bundle_id");
            lint.error_at("policy_bundle_duplicate", place, format!("`{id}` stands twice"));
        }
    }
    for (place, rule) in placed {
        check_rule(pack, names, &place, rule, lint);
    }
}

fn check_rule(
    pack: &Pack,
    names: &DefinedNames<'_>,
    place: &str,
    rule: &PolicyRule,
    lint: &mut Lint,
) {
    for pattern in &rule.intents {
        if !pack.intents.iter().any(|intent| matches(pattern, &intent.id)) {
            let detail = format!("no intent of the catalogue is `{pattern}`");
            lint.error_at("policy_intent_unresolved", format!("{place}/applies_to/intent"), detail);
        }
    }
    let gate = rule.gate.as_ref();
    if let Some(gate) = gate.filter(|gate| !names.gates.contains(&***gate)) {
        let at = format!("{place}/then/requires_approval_gate");
        lint.error_at("policy_gate_unresolved", at, format!("there is no gate `{gate}`"));
    }
    let asks_approval = rule.requires.iter().any(|name| &**name == "approval");
    if gate.is_none() && asks_approval && !names.is_gated(rule) {
        let at = format!("{place}/then/requires");
        if names.gates.is_empty() {
            let detail = "`approval` is required and the pack has no gates: the rule is escalated";
            lint.warn_at("policy_gate_unresolved", at, detail);
        } else {
            let detail = "`approval` is required and no gate covers the rule";
            lint.error_at("policy_gate_unresolved", at, detail);
        }
    }
    if let Some(key) = rule.binding.as_ref().filter(|key| !names.decisions.contains(&***key)) {
        let at = format!("{place}/decision_binding");
        lint.error_at("policy_binding_unresolved", at, format!("there is no decision `{key}`"));
    }
    let asks = rule.constraints.as_deref().is_some_and(|asked| asked != "{}");
    if asks && rule.targets.is_empty() && !rule.denies {
        let at = format!("{place}/then/arg_constraints");
        let detail = "without `targets` the arguments of no capability are constrained";
        lint.error_at("policy_constraints_untargeted", at, detail);
    }
    for (list, keys) in [("targets", &rule.targets), ("forbids", &rule.forbids)] {
        for key in keys.iter().filter(|key| !names.has_capability(key)) {
            let at = format!("{place}/then/{list}");
            let detail = format!("no capability of the registry is `{key}`");
            lint.error_at("policy_target_unresolved", at, detail);
        }
    }
    for name in &rule.requires {
        let is_known =
            &**name == "approval" || names.has_capability(name) || names.evidence.contains(&**name);
        if !is_known {
            let at = format!("{place}/then/requires");
            let detail = format!("`{name}` is no capability and no evidence of a decision");
            lint.warn_at("policy_requirement_unresolved", at, detail);
        }
    }
    let above = |key: &Arc<str>| {
        let ceiling = names.capabilities.get(&**key).map(|capability| capability.ceiling);
        ceiling.zip(rule.mode).is_some_and(|(ceiling, mode)| mode > ceiling)
    };
    for key in rule.targets.iter().filter(|key| above(key)) {
        let at = format!("{place}/then/approval_mode");
        let detail = format!("is above the ceiling of `{key}`, and changes nothing there");
        lint.warn_at("policy_mode_above_ceiling", at, detail);
    }
}

fn check_gates(pack: &Pack, names: &DefinedNames<'_>, lint: &mut Lint) {
    report_repeats(pack.policy.gates.iter().map(|gate| &gate.id), |at, id| {
        let path = format!("/policy_layer/approval_gates/{at}/gate_id");
        lint.error_at("policy_gate_duplicate", path, format!("the gate `{id}` stands twice"));
    });
    for (at, gate) in pack.policy.gates.iter().enumerate() {
        for key in gate.capabilities.iter().filter(|key| !names.has_capability(key)) {
            let path = format!("/policy_layer/approval_gates/{at}/applies_to/capabilities");
            let detail = format!("no capability of the registry is `{key}`");
            lint.error_at("policy_target_unresolved", path, detail);
        }
    }
}

fn check_tools(pack: &Pack, names: &DefinedNames<'_>, lint: &mut Lint) {
    report_repeats(pack.capabilities.iter().map(|capability| &capability.key), |_, key| {
        let path = "/tooling_layer/adapter_registry".to_owned();
        lint.error_at("tool_capability_duplicate", path, format!("`{key}` stands twice"));
    });
    for (at, permission) in pack.permissions.iter().enumerate() {
        let path = || format!("/tooling_layer/permissions/{at}");
        if !names.has_capability(&permission.key) {
            let detail = format!("no capability of the registry is `{}`", permission.key);
            lint.error_at("tool_permission_unresolved", path(), detail);
        }
        let before = pack.permissions.iter().take(at);
        if before
            .clone()
            .any(|other| other.key == permission.key && other.allow != permission.allow)
        {
            let detail = format!("`{}` is allowed and denied: denied it is", permission.key);
            lint.warn_at("tool_permission_conflict", path(), detail);
        }
    }
}

fn check_budget(pack: &Pack, lint: &mut Lint) {
    for name in pack.budget.splits.keys() {
        let is_known = &**name == "default"
            || pack.intents.iter().any(|intent| intent.id == *name)
            || name
                .strip_prefix("class:")
                .is_some_and(|class| pack.intents.iter().any(|intent| &*intent.class == class));
        if !is_known {
            let path = format!("/budget_layer/splits/{}", escaped(name));
            let detail = format!("no intent and no class of intents is `{name}`");
            lint.warn_at("budget_intent_unresolved", path, detail);
        }
    }
}
