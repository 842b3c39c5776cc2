//! The accept loop: hyper's connections with every limit set.
//!
//! `axum::serve` installs no timer, so a client that never completes the head of its request would
//! keep its connection open for ever.

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
/// Pause between two peeks at a connection's first bytes, while they do not show the HTTP version
/// yet.
const PEEK_PAUSE: Duration = Duration::from_millis(10);

const MAX_HEADER_BYTES: usize = 64 * 1024;
const MAX_HEADERS: usize = 100;
const MAX_H2_STREAMS: u32 = 64;
const MAX_H2_HEADER_BYTES: u32 = 16 * 1024;
const H2_PING_INTERVAL: Duration = Duration::from_secs(20);
const H2_PING_TIMEOUT: Duration = Duration::from_secs(10);

/// Accepts connections and runs each in a task of its own.
pub(super) struct Acceptor {
    listener: TcpListener,
    /// A permit for each connection that may still be opened.
    permits: Arc<Semaphore>,
    connections: Connections,
    settings: ConnectionSettings,
}

/// The open connections.
pub(super) struct Connections {
    graceful: GracefulShutdown,
    /// Cancelled to close the connections that are still open after the timeout.
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
            permits: Arc::new(Semaphore::new(limits.max_connections.min(Semaphore::MAX_PERMITS))),
            connections: Connections {
                graceful: GracefulShutdown::new(),
                cut: CancellationToken::new(),
                tasks,
            },
            settings: ConnectionSettings {
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
            let Some((stream, permit)) = accepted else { continue };
            let watcher = self.connections.graceful.watcher();
            let settings = self.settings.clone();
            self.connections.tasks.spawn_until(&self.connections.cut, async move {
                settings.serve(stream, watcher).await;
                drop(permit);
            });
        }
        self.settings.stopping.cancel();
        self.connections
    }

    /// Waits for a free permit, then for the next connection.
    async fn accept(&self) -> Option<(TcpStream, OwnedSemaphorePermit)> {
        let permit = Arc::clone(&self.permits).acquire_owned().await.ok()?;
        match self.listener.accept().await {
            Ok((stream, _)) => Some((stream, permit)),
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
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
        let drained = tokio::time::timeout(timeout, self.graceful.shutdown()).await.is_ok();
        self.cut.cancel();
        drained
    }
}

impl ConnectionSettings {
    async fn serve(self, stream: TcpStream, watcher: Watcher) {
        // Without it, a response in two writes would wait for an acknowledgement (Nagle's
        // algorithm).
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
        // Boxed, because each future around it would otherwise contain its size again.
        if let Err(error) = Box::pin(watcher.watch(connection)).await {
            tracing::debug!(%error, "a connection ended with an error");
        }
    }
}

/// Peeks at the first bytes until they show the version. Hyper's own detection has no time limit: a
/// silent client would keep the connection open.
async fn speaks_h2(stream: &TcpStream) -> std::io::Result<bool> {
    let mut head = [0; H2_PREFACE.len()];
    loop {
        let seen = stream.peek(&mut head).await?;
        if seen == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        let is_h2 = head.iter().zip(H2_PREFACE).take(seen).all(|(byte, preface)| byte == preface);
        if !is_h2 || seen == H2_PREFACE.len() {
            return Ok(is_h2);
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
        .max_concurrent_streams(MAX_H2_STREAMS)
        .max_header_list_size(MAX_H2_HEADER_BYTES)
        .keep_alive_interval(H2_PING_INTERVAL)
        .keep_alive_timeout(H2_PING_TIMEOUT);
    builder
}
