//! What the log says when a server starts: where it listens, and what an operator needs to know first.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use crate::config::{DatabaseUrl, GatewayConfig};

/// Facts about a server that starts.
pub(super) struct StartLog<'a> {
    pub(super) address: SocketAddr,
    pub(super) database: &'a DatabaseUrl,
    pub(super) gateway: &'a GatewayConfig,
    /// Whether callers need no key.
    pub(super) is_open: bool,
}

impl StartLog<'_> {
    /// Writes one line for each fact, at level `info`.
    pub(super) fn write(&self) {
        let address = self.address;
        let url = format!("http://{}", reachable(address));
        tracing::info!(%address, version = env!("CARGO_PKG_VERSION"), "listening");
        tracing::info!(url = %format!("{url}/"), "console: usage, sessions, records, a playground");
        tracing::info!(url = %format!("{url}/docs/guide/"), "guide; the API reference is at /docs");
        match self.database {
            DatabaseUrl::Sqlite(file) => {
                let file = std::path::absolute(file).unwrap_or_else(|_| file.clone());
                tracing::info!(file = %file.display(), "data is kept in a file");
            }
            DatabaseUrl::Postgres(_) => {
                tracing::info!(database = %self.database, "data is kept in PostgreSQL");
            }
            DatabaseUrl::Memory => {
                tracing::info!("data is kept in memory, and lost when the server stops");
            }
        }
        if self.is_open {
            tracing::info!(
                keys = false,
                "callers need no key; set --bootstrap-key or --keys-file to require keys"
            );
        } else {
            tracing::info!(keys = true, "callers need a key: Authorization: Bearer KEY");
        }
        let names: Vec<&str> =
            self.gateway.upstream.iter().map(|upstream| upstream.name.as_str()).collect();
        if names.is_empty() {
            tracing::info!("the gateway is off; --upstream anthropic, for example, turns it on");
        } else {
            tracing::info!(
                upstreams = names.join(", "),
                "the gateway forwards requests for models"
            );
        }
    }
}

/// An address that a browser on this machine can open.
fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_every_interface_is_shown_as_one_that_opens() {
        let shown = |address: &str| reachable(address.parse().unwrap()).to_string();
        assert_eq!(shown("0.0.0.0:8080"), "127.0.0.1:8080");
        assert_eq!(shown("[::]:8080"), "[::1]:8080");
        assert_eq!(shown("192.0.2.7:80"), "192.0.2.7:80");
    }
}
