//! The accept loop: hyper's connections with every limit set.
//!
//! `axum::serve` installs no timer, so a client that never ends its request's head would hold its
//! connection for ever.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use super::tasks::Tasks;
use crate::config::LimitsConfig;

/// Pause after `accept` failed, for instance because no file descriptor was left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// The first bytes of an HTTP/2 connection (RFC 9113 §3.4).
const H2_PREFACE: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// Pause between looks at a connection's first bytes, while they could still be either version.
const PEEK_PAUSE: Duration = Duration::from_millis(10);

const MAX_HEADER_BYTES: usize = 64 * 1024;
const MAX_HEADERS: usize = 100;
const H2_STREAMS: u32 = 64;
const H2_HEADER_BYTES: u32 = 16 * 1024;
const H2_PING_EVERY: Duration = Duration::from_secs(20);
const H2_PING_TIMEOUT: Duration = Duration::from_secs(10);

/// Takes connections and hands each to a task of its own.
pub(super) struct Acceptor {
    listener: TcpListener,
    places: Arc<Semaphore>,
    connections: Connections,
    serve: ConnectionSettings,
}

/// The open connections.
pub(super) struct Connections {
    graceful: GracefulShutdown,
    cut: CancellationToken,
    tasks: Tasks,
}

/// The settings of a connection; cloned for each.
#[derive(Clone)]
struct ConnectionSettings {
    router: Router,
    builder: Builder<TokioExecutor>,
    header_timeout: Duration,
    stopping: CancellationToken,
}

impl Acceptor {
    pub(super) fn new(
        listener: TcpListener,
        router: Router,
        limits: &LimitsConfig,
        tasks: Tasks,
    ) -> Self {
        let header_timeout = limits.header_timeout();
        Self {
            listener,
            places: Arc::new(Semaphore::new(limits.max_connections.min(Semaphore::MAX_PERMITS))),
            connections: Connections {
                graceful: GracefulShutdown::new(),
                cut: CancellationToken::new(),
                tasks,
            },
            serve: ConnectionSettings {
                router,
                builder: builder(header_timeout),
                header_timeout,
                stopping: CancellationToken::new(),
            },
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
            let watcher = self.connections.graceful.watcher();
            let serve = self.serve.clone();
            self.connections.tasks.spawn_until(&self.connections.cut, async move {
                serve.run(stream, watcher).await;
                drop(place);
            });
        }
        self.serve.stopping.cancel();
        self.connections
    }

    /// The next connection, once there is a place for it.
    async fn accept(&self) -> Option<(TcpStream, OwnedSemaphorePermit)> {
        let place = Arc::clone(&self.places).acquire_owned().await.ok()?;
        match self.listener.accept().await {
            Ok((stream, _)) => Some((stream, place)),
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
                None
            }
        }
    }
}

impl Connections {
    /// Lets open requests finish; cuts the rest after `timeout`. Returns whether none was cut.
    pub(super) async fn drain(self, timeout: Duration) -> bool {
        let drained = tokio::time::timeout(timeout, self.graceful.shutdown()).await.is_ok();
        self.cut.cancel();
        drained
    }
}

impl ConnectionSettings {
    async fn run(self, stream: TcpStream, watcher: Watcher) {
        // An answer in two writes would wait for the other side's acknowledgement.
        let _ = stream.set_nodelay(true);
        let version = tokio::select! {
            version = tokio::time::timeout(self.header_timeout, speaks_h2(&stream)) => version,
            () = self.stopping.cancelled() => return,
        };
        let builder = match version {
            Ok(Ok(true)) => self.builder.http2_only(),
            Ok(Ok(false)) => self.builder.http1_only(),
            Ok(Err(_)) | Err(_) => return,
        };
        let service = TowerToHyperService::new(self.router);
        let connection = builder.serve_connection(TokioIo::new(stream), service).into_owned();
        // In a box: each future around it would have room for it once more.
        if let Err(error) = Box::pin(watcher.watch(connection)).await {
            tracing::debug!(%error, "a connection ended early");
        }
    }
}

/// Peeks at the first bytes until they show the version. Hyper's own detection has no time limit: a
/// silent client would hold the connection.
async fn speaks_h2(stream: &TcpStream) -> std::io::Result<bool> {
    let mut head = [0; H2_PREFACE.len()];
    loop {
        let seen = stream.peek(&mut head).await?;
        if seen == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        let same = head.iter().zip(H2_PREFACE).take(seen).all(|(seen, known)| seen == known);
        if !same || seen == H2_PREFACE.len() {
            return Ok(same);
        }
        tokio::time::sleep(PEEK_PAUSE).await;
    }
}

fn builder(header_timeout: Duration) -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(header_timeout)
        .max_buf_size(MAX_HEADER_BYTES)
        .max_headers(MAX_HEADERS);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(H2_STREAMS)
        .max_header_list_size(H2_HEADER_BYTES)
        .keep_alive_interval(H2_PING_EVERY)
        .keep_alive_timeout(H2_PING_TIMEOUT);
    builder
}
