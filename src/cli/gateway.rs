//! `contexture gateway check`: asks each upstream of a running gateway for its models.

use std::io::{self, Write as _};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper::header::{AUTHORIZATION, HeaderName, HeaderValue};
use hyper::{Request, StatusCode, Uri};
use hyper_util::client::legacy::{Client, connect::HttpConnector};
use hyper_util::rt::TokioExecutor;
use secrecy::ExposeSecret as _;
use serde_json::Value;

use super::CommandError;
use crate::config::{ProviderKey, provider_key};

/// Time that one answer may take.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);
/// Bytes of an answer that are read.
const MAX_ANSWER_BYTES: usize = 8 << 20;

#[derive(Debug, clap::Subcommand)]
pub(super) enum GatewayCommand {
    /// Ask each upstream for its list of models, through the gateway
    ///
    /// Sends the keys of providers that are in `ANTHROPIC_API_KEY`, `OPENAI_API_KEY`,
    /// `GEMINI_API_KEY` and `OPENROUTER_API_KEY`. Exit code 1 if an upstream cannot be reached.
    #[command(after_help = "Example:\n  contexture gateway check --server http://127.0.0.1:8080")]
    Check(CheckArgs),
}

#[derive(Debug, clap::Args)]
pub(super) struct CheckArgs {
    /// The server
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8080")]
    server: Uri,
    /// A key with the scope `compress`, if the server needs keys
    #[arg(long, env = "CONTEXTURE_KEY", value_name = "KEY", hide_env_values = true)]
    key: Option<String>,
}

/// What an upstream answered.
#[derive(Debug)]
struct UpstreamAnswer {
    status: StatusCode,
    body: Value,
}

pub(super) fn run(command: &GatewayCommand) -> Result<(), CommandError> {
    let GatewayCommand::Check(args) = command;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(check(args))
}

async fn check(args: &CheckArgs) -> Result<(), CommandError> {
    let ready = ask(args, "/readyz", &[]).await?;
    let upstreams = ready.body.get("upstreams").and_then(Value::as_array);
    let upstreams = upstreams.map_or(&[][..], Vec::as_slice).iter().filter_map(Value::as_str);
    let upstreams: Vec<&str> = upstreams.collect();
    if upstreams.is_empty() {
        return Err("the server has no upstream: start it with --upstream NAME".into());
    }
    let mut failed = 0;
    for name in upstreams {
        let key = provider_key(name);
        let answer = ask(args, &models_path(name), &headers(name, key.as_ref())).await?;
        if answer.status.is_server_error() {
            failed += 1;
        }
        writeln!(io::stdout(), "{name}: {}", verdict(&answer, key.as_ref()))?;
    }
    if failed > 0 { Err(format!("{failed} upstreams do not work").into()) } else { Ok(()) }
}

fn models_path(upstream: &str) -> String {
    let version = if upstream == "gemini" { "v1beta" } else { "v1" };
    format!("/u/{upstream}/{version}/models")
}

/// The headers with the key of a provider, as that provider reads it.
fn headers(upstream: &str, key: Option<&ProviderKey>) -> Vec<(HeaderName, String)> {
    let key = key.and_then(|key| key.key.as_ref()).map(|key| key.expose_secret().to_owned());
    let mut headers: Vec<(HeaderName, String)> = Vec::new();
    if upstream == "anthropic" {
        let version = HeaderName::from_static("anthropic-version");
        headers.push((version, "2023-06-01".to_owned()));
    }
    headers.extend(key.map(|key| match upstream {
        "anthropic" => (HeaderName::from_static("x-api-key"), key),
        "gemini" => (HeaderName::from_static("x-goog-api-key"), key),
        _ => (AUTHORIZATION, format!("Bearer {key}")),
    }));
    headers
}

/// Says what an answer means.
fn verdict(answer: &UpstreamAnswer, key: Option<&ProviderKey>) -> String {
    let UpstreamAnswer { status, body } = answer;
    let variable = key.map(|key| key.variable);
    let has_key = key.is_some_and(|key| key.key.is_some());
    match status.as_u16() {
        200..300 => {
            let list = ["data", "models"].iter().find_map(|key| body.get(key)?.as_array());
            format!("works, {} models", list.map_or(0, Vec::len))
        }
        401 | 403 if has_key => {
            format!("reached, and it refuses the key of {}", variable.unwrap_or_default())
        }
        400 | 401 | 403 => match variable {
            Some(variable) => format!("reached; set {variable} to ask with a key"),
            None => "reached; it wants a key".to_owned(),
        },
        status => {
            let message = body.pointer("/error/message").and_then(Value::as_str);
            format!("status {status}: {}", message.unwrap_or("no message"))
        }
    }
}

async fn ask(
    args: &CheckArgs,
    path: &str,
    headers: &[(HeaderName, String)],
) -> Result<UpstreamAnswer, CommandError> {
    let client: Client<HttpConnector, Empty<Bytes>> =
        Client::builder(TokioExecutor::new()).build(HttpConnector::new());
    let uri = format!("{}{path}", args.server.to_string().trim_end_matches('/'));
    let mut request = Request::get(uri);
    if let Some(key) = &args.key {
        request = request.header("x-contexture-key", key);
    }
    for (name, value) in headers {
        let mut value = HeaderValue::from_str(value)?;
        value.set_sensitive(true);
        request = request.header(name, value);
    }
    let answer = client.request(request.body(Empty::new())?);
    let answer =
        tokio::time::timeout(ANSWER_TIMEOUT, answer).await.map_err(|_| "no answer in time")??;
    let status = answer.status();
    let body = Limited::new(answer.into_body(), MAX_ANSWER_BYTES).collect();
    let body = tokio::time::timeout(ANSWER_TIMEOUT, body).await.map_err(|_| "no answer in time")?;
    let body = body.map_err(|error| error.to_string())?.to_bytes();
    Ok(UpstreamAnswer { status, body: serde_json::from_slice(&body).unwrap_or_default() })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_answer_says_what_works() {
        let says = |status: u16, body: Value| {
            let key = ProviderKey { variable: "OPENAI_API_KEY", key: None };
            let status = StatusCode::from_u16(status).unwrap();
            verdict(&UpstreamAnswer { status, body }, Some(&key))
        };
        assert_eq!(says(200, json!({"data": [1, 2]})), "works, 2 models");
        assert_eq!(says(200, json!({"models": [1]})), "works, 1 models");
        assert_eq!(says(401, json!({})), "reached; set OPENAI_API_KEY to ask with a key");
        let failed = json!({"error": {"message": "contexture: the upstream cannot be reached"}});
        assert_eq!(says(502, failed), "status 502: contexture: the upstream cannot be reached");
    }
}
