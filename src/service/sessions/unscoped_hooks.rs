//! Hooks in the defaults of sessions. They run in the requests of every caller who uses the session, so
//! writing them requires the scope `hooks:write`, and only hooks written with the scope run.

use std::sync::Arc;

use crate::domain::{RawJson, Session};
use crate::hook::redacted_url;
use crate::json::{self, Limits, Node, ObjectText, write_string};
use crate::service::{Error, Services, StoreError};

/// Refuses a change of hooks in defaults by a caller who may not write hooks.
pub(super) fn require_scope(services: &Services) -> Result<(), Error> {
    if services.may_write_hooks() { Ok(()) } else { Err(forbidden()) }
}

pub(super) fn forbidden() -> Error {
    let detail = "to set, change or remove `hooks` in the defaults of a session needs a key with \
                  the scope `hooks:write`";
    Error::Forbidden(detail.to_owned())
}

/// Whether defaults have the member `hooks`. `false` and null count, since they turn hooks off.
pub(super) fn has_hooks(defaults: &Node<'_>) -> bool {
    defaults.get("hooks").is_some()
}

/// The text of `hooks` in stored defaults.
pub(super) fn hooks_of(defaults: Option<&RawJson>) -> Result<Option<String>, StoreError> {
    let Some(defaults) = defaults else { return Ok(None) };
    let node = parsed(defaults)?;
    Ok(node.get("hooks").map(|hooks| json::minify(hooks.raw)))
}

/// The hooks of a session that run, which are those that were written with the scope.
pub(super) fn scoped_hooks(
    defaults: Option<&RawJson>,
    hooks_scoped: bool,
) -> Result<Option<String>, StoreError> {
    if hooks_scoped { hooks_of(defaults) } else { Ok(None) }
}

/// Removes the hooks from the defaults of a session unless they were written with the scope; returns
/// whether there were any.
pub(super) fn leave_out_unscoped(session: &mut Session) -> Result<bool, StoreError> {
    let Some(defaults) = session.defaults.as_ref().filter(|_| !session.hooks_scoped) else {
        return Ok(false);
    };
    let node = parsed(defaults)?;
    if !has_hooks(&node) {
        return Ok(false);
    }
    let rest = rebuilt(&node, &|name, value| (name != "hooks").then(|| value.raw.to_owned()));
    session.defaults = Some(RawJson::new(rest));
    Ok(true)
}

/// The session as its caller may see it: without `hooks:write`, the hooks in its defaults are redacted.
pub(super) fn for_caller(services: &Services, session: Session) -> Result<Session, StoreError> {
    let redacts = !services.may_write_hooks();
    if redacts { redacted(session) } else { Ok(session) }
}

pub(super) fn redacted(mut session: Session) -> Result<Session, StoreError> {
    if let Some(defaults) = &session.defaults {
        session.defaults = Some(RawJson::new(without_secrets(&parsed(defaults)?)));
    }
    Ok(session)
}

/// The document of a snapshot, with the hooks in its defaults redacted.
pub(super) fn redacted_snapshot(text: &str) -> Result<String, StoreError> {
    let node = json::parse(text, Limits::default())
        .map_err(|error| StoreError::Corrupt(Arc::new(error)))?;
    Ok(rebuilt(&node, &|name, value| {
        let is_hidden = name == "defaults" && value.as_object().is_some();
        Some(if is_hidden { without_secrets(value) } else { value.raw.to_owned() })
    }))
}

/// Defaults whose hooks contain only the origin of their URL and the names of their headers, like the
/// registered hooks in `GET /hooks`.
fn without_secrets(defaults: &Node<'_>) -> String {
    rebuilt(defaults, &|name, value| {
        let hooks = value.as_array().filter(|_| name == "hooks");
        Some(hooks.map_or_else(
            || value.raw.to_owned(),
            |hooks| {
                let hooks: Vec<String> = hooks
                    .iter()
                    .map(|hook| rebuilt(hook, &|name, value| Some(member(name, value))))
                    .collect();
                format!("[{}]", hooks.join(","))
            },
        ))
    })
}

/// The redacted form of a member of a hook.
fn member(name: &str, value: &Node<'_>) -> String {
    let mut out = String::new();
    match (name, value.as_str(), value.as_object()) {
        ("url", Some(url), _) => write_string(&mut out, &redacted_url(url)),
        ("headers", _, Some(headers)) => {
            let mut names = Vec::with_capacity(headers.len());
            for (name, _) in headers {
                let mut text = String::new();
                write_string(&mut text, name);
                names.push(text);
            }
            out = format!("[{}]", names.join(","));
        }
        _ => value.raw.clone_into(&mut out),
    }
    out
}

/// Writes an object with new values for its members. A member for which `value_of` returns none is
/// left out.
fn rebuilt(object: &Node<'_>, value_of: &dyn Fn(&str, &Node<'_>) -> Option<String>) -> String {
    let mut out = ObjectText::default();
    for (name, value) in object.as_object().into_iter().flatten() {
        if let Some(value) = value_of(name, value) {
            out.member(name, &value);
        }
    }
    out.finish()
}

fn parsed(defaults: &RawJson) -> Result<Node<'_>, StoreError> {
    // Defaults are checked before they are stored, so a fault here means damage.
    json::parse(defaults.as_str(), Limits::default())
        .map_err(|error| StoreError::Corrupt(Arc::new(error)))
}
