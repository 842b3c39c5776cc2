//! The gateway, between a client and a fake provider.

mod agent;
mod edits;
mod fit;
mod hooks;
mod lineages;
mod process;
mod public_cases;
mod records;
mod relay;
mod session_mode;
mod sessions;
mod store_away;
mod streams;
mod usage;

use crate::support::TestServer;
use crate::support::provider::Provider;

/// A server in front of `provider`, under these names, with more flags.
pub async fn front(provider: &Provider, names: &[&str], flags: &[&str]) -> TestServer {
    let upstreams: Vec<String> = names.iter().map(|name| provider.flag(name)).collect();
    let upstreams = upstreams.iter().map(String::as_str);
    TestServer::with(&upstreams.chain(flags.iter().copied()).collect::<Vec<_>>()).await
}
