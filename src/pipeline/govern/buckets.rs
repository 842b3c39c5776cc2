//! Stage 7: which blocks fit into their buckets. What must be shown is, or nothing is compiled.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use super::blocks::Block;
use super::ledger::shown;
use crate::pack::{BUCKETS, Refusal, RefusalCode, Rollover};

/// A block and whether it is shown.
#[derive(Debug, Clone)]
pub(super) struct Packed {
    pub(super) block: Block,
    pub(super) is_kept: bool,
}

/// Tokens that one bucket had from another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Borrowed {
    pub(super) to: Arc<str>,
    pub(super) from: Arc<str>,
    pub(super) tokens: u64,
}

/// A bucket: its name, its allocation, and what is used of it.
pub(super) type Row = (Arc<str>, u64, u64);

#[derive(Debug)]
pub(super) struct Output {
    /// Bucket by bucket, those of more weight first; turns as they were said.
    pub(super) blocks: Vec<Packed>,
    /// Every bucket, with its allocation and what is used of it.
    pub(super) buckets: Vec<Row>,
    pub(super) borrowed: Vec<Borrowed>,
}

/// Buckets in the order in which they are filled.
struct Fill {
    /// Name, allocation, use, and what was borrowed.
    buckets: Vec<Row>,
    borrowed: Vec<Borrowed>,
}

impl Fill {
    fn room(&self, bucket: &str) -> u64 {
        let own = self.buckets.iter().find(|(name, ..)| **name == *bucket);
        let own = own.map_or(0, |(_, share, used)| i128::from(*share) - i128::from(*used));
        let tokens = |of: fn(&Borrowed) -> &Arc<str>| -> i128 {
            self.borrowed.iter().filter(|b| **of(b) == *bucket).map(|b| i128::from(b.tokens)).sum()
        };
        u64::try_from(own + tokens(|b| &b.to) - tokens(|b| &b.from)).unwrap_or(0)
    }

    fn take(&mut self, bucket: &str, tokens: u64) {
        if let Some(entry) = self.buckets.iter_mut().find(|(name, ..)| **name == *bucket) {
            entry.2 += tokens;
        }
    }

    /// Moves unused tokens to a bucket; answers whether there were enough.
    fn borrow(&mut self, to: &str, mut tokens: u64, from: impl Iterator<Item = Arc<str>>) -> bool {
        for from in from.filter(|from| **from != *to) {
            let some = self.room(&from).min(tokens);
            if some > 0 {
                self.borrowed.push(Borrowed { to: to.into(), from, tokens: some });
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
    let mut order: Vec<Row> =
        allocations.iter().map(|(name, share)| (Arc::clone(name), *share, 0)).collect();
    // A bucket that nobody has heard of stands after memory, and lives on what the session has.
    for block in &blocks {
        if !order.iter().any(|(name, ..)| *name == block.bucket) {
            order.insert(order.len() - 1, (Arc::clone(&block.bucket), 0, 0));
        }
    }
    let names: Vec<Arc<str>> = order.iter().map(|(name, ..)| Arc::clone(name)).collect();
    let mut fill = Fill { buckets: order, borrowed: Vec::new() };
    let mut packed: Vec<Packed> = Vec::with_capacity(blocks.len());
    let mut lacking: Vec<usize> = Vec::new();
    let mut rest = blocks;
    for name in &names {
        let (mut own, others): (Vec<Block>, Vec<Block>) =
            rest.into_iter().partition(|block| block.bucket == *name);
        rest = others;
        own.sort_by_key(|block| std::cmp::Reverse(block.priority));
        let is_known = allocations.iter().any(|(known, _)| known == name);
        let start = packed.len();
        packed.extend(own.into_iter().map(|block| Packed { block, is_kept: false }));
        for required in [true, false] {
            for at in start..packed.len() {
                let Some(one) = packed.get_mut(at) else { continue };
                if one.block.is_required != required {
                    continue;
                }
                let need = one.block.tokens;
                let mut room = fill.room(name);
                if need > room && !is_known && fill.room("session") >= need - room {
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
    pub(super) fn told(&self) -> Value {
        let blocks = self.blocks.iter().map(|one| {
            json!([one.block.id, shown(&one.block.hash), one.block.tokens, !one.is_kept])
        });
        json!({"blocks": blocks.collect::<Vec<_>>(), "omissions": self.omissions()})
    }

    pub(super) fn omissions(&self) -> Value {
        let dropped = self.blocks.iter().filter(|one| !one.is_kept);
        Value::Array(
            dropped
                .map(|Packed { block, .. }| {
                    json!({
                        "block_id": block.id, "bucket": block.bucket, "kind": block.kind,
                        "reason": "budget", "tokens": block.tokens, "priority": block.priority,
                        "source_ref": block.source, "content_hash": shown(&block.hash),
                    })
                })
                .collect(),
        )
    }

    /// How often rules found something, in what is shown and in what is not.
    pub(super) fn redactions(&self) -> BTreeMap<Arc<str>, u64> {
        let mut hits = BTreeMap::new();
        for (id, count) in self.blocks.iter().flat_map(|one| &one.block.hits) {
            *hits.entry(Arc::clone(id)).or_default() += count;
        }
        hits
    }

    /// Whether a block of a bucket that came from `source` is shown.
    pub(super) fn has(&self, bucket: &str, source: &str) -> bool {
        self.blocks
            .iter()
            .any(|one| one.is_kept && &*one.block.bucket == bucket && &*one.block.source == source)
    }
}

/// Buckets in the order in which they are shown: what stays the same first, the task last.
pub(super) fn shown_order(output: &Output) -> Vec<Arc<str>> {
    let first = ["system", "developer", "policy", "tools", "evidence", "memory"];
    let own = output.buckets.iter().map(|(name, ..)| name);
    let own = own.filter(|name| !BUCKETS.contains(&&***name)).cloned();
    let mut order: Vec<Arc<str>> = first.iter().map(|name| Arc::from(*name)).collect();
    order.extend(own);
    order.extend(["session", "task"].map(Arc::from));
    order
}
