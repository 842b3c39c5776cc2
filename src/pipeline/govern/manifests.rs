//! Stage 8: what the model was shown, and nothing else.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::buckets::{Output as Buckets, Packed, Row};
use super::evidence::Output as Evidence;
use super::ledger::{put, shown};
use super::memory::Output as Memory;
use super::policy::{self, Output as Policy};
use super::render;
use super::tools::Output as Tools;
use crate::domain::{MemoryTier, word_of};

pub(super) struct Input<'i> {
    pub(super) policy: &'i Policy,
    pub(super) tools: &'i Tools,
    /// Tools of the caller that the registry does not know.
    pub(super) foreign: &'i [Arc<str>],
    pub(super) evidence: &'i Evidence,
    pub(super) memory: &'i Memory,
    pub(super) buckets: &'i Buckets,
}

/// Evidence whose block is shown.
pub(super) fn evidence(evidence: &Evidence, buckets: &Buckets) -> Value {
    let shown = evidence.admitted.iter().filter(|one| buckets.has("evidence", &one.given.id));
    Value::Array(
        shown
            .map(|one| {
                let given = &one.given;
                let mut told = json!({
                    "id": given.id, "class": given.class, "classification": one.level,
                    "payload_hash": given.payload_hash, "in_prompt": true,
                });
                if &*given.classification != one.level {
                    put(&mut told, "classification_given", json!(given.classification));
                }
                told
            })
            .collect(),
    )
}

pub(super) fn run(input: &Input<'_>) -> Value {
    let decisions: Vec<Value> = input.policy.decisions.iter().map(policy::Decision::told).collect();
    let tools: Vec<Value> = input
        .tools
        .surfaced
        .iter()
        .map(|tool| {
            let mut told = tool.told();
            put(&mut told, "in_prompt", json!(input.buckets.has("tools", &tool.capability.key)));
            told
        })
        .collect();
    let recalled = input.memory.recalled.iter();
    let recalled = recalled.filter(|one| input.buckets.has("memory", &one.record.id));
    let memory: Vec<Value> = recalled
        .map(|one| {
            json!({
                "id": one.record.id, "tier": word_of(MemoryTier::WORDS, one.tier),
                "classification": one.level, "text_hash": shown(&one.hash), "in_prompt": true,
            })
        })
        .collect();
    let mut withheld: Vec<Value> =
        input.tools.withheld.iter().map(super::tools::Withheld::told).collect();
    withheld.extend(
        input
            .foreign
            .iter()
            .map(|name| json!({"key": name, "reason": "not_in_registry", "by": null})),
    );
    let rules: Vec<Value> = input.policy.suppressed.iter().map(policy::suppressed).collect();
    json!({
        "policy_manifest": decisions,
        "tool_manifest": tools,
        "evidence_manifest": evidence(input.evidence, input.buckets),
        "memory_manifest": memory,
        "withheld": {
            "tools": withheld,
            "evidence": input.evidence.rejected(),
            "memory": input.memory.rejected(),
            "rules": rules,
        },
    })
}

/// The prompt: by role, block by block, and as one text.
pub(super) fn prompt(buckets: &Buckets) -> Value {
    let joined = |bucket: &str| {
        let own = buckets.blocks.iter().filter(|one| one.is_kept && &*one.block.bucket == bucket);
        own.map(|one| one.block.text.as_str()).collect::<Vec<_>>().join("\n\n")
    };
    let blocks: Vec<Value> = buckets.blocks.iter().map(block).collect();
    let rendered = render::text(buckets, |_| true);
    let hash = shown(&crate::domain::ContentHash::of(&rendered));
    json!({
        "system": joined("system"), "developer": joined("developer"), "task": joined("task"),
        "context_blocks": blocks, "rendered": rendered, "rendered_hash": hash,
    })
}

fn block(one: &Packed) -> Value {
    let block = &one.block;
    json!({
        "block_id": block.id,
        "bucket": block.bucket,
        "kind": block.kind,
        "content": if one.is_kept { block.text.as_str() } else { "" },
        "priority": block.priority,
        "required": block.is_required,
        "provenance_refs": [block.source],
        "truncated": !one.is_kept,
        "instruction_treatment": if block.is_data { "data_only" } else { "trusted" },
        "content_hash": shown(&block.hash),
        "tokens": block.tokens,
        "redactions": block.hits,
    })
}

/// What was spent, bucket by bucket, and what had no room.
pub(super) fn budget(
    allocation: &super::budget::Output,
    buckets: &Buckets,
    (tokenizer, limits): (&str, &Value),
    count: &dyn Fn(&str) -> u64,
) -> Value {
    let by = |value: &dyn Fn(&Row) -> u64| -> Map<String, Value> {
        buckets.buckets.iter().map(|one| (one.0.to_string(), json!(value(one)))).collect()
    };
    let mut truncations = Map::new();
    for (name, ..) in &buckets.buckets {
        let gone = buckets.blocks.iter().filter(|one| !one.is_kept && one.block.bucket == *name);
        let gone: Vec<&Packed> = gone.collect();
        if !gone.is_empty() {
            let ids: Vec<&str> = gone.iter().map(|one| one.block.id.as_str()).collect();
            let tokens: u64 = gone.iter().map(|one| one.block.tokens).sum();
            let told = json!({"count": gone.len(), "block_ids": ids, "tokens": tokens});
            truncations.insert(name.to_string(), told);
        }
    }
    let dropped: Vec<&str> =
        buckets.blocks.iter().filter(|one| !one.is_kept).map(|one| one.block.id.as_str()).collect();
    let borrowed: Vec<Value> = buckets
        .borrowed
        .iter()
        .map(|one| json!({"to": one.to, "from": one.from, "tokens": one.tokens}))
        .collect();
    let used: u64 = buckets.buckets.iter().map(|(_, _, used)| used).sum();
    let rendered = count(&render::text(buckets, |_| true));
    json!({
        "tokenizer": tokenizer,
        "total_tokens": allocation.total,
        "source": allocation.source,
        "split_source": allocation.split_source,
        "allocations": by(&|(_, share, _)| *share),
        "used_at_compile": by(&|(_, _, used)| *used),
        "bucket_truncations": truncations,
        "dropped_block_ids": dropped,
        "omissions": buckets.omissions(),
        "redactions": buckets.redactions(),
        "overhead_tokens": rendered.saturating_sub(used),
        "rendered_tokens": rendered,
        "borrowed": borrowed,
        "run_limits": limits,
    })
}
