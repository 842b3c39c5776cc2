//! What is settled before the first stage, and what is told behind the last.

use std::time::Duration;

use semver::Version;
use serde_json::{Value, json};

use super::buckets::Output as Buckets;
use super::ledger::{Stages, hash, put, shown};
use super::{GovernInput, budget, policy};
use crate::domain::ContentHash;
use crate::pack::{Intent, Pack, RUNTIME, Refusal, RefusalCode};
use crate::request::Governed;

/// Whether a pack governs this run at all.
pub(super) fn check(pack: &Pack, governed: &Governed) -> Result<(), Refusal> {
    let runtime = Version::parse(RUNTIME).ok();
    for (name, range) in &pack.requires {
        let found = match &**name {
            "runtime" => runtime.as_ref(),
            "ontology" => pack.ontology.as_ref(),
            _ => None,
        };
        if !found.is_some_and(|version| range.matches(version)) {
            let found = found.map_or_else(|| "nothing of this name".to_owned(), Version::to_string);
            let detail = format!("the pack needs {name} {range}; there is {found}");
            return Err(Refusal::new(RefusalCode::PackIncompatible, None, detail).at("/pack"));
        }
    }
    let run = &governed.run;
    let reference = pack.reference.to_string();
    if let Some(pin) = run.pack_version.as_ref().filter(|pin| ***pin != *reference) {
        let detail = format!("the run is pinned to {pin}, the pack is {reference}");
        let refusal = Refusal::new(RefusalCode::PackPinMismatch, None, detail);
        return Err(refusal.at("/run_context/pack_version"));
    }
    let asked = governed.invoke.facts.get("tenant_id").and_then(Value::as_str);
    if run.tenant_id != pack.tenant || asked.is_some_and(|tenant| tenant != &*pack.tenant) {
        let detail = "the run is of another tenant than the pack";
        let refusal = Refusal::new(RefusalCode::TenantMismatch, None, detail);
        return Err(refusal.at("/run_context/tenant_id"));
    }
    Ok(())
}

/// What rules see.
pub(super) fn facts(pack: &Pack, governed: &Governed, intent: &Intent) -> Value {
    let mut defaults = String::new();
    pack.environment_defaults.write(&mut defaults);
    let defaults: Value = serde_json::from_str(&defaults).unwrap_or_default();
    let run = &governed.run.facts;
    let mut request = governed.invoke.facts.clone();
    let context = request.get("input").and_then(|input| input.get("context")).cloned();
    put(&mut request, "context", context.unwrap_or_else(|| json!({})));
    json!({
        "run_context": run,
        "request": request,
        "intent": super::intent::told(intent),
        "user": run.get("user"),
        "agent": run.get("agent"),
        "tenant_id": governed.run.tenant_id,
        "pack": {"environment_defaults": defaults},
    })
}

pub(super) struct Ledger<'l> {
    pub(super) input: &'l GovernInput<'l>,
    pub(super) intent: &'l Intent,
    pub(super) allocation: &'l budget::Output,
    pub(super) buckets: &'l Buckets,
    pub(super) manifests: &'l Value,
    pub(super) facts_hash: ContentHash,
    pub(super) stages: &'l Stages,
}

/// The ledger, with its own hash.
pub(super) fn ledger(of: &Ledger<'_>) -> Value {
    let GovernInput { pack, governed, .. } = of.input;
    let bundles: Vec<Value> = pack
        .policy
        .bundles
        .iter()
        .map(|bundle| {
            let ids: Vec<_> = bundle.rules.iter().map(|rule| &rule.id).collect();
            json!({"bundle_id": bundle.id, "version": bundle.version, "rule_ids": ids})
        })
        .collect();
    let of_list = |list: &str, keys: &[&str]| -> Vec<Value> {
        let items = of.manifests.get(list).and_then(Value::as_array);
        let pick = |item: &Value| -> Value {
            keys.iter()
                .map(|key| ((*key).to_owned(), item.get(*key).cloned().unwrap_or_default()))
                .collect::<serde_json::Map<_, _>>()
                .into()
        };
        items.into_iter().flatten().map(pick).collect()
    };
    let tools: Vec<String> = of_list("tool_manifest", &["adapter_id", "capability_id"])
        .iter()
        .map(|tool| {
            let text = |key: &str| tool.get(key).and_then(Value::as_str).unwrap_or_default();
            format!("{}.{}", text("adapter_id"), text("capability_id"))
        })
        .collect();
    let omissions = of.buckets.omissions();
    let task = of.buckets.blocks.iter().find(|one| &*one.block.bucket == "task");
    let mut ledger = json!({
        "pack": {"ref": pack.reference.to_string(), "digest": shown(&pack.digest),
            "contract_version": pack.contract_version, "overlays": []},
        "intent": {"id": of.intent.id},
        "request": {
            "request_hash": shown(&hash(&governed.invoke.facts)),
            "run_context_hash": shown(&hash(&governed.run.facts)),
            "facts_hash": shown(&of.facts_hash),
            "message_hash": task.map(|one| shown(&one.block.hash)),
        },
        "policy": {"bundles": bundles},
        "tool": {"keys": tools},
        "evidence": {"kg_snapshot_id": governed.run.snapshot,
            "refs": of_list("evidence_manifest", &["id", "payload_hash"])},
        "memory": {"refs": of_list("memory_manifest", &["id", "text_hash"])},
        "budget": {"total": of.allocation.total, "split_hash": shown(&hash(&of.allocation.split))},
        "omission": {"count": omissions.as_array().map_or(0, Vec::len),
            "hash": shown(&hash(&omissions))},
        "hooks": [],
        "stages": of.stages.told(),
        "compiler": {"name": "contexture", "semantics": "1"},
    });
    let own = shown(&hash(&ledger));
    put(&mut ledger, "hash", own.into());
    ledger
}

/// What is of this one call alone, and hashed nowhere.
pub(super) fn meta(
    input: &GovernInput<'_>,
    policy: &policy::Output,
    diagnostics: &[Value],
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
            "indeterminate": policy.doubts(),
            "notes": diagnostics,
        },
    })
}
