//! `contexture health`: asks a running server whether it is ready, for images without a shell.

use std::io::{self, Write as _};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use hyper::Uri;
use serde_json::json;

use super::CommandError;
use super::server_address::server_url;
use super::server_client::{ServerArgs, ServerClient};
use crate::config::listen_address;

/// Time that the response may take: less than health checks of images wait.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(2);

#[derive(Debug, clap::Args)]
pub(super) struct HealthArgs {
    /// The server; if absent, the one that listens at --listen on this machine
    #[arg(
        long,
        visible_alias = "url",
        env = "CONTEXTURE_URL",
        value_name = "URL",
        value_parser = server_url
    )]
    server: Option<Uri>,

    /// Where the server listens; for an address that means all, loopback is asked
    #[arg(
        long,
        env = "CONTEXTURE_LISTEN",
        value_name = "ADDRESS",
        default_value = "127.0.0.1:8080",
        value_parser = listen_address
    )]
    listen: SocketAddr,

    /// Print what the server returns as JSON, with its address
    #[arg(long)]
    json: bool,
}

/// Succeeds if `GET /readyz` returns 200.
pub(super) fn run(args: &HealthArgs) -> Result<(), CommandError> {
    let server = match &args.server {
        Some(server) => ServerArgs::of(server.clone()),
        None => ServerArgs::at(reachable(args.listen))?,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let client = ServerClient::new(&server)?;
    let ready = runtime.block_on(async {
        match tokio::time::timeout(RESPONSE_TIMEOUT, client.get("/readyz", &[])).await {
            Ok(ready) => ready,
            Err(_) => Err(format!("{} did not respond in time", client.address()).into()),
        }
    })?;
    let status = ready.status.as_u16();
    if args.json {
        let row = json!({"server": client.address(), "ready": status == 200, "status": status,
                         "body": ready.body});
        writeln!(io::stdout(), "{row}")?;
    }
    match status {
        200 => Ok(()),
        status => Err(format!("not ready: status {status}").into()),
    }
}

/// Replaces `0.0.0.0` and `::` by loopback, because a client cannot connect to them.
pub(super) fn reachable(listen: SocketAddr) -> SocketAddr {
    let ip = match listen.ip() {
        ip if !ip.is_unspecified() => ip,
        IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
    };
    SocketAddr::new(ip, listen.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unspecified_address_is_reached_on_loopback() {
        let reached = |listen: &str| reachable(listen.parse().unwrap()).to_string();
        assert_eq!(reached("0.0.0.0:80"), "127.0.0.1:80");
        assert_eq!(reached("[::]:80"), "[::1]:80");
        assert_eq!(reached("10.1.2.3:80"), "10.1.2.3:80");
    }
}
