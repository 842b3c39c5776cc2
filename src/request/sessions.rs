//! The bodies of `/sessions`.

use std::sync::Arc;

use super::memory::MAX_TTL_SECONDS;
use crate::domain::is_gateway_session;
use crate::json::{Faults, Fields, Node, Path};

/// A change of a session; absent fields stay as they are. `defaults` are read by the service, which
/// knows the keys of a compile.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionWrite {
    /// Absent: as before; null: as long as is usual.
    pub ttl: Option<Option<u64>>,
}

/// The body of `POST /sessions`, or of a `PATCH`.
#[derive(Debug, Clone, Default)]
pub struct SessionRequest<'r, 'a> {
    /// Only in the body of a `POST`.
    pub id: Option<Arc<str>>,
    pub write: SessionWrite,
    /// The defaults as they were given; the service checks them.
    pub defaults: Option<&'r Node<'a>>,
}

/// Reads the body of `POST /sessions` (`is_new`), or of a `PATCH`.
pub fn read_session<'r, 'a>(
    body: &'r Node<'a>,
    is_new: bool,
    faults: &mut Faults,
) -> SessionRequest<'r, 'a> {
    let known: &[&str] = if is_new { &["id", "defaults", "ttl"] } else { &["defaults", "ttl"] };
    let Some(fields) = Fields::read(body, Path::Root, known, faults) else {
        return SessionRequest::default();
    };
    let id = is_new.then(|| read_session_id(&fields, "id", faults)).flatten();
    let write = SessionWrite { ttl: read_ttl(&fields, faults) };
    SessionRequest { id, write, defaults: fields.node().get("defaults") }
}

/// Reads `ttl`: seconds from the last use, or null.
#[expect(clippy::option_option, reason = "absent, null and given are three things")]
fn read_ttl(fields: &Fields<'_, '_>, faults: &mut Faults) -> Option<Option<u64>> {
    let node = fields.node().get("ttl")?;
    if node.is_null() {
        return Some(None);
    }
    let path = fields.path().key("ttl");
    let given = Fields::read(node, path, &["seconds"], faults)?;
    if given.get("seconds").is_none() {
        given.fault("seconds", "is missing", faults);
    }
    given.whole("seconds", 1, MAX_TTL_SECONDS, faults).map(Some)
}

/// What a text that names a session of the API is.
pub const SESSION_ID_RULE: &str = "must be 1 to 256 bytes without control characters, not begin with `gws_`, and not be `.` \
                                   or `..`";

/// The name of a session as a member of a request.
pub fn read_session_id(
    fields: &Fields<'_, '_>,
    key: &str,
    faults: &mut Faults,
) -> Option<Arc<str>> {
    let id = fields.text(key, faults)?;
    if is_gateway_session(id) {
        fields.fault(key, "must not begin with `gws_`, as sessions of the gateway do", faults);
        return None;
    }
    if !is_session_id(id) {
        fields.fault(key, SESSION_ID_RULE, faults);
        return None;
    }
    Some(id.into())
}

/// Whether a text can name a session of the API. Clients take `.` and `..` out of addresses (RFC 3986 §6.2.2.3), so no
/// path could name such a session.
pub fn is_session_id(text: &str) -> bool {
    (1..=256).contains(&text.len())
        && !text.chars().any(char::is_control)
        && !matches!(text, "." | "..")
        && !is_gateway_session(text)
}
