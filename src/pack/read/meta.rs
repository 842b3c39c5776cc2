//! The identity of a pack, its owner, and its requirements.

use std::sync::Arc;

use semver::{Version, VersionReq};

use super::{layer, list, name, object, optional, required, texts};
use crate::domain::Classification;
use crate::json::{Fields, Node};
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

pub(super) struct Contract {
    pub(super) version: Arc<str>,
    pub(super) requires: Vec<(Arc<str>, VersionReq)>,
}

pub(super) fn contract(fields: &Fields<'_, '_>, lint: &mut Lint) -> Contract {
    const KNOWN: &[&str] =
        &["contract_name", "contract_version", "issuer", "created_at", "compatibility"];
    let path = fields.path().key("contract_meta");
    let mut contract = Contract { version: "".into(), requires: Vec::new() };
    let Some(meta) = layer(fields, "contract_meta", path, KNOWN, lint) else { return contract };
    required(&meta, "contract_name", lint);
    required(&meta, "issuer", lint);
    required(&meta, "created_at", lint);
    contract.version = name(&meta, "contract_version", lint);
    semantic(&meta, "contract_version", lint);
    let path = meta.path().key("compatibility");
    let Some(given) = object(&meta, "compatibility", path, &["requires"], lint) else {
        return contract;
    };
    let path = given.path().key("requires");
    let Some(node) = given.get("requires") else {
        given.fault("requires", "is missing", &mut lint.shape);
        return contract;
    };
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

pub(super) fn pack(fields: &Fields<'_, '_>, lint: &mut Lint) -> Meta {
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
    if required(&meta, "pack_version", lint).is_some()
        && let Some(version) = semantic(&meta, "pack_version", lint)
    {
        if !version.pre.is_empty() || !version.build.is_empty() {
            let path = meta.path().key("pack_version");
            lint.error("pack_semver", &path, "must be three numbers such as 1.4.0");
        }
        read.reference.version = version;
    }
    read.tenant = name(&meta, "tenant", lint);
    for key in ["environment_defaults", "ttl_seconds", "data_classification"] {
        if meta.get(key).is_none() {
            meta.fault(key, "is missing", &mut lint.shape);
        }
    }
    read.ttl_seconds =
        meta.whole("ttl_seconds", 0, u32::MAX.into(), &mut lint.shape).unwrap_or_default();
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
    if let Some(ontology) = object(&given, "ontology", path, ONTOLOGY, lint) {
        required(&ontology, "namespace", lint);
        required(&ontology, "version", lint);
        refs.ontology = semantic(&ontology, "version", lint);
        texts(&ontology, "entity_types", true, lint);
        texts(&ontology, "relationship_types", true, lint);
    }
    let path = given.path().key("graph_snapshot");
    if let Some(snapshot) = layer(&given, "graph_snapshot", path, &["rule"], lint) {
        let rules = [("pinned", true), ("latest", false)];
        refs.is_pinned = snapshot.choice("rule", &rules, &mut lint.shape).unwrap_or(false);
    }
    let path = given.path().key("identity");
    if let Some(identity) = object(&given, "identity", path, &["ceid_namespaces"], lint) {
        texts(&identity, "ceid_namespaces", true, lint);
    }
    let path = given.path().key("embeddings");
    if let Some(embeddings) = layer(&given, "embeddings", path, &["model", "version"], lint) {
        required(&embeddings, "model", lint);
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
    required(&given, "summary", lint);
    list(&given, "non_negotiables", 1_000, lint);
    texts(&given, "non_negotiables", false, lint)
}
