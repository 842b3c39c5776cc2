//! The decisions about the messages of one request: which are known, and how new ones are stored.

mod block_owner;
mod blocks;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use self::block_owner::BlockOwner;
use super::EditSkip;
use super::known_blocks::KnownBlocks;
use super::points::{KnownPoints, PassedPoint};
use crate::domain::ContentHash;
use crate::gateway::{
    Compaction, LineageHash, MessageDecision, NO_BLOCKS, NO_COMPACTION, RequestOutline,
};
use crate::service::Services;
use crate::store::{Batch, Error, FoundDecisions, StoredDecision};

/// The decision about a message of the request.
#[derive(Debug)]
pub(super) struct NewDecision {
    /// The index of the message.
    pub(super) index: usize,
    pub(super) decision: MessageDecision,
}

/// A message that may be edited.
#[derive(Debug)]
struct LineagePlace {
    index: usize,
    hash: LineageHash,
    decision: Option<Arc<MessageDecision>>,
    /// Whether it was sent as it came while the store was away, which is not stored yet.
    was_unstored: bool,
}

/// Where decisions are looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DecisionSource {
    /// In memory, then in the store.
    Store,
    /// In memory alone: the store does not answer.
    Memory,
}

/// The messages of a request that may be edited, and what is decided about them.
#[derive(Debug)]
pub(super) struct KnownLineage<'o> {
    outline: &'o RequestOutline,
    places: Vec<LineagePlace>,
    newest: usize,
    points: KnownPoints,
    blocks: KnownBlocks,
    owner: BlockOwner,
    /// Whether the store could not tell what was decided.
    is_store_away: bool,
}

impl<'o> KnownLineage<'o> {
    /// Looks up what was decided about the messages, by their hashes.
    pub(super) fn read(
        services: &Services,
        outline: &'o RequestOutline,
        hashes: Vec<LineageHash>,
        source: DecisionSource,
    ) -> Self {
        let cache = services.decisions();
        let points = KnownPoints::recall(cache, outline, &hashes);
        let owner = BlockOwner::find(services, &hashes, source);
        let blocks = KnownBlocks::recall(cache, outline, &hashes, owner.key());
        let editable = outline.messages.iter().zip(hashes).enumerate();
        let editable = editable.filter(|(_, (message, _))| message.is_editable());
        let place = |(index, (_, hash))| {
            let was_unstored = cache.is_unstored(&hash);
            let decision = if was_unstored { Some(Arc::default()) } else { cache.get(&hash) };
            LineagePlace { index, hash, decision, was_unstored }
        };
        let places = editable.map(place).collect();
        let newest = outline.newest();
        let mut lineage =
            Self { outline, places, newest, points, blocks, owner, is_store_away: false };
        lineage.follow_point();
        if source == DecisionSource::Memory {
            lineage.go_on_without_store(services);
        } else {
            lineage.look_up(services);
            lineage.settle(services);
        }
        lineage
    }

    /// Notes that the newest messages are sent as they came, which is their decision.
    fn go_on_without_store(&mut self, services: &Services) {
        let is_open = |place: &LineagePlace| place.decision.is_none() || place.was_unstored;
        self.is_store_away =
            self.places.iter().any(is_open) || self.points.is_open() || self.blocks.is_open();
        let newest = self.places.iter().filter(|place| place.index >= self.newest);
        for place in newest.filter(|place| place.decision.is_none()) {
            services.decisions().note_unstored(place.hash);
        }
        // A request of this list that is given up may store these later.
        let point = self.points.last.filter(|_| !self.points.is_passed()).map(|point| point.hash);
        let blocks = self.blocks.undecided().map(|slot| slot.hash);
        for hash in point.into_iter().chain(blocks) {
            services.decisions().note_unstored(hash);
        }
    }

    /// Stores that messages stay as they came that were sent so while the store was away.
    fn settle(&self, services: &Services) {
        let unstored = self.places.iter().filter(|place| place.was_unstored && !self.is_store_away);
        let unstored: Vec<&LineagePlace> = unstored.collect();
        let (points, blocks) = (&self.points.unstored, &self.blocks.unstored);
        let has_none = points.is_empty() && blocks.is_empty();
        if unstored.is_empty() && (has_none || self.is_store_away) {
            return;
        }
        let raw = |place: &&LineagePlace| {
            let message = self.outline.messages.get(place.index)?;
            let decision = MessageDecision::default().pack(message);
            Some(StoredDecision { digest: ContentHash(place.hash.0), decision })
        };
        let mut raw: Vec<_> = unstored.iter().filter_map(raw).collect();
        raw.extend(points.iter().map(|hash| StoredDecision {
            digest: ContentHash(hash.0),
            decision: NO_COMPACTION.to_vec(),
        }));
        raw.extend(blocks.iter().map(|hash| StoredDecision {
            digest: ContentHash(hash.0),
            decision: NO_BLOCKS.to_vec(),
        }));
        match services.tenant().write::<_, Error>(move |tx| tx.replace_decisions(&raw)) {
            Ok(()) => {
                for place in unstored {
                    services.decisions().settle(place.hash);
                }
                for hash in points {
                    services.decisions().settle_point(*hash);
                }
                for hash in blocks {
                    services.decisions().settle_blocks(*hash);
                }
            }
            // The next request of the list tries again.
            Err(error) => tracing::debug!(%error, "decisions cannot be stored"),
        }
    }

    fn look_up(&mut self, services: &Services) {
        let unknown = self.places.iter().filter(|place| place.decision.is_none());
        let unknown = unknown.map(|place| ContentHash(place.hash.0));
        let unknown = unknown.chain(self.points.unknown()).chain(self.blocks.unknown());
        let unknown: Vec<ContentHash> = unknown.collect();
        if unknown.is_empty() {
            return;
        }
        let tenant = services.tenant();
        match tenant.read(|tx| tx.decisions(&unknown)) {
            Ok(FoundDecisions { decisions, has_old_use }) => {
                if has_old_use {
                    let used: Vec<_> = decisions.iter().map(|found| found.digest).collect();
                    // It only renews how long they are kept: the next request tries again.
                    let noted = tenant.write::<_, Error>(move |tx| tx.note_decisions(&used));
                    if let Err(error) = noted {
                        tracing::debug!(
                            error = %error,
                            "the last use of gateway decisions could not be stored"
                        );
                    }
                }
                let stored = by_digest(decisions);
                self.add(services, &stored);
                self.points.add(services.decisions(), self.outline, &stored);
                self.blocks.add(services.decisions(), &stored);
                self.follow_point();
            }
            Err(error) => {
                tracing::debug!(%error, "decisions cannot be read");
                self.go_on_without_store(services);
            }
        }
    }

    /// Takes stored decisions over.
    fn add(&mut self, services: &Services, stored: &HashMap<[u8; 32], Vec<u8>>) {
        for place in &mut self.places {
            let Some(packed) = stored.get(&place.hash.0) else { continue };
            let message = self.outline.messages.get(place.index);
            let decision = message.and_then(|message| MessageDecision::unpack(packed, message));
            // A stored form that cannot be read is one of a version after this one.
            let decision = Arc::new(decision.unwrap_or_default());
            services.decisions().insert(place.hash, Arc::clone(&decision));
            place.decision = Some(decision);
        }
    }

    /// Gives the messages before the last point what was decided there.
    fn follow_point(&mut self) {
        let Some(PassedPoint { place, compaction }) = &self.points.passed else { return };
        for own in self.places.iter_mut().filter(|own| own.index < place.end) {
            own.decision =
                Some(Arc::new(compaction.decision(own.index).cloned().unwrap_or_default()));
            own.was_unstored = false;
        }
    }

    /// Whether this very request has passed a compaction point before.
    pub(super) fn is_at_point(&self) -> bool {
        self.points.is_passed()
    }

    /// The rule by which a message has its forms.
    pub(super) fn rule(&self, index: usize) -> &'static str {
        let passed = self.points.passed.as_ref();
        let is_compacted = passed.is_some_and(|passed| index < passed.place.end);
        if is_compacted { "compaction" } else { "on_arrival" }
    }

    /// The message after which thinking is left out up to the last point.
    pub(super) fn unbound_from(&self) -> Option<usize> {
        let PassedPoint { place, compaction } = self.points.passed.as_ref()?;
        let from = compaction.unbound_from?;
        Some(self.blocks.first_change(place.end).map_or(from, |index| from.min(index)))
    }

    /// The messages whose thinking is left out, because it is bound to other bytes.
    pub(super) fn unbound(&self) -> Range<usize> {
        let end = self.points.passed.as_ref().map_or(0, |passed| passed.place.end);
        self.unbound_from().map_or(0..0, |from| from + 1..end)
    }

    /// Stores that this request is sent without a compaction point, so that a job that is still at work on
    /// it cannot pass one. If it was first, its point stands.
    pub(super) fn close_point(&mut self, services: &Services) {
        if self.is_store_away || self.points.is_passed() {
            return;
        }
        let Some(last) = self.points.last else { return };
        let new =
            [StoredDecision { digest: ContentHash(last.hash.0), decision: NO_COMPACTION.to_vec() }];
        match services.tenant().write::<_, Error>(move |tx| tx.keep_decisions(&new)) {
            Ok(earlier) => {
                let earlier = earlier.first().map(|earlier| &*earlier.decision);
                let unpack = |packed| Compaction::unpack(packed, &self.outline.messages);
                if let Some(compaction) = earlier.and_then(unpack).map(Arc::new) {
                    services.decisions().insert_point(last.hash, Arc::clone(&compaction));
                    self.points.passed = Some(PassedPoint { place: last.place, compaction });
                    self.follow_point();
                }
            }
            Err(error) => {
                tracing::debug!(%error, "it cannot be stored that there is no compaction point");
                services.decisions().note_unstored(last.hash);
            }
        }
    }

    /// Stores what is decided at the point that this request passes, with the texts that it names. If
    /// another request of the same list was first, its decision stands; if it cannot be stored, there is no
    /// point.
    pub(super) fn pass_point(
        &mut self,
        services: &Services,
        compaction: Compaction,
        originals: Vec<Arc<str>>,
    ) -> Result<(), EditSkip> {
        let Some(last) = self.points.last else { return Ok(()) };
        let cache = services.decisions();
        if !originals.is_empty() {
            let mut batch = Batch::default();
            for text in originals {
                batch.artifact(text, "text/plain");
            }
            // Before the point: no line may name what is not there.
            services.tenant().commit(batch).map_err(|error| {
                tracing::debug!(%error, "the originals of a compaction point cannot be stored");
                EditSkip::Store
            })?;
        }
        let digest = ContentHash(last.hash.0);
        let decision = compaction.pack(&self.outline.messages);
        let new = [StoredDecision { digest, decision }];
        let written = services.tenant().write::<_, Error>(move |tx| tx.keep_decisions(&new));
        let compaction = match written {
            Ok(earlier) => match earlier.first() {
                Some(earlier) => Compaction::unpack(&earlier.decision, &self.outline.messages),
                None => Some(compaction),
            },
            Err(error) => {
                tracing::debug!(%error, "a compaction point cannot be stored");
                cache.note_unstored(last.hash);
                return Err(EditSkip::Store);
            }
        };
        cache.note_tenant(&services.caller().tenant, true);
        // The request was sent without it meanwhile.
        if cache.is_unstored(&last.hash) {
            return Err(EditSkip::Store);
        }
        if let Some(compaction) = compaction.map(Arc::new) {
            cache.insert_point(last.hash, Arc::clone(&compaction));
            self.points.passed = Some(PassedPoint { place: last.place, compaction });
            self.follow_point();
        }
        Ok(())
    }

    /// Notes how the request is sent: without a point in its own place, unless it passed one.
    pub(super) fn note_sent(&self, services: &Services) {
        if let Some(last) = self.points.last.filter(|_| !self.points.is_passed()) {
            services.decisions().note_not_passed(last.hash);
        }
        if let Some(slot) = self.blocks.undecided() {
            services.decisions().note_no_blocks(slot.hash);
        }
    }

    /// Why no decision can be trusted to be known.
    pub(super) fn skipped(&self) -> Option<EditSkip> {
        self.is_store_away.then_some(EditSkip::Store)
    }

    /// Whether any of the newest messages is undecided.
    pub(super) fn has_undecided(&self) -> bool {
        !self.is_store_away && self.undecided().next().is_some()
    }

    /// The indices of the newest messages that are undecided.
    pub(super) fn undecided(&self) -> impl Iterator<Item = usize> {
        let newest = self.newest;
        let places = self.places.iter().filter(move |place| place.index >= newest);
        places.filter(|place| place.decision.is_none()).map(|place| place.index)
    }

    /// The decision about a message.
    pub(super) fn decision(&self, index: usize) -> Option<&MessageDecision> {
        let at = self.places.binary_search_by_key(&index, |place| place.index).ok()?;
        self.places.get(at)?.decision.as_deref()
    }

    /// Stores decisions, and that all other messages stay as they came. Those that another request
    /// stored before stand. If they cannot be stored, all of them stay as they came.
    pub(super) fn commit(
        &mut self,
        services: &Services,
        made: Vec<NewDecision>,
    ) -> Result<(), EditSkip> {
        let mut made: HashMap<usize, MessageDecision> =
            made.into_iter().map(|new| (new.index, new.decision)).collect();
        let (mut new, mut is_new) = (Vec::new(), vec![false; self.places.len()]);
        for (place, is_new) in self.places.iter_mut().zip(&mut is_new) {
            if place.decision.is_some() {
                continue;
            }
            let decision = made.remove(&place.index).unwrap_or_default();
            let Some(message) = self.outline.messages.get(place.index) else { continue };
            let digest = ContentHash(place.hash.0);
            new.push(StoredDecision { digest, decision: decision.pack(message) });
            place.decision = Some(Arc::new(decision));
            *is_new = true;
        }
        let tenant = Arc::clone(&services.caller().tenant);
        let written = services.tenant().write::<_, Error>(move |tx| tx.keep_decisions(&new));
        match written {
            Ok(earlier) => {
                services.decisions().note_tenant(&tenant, true);
                self.add(services, &by_digest(earlier));
            }
            Err(error) => {
                tracing::debug!(%error, "decisions cannot be stored");
                for (place, _) in self.places.iter_mut().zip(&is_new).filter(|(_, new)| **new) {
                    place.decision = Some(Arc::default());
                    services.decisions().note_unstored(place.hash);
                }
                return Err(EditSkip::Store);
            }
        }
        for (place, _) in self.places.iter().zip(&is_new).filter(|(_, new)| **new) {
            if let Some(decision) = &place.decision {
                services.decisions().insert(place.hash, Arc::clone(decision));
            }
        }
        Ok(())
    }
}

fn by_digest(stored: Vec<StoredDecision>) -> HashMap<[u8; 32], Vec<u8>> {
    stored.into_iter().map(|found| (found.digest.0, found.decision)).collect()
}
