//! The bodies of `/memory-candidates`.

use std::sync::Arc;

use super::memory::{
    MAX_DESCRIPTION_BYTES, MAX_NAME_BYTES, MAX_VALUE_BYTES, name, read_key, read_scope, read_ttl,
};
use crate::domain::{
    Actor, ActorKind, Classification, FactProperty, MemoryClass, MemoryScope, MemoryTier,
    MemoryTtl, Proposal, RawJson, Resolution, ReviewVerdict,
};
use crate::json::Fields;
use crate::json::{Fault, Faults, Node, Path};

/// Intents, and references to evidence.
const MAX_REFS: usize = 32;
/// Bytes of all references to evidence, and of a consent.
const MAX_REFS_BYTES: usize = 16 << 10;
const MAX_CONSENT_BYTES: usize = 4 << 10;
/// Bytes of a reviewer's reason.
const MAX_REASON_BYTES: usize = 4 << 10;
/// The minimal confidence of a proposal if its policy names none.
const DEFAULT_CONFIDENCE: f64 = 0.8;

const PROPOSE_KEYS: &[&str] = &[
    "value",
    "entity",
    "predicate",
    "class",
    "key",
    "description",
    "scope",
    "tier",
    "classification",
    "intents",
    "confidence",
    "evidence_refs",
    "consent",
    "ttl",
    "by",
    "policy",
    "revises",
];

/// The body of `POST /memory-candidates`.
#[derive(Debug, Clone, PartialEq)]
pub struct ProposalRequest {
    pub proposal: Proposal,
    pub by: Actor,
    /// The server's policy if it is absent.
    pub policy: Option<WritePolicy>,
    /// The pending candidate that this is a better form of.
    pub revises: Option<Arc<str>>,
}

/// The classes that may be written, and those that need no review; a pack's `memory_layer`.
#[derive(Debug, Clone, PartialEq)]
pub struct WritePolicy {
    /// All classes if there is no list.
    pub classes: Option<Vec<MemoryClass>>,
    pub auto_promote_classes: Vec<MemoryClass>,
    pub min_confidence: f64,
    pub consent_required: bool,
}

/// The fault of a proposal.
#[derive(Debug, Clone, PartialEq)]
pub enum ProposeFault {
    /// The class is unknown, or the policy does not allow it.
    Class(String),
    Faults(Vec<Fault>),
}

/// The body of `POST /memory-candidates/{id}/review`.
#[derive(Debug, Clone, PartialEq)]
pub struct ReviewRequest {
    pub verdict: ReviewVerdict,
    pub reason: Arc<str>,
    pub classification: Option<Classification>,
    pub by: Actor,
}

/// The body of `POST /memory-candidates/{id}/promote`. What is absent is as it was proposed.
#[derive(Debug, Clone, PartialEq)]
pub struct PromoteRequest {
    pub tier: Option<MemoryTier>,
    pub key: Option<Arc<str>>,
    pub intents: Option<Vec<Arc<str>>>,
    pub scope: Option<MemoryScope>,
    pub classification: Option<Classification>,
    /// Null: none.
    pub ttl: Option<Option<MemoryTtl>>,
    pub resolution: Option<Resolution>,
    pub by: Actor,
}

/// Reads the body of `POST /memory-candidates`.
pub fn read_proposal(body: &Node<'_>) -> Result<ProposalRequest, ProposeFault> {
    let mut faults = Faults::default();
    let Some(fields) = Fields::read(body, Path::Root, PROPOSE_KEYS, &mut faults) else {
        return Err(ProposeFault::Faults(faults.into_vec()));
    };
    let word = require_member(&fields, "class", &mut faults).and_then(Node::as_str);
    if word.is_none() && fields.get("class").is_some() {
        fields.text("class", &mut faults);
    }
    let class = word.and_then(class_of);
    let value = read_value(&fields, &mut faults);
    let about = read_about(&fields, &mut faults);
    let scope = read_scope(&fields, &mut faults);
    let ttl = read_ttl(&fields, &mut faults).flatten();
    turns_need_a_session(&fields, ttl, &scope, &mut faults);
    let proposal = Proposal {
        value,
        about,
        // A missing class is a fault, reported below.
        class: class.unwrap_or(MemoryClass::Preference),
        key: fields.get("key").and_then(|_| read_key(&fields, &mut faults)),
        description: limited(&fields, "description", MAX_DESCRIPTION_BYTES, &mut faults),
        scope,
        tier: fields.choice("tier", MemoryTier::WORDS, &mut faults).unwrap_or(MemoryTier::Semantic),
        classification: fields
            .choice("classification", Classification::WORDS, &mut faults)
            .unwrap_or(Classification::Internal),
        intents: names(&fields, "intents", &mut faults),
        confidence: share(&fields, "confidence", &mut faults),
        evidence_refs: read_evidence(&fields, &mut faults),
        consent: read_consent(&fields, &mut faults),
        ttl,
    };
    let usual = Actor { id: "application".into(), kind: ActorKind::Service };
    let by = read_by(&fields, &mut faults).unwrap_or(usual);
    let policy = read_policy(&fields, &mut faults);
    let revises = name(&fields, "revises", &mut faults);
    let takes = |class| {
        let classes = policy.as_ref().and_then(|policy| policy.classes.as_ref());
        classes.is_none_or(|classes| classes.contains(&class))
    };
    let word = word.unwrap_or_default();
    if class.is_none() && !word.is_empty() {
        return Err(ProposeFault::Class(word.to_owned()));
    }
    if !faults.is_empty() {
        return Err(ProposeFault::Faults(faults.into_vec()));
    }
    if !class.is_some_and(takes) {
        return Err(ProposeFault::Class(word.to_owned()));
    }
    Ok(ProposalRequest { proposal, by, policy, revises })
}

/// Reads the body of `POST /memory-candidates/{id}/review`.
pub fn read_review(body: &Node<'_>) -> Result<ReviewRequest, Vec<Fault>> {
    let mut faults = Faults::default();
    let known = &["verdict", "reason", "classification", "by"];
    let Some(fields) = Fields::read(body, Path::Root, known, &mut faults) else {
        return Err(faults.into_vec());
    };
    require_member(&fields, "verdict", &mut faults);
    let verdict = fields.choice("verdict", ReviewVerdict::WORDS, &mut faults);
    require_member(&fields, "reason", &mut faults);
    let reason = limited(&fields, "reason", MAX_REASON_BYTES, &mut faults);
    if reason.as_ref().is_some_and(|reason| reason.trim().is_empty()) {
        fields.fault("reason", "must say why", &mut faults);
    }
    let classification = fields.choice("classification", Classification::WORDS, &mut faults);
    require_member(&fields, "by", &mut faults);
    let by = read_by(&fields, &mut faults);
    match (verdict, reason, by) {
        (Some(verdict), Some(reason), Some(by)) if faults.is_empty() => {
            Ok(ReviewRequest { verdict, reason, classification, by })
        }
        _ => Err(faults.into_vec()),
    }
}

/// Reads the body of `POST /memory-candidates/{id}/promote`.
pub fn read_promotion(body: &Node<'_>) -> Result<PromoteRequest, Vec<Fault>> {
    let mut faults = Faults::default();
    let known = &["tier", "key", "intents", "scope", "classification", "ttl", "resolution", "by"];
    let Some(fields) = Fields::read(body, Path::Root, known, &mut faults) else {
        return Err(faults.into_vec());
    };
    require_member(&fields, "by", &mut faults);
    let by = read_by(&fields, &mut faults);
    let intents = names(&fields, "intents", &mut faults);
    let scope = read_scope(&fields, &mut faults);
    let request = by.map(|by| PromoteRequest {
        tier: fields.choice("tier", MemoryTier::WORDS, &mut faults),
        key: fields.get("key").and_then(|_| read_key(&fields, &mut faults)),
        intents: fields.get("intents").map(|_| intents),
        scope: fields.get("scope").map(|_| scope),
        classification: fields.choice("classification", Classification::WORDS, &mut faults),
        ttl: read_ttl(&fields, &mut faults),
        resolution: fields.choice("resolution", Resolution::WORDS, &mut faults),
        by,
    });
    match request {
        Some(request) if faults.is_empty() => Ok(request),
        _ => Err(faults.into_vec()),
    }
}

/// Reads a member; adds a fault if it is absent.
fn require_member<'r, 'a>(
    fields: &Fields<'r, 'a>,
    key: &str,
    faults: &mut Faults,
) -> Option<&'r Node<'a>> {
    let node = fields.get(key);
    if node.is_none() {
        fields.fault(key, "is missing", faults);
    }
    node
}

fn class_of(word: &str) -> Option<MemoryClass> {
    MemoryClass::WORDS.iter().find(|(known, _)| *known == word).map(|(_, class)| *class)
}

fn read_value(fields: &Fields<'_, '_>, faults: &mut Faults) -> RawJson {
    // A `null` counts as absent elsewhere; as a value it is one.
    let Some(node) = fields.node().get("value") else {
        fields.fault("value", "is missing", faults);
        return RawJson::new("null");
    };
    if node.raw.len() > MAX_VALUE_BYTES {
        fields.fault("value", format!("must be at most {MAX_VALUE_BYTES} bytes"), faults);
    }
    RawJson::new(node.raw)
}

fn read_about(fields: &Fields<'_, '_>, faults: &mut Faults) -> Option<FactProperty> {
    let (entity, predicate) = (name(fields, "entity", faults), name(fields, "predicate", faults));
    match (fields.get("entity").is_some(), fields.get("predicate").is_some()) {
        (true, false) => fields.fault("predicate", "is required with `entity`", faults),
        (false, true) => fields.fault("entity", "is required with `predicate`", faults),
        _ => {}
    }
    Some(FactProperty { entity: entity?, predicate: predicate? })
}

fn read_by(fields: &Fields<'_, '_>, faults: &mut Faults) -> Option<Actor> {
    let node = fields.get("by")?;
    let given = Fields::read(node, fields.path().key("by"), &["id", "kind"], faults)?;
    require_member(&given, "id", faults);
    require_member(&given, "kind", faults);
    let id = name(&given, "id", faults);
    let kind = given.choice("kind", ActorKind::WORDS, faults);
    Some(Actor { id: id?, kind: kind? })
}

fn read_policy(fields: &Fields<'_, '_>, faults: &mut Faults) -> Option<WritePolicy> {
    let node = fields.get("policy")?;
    let known = &["classes", "auto_promote_classes", "min_confidence", "consent_required"];
    let given = Fields::read(node, fields.path().key("policy"), known, faults)?;
    let mut classes = |key: &str| {
        let mut found = Vec::new();
        for (index, word) in given.texts(key, MAX_REFS, faults).into_iter().enumerate() {
            let class = class_of(word);
            if class.is_none() {
                let words: Vec<_> = MemoryClass::WORDS.iter().map(|(word, _)| *word).collect();
                let detail = format!("must be one of {}", words.join(", "));
                faults.add(&given.path().key(key).index(index), detail);
            }
            found.extend(class);
        }
        found
    };
    let (listed, auto_promote_classes) = (classes("classes"), classes("auto_promote_classes"));
    Some(WritePolicy {
        classes: given.get("classes").map(|_| listed),
        auto_promote_classes,
        min_confidence: share(&given, "min_confidence", faults).unwrap_or(DEFAULT_CONFIDENCE),
        consent_required: given.flag("consent_required", faults).unwrap_or(false),
    })
}

/// A number from 0 to 1, with its exact digits.
fn share(fields: &Fields<'_, '_>, key: &str, faults: &mut Faults) -> Option<f64> {
    let number = fields.get(key)?.as_f64().filter(|number| (0.0..=1.0).contains(number));
    if number.is_none() {
        fields.fault(key, "must be a number from 0 to 1", faults);
    }
    number
}

/// A text of up to `limit` bytes.
fn limited(
    fields: &Fields<'_, '_>,
    key: &str,
    most: usize,
    faults: &mut Faults,
) -> Option<Arc<str>> {
    let text = fields.text_without_nul(key, faults)?;
    if text.len() > most {
        fields.fault(key, format!("must be at most {most} bytes"), faults);
        return None;
    }
    Some(text.into())
}

/// Short texts, each once.
fn names(fields: &Fields<'_, '_>, key: &str, faults: &mut Faults) -> Vec<Arc<str>> {
    let mut kept: Vec<Arc<str>> = Vec::new();
    for (index, text) in fields.texts(key, MAX_REFS, faults).into_iter().enumerate() {
        if text.is_empty() || text.len() > MAX_NAME_BYTES || text.chars().any(char::is_control) {
            let detail = format!("must be 1 to {MAX_NAME_BYTES} bytes without control characters");
            faults.add(&fields.path().key(key).index(index), detail);
        } else if !kept.iter().any(|known| **known == *text) {
            kept.push(text.into());
        }
    }
    kept
}

fn read_evidence(fields: &Fields<'_, '_>, faults: &mut Faults) -> Option<RawJson> {
    let node = fields.get("evidence_refs")?;
    fields.list("evidence_refs", MAX_REFS, faults);
    if node.raw.len() > MAX_REFS_BYTES {
        let detail = format!("must be at most {MAX_REFS_BYTES} bytes");
        fields.fault("evidence_refs", detail, faults);
    }
    Some(RawJson::new(node.raw))
}

/// The consent itself, its record, or the record's id. A consent that was refused is none.
fn read_consent(fields: &Fields<'_, '_>, faults: &mut Faults) -> Option<RawJson> {
    let node = fields.get("consent")?;
    let is_named = node.as_str().is_some_and(|id| !id.trim().is_empty());
    let is_good = is_named || node.as_bool().is_some() || node.as_object().is_some();
    if !is_good || node.raw.len() > MAX_CONSENT_BYTES {
        let detail = format!(
            "must be true, false, an id or an object, of at most {MAX_CONSENT_BYTES} bytes"
        );
        fields.fault("consent", detail, faults);
    }
    (node.as_bool() != Some(false)).then(|| RawJson::new(node.raw))
}

fn turns_need_a_session(
    fields: &Fields<'_, '_>,
    ttl: Option<MemoryTtl>,
    scope: &MemoryScope,
    faults: &mut Faults,
) {
    if matches!(ttl, Some(MemoryTtl::Turns(_))) && scope.session_id.is_none() {
        let detail = "turns are those of a session: `scope.session_id` is needed";
        fields.fault("ttl", detail, faults);
    }
}
