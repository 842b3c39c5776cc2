//! Checks before the first stage, and the ledger after the last.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};

use super::buckets::Output as Buckets;
use super::canonical::{HashText, WrittenList, WrittenMap, WrittenObject, WrittenValue};
use super::controls::Diagnostic;
use super::ledger::{Stages, hash};
use super::manifests::Manifests;
use super::tools::SurfacedTool;
use super::{GovernInput, budget, intent, policy};
use crate::domain::ContentHash;
use crate::json;
use crate::pack::{Capability, Intent, Pack, Refusal, RefusalCode};
use crate::request::GovernedRequest;

/// Keys of capabilities that a refusal lists.
const MAX_LISTED_KEYS: usize = 20;

/// Whether a pack governs this run at all.
pub(super) fn check(pack: &Pack, governed: &GovernedRequest) -> Result<(), Refusal> {
    if let Some((_, detail)) = pack.unmet().next() {
        return Err(Refusal::new(RefusalCode::PackIncompatible, None, detail).at("/pack"));
    }
    let run = &governed.run;
    let reference = pack.reference.to_string();
    if let Some(pin) = run.pack_version.as_ref().filter(|pin| ***pin != *reference) {
        let detail = format!("the run is pinned to {pin}, the pack is {reference}");
        let refusal = Refusal::new(RefusalCode::PackPinMismatch, None, detail);
        return Err(refusal.at("/run_context/pack_version"));
    }
    let refuse_tenant = |detail: &str, pointer: &str| {
        Err(Refusal::new(RefusalCode::TenantMismatch, None, detail).at(pointer))
    };
    if run.tenant_id != pack.tenant {
        return refuse_tenant(
            "the run is of another tenant than the pack",
            "/run_context/tenant_id",
        );
    }
    let asked = governed.invoke.facts.get("tenant_id").filter(|tenant| !tenant.is_null());
    if asked.is_some_and(|tenant| tenant.as_str() != Some(&*pack.tenant)) {
        return refuse_tenant(
            "the request is of another tenant than the pack",
            "/request/tenant_id",
        );
    }
    check_prohibitions(pack, &run.prohibitions)
}

/// Refuses a prohibition of a capability that the pack does not have: misspelt, it would prohibit
/// nothing.
fn check_prohibitions(pack: &Pack, prohibitions: &[Arc<str>]) -> Result<(), Refusal> {
    if prohibitions.is_empty() {
        return Ok(());
    }
    let keys = pack.capabilities.iter().flat_map(Capability::prohibition_keys);
    let known: HashSet<Cow<'_, str>> = keys.collect();
    let Some(at) = prohibitions.iter().position(|key| !known.contains(&**key)) else {
        return Ok(());
    };
    let given = prohibitions.get(at).map_or("", |key| json::beginning(key));
    let keys: Vec<&str> =
        pack.capabilities.iter().take(MAX_LISTED_KEYS).map(|own| &*own.key).collect();
    let detail = format!(
        "`{given}` prohibits nothing, because the pack has no such capability; known \
         capabilities: {}",
        keys.join(", ")
    );
    let refusal = Refusal::new(RefusalCode::CtxInvalid, None, detail);
    Err(refusal.at(&format!("/run_context/prohibitions/{at}")))
}

/// The facts that rules read, as canonical JSON.
pub(super) fn facts(pack: &Pack, governed: &GovernedRequest, intent: &Intent) -> String {
    #[derive(Serialize)]
    struct Facts<'f, R> {
        run_context: &'f Value,
        request: R,
        intent: intent::IntentRow<'f>,
        user: Option<&'f Value>,
        agent: Option<&'f Value>,
        tenant_id: &'f str,
        pack: Value,
    }
    let defaults: Value = serde_json::from_str(&pack.environment_defaults).unwrap_or_default();
    let run = &governed.run.facts;
    let request = &governed.invoke.facts;
    let context = request.get("input").and_then(|input| input.get("context"));
    let none = json!({});
    let context = context.unwrap_or(&none);
    let given = || request.as_object().into_iter().flatten().filter(|(key, _)| *key != "context");
    let request = WrittenMap(|| {
        given().map(|(key, value)| (key.as_str(), value)).chain([("context", context)])
    });
    json::jcs_value(&Facts {
        run_context: run,
        request,
        intent: intent::row(intent),
        user: run.get("user"),
        agent: run.get("agent"),
        tenant_id: &governed.run.tenant_id,
        pack: json!({"environment_defaults": defaults}),
    })
}

pub(super) struct LedgerInput<'l> {
    pub(super) input: &'l GovernInput<'l>,
    pub(super) intent: &'l Intent,
    pub(super) allocation: &'l budget::Output,
    pub(super) buckets: &'l Buckets,
    pub(super) surfaced: &'l [SurfacedTool<'l>],
    pub(super) manifests: &'l Manifests<'l>,
    pub(super) facts_hash: ContentHash,
    pub(super) stages: &'l Stages,
}

/// The ledger but for its own hash.
pub(super) fn ledger(input: &LedgerInput<'_>) -> WrittenObject {
    #[derive(Serialize)]
    struct BundleRow<'b, R> {
        bundle_id: &'b str,
        version: Option<&'b str>,
        rule_ids: R,
    }
    #[derive(Serialize)]
    struct EvidenceKey<'r> {
        id: &'r str,
        payload_hash: &'r str,
    }
    #[derive(Serialize)]
    struct MemoryKey<'r> {
        id: &'r str,
        text_hash: HashText,
    }
    let GovernInput { pack, governed, .. } = input.input;
    let bundles = pack.policy.bundles.iter().map(|bundle| BundleRow {
        bundle_id: &bundle.id,
        version: bundle.version.as_deref(),
        rule_ids: WrittenList(|| bundle.rules.iter().map(|rule| &rule.id)),
    });
    let keys = input.surfaced.iter().map(|tool| &tool.capability);
    let keys = keys.map(|own| format!("{}.{}", own.adapter, own.id));
    let proven = input.manifests.evidence.iter().map(|one| one.given);
    let proven =
        proven.map(|given| EvidenceKey { id: &given.id, payload_hash: &given.payload_hash });
    let recalled = input.manifests.memory.iter();
    let recalled =
        recalled.map(|one| MemoryKey { id: &one.record.id, text_hash: HashText(one.hash) });
    let task = input.buckets.blocks.iter().find(|one| &*one.block.bucket == "task");
    let write = |value: Value| WrittenValue::new(&value);
    WrittenObject::new([
        (
            "pack",
            write(json!({"ref": pack.reference.to_string(), "digest": HashText(pack.digest),
                "contract_version": pack.contract_version, "overlays": []})),
        ),
        ("intent", write(json!({"id": input.intent.id}))),
        (
            "request",
            write(json!({
                "request_hash": HashText(hash(&governed.invoke.facts)),
                "run_context_hash": HashText(hash(&governed.run.facts)),
                "facts_hash": HashText(input.facts_hash),
                "message_hash": task.map(|one| HashText(one.block.hash)),
            })),
        ),
        ("policy", write_member("bundles", &bundles.collect::<Vec<_>>())),
        ("tool", write_member("keys", &keys.collect::<Vec<_>>())),
        (
            "evidence",
            WrittenObject::new([
                ("kg_snapshot_id", WrittenValue::new(&governed.run.snapshot)),
                ("refs", WrittenValue::new(&proven.collect::<Vec<_>>())),
            ])
            .written(),
        ),
        ("memory", write_member("refs", &recalled.collect::<Vec<_>>())),
        (
            "budget",
            write(json!({"total": input.allocation.total,
                "split_hash": HashText(hash(&input.allocation.split))})),
        ),
        (
            "omission",
            write(json!({"count": input.buckets.dropped().count(),
                "hash": HashText(hash(&input.buckets.omissions()))})),
        ),
        ("hooks", write(json!([]))),
        ("stages", input.stages.written()),
        ("compiler", write(json!({"name": "contexture", "semantics": "1"}))),
    ])
}

/// An object of one member.
fn write_member<T: Serialize + ?Sized>(key: &'static str, value: &T) -> WrittenValue {
    WrittenObject::new([(key, WrittenValue::new(value))]).written()
}

/// Facts of this one call, which are hashed nowhere.
pub(super) fn meta(
    input: &GovernInput<'_>,
    policy: &policy::Output<'_>,
    diagnostics: &[Diagnostic<'_>],
) -> Value {
    let GovernInput { pack, governed, .. } = input;
    let run = &governed.run;
    let ttl = Some(pack.ttl_seconds).filter(|seconds| *seconds > 0);
    let expires = ttl.map(|seconds| run.as_of.after(Duration::from_secs(seconds)).to_string());
    let mut correlation = run.correlation.clone();
    if let (Some(all), Some(more)) =
        (correlation.as_object_mut(), governed.invoke.correlation.as_object())
    {
        all.extend(more.clone());
    }
    json!({
        "as_of": run.as_of.to_string(),
        "as_of_source": if run.is_timed { "request" } else { "server" },
        "expires_at": expires,
        "correlation": correlation,
        "store_revision": input.store_revision,
        "diagnostics": {
            "evaluated": policy.evaluated,
            "indeterminate": policy.doubts,
            "notes": diagnostics,
        },
    })
}
