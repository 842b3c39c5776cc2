//! The client of commands that talk to a running server.

use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::{Method, Request, Response, StatusCode, Uri};
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::{self, Client, connect::HttpConnector};
use hyper_util::rt::TokioExecutor;
use serde_json::Value;

use super::CommandError;
use super::server_address::{describe_failure, is_refused, server_url, shown_address};
use crate::json::Fault;
use crate::webhook::{client_config, public_authorities, system_authorities};

/// Time that the head of a response, and then its body, may take.
const DEFAULT_RESPONSE_TIMEOUT: Duration = Duration::from_secs(30);
/// Bytes of a response that are read.
const MAX_RESPONSE_BYTES: usize = 64 << 20;

/// Where a running server is, and the key for it.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct ServerArgs {
    /// The server; `http://` may be left out
    #[arg(
        long,
        visible_alias = "url",
        env = "CONTEXTURE_URL",
        value_name = "URL",
        default_value = "http://127.0.0.1:8080",
        value_parser = server_url
    )]
    pub(super) server: Uri,
    /// A key of the server, if it needs keys
    #[arg(long, env = "CONTEXTURE_KEY", value_name = "KEY", hide_env_values = true)]
    key: Option<String>,
}

impl ServerArgs {
    /// A server, and the key for it.
    pub(super) fn new(server: Uri, key: Option<String>) -> Self {
        Self { server, key }
    }

    /// Whether a key is set.
    pub(super) fn has_key(&self) -> bool {
        self.key.is_some()
    }

    /// A server that is asked without a key.
    pub(super) fn of(server: Uri) -> Self {
        Self { server, key: None }
    }

    /// A server at an address, which is asked without a key.
    pub(super) fn at(address: SocketAddr) -> Result<Self, String> {
        server_url(&address.to_string()).map(Self::of)
    }
}

/// What a server responded.
#[derive(Debug)]
pub(super) struct ServerResponse {
    pub(super) status: StatusCode,
    /// The body; null if it is not JSON.
    pub(super) body: Value,
}

/// A response that refuses a request, in the words of its problem document.
#[derive(Debug)]
pub(super) struct ServerRefusal {
    status: StatusCode,
    title: String,
    /// What is wrong in the body that was sent.
    pub(super) faults: Vec<Fault>,
}

impl ServerRefusal {
    /// Whether the same request would be refused again, such as one without a key.
    pub(super) fn is_final(&self) -> bool {
        self.status.is_client_error() && self.status != StatusCode::TOO_MANY_REQUESTS
    }
}

impl std::error::Error for ServerRefusal {}

impl fmt::Display for ServerRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.title)?;
        for Fault { pointer, detail, did_you_mean } in &self.faults {
            let place = if pointer.is_empty() { "/" } else { pointer };
            write!(f, "\n  {place}: {detail}")?;
            if let Some(near) = did_you_mean {
                write!(f, " (did you mean `{near}`?)")?;
            }
        }
        Ok(())
    }
}

/// Nothing accepts a connection at the address.
#[derive(Debug, thiserror::Error)]
#[error("{detail}")]
pub(super) struct NoServer {
    detail: String,
}

/// Sends requests to one server.
#[derive(Debug, Clone)]
pub(super) struct ServerClient {
    args: ServerArgs,
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    response_timeout: Duration,
}

impl ServerClient {
    pub(super) fn new(args: &ServerArgs) -> Result<Self, CommandError> {
        // The certificates of the system are hundreds of files, which a health check need not read.
        let is_https = args.server.scheme_str() == Some("https");
        let roots = if is_https { system_authorities() } else { public_authorities() };
        let connector = hyper_rustls::HttpsConnectorBuilder::new()
            .with_tls_config(client_config(roots, None)?)
            .https_or_http()
            .enable_http1()
            .build();
        // A kept connection may be closed while a person is asked or nothing is to be done, and a
        // request that was sent on it cannot be sent again safely. So none is kept.
        let client =
            Client::builder(TokioExecutor::new()).pool_max_idle_per_host(0).build(connector);
        Ok(Self { args: args.clone(), client, response_timeout: DEFAULT_RESPONSE_TIMEOUT })
    }

    /// Sets the time that the head of a response, and then its body, may take.
    pub(super) fn responding_within(mut self, limit: Duration) -> Self {
        self.response_timeout = limit;
        self
    }

    /// The address, without a slash at the end.
    pub(super) fn address(&self) -> String {
        shown_address(&self.args.server)
    }

    /// Sends a request with the key as our API reads it. A response that refuses is a
    /// [`ServerRefusal`].
    pub(super) async fn json(
        &self,
        method: Method,
        path: &str,
        body: Option<String>,
    ) -> Result<Value, CommandError> {
        self.json_with(method, path, body, &[]).await
    }

    /// The same, with further headers.
    pub(super) async fn json_with(
        &self,
        method: Method,
        path: &str,
        body: Option<String>,
        headers: &[(HeaderName, HeaderValue)],
    ) -> Result<Value, CommandError> {
        let mut all = self.key_header(AUTHORIZATION)?;
        all.extend_from_slice(headers);
        let response = self.send(method, path, body, &all).await?;
        if response.status.is_success() {
            return Ok(response.body);
        }
        Err(Box::new(self.refusal(&response)))
    }

    /// Sends a request without a body, and returns what comes back, whatever its status is.
    pub(super) async fn get(
        &self,
        path: &str,
        headers: &[(HeaderName, HeaderValue)],
    ) -> Result<ServerResponse, CommandError> {
        self.send(Method::GET, path, None, headers).await
    }

    /// Opens a stream. A response that refuses is a [`ServerRefusal`].
    pub(super) async fn stream(&self, path: &str) -> Result<Response<Incoming>, CommandError> {
        let headers = self.key_header(AUTHORIZATION)?;
        let response = self.open(Method::GET, path, None, &headers).await?;
        if response.status().is_success() {
            return Ok(response);
        }
        let response = self.read(response).await?;
        Err(Box::new(self.refusal(&response)))
    }

    fn key(&self) -> Option<&str> {
        self.args.key.as_deref().filter(|key| !key.is_empty())
    }

    /// The key, in a header of this name; none without a key.
    pub(super) fn key_header(
        &self,
        name: HeaderName,
    ) -> Result<Vec<(HeaderName, HeaderValue)>, CommandError> {
        let Some(key) = self.key() else { return Ok(Vec::new()) };
        let text = if name == AUTHORIZATION { format!("Bearer {key}") } else { key.to_owned() };
        let mut value = HeaderValue::from_str(&text)
            .map_err(|_| "the key (--key, CONTEXTURE_KEY) has characters that no key has")?;
        value.set_sensitive(true);
        Ok(vec![(name, value)])
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<String>,
        headers: &[(HeaderName, HeaderValue)],
    ) -> Result<ServerResponse, CommandError> {
        self.read(self.open(method, path, body, headers).await?).await
    }

    async fn open(
        &self,
        method: Method,
        path: &str,
        body: Option<String>,
        headers: &[(HeaderName, HeaderValue)],
    ) -> Result<Response<Incoming>, CommandError> {
        let uri = format!("{}{path}", self.address());
        let mut request = Request::builder().method(method).uri(uri);
        if body.is_some() {
            request = request.header(CONTENT_TYPE, "application/json");
        }
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let request = request.body(Full::new(Bytes::from(body.unwrap_or_default())))?;
        let sent = tokio::time::timeout(self.response_timeout, self.client.request(request));
        let sent = sent.await.map_err(|_| self.is_late())?;
        sent.map_err(|error| self.unreached(&error))
    }

    fn unreached(&self, error: &legacy::Error) -> CommandError {
        let detail = describe_failure(&self.args.server, error);
        if is_refused(error) { Box::new(NoServer { detail }) } else { detail.into() }
    }

    async fn read(&self, response: Response<Incoming>) -> Result<ServerResponse, CommandError> {
        let status = response.status();
        let body = Limited::new(response.into_body(), MAX_RESPONSE_BYTES).collect();
        let body = tokio::time::timeout(self.response_timeout, body);
        let body = body.await.map_err(|_| self.is_late())?;
        let body = body.map_err(|error| error.to_string())?.to_bytes();
        Ok(ServerResponse { status, body: serde_json::from_slice(&body).unwrap_or_default() })
    }

    fn is_late(&self) -> String {
        format!("{} did not respond within {} s", self.address(), self.response_timeout.as_secs())
    }

    /// Whether the server is one of ours, which alone refuses this request in these words.
    pub(super) async fn is_contexture(&self) -> bool {
        let Ok(response) = self.get("/compile", &[]).await else { return false };
        let detail = response.body.get("detail").and_then(Value::as_str);
        detail.is_some_and(|detail| detail.contains("POST /compile"))
    }

    /// The error of a server that wants a key, or another one.
    pub(super) fn wrong_key(&self) -> String {
        let address = self.address();
        if self.key().is_none() {
            return format!("{address} requires a key: give one with --key or CONTEXTURE_KEY");
        }
        format!(
            "{address} refuses the key of --key or CONTEXTURE_KEY: no such key is known, or it was \
             revoked"
        )
    }

    /// What a response that refuses says.
    pub(super) fn refusal(&self, response: &ServerResponse) -> ServerRefusal {
        let text = |key: &str| response.body.get(key).and_then(Value::as_str).unwrap_or_default();
        let title = match (text("title"), text("detail")) {
            _ if response.status == StatusCode::UNAUTHORIZED => self.wrong_key(),
            ("", _) => format!("{} responds with {}", self.address(), response.status),
            (title, "") => title.to_owned(),
            (title, detail) if detail.to_lowercase().starts_with(&title.to_lowercase()) => {
                detail.to_owned()
            }
            (title, detail) => format!("{title}: {detail}"),
        };
        let faults = response.body.get("errors").and_then(Value::as_array);
        let faults = faults.into_iter().flatten().map(|fault| {
            let text = |key: &str| fault.get(key).and_then(Value::as_str);
            Fault {
                pointer: text("pointer").unwrap_or_default().to_owned(),
                detail: text("detail").unwrap_or_default().to_owned(),
                did_you_mean: text("did_you_mean").map(str::to_owned),
            }
        });
        ServerRefusal { status: response.status, title, faults: faults.collect() }
    }
}
