//! The places of open connections.
//!
//! A connection that has asked for nothing but health takes no ordinary place after its first
//! request, so that those who watch a server cannot shut out those who use it. Connections that
//! have shown no valid key share a part of the places, because a slow reader of a page that needs
//! no key keeps its place for as long as it likes.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::http::{self, CallerMark};

/// Connections beyond the maximum, which are served requests about health only, and for a moment.
const MAX_BRIEF_CONNECTIONS: usize = 64;
/// Connections that have only asked for health, and stay open between such requests.
const MAX_HEALTH_CONNECTIONS: usize = 64;
/// The part of the ordinary places that connections without a caller may have: one of so many.
const PLACES_PER_STRANGER: usize = 4;

/// The places of all connections. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct ConnectionPlaces {
    ordinary: Arc<Semaphore>,
    /// What connections without a caller need in addition to an ordinary place.
    strangers: Arc<Semaphore>,
    brief: Arc<Semaphore>,
    health: Arc<Semaphore>,
}

/// The place of one connection. Cheap to clone; it is free again when the last clone is dropped.
#[derive(Debug, Clone)]
pub(super) struct ConnectionPlace {
    places: ConnectionPlaces,
    held: Arc<Mutex<HeldPlace>>,
    caller: CallerMark,
    is_brief: bool,
}

#[derive(Debug)]
struct HeldPlace {
    kind: PlaceKind,
    _permit: OwnedSemaphorePermit,
    /// Held while requests were served and none of them had a caller.
    stranger: Option<OwnedSemaphorePermit>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PlaceKind {
    /// An ordinary place of a connection without a request so far.
    Unused,
    /// An ordinary place, for any request.
    Ordinary,
    /// The place of a connection that has only asked for health.
    Health,
    /// A place beyond the maximum: only for requests about health, so that an orchestrator does not
    /// restart a server that is busy.
    Brief,
}

/// What becomes of a request by the place of its connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Admission {
    Serve,
    /// The request is served, and the connection ends after it.
    ServeLast,
    /// There is no place for the request. The connection ends.
    Refuse,
}

impl ConnectionPlaces {
    pub(super) fn new(max_connections: usize) -> Self {
        let semaphore = |permits| Arc::new(Semaphore::new(permits));
        Self {
            ordinary: semaphore(max_connections.min(Semaphore::MAX_PERMITS)),
            strangers: semaphore((max_connections / PLACES_PER_STRANGER).max(1)),
            brief: semaphore(MAX_BRIEF_CONNECTIONS),
            health: semaphore(MAX_HEALTH_CONNECTIONS),
        }
    }

    /// Waits until another connection can be accepted, and returns the least place that it gets.
    pub(super) async fn next(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.brief).acquire_owned().await.ok()
    }

    /// Gives an accepted connection its place: an ordinary one if there is one, else `brief`.
    pub(super) fn place(&self, brief: OwnedSemaphorePermit) -> ConnectionPlace {
        let (kind, permit) = match Arc::clone(&self.ordinary).try_acquire_owned() {
            Ok(permit) => (PlaceKind::Unused, permit),
            Err(_) => (PlaceKind::Brief, brief),
        };
        let held = Arc::new(Mutex::new(HeldPlace { kind, _permit: permit, stranger: None }));
        let is_brief = kind == PlaceKind::Brief;
        ConnectionPlace { places: self.clone(), held, caller: CallerMark::default(), is_brief }
    }
}

impl ConnectionPlace {
    /// Whether the connection may be open for a moment only.
    pub(super) fn is_brief(&self) -> bool {
        self.is_brief
    }

    /// What a request gets to note that it has a caller.
    pub(super) fn caller(&self) -> &CallerMark {
        &self.caller
    }

    /// Admits a request, and changes the place if the request needs or allows another.
    pub(super) fn admit(&self, path: &str) -> Admission {
        if http::is_about_health(path) {
            return self.admit_to_health();
        }
        match self.place_ordinarily() {
            // The response may be large and read slowly, so the share is needed before.
            Admission::Serve if http::is_open(path) && !self.may_stay() => Admission::Refuse,
            admission => admission,
        }
    }

    /// Whether the connection may serve further requests: it has a caller, or a share of the places
    /// for those that have none.
    pub(super) fn may_stay(&self) -> bool {
        let mut held = self.held();
        if self.caller.is_set() {
            held.stranger = None;
            return true;
        }
        if held.kind != PlaceKind::Ordinary || held.stranger.is_some() {
            return true;
        }
        held.stranger = Arc::clone(&self.places.strangers).try_acquire_owned().ok();
        held.stranger.is_some()
    }

    fn admit_to_health(&self) -> Admission {
        let mut held = self.held();
        if held.kind != PlaceKind::Unused {
            return Admission::Serve;
        }
        match Arc::clone(&self.places.health).try_acquire_owned() {
            Ok(permit) => {
                *held = HeldPlace { kind: PlaceKind::Health, _permit: permit, stranger: None };
                Admission::Serve
            }
            Err(_) => Admission::ServeLast,
        }
    }

    /// Gives the connection an ordinary place, if it has none.
    fn place_ordinarily(&self) -> Admission {
        let mut held = self.held();
        match held.kind {
            PlaceKind::Ordinary => Admission::Serve,
            PlaceKind::Unused => {
                held.kind = PlaceKind::Ordinary;
                Admission::Serve
            }
            PlaceKind::Brief => Admission::Refuse,
            PlaceKind::Health => match Arc::clone(&self.places.ordinary).try_acquire_owned() {
                Ok(permit) => {
                    *held =
                        HeldPlace { kind: PlaceKind::Ordinary, _permit: permit, stranger: None };
                    Admission::Serve
                }
                Err(_) => Admission::Refuse,
            },
        }
    }

    fn held(&self) -> MutexGuard<'_, HeldPlace> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn open(places: &ConnectionPlaces) -> ConnectionPlace {
        places.place(places.next().await.unwrap())
    }

    #[tokio::test]
    async fn connections_that_ask_for_health_take_no_ordinary_place() {
        let places = ConnectionPlaces::new(1);
        let mut watching = Vec::new();
        for _ in 0..MAX_HEALTH_CONNECTIONS {
            let place = open(&places).await;
            assert_eq!(place.admit("/healthz"), Admission::Serve);
            assert_eq!(place.admit("/readyz"), Admission::Serve);
            watching.push(place);
        }
        let last = open(&places).await;
        assert_eq!(last.admit("/healthz"), Admission::ServeLast);
        drop(last);
        let user = open(&places).await;
        assert!(!user.is_brief());
        assert_eq!(user.admit("/compile"), Admission::Serve);
        assert_eq!(user.admit("/healthz"), Admission::Serve);
        assert_eq!(watching[0].admit("/compile"), Admission::Refuse);
        drop(user);
        assert_eq!(watching[0].admit("/compile"), Admission::Serve);
        let brief = open(&places).await;
        assert!(brief.is_brief());
        assert_eq!(brief.admit("/readyz"), Admission::Serve);
        assert_eq!(brief.admit("/compile"), Admission::Refuse);
    }

    #[tokio::test]
    async fn connections_without_a_caller_have_a_part_of_the_places() {
        let places = ConnectionPlaces::new(8);
        let mut strangers = Vec::new();
        for _ in 0..8 / PLACES_PER_STRANGER {
            let place = open(&places).await;
            assert_eq!(place.admit("/openapi.json"), Admission::Serve);
            strangers.push(place);
        }
        let user = open(&places).await;
        assert_eq!(user.admit("/docs/"), Admission::Refuse);
        // Whether a request has a caller is known once it is served.
        assert_eq!(user.admit("/compile"), Admission::Serve);
        assert!(!user.may_stay());
        user.caller().set();
        assert!(user.may_stay());
        assert_eq!(user.admit("/docs/"), Admission::Serve);
        // One that turns out to have a caller leaves its share to the next.
        strangers[0].caller().set();
        assert!(strangers[0].may_stay());
        let next = open(&places).await;
        assert_eq!(next.admit("/problems/overloaded"), Admission::Serve);
        assert_eq!(next.admit("/healthz"), Admission::Serve);
    }
}
