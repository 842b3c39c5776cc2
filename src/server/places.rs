//! The places of open connections.
//!
//! A connection that has asked for nothing but health takes no ordinary place after its first
//! request, so that those who watch a server cannot shut out those who use it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::http;

/// Connections beyond the maximum, which are served requests about health only, and for a moment.
const MAX_BRIEF_CONNECTIONS: usize = 64;
/// Connections that have only asked for health, and stay open between such requests.
const MAX_HEALTH_CONNECTIONS: usize = 64;

/// The places of all connections. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct ConnectionPlaces {
    ordinary: Arc<Semaphore>,
    brief: Arc<Semaphore>,
    health: Arc<Semaphore>,
}

/// The place of one connection. Cheap to clone; it is free again when the last clone is dropped.
#[derive(Debug, Clone)]
pub(super) struct ConnectionPlace {
    places: ConnectionPlaces,
    held: Arc<Mutex<HeldPlace>>,
    is_brief: bool,
}

#[derive(Debug)]
struct HeldPlace {
    kind: PlaceKind,
    _permit: OwnedSemaphorePermit,
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
        let held = Arc::new(Mutex::new(HeldPlace { kind, _permit: permit }));
        ConnectionPlace { places: self.clone(), held, is_brief: kind == PlaceKind::Brief }
    }
}

impl ConnectionPlace {
    /// Whether the connection may be open for a moment only.
    pub(super) fn is_brief(&self) -> bool {
        self.is_brief
    }

    /// Admits a request, and changes the place if the request needs or allows another.
    pub(super) fn admit(&self, path: &str) -> Admission {
        let mut held = self.held();
        let is_about_health = http::is_about_health(path);
        let (kind, semaphore, otherwise) = match (held.kind, is_about_health) {
            (PlaceKind::Ordinary, _) | (PlaceKind::Health | PlaceKind::Brief, true) => {
                return Admission::Serve;
            }
            (PlaceKind::Brief, false) => return Admission::Refuse,
            (PlaceKind::Unused, false) => {
                held.kind = PlaceKind::Ordinary;
                return Admission::Serve;
            }
            (PlaceKind::Unused, true) => {
                (PlaceKind::Health, &self.places.health, Admission::ServeLast)
            }
            (PlaceKind::Health, false) => {
                (PlaceKind::Ordinary, &self.places.ordinary, Admission::Refuse)
            }
        };
        match Arc::clone(semaphore).try_acquire_owned() {
            Ok(permit) => {
                *held = HeldPlace { kind, _permit: permit };
                Admission::Serve
            }
            Err(_) => otherwise,
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
}
