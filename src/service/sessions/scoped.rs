//! Hooks in the defaults of sessions: they run in requests of everybody who uses the session, so
//! only a caller with the scope `hooks:write` writes them, and they run only if one did.

use std::sync::Arc;

use crate::domain::{RawJson, Session};
use crate::json::{self, Limits, Node, write_string};
use crate::service::{Error, Services, StoreError};

/// Refuses a change of hooks in defaults by a caller who may not write hooks.
pub(super) fn may_change(services: &Services) -> Result<(), Error> {
    if services.may_write_hooks() { Ok(()) } else { Err(forbidden()) }
}

pub(super) fn forbidden() -> Error {
    let detail = "to set, change or remove `hooks` in the defaults of a session needs a key with \
                  the scope `hooks:write`";
    Error::Forbidden(detail.to_owned())
}

/// Whether defaults say anything of hooks: `false` and null count, since they keep hooks out.
pub(super) fn names_hooks(defaults: &Node<'_>) -> bool {
    defaults.get("hooks").is_some()
}

/// The text of `hooks` in stored defaults.
pub(super) fn hooks_of(defaults: Option<&RawJson>) -> Result<Option<String>, StoreError> {
    let Some(defaults) = defaults else { return Ok(None) };
    let node = parsed(defaults)?;
    Ok(node.get("hooks").map(|hooks| json::minify(hooks.raw)))
}

/// The hooks of a session that run: those that were written with the scope.
pub(super) fn running_hooks(
    defaults: Option<&RawJson>,
    hooks_scoped: bool,
) -> Result<Option<String>, StoreError> {
    if hooks_scoped { hooks_of(defaults) } else { Ok(None) }
}

/// Takes the hooks out of the defaults of a session if it is not known that their writer had the
/// scope; returns whether there were any.
pub(super) fn pass_over(session: &mut Session) -> Result<bool, StoreError> {
    let Some(defaults) = session.defaults.as_ref().filter(|_| !session.hooks_scoped) else {
        return Ok(false);
    };
    let node = parsed(defaults)?;
    if !names_hooks(&node) {
        return Ok(false);
    }
    let mut rest = String::from("{");
    let members = node.as_object().into_iter().flatten().filter(|(name, _)| *name != "hooks");
    for (index, (name, value)) in members.enumerate() {
        if index > 0 {
            rest.push(',');
        }
        write_string(&mut rest, name);
        rest.push(':');
        rest.push_str(value.raw);
    }
    rest.push('}');
    session.defaults = Some(RawJson::new(rest));
    Ok(true)
}

fn parsed(defaults: &RawJson) -> Result<Node<'_>, StoreError> {
    // They were checked before they were stored.
    json::parse(defaults.as_str(), Limits::default())
        .map_err(|error| StoreError::Corrupt(Arc::new(error)))
}
