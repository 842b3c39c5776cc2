//! One server in this process: no sockets, no disk, nothing that it may call.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::header;
use clap::Parser as _;
use contexture::config::{LimitsConfig, ServerConfig};
use contexture::http::{self, AppState};
use contexture::server;
use contexture::service::pool::Pool;
use contexture::telemetry::Metrics;
use cpu_time::ProcessTime;
use http_body_util::BodyExt as _;
use peak_alloc::PeakAlloc;
use tower::ServiceExt as _;

use super::Request;

/// What came back, and what it took.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) media: String,
    pub(super) etag: Option<String>,
    pub(super) body: Vec<u8>,
    /// Bytes that were allocated at once, besides those before the request and its body.
    pub(super) peak_bytes: usize,
    pub(super) cpu: Duration,
}

/// What an operator can set, as it is when nothing is set.
#[derive(Debug, clap::Parser)]
struct Settings {
    #[command(flatten)]
    server: ServerConfig,
    #[command(flatten)]
    limits: LimitsConfig,
}

pub(super) struct Server {
    router: Router,
}

pub(super) fn runtime() -> tokio::runtime::Runtime {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_time().build().expect("a runtime")
}

impl Server {
    pub(super) async fn start() -> Self {
        let services = server::services_in_memory().expect("a store in memory");
        // Dictionaries are loaded once a process, which is no request's doing.
        services.warm();
        let Settings { server, limits } = Settings::parse_from(["contexture"]);
        let state = AppState::new(services, Pool::new(1), Metrics::new(), &limits);
        state.set_ready(true);
        Self { router: http::router(state, &limits, &server, None) }
    }

    pub(super) async fn send(&self, request: &Request) -> Reply {
        let mut builder = axum::http::Request::builder();
        builder = builder.method(&*request.method).uri(&*request.path);
        for (name, value) in &request.headers {
            builder = builder.header(name, value);
        }
        let Ok(asked) = builder.body(Body::from(request.body.clone())) else {
            return Reply::nothing();
        };
        let before = PeakAlloc.current_usage();
        PeakAlloc.reset_peak_usage();
        let started = ProcessTime::now();
        let response = self.router.clone().oneshot(asked).await.expect("an answer");
        let (parts, body) = response.into_parts();
        let text = |name| parts.headers.get(name)?.to_str().ok().map(str::to_owned);
        let media = text(header::CONTENT_TYPE).unwrap_or_default();
        // A stream of events has no end.
        let body = match media.starts_with("text/event-stream") {
            true => Vec::new(),
            false => body.collect().await.map(|body| body.to_bytes().to_vec()).unwrap_or_default(),
        };
        Reply {
            status: parts.status.as_u16(),
            media,
            etag: text(header::ETAG),
            peak_bytes: PeakAlloc.peak_usage().saturating_sub(before),
            cpu: started.elapsed(),
            body,
        }
    }
}

impl Reply {
    /// For what is no request at all.
    fn nothing() -> Self {
        Self {
            status: 400,
            media: String::new(),
            etag: None,
            body: Vec::new(),
            peak_bytes: 0,
            cpu: Duration::ZERO,
        }
    }
}

/// Writes a request to the file that keeps them, if one is named.
pub(super) fn write_out(request: &Request) {
    let Some(mut file) = kept() else { return };
    let Request { method, path, headers, body } = request;
    writeln!(file, "{method} {path} {headers:?}").expect("a file to write to");
    file.write_all(body).and_then(|()| file.write_all(b"\n")).expect("a file to write to");
}

/// Writes what became of it.
pub(super) fn write_status(reply: &Reply) {
    let Some(mut file) = kept() else { return };
    let Reply { status, body, peak_bytes, cpu, .. } = reply;
    let (sent, cpu) = (body.len(), cpu.as_millis());
    let line = format!("= {status}: {sent} bytes, {peak_bytes} bytes of memory, {cpu} ms");
    writeln!(file, "{line}").expect("a file to write to");
    if *status >= 400 {
        let shown = String::from_utf8_lossy(&body[..sent.min(600)]);
        writeln!(file, "! {shown}").expect("a file to write to");
    }
}

fn kept() -> Option<File> {
    let path = std::env::var_os("CONTEXTURE_FUZZ_OUT")?;
    Some(OpenOptions::new().create(true).append(true).open(path).expect("the file"))
}
