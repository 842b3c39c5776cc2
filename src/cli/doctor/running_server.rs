//! Whether a server runs, is ready, forwards to upstreams, and accepts the key.

use std::time::Duration;

use hyper::{Method, Uri};
use serde_json::Value;

use super::{Finding, FindingState};
use crate::cli::CommandError;
use crate::cli::server_client::{NoServer, ServerArgs, ServerClient, ServerResponse};

/// Time that each response may take.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(3);

/// Asks the server whether it is there and ready, and whether it accepts the key.
pub(super) async fn findings(server: Uri, key: Option<String>) -> Vec<Finding> {
    let args = ServerArgs::new(server, key);
    let client = match ServerClient::new(&args) {
        Ok(client) => client,
        Err(error) => return vec![failed("server", error.to_string())],
    };
    let ready = match in_time(&client, client.get("/readyz", &[])).await {
        Ok(ready) => ready,
        Err(error) if error.is::<NoServer>() => {
            return vec![Finding::new(FindingState::Absent, "server", error.to_string())];
        }
        Err(error) => return vec![failed("server", error.to_string())],
    };
    let server = readiness(&client.address(), &ready);
    if server.state == FindingState::Failed {
        return vec![server];
    }
    vec![server, gateway(&ready), key_use(&client, args.has_key()).await]
}

fn failed(subject: &'static str, text: impl Into<String>) -> Finding {
    Finding::new(FindingState::Failed, subject, text)
}

/// Waits for a response, and not for longer than a person would.
async fn in_time<T>(
    client: &ServerClient,
    response: impl Future<Output = Result<T, CommandError>>,
) -> Result<T, CommandError> {
    if let Ok(response) = tokio::time::timeout(RESPONSE_TIMEOUT, response).await {
        return response;
    }
    let seconds = RESPONSE_TIMEOUT.as_secs();
    Err(format!("{} does not answer within {seconds} seconds", client.address()).into())
}

/// What the response to `GET /readyz` says. Another program may have the address.
fn readiness(address: &str, ready: &ServerResponse) -> Finding {
    let text = |key: &str| ready.body.get(key).and_then(Value::as_str);
    match (ready.status.is_success(), text("status"), text("detail")) {
        (true, Some("ok"), _) => {
            Finding::new(FindingState::Good, "server", format!("{address} is ready"))
        }
        (true, Some("degraded"), _) => {
            let store = text("store").unwrap_or("unavailable");
            let text = format!("{address} is ready, but its store is {store}: nothing is stored");
            Finding::new(FindingState::Warning, "server", text)
        }
        (false, _, Some(detail)) if text("type").is_some() => {
            failed("server", format!("{address} is not ready: {detail}"))
        }
        _ => failed(
            "server",
            format!(
                "what answers at {address} is no Contexture server: GET /readyz returns status {}",
                ready.status.as_u16()
            ),
        ),
    }
}

fn gateway(ready: &ServerResponse) -> Finding {
    let upstreams = ready.body.get("upstreams").and_then(Value::as_array);
    let names = upstreams.into_iter().flatten().filter_map(Value::as_str).collect::<Vec<_>>();
    if names.is_empty() {
        let text = "no upstream; start the server with --upstream anthropic or openai to use it";
        return Finding::new(FindingState::Absent, "gateway", text);
    }
    let text = format!("forwards to {}; `contexture gateway check` asks them", names.join(", "));
    Finding::new(FindingState::Good, "gateway", text)
}

/// Asks for what every key may read, whatever its scopes are: first without the key, because a server
/// that needs none accepts any.
async fn key_use(client: &ServerClient, has_key: bool) -> Finding {
    const PATH: &str = "/models";
    match in_time(client, client.get(PATH, &[])).await {
        Ok(open) if open.status.is_success() => {
            let text = if has_key {
                "the server needs none, so the one that is set (--key, CONTEXTURE_KEY) is not checked"
            } else {
                "none, and the server needs none"
            };
            return Finding::new(FindingState::Good, "key", text);
        }
        Ok(_) => {}
        Err(error) => return failed("key", error.to_string()),
    }
    match in_time(client, client.json(Method::GET, PATH, None)).await {
        Ok(_) => Finding::new(FindingState::Good, "key", "the server accepts it"),
        Err(error) => failed("key", error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use hyper::StatusCode;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_server_is_known_by_its_response() {
        let find = |status: u16, body: Value| {
            let status = StatusCode::from_u16(status).unwrap();
            let found = readiness("http://x", &ServerResponse { status, body });
            format!("{} {}", found.state.word(), found.text)
        };
        assert_eq!(find(200, json!({"status": "ok"})), "ok http://x is ready");
        assert_eq!(
            find(200, json!({"status": "degraded", "store": "full"})),
            "warning http://x is ready, but its store is full: nothing is stored"
        );
        assert_eq!(
            find(503, json!({"type": "/problems/overloaded", "detail": "stopping"})),
            "failed http://x is not ready: stopping"
        );
        for (status, body) in [
            (404, Value::Null),
            (200, Value::Null),
            (200, json!({"status": "UP"})),
            (404, json!({"detail": "Not Found"})),
        ] {
            let found = find(status, body);
            let text = format!("is no Contexture server: GET /readyz returns status {status}");
            assert!(found.starts_with("failed ") && found.ends_with(&text), "{found}");
        }
    }
}
