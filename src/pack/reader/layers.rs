//! Intents, decisions, memory, evaluation, tone and budget.

use std::sync::Arc;

use super::policy::condition;
use super::{MAX_ITEMS, id, layer, list, name, optional, texts};
use crate::domain::MemoryTier;
use crate::json::{Fields, Node, Path, Value};
use crate::pack::document::{
    AutoPromotion, BudgetLayer, DecisionSpec, Intent, MemoryLayer, PackBlock, Rollover, Split, Tone,
};
use crate::pack::lint::Lint;
use crate::pack::weights::{BUCKETS, MILLION, decimal, millionths};

pub(super) fn intents(fields: &Fields<'_, '_>, lint: &mut Lint) -> Vec<Intent> {
    const KNOWN: &[&str] = &[
        "id",
        "intent_class",
        "task_id",
        "risk_class",
        "accepted_channels",
        "locale_support",
        "description",
        "owner_role",
        "version",
        "eligible_task_templates",
    ];
    let path = fields.path().key("intent_layer");
    let Some(given) = layer(fields, "intent_layer", path, &["catalog"], lint) else {
        return Vec::new();
    };
    let path = given.path().key("catalog");
    let rows = list(&given, "catalog", MAX_ITEMS, lint);
    if rows.is_empty() {
        lint.error("intent_empty", &path, "a pack has at least one intent");
    }
    let mut read = Vec::new();
    for (at, node) in rows.iter().enumerate() {
        let Some(row) = Fields::read(node, path.index(at), KNOWN, &mut lint.shape) else {
            continue;
        };
        for key in ["description", "owner_role", "version"] {
            optional(&row, key, lint);
        }
        texts(&row, "eligible_task_templates", false, lint);
        read.push(Intent {
            id: id(&row, "id", lint),
            class: id(&row, "intent_class", lint),
            task: id(&row, "task_id", lint),
            risk_class: optional(&row, "risk_class", lint),
            channels: texts(&row, "accepted_channels", false, lint),
            locales: texts(&row, "locale_support", false, lint),
        });
    }
    read
}

pub(super) fn decisions(fields: &Fields<'_, '_>, lint: &mut Lint) -> Vec<DecisionSpec> {
    const KNOWN: &[&str] = &[
        "decision_key",
        "version",
        "owner_role",
        "required_evidence",
        "allowed_outcomes",
        "approval_mode",
        "inputs_schema_ref",
        "outputs_schema_ref",
        "eligibility_rules",
    ];
    let path = fields.path().key("decision_layer");
    let Some(given) = layer(fields, "decision_layer", path, &["decision_specs"], lint) else {
        return Vec::new();
    };
    let path = given.path().key("decision_specs");
    let mut read = Vec::new();
    let specs = given.list("decision_specs", MAX_ITEMS, &mut lint.shape);
    for (at, node) in specs.iter().enumerate() {
        let Some(spec) = Fields::read(node, path.index(at), KNOWN, &mut lint.shape) else {
            continue;
        };
        texts(&spec, "allowed_outcomes", false, lint);
        super::policy::mode(&spec, "approval_mode", lint);
        for key in ["version", "owner_role", "inputs_schema_ref", "outputs_schema_ref"] {
            optional(&spec, key, lint);
        }
        if let Some(rules) = spec.get("eligibility_rules") {
            condition(rules, &spec.path().key("eligibility_rules"), lint);
        }
        read.push(DecisionSpec {
            key: id(&spec, "decision_key", lint),
            required_evidence: texts(&spec, "required_evidence", true, lint),
        });
    }
    read
}

pub(super) fn memory(fields: &Fields<'_, '_>, lint: &mut Lint) -> MemoryLayer {
    const KNOWN: &[&str] =
        &["tiers", "write_classes", "consent_required", "promotion", "recall_policy"];
    /// The number of recalled items if a pack does not specify it.
    const DEFAULT_ITEMS: usize = 8;
    let mut read = MemoryLayer { most: DEFAULT_ITEMS, ..MemoryLayer::default() };
    let path = fields.path().key("memory_layer");
    let Some(given) = layer(fields, "memory_layer", path, KNOWN, lint) else { return read };
    tiers(&given, &mut read, lint);
    classes(&given, "write_classes", lint);
    if let Some(rule) = given.get("consent_required").filter(|node| node.as_bool().is_none()) {
        condition(rule, &given.path().key("consent_required"), lint);
    }
    let path = given.path().key("promotion");
    let known = ["min_confidence", "auto_promote_classes"];
    if let Some(promotion) = layer(&given, "promotion", path, &known, lint) {
        let min_confidence = promotion.milli("min_confidence", 0, 1000, &mut lint.shape);
        read.auto_promotion = AutoPromotion {
            classes: classes(&promotion, "auto_promote_classes", lint).into_iter().collect(),
            min_confidence_milli: min_confidence.unwrap_or(1000),
            needs_consent: given.get("consent_required").and_then(Node::as_bool) != Some(false),
        };
    }
    let path = given.path().key("recall_policy");
    if let Some(recall) = layer(&given, "recall_policy", path, &["max_per_intent", "tiers"], lint) {
        let most = recall.whole("max_per_intent", 0, 1_000, &mut lint.shape);
        read.most = most.and_then(|most| usize::try_from(most).ok()).unwrap_or(DEFAULT_ITEMS);
        if recall.get("tiers").is_some() {
            let path = recall.path().key("tiers");
            let words = recall.texts("tiers", MAX_ITEMS, &mut lint.shape);
            let found = words.iter().enumerate();
            read.recalled =
                found.filter_map(|(at, word)| tier(word, &path.index(at), lint)).collect();
        }
    }
    read
}

/// The tiers of a pack; all four without a time to live if it names none.
fn tiers(given: &Fields<'_, '_>, read: &mut MemoryLayer, lint: &mut Lint) {
    let path = given.path().key("tiers");
    let Some(node) = given.get("tiers") else {
        read.tiers = MemoryTier::WORDS.iter().map(|(_, tier)| (*tier, None)).collect();
        read.recalled = read.tiers.keys().copied().collect();
        return;
    };
    let Some(members) = node.as_object() else {
        given.fault("tiers", "must be an object", &mut lint.shape);
        return;
    };
    for (word, node) in members {
        let at = path.key(word);
        let found = tier(word, &at, lint);
        let Some(how) = Fields::read(node, at, &["ttl_seconds"], &mut lint.shape) else { continue };
        let ttl = how.whole("ttl_seconds", 1, u32::MAX.into(), &mut lint.shape);
        read.tiers.extend(found.map(|tier| (tier, ttl)));
    }
    read.recalled = read.tiers.keys().copied().collect();
}

fn tier(word: &str, at: &Path<'_>, lint: &mut Lint) -> Option<MemoryTier> {
    let found = MemoryTier::WORDS.iter().find(|(known, _)| *known == word);
    if found.is_none() {
        lint.error("memory_tier_unknown", at, format!("there is no tier `{word}`"));
    }
    found.map(|(_, tier)| *tier)
}

fn classes(given: &Fields<'_, '_>, key: &str, lint: &mut Lint) -> Vec<Arc<str>> {
    const KNOWN: &[&str] = &["evidence_link", "preference", "decision_outcome", "correction"];
    let path = given.path().key(key);
    let words = texts(given, key, false, lint);
    for (at, word) in words.iter().enumerate().filter(|(_, word)| !KNOWN.contains(&&***word)) {
        lint.error("memory_class_unknown", &path.index(at), format!("there is no class `{word}`"));
    }
    words
}

/// The intents to evaluate, with their places.
pub(super) fn evaluations(fields: &Fields<'_, '_>, lint: &mut Lint) -> Vec<(Arc<str>, String)> {
    let path = fields.path().key("evaluation_layer");
    let Some(given) = layer(fields, "evaluation_layer", path, &["eval_targets"], lint) else {
        return Vec::new();
    };
    let path = given.path().key("eval_targets");
    let mut read = Vec::new();
    let targets = given.list("eval_targets", MAX_ITEMS, &mut lint.shape);
    for (at, node) in targets.iter().enumerate() {
        let path = path.index(at);
        let Some(members) = node.as_object() else {
            lint.shape.add(&path, format!("must be an object, not {}", node.kind()));
            continue;
        };
        for (key, score) in members.iter().filter(|(key, _)| key != "intent") {
            if !matches!(score.value, Value::Number(_)) {
                lint.shape.add(&path.key(key), "must be a number");
            }
        }
        match node.get("intent").and_then(Node::as_str) {
            Some(intent) => read.push((intent.into(), path.key("intent").pointer())),
            None => lint.shape.add(&path.key("intent"), "is missing"),
        }
    }
    read
}

pub(super) fn tone(fields: &Fields<'_, '_>, lint: &mut Lint) -> Tone {
    const KNOWN: &[&str] = &["voice", "do", "dont", "system_blocks", "developer_blocks"];
    let path = fields.path().key("tone_and_comms");
    let Some(given) = layer(fields, "tone_and_comms", path, KNOWN, lint) else {
        return Tone::default();
    };
    Tone {
        voice: optional(&given, "voice", lint).filter(|voice| !voice.is_empty()),
        do_list: texts(&given, "do", false, lint),
        dont_list: texts(&given, "dont", false, lint),
        system: blocks(&given, "system_blocks", lint),
        developer: blocks(&given, "developer_blocks", lint),
    }
}

fn blocks(given: &Fields<'_, '_>, key: &str, lint: &mut Lint) -> Vec<PackBlock> {
    const KNOWN: &[&str] = &["kind", "text", "priority", "required"];
    let path = given.path().key(key);
    let mut read = Vec::new();
    for (at, node) in given.list(key, MAX_ITEMS, &mut lint.shape).iter().enumerate() {
        let Some(block) = Fields::read(node, path.index(at), KNOWN, &mut lint.shape) else {
            continue;
        };
        if block.get("priority").is_none() {
            block.fault("priority", "is missing", &mut lint.shape);
        }
        let kind = id(&block, "kind", lint);
        if &*kind == "policy" {
            let path = block.path().key("kind");
            lint.warn("tone_privileged_text", &path, "policy belongs into the policy layer");
        }
        read.push(PackBlock {
            kind,
            text: name(&block, "text", lint),
            priority: block.integer("priority", 0, 1_000_000, &mut lint.shape).unwrap_or_default(),
            required: block.flag("required", &mut lint.shape).unwrap_or(false),
        });
    }
    read
}

pub(super) fn budget(fields: &Fields<'_, '_>, lint: &mut Lint) -> BudgetLayer {
    const KNOWN: &[&str] = &["default_total", "splits", "rollover", "extension_buckets"];
    let mut read = BudgetLayer::default();
    let path = fields.path().key("budget_layer");
    let Some(given) = layer(fields, "budget_layer", path, KNOWN, lint) else { return read };
    read.default_total = given.whole("default_total", 0, 1 << 40, &mut lint.shape);
    let words = [("none", Rollover::None), ("unused_to_required", Rollover::UnusedToRequired)];
    read.rollover = given.choice("rollover", &words, &mut lint.shape).unwrap_or_default();
    read.extensions = extensions(&given, lint);
    let path = given.path().key("splits");
    let Some(node) = given.get("splits") else { return read };
    let Some(members) = node.as_object() else {
        given.fault("splits", "must be an object", &mut lint.shape);
        return read;
    };
    for (intent, weights) in members {
        let split = split(weights, &path.key(intent), &read.extensions, lint);
        read.splits.insert(intent.as_ref().into(), split);
    }
    read
}

/// Buckets of the pack's own, each once: shares are dealt out by name.
fn extensions(given: &Fields<'_, '_>, lint: &mut Lint) -> Vec<Arc<str>> {
    let path = given.path().key("extension_buckets");
    let mut read: Vec<Arc<str>> = Vec::new();
    for (at, name) in texts(given, "extension_buckets", false, lint).into_iter().enumerate() {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
        if !(1..=64).contains(&name.len()) || !name.bytes().all(is_plain) {
            let detail = "must be 1 to 64 letters, digits, `_`, `.` or `-`";
            lint.error("budget_bucket_form", &path.index(at), detail);
        }
        if read.contains(&name) {
            let detail = format!("the bucket `{name}` stands twice");
            lint.error("budget_bucket_duplicate", &path.index(at), detail);
        } else if !BUCKETS.contains(&&*name) {
            read.push(name);
        }
    }
    read
}

fn split(node: &Node<'_>, path: &Path<'_>, extensions: &[Arc<str>], lint: &mut Lint) -> Split {
    let mut split = Split::new();
    let Some(members) = node.as_object() else {
        lint.shape.add(path, format!("must be an object, not {}", node.kind()));
        return split;
    };
    let mut is_whole = true;
    for (bucket, weight) in members {
        let at = path.key(bucket);
        let is_known = BUCKETS.contains(&bucket.as_ref())
            || extensions.iter().any(|extension| **extension == *bucket.as_ref());
        if !is_known {
            lint.error("budget_bucket_unknown", &at, format!("there is no bucket `{bucket}`"));
        }
        let weight = match weight.value {
            Value::Number(text) => millionths(text),
            _ => None,
        };
        if let Some(weight) = weight {
            split.insert(bucket.as_ref().into(), weight);
        } else {
            is_whole = false;
            let detail = "must be a decimal from 0 to 1 with at most six digits";
            lint.error("budget_weight_range", &at, detail);
        }
    }
    let sum: u64 = split.values().map(|weight| u64::from(*weight)).sum();
    if is_whole && sum != u64::from(MILLION) {
        lint.sum(path, decimal(sum));
    }
    split
}
