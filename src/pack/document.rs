//! A pack as it was read: what the stages ask for, layer by layer.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use semver::{Version, VersionReq};

use super::RUNTIME;
use super::redaction::Redaction;
use super::reference::PackRef;
use crate::domain::{Classification, ContentHash, MemoryTier};
use crate::policy;

/// A pack without faults.
#[derive(Debug, Clone)]
pub struct Pack {
    pub reference: PackRef,
    /// SHA-256 of the document's canonical JSON, its signature left out.
    pub digest: ContentHash,
    pub contract_version: Arc<str>,
    pub requires: Vec<(Arc<str>, VersionReq)>,
    pub tenant: Arc<str>,
    /// Seconds that a context that was compiled under the pack is valid; 0 is for ever.
    pub ttl_seconds: u64,
    pub ceiling: Classification,
    pub environment_defaults: Arc<str>,
    pub ontology: Option<Version>,
    /// Whether a run must name the snapshot that its evidence is of.
    pub is_pinned: bool,
    pub non_negotiables: Vec<Arc<str>>,
    pub intents: Vec<Intent>,
    pub policy: PolicyLayer,
    pub capabilities: Vec<Capability>,
    pub permissions: Vec<Permission>,
    pub decisions: Vec<DecisionSpec>,
    pub memory: MemoryLayer,
    pub tone: Tone,
    pub budget: BudgetLayer,
    /// SHA-256 of each layer's canonical JSON, and of the parts that stages read separately.
    pub hashes: BTreeMap<&'static str, ContentHash>,
    pub is_signed: bool,
}

impl Pack {
    /// The hash of a layer; the hash of the empty text if the pack has no such layer.
    pub fn hash(&self, layer: &str) -> ContentHash {
        self.hashes.get(layer).copied().unwrap_or_else(|| ContentHash::of("null"))
    }

    /// The requirements of the pack that are not met, by name, each with the present value.
    pub fn unmet(&self) -> impl Iterator<Item = (&Arc<str>, String)> {
        let runtime = Version::parse(RUNTIME).ok();
        self.requires.iter().filter_map(move |(name, range)| {
            let found = match &**name {
                "runtime" => runtime.as_ref(),
                "ontology" => self.ontology.as_ref(),
                _ => None,
            };
            if found.is_some_and(|version| range.matches(version)) {
                return None;
            }
            let found = found.map_or_else(|| "nothing of this name".to_owned(), Version::to_string);
            Some((name, format!("the pack needs {name} {range}; there is {found}")))
        })
    }

    /// Sets for each rule whether its decision requires evidence.
    pub(super) fn bind(&mut self) {
        for rule in self.policy.bundles.iter_mut().flat_map(|bundle| &mut bundle.rules) {
            let mut specs = self.decisions.iter();
            let spec = specs.find(|spec| Some(&spec.key) == rule.binding.as_ref());
            rule.needs_proof = spec.is_some_and(|spec| !spec.required_evidence.is_empty());
        }
    }

    /// The capability of a key.
    pub fn capability(&self, key: &str) -> Option<&Capability> {
        self.capabilities.iter().find(|capability| &*capability.key == key)
    }
}

/// A row of the catalogue.
#[derive(Debug, Clone, Default)]
pub struct Intent {
    pub id: Arc<str>,
    pub class: Arc<str>,
    pub task: Arc<str>,
    pub risk_class: Option<Arc<str>>,
    /// Any channel, if the list is empty.
    pub channels: Vec<Arc<str>>,
    pub locales: Vec<Arc<str>>,
}

#[derive(Debug, Clone, Default)]
pub struct PolicyLayer {
    /// Sorted by priority, highest first.
    pub bundles: Vec<Bundle>,
    pub must_refuse: Vec<Arc<str>>,
    pub must_escalate: Vec<Arc<str>>,
    pub redaction: Redaction,
    pub gates: Vec<ApprovalGate>,
    /// Whether rules on missing facts are taken as `JsonLogic` has them, loosening included.
    pub trusts_missing: bool,
}

#[derive(Debug, Clone)]
pub struct Bundle {
    pub id: Arc<str>,
    pub version: Option<Arc<str>>,
    pub priority: i64,
    pub rules: Vec<PolicyRule>,
}

#[derive(Debug, Clone)]
pub struct PolicyRule {
    pub id: Arc<str>,
    /// The intents of the rule: an id, or a prefix that ends in `.*`. All intents, if the list is
    /// empty.
    pub intents: Vec<Arc<str>>,
    pub condition: policy::Value,
    pub denies: bool,
    pub requires: Vec<Arc<str>>,
    pub forbids: Vec<Arc<str>>,
    pub targets: Vec<Arc<str>>,
    pub mode: Option<AccessMode>,
    pub gate: Option<Arc<str>>,
    /// Canonical JSON.
    pub constraints: Option<Arc<str>>,
    pub rationale: Arc<str>,
    pub binding: Option<Arc<str>>,
    /// Whether the decision that it is bound to asks for evidence.
    pub needs_proof: bool,
}

impl PolicyRule {
    pub fn is_for(&self, intent: &str) -> bool {
        self.intents.is_empty() || self.intents.iter().any(|pattern| matches(pattern, intent))
    }

    /// Whether the rule restricts anything.
    pub fn restricts(&self) -> bool {
        self.denies
            || !self.requires.is_empty()
            || !self.forbids.is_empty()
            || self.gate.is_some()
            || self.constraints.is_some()
            || self.needs_proof
    }
}

/// Whether an intent is the one of a pattern, or below one that ends in `.*`.
pub(super) fn matches(pattern: &str, intent: &str) -> bool {
    match pattern.strip_suffix(".*") {
        Some(head) => intent.strip_prefix(head).is_some_and(|rest| rest.starts_with('.')),
        None => pattern == intent,
    }
}

#[derive(Debug, Clone)]
pub struct ApprovalGate {
    pub id: Arc<str>,
    pub condition: Option<policy::Value>,
    pub approver: Arc<str>,
    pub expires_in_seconds: Option<u64>,
    pub capabilities: Vec<Arc<str>>,
}

/// The power of a tool, from reading to destroying.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AccessMode {
    ReadOnly,
    LocalWrite,
    Network,
    Delegated,
    Destructive,
}

impl AccessMode {
    pub const WORDS: &[(&str, Self)] = &[
        ("read_only", Self::ReadOnly),
        ("local_write", Self::LocalWrite),
        ("network", Self::Network),
        ("delegated", Self::Delegated),
        ("destructive", Self::Destructive),
    ];

    pub fn as_str(self) -> &'static str {
        crate::domain::word_of(Self::WORDS, self)
    }
}

impl serde::Serialize for AccessMode {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// Something that an adapter can do.
#[derive(Debug, Clone)]
pub struct Capability {
    /// `adapter.capability`.
    pub key: Arc<str>,
    pub adapter: Arc<str>,
    pub id: Arc<str>,
    pub ceiling: AccessMode,
    pub schema_ref: Option<Arc<str>>,
    pub description: Option<Arc<str>>,
    /// JSON Schema of its arguments, verbatim.
    pub input_schema: Option<Arc<str>>,
}

impl Capability {
    /// The names by which a run prohibits it: its key, and `*` for all adapters or all capabilities.
    pub fn prohibition_keys(&self) -> [Cow<'_, str>; 4] {
        let Self { key, adapter, id, .. } = self;
        [(&**key).into(), format!("{adapter}.*").into(), format!("*.{id}").into(), "*.*".into()]
    }
}

#[derive(Debug, Clone)]
pub struct Permission {
    pub key: Arc<str>,
    pub allow: bool,
    /// Canonical JSON.
    pub constraints: Option<Arc<str>>,
}

#[derive(Debug, Clone)]
pub struct DecisionSpec {
    pub key: Arc<str>,
    pub required_evidence: Vec<Arc<str>>,
}

#[derive(Debug, Clone, Default)]
pub struct MemoryLayer {
    /// With how long each is kept.
    pub tiers: BTreeMap<MemoryTier, Option<u64>>,
    /// The tiers that are recalled.
    pub recalled: BTreeSet<MemoryTier>,
    pub most: usize,
    pub auto_promotion: AutoPromotion,
}

/// The proposals that are promoted without a review.
#[derive(Debug, Clone, Default)]
pub struct AutoPromotion {
    /// Classes that need no review.
    pub classes: BTreeSet<Arc<str>>,
    /// The least confidence, in thousandths.
    pub min_confidence_milli: u32,
    /// Whether a consent may be required: the pack's rule is not `false`.
    pub needs_consent: bool,
}

impl AutoPromotion {
    /// Whether a fact of a class counts as promoted. `confidence_milli` is in thousandths.
    pub fn admits(&self, class: &str, confidence_milli: u32) -> bool {
        !self.needs_consent
            && self.classes.contains(class)
            && confidence_milli >= self.min_confidence_milli
    }
}

#[derive(Debug, Clone, Default)]
pub struct Tone {
    pub voice: Option<Arc<str>>,
    pub do_list: Vec<Arc<str>>,
    pub dont_list: Vec<Arc<str>>,
    pub system: Vec<PackBlock>,
    pub developer: Vec<PackBlock>,
}

#[derive(Debug, Clone)]
pub struct PackBlock {
    pub kind: Arc<str>,
    pub text: Arc<str>,
    pub priority: i64,
    pub required: bool,
}

#[derive(Debug, Clone, Default)]
pub struct BudgetLayer {
    pub default_total: Option<u64>,
    /// By intent, `class:` and a class, or `default`.
    pub splits: BTreeMap<Arc<str>, Split>,
    pub rollover: Rollover,
    /// Buckets in addition to the eight; they come after memory.
    pub extensions: Vec<Arc<str>>,
}

/// Millionths by bucket; what is absent gets nothing.
pub type Split = BTreeMap<Arc<str>, u32>;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Rollover {
    #[default]
    None,
    UnusedToRequired,
}
