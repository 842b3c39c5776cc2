//! A governed compile beside the same conversation without a pack, in one run:
//! `cargo bench --bench pack`.
//!
//! 200 rules, 300 capabilities, 200 pieces of evidence, 500 memories. The two are taken by turns,
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
    let (mut without, mut with) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        without.push(time(&services, &plain));
        with.push(time(&services, &governed));
    }
    let [without, with] = [without, with].map(|mut times| {
        times.sort_unstable();
        [times[times.len() / 2], times[times.len() * 95 / 100]]
    });
    println!("                     p50 ms    p95 ms");
    for (name, [p50, p95]) in [("without a pack", without), ("under a pack", with)] {
        println!("{name:<18} {:>8.2}  {:>8.2}", millis(p50), millis(p95));
    }
    println!("{:<18} {:>8.2}", "more", millis(with[0].saturating_sub(without[0])));
    let ratio = with[0].as_secs_f64() / without[0].as_secs_f64();
    println!("{:<18} {ratio:>8.2}", "times");
    let mut ratios = Ratios::default();
    ratios.note("pack.governed", ratio);
    ratios.finish();
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
