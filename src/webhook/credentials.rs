//! The secrets and headers of a hook, as one sealed blob next to its stored definition.

use std::sync::Arc;

use secrecy::{ExposeSecret as _, SecretString, zeroize::Zeroizing};
use serde_json::{Value, json};

use super::seal::{Keyring, Purpose, SealError};
use crate::domain::Timestamp;
use crate::hook::{Hook, HookAction, HookSecret, LiveSecret, Secrets};

const SECRET_KIND: &str = "hook";

impl Keyring {
    /// The URL, headers and secrets of a hook, sealed for it and its tenant. None for a built-in hook,
    /// which needs no key.
    ///
    /// # Errors
    /// There is no key to seal with: the hook must not be stored.
    pub fn seal_hook(&self, tenant: &str, hook: &Hook) -> Result<Option<Vec<u8>>, SealError> {
        let Some(endpoint) = hook.endpoint() else { return Ok(None) };
        let headers: Vec<Value> = endpoint
            .headers
            .iter()
            .map(|(name, value)| json!([&**name, value.expose_secret()]))
            .collect();
        let secrets: Vec<Value> = endpoint
            .secrets
            .list()
            .iter()
            .map(|live| json!([live.secret.reveal(), live.until.map(Timestamp::micros)]))
            .collect();
        let plain = Zeroizing::new(
            json!({"url": &*endpoint.url, "headers": headers, "secrets": secrets}).to_string(),
        );
        let purpose = Purpose { what: SECRET_KIND, tenant, of: &hook.id };
        self.seal(purpose, plain.as_bytes()).map(Some)
    }

    /// Gives a hook that was read from its stored definition its URL, headers and secrets back.
    ///
    /// # Errors
    /// They cannot be opened. The hook is locked then: to call it is a failure
    /// (`secrets_unavailable`), and never a call without a signature.
    pub fn open_hook(&self, tenant: &str, hook: &mut Hook, sealed: &[u8]) -> Result<(), SealError> {
        let purpose = Purpose { what: SECRET_KIND, tenant, of: &hook.id };
        let opened = self.open(purpose, sealed).map(Zeroizing::new);
        let read = opened.and_then(|plain| read(&plain).ok_or(SealError::Broken));
        let HookAction::Call(endpoint) = &mut hook.does else { return Ok(()) };
        match read {
            Ok(OpenCredentials { url, headers, secrets }) => {
                // Hooks that were stored before URLs were sealed have theirs in the definition.
                endpoint.url = url.unwrap_or_else(|| Arc::clone(&endpoint.url));
                endpoint.headers = headers;
                endpoint.secrets = Secrets::from_list(secrets);
                Ok(())
            }
            Err(error) => {
                endpoint.secrets = Secrets::locked();
                Err(error)
            }
        }
    }
}

type SecretHeaders = Vec<(Arc<str>, SecretString)>;

struct OpenCredentials {
    url: Option<Arc<str>>,
    headers: SecretHeaders,
    secrets: Vec<LiveSecret>,
}

fn read(plain: &[u8]) -> Option<OpenCredentials> {
    let value: Value = serde_json::from_slice(plain).ok()?;
    let pairs = |key| value.get(key)?.as_array().cloned();
    let text = |pair: &Value, at: usize| Some(pair.get(at)?.as_str()?.to_owned());
    let header = |pair: Value| Some((text(&pair, 0)?.into(), SecretString::from(text(&pair, 1)?)));
    let secret = |pair: Value| {
        let until = pair.get(1)?.as_i64().map(Timestamp::from_micros);
        Some(LiveSecret { secret: HookSecret::parse(&text(&pair, 0)?)?, until })
    };
    let headers = pairs("headers")?.into_iter().map(header).collect::<Option<SecretHeaders>>()?;
    let secrets = pairs("secrets")?.into_iter().map(secret).collect::<Option<Vec<_>>>()?;
    let url = value.get("url").and_then(Value::as_str).map(Arc::from);
    Some(OpenCredentials { url, headers, secrets })
}
