//! Connects to an upstream, directly or through the proxy of the settings.

use std::error::Error as StdError;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::Uri;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::proxy::matcher::Matcher;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tower::Service;

/// Longest that a connection may take to be made.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Time without traffic after which the system asks whether the other end is there: a provider that
/// has gone is noticed long before its silence is.
const KEEPALIVE: Duration = Duration::from_mins(1);

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error("the upstream is this server")]
    Own,
    #[error("http is for loopback addresses alone")]
    NotLoopback,
    #[error("cannot connect")]
    Refused(#[source] Box<dyn StdError + Send + Sync>),
}

/// Makes connections to upstreams.
#[derive(Clone)]
pub(super) struct UpstreamConnector {
    http: HttpConnector,
    proxy: Arc<Matcher>,
    /// The address of this server, which must not call itself.
    own: SocketAddr,
}

impl UpstreamConnector {
    pub(super) fn new(proxy: Matcher, own: SocketAddr) -> Self {
        let mut http = HttpConnector::new();
        http.enforce_http(false);
        http.set_nodelay(true);
        http.set_connect_timeout(Some(CONNECT_TIMEOUT));
        http.set_keepalive(Some(KEEPALIVE));
        Self { http, proxy: Arc::new(proxy), own }
    }

    async fn connect(mut self, uri: Uri) -> Result<TokioIo<TcpStream>, Error> {
        if let Some(proxy) = self.proxy.intercept(&uri) {
            let mut tunnel = Tunnel::new(proxy.uri().clone(), self.http);
            if let Some(credentials) = proxy.basic_auth() {
                tunnel = tunnel.with_auth(credentials.clone());
            }
            return tunnel.call(uri).await.map_err(|error| Error::Refused(error.into()));
        }
        let is_plain = uri.scheme_str() == Some("http");
        let stream = self.http.call(uri).await.map_err(|error| Error::Refused(error.into()))?;
        let ends = (stream.inner().peer_addr(), stream.inner().local_addr());
        if let (Ok(peer), Ok(local)) = ends {
            if is_own(self.own, peer, local) {
                return Err(Error::Own);
            }
            if is_plain && !peer.ip().to_canonical().is_loopback() {
                return Err(Error::NotLoopback);
            }
        }
        Ok(stream)
    }
}

/// Whether a connection leads to this server itself. A listener on all addresses is reached by any
/// address of this machine, and then both ends of the connection have it.
fn is_own(own: SocketAddr, peer: SocketAddr, local: SocketAddr) -> bool {
    let peer_ip = peer.ip().to_canonical();
    let is_here = own.ip().is_unspecified()
        && (peer_ip.is_loopback() || peer_ip == local.ip().to_canonical());
    peer.port() == own.port() && (peer_ip == own.ip().to_canonical() || is_here)
}

impl Service<Uri> for UpstreamConnector {
    type Response = TokioIo<TcpStream>;
    type Error = Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        Box::pin(self.clone().connect(uri))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listener_on_all_addresses_is_known_by_both_ends() {
        let own = |own: &str, peer: &str, local: &str| {
            is_own(own.parse().unwrap(), peer.parse().unwrap(), local.parse().unwrap())
        };
        assert!(own("127.0.0.1:80", "127.0.0.1:80", "127.0.0.1:9"));
        assert!(own("0.0.0.0:80", "127.0.0.1:80", "127.0.0.1:9"));
        assert!(own("0.0.0.0:80", "10.0.0.1:80", "10.0.0.1:9"));
        assert!(own("[::]:80", "[::ffff:10.0.0.1]:80", "10.0.0.1:9"));
        assert!(!own("127.0.0.1:80", "127.0.0.1:81", "127.0.0.1:9"));
        assert!(!own("0.0.0.0:80", "10.0.0.2:80", "10.0.0.1:9"));
    }
}
