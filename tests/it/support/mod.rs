//! A server of one's own for each test, on a free port, stopped on drop; and raw sockets.

pub mod binding;
pub mod compile;
pub mod compress;
pub mod database;
mod folder;
pub mod generate;
pub mod items;
pub mod pack;
pub mod prerequisite;
pub mod prices;
mod process;
pub mod prompt_cache;
pub mod provider;
mod raw;
pub mod receiver;
mod requests;
pub mod valid;
pub mod wait;

pub use folder::Folder;
pub use process::ServerProcess;
pub use raw::{Reply, exchange, request, send};
pub use requests::{BOOTSTRAP_KEY, json_of};

use std::net::SocketAddr;
use std::time::Duration;

use clap::{CommandFactory as _, FromArgMatches as _, Parser};
use contexture::config::{Config, settings_in_force};
use contexture::server::{Server, ShutdownOutcome};
use serde_json::Value;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

#[derive(Debug, Parser)]
struct Flags {
    #[command(flatten)]
    config: Config,
}

/// The settings that a command line of `serve` gives, with the list of them that the server shows, on a free port; stored is in memory
/// (or as [`database`] says) where the line does not say otherwise.
pub fn config(flags: &[&str]) -> Config {
    let mut line = vec!["serve", "--listen", "127.0.0.1:0"];
    let url;
    if !flags.contains(&"--database-url") {
        url = database::url();
        line.extend_from_slice(&["--database-url", &url]);
    }
    line.extend_from_slice(flags);
    let command = Flags::command();
    let matches = command.clone().try_get_matches_from(line).expect("flags are right");
    let config = Flags::from_arg_matches(&matches).expect("flags are right").config;
    Config { settings: settings_in_force(&command, &matches), ..config }
}

pub struct TestServer {
    pub address: SocketAddr,
    client: reqwest::Client,
    shutdown: oneshot::Sender<()>,
    running: JoinHandle<ShutdownOutcome>,
}

impl TestServer {
    pub async fn spawn() -> Self {
        Self::with(&[]).await
    }

    /// A server with these flags of `contexture serve`.
    pub async fn with(flags: &[&str]) -> Self {
        let server = Server::build(config(flags)).await.expect("server builds");
        let address = server.address();
        let (sender, receiver) = oneshot::channel::<()>();
        let running = tokio::spawn(server.run_until(async { receiver.await.unwrap_or_default() }));
        // Long before the server closes an idle connection, so that no request is sent on one that
        // is being closed.
        let client = reqwest::Client::builder().pool_idle_timeout(Duration::from_secs(1));
        let client = client.build().expect("a client");
        Self { address, client, shutdown: sender, running }
    }

    /// Stops it, and is back when all of it has ended.
    pub async fn stop(self) -> ShutdownOutcome {
        drop(self.shutdown);
        // Its connections would keep it.
        drop(self.client);
        self.running.await.expect("the server ends")
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub async fn get(&self, path: &str) -> reqwest::Response {
        self.client.get(self.url(path)).send().await.expect("an answer")
    }

    pub async fn post(&self, path: &str, body: &Value) -> reqwest::Response {
        self.client.post(self.url(path)).json(body).send().await.expect("an answer")
    }

    /// A request to be changed before it is sent.
    pub fn build(&self, method: &str, path: &str) -> reqwest::RequestBuilder {
        self.client.request(method.parse().expect("a method"), self.url(path))
    }

    /// The same, for a body that is written as text and is said to be JSON.
    pub fn build_json(&self, method: &str, path: &str) -> reqwest::RequestBuilder {
        self.build(method, path).header("content-type", "application/json")
    }
}

/// Asserts that an answer is a problem document with this status and code, and gives it back.
pub async fn problem(response: reqwest::Response, status: u16, code: &str) -> Value {
    assert_eq!(response.status(), status);
    assert_eq!(response.headers()["content-type"], "application/problem+json");
    let id = response.headers()["x-request-id"].to_str().expect("plain text").to_owned();
    let body: Value = response.json().await.expect("a JSON body");
    assert_eq!(body["code"], code, "{body}");
    assert_eq!(body["status"], status, "{body}");
    assert_eq!(body["request_id"], id.as_str(), "{body}");
    assert_eq!(body["type"], format!("/problems/{}", code.replace('_', "-")), "{body}");
    body
}

/// The pointers of a problem's faults, in their order.
pub fn pointers(problem: &Value) -> Vec<&str> {
    let errors = problem["errors"].as_array().expect("a list");
    errors.iter().map(|error| error["pointer"].as_str().expect("a pointer")).collect()
}
