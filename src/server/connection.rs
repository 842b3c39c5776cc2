//! Serves one connection: hyper with every limit set, and an end to what makes no progress.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use hyper::body::{Body as _, Incoming};
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};
use tokio_util::sync::CancellationToken;

use super::places::{Admission, ConnectionPlace};
use super::response_watch::{ConnectionWatch, WatchedBody};
use super::shared_stream::SharedStream;
use crate::http;

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

/// Time limits of a connection.
#[derive(Debug, Clone, Copy)]
pub(super) struct ConnectionTimes {
    /// Until the head of a request must have arrived. An HTTP/1 connection ends after it without a
    /// request.
    pub(super) header: Duration,
    /// Between two chunks of a response that the client takes. A response as a whole may take any
    /// time.
    write_pause: Duration,
    /// For which an HTTP/2 connection may be open without a stream.
    h2_idle: Duration,
    /// For which a connection that was asked to end may stay open.
    closing: Duration,
    /// For which a connection beyond the maximum may be open.
    health: Duration,
    /// Between looks for responses that are not read, and at the time without a stream.
    watch_interval: Duration,
}

impl ConnectionTimes {
    pub(super) fn new(header: Duration) -> Self {
        Self {
            header,
            write_pause: Duration::from_secs(30),
            h2_idle: Duration::from_mins(1),
            closing: Duration::from_secs(10),
            health: Duration::from_secs(1),
            watch_interval: Duration::from_secs(5),
        }
    }
}

/// The settings of a connection; cloned for each.
#[derive(Clone)]
pub(super) struct ConnectionSettings {
    router: Router,
    builder: Builder<TokioExecutor>,
    times: ConnectionTimes,
    /// Cancelled when the server begins to stop.
    pub(super) stopping: CancellationToken,
}

impl ConnectionSettings {
    pub(super) fn new(router: Router, times: ConnectionTimes) -> Self {
        Self { router, builder: builder(times.header), times, stopping: CancellationToken::new() }
    }

    /// Serves a connection until it ends.
    pub(super) async fn serve(self, stream: TcpStream, place: ConnectionPlace) {
        // Without it, a response in two writes would wait for an acknowledgement (Nagle's
        // algorithm).
        let _ = stream.set_nodelay(true);
        let version = tokio::select! {
            version = timeout(self.times.header, speaks_h2(&stream)) => version,
            () = self.stopping.cancelled() => return,
        };
        let Ok(Ok(is_h2)) = version else { return };
        let is_brief = place.is_brief();
        let served = self.serve_version(stream, is_h2, place);
        if is_brief {
            let _ = timeout(self.times.health, served).await;
        } else {
            served.await;
        }
    }

    async fn serve_version(&self, stream: TcpStream, is_h2: bool, place: ConnectionPlace) {
        let stream = SharedStream::new(stream, self.times.write_pause);
        let watch = ConnectionWatch::new(self.times.write_pause);
        let last = Arc::new(Notify::new());
        let router = TowerToHyperService::new(self.router.clone());
        let service = service_fn({
            let gate = RequestGate { place, last: Arc::clone(&last), watch: watch.clone() };
            move |request| respond(router.clone(), gate.clone(), request)
        });
        let io = TokioIo::new(stream.clone());
        let builder = self.builder.clone();
        let builder = if is_h2 { builder.http2_only() } else { builder.http1_only() };
        // Boxed, because each future around it would otherwise contain its size again.
        let mut connection = Box::pin(builder.serve_connection(io, service));
        let mut ticks = interval(self.times.watch_interval);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut closing_since = None;
        let mut stopping = pin!(self.stopping.cancelled());
        let mut is_stopping = false;
        loop {
            tokio::select! {
                ended = connection.as_mut() => {
                    let has_failed = ended.is_err();
                    if let Err(error) = ended {
                        tracing::debug!(error, "a connection ended with an error");
                    }
                    if !is_h2 && (has_failed || watch.was_body_refused()) {
                        stream.linger().await;
                    }
                    return;
                }
                () = &mut stopping, if !is_stopping => {
                    is_stopping = true;
                    connection.as_mut().graceful_shutdown();
                }
                () = last.notified() => connection.as_mut().graceful_shutdown(),
                _ = ticks.tick() => {
                    let now = Instant::now();
                    watch.drop_unread(now);
                    let Some(idle_time) = watch.idle_time(now).filter(|_| is_h2) else { continue };
                    match closing_since {
                        Some(since) if now.duration_since(since) >= self.times.closing => return,
                        None if idle_time >= self.times.h2_idle => {
                            closing_since = Some(now);
                            connection.as_mut().graceful_shutdown();
                        }
                        Some(_) | None => {}
                    }
                }
            }
        }
    }
}

/// What a request needs to know about its connection. Cheap to clone.
#[derive(Clone)]
struct RequestGate {
    place: ConnectionPlace,
    /// Notified if the connection is to end after this request.
    last: Arc<Notify>,
    watch: ConnectionWatch,
}

/// Responds to one request, and watches the response until it is sent.
async fn respond(
    router: TowerToHyperService<Router>,
    RequestGate { place, last, watch }: RequestGate,
    mut request: Request<Incoming>,
) -> Result<Response<WatchedBody>, Infallible> {
    let open = watch.begin();
    let is_about_health = http::is_about_health(request.uri().path());
    match place.admit(request.uri().path()) {
        Admission::Serve => {}
        Admission::ServeLast => last.notify_one(),
        Admission::Refuse => {
            last.notify_one();
            return Ok(open.respond(http::too_many_connections()));
        }
    }
    let has_body = !request.body().is_end_stream();
    request.extensions_mut().insert(place.caller().clone());
    let mut response = router.call(request).await?;
    if !is_about_health && !place.may_stay() {
        last.notify_one();
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    let status = response.status();
    watch.note_refusal(has_body && (status.is_client_error() || status.is_server_error()));
    Ok(open.respond(response))
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

#[cfg(test)]
mod tests {
    use axum::body::{Body, Bytes};
    use axum::routing::get;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    use super::*;
    use crate::server::places::ConnectionPlaces;
    use crate::server::tasks::Tasks;

    const MAX_TEST_TIME: Duration = Duration::from_secs(20);

    fn short_times() -> ConnectionTimes {
        ConnectionTimes {
            write_pause: Duration::from_millis(100),
            h2_idle: Duration::from_millis(100),
            closing: Duration::from_millis(100),
            watch_interval: Duration::from_millis(20),
            ..ConnectionTimes::new(Duration::from_secs(5))
        }
    }

    /// Serves one connection; returns the client's end of it.
    async fn connect(router: Router) -> TcpStream {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (stream, _) = listener.accept().await.unwrap();
        let places = ConnectionPlaces::new(1);
        let place = places.place(places.next().await.unwrap());
        Tasks::default().spawn(ConnectionSettings::new(router, short_times()).serve(stream, place));
        client
    }

    async fn read_to_end(mut client: TcpStream) -> Vec<u8> {
        let mut read = Vec::new();
        let _ = timeout(MAX_TEST_TIME, client.read_to_end(&mut read)).await.expect("it is closed");
        read
    }

    #[tokio::test]
    async fn an_http2_connection_without_a_stream_is_closed() {
        let mut client = connect(Router::new()).await;
        client.write_all(H2_PREFACE).await.unwrap();
        client.write_all(b"\0\0\0\x04\0\0\0\0\0").await.unwrap();
        let read = read_to_end(client).await;
        // The type of a frame follows its length: 7 is GOAWAY (RFC 9113 §6.8).
        let mut rest = &read[..];
        let mut kinds = Vec::new();
        while let [a, b, c, kind, ..] = rest {
            kinds.push(*kind);
            rest = &rest[9 + u32::from_be_bytes([0, *a, *b, *c]) as usize..];
        }
        assert!(kinds.contains(&7), "{kinds:?}");
    }

    #[tokio::test]
    async fn a_response_that_is_not_read_ends_with_its_connection() {
        let (alive, mut dropped) = tokio::sync::mpsc::channel::<()>(1);
        let endless = get(async move || {
            let chunks = futures_util::stream::repeat_with(move || {
                let _held = &alive;
                Ok::<_, Infallible>(Bytes::from_static(&[b'x'; 8 * 1024]))
            });
            Body::from_stream(chunks)
        });
        let mut client = connect(Router::new().route("/", endless)).await;
        client.write_all(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n").await.unwrap();
        let ended = timeout(MAX_TEST_TIME, dropped.recv()).await.expect("the response is dropped");
        assert!(ended.is_none());
        drop(client);
    }

    /// The client sends far more than the buffers of the sockets have room for, and reads only
    /// then.
    #[tokio::test]
    async fn the_response_to_a_refused_body_arrives() {
        let refuse = get(async || axum::http::StatusCode::PAYLOAD_TOO_LARGE);
        for _ in 0..10 {
            let mut client = connect(Router::new().route("/", refuse.clone())).await;
            let head = "GET / HTTP/1.1\r\nhost: a\r\ncontent-length: 18000000\r\n\r\n";
            client.write_all(head.as_bytes()).await.unwrap();
            client.write_all(&vec![b'x'; 18_000_000]).await.expect("no reset");
            let read = String::from_utf8(read_to_end(client).await).unwrap();
            assert!(read.starts_with("HTTP/1.1 413"), "{read}");
        }
    }
}
