//! The accept loop: connections up to a maximum, and some beyond it for requests about health.

use std::time::Duration;

use axum::Router;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::connection::{ConnectionSettings, ConnectionTimes};
use super::places::{ConnectionPlace, ConnectionPlaces};
use super::tasks::Tasks;
use crate::config::LimitsConfig;

/// Pause after `accept` failed, for instance because no file descriptor was left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Accepts connections and runs each in a task of its own.
pub(super) struct Acceptor {
    listener: TcpListener,
    places: ConnectionPlaces,
    connections: Connections,
    settings: ConnectionSettings,
}

/// The open connections.
pub(super) struct Connections {
    open: TaskTracker,
    /// Cancelled to close the connections that are still open after the timeout.
    cut: CancellationToken,
    tasks: Tasks,
}

impl Acceptor {
    pub(super) fn new(
        listener: TcpListener,
        router: Router,
        limits: &LimitsConfig,
        tasks: Tasks,
    ) -> Self {
        Self {
            listener,
            places: ConnectionPlaces::new(limits.max_connections),
            connections: Connections {
                open: TaskTracker::new(),
                cut: CancellationToken::new(),
                tasks,
            },
            settings: ConnectionSettings::new(
                router,
                ConnectionTimes::new(limits.header_timeout()),
            ),
        }
    }

    /// Accepts until `shutdown` ends, then closes the listener and finishes open requests.
    pub(super) async fn run_until(self, shutdown: impl Future<Output = ()>) -> Connections {
        tokio::pin!(shutdown);
        loop {
            let accepted = tokio::select! {
                () = &mut shutdown => break,
                accepted = self.accept() => accepted,
            };
            let Some((stream, place)) = accepted else { continue };
            let open = self.connections.open.token();
            let settings = self.settings.clone();
            self.connections.tasks.spawn_until(&self.connections.cut, async move {
                settings.serve(stream, place).await;
                drop(open);
            });
        }
        self.settings.stopping.cancel();
        self.connections
    }

    /// Waits for the next connection, and gives it a place. Waits before, if all places are taken.
    async fn accept(&self) -> Option<(TcpStream, ConnectionPlace)> {
        // Held while it waits, so that the connection has at least this place.
        let brief = self.places.next().await?;
        match self.listener.accept().await {
            Ok((stream, _)) => Some((stream, self.places.place(brief))),
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted, retrying");
                tokio::time::sleep(ACCEPT_PAUSE).await;
                None
            }
        }
    }
}

impl Connections {
    /// Waits for open requests, and closes connections that are still open after `timeout`. Returns
    /// whether all requests finished.
    pub(super) async fn drain(self, timeout: Duration) -> bool {
        self.open.close();
        let drained = tokio::time::timeout(timeout, self.open.wait()).await.is_ok();
        self.cut.cancel();
        drained
    }
}
