//! What holds under any pack.

use std::collections::BTreeSet;

use contexture::domain::ContentHash;
use contexture::limit::Allowance;
use contexture::pipeline::Deadline;
use contexture::service::{Services, compile};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{CASES, cases};
use crate::support::compile::services;
use crate::support::pack::{bundle, context, minimal, rule};

const BUCKETS: [&str; 8] =
    ["system", "developer", "task", "policy", "tools", "evidence", "memory", "session"];
const MILLION: u32 = 1_000_000;

/// What was compiled, or the code of the refusal.
fn compiled(services: &Services, body: &Value) -> Result<Value, &'static str> {
    match compile::compile(services, &body.to_string(), &Deadline::default()) {
        Ok(answer) => Ok(serde_json::from_str(&answer.text()).expect("an answer of JSON")),
        Err(compile::Error::Governed(refused)) => Err(refused.refusal.code.as_str()),
        Err(error) => panic!("{error}\n{body}"),
    }
}

fn request(pack: &Value, tokens: u64) -> Value {
    let mut run_context = context("tenant_min");
    run_context["run_budget"] = json!({"bucket_tokens": tokens});
    json!({"model": "bytes4", "target": "neutral", "messages": [{"role": "user", "content": "Do it."}],
        "record": "none", "pack": {"document": pack, "run_context": run_context,
            "request": {"input": {"intent": "x", "context": {"n": 5}}}}})
}

/// A split: eight weights that come to one, as text with six digits.
fn splits() -> impl Strategy<Value = Vec<u32>> {
    prop::collection::vec(0..=MILLION, 7).prop_map(|mut cuts| {
        cuts.sort_unstable();
        let ends = cuts.iter().copied().chain([MILLION]);
        let starts = [0].into_iter().chain(cuts.iter().copied());
        ends.zip(starts).map(|(end, start)| end - start).collect()
    })
}

fn text(at: usize, length: usize) -> String {
    format!("Text {at}. ") + &"word ".repeat(length)
}

fn evidence(lengths: &[usize]) -> Vec<Value> {
    let one = |(at, length): (usize, &usize)| {
        let text = text(at, *length);
        json!({"id": format!("kg:note:{at}#snap_kg_7"), "class": "note",
            "classification": "INTERNAL", "integrity": "verified", "freshness": "current",
            "payload_hash": format!("sha256:{}", ContentHash::of(&text)), "text": text})
    };
    lengths.iter().enumerate().map(one).collect()
}

fn memories(lengths: &[usize]) -> Vec<Value> {
    let one = |(at, length): (usize, &usize)| {
        json!({"id": format!("m{at}"), "tier": (["semantic", "durable"][at % 2]),
            "text": text(at, *length), "status": "promoted", "classification": "INTERNAL",
            "promoted_at": "2026-01-01T00:00:00Z", "tenant_id": "tenant_min", "confidence": 0.5})
    };
    lengths.iter().enumerate().map(one).collect()
}

/// The minimal pack with so many tools, each permitted.
fn with_tools(tools: usize) -> Value {
    let mut pack = minimal();
    let capabilities: Vec<String> = (0..tools).map(|at| format!("c{at}")).collect();
    pack["tooling_layer"] = json!({
        "adapter_registry": [{"adapter_id": "a", "type": "OPENAPI", "endpoint_ref": "internal://a",
            "owner": "o", "approval_mode": "network", "capabilities": capabilities}],
        "permissions": capabilities.iter().map(|capability| {
            json!({"permission_id": capability, "adapter_id": "a", "capability": capability,
                "allow": true})
        }).collect::<Vec<_>>(),
    });
    pack
}

fn ids(rows: &Value, key: &str) -> Vec<String> {
    let rows = rows.as_array().expect("a list");
    rows.iter().map(|row| row[key].as_str().expect("a text").to_owned()).collect()
}

/// What a rule does where it holds: denies some tools, all of them, or forbids some.
#[derive(Debug, Clone)]
struct Rule {
    kind: usize,
    threshold: u32,
    tool: usize,
}

fn rules() -> impl Strategy<Value = Vec<Rule>> {
    let one = (0_usize..4, 0_u32..10, 0_usize..4).prop_map(|(kind, threshold, tool)| Rule {
        kind,
        threshold,
        tool,
    });
    prop::collection::vec(one, 1..6)
}

impl Rule {
    fn written(&self, at: usize) -> Value {
        let key = format!("a.c{}", self.tool);
        let then = match self.kind {
            0 => json!({"allow": false, "targets": [key]}),
            1 => json!({"allow": false}),
            2 => json!({"allow": true, "forbids": [key]}),
            _ => json!({"allow": true, "targets": [key], "requires": ["approval_record"]}),
        };
        let condition = json!({">": [{"var": "request.context.n"}, self.threshold]});
        rule(&format!("R{at}"), "", &condition, &then)
    }

    fn holds(&self) -> bool {
        self.threshold < 5
    }
}

proptest! {
    #![proptest_config(cases(CASES))]

    #[test]
    fn the_allocations_of_any_split_come_to_the_total(split in splits(), total in 0_u64..100_000) {
        let mut pack = minimal();
        let weights = BUCKETS.iter().zip(&split).filter(|(_, weight)| **weight > 0);
        let weights: String = weights
            .map(|(name, weight)| {
                format!("\"{name}\":{}.{:06}", weight / MILLION, weight % MILLION)
            })
            .collect::<Vec<_>>()
            .join(",");
        // As text, so that no float has a say in it.
        let layer = format!("{{\"splits\":{{\"x\":{{{weights}}}}}}}");
        pack["budget_layer"] = "LAYER".into();
        let body = request(&pack, total).to_string().replace("\"LAYER\"", &layer);
        let services = services();
        let answer = compile::compile(&services, &body, &Deadline::default());
        let context: Value = match answer {
            Ok(answer) => serde_json::from_str(&answer.text()).unwrap(),
            // The task has no room.
            Err(compile::Error::Governed(refused)) => {
                prop_assert_eq!(refused.refusal.code.as_str(), "budget_required_overflow");
                return Ok(());
            }
            Err(error) => panic!("{error}\n{body}"),
        };
        let allocations = context["compiled_context"]["budget_report"]["allocations"].clone();
        let allocations = allocations.as_object().unwrap().values();
        prop_assert_eq!(allocations.map(|own| own.as_u64().unwrap()).sum::<u64>(), total);
    }

    #[test]
    fn every_entry_of_a_manifest_has_its_block_and_every_block_its_entry(
        found in prop::collection::vec(0_usize..120, 0..8),
        remembered in prop::collection::vec(0_usize..60, 0..8),
        tools in 0_usize..6,
        rules in rules(),
        tokens in 300_u64..4_000,
    ) {
        let mut pack = with_tools(tools.max(4));
        let rules: Vec<Value> = rules.iter().enumerate().map(|(at, own)| own.written(at)).collect();
        pack["policy_layer"]["policy_bundles"] = json!([bundle("B", 1, &rules)]);
        let mut body = request(&pack, tokens);
        body["evidence"] = evidence(&found).into();
        body["pack"]["memory"] = memories(&remembered).into();
        let answer = match compiled(&services(), &body) {
            Ok(answer) => answer,
            Err(code) => {
                prop_assert_eq!(code, "budget_required_overflow");
                return Ok(());
            }
        };
        let context = &answer["compiled_context"];
        let blocks = context["compiled_prompt"]["context_blocks"].as_array().unwrap();
        let manifests = &context["manifests"];
        let kept = |bucket: &str| -> BTreeSet<String> {
            let own = blocks.iter().filter(|own| own["bucket"] == bucket && own["truncated"] == false);
            own.map(|own| own["provenance_refs"][0].as_str().unwrap().to_owned()).collect()
        };
        let set = |rows: Vec<String>| rows.into_iter().collect::<BTreeSet<String>>();
        for (manifest, bucket) in [("evidence_manifest", "evidence"), ("memory_manifest", "memory")] {
            let rows = manifests[manifest].as_array().unwrap().iter();
            let shown: Value = rows.filter(|row| row["in_prompt"] == true).cloned().collect();
            prop_assert_eq!(set(ids(&shown, "id")), kept(bucket));
        }
        let tools = manifests["tool_manifest"].as_array().unwrap().iter();
        let shown = tools.filter(|tool| tool["in_prompt"] != false).map(|tool| {
            format!("a.{}", tool["capability_id"].as_str().unwrap())
        });
        prop_assert_eq!(shown.collect::<BTreeSet<_>>(), kept("tools"));
        // Everything that is shown is in what is sent.
        let payload = answer["payload"].to_string();
        for block in blocks.iter().filter(|own| own["truncated"] == false) {
            let id = block["id"].as_str().or(block["block_id"].as_str()).unwrap();
            let is_sent = payload.contains(id) || block["bucket"] == "task";
            prop_assert!(is_sent, "{}", block);
        }
    }

    #[test]
    fn to_remove_a_rule_that_denies_removes_no_refusal_but_its_own(
        rules in rules(), gone in any::<prop::sample::Index>(),
    ) {
        let gone = gone.index(rules.len());
        let written = |without: Option<usize>| {
            let mut pack = with_tools(4);
            let kept = rules.iter().enumerate().filter(|(at, _)| Some(*at) != without);
            let kept: Vec<Value> = kept.map(|(at, own)| own.written(at)).collect();
            pack["policy_layer"]["policy_bundles"] = json!([bundle("B", 1, &kept)]);
            pack
        };
        let services = services();
        let (old, new) = (written(None), written(Some(gone)));
        let before = compiled(&services, &request(&old, 8_000)).unwrap();
        let after = compiled(&services, &request(&new, 8_000)).unwrap();
        let of = |answer: &Value, path: &str| answer["compiled_context"].pointer(path).unwrap().clone();
        let refusals = |answer: &Value| -> BTreeSet<String> {
            serde_json::from_value(of(answer, "/runtime_controls/must_refuse")).unwrap()
        };
        let name = format!("R{gone}");
        let mut left = refusals(&before);
        let was_there = left.remove(&name);
        // Behind a rule that denies everything none is looked at.
        prop_assert!(!was_there || rules[gone].holds() && rules[gone].kind < 2);
        prop_assert!(left.is_subset(&refusals(&after)));
        // A tool that comes back was withheld by this rule, or by one that no longer stands first.
        let withheld = |answer: &Value| -> BTreeSet<String> {
            ids(&of(answer, "/manifests/withheld/tools"), "key").into_iter().collect()
        };
        let (then, now) = (withheld(&before), withheld(&after));
        prop_assert!(now.is_subset(&then));
        let takes = rules[gone].holds() && rules[gone].kind < 3;
        prop_assert!(takes || now == then);
        for (at, own) in rules.iter().enumerate().filter(|(at, own)| *at != gone && own.holds()) {
            if own.kind < 3 && own.kind != 1 {
                let key = format!("a.c{}", own.tool);
                prop_assert!(now.contains(&key), "R{}", at);
            }
        }
        // And never silently: the ledger and the comparison of the packs both say where.
        let output = |answer: &Value| {
            let stages = of(answer, "/context_ledger/stages");
            stages.as_array().unwrap().iter().find(|row| row["name"] == "policy").unwrap()["output_hash"].clone()
        };
        prop_assert!(!was_there || output(&before) != output(&after));
        let differences = contexture::pack::between(&old, &new, &Allowance::default()).unwrap();
        let told = format!("{differences:?}");
        prop_assert!(told.contains(&name));
    }

    #[test]
    fn sets_in_any_order_have_one_hash(
        found in prop::collection::vec(0_usize..60, 2..8),
        remembered in prop::collection::vec(0_usize..40, 2..8),
        seed in any::<prop::sample::Index>(),
    ) {
        let pack = with_tools(4);
        let (evidence, memories) = (evidence(&found), memories(&remembered));
        let turned = |list: &[Value], by: usize| {
            let mut list = list.to_vec();
            let middle = by % list.len();
            list.rotate_left(middle);
            if by % 2 == 1 {
                list.reverse();
            }
            list
        };
        let services = services();
        let hash = |by: usize| {
            let mut body = request(&pack, 2_000);
            body["evidence"] = turned(&evidence, by).into();
            body["pack"]["memory"] = turned(&memories, by).into();
            let answer = compiled(&services, &body).unwrap();
            (answer["compiled_context_hash"].clone(), answer["payload"].clone())
        };
        prop_assert_eq!(hash(0), hash(1 + seed.index(1_000)));
    }
}
