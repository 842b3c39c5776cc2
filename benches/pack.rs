//! A governed compile beside the same conversation without a pack, and beside a compile of the messages
//! and tools that it makes, in one run: `cargo bench --bench pack`.
//!
//! 200 rules, 300 capabilities, 200 pieces of evidence, 500 memories. They are taken by turns,
//! reading of the request included.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a benchmark, not the service"
)]

mod ratios;

use std::time::{Duration, Instant};

use contexture::domain::{ContentHash, Models};
use contexture::pipeline::Deadline;
use contexture::service::idempotency::ResponseRecorder;
use contexture::service::{Services, compile, packs};
use ratios::Ratios;
use serde_json::{Value, json};

/// As the service has it.
#[global_allocator]
static ALLOCATOR: contexture_allocator::MiMalloc = contexture_allocator::MiMalloc;

const ROUNDS: usize = 400;

fn main() {
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let services = Services::new(Models::built_in()).unwrap();
    packs::publish(&services, &pack().to_string(), ResponseRecorder::nothing()).unwrap();
    let history: Vec<Value> = (0..40)
        .map(|at| {
            let role = if at % 2 == 0 { "user" } else { "assistant" };
            json!({"role": role, "content": format!("Message {at} of the conversation. ").repeat(20)})
        })
        .chain([json!({"role": "user", "content": "Release build 812."})])
        .collect();
    let plain = json!({"model": "gpt-4o", "target": "openai", "messages": history}).to_string();
    let mut governed = json!({"model": "gpt-4o", "target": "openai", "messages": history});
    governed["pack"] = json!({"ref": "pack.bench@1.0.0", "run_context": context(),
        "request": {"input": {"intent": "x", "context": {"amount": 5}}}, "memory": memories()});
    governed["evidence"] = evidence();
    let governed = governed.to_string();
    let same = ungoverned(&services, &governed);
    let bodies =
        [("without a pack", plain), ("of the same payload", same), ("under a pack", governed)];
    let mut times = [(); 3].map(|()| Vec::new());
    for _ in 0..ROUNDS {
        for ((_, body), times) in bodies.iter().zip(&mut times) {
            times.push(time(&services, body));
        }
    }
    let medians = times.each_mut().map(|times| {
        times.sort_unstable();
        times[times.len() / 2]
    });
    println!("                        p50 ms    p95 ms      KB");
    for (((name, body), p50), times) in bodies.iter().zip(medians).zip(&times) {
        let p95 = times[times.len() * 95 / 100];
        println!("{name:<21} {:>8.2}  {:>8.2}  {:>6}", millis(p50), millis(p95), body.len() / 1000);
    }
    let [without, same, with] = medians.map(|median| median.as_secs_f64());
    let mut ratios = Ratios::default();
    ratios.note("pack.governed", with / without);
    ratios.note("pack.governed_by_payload", with / same);
    ratios.finish();
}

/// A request without a pack for the messages and tools of a governed one's payload.
fn ungoverned(services: &Services, governed: &str) -> String {
    let compiled = compile::compile(services, governed, &Deadline::default()).unwrap();
    let payload: Value = serde_json::from_str(compiled.payload()).unwrap();
    let mut body = json!({"model": "gpt-4o", "target": "openai"});
    for member in ["messages", "tools"] {
        if let Some(value) = payload.get(member) {
            body[member] = value.clone();
        }
    }
    body.to_string()
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn time(services: &Services, body: &str) -> Duration {
    let start = Instant::now();
    compile::compile(services, body, &Deadline::default()).unwrap();
    start.elapsed()
}

fn context() -> Value {
    json!({"tenant_id": "t", "user": {"user_id": "u"}, "safety_mode": "destructive",
        "kg_snapshot_id": "s1", "run_budget": {"bucket_tokens": 32_000}})
}

fn evidence() -> Value {
    (0..200)
        .map(|at| {
            let text =
                format!("Evidence {at}: what was found there, in a sentence or two. ").repeat(4);
            let hash = ContentHash::of(&text).to_string();
            json!({"id": format!("kg:note:{at}#s1"), "class": "note", "classification": "INTERNAL",
                "integrity": "verified", "freshness": "current", "text": text,
                "payload_hash": format!("sha256:{hash}")})
        })
        .collect()
}

fn memories() -> Value {
    (0..500)
        .map(|at| {
            json!({"id": format!("m{at}"), "tier": "semantic", "status": "promoted", "tenant_id": "t",
                "text": format!("Fact {at} about what users want, in some words."),
                "classification": "INTERNAL", "promoted_at": "2026-01-01T00:00:00Z", "confidence": 0.9})
        })
        .collect()
}

fn pack() -> Value {
    let rules: Vec<Value> = (0..200)
        .map(|at| {
            json!({"rule_id": format!("R{at}"), "rationale": "Why.",
                "if": {"and": [{">": [{"var": "request.context.amount"}, at]},
                               {"!==": [{"var": "user.role"}, "root"]}]},
                "then": {"allow": true, "targets": [format!("a{}.c{}", at % 30, at % 10)]}})
        })
        .collect();
    let adapters: Vec<Value> = (0..30)
        .map(|at| {
            let capabilities: Vec<String> = (0..10).map(|n| format!("c{n}")).collect();
            json!({"adapter_id": format!("a{at}"), "type": "OPENAPI", "endpoint_ref": "internal://a",
                "approval_mode": "network", "capabilities": capabilities})
        })
        .collect();
    let permissions: Vec<Value> = (0..300)
        .map(|at| {
            json!({"adapter_id": format!("a{}", at / 10), "capability": format!("c{}", at % 10),
                "allow": true})
        })
        .collect();
    json!({
        "contract_meta": {"contract_name": "n", "contract_version": "2.0.0", "issuer": "t",
            "created_at": "2026-01-01T00:00:00Z", "compatibility": {"requires": {}}},
        "pack_meta": {"pack_id": "pack.bench", "pack_version": "1.0.0", "tenant": "t",
            "environment_defaults": {}, "ttl_seconds": 0, "data_classification": "CONFIDENTIAL"},
        "intelligence_refs": {"ontology": {"namespace": "n", "version": "1.0.0", "entity_types": [],
            "relationship_types": []}, "identity": {"ceid_namespaces": []},
            "graph_snapshot": {"rule": "pinned"}},
        "business_context": {"summary": "s", "non_negotiables": ["One."]},
        "policy_layer": {"policy_bundles": [{"bundle_id": "B", "priority": 1,
            "policy_dsl": {"language": "jsonlogic", "rules": rules}}], "approval_gates": [],
            "guardrails": {"must_refuse": [], "must_escalate": [], "redaction_rules": ["email", "credit_card"]}},
        "tooling_layer": {"adapter_registry": adapters, "permissions": permissions},
        "decision_layer": {"decision_specs": []},
        "memory_layer": {"tiers": {"semantic": {}}, "write_classes": [], "consent_required": false,
            "promotion": {"min_confidence": 0.5, "auto_promote_classes": []},
            "recall_policy": {"max_per_intent": 50}},
        "evaluation_layer": {"eval_targets": []}, "tone_and_comms": {},
        "intent_layer": {"catalog": [{"id": "x", "intent_class": "c", "task_id": "t"}]}
    })
}
