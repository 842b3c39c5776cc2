//! Stage 11 under a pack: lists what was admitted, whether the model is shown it, and what was
//! withheld.

use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::buckets::{BucketRow, Output as Buckets, PackedBlock};
use super::canonical::{HashText, WrittenList, WrittenMap, WrittenObject, WrittenValue};
use super::evidence::{AdmittedEvidence, Output as Evidence};
use super::memory::{Output as Memory, RecalledRecord};
use super::policy::Output as Policy;
use super::rendering::RenderedText;
use super::tools::{Output as Tools, WithheldTool};
use crate::domain::{ContentHash, MemoryTier, word_of};

pub(super) struct Input<'i> {
    pub(super) policy: &'i Policy<'i>,
    pub(super) tools: &'i Tools<'i>,
    /// Tools of the caller that the registry does not know.
    pub(super) foreign: &'i [Arc<str>],
    pub(super) evidence: &'i Evidence<'i>,
    pub(super) memory: &'i Memory<'i>,
    pub(super) buckets: &'i Buckets,
}

/// The manifests: what the model was shown.
pub(super) struct Manifests<'i> {
    pub(super) written: WrittenValue,
    /// Over the evidence that is shown, in no order.
    pub(super) snapshot: ContentHash,
    /// The evidence and what is remembered, of which blocks are shown.
    pub(super) evidence: Vec<&'i AdmittedEvidence<'i>>,
    pub(super) memory: Vec<&'i RecalledRecord<'i>>,
}

/// A row of a piece of evidence.
#[derive(Serialize)]
struct EvidenceRow<'r> {
    id: &'r str,
    class: &'r str,
    classification: &'static str,
    payload_hash: &'r str,
    in_prompt: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    classification_given: Option<&'r str>,
}

impl<'r> EvidenceRow<'r> {
    fn new(one: &AdmittedEvidence<'r>, in_prompt: bool) -> Self {
        let (given, level) = (one.given, one.level);
        Self {
            id: &given.id,
            class: &given.class,
            classification: level,
            payload_hash: &given.payload_hash,
            in_prompt,
            classification_given: Some(&*given.classification).filter(|own| *own != level),
        }
    }
}

/// A row of a remembered record.
#[derive(Serialize)]
struct MemoryRow<'r> {
    id: &'r str,
    tier: &'static str,
    classification: &'static str,
    text_hash: HashText,
    in_prompt: bool,
}

impl<'r> MemoryRow<'r> {
    fn new(one: &RecalledRecord<'r>, in_prompt: bool) -> Self {
        Self {
            id: &one.record.id,
            tier: word_of(MemoryTier::WORDS, one.tier),
            classification: one.level,
            text_hash: HashText(one.hash),
            in_prompt,
        }
    }
}

pub(super) fn run<'i>(input: &Input<'i>) -> Manifests<'i> {
    #[derive(Serialize)]
    struct OmissionRows<T, E, M, R> {
        tools: T,
        evidence: E,
        memory: M,
        rules: R,
    }
    let Input { policy, tools, foreign, evidence, memory, buckets } = *input;
    let kept_tools = buckets.kept("tools");
    let in_prompt = |key: &str| Some(kept_tools.contains(key));
    let surfaced =
        WrittenList(|| tools.surfaced.iter().map(|tool| tool.row(in_prompt(&tool.capability.key))));
    let kept = buckets.kept("evidence");
    let is_proven = |one: &AdmittedEvidence<'_>| kept.contains(&*one.given.id);
    let proven: Vec<&AdmittedEvidence<'_>> =
        evidence.admitted.iter().filter(|one| is_proven(one)).collect();
    // Evidence without a content, or without room, is admitted and not shown.
    let evidence_manifest =
        WrittenList(|| evidence.admitted.iter().map(|one| EvidenceRow::new(one, is_proven(one))));
    let mut snapshot: Vec<WrittenValue> =
        proven.iter().map(|one| WrittenValue::new(&EvidenceRow::new(one, true))).collect();
    snapshot.sort_unstable_by(|a, b| a.shown.cmp(&b.shown));
    let kept = buckets.kept("memory");
    let is_recalled = |one: &RecalledRecord<'_>| kept.contains(&*one.record.id);
    let recalled = memory.recalled.iter().filter(|one| is_recalled(one)).collect();
    let unknown = |key| WithheldTool { key, reason: "not_in_registry", by: None };
    let withheld = OmissionRows {
        tools: WrittenList(|| tools.withheld.iter().cloned().chain(foreign.iter().map(unknown))),
        evidence: &evidence.rejected,
        memory: &memory.rejected,
        rules: &policy.suppressed,
    };
    let remembered =
        WrittenList(|| memory.recalled.iter().map(|one| MemoryRow::new(one, is_recalled(one))));
    let manifests = WrittenObject::new([
        ("policy_manifest", WrittenValue::new(&policy.decisions)),
        ("tool_manifest", WrittenValue::new(&surfaced)),
        ("evidence_manifest", WrittenValue::new(&evidence_manifest)),
        ("memory_manifest", WrittenValue::new(&remembered)),
        ("withheld", WrittenValue::new(&withheld)),
    ]);
    Manifests {
        written: manifests.written(),
        snapshot: WrittenValue::list(&snapshot).hash(),
        evidence: proven,
        memory: recalled,
    }
}

/// The prompt: by role, block by block, and as one text.
pub(super) fn prompt(buckets: &Buckets, rendered: &RenderedText) -> WrittenValue {
    #[derive(Serialize)]
    struct Prompt<'p, B> {
        system: String,
        developer: String,
        task: String,
        context_blocks: B,
        rendered: &'p str,
        rendered_hash: HashText,
    }
    let joined = |bucket: &str| {
        let own = buckets.blocks.iter().filter(|one| one.is_kept && &*one.block.bucket == bucket);
        own.map(|one| one.block.text.as_str()).collect::<Vec<_>>().join("\n\n")
    };
    WrittenValue::new(&Prompt {
        system: joined("system"),
        developer: joined("developer"),
        task: joined("task"),
        context_blocks: WrittenList(|| buckets.blocks.iter().map(BlockRow::new)),
        rendered: &rendered.text,
        rendered_hash: HashText(ContentHash::of(&rendered.text)),
    })
}

/// A row of a block.
#[derive(Serialize)]
struct BlockRow<'b> {
    block_id: &'b str,
    bucket: &'b str,
    kind: &'b str,
    content: &'b str,
    priority: i64,
    required: bool,
    provenance_refs: [&'b str; 1],
    truncated: bool,
    instruction_treatment: &'static str,
    content_hash: HashText,
    tokens: u64,
    redactions: &'b std::collections::BTreeMap<Arc<str>, u64>,
}

impl<'b> BlockRow<'b> {
    fn new(one: &'b PackedBlock) -> Self {
        let block = &one.block;
        Self {
            block_id: &block.id,
            bucket: &block.bucket,
            kind: &block.kind,
            content: if one.is_kept { block.text.as_str() } else { "" },
            priority: block.priority,
            required: block.is_required,
            provenance_refs: [&block.source],
            truncated: !one.is_kept,
            instruction_treatment: if block.is_data { "data_only" } else { "trusted" },
            content_hash: HashText(block.hash),
            tokens: block.tokens,
            redactions: &block.hits,
        }
    }
}

/// Blocks of a bucket that had no room.
#[derive(Serialize)]
struct Truncation<'t> {
    count: usize,
    block_ids: Vec<&'t str>,
    tokens: u64,
}

/// Writes the tokens used, bucket by bucket, and the blocks that had no room.
pub(super) fn budget_report(
    allocation: &super::budget::Output,
    buckets: &Buckets,
    tokenizer: &str,
    limits: &Value,
    rendered: u64,
) -> WrittenValue {
    let by = |value: &dyn Fn(&BucketRow) -> u64| -> Map<String, Value> {
        buckets.buckets.iter().map(|one| (one.name.to_string(), json!(value(one)))).collect()
    };
    let mut truncations: Vec<(&str, Truncation<'_>)> = Vec::new();
    for BucketRow { name, .. } in &buckets.buckets {
        let gone = buckets.dropped().filter(|one| one.block.bucket == *name);
        let block_ids: Vec<&str> = gone.clone().map(|one| one.block.id.as_str()).collect();
        if !block_ids.is_empty() && !truncations.iter().any(|(known, _)| **known == **name) {
            let tokens = gone.map(|one| one.block.tokens).sum();
            truncations.push((name, Truncation { count: block_ids.len(), block_ids, tokens }));
        }
    }
    let borrowed = buckets.borrowed.iter();
    let borrowed =
        borrowed.map(|one| json!({"to": one.to, "from": one.from, "tokens": one.tokens}));
    let used: u64 = buckets.buckets.iter().map(|row| row.used).sum();
    WrittenValue::new(&BudgetReport {
        tokenizer,
        total_tokens: allocation.total,
        source: allocation.source,
        split_source: allocation.split_source,
        allocations: by(&|row| row.allocation),
        used_at_compile: by(&|row| row.used),
        bucket_truncations: WrittenMap(|| truncations.iter().map(|(name, own)| (*name, own))),
        dropped_block_ids: WrittenList(|| buckets.dropped().map(|one| &one.block.id)),
        omissions: buckets.omissions(),
        redactions: buckets.redactions(),
        overhead_tokens: rendered.saturating_sub(used),
        rendered_tokens: rendered,
        borrowed: borrowed.collect(),
        run_limits: limits,
    })
}

#[derive(Serialize)]
struct BudgetReport<'r, T, D, O> {
    tokenizer: &'r str,
    total_tokens: u64,
    source: &'static str,
    split_source: &'static str,
    allocations: Map<String, Value>,
    used_at_compile: Map<String, Value>,
    bucket_truncations: T,
    dropped_block_ids: D,
    omissions: O,
    redactions: std::collections::BTreeMap<Arc<str>, u64>,
    overhead_tokens: u64,
    rendered_tokens: u64,
    borrowed: Vec<Value>,
    run_limits: &'r Value,
}

/// Hashes the output of the stage: manifests and controls.
pub(super) fn hash_stage(manifests: &WrittenValue, controls: &WrittenValue) -> ContentHash {
    WrittenValue::list([manifests, controls]).hash()
}
