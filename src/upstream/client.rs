//! One long-lived client for all upstreams.

use std::error::Error as StdError;
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::combinators::UnsyncBoxBody;
use hyper::body::Incoming;
use hyper::{Request, Response, Uri};
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy;
use hyper_util::client::proxy::matcher::Matcher;
use hyper_util::rt::{TokioExecutor, TokioTimer};

use super::connector::{self, UpstreamConnector};
use crate::config::{GatewayConfig, ProxySettings};
use crate::webhook::{self, client_config, system_authorities};

/// Time that an idle connection is kept: shorter than providers keep it, so that few requests meet
/// one that is being closed.
const IDLE_TIMEOUT: Duration = Duration::from_secs(55);
/// Idle connections for each host.
const MAX_IDLE_CONNECTIONS: usize = 64;
/// Headers of a response. Providers send dozens: limits, ids, policies.
const MAX_HEADERS: usize = 256;

/// The body of a request on its way to an upstream.
pub type RelayedRequestBody = UnsyncBoxBody<Bytes, Box<dyn StdError + Send + Sync>>;

/// Sends requests to upstreams. Cheap to clone.
#[derive(Clone)]
pub struct UpstreamClient(
    Arc<legacy::Client<HttpsConnector<UpstreamConnector>, RelayedRequestBody>>,
);

/// Why there is no client.
#[derive(Debug, thiserror::Error)]
pub enum UpstreamSetupError {
    #[error("upstreams cannot be called (--upstream-ca-file, CONTEXTURE_UPSTREAM_CA_FILE)")]
    Tls(#[from] webhook::SetupError),
    #[error("HTTPS_PROXY must be an http URL, such as http://proxy.example:3128")]
    Proxy,
}

/// Why an upstream gave no response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SendFailure {
    #[error("the upstream is this server")]
    Own,
    #[error("the upstream cannot be reached")]
    Unreachable,
    #[error("the upstream closed the connection before it responded")]
    Broken,
    #[error("what the upstream sent is no HTTP response")]
    Malformed,
    #[error("the body of the request ended early")]
    RequestBody,
}

impl UpstreamClient {
    /// Returns a client that trusts the public authorities, those of the system, and the
    /// certificates of the settings. `own`: the address of this server.
    pub fn new(
        config: &GatewayConfig,
        proxy: &ProxySettings,
        own: SocketAddr,
    ) -> Result<Self, UpstreamSetupError> {
        let tls = client_config(system_authorities(), config.upstream_ca_file.as_deref())?;
        let connector = hyper_rustls::HttpsConnectorBuilder::new()
            .with_tls_config(tls)
            .https_or_http()
            .enable_http1()
            .wrap_connector(UpstreamConnector::new(proxy_matcher(proxy)?, own));
        let client = legacy::Client::builder(TokioExecutor::new())
            .pool_idle_timeout(IDLE_TIMEOUT)
            .pool_max_idle_per_host(MAX_IDLE_CONNECTIONS)
            .pool_timer(TokioTimer::new())
            .http1_max_headers(MAX_HEADERS)
            // A kept connection that turns out to be closed costs no attempt: nothing was sent.
            .retry_canceled_requests(true)
            .build(connector);
        Ok(Self(Arc::new(client)))
    }

    /// Sends a request, and returns the response once its head is there. Has no time limit. To drop
    /// the future or the response closes its connection.
    pub async fn send(
        &self,
        request: Request<RelayedRequestBody>,
    ) -> Result<Response<Incoming>, SendFailure> {
        self.0.request(request).await.map_err(|error| {
            // It may name addresses, so it is not shown to callers.
            tracing::debug!(error = &error as &dyn StdError, "the upstream gave no response");
            explain(&error)
        })
    }
}

impl fmt::Debug for UpstreamClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UpstreamClient")
    }
}

fn explain(error: &legacy::Error) -> SendFailure {
    let mut source = error.source();
    while let Some(cause) = source {
        match cause.downcast_ref::<connector::Error>() {
            Some(connector::Error::Own) => return SendFailure::Own,
            Some(connector::Error::NotLoopback | connector::Error::Refused(_)) => {
                return SendFailure::Unreachable;
            }
            None => {}
        }
        if let Some(error) = cause.downcast_ref::<hyper::Error>() {
            return match error {
                error if error.is_parse() => SendFailure::Malformed,
                error if error.is_user() => SendFailure::RequestBody,
                _ => SendFailure::Broken,
            };
        }
        source = cause.source();
    }
    if error.is_connect() { SendFailure::Unreachable } else { SendFailure::Broken }
}

fn proxy_matcher(settings: &ProxySettings) -> Result<Matcher, UpstreamSetupError> {
    let Some(proxy) = &settings.https else { return Ok(Matcher::builder().build()) };
    let has_scheme = proxy.contains("://");
    let text = if has_scheme { proxy.clone() } else { format!("http://{proxy}") };
    let uri: Uri = text.parse().map_err(|_| UpstreamSetupError::Proxy)?;
    if uri.scheme_str() != Some("http") || uri.host().is_none_or(str::is_empty) {
        return Err(UpstreamSetupError::Proxy);
    }
    let none_for = settings.none_for.clone().unwrap_or_default();
    Ok(Matcher::builder().https(text).no(none_for).build())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proxied(proxy: &str, none_for: &str, host: &'static str) -> bool {
        let settings = ProxySettings { https: Some(proxy.into()), none_for: Some(none_for.into()) };
        let uri = Uri::from_static(host);
        proxy_matcher(&settings).unwrap().intercept(&uri).is_some()
    }

    #[test]
    fn https_goes_through_the_proxy_unless_its_host_is_excepted() {
        assert!(proxied("http://p:3128", "", "https://api.example/v1"));
        assert!(proxied("p:3128", "other.example", "https://api.example/v1"));
        assert!(!proxied("p:3128", "api.example", "https://api.example/v1"));
        assert!(!proxied("p:3128", "", "http://127.0.0.1/v1"));
        for bad in ["socks5://p", "https://p", "http://", "p q"] {
            let settings = ProxySettings { https: Some(bad.into()), none_for: None };
            assert!(proxy_matcher(&settings).is_err(), "{bad}");
        }
    }
}
