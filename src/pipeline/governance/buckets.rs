//! Stage 9 under a pack: chooses the blocks that fit into their buckets. If a required block does
//! not fit, the compile is refused.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use serde::Serialize;
use serde_json::json;

use super::blocks::Block;
use super::canonical::{HashText, WrittenList};
use super::ledger::hash;
use crate::domain::ContentHash;
use crate::pack::{BUCKETS, Refusal, RefusalCode, Rollover};

/// A block and whether it is shown.
#[derive(Debug)]
pub(super) struct PackedBlock {
    pub(super) block: Block,
    pub(super) is_kept: bool,
    /// Whether a summary replaces it.
    pub(super) is_summarized: bool,
}

impl PackedBlock {
    fn new_dropped(block: Block) -> Self {
        Self { block, is_kept: false, is_summarized: false }
    }
}

/// Tokens that one bucket had from another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BucketLoan {
    pub(super) to: Arc<str>,
    pub(super) from: Arc<str>,
    pub(super) tokens: u64,
}

/// A bucket, with the tokens that it may take and those that are used.
#[derive(Debug)]
pub(super) struct BucketRow {
    pub(super) name: Arc<str>,
    pub(super) allocation: u64,
    pub(super) used: u64,
}

impl BucketRow {
    fn new(name: &Arc<str>, allocation: u64) -> Self {
        Self { name: Arc::clone(name), allocation, used: 0 }
    }
}

#[derive(Debug)]
pub(super) struct Output {
    /// Bucket by bucket, those of more weight first; turns in their order.
    pub(super) blocks: Vec<PackedBlock>,
    /// All buckets.
    pub(super) buckets: Vec<BucketRow>,
    pub(super) borrowed: Vec<BucketLoan>,
}

/// Buckets in the order in which they are filled.
struct BucketFill {
    buckets: Vec<BucketRow>,
    borrowed: Vec<BucketLoan>,
}

impl BucketFill {
    fn room(&self, bucket: &str) -> u64 {
        let own = self.buckets.iter().find(|row| *row.name == *bucket);
        let own = own.map_or(0, |row| i128::from(row.allocation) - i128::from(row.used));
        let tokens = |of: fn(&BucketLoan) -> &Arc<str>| -> i128 {
            self.borrowed.iter().filter(|b| **of(b) == *bucket).map(|b| i128::from(b.tokens)).sum()
        };
        u64::try_from(own + tokens(|b| &b.to) - tokens(|b| &b.from)).unwrap_or(0)
    }

    fn take(&mut self, bucket: &str, tokens: u64) {
        if let Some(row) = self.buckets.iter_mut().find(|row| *row.name == *bucket) {
            row.used += tokens;
        }
    }

    /// Moves unused tokens to a bucket; returns whether there were enough.
    fn borrow(&mut self, to: &str, mut tokens: u64, from: impl Iterator<Item = Arc<str>>) -> bool {
        for from in from.filter(|from| **from != *to) {
            let some = self.room(&from).min(tokens);
            if some > 0 {
                self.borrowed.push(BucketLoan { to: to.into(), from, tokens: some });
                tokens -= some;
            }
            if tokens == 0 {
                return true;
            }
        }
        tokens == 0
    }
}

pub(super) fn run(
    blocks: Vec<Block>,
    allocations: &[(Arc<str>, u64)],
    rollover: Rollover,
) -> Result<Output, Refusal> {
    let mut order: Vec<BucketRow> =
        allocations.iter().map(|(name, share)| BucketRow::new(name, *share)).collect();
    let mut of: HashMap<Arc<str>, Vec<Block>> =
        allocations.iter().map(|(name, _)| (Arc::clone(name), Vec::new())).collect();
    // An unknown bucket is placed after memory, and takes from the session's share.
    for block in blocks {
        let own = of.entry(Arc::clone(&block.bucket)).or_insert_with(|| {
            order.insert(order.len() - 1, BucketRow::new(&block.bucket, 0));
            Vec::new()
        });
        own.push(block);
    }
    let names: Vec<Arc<str>> = order.iter().map(|row| Arc::clone(&row.name)).collect();
    let mut fill = BucketFill { buckets: order, borrowed: Vec::new() };
    let mut packed: Vec<PackedBlock> = Vec::with_capacity(of.values().map(Vec::len).sum());
    let mut places: Vec<Range<usize>> = Vec::with_capacity(names.len());
    for name in &names {
        let mut own = of.remove(name).unwrap_or_default();
        own.sort_by_key(|block| std::cmp::Reverse(block.priority));
        let start = packed.len();
        packed.extend(own.into_iter().map(PackedBlock::new_dropped));
        places.push(start..packed.len());
    }
    let is_known = |name: &Arc<str>| allocations.iter().any(|(known, _)| known == name);
    let mut lacking: Vec<usize> = Vec::new();
    for (bucket, required) in rounds(&names, &is_known) {
        let (Some(name), Some(place)) = (names.get(bucket), places.get(bucket)) else { continue };
        for at in place.clone() {
            let Some(one) = packed.get_mut(at) else { continue };
            if one.block.is_required != required {
                continue;
            }
            let need = one.block.tokens;
            let mut room = fill.room(name);
            if need > room && !is_known(name) && fill.room("session") >= need - room {
                fill.borrow(name, need - room, std::iter::once("session".into()));
                room = need;
            }
            if need <= room {
                fill.take(name, need);
                one.is_kept = true;
            } else if required && rollover == Rollover::None {
                return Err(overflow(&one.block, room));
            } else if required {
                lacking.push(at);
            }
        }
    }
    for at in lacking {
        let Some(one) = packed.get_mut(at) else { continue };
        let (name, need) = (Arc::clone(&one.block.bucket), one.block.tokens);
        let room = fill.room(&name);
        if !fill.borrow(&name, need - room.min(need), names.iter().rev().cloned()) {
            return Err(overflow(&one.block, room));
        }
        fill.take(&name, need);
        one.is_kept = true;
    }
    Ok(Output { blocks: packed, buckets: fill.buckets, borrowed: fill.borrowed })
}

/// Indexes of buckets in the order in which they are filled, the required blocks of each first. An
/// unknown bucket takes from the session's share: before turns that may be dropped, after those
/// that may not.
fn rounds(names: &[Arc<str>], is_known: &dyn Fn(&Arc<str>) -> bool) -> Vec<(usize, bool)> {
    let (mut rounds, mut others, mut last) = (Vec::new(), Vec::new(), None);
    for (at, name) in names.iter().enumerate() {
        let both = [(at, true), (at, false)];
        if **name == *"session" {
            rounds.push((at, true));
            last = Some((at, false));
        } else if is_known(name) {
            rounds.extend(both);
        } else {
            others.extend(both);
        }
    }
    rounds.into_iter().chain(others).chain(last).collect()
}

fn overflow(block: &Block, have: u64) -> Refusal {
    let detail = format!(
        "a block of {} tokens must be shown and the bucket `{}` has {have}",
        block.tokens, block.bucket
    );
    Refusal::new(RefusalCode::BudgetRequiredOverflow, Some("buckets"), detail).with(json!({
        "bucket": block.bucket, "block_id": block.id, "need": block.tokens, "have": have
    }))
}

impl Output {
    /// Adds the blocks that a summary replaces.
    pub(super) fn with_summarized(mut self, blocks: Vec<Block>) -> Self {
        let summarized =
            |block| PackedBlock { is_summarized: true, ..PackedBlock::new_dropped(block) };
        self.blocks.extend(blocks.into_iter().map(summarized));
        self
    }

    /// The hash of what the stage gives.
    pub(super) fn hash(&self) -> ContentHash {
        #[derive(Serialize)]
        struct HashedBuckets<B, O> {
            blocks: B,
            omissions: O,
        }
        let blocks = WrittenList(|| {
            let rows = self.blocks.iter().map(|one| (&one.block, !one.is_kept));
            rows.map(|(block, is_gone)| (&block.id, HashText(block.hash), block.tokens, is_gone))
        });
        hash(&HashedBuckets { blocks, omissions: self.omissions() })
    }

    /// Blocks that are not shown.
    pub(super) fn dropped(&self) -> impl Iterator<Item = &PackedBlock> + Clone {
        self.blocks.iter().filter(|one| !one.is_kept)
    }

    /// The omitted blocks as rows.
    pub(super) fn omissions(&self) -> impl Serialize + '_ {
        WrittenList(|| self.dropped().map(Omission::new))
    }

    /// Counts how often rules found something, in what is shown and in what is not.
    pub(super) fn redactions(&self) -> BTreeMap<Arc<str>, u64> {
        let mut hits = BTreeMap::new();
        for (id, count) in self.blocks.iter().flat_map(|one| &one.block.hits) {
            *hits.entry(Arc::clone(id)).or_default() += count;
        }
        hits
    }

    /// Sources of the blocks of a bucket that are shown; blocks of a caller are on no manifest.
    pub(super) fn kept(&self, bucket: &str) -> HashSet<&str> {
        let own = self.blocks.iter().filter(|one| one.is_kept && !one.block.is_callers);
        let own = own.filter(|one| &*one.block.bucket == bucket);
        own.map(|one| &*one.block.source).collect()
    }
}

/// A row of a block that is not shown.
#[derive(Serialize)]
struct Omission<'o> {
    block_id: &'o str,
    bucket: &'o str,
    kind: &'o str,
    reason: &'static str,
    tokens: u64,
    priority: i64,
    source_ref: &'o str,
    content_hash: HashText,
}

impl<'o> Omission<'o> {
    fn new(one: &'o PackedBlock) -> Self {
        let block = &one.block;
        Self {
            block_id: &block.id,
            bucket: &block.bucket,
            kind: &block.kind,
            reason: if one.is_summarized { "summarized" } else { "budget" },
            tokens: block.tokens,
            priority: block.priority,
            source_ref: &block.source,
            content_hash: HashText(block.hash),
        }
    }
}

/// Buckets in the order in which they are shown: what stays the same first, the task last.
pub(super) fn shown_order(output: &Output) -> Vec<Arc<str>> {
    let first = ["system", "developer", "policy", "tools", "evidence", "memory"];
    let own = output.buckets.iter().map(|row| &row.name);
    let own = own.filter(|name| !BUCKETS.contains(&&***name)).cloned();
    let mut order: Vec<Arc<str>> = first.iter().map(|name| Arc::from(*name)).collect();
    order.extend(own);
    order.extend(["session", "task"].map(Arc::from));
    order
}
