//! Reads the headers that a hook's calls are sent with.

use std::collections::BTreeSet;
use std::sync::Arc;

use hyper::http::{HeaderName, HeaderValue};
use secrecy::SecretString;

use crate::json::{Faults, Fields, Value};

const MAX_HEADERS: usize = 16;
/// Bytes of a header's name and value.
const MAX_HEADER_BYTES: usize = 4096;

/// Headers that would change how the request is read, or that this service sets.
const FORBIDDEN_HEADERS: &[&str] = &[
    "accept-encoding",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "contexture-hop",
    "expect",
    "host",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

pub(super) fn read_headers(
    fields: &Fields<'_, '_>,
    faults: &mut Faults,
) -> Vec<(Arc<str>, SecretString)> {
    let Some(node) = fields.get("headers") else { return Vec::new() };
    let Value::Object(members) = &node.value else {
        fields.fault("headers", format!("must be an object, not {}", node.kind()), faults);
        return Vec::new();
    };
    if members.len() > MAX_HEADERS {
        fields.fault("headers", format!("must hold at most {MAX_HEADERS} headers"), faults);
        return Vec::new();
    }
    let all = fields.path().key("headers");
    let (mut headers, mut seen) = (Vec::new(), BTreeSet::new());
    for (name, value) in members {
        let path = all.key(name);
        let Some(text) = value.as_str() else {
            faults.add(&path, format!("must be a string, not {}", value.kind()));
            continue;
        };
        let lower = name.to_ascii_lowercase();
        if HeaderName::from_bytes(name.as_bytes()).is_err() {
            faults.add(&path, "is not the name of a header");
        } else if FORBIDDEN_HEADERS.contains(&lower.as_str()) || lower.starts_with("webhook-") {
            faults.add(&path, "is set by the service");
        } else if HeaderValue::from_str(text).is_err() || text.len() + name.len() > MAX_HEADER_BYTES
        {
            faults.add(&path, format!("must be one line of at most {MAX_HEADER_BYTES} bytes"));
        } else if !seen.insert(lower.clone()) {
            faults.add(&path, "is given twice");
        } else {
            headers.push((lower.into(), SecretString::from(text)));
        }
    }
    headers
}
