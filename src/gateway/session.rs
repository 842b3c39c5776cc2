//! Which session a request belongs to, as its client says it.
//!
//! A session only groups requests for figures, records and events: no decision depends on it. What the
//! client says is hashed with the tenant and the upstream, so it can name no session of the API and none
//! of another caller.

use super::ProviderEndpoint;
use super::outline::Identity;
use crate::domain::GATEWAY_SESSION_PREFIX;
use crate::json::{self, Limits, Node};

/// Begins every hash: ids of no other kind can be equal to one.
const DOMAIN: &str = "contexture gateway session 1";
/// Bytes of a hash that are written.
const NAME_BYTES: usize = 16;
/// What `metadata.user_id` has before the id of a session of Claude Code.
const SESSION_MARK: &str = "_session_";

/// What a request says about its session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionName {
    /// Any text of the client, in our own header.
    Own(String),
    /// The id that Claude Code gives a session, in a header or in the body.
    ClaudeCode(String),
    /// The key of a provider's cache, with the hash of the user's first message: agents give several
    /// sessions the same key.
    CacheKey { key: String, first: [u8; 32] },
}

/// The owner of a session: no other caller and no other upstream can name it.
#[derive(Debug, Clone, Copy)]
pub struct SessionScope<'s> {
    pub tenant: &'s str,
    pub upstream: &'s str,
}

impl SessionName {
    /// The name by the headers of a request, which come before its body: our own, then Claude Code's.
    pub fn of_headers(own: Option<&[u8]>, claude_code: Option<&[u8]>) -> Option<Self> {
        let text = |value: Option<&[u8]>| {
            let text = String::from_utf8_lossy(value?).trim().to_owned();
            (!text.is_empty()).then_some(text)
        };
        text(own).map(Self::Own).or_else(|| text(claude_code).map(Self::ClaudeCode))
    }

    /// The name by the body of a request. Other values of `metadata.user_id` than Claude Code's name
    /// users, not sessions.
    pub fn of_body(endpoint: ProviderEndpoint, node: &Node<'_>) -> Option<Self> {
        match endpoint {
            ProviderEndpoint::Messages => {
                let user = node.get("metadata")?.get("user_id")?.as_str()?;
                claude_code_session(user).map(Self::ClaudeCode)
            }
            ProviderEndpoint::ChatCompletions => cache_key(node, "messages"),
            ProviderEndpoint::Responses => cache_key(node, "input"),
            ProviderEndpoint::GenerateContent | ProviderEndpoint::Other => None,
        }
    }
}

impl SessionScope<'_> {
    /// The id of a session.
    pub fn id(&self, name: &SessionName) -> String {
        let mut hasher = blake3::Hasher::new();
        let (kind, text, first): (_, _, &[u8]) = match name {
            SessionName::Own(text) => ("own", text, &[]),
            SessionName::ClaudeCode(text) => ("claude_code", text, &[]),
            SessionName::CacheKey { key, first } => ("cache_key", key, first),
        };
        for part in [DOMAIN, self.tenant, self.upstream, kind, text] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        let mut hash = [0; NAME_BYTES];
        hasher.update(first).finalize_xof().fill(&mut hash);
        format!("{GATEWAY_SESSION_PREFIX}{:032x}", u128::from_be_bytes(hash))
    }
}

/// Reads Claude Code's forms: `user_{hash}_account_{uuid}_session_{uuid}`, and an object as text with a
/// `session_id` next to the ids of the device and the account.
fn claude_code_session(user: &str) -> Option<String> {
    let id = if user.starts_with('{') {
        let node = json::parse(user, Limits::default()).ok()?;
        node.get("device_id")?;
        node.get("session_id")?.as_str()?.to_owned()
    } else {
        let (owner, id) = user.rsplit_once(SESSION_MARK)?;
        let (device, _) = owner.strip_prefix("user_")?.split_once("_account_")?;
        is_hex(device).then(|| id.to_owned())?
    };
    is_uuid(&id).then_some(id)
}

fn is_hex(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn is_uuid(text: &str) -> bool {
    const LENGTHS: [usize; 5] = [8, 4, 4, 4, 12];
    let parts = text.split('-');
    parts.clone().count() == LENGTHS.len()
        && parts.zip(LENGTHS).all(|(part, length)| part.len() == length && is_hex(part))
}

fn cache_key(node: &Node<'_>, list: &str) -> Option<SessionName> {
    let key = node.get("prompt_cache_key")?.as_str().filter(|key| !key.is_empty())?;
    let list = node.get(list)?;
    let is_of_user = |item: &&Node<'_>| item.get("role").and_then(Node::as_str) == Some("user");
    let first = match list.as_array() {
        Some(items) => items.iter().find(is_of_user)?,
        None => list,
    };
    Some(SessionName::CacheKey { key: key.to_owned(), first: Identity::of(first) })
}

#[cfg(test)]
mod tests {
    use super::*;

    const UUID: &str = "2c9e4f6a-1b3d-4e5f-8a7b-9c0d1e2f3a4b";

    fn name(endpoint: ProviderEndpoint, body: &str) -> Option<SessionName> {
        SessionName::of_body(endpoint, &json::parse(body, Limits::default()).unwrap())
    }

    fn of_user(user: &str) -> Option<SessionName> {
        let body = serde_json::json!({"metadata": {"user_id": user}}).to_string();
        name(ProviderEndpoint::Messages, &body)
    }

    #[test]
    fn a_user_id_names_a_session_in_the_forms_of_claude_code_alone() {
        let wanted = Some(SessionName::ClaudeCode(UUID.to_owned()));
        let device = "ab12".repeat(16);
        let account = "0c9e4f6a-1b3d-4e5f-8a7b-9c0d1e2f3a4b";
        for user in [
            format!("user_{device}_account_{account}_session_{UUID}"),
            format!("user_{device}_account__session_{UUID}"),
            format!(r#"{{"device_id":"{device}","account_uuid":"","session_id":"{UUID}"}}"#),
        ] {
            assert_eq!(of_user(&user), wanted, "{user}");
        }
        for user in [
            UUID.to_owned(),
            format!("user_17_session_{UUID}"),
            format!("customer_account_7_session_{UUID}"),
            format!("user_{device}_account_{account}_session_17"),
            format!(r#"{{"session_id":"{UUID}"}}"#),
            format!(r#"{{"device_id":"a","session_id":"{UUID}""#),
        ] {
            assert_eq!(of_user(&user), None, "{user}");
        }
    }

    #[test]
    fn a_cache_key_names_a_session_with_the_first_message_of_the_user() {
        let chat = |first: &str, key: &str| {
            let body = format!(
                r#"{{"messages":[{{"role":"system","content":"S{first}"}},
                {{"role":"user","content":"{first}"}},{{"role":"user","content":"x"}}]{key}}}"#
            );
            name(ProviderEndpoint::ChatCompletions, &body)
        };
        let key = r#","prompt_cache_key":"k""#;
        assert!(chat("a", key).is_some());
        assert_eq!(chat("a", key), chat("a", key));
        assert_ne!(chat("a", key), chat("b", key));
        assert_ne!(chat("a", key), chat("a", r#","prompt_cache_key":"l""#));
        for none in ["", r#","prompt_cache_key":"""#, r#","prompt_cache_key":null"#] {
            assert_eq!(chat("a", none), None, "{none}");
        }
        let text = r#"{"input":"a","prompt_cache_key":"k"}"#;
        assert!(name(ProviderEndpoint::Responses, text).is_some());
        let empty = r#"{"input":[],"prompt_cache_key":"k"}"#;
        assert_eq!(name(ProviderEndpoint::Responses, empty), None);
    }

    #[test]
    fn headers_come_in_order_and_empty_ones_say_nothing() {
        let own = SessionName::Own("a".to_owned());
        assert_eq!(SessionName::of_headers(Some(b" a "), Some(b"b")), Some(own));
        let other = SessionName::ClaudeCode("b".to_owned());
        assert_eq!(SessionName::of_headers(Some(b" "), Some(b"b")), Some(other));
        assert_eq!(SessionName::of_headers(None, None), None);
    }

    #[test]
    fn an_id_is_of_its_tenant_its_upstream_and_the_kind_of_its_name() {
        let scope = SessionScope { tenant: "a", upstream: "openai" };
        let own = SessionName::Own("x".to_owned());
        let id = scope.id(&own);
        assert_eq!((id.len(), &id[..4]), (36, GATEWAY_SESSION_PREFIX));
        assert_eq!(id, scope.id(&own));
        let others = [
            SessionScope { tenant: "b", ..scope }.id(&own),
            SessionScope { upstream: "near", ..scope }.id(&own),
            scope.id(&SessionName::ClaudeCode("x".to_owned())),
            scope.id(&SessionName::Own("y".to_owned())),
            scope.id(&SessionName::CacheKey { key: "x".to_owned(), first: [0; 32] }),
        ];
        assert!(others.iter().all(|other| *other != id));
    }
}
