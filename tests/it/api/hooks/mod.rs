//! Hooks: registered, shown, changed, ordered, and refused.

mod deliveries;
mod exchanges;
mod nodes;
mod order;
mod registry;
mod scope;
mod secrets;
mod targets;
mod trial;
mod unreachable_receiver;

use crate::support::{Folder, TestServer};

/// A key as `--master-key-file` takes it.
pub const MASTER: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

/// A server with a master key and these flags.
pub async fn server(flags: &[&str]) -> TestServer {
    let files = Folder::new();
    let keys = files.write("keys", MASTER);
    let mut all = vec!["--master-key-file", keys.as_str()];
    all.extend_from_slice(flags);
    TestServer::with(&all).await
}
