//! Reading a pack: every layer, every fault.

mod layers;
mod meta;
mod policy;
mod tooling;

pub use meta::CLASSIFICATIONS;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::check;
use super::document::Pack;
use super::lint::{Lint, LintFault, Severity};
use super::signature::{PublicKeys, SignatureFault};
use crate::domain::ContentHash;
use crate::json::{self, Fields, Node, Path, Value};

/// Entries of one list of a layer.
const MAX_ITEMS: usize = 500;

/// The layers that every pack has: those that allow or withhold something. An absent one of these
/// would decide in silence; the other layers only describe, and have defaults.
const REQUIRED_LAYERS: &[&str] = &[
    "pack_meta",
    "policy_layer",
    "tooling_layer",
    "decision_layer",
    "memory_layer",
    "intent_layer",
];
const PACK_KEYS: &[&str] = &[
    "contract_meta",
    "pack_meta",
    "intelligence_refs",
    "business_context",
    "policy_layer",
    "tooling_layer",
    "decision_layer",
    "memory_layer",
    "evaluation_layer",
    "tone_and_comms",
    "intent_layer",
    "budget_layer",
    "signature",
];
const SIGNATURE_KEYS: &[&str] = &["alg", "key_id", "sig"];

/// The result of reading a document.
#[derive(Debug)]
pub struct LintResult {
    /// Errors and warnings, sorted by place.
    pub faults: Vec<LintFault>,
    /// `None` if there are errors.
    pub pack: Option<Pack>,
    /// The document's canonical JSON without its signature: what the digest is over.
    pub canonical: Option<String>,
}

/// Reads a document and reports everything that is wrong with it. If there are keys, signatures are
/// required and checked.
pub fn lint(node: &Node<'_>, keys: &PublicKeys) -> LintResult {
    let mut lint = Lint::default();
    let (pack, canonical) = match Fields::read(node, Path::Root, PACK_KEYS, &mut lint.shape) {
        Some(fields) => document(&fields, keys, &mut lint),
        None => (None, None),
    };
    let faults = lint.into_faults();
    let is_sound = faults.iter().all(|fault| fault.severity == Severity::Warning);
    LintResult { pack: pack.filter(|_| is_sound), faults, canonical }
}

/// Reads a document that was published, or is compiled under without being published.
pub fn read(node: &Node<'_>, keys: &PublicKeys) -> Result<Pack, Vec<LintFault>> {
    let LintResult { faults, pack, .. } = lint(node, keys);
    pack.ok_or(faults)
}

fn document(
    fields: &Fields<'_, '_>,
    keys: &PublicKeys,
    lint: &mut Lint,
) -> (Option<Pack>, Option<String>) {
    for layer in REQUIRED_LAYERS {
        if fields.get(layer).is_none() {
            let path = fields.path().key(layer);
            lint.error("pack_layer_missing", &path, format!("the layer `{layer}` is missing"));
        }
    }
    let canonical = match json::jcs(&unsigned(fields.node())) {
        Ok(text) => Some(text),
        Err(error) => {
            lint.error_at("pack_not_i_json", error.pointer.clone(), error.to_string());
            None
        }
    };
    let is_signed = signature(fields, keys, canonical.as_deref(), lint);
    let contract = meta::contract(fields, lint);
    let pack = meta::pack(fields, &contract, lint);
    let refs = meta::intelligence(fields, lint);
    let policy = policy::read(fields, lint);
    let (capabilities, permissions) = tooling::read(fields, lint);
    let mut read = Pack {
        reference: pack.reference,
        digest: canonical.as_deref().map_or_else(|| ContentHash::of(""), ContentHash::of),
        contract_version: contract.version,
        requires: contract.requires,
        tenant: pack.tenant,
        ttl_seconds: pack.ttl_seconds,
        ceiling: pack.ceiling,
        environment_defaults: pack.environment_defaults,
        ontology: refs.ontology,
        is_pinned: refs.is_pinned,
        non_negotiables: meta::business(fields, lint),
        intents: layers::intents(fields, lint),
        policy,
        capabilities,
        permissions,
        decisions: layers::decisions(fields, lint),
        memory: layers::memory(fields, lint),
        tone: layers::tone(fields, lint),
        budget: layers::budget(fields, lint),
        hashes: hashes(fields.node()),
        is_signed,
    };
    read.bind();
    let targets = layers::evaluations(fields, lint);
    check::run(&read, fields, &targets, lint);
    (Some(read), canonical)
}

/// The document without its signature.
fn unsigned<'a>(node: &Node<'a>) -> Node<'a> {
    let mut node = node.clone();
    if let Value::Object(members) = &mut node.value {
        members.retain(|(key, _)| key != "signature");
    }
    node
}

/// The hash of every layer, and of the parts of layers that stages read separately.
fn hashes(node: &Node<'_>) -> BTreeMap<&'static str, ContentHash> {
    let hash = |node: &Node<'_>| json::jcs(node).map(|text| ContentHash::of(&text)).ok();
    let layers = PACK_KEYS.iter().filter(|layer| **layer != "signature");
    let mut hashes: BTreeMap<&'static str, ContentHash> =
        layers.filter_map(|layer| Some((*layer, hash(node.get(layer)?)?))).collect();
    let policy = node.get("policy_layer");
    let guardrails = policy.and_then(|layer| layer.get("guardrails"));
    let parts = [
        ("approval_gates", policy.and_then(|layer| layer.get("approval_gates"))),
        ("guardrails", guardrails),
        ("redaction_rules", guardrails.and_then(|rails| rails.get("redaction_rules"))),
        ("environment_defaults", node.get("pack_meta").and_then(|m| m.get("environment_defaults"))),
    ];
    for (name, part) in parts {
        hashes.extend(part.and_then(|part| Some((name, hash(part)?))));
    }
    hashes
}

fn signature(
    fields: &Fields<'_, '_>,
    keys: &PublicKeys,
    canonical: Option<&str>,
    lint: &mut Lint,
) -> bool {
    let path = fields.path().key("signature");
    let Some(node) = fields.get("signature") else {
        if !keys.is_empty() {
            lint.error("pack_signature_missing", &path, SignatureFault::Missing.to_string());
        }
        return false;
    };
    let Some(given) = Fields::read(node, path, SIGNATURE_KEYS, &mut lint.shape) else {
        return false;
    };
    given.choice("alg", &[("ed25519", ())], &mut lint.shape);
    let key = required(&given, "key_id", lint);
    let text = required(&given, "sig", lint);
    let (Some(key), Some(text)) = (key, text) else { return false };
    let bytes = base64::Engine::decode(&base64::engine::general_purpose::STANDARD, text);
    let checked = match (bytes, canonical) {
        (Ok(bytes), Some(canonical)) => keys.check(key, canonical, &bytes),
        _ => Err(SignatureFault::Invalid),
    };
    match checked {
        // Without keys, signatures are not checked.
        _ if keys.is_empty() => true,
        Ok(()) => true,
        Err(fault) => {
            lint.error("pack_signature_invalid", &path, fault.to_string());
            false
        }
    }
}

/// A text that must be there, and not empty.
fn required<'r>(fields: &Fields<'r, '_>, key: &str, lint: &mut Lint) -> Option<&'r str> {
    if fields.get(key).is_none() {
        fields.fault(key, "is missing", &mut lint.shape);
        return None;
    }
    let text = fields.text(key, &mut lint.shape)?;
    if text.is_empty() {
        fields.fault(key, "must not be empty", &mut lint.shape);
    }
    Some(text)
}

/// Reads a required text, shared; empty if it is absent.
fn name(fields: &Fields<'_, '_>, key: &str, lint: &mut Lint) -> Arc<str> {
    required(fields, key, lint).unwrap_or_default().into()
}

/// Bytes of a name: rows of a compile repeat it, so one long name would be in many of them.
const MAX_NAME_BYTES: usize = 256;

/// Reads a required name of limited length; empty if it is absent.
fn id(fields: &Fields<'_, '_>, key: &str, lint: &mut Lint) -> Arc<str> {
    required(fields, key, lint)
        .and_then(|text| read_short(fields, key, text, lint))
        .unwrap_or_default()
}

/// A name that may be absent.
fn optional_id(fields: &Fields<'_, '_>, key: &str, lint: &mut Lint) -> Option<Arc<str>> {
    let text = fields.text(key, &mut lint.shape)?;
    read_short(fields, key, text, lint)
}

fn read_short(fields: &Fields<'_, '_>, key: &str, text: &str, lint: &mut Lint) -> Option<Arc<str>> {
    if text.len() > MAX_NAME_BYTES {
        fields.fault(key, too_long(), &mut lint.shape);
        return None;
    }
    Some(text.into())
}

fn too_long() -> String {
    format!("must be at most {MAX_NAME_BYTES} bytes")
}

fn optional(fields: &Fields<'_, '_>, key: &str, lint: &mut Lint) -> Option<Arc<str>> {
    fields.text(key, &mut lint.shape).map(Into::into)
}

/// A list of texts; `must` be there.
fn texts(fields: &Fields<'_, '_>, key: &str, must: bool, lint: &mut Lint) -> Vec<Arc<str>> {
    /// Entries of one list.
    const MAX_TEXTS: usize = 1_000;
    if must && fields.get(key).is_none() {
        fields.fault(key, "is missing", &mut lint.shape);
    }
    fields.texts(key, MAX_TEXTS, &mut lint.shape).into_iter().map(Into::into).collect()
}

/// A list that must be there.
fn list<'r, 'a>(
    fields: &Fields<'r, 'a>,
    key: &str,
    most: usize,
    lint: &mut Lint,
) -> &'r [Node<'a>] {
    if fields.get(key).is_none() {
        fields.fault(key, "is missing", &mut lint.shape);
    }
    fields.list(key, most, &mut lint.shape)
}

/// Reads a layer's object; its absence is reported elsewhere.
fn layer<'r, 'a>(
    fields: &Fields<'r, 'a>,
    key: &'r str,
    path: Path<'r>,
    known: &[&str],
    lint: &mut Lint,
) -> Option<Fields<'r, 'a>> {
    fields.get(key).and_then(|node| Fields::read(node, path, known, &mut lint.shape))
}

/// An object that must be there.
fn object<'r, 'a>(
    fields: &Fields<'r, 'a>,
    key: &'r str,
    path: Path<'r>,
    known: &[&str],
    lint: &mut Lint,
) -> Option<Fields<'r, 'a>> {
    if fields.get(key).is_none() {
        fields.fault(key, "is missing", &mut lint.shape);
    }
    layer(fields, key, path, known, lint)
}

/// Canonical JSON of an object that a stage passes on.
fn passed_on(fields: &Fields<'_, '_>, key: &str, lint: &mut Lint) -> Option<Arc<str>> {
    let node = fields.get(key)?;
    if node.as_object().is_none() {
        fields.fault(key, format!("must be an object, not {}", node.kind()), &mut lint.shape);
    }
    json::jcs(node).ok().map(Into::into)
}
