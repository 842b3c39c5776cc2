//! Recognises messages of a list that an earlier response of ours changed, and finds their
//! originals.
//!
//! A message is recognised by its hash in the chain of the list (`compress::chain`). The store has,
//! for each message that a response changed, its chain hash with the original, and for the end of
//! the response its chain hash with an index of all originals.

mod marks;
mod recipe;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

pub(crate) use marks::{is_unmarked, replaces_others};
pub(crate) use recipe::{MessageRecipe, RecipeStep};

use crate::compress::{chain, end_of};
use crate::domain::{ArtifactId, ContentHash, Conversation, Role};
use crate::json::{self, Node};
use crate::pipeline::{MessageAuthor, ShortenOutput, ShownMessage};
use crate::request::MessageList;
use crate::store::{self, Batch, ChainHash, RECIPE_PREFIX, ResponseMessage, Tenant};

/// Stored data about the messages of a list.
#[derive(Debug, Default)]
pub(super) struct RecognizedMessages {
    /// The original of each message that was changed.
    pub(super) originals: Vec<Option<Arc<str>>>,
    /// Whether a message was changed and its original is no longer available: it is gone, or
    /// another one was shown as the same message.
    pub(super) lost: Vec<bool>,
    /// Whether a message is known as its own original: no response changed it.
    pub(super) own: Vec<bool>,
    /// The longest beginning of the list that is a whole response: the number of its messages, and
    /// all originals.
    pub(super) whole: Option<(usize, Vec<Arc<str>>)>,
}

/// The messages of a response, and the hash of each in its chain.
#[derive(Debug, Clone, Copy)]
pub(super) struct ShownList<'l> {
    pub(super) shortened: &'l ShortenOutput,
    pub(super) hashes: &'l [[u8; 32]],
}

/// Recipes by the chain hash of their messages: for a caller that keeps the originals, wherever and
/// whenever they are restored. Each is a member of `originals`, `"shown:<hash>": "t0 <id> "`.
#[derive(Debug, Default)]
pub(super) struct ReturnedRecipes(BTreeMap<ChainHash, Arc<str>>);

impl ReturnedRecipes {
    /// What the name of a recipe begins with. No id of a text does.
    const NAME_PREFIX: &str = "shown:";

    /// Adds a member of `originals`; returns whether it is a recipe.
    pub(super) fn add_member(&mut self, name: &str, recipe: &str) -> bool {
        let hash = name.strip_prefix(Self::NAME_PREFIX).and_then(ContentHash::parse);
        if let Some(ContentHash(hash)) = hash {
            self.0.insert(ChainHash(hash), format!("{RECIPE_PREFIX}{recipe}").into());
        }
        hash.is_some()
    }

    /// The names and values of the members.
    pub(super) fn members(&self) -> impl Iterator<Item = (String, &str)> {
        self.0.iter().map(|(hash, recipe)| {
            let name = format!("{}{}", Self::NAME_PREFIX, ContentHash(hash.0));
            (name, recipe.strip_prefix(RECIPE_PREFIX).unwrap_or_default())
        })
    }
}

impl RecognizedMessages {
    pub(super) fn find(tenant: &Tenant, items: &[Node<'_>]) -> Result<Self, store::Error> {
        Self::find_with(tenant, items, &ReturnedRecipes::default())
    }

    /// Like [`Self::find`], but a message of which the store knows nothing is restored by the recipe
    /// that the caller kept.
    pub(super) fn find_with(
        tenant: &Tenant,
        items: &[Node<'_>],
        returned: &ReturnedRecipes,
    ) -> Result<Self, store::Error> {
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
        let (mut lost, mut own) = (vec![false; count], vec![false; count]);
        for ((at, _), text) in wanted.iter().zip(tenant.messages(&hashes)?) {
            if let (Some(slot), Some(lost), Some(own), Some(item)) =
                (originals.get_mut(*at), lost.get_mut(*at), own.get_mut(*at), items.get(*at))
            {
                *lost = text.is_none();
                *own = text.as_ref().is_some_and(|text| **text == *item.raw);
                *slot = text.filter(|_| !*own).map(Into::into);
            }
        }
        for ((chain, original), lost) in chains.iter().zip(&mut originals).zip(&mut lost) {
            if let Some(recipe) = returned.0.get(chain).filter(|_| original.is_none()) {
                *original = Some(Arc::clone(recipe));
                *lost = false;
            }
        }
        let end = ends.into_iter().enumerate().rev().find_map(|(at, hash)| Some((at, hash?)));
        let whole = match end {
            Some((at, index)) => read_index(tenant, index)?.map(|texts| (at + 1, texts)),
            None => None,
        };
        Ok(Self { originals, lost, own, whole })
    }

    /// The author of each message.
    pub(super) fn authors(&self) -> Vec<MessageAuthor> {
        let author = |original: &Option<Arc<str>>| match original {
            None => MessageAuthor::Caller,
            Some(text) if MessageRecipe::is_recipe(text) => MessageAuthor::OursForGood,
            Some(_) => MessageAuthor::Ours,
        };
        self.originals.iter().map(author).collect()
    }

    /// Adds a response to the batch: with recipes if the caller keeps the originals, else with the
    /// originals. Returns the recipes.
    pub(super) fn keep(
        &self,
        batch: &mut Batch,
        id: &str,
        given: &MessageList<'_, '_>,
        list: ShownList<'_>,
        recipe: Option<&MessageRecipe>,
    ) -> ReturnedRecipes {
        let items = given.items;
        let ShownList { shortened, hashes } = list;
        let shown = || shortened.list.iter().zip(hashes);
        let mut rows = Vec::new();
        let mut returned = ReturnedRecipes::default();
        if let Some(recipe) = recipe {
            for (at, (shown, hash)) in shown().enumerate() {
                let text = match self.stored_original(shown) {
                    Some(existing) => recipe.merge(at, existing),
                    None => recipe.text(at),
                };
                if shown.changed || text != RECIPE_PREFIX {
                    returned.0.insert(ChainHash(*hash), text.as_str().into());
                    let original = batch.message(text);
                    rows.push(ResponseMessage { chain: ChainHash(*hash), original });
                }
            }
        } else {
            let is_repeat = self.may_be_own_list(items, shortened);
            let originals: Vec<ContentHash> = (0..items.len())
                .map(|at| match items.get(at).filter(|_| is_repeat) {
                    Some(item) => batch.message(item.raw),
                    None => batch.message(self.original(at, items)),
                })
                .collect();
            // If the caller keeps an original of the list, there is no index of all originals.
            let elsewhere =
                self.originals.iter().flatten().any(|existing| MessageRecipe::is_recipe(existing));
            if let Some(last) = hashes.last().filter(|_| !elsewhere) {
                let all = if is_repeat {
                    originals.clone()
                } else {
                    self.all_originals(batch, &originals)
                };
                let index = write_index(&all);
                rows.push(ResponseMessage {
                    chain: ChainHash(end_of(last)),
                    original: batch.message(index),
                });
            }
            let editable = editable_items(given);
            let is_editable =
                |shown: &ShownMessage| shown.origin.and_then(|at| editable.get(at)) == Some(&true);
            for (shown, hash) in shown() {
                let existing = self.stored_original(shown);
                let original = match existing.filter(|existing| MessageRecipe::is_recipe(existing))
                {
                    Some(recipe) => Some(batch.message(Arc::clone(recipe))),
                    None if shown.changed || existing.is_some() || is_editable(shown) => {
                        shown.origin.and_then(|at| originals.get(at)).copied()
                    }
                    None => None,
                };
                rows.extend(
                    original.map(|original| ResponseMessage { chain: ChainHash(*hash), original }),
                );
            }
        }
        if !rows.is_empty() {
            batch.answer(id, rows);
        }
        returned
    }

    /// Whether a list that comes as an earlier response returned it may as well be a list of the
    /// caller's own, because nothing in it shows that it was changed. Then each of the two responses
    /// has its own originals, and the list alone tells neither.
    fn may_be_own_list(&self, items: &[Node<'_>], shortened: &ShortenOutput) -> bool {
        let Some((count, originals)) = &self.whole else { return false };
        *count == items.len()
            && !shortened.list.iter().any(|shown| shown.changed)
            && marks::is_plain_list(items, originals)
    }

    /// The original or the recipe that an earlier response stored for a shown message.
    fn stored_original(&self, shown: &ShownMessage) -> Option<&Arc<str>> {
        self.originals.get(shown.origin?)?.as_ref()
    }

    /// The original of a message: that of an earlier response, else the message itself.
    fn original(&self, at: usize, items: &[Node<'_>]) -> Arc<str> {
        let existing = self.originals.get(at).and_then(Clone::clone);
        existing
            .filter(|existing| !MessageRecipe::is_recipe(existing))
            .unwrap_or_else(|| items.get(at).map_or("", |item| item.raw).into())
    }

    /// The originals of the whole list. If it begins with an earlier response, they begin with the
    /// originals of that response.
    fn all_originals(&self, batch: &mut Batch, originals: &[ContentHash]) -> Vec<ContentHash> {
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

/// Flags of the items that hold words of others than the model, which a response may clean.
fn editable_items(list: &MessageList<'_, '_>) -> Vec<bool> {
    let mut editable = vec![false; list.items.len()];
    let Conversation { system, history, .. } = &list.conversation;
    for message in system.iter().chain(history).filter(|own| own.role != Role::Assistant) {
        if let Some(flag) = message.origin.and_then(|at| editable.get_mut(at)) {
            *flag = true;
        }
    }
    editable
}

/// Writes a text as the only message of a list.
pub(super) fn message_of(text: &str) -> String {
    let mut message = "{\"text\":".to_owned();
    json::write_string(&mut message, text);
    message.push('}');
    message
}

/// Adds the response to a text. `shown` is the chain hash of the shown text, if that differs from
/// the text. If `stored` is false, the caller keeps the text; then the recipe for it is returned.
pub(super) fn keep_text(
    batch: &mut Batch,
    id: &str,
    text: &str,
    stored: bool,
    shown: Option<[u8; 32]>,
) -> ReturnedRecipes {
    let mut rows = Vec::new();
    let mut returned = ReturnedRecipes::default();
    let original = if stored {
        let original = batch.message(message_of(text));
        let index = batch.message(write_index(&[original]));
        rows.push(ResponseMessage { chain: ChainHash(artifact_chain(id)), original: index });
        original
    } else {
        let recipe = format!("{RECIPE_PREFIX}m {} ", ArtifactId::of_text(text));
        returned.0.extend(shown.map(|hash| (ChainHash(hash), recipe.as_str().into())));
        batch.message(recipe)
    };
    rows.extend(shown.map(|hash| ResponseMessage { chain: ChainHash(hash), original }));
    if !rows.is_empty() {
        batch.answer(id, rows);
    }
    returned
}

/// A chain hash that no list has.
fn artifact_chain(id: &str) -> [u8; 32] {
    end_of(&end_of(&ContentHash::of(id).0))
}

/// Reads the originals of an index; none if one of them is gone.
pub(super) fn read_index(
    tenant: &Tenant,
    index: ContentHash,
) -> Result<Option<Vec<Arc<str>>>, store::Error> {
    let Some(text) = tenant.messages(&[index])?.pop().flatten() else { return Ok(None) };
    let hashes: Option<Vec<ContentHash>> = text.lines().map(ContentHash::parse).collect();
    let Some(hashes) = hashes else { return Ok(None) };
    let texts = tenant.messages(&hashes)?;
    Ok(texts.into_iter().map(|text| text.map(Into::into)).collect())
}

fn write_index(originals: &[ContentHash]) -> String {
    let mut text = String::with_capacity(originals.len() * 65);
    for hash in originals {
        let _ = writeln!(text, "{hash}");
    }
    text
}
