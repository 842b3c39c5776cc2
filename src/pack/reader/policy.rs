//! Rules, guardrails and gates.

use super::{MAX_ITEMS, id, layer, list, object, optional, passed_on, required, texts};
use crate::json::{Fields, Node, Path};
use crate::limit::PatternBudget;
use crate::pack::document::{AccessMode, ApprovalGate, Bundle, PolicyLayer, PolicyRule};
use crate::pack::lint::Lint;
use crate::pack::redaction::Redaction;
use crate::policy::{self, RuleFaultKind};

/// Bytes that the patterns of a pack may take compiled.
const MAX_PATTERNS_BYTES: usize = 2 << 20;

pub(super) fn read(fields: &Fields<'_, '_>, lint: &mut Lint) -> PolicyLayer {
    const KNOWN: &[&str] = &["policy_bundles", "guardrails", "approval_gates", "evaluation"];
    let mut read = PolicyLayer::default();
    let path = fields.path().key("policy_layer");
    let Some(given) = layer(fields, "policy_layer", path, KNOWN, lint) else { return read };
    let path = given.path().key("policy_bundles");
    for (at, node) in list(&given, "policy_bundles", MAX_ITEMS, lint).iter().enumerate() {
        read.bundles.extend(bundle(node, path.index(at), lint));
    }
    // Stable: bundles of one priority stay in the order of the document.
    read.bundles.sort_by_key(|bundle| std::cmp::Reverse(bundle.priority));
    guardrails(&given, &mut read, lint);
    let path = given.path().key("approval_gates");
    let gates = given.list("approval_gates", MAX_ITEMS, &mut lint.shape);
    for (at, node) in gates.iter().enumerate() {
        read.gates.extend(gate(node, path.index(at), lint));
    }
    let path = given.path().key("evaluation");
    if let Some(how) = layer(&given, "evaluation", path, &["indeterminate"], lint) {
        let words = [("fail_closed", false), ("jsonlogic", true)];
        read.trusts_missing = how.choice("indeterminate", &words, &mut lint.shape).unwrap_or(false);
    }
    read
}

fn guardrails(given: &Fields<'_, '_>, read: &mut PolicyLayer, lint: &mut Lint) {
    const KNOWN: &[&str] = &["must_refuse", "must_escalate", "redaction_rules"];
    let path = given.path().key("guardrails");
    let Some(rails) = layer(given, "guardrails", path, KNOWN, lint) else { return };
    read.must_refuse = texts(&rails, "must_refuse", false, lint);
    read.must_escalate = texts(&rails, "must_escalate", false, lint);
    let path = rails.path().key("redaction_rules");
    let mut budget = PatternBudget::new(MAX_ITEMS, MAX_PATTERNS_BYTES);
    let rules = rails.list("redaction_rules", MAX_ITEMS, &mut lint.shape);
    for (at, node) in rules.iter().enumerate() {
        read_redaction(node, path.index(at), &mut read.redaction, &mut budget, lint);
    }
}

fn read_redaction(
    node: &Node<'_>,
    path: Path<'_>,
    rules: &mut Redaction,
    budget: &mut PatternBudget,
    lint: &mut Lint,
) {
    const KNOWN: &[&str] = &["id", "regex", "replacement"];
    if let Some(name) = node.as_str() {
        if !rules.add_detector(name) {
            let detail = format!("there is no detector `{name}`");
            lint.error("redaction_rule_unknown", &path, detail);
        } else if name == "pan" {
            let detail = "a tax number of India, not the number of a card: `credit_card` is that";
            lint.warn("redaction_ambiguous", &path, detail);
        }
        return;
    }
    let Some(rule) = Fields::read(node, path, KNOWN, &mut lint.shape) else { return };
    let id = required(&rule, "id", lint);
    let pattern = required(&rule, "regex", lint);
    let replacement = rule.text("replacement", &mut lint.shape);
    if replacement.is_some_and(|text| text.len() > Redaction::MAX_REPLACEMENT_BYTES) {
        let detail = format!("must be at most {} bytes", Redaction::MAX_REPLACEMENT_BYTES);
        rule.fault("replacement", detail, &mut lint.shape);
        return;
    }
    let (Some(id), Some(pattern)) = (id, pattern) else { return };
    match budget.compile(pattern) {
        Ok(pattern) => rules.add_pattern(id, pattern, replacement),
        Err(error) => {
            lint.error("redaction_rule_unknown", &rule.path().key("regex"), error.to_string());
        }
    }
}

fn bundle(node: &Node<'_>, path: Path<'_>, lint: &mut Lint) -> Option<Bundle> {
    const KNOWN: &[&str] = &["bundle_id", "version", "priority", "policy_dsl"];
    const DSL: &[&str] = &["language", "rules"];
    let given = Fields::read(node, path, KNOWN, &mut lint.shape)?;
    let mut bundle = Bundle {
        id: id(&given, "bundle_id", lint),
        version: optional(&given, "version", lint),
        priority: 0,
        rules: Vec::new(),
    };
    if given.get("priority").is_none() {
        given.fault("priority", "is missing", &mut lint.shape);
    }
    bundle.priority =
        given.integer("priority", -1_000_000, 1_000_000, &mut lint.shape).unwrap_or_default();
    let path = given.path().key("policy_dsl");
    let dsl = object(&given, "policy_dsl", path, DSL, lint)?;
    let language = dsl.get("language");
    if language.is_some_and(|language| language.as_str() != Some("jsonlogic")) {
        let path = dsl.path().key("language");
        lint.error("policy_language", &path, "the one language is `jsonlogic`");
    }
    let path = dsl.path().key("rules");
    for (at, node) in list(&dsl, "rules", MAX_ITEMS, lint).iter().enumerate() {
        bundle.rules.extend(rule(node, path.index(at), lint));
    }
    Some(bundle)
}

fn rule(node: &Node<'_>, path: Path<'_>, lint: &mut Lint) -> Option<PolicyRule> {
    const KNOWN: &[&str] =
        &["rule_id", "applies_to", "if", "then", "rationale", "decision_binding"];
    let given = Fields::read(node, path, KNOWN, &mut lint.shape)?;
    let mut rule = PolicyRule {
        id: id(&given, "rule_id", lint),
        intents: Vec::new(),
        condition: policy::Value::Null,
        denies: false,
        requires: Vec::new(),
        forbids: Vec::new(),
        targets: Vec::new(),
        mode: None,
        gate: None,
        constraints: None,
        rationale: optional(&given, "rationale", lint).unwrap_or_else(|| "".into()),
        binding: optional(&given, "decision_binding", lint),
        needs_proof: false,
    };
    let path = given.path().key("applies_to");
    if let Some(applies) = layer(&given, "applies_to", path, &["intent"], lint) {
        rule.intents = match applies.get("intent") {
            Some(node) if node.as_array().is_some() => texts(&applies, "intent", false, lint),
            Some(_) => optional(&applies, "intent", lint).into_iter().collect(),
            None => Vec::new(),
        };
    }
    // Here null is a value: a rule that is never true.
    match given.node().get("if") {
        Some(node) => rule.condition = condition(node, &given.path().key("if"), lint),
        None => given.fault("if", "is missing", &mut lint.shape),
    }
    read_consequence(&given, &mut rule, lint);
    Some(rule)
}

fn read_consequence(given: &Fields<'_, '_>, rule: &mut PolicyRule, lint: &mut Lint) {
    const KNOWN: &[&str] = &[
        "allow",
        "requires",
        "forbids",
        "prohibits",
        "targets",
        "approval_mode",
        "requires_approval_gate",
        "arg_constraints",
    ];
    let path = given.path().key("then");
    let Some(then) = object(given, "then", path, KNOWN, lint) else { return };
    rule.denies = then.flag("allow", &mut lint.shape) == Some(false);
    rule.requires = texts(&then, "requires", false, lint);
    rule.forbids = texts(&then, "forbids", false, lint);
    rule.forbids.extend(texts(&then, "prohibits", false, lint));
    rule.targets = texts(&then, "targets", false, lint);
    rule.mode = mode(&then, "approval_mode", lint);
    rule.gate = optional(&then, "requires_approval_gate", lint);
    rule.constraints = passed_on(&then, "arg_constraints", lint);
}

/// Reads a rule's condition and reports unknown operators.
pub(super) fn condition(node: &Node<'_>, path: &Path<'_>, lint: &mut Lint) -> policy::Value {
    if node.as_object().is_some_and(|members| members.is_empty()) {
        lint.warn("policy_literal_object", path, "an object without an operator always holds");
    }
    let value = policy::Value::from_node(node);
    for trouble in policy::check(&value, Lint::MAX_FAULTS) {
        let at = format!("{}{}", path.pointer(), trouble.pointer);
        match trouble.kind {
            RuleFaultKind::Operator(name) => {
                let detail = format!("there is no operator `{name}`");
                lint.error_at("policy_operator_unknown", at, detail);
            }
            RuleFaultKind::Literal => {
                let detail = "an object of several keys is no operator, and always holds";
                lint.warn_at("policy_literal_object", at, detail);
            }
            RuleFaultKind::Loose => {
                let detail = "takes other values for this one too: `===` and `!==` do not";
                lint.warn_at("policy_loose_equality", at, detail);
            }
        }
    }
    value
}

pub(super) fn mode(fields: &Fields<'_, '_>, key: &str, lint: &mut Lint) -> Option<AccessMode> {
    let node = fields.get(key)?;
    let found =
        node.as_str().and_then(|text| AccessMode::WORDS.iter().find(|(word, _)| *word == text));
    if found.is_none() {
        let words: Vec<&str> = AccessMode::WORDS.iter().map(|(word, _)| *word).collect();
        let detail = format!("must be one of {}", words.join(", "));
        lint.error("tool_mode_unknown", &fields.path().key(key), detail);
    }
    found.map(|(_, mode)| *mode)
}

fn gate(node: &Node<'_>, path: Path<'_>, lint: &mut Lint) -> Option<ApprovalGate> {
    const KNOWN: &[&str] =
        &["gate_id", "when", "required_approver_role", "expires_in_seconds", "applies_to"];
    let given = Fields::read(node, path, KNOWN, &mut lint.shape)?;
    let mut gate = ApprovalGate {
        id: id(&given, "gate_id", lint),
        condition: given.get("when").map(|node| condition(node, &given.path().key("when"), lint)),
        approver: id(&given, "required_approver_role", lint),
        expires_in_seconds: given.whole("expires_in_seconds", 1, u32::MAX.into(), &mut lint.shape),
        capabilities: Vec::new(),
    };
    let path = given.path().key("applies_to");
    if let Some(applies) = layer(&given, "applies_to", path, &["capabilities"], lint) {
        gate.capabilities = texts(&applies, "capabilities", false, lint);
    }
    Some(gate)
}
