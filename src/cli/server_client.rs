//! The client of commands that talk to a running server.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::{Method, Request, Response, StatusCode, Uri};
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::{Client, connect::HttpConnector};
use hyper_util::rt::TokioExecutor;
use serde_json::Value;

use super::CommandError;
use crate::webhook::{client_config, public_authorities, system_authorities};

/// Time that the head of a response, and then its body, may take.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(30);
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

/// Reads the address of a server: a URL, or a host with or without a port.
pub(super) fn server_url(text: &str) -> Result<Uri, String> {
    let url = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
    let uri: Uri = url.parse().map_err(|error| format!("{error}"))?;
    match (uri.scheme_str(), uri.host()) {
        (Some("http" | "https"), Some(host)) if !host.is_empty() => Ok(uri),
        _ => Err("must be the address of a server, such as http://127.0.0.1:8080".to_owned()),
    }
}

/// What a server responded.
#[derive(Debug)]
pub(super) struct ServerResponse {
    pub(super) status: StatusCode,
    /// The body; null if it is not JSON.
    pub(super) body: Value,
}

/// A server does not open a stream.
#[derive(Debug, thiserror::Error)]
#[error("{words}")]
pub(super) struct StreamRefusal {
    /// Whether it would refuse the same request again, such as one without a key.
    pub(super) is_final: bool,
    words: String,
}

/// Nothing accepts a connection at the address.
#[derive(Debug, thiserror::Error)]
#[error(
    "no server answers at {address}: start one with `contexture serve`, or name another with --server or \
     CONTEXTURE_URL"
)]
pub(super) struct NoServer {
    address: String,
}

/// Sends requests to one server.
#[derive(Debug, Clone)]
pub(super) struct ServerClient {
    args: ServerArgs,
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
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
        let client = Client::builder(TokioExecutor::new()).build(connector);
        Ok(Self { args: args.clone(), client })
    }

    /// The address, without a slash at the end.
    pub(super) fn address(&self) -> String {
        self.args.server.to_string().trim_end_matches('/').to_owned()
    }

    /// Sends a request with the key as our API reads it. A response that refuses is an error in the
    /// words of its problem document.
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
        Err(self.refusal(&response).into())
    }

    /// Sends a request without a body, and returns what comes back, whatever its status is.
    pub(super) async fn get(
        &self,
        path: &str,
        headers: &[(HeaderName, HeaderValue)],
    ) -> Result<ServerResponse, CommandError> {
        self.send(Method::GET, path, None, headers).await
    }

    /// Opens a stream. A response that refuses is a [`StreamRefusal`] in the words of its problem
    /// document.
    pub(super) async fn stream(&self, path: &str) -> Result<Response<Incoming>, CommandError> {
        let headers = self.key_header(AUTHORIZATION)?;
        let response = self.open(Method::GET, path, None, &headers).await?;
        if response.status().is_success() {
            return Ok(response);
        }
        let response = read(response).await?;
        let is_final =
            response.status.is_client_error() && response.status != StatusCode::TOO_MANY_REQUESTS;
        Err(Box::new(StreamRefusal { is_final, words: self.refusal(&response) }))
    }

    /// The key, in a header of this name; none without a key.
    pub(super) fn key_header(
        &self,
        name: HeaderName,
    ) -> Result<Vec<(HeaderName, HeaderValue)>, CommandError> {
        let Some(key) = &self.args.key else { return Ok(Vec::new()) };
        let text = if name == AUTHORIZATION { format!("Bearer {key}") } else { key.clone() };
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
        read(self.open(method, path, body, headers).await?).await
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
        let sent = tokio::time::timeout(RESPONSE_TIMEOUT, self.client.request(request));
        let sent = sent.await.map_err(|_| format!("{} did not respond in time", self.address()))?;
        sent.map_err(|error| self.unreached(&error))
    }

    fn unreached(&self, error: &hyper_util::client::legacy::Error) -> CommandError {
        let address = self.address();
        if error.is_connect() {
            return Box::new(NoServer { address });
        }
        format!("{address} closed the connection before it responded").into()
    }

    /// What a response that refuses says.
    fn refusal(&self, response: &ServerResponse) -> String {
        let address = self.address();
        let text = |key: &str| response.body.get(key).and_then(Value::as_str).unwrap_or_default();
        let advice = match response.status {
            StatusCode::UNAUTHORIZED if self.args.key.is_none() => {
                " (give a key of the server with --key or CONTEXTURE_KEY)"
            }
            StatusCode::UNAUTHORIZED => " (the key is that of --key or CONTEXTURE_KEY)",
            _ => "",
        };
        let mut said = match (text("title"), text("detail")) {
            ("", _) => format!("{address} responds with {}{advice}", response.status),
            (title, "") => format!("{title}{advice}"),
            (title, detail) if detail.to_lowercase().starts_with(&title.to_lowercase()) => {
                format!("{detail}{advice}")
            }
            (title, detail) => format!("{title}: {detail}{advice}"),
        };
        let faults = response.body.get("errors").and_then(Value::as_array);
        for fault in faults.into_iter().flatten() {
            let text = |key: &str| fault.get(key).and_then(Value::as_str).unwrap_or_default();
            let place = if text("pointer").is_empty() { "/" } else { text("pointer") };
            let _ = write!(said, "\n  {place}: {}", text("detail"));
        }
        said
    }
}

async fn read(response: Response<Incoming>) -> Result<ServerResponse, CommandError> {
    let status = response.status();
    let body = Limited::new(response.into_body(), MAX_RESPONSE_BYTES).collect();
    let body = tokio::time::timeout(RESPONSE_TIMEOUT, body);
    let body = body.await.map_err(|_| "the response did not end in time")?;
    let body = body.map_err(|error| error.to_string())?.to_bytes();
    Ok(ServerResponse { status, body: serde_json::from_slice(&body).unwrap_or_default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_named_with_or_without_a_scheme() {
        let read = |text: &str| server_url(text).map(|uri| uri.to_string());
        assert_eq!(read("127.0.0.1:8080").unwrap(), "http://127.0.0.1:8080/");
        assert_eq!(read("localhost").unwrap(), "http://localhost/");
        assert_eq!(read("[::1]:80").unwrap(), "http://[::1]:80/");
        assert_eq!(read("https://ctx.example/base/").unwrap(), "https://ctx.example/base/");
        for text in ["", "ftp://example.com", "http://", "http:///x", "a b"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
