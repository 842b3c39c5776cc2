//! The defaults that keys and sessions give to requests: checks them, and adds them.

use std::sync::Arc;

use super::gateway_defaults::{GATEWAY, GatewayDefaults};
use super::{Services, StoreError, adapters};
use crate::domain::{AllowedNotations, Source};
use crate::json::{self, Fault, Faults, Limits, Node, Path, Value};
use crate::request::{self, Fields};

/// Bytes of the defaults of a key or a session.
const MAX_DEFAULTS_BYTES: usize = 64 << 10;

/// Checks that a compile accepts the object `/defaults`, and returns its text. `allowed` are the
/// keys that it may have.
pub(super) fn check(
    services: &Services,
    node: &Node<'_>,
    allowed: &[&str],
    faults: &mut Faults,
) -> Result<Option<Arc<str>>, StoreError> {
    let root = Path::Root;
    let path = root.key("defaults");
    if node.raw.len() > MAX_DEFAULTS_BYTES {
        faults.add(&path, format!("must be at most {MAX_DEFAULTS_BYTES} bytes"));
        return Ok(None);
    }
    let Some(fields) = Fields::read(node, path, allowed, faults) else { return Ok(None) };
    fields.choice("source", Source::WORDS, faults);
    if let Some(own) = fields.get(GATEWAY) {
        GatewayDefaults::read(own, faults);
    }
    let request = smallest_request(node, allowed);
    let request = match json::parse(&request, Limits::default()) {
        Ok(request) => request,
        Err(error) => {
            faults.add(fields.path(), error.to_string());
            return Ok(None);
        }
    };
    let known = adapters::look_up(services, request.get("compression"))?;
    let check_url = |url: &str| services.check_hook_url(url);
    let read = request::read_compile(&request, services.models(), &known, &check_url);
    if let Err(found) = read {
        for fault in found {
            faults.add_found(Fault { pointer: format!("/defaults{}", fault.pointer), ..fault });
        }
    }
    Ok(Some(json::minify(node.raw).into()))
}

/// Writes the smallest request with these defaults, so that its faults are those of the defaults.
/// The shape of its conversation is that of the system text among them.
fn smallest_request(node: &Node<'_>, allowed: &[&str]) -> String {
    let has = |key: &str| node.get(key).is_some();
    let conversation = if has("systemInstruction") || has("system_instruction") {
        r#""contents":[{"role":"user","parts":[{"text":"x"}]}]"#
    } else if has("instructions") {
        r#""input":[{"role":"user","content":"x"}]"#
    } else {
        r#""messages":[{"role":"user","content":"x"}]"#
    };
    let mut text = format!("{{{conversation}");
    for (name, value) in node.as_object().into_iter().flatten() {
        if !["source", GATEWAY].contains(&name.as_ref()) && allowed.contains(&name.as_ref()) {
            text.push(',');
            json::write_string(&mut text, name);
            text.push(':');
            text.push_str(value.raw);
        }
    }
    text.push('}');
    text
}

/// Parses stored defaults. They are checked before they are stored, so a fault means damage.
pub(crate) fn parse(defaults: &str) -> Result<Node<'_>, StoreError> {
    json::parse(defaults, Limits::default()).map_err(|error| StoreError::Corrupt(Arc::new(error)))
}

/// Adds the members of `defaults` that an object lacks, but for what is about the gateway. A member
/// that is null is not lacking.
pub(crate) fn add_absent<'a>(node: &mut Node<'a>, defaults: &'a str) -> Result<(), StoreError> {
    let defaults = parse(defaults)?;
    if let (Value::Object(members), Value::Object(defaults)) = (&mut node.value, defaults.value) {
        for (key, value) in defaults {
            if key != GATEWAY && !members.iter().any(|(given, _)| *given == key) {
                members.push((key, value));
            }
        }
    }
    Ok(())
}

/// The notations that the first of these defaults with a member `compression` allows: those of a compile
/// without one.
pub(super) fn notations(each: [Option<&str>; 2]) -> Result<AllowedNotations, StoreError> {
    for defaults in each.into_iter().flatten() {
        let defaults = parse(defaults)?;
        if let Some(compression) = defaults.get("compression") {
            let word = compression.get("notations").and_then(Node::as_str);
            return Ok(word.and_then(AllowedNotations::parse).unwrap_or_default());
        }
    }
    Ok(AllowedNotations::default())
}
