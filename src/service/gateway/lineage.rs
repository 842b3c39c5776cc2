//! The decisions about the messages of one request: which are known, and how new ones are stored.

use std::collections::HashMap;
use std::sync::Arc;

use super::EditSkip;
use crate::domain::ContentHash;
use crate::gateway::{LineageHash, MessageDecision, RequestOutline};
use crate::service::Services;
use crate::store::{Error, FoundDecisions, StoredDecision};

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
        let editable = outline.messages.iter().zip(hashes).enumerate();
        let editable = editable.filter(|(_, (message, _))| message.is_editable());
        let place = |(index, (_, hash))| {
            let was_unstored = cache.is_unstored(&hash);
            let decision = if was_unstored { Some(Arc::default()) } else { cache.get(&hash) };
            LineagePlace { index, hash, decision, was_unstored }
        };
        let places = editable.map(place).collect();
        let mut lineage = Self { outline, places, newest: outline.newest(), is_store_away: false };
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
        self.is_store_away = self.places.iter().any(is_open);
        let newest = self.places.iter().filter(|place| place.index >= self.newest);
        for place in newest.filter(|place| place.decision.is_none()) {
            services.decisions().note_unstored(place.hash);
        }
    }

    /// Stores that messages stay as they came that were sent so while the store was away.
    fn settle(&self, services: &Services) {
        let unstored = self.places.iter().filter(|place| place.was_unstored && !self.is_store_away);
        let unstored: Vec<&LineagePlace> = unstored.collect();
        if unstored.is_empty() {
            return;
        }
        let raw = |place: &&LineagePlace| {
            let message = self.outline.messages.get(place.index)?;
            let decision = MessageDecision::default().pack(message);
            Some(StoredDecision { digest: ContentHash(place.hash.0), decision })
        };
        let raw: Vec<_> = unstored.iter().filter_map(raw).collect();
        match services.tenant().write::<_, Error>(move |tx| tx.replace_decisions(&raw)) {
            Ok(()) => {
                for place in unstored {
                    services.decisions().settle(place.hash);
                }
            }
            // The next request of the list tries again.
            Err(error) => tracing::debug!(%error, "decisions cannot be stored"),
        }
    }

    fn look_up(&mut self, services: &Services) {
        let unknown = self.places.iter().filter(|place| place.decision.is_none());
        let unknown: Vec<ContentHash> = unknown.map(|place| ContentHash(place.hash.0)).collect();
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
                        tracing::debug!(error = %error, "the use of decisions is not noted");
                    }
                }
                self.add(services, decisions);
            }
            Err(error) => {
                tracing::debug!(%error, "decisions cannot be read");
                self.go_on_without_store(services);
            }
        }
    }

    /// Takes stored decisions over.
    fn add(&mut self, services: &Services, stored: Vec<StoredDecision>) {
        let mut stored: HashMap<[u8; 32], Vec<u8>> =
            stored.into_iter().map(|found| (found.digest.0, found.decision)).collect();
        for place in &mut self.places {
            let Some(packed) = stored.remove(&place.hash.0) else { continue };
            let message = self.outline.messages.get(place.index);
            let decision = message.and_then(|message| MessageDecision::unpack(&packed, message));
            // A stored form that cannot be read is one of a version after this one.
            let decision = Arc::new(decision.unwrap_or_default());
            services.decisions().insert(place.hash, Arc::clone(&decision));
            place.decision = Some(decision);
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
                self.add(services, earlier);
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
