//! `contexture health`: asks a running server whether it is ready, for images without a shell.

use std::io::{Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::time::Duration;

use super::CommandError;

/// Time that the connection and the response may each take.
const STEP_TIMEOUT: Duration = Duration::from_secs(2);
/// Bytes of the response that are read. The status line is at the beginning.
const MAX_READ_BYTES: u64 = 64;

#[derive(Debug, clap::Args)]
pub(super) struct HealthArgs {
    /// Where the server listens; for an address that means all, loopback is asked
    #[arg(
        long,
        env = "CONTEXTURE_LISTEN",
        value_name = "ADDRESS",
        default_value = "127.0.0.1:8080"
    )]
    listen: SocketAddr,
}

/// Succeeds if `GET /readyz` returns 200.
pub(super) fn run(args: &HealthArgs) -> Result<(), CommandError> {
    let mut stream = TcpStream::connect_timeout(&reachable(args.listen), STEP_TIMEOUT)?;
    stream.set_read_timeout(Some(STEP_TIMEOUT))?;
    stream.set_write_timeout(Some(STEP_TIMEOUT))?;
    stream.write_all(b"GET /readyz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")?;
    let mut head = Vec::new();
    stream.take(MAX_READ_BYTES).read_to_end(&mut head)?;
    let head = String::from_utf8_lossy(&head);
    match head.split_whitespace().nth(1) {
        Some("200") => Ok(()),
        Some(status) => Err(format!("not ready: status {status}").into()),
        None => Err("the answer is not HTTP".into()),
    }
}

/// Replaces `0.0.0.0` and `::` by loopback, because a client cannot connect to them.
fn reachable(listen: SocketAddr) -> SocketAddr {
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
