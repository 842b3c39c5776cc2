//! Connects: the one place where connections to hooks are made.
//!
//! Names and addresses go the same way: resolved, checked, connected. The checked address is the
//! one that is connected, so nothing can change in between; if one address of a name is denied, all
//! are.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::Uri;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::address::{BlockReason, Policy};
use super::resolver::Resolver;
use super::target::local;

/// Longest that one address may take to answer.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error("{0}")]
    Blocked(BlockReason),
    #[error("the name has no address: {0}")]
    Unknown(String),
    #[error("cannot connect")]
    Refused(#[source] io::Error),
    #[error("not an address that can be called")]
    BadUri,
}

/// Makes connections that the policy allows.
#[derive(Debug, Clone)]
pub(super) struct CheckedConnector {
    policy: Arc<Policy>,
    resolver: Arc<dyn Resolver>,
}

impl CheckedConnector {
    pub(super) fn new(policy: Arc<Policy>, resolver: Arc<dyn Resolver>) -> Self {
        Self { policy, resolver }
    }

    async fn dial(self, uri: Uri) -> Result<TokioIo<TcpStream>, Error> {
        let is_https = uri.scheme_str() == Some("https");
        let port = uri.port_u16().unwrap_or(if is_https { 443 } else { 80 });
        let host = uri.host().ok_or(Error::BadUri)?;
        let mut addresses = self.addresses(host).await?;
        if addresses.is_empty() {
            return Err(Error::Unknown("no address at all".to_owned()));
        }
        for address in &addresses {
            self.policy.check(*address, port, is_https).map_err(Error::Blocked)?;
        }
        // A machine without IPv6 is common, one without IPv4 is not.
        addresses.sort_by_key(IpAddr::is_ipv6);
        let mut last = io::Error::from(io::ErrorKind::TimedOut);
        for address in addresses {
            match timeout(CONNECT_TIMEOUT, TcpStream::connect(SocketAddr::new(address, port))).await
            {
                Ok(Ok(stream)) => {
                    // Without effect on what is sent; a failure is no reason not to go on.
                    let _ = stream.set_nodelay(true);
                    return Ok(TokioIo::new(stream));
                }
                Ok(Err(error)) => last = error,
                Err(_) => last = io::ErrorKind::TimedOut.into(),
            }
        }
        Err(Error::Refused(last))
    }

    async fn addresses(&self, host: &str) -> Result<Vec<IpAddr>, Error> {
        let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        if let Ok(address) = bare.parse::<IpAddr>() {
            return Ok(vec![address]);
        }
        match local(host) {
            Some(addresses) => Ok(addresses),
            None => self.resolver.resolve(host).await.map_err(Error::Unknown),
        }
    }
}

impl tower::Service<Uri> for CheckedConnector {
    type Response = TokioIo<TcpStream>;
    type Error = Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        Box::pin(self.clone().dial(uri))
    }
}
