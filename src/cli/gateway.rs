//! `contexture gateway check`: asks each upstream of a running gateway for its models.

use std::io::{self, Write as _};

use hyper::StatusCode;
use hyper::header::{AUTHORIZATION, HeaderName, HeaderValue};
use secrecy::ExposeSecret as _;
use serde_json::{Value, json};

use super::CommandError;
use super::server_client::{ServerArgs, ServerClient, ServerResponse};
use crate::config::{ProviderKey, provider_key};
use crate::domain::counted;

#[derive(Debug, clap::Subcommand)]
pub(super) enum GatewayCommand {
    /// Ask each upstream for its list of models, through the gateway
    ///
    /// Sends the keys of providers that are in `ANTHROPIC_API_KEY`, `OPENAI_API_KEY`,
    /// `GEMINI_API_KEY` and `OPENROUTER_API_KEY`. Exit code 1 if an upstream cannot be reached.
    #[command(after_help = "Example:\n  contexture gateway check --server localhost:8080")]
    Check(GatewayCheckArgs),
}

#[derive(Debug, clap::Args)]
pub(super) struct GatewayCheckArgs {
    /// Print JSON: a list with an object for each upstream
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    server: ServerArgs,
}

/// The header in which the gateway reads a key of ours, so that the provider's own stays free.
const KEY_HEADER: HeaderName = HeaderName::from_static("x-contexture-key");

/// The first word of the gateway's own errors.
const OWN_MESSAGE: &str = "contexture: ";

pub(super) fn run(command: &GatewayCommand) -> Result<(), CommandError> {
    let GatewayCommand::Check(args) = command;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(check(args))
}

async fn check(args: &GatewayCheckArgs) -> Result<(), CommandError> {
    let client = ServerClient::new(&args.server)?;
    let ready = client.get("/readyz", &[]).await?;
    let upstreams = ready.body.get("upstreams").and_then(Value::as_array);
    let upstreams = upstreams.map_or(&[][..], Vec::as_slice).iter().filter_map(Value::as_str);
    let upstreams: Vec<&str> = upstreams.collect();
    if upstreams.is_empty() {
        return Err(no_upstreams(&client, &ready).await);
    }
    let (mut failed, mut rows) = (0, Vec::new());
    for name in upstreams {
        let key = provider_key(name);
        let mut headers = client.key_header(KEY_HEADER)?;
        headers.extend(provider_headers(name, key.as_ref())?);
        let answer = client.get(&models_path(name), &headers).await?;
        let of_gateway = gateway_message(&answer);
        if answer.status == StatusCode::UNAUTHORIZED && of_gateway.is_some() {
            return Err(client.wrong_key().into());
        }
        let is_reached = of_gateway.is_none() && !answer.status.is_server_error();
        failed += usize::from(!is_reached);
        let verdict = verdict(&answer, key.as_ref());
        if args.json {
            rows.push(json!({"upstream": name, "reached": is_reached,
                             "status": answer.status.as_u16(), "detail": verdict}));
        } else {
            writeln!(io::stdout(), "{name}: {verdict}")?;
        }
    }
    if args.json {
        writeln!(io::stdout(), "{}", Value::from(rows))?;
    }
    match failed {
        0 => Ok(()),
        1 => Err("1 upstream does not work".into()),
        failed => Err(format!("{failed} upstreams do not work").into()),
    }
}

/// Says why no upstream can be asked.
async fn no_upstreams(client: &ServerClient, ready: &ServerResponse) -> CommandError {
    if !client.is_contexture().await {
        return format!("{} is no Contexture server", client.address()).into();
    }
    if !ready.status.is_success() {
        return Box::new(client.refusal(ready));
    }
    "the server has no upstream: start it with --upstream NAME".into()
}

/// What the gateway itself says; none of a response that an upstream sent.
fn gateway_message(response: &ServerResponse) -> Option<&str> {
    let message = response.body.pointer("/error/message").and_then(Value::as_str)?;
    message.starts_with(OWN_MESSAGE).then_some(message)
}

fn models_path(upstream: &str) -> String {
    let version = if upstream == "gemini" { "v1beta" } else { "v1" };
    format!("/u/{upstream}/{version}/models")
}

/// The headers with the key of a provider, as that provider reads it.
fn provider_headers(
    upstream: &str,
    key: Option<&ProviderKey>,
) -> Result<Vec<(HeaderName, HeaderValue)>, CommandError> {
    let mut headers = Vec::new();
    if upstream == "anthropic" {
        let version = HeaderName::from_static("anthropic-version");
        headers.push((version, HeaderValue::from_static("2023-06-01")));
    }
    if let Some((key, secret)) = key.and_then(|key| Some((key, key.key.as_ref()?))) {
        let secret = secret.expose_secret();
        let (name, text) = match upstream {
            "anthropic" => (HeaderName::from_static("x-api-key"), secret.to_owned()),
            "gemini" => (HeaderName::from_static("x-goog-api-key"), secret.to_owned()),
            _ => (AUTHORIZATION, format!("Bearer {secret}")),
        };
        let mut value = HeaderValue::from_str(&text)
            .map_err(|_| format!("{} has characters that no key has", key.variable))?;
        value.set_sensitive(true);
        headers.push((name, value));
    }
    Ok(headers)
}

/// Says what an answer means.
fn verdict(answer: &ServerResponse, key: Option<&ProviderKey>) -> String {
    let ServerResponse { status, body } = answer;
    let variable = key.map(|key| key.variable);
    let has_key = key.is_some_and(|key| key.key.is_some());
    if let Some(message) = gateway_message(answer) {
        return format!("status {status}: {message}", status = status.as_u16());
    }
    match status.as_u16() {
        200..300 => {
            let list = ["data", "models"].iter().find_map(|key| body.get(key)?.as_array());
            format!("works, {}", counted(list.map_or(0, Vec::len) as u64, "model"))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_says_what_works() {
        let says = |status: u16, body: Value| {
            let key = ProviderKey { variable: "OPENAI_API_KEY", key: None };
            let status = StatusCode::from_u16(status).unwrap();
            verdict(&ServerResponse { status, body }, Some(&key))
        };
        assert_eq!(says(200, json!({"data": [1, 2]})), "works, 2 models");
        assert_eq!(says(200, json!({"models": [1]})), "works, 1 model");
        assert_eq!(says(401, json!({})), "reached; set OPENAI_API_KEY to ask with a key");
        let failed = json!({"error": {"message": "contexture: the upstream cannot be reached"}});
        assert_eq!(says(502, failed), "status 502: contexture: the upstream cannot be reached");
        let no_scope = json!({"error": {"message": "contexture: the key lacks the scope compile"}});
        assert_eq!(says(403, no_scope), "status 403: contexture: the key lacks the scope compile");
    }
}
