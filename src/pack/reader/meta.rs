//! The identity of a pack, its owner, and its requirements.

use std::sync::Arc;

use semver::{Version, VersionReq};

use super::{layer, name, optional, required, texts};
use crate::domain::Classification;
use crate::json::{Fields, Node, Path};
use crate::limit::{Allowance, PaidText};
use crate::pack::lint::Lint;
use crate::pack::reference::{PackRef, is_id};
use crate::policy;

/// The words of packs for who may see something.
pub const CLASSIFICATIONS: &[(&str, Classification)] = &[
    ("PUBLIC", Classification::Public),
    ("INTERNAL", Classification::Internal),
    ("CONFIDENTIAL", Classification::Confidential),
    ("RESTRICTED", Classification::Restricted),
];

/// The version of the contract if a pack names none: the one of the layers that are read here.
const DEFAULT_CONTRACT_VERSION: &str = "2.0.0";

pub(super) struct Contract {
    pub(super) version: Arc<str>,
    /// The version as it was given.
    given: Option<Version>,
    pub(super) requires: Vec<(Arc<str>, VersionReq)>,
}

pub(super) fn contract(fields: &Fields<'_, '_>, lint: &mut Lint) -> Contract {
    const KNOWN: &[&str] =
        &["contract_name", "contract_version", "issuer", "created_at", "compatibility"];
    let path = fields.path().key("contract_meta");
    let version = DEFAULT_CONTRACT_VERSION.into();
    let mut contract = Contract { version, given: None, requires: Vec::new() };
    let Some(meta) = layer(fields, "contract_meta", path, KNOWN, lint) else { return contract };
    for key in ["contract_name", "issuer", "created_at"] {
        optional(&meta, key, lint);
    }
    if let Some(version) = optional(&meta, "contract_version", lint) {
        contract.version = version;
    }
    contract.given = semantic(&meta, "contract_version", lint);
    let path = meta.path().key("compatibility");
    let Some(given) = layer(&meta, "compatibility", path, &["requires"], lint) else {
        return contract;
    };
    let path = given.path().key("requires");
    let Some(node) = given.get("requires") else { return contract };
    let Some(members) = node.as_object() else {
        given.fault("requires", "must be an object", &mut lint.shape);
        return contract;
    };
    for (key, range) in members {
        match range.as_str().and_then(|text| VersionReq::parse(text).ok()) {
            Some(range) => contract.requires.push((key.as_ref().into(), range)),
            None => lint.error("pack_semver", &path.key(key), "must be a range of versions"),
        }
    }
    contract
}

/// A version of three numbers.
fn semantic(fields: &Fields<'_, '_>, key: &str, lint: &mut Lint) -> Option<Version> {
    let text = fields.get(key)?.as_str()?;
    let version = Version::parse(text).ok();
    if version.is_none() {
        lint.error("pack_semver", &fields.path().key(key), "must be a version such as 1.4.0");
    }
    version
}

/// A value as rules see it, as JSON: with JavaScript's numbers.
fn facts(node: &Node<'_>) -> Arc<str> {
    let allowance = Allowance::default();
    let mut text = PaidText::new(&allowance);
    // A parsed value takes no more text than a few times its own.
    let _ = policy::Value::from_node(node).write(&mut text);
    text.into_string().into()
}

pub(super) struct Meta {
    pub(super) reference: PackRef,
    pub(super) tenant: Arc<str>,
    pub(super) ttl_seconds: u64,
    pub(super) ceiling: Classification,
    pub(super) environment_defaults: Arc<str>,
}

/// Reads what a pack is called, whose it is and how far it reaches.
///
/// A pack that has one version, that of its contract, is published under it.
pub(super) fn pack(fields: &Fields<'_, '_>, contract: &Contract, lint: &mut Lint) -> Meta {
    const KNOWN: &[&str] = &[
        "pack_id",
        "pack_version",
        "tenant",
        "environment_defaults",
        "ttl_seconds",
        "data_classification",
    ];
    let none = PackRef { id: "".into(), version: Version::new(0, 0, 0) };
    let mut read = Meta {
        reference: none,
        tenant: "".into(),
        ttl_seconds: 0,
        ceiling: Classification::Public,
        environment_defaults: "{}".into(),
    };
    let path = fields.path().key("pack_meta");
    let Some(meta) = layer(fields, "pack_meta", path, KNOWN, lint) else { return read };
    if required(&meta, "pack_id", lint).is_some_and(|id| !is_id(id)) {
        let detail = "must be 1 to 128 letters, digits, `_`, `.`, `:` or `-`";
        meta.fault("pack_id", detail, &mut lint.shape);
    }
    read.reference.id = meta.get("pack_id").and_then(Node::as_str).unwrap_or_default().into();
    if let Some(version) = pack_version(&meta, contract, lint) {
        read.reference.version = version;
    }
    read.tenant = name(&meta, "tenant", lint);
    read.ttl_seconds =
        meta.whole("ttl_seconds", 0, u32::MAX.into(), &mut lint.shape).unwrap_or_default();
    if meta.get("data_classification").is_none() {
        let detail = "absent: taken as `PUBLIC`, so evidence and memory above it are withheld";
        lint.warn("pack_default", &meta.path().key("data_classification"), detail);
    }
    read.ceiling = meta
        .choice("data_classification", CLASSIFICATIONS, &mut lint.shape)
        .unwrap_or(Classification::Public);
    if let Some(node) = meta.get("environment_defaults") {
        if node.as_object().is_none() {
            meta.fault("environment_defaults", "must be an object", &mut lint.shape);
        }
        read.environment_defaults = facts(node);
    }
    read
}

fn pack_version(meta: &Fields<'_, '_>, contract: &Contract, lint: &mut Lint) -> Option<Version> {
    let path = meta.path().key("pack_version");
    if meta.get("pack_version").is_none()
        && let Some(version) = &contract.given
    {
        let detail = format!("absent: taken from `contract_version`, {version}");
        lint.warn("pack_default", &path, detail);
        check_plain(version, &path, lint);
        return Some(version.clone());
    }
    required(meta, "pack_version", lint)?;
    let version = semantic(meta, "pack_version", lint)?;
    check_plain(&version, &path, lint);
    Some(version)
}

/// Reports a version with a pre-release or a build: references have three numbers.
fn check_plain(version: &Version, path: &Path<'_>, lint: &mut Lint) {
    if !version.pre.is_empty() || !version.build.is_empty() {
        lint.error("pack_semver", path, "must be three numbers such as 1.4.0");
    }
}

pub(super) struct Refs {
    pub(super) ontology: Option<Version>,
    pub(super) is_pinned: bool,
}

pub(super) fn intelligence(fields: &Fields<'_, '_>, lint: &mut Lint) -> Refs {
    const KNOWN: &[&str] = &["ontology", "graph_snapshot", "identity", "embeddings"];
    const ONTOLOGY: &[&str] = &["namespace", "version", "entity_types", "relationship_types"];
    let mut refs = Refs { ontology: None, is_pinned: false };
    let path = fields.path().key("intelligence_refs");
    let Some(given) = layer(fields, "intelligence_refs", path, KNOWN, lint) else { return refs };
    let path = given.path().key("ontology");
    if let Some(ontology) = layer(&given, "ontology", path, ONTOLOGY, lint) {
        optional(&ontology, "namespace", lint);
        optional(&ontology, "version", lint);
        refs.ontology = semantic(&ontology, "version", lint);
        texts(&ontology, "entity_types", false, lint);
        texts(&ontology, "relationship_types", false, lint);
    }
    let path = given.path().key("graph_snapshot");
    if let Some(snapshot) = layer(&given, "graph_snapshot", path, &["rule"], lint) {
        let rules = [("pinned", true), ("latest", false)];
        refs.is_pinned = snapshot.choice("rule", &rules, &mut lint.shape).unwrap_or(false);
    }
    let path = given.path().key("identity");
    if let Some(identity) = layer(&given, "identity", path, &["ceid_namespaces"], lint) {
        texts(&identity, "ceid_namespaces", false, lint);
    }
    let path = given.path().key("embeddings");
    if let Some(embeddings) = layer(&given, "embeddings", path, &["model", "version"], lint) {
        optional(&embeddings, "model", lint);
        optional(&embeddings, "version", lint);
    }
    refs
}

/// Rules that are not negotiable.
pub(super) fn business(fields: &Fields<'_, '_>, lint: &mut Lint) -> Vec<Arc<str>> {
    let path = fields.path().key("business_context");
    let known = ["summary", "non_negotiables"];
    let Some(given) = layer(fields, "business_context", path, &known, lint) else {
        return Vec::new();
    };
    optional(&given, "summary", lint);
    texts(&given, "non_negotiables", false, lint)
}
