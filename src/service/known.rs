//! Which messages of a list an earlier answer of ours made, and what they stand for.
//!
//! A message is recognised by its place in the chain (`compress::chain`). An answer is stored as
//! the chain of each message that it changed, with the original behind it, and the chain of its
//! end, with an index of all of its originals.

use std::fmt::Write as _;
use std::sync::Arc;

use crate::compress::{chain, end_of};
use crate::domain::{ArtifactId, ContentHash};
use crate::json::Node;
use crate::pipeline::{Shortened, Shown};
use crate::store::{self, Batch, ChainHash, Item, Tenant};

/// What is known of a list.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// The original behind each message that was changed.
    pub(super) originals: Vec<Option<Arc<str>>>,
    /// The longest beginning of the list that is a whole answer: how many messages, and the
    /// originals of all of them.
    pub(super) whole: Option<(usize, Vec<Arc<str>>)>,
}

impl Known {
    pub(super) fn of(tenant: &Tenant, items: &[Node<'_>]) -> Result<Self, store::Error> {
        let hashes = chain(items);
        let count = hashes.len();
        let ends = hashes.iter().map(end_of);
        let chains: Vec<ChainHash> = hashes.iter().copied().chain(ends).map(ChainHash).collect();
        let mut found = tenant.originals(&chains)?;
        let ends = found.split_off(count.min(found.len()));
        let mut originals = vec![None; count];
        let wanted: Vec<(usize, ContentHash)> =
            found.into_iter().enumerate().filter_map(|(at, hash)| Some((at, hash?))).collect();
        let hashes: Vec<ContentHash> = wanted.iter().map(|(_, hash)| *hash).collect();
        for ((at, _), text) in wanted.iter().zip(tenant.messages(&hashes)?) {
            if let Some(slot) = originals.get_mut(*at) {
                *slot = text.map(Into::into);
            }
        }
        let end = ends.into_iter().enumerate().rev().find_map(|(at, hash)| Some((at, hash?)));
        let whole = match end {
            Some((at, index)) => indexed(tenant, index)?.map(|texts| (at + 1, texts)),
            None => None,
        };
        Ok(Self { originals, whole })
    }

    /// Whether each message is one that we made.
    pub(super) fn ours(&self) -> Vec<bool> {
        self.originals.iter().map(Option::is_some).collect()
    }

    /// Adds an answer: with a recipe where the caller keeps the originals, else with these.
    pub(super) fn keep(
        &self,
        batch: &mut Batch,
        id: &str,
        items: &[Node<'_>],
        (shortened, hashes): (&Shortened, &[[u8; 32]]),
        recipe: Option<&Recipe>,
    ) {
        let changed = shortened.list.iter().zip(hashes).enumerate();
        let changed = changed.filter(|(_, (shown, _))| shown.changed || self.is_ours(shown));
        let mut rows = Vec::new();
        if let Some(recipe) = recipe {
            for (at, (_, hash)) in changed {
                let original = batch.message(recipe.text(at));
                rows.push(Item { chain: ChainHash(*hash), original });
            }
        } else {
            let originals: Vec<ContentHash> =
                (0..items.len()).map(|at| batch.message(self.original(at, items))).collect();
            if let Some(last) = hashes.last() {
                let index = index(&self.all(batch, &originals));
                rows.push(Item { chain: ChainHash(end_of(last)), original: batch.message(index) });
            }
            for (_, (shown, hash)) in changed {
                if let Some(original) = shown.origin.and_then(|at| originals.get(at)) {
                    rows.push(Item { chain: ChainHash(*hash), original: *original });
                }
            }
        }
        if !rows.is_empty() {
            batch.answer(id, rows);
        }
    }

    /// Adds the answer to a text.
    #[expect(clippy::unused_self, reason = "stands beside `keep`")]
    pub(super) fn keep_text(&self, batch: &mut Batch, id: &str, message: String) {
        let original = batch.message(message);
        let hash = artifact_chain(id);
        let index = batch.message(index(&[original]));
        batch.answer(id, vec![Item { chain: ChainHash(hash), original: index }]);
    }

    fn is_ours(&self, shown: &Shown) -> bool {
        shown.origin.is_some_and(|at| self.originals.get(at).is_some_and(Option::is_some))
    }

    /// What a message stands for: the original of an earlier answer, else itself.
    fn original(&self, at: usize, items: &[Node<'_>]) -> Arc<str> {
        let known = self.originals.get(at).and_then(Clone::clone);
        known
            .filter(|known| !Recipe::is_one(known))
            .unwrap_or_else(|| items.get(at).map_or("", |item| item.raw).into())
    }

    /// The originals of the whole list: of an earlier answer at its beginning, as many as those
    /// were.
    fn all(&self, batch: &mut Batch, originals: &[ContentHash]) -> Vec<ContentHash> {
        match &self.whole {
            Some((count, texts)) => {
                let before = texts.iter().map(|text| batch.message(Arc::clone(text)));
                let before: Vec<ContentHash> = before.collect();
                before.into_iter().chain(originals.iter().skip(*count).copied()).collect()
            }
            None => originals.to_vec(),
        }
    }
}

/// No list has this chain.
fn artifact_chain(id: &str) -> [u8; 32] {
    end_of(&end_of(&ContentHash::of(id).0))
}

/// The originals that an index names; none where one of them is gone.
pub(super) fn indexed(
    tenant: &Tenant,
    index: ContentHash,
) -> Result<Option<Vec<Arc<str>>>, store::Error> {
    let Some(text) = tenant.messages(&[index])?.pop().flatten() else { return Ok(None) };
    let hashes: Option<Vec<ContentHash>> = text.lines().map(ContentHash::parse).collect();
    let Some(hashes) = hashes else { return Ok(None) };
    let texts = tenant.messages(&hashes)?;
    Ok(texts.into_iter().map(|text| text.map(Into::into)).collect())
}

fn index(originals: &[ContentHash]) -> String {
    let mut text = String::with_capacity(originals.len() * 65);
    for hash in originals {
        let _ = writeln!(text, "{hash}");
    }
    text
}

/// How an answer's messages are put together again from originals that the caller keeps: ids
/// alone, no text.
#[derive(Debug)]
pub(super) struct Recipe {
    /// One for each message that is shown.
    rows: Vec<String>,
}

/// What stands at the beginning of a recipe, and of no message.
const RECIPE: &str = "recipe ";

/// One step of a recipe.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The n-th text of a tool result becomes this original.
    Text(usize, String),
    /// The n-th text of a tool result becomes this original's JSON.
    Json(usize, String),
    /// The message becomes this one.
    Message(String),
}

impl Recipe {
    pub(super) fn of(shortened: &Shortened) -> Self {
        let row = |shown: &Shown| {
            let mut row = RECIPE.to_owned();
            if shown.origin.is_none() {
                for original in shortened.originals.iter().filter(|original| original.whole) {
                    let _ = write!(row, "m {} ", ArtifactId::of_text(&original.text));
                }
            }
            for edit in &shown.edits {
                let kind = if edit.json { 'j' } else { 't' };
                let _ = write!(row, "{kind}{} {} ", edit.slot, edit.artifact);
            }
            row
        };
        Self { rows: shortened.list.iter().map(row).collect() }
    }

    fn text(&self, at: usize) -> String {
        self.rows.get(at).cloned().unwrap_or_default()
    }

    pub(super) fn is_one(text: &str) -> bool {
        text.starts_with(RECIPE)
    }

    pub(super) fn steps(text: &str) -> Vec<Step> {
        let mut words = text.strip_prefix(RECIPE).unwrap_or_default().split_whitespace();
        let mut steps = Vec::new();
        while let (Some(what), Some(id)) = (words.next(), words.next()) {
            let slot = what.get(1..).and_then(|slot| slot.parse().ok());
            steps.extend(match (what.chars().next(), slot) {
                (Some('m'), _) => Some(Step::Message(id.to_owned())),
                (Some('t'), Some(slot)) => Some(Step::Text(slot, id.to_owned())),
                (Some('j'), Some(slot)) => Some(Step::Json(slot, id.to_owned())),
                _ => None,
            });
        }
        steps
    }
}
