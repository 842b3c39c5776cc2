//! One long-lived client for all calls: bounded in time, in bytes, and in whom it reaches.
//!
//! It is hyper's own client over [`CheckedConnector`], so what a hook must not make it do does not
//! exist in it: it follows no redirect, knows no proxy, decompresses nothing and keeps no cookie.

use std::error::Error as _;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Body as _, Incoming};
use hyper::{Request, Response};
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tokio::sync::Notify;

use super::address::Policy;
use super::connector::{self, CheckedConnector};
use super::resolver::Resolver;
use super::tls::{SetupError, client_config, public_authorities};
use crate::hook::{CallFailure, FailureCause};

/// Bytes that the head of an answer may have, and headers in it.
const MAX_HEAD_BYTES: usize = 64 << 10;
const MAX_HEADERS: usize = 100;
/// Interim responses (100 to 199) before the final one. Nothing else limits their number.
const MAX_INTERIM_RESPONSES: usize = 16;
/// Time that an idle connection is kept, and connections per host.
const IDLE_TIMEOUT: Duration = Duration::from_mins(1);
const MAX_IDLE_CONNECTIONS: usize = 8;

/// Sends requests.
#[derive(Clone)]
pub(super) struct Client(legacy::Client<HttpsConnector<CheckedConnector>, Full<Bytes>>);

/// An answer within its limits.
#[derive(Debug)]
pub(super) struct LimitedResponse {
    pub(super) status: u16,
    pub(super) media_type: Option<String>,
    pub(super) retry_after: Option<String>,
    pub(super) body: Vec<u8>,
}

/// Why there is no answer.
#[derive(Debug)]
pub(super) struct NoResponse {
    pub(super) failure: CallFailure,
    /// Whether nothing was sent, so that the same may be sent again.
    pub(super) is_unsent: bool,
}

impl Client {
    pub(super) fn new(
        policy: Arc<Policy>,
        resolver: Arc<dyn Resolver>,
        certificates: Option<&Path>,
    ) -> Result<Self, SetupError> {
        let connector = hyper_rustls::HttpsConnectorBuilder::new()
            .with_tls_config(client_config(public_authorities(), certificates)?)
            .https_or_http()
            .enable_http1()
            .wrap_connector(CheckedConnector::new(policy, resolver));
        let client = legacy::Client::builder(TokioExecutor::new())
            .pool_idle_timeout(IDLE_TIMEOUT)
            .pool_max_idle_per_host(MAX_IDLE_CONNECTIONS)
            .pool_timer(TokioTimer::new())
            .http1_max_buf_size(MAX_HEAD_BYTES)
            .http1_max_headers(MAX_HEADERS)
            // A kept connection that turns out to be closed costs no attempt: nothing was sent.
            .retry_canceled_requests(true)
            .build(connector);
        Ok(Self(client))
    }

    /// Sends a request once, and reads at most `most` bytes of the response. A longer response is a
    /// failure, or is cut if `cut` is set. Has no time limit of its own: the caller sets one.
    pub(super) async fn send(
        &self,
        mut request: Request<Full<Bytes>>,
        most: usize,
        cut: bool,
    ) -> Result<LimitedResponse, NoResponse> {
        let too_many = count_interim(&mut request);
        // To drop the request closes its connection.
        let response = tokio::select! {
            response = self.0.request(request) => response,
            () = too_many.notified() => {
                let why = format!("more than {MAX_INTERIM_RESPONSES} interim answers");
                let failure = CallFailure::new(FailureCause::TooLarge, why);
                return Err(NoResponse { failure, is_unsent: false });
            }
        };
        let response = response.map_err(|error| NoResponse {
            // Without a connection no byte of the request was sent.
            is_unsent: error.is_connect(),
            failure: unreached(&error),
        })?;
        let status = response.status().as_u16();
        let header = |name: &str| {
            let value = response.headers().get(name);
            value.and_then(|value| value.to_str().ok()).map(str::to_owned)
        };
        let (media_type, retry_after) = (header("content-type"), header("retry-after"));
        let body = read(response, most, cut).await;
        let body = body.map_err(|failure| NoResponse {
            is_unsent: false,
            failure: failure.with_status(status),
        })?;
        Ok(LimitedResponse { status, media_type, retry_after, body })
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Client")
    }
}

/// Notifies when a request has more interim responses than allowed.
fn count_interim<B>(request: &mut Request<B>) -> Arc<Notify> {
    let too_many = Arc::new(Notify::new());
    let (tell, count) = (Arc::clone(&too_many), AtomicUsize::new(0));
    hyper::ext::on_informational(request, move |_| {
        if count.fetch_add(1, Ordering::Relaxed) >= MAX_INTERIM_RESPONSES {
            tell.notify_one();
        }
    });
    too_many
}

async fn read(
    response: Response<Incoming>,
    most: usize,
    cut: bool,
) -> Result<Vec<u8>, CallFailure> {
    let too_large = || CallFailure::new(FailureCause::TooLarge, format!("more than {most} bytes"));
    let mut body = response.into_body();
    let announced = body.size_hint().lower();
    if !cut && announced > u64::try_from(most).unwrap_or(u64::MAX) {
        return Err(too_large());
    }
    let mut read = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame =
            frame.map_err(|_| CallFailure::new(FailureCause::Connect, "the answer broke off"))?;
        // Trailers are ignored.
        let Ok(data) = frame.into_data() else { continue };
        let room = most - read.len();
        if data.len() > room {
            if !cut {
                return Err(too_large());
            }
            read.extend_from_slice(data.get(..room).unwrap_or_default());
            return Ok(read);
        }
        read.extend_from_slice(&data);
    }
    Ok(read)
}

/// Converts an error of the client. Its own text is for the debug log: it may name addresses, and
/// is not shown to callers.
fn unreached(error: &legacy::Error) -> CallFailure {
    let mut source = error.source();
    while let Some(cause) = source {
        match cause.downcast_ref::<connector::Error>() {
            Some(connector::Error::Blocked(blocked)) => {
                return CallFailure::new(FailureCause::BlockedAddress, blocked.to_string());
            }
            Some(connector::Error::Unknown(_)) => {
                return CallFailure::new(FailureCause::Connect, "the name has no address");
            }
            Some(connector::Error::Refused(_) | connector::Error::BadUri) => {
                return CallFailure::new(FailureCause::Connect, "cannot connect");
            }
            None => {}
        }
        if let Some(error) = cause.downcast_ref::<hyper::Error>() {
            let why =
                if error.is_parse() { "the answer is no HTTP" } else { "the connection broke" };
            return CallFailure::new(FailureCause::Connect, why);
        }
        source = cause.source();
    }
    let why = if error.is_connect() { "no secure connection" } else { "the connection broke" };
    CallFailure::new(FailureCause::Connect, why)
}
