//! Hooks: registered, shown, changed, ordered, and refused.

mod deliveries;
mod order;
mod registry;
mod scope;
mod sealed;
mod targets;
mod trial;
mod unreachable;

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use crate::support::TestServer;

/// A key as `--master-key-file` takes it.
pub const MASTER: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

/// Files for the flags of a server.
pub struct Files(TempDir);

impl Files {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// A file with this text; its path.
    pub fn write(&self, name: &str, text: &str) -> String {
        let path: PathBuf = self.0.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }
}

/// A server with a master key and these flags.
pub async fn server(flags: &[&str]) -> TestServer {
    let files = Files::new();
    let keys = files.write("keys", MASTER);
    let mut all = vec!["--master-key-file", keys.as_str()];
    all.extend_from_slice(flags);
    TestServer::with(&all).await
}
