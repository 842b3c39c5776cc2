//! Requests of commands to a running server.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderName};
use hyper::{Method, Request, StatusCode, Uri};
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::{Client, connect::HttpConnector};
use hyper_util::rt::TokioExecutor;
use serde_json::Value;

use super::CommandError;
use crate::webhook::{client_config, public_authorities};

/// Time that one response may take.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(30);
/// Bytes of a response that are read: a page of 1,000 hooks has less.
const MAX_RESPONSE_BYTES: usize = 16 << 20;

/// Which server a command asks, and with which key.
#[derive(Debug, clap::Args)]
pub(super) struct ServerArgs {
    /// The server
    #[arg(
        long,
        env = "CONTEXTURE_URL",
        value_name = "URL",
        default_value = "http://127.0.0.1:8080"
    )]
    server: Uri,
    /// A key with the scope `hooks:write`, if the server needs keys
    #[arg(long, env = "CONTEXTURE_KEY", value_name = "KEY", hide_env_values = true)]
    key: Option<String>,
}

/// A client for one server.
pub(super) struct ApiClient {
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    /// Without a slash at its end.
    server: String,
    key: Option<String>,
}

/// A request.
#[derive(Debug)]
pub(super) struct ApiRequest<'r> {
    pub(super) method: Method,
    pub(super) path: &'r str,
    /// JSON, or empty.
    pub(super) body: String,
    pub(super) header: Option<(HeaderName, String)>,
}

/// A problem document, or another response that is no success.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.text())]
pub(super) struct ApiProblem {
    status: StatusCode,
    body: Value,
}

impl ApiProblem {
    fn text(&self) -> String {
        let member = |name: &str| self.body.get(name).and_then(Value::as_str);
        let title = member("detail").or_else(|| member("title"));
        let mut text = format!("{} ({})", title.unwrap_or("no problem document"), self.status);
        for fault in self.body.get("errors").and_then(Value::as_array).into_iter().flatten() {
            let member = |name: &str| fault.get(name).and_then(Value::as_str).unwrap_or_default();
            text.push_str("\n  ");
            text.push_str(member("pointer"));
            text.push_str(": ");
            text.push_str(member("detail"));
        }
        text
    }
}

impl ApiClient {
    pub(super) fn new(args: &ServerArgs) -> Result<Self, CommandError> {
        let mut roots = public_authorities();
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        let connector = hyper_rustls::HttpsConnectorBuilder::new()
            .with_tls_config(client_config(roots, None)?)
            .https_or_http()
            .enable_http1()
            .build();
        Ok(Self {
            client: Client::builder(TokioExecutor::new()).build(connector),
            server: args.server.to_string().trim_end_matches('/').to_owned(),
            key: args.key.clone(),
        })
    }

    /// Sends a request and reads the JSON of the response; null if there is none.
    pub(super) async fn send(&self, request: ApiRequest<'_>) -> Result<Value, CommandError> {
        let ApiRequest { method, path, body, header } = request;
        let mut request = Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.server))
            .header(CONTENT_TYPE, "application/json");
        if let Some(key) = &self.key {
            request = request.header(AUTHORIZATION, format!("Bearer {key}"));
        }
        if let Some((name, value)) = header {
            request = request.header(name, value);
        }
        let response = self.client.request(request.body(Full::new(Bytes::from(body)))?);
        let late = || format!("{} gives no response in time", self.server);
        let response =
            tokio::time::timeout(RESPONSE_TIMEOUT, response).await.map_err(|_| late())?;
        let response =
            response.map_err(|error| format!("{} cannot be reached: {error}", self.server))?;
        let status = response.status();
        let body = Limited::new(response.into_body(), MAX_RESPONSE_BYTES).collect();
        let body = tokio::time::timeout(RESPONSE_TIMEOUT, body).await.map_err(|_| late())?;
        let body = body.map_err(|error| error.to_string())?.to_bytes();
        let body: Value = serde_json::from_slice(&body).unwrap_or_default();
        if status.is_success() { Ok(body) } else { Err(ApiProblem { status, body }.into()) }
    }

    pub(super) async fn get(&self, path: &str) -> Result<Value, CommandError> {
        self.send(ApiRequest { method: Method::GET, path, body: String::new(), header: None }).await
    }

    pub(super) async fn post(&self, path: &str, body: &Value) -> Result<Value, CommandError> {
        let body = body.to_string();
        self.send(ApiRequest { method: Method::POST, path, body, header: None }).await
    }

    pub(super) async fn delete(&self, path: &str) -> Result<Value, CommandError> {
        self.send(ApiRequest { method: Method::DELETE, path, body: String::new(), header: None })
            .await
    }
}
