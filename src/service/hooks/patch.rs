//! Merges a change into a stored hook: given members replace stored ones, null removes them.

use crate::hook::{Hook, HookAction};
use crate::json::{Faults, Node, ObjectText, Path, Value};

/// Keys that remove other keys if they are given.
const INSTEAD: &[(&str, &[&str])] =
    &[("point", &["points"]), ("url", &["builtin", "config"]), ("builtin", &["url"])];

/// Merges a change into a definition, as JSON text. Pointers into the text are pointers into the
/// change.
pub(super) fn merge_change(stored: &Node<'_>, change: &Node<'_>) -> Option<String> {
    let (Value::Object(old), Value::Object(new)) = (&stored.value, &change.value) else {
        return None;
    };
    let is_given = |name: &str| new.iter().any(|(given, _)| *given == *name);
    let is_replaced = |name: &str| {
        let removes = |(given, gone): &(&str, &[&str])| is_given(given) && gone.contains(&name);
        is_given(name) || INSTEAD.iter().any(removes)
    };
    let kept = old.iter().filter(|(name, _)| !is_replaced(name));
    let given = new.iter().filter(|(_, value)| !value.is_null());
    let mut out = ObjectText::default();
    for (name, value) in kept.chain(given) {
        out.member(name, value.raw);
    }
    Some(out.finish())
}

/// Copies secrets and headers of the stored hook to the changed one. Headers may be secrets for one
/// server, so they must be given again for another.
pub(super) fn keep_credentials(
    hook: &mut Hook,
    stored: &Hook,
    change: &Node<'_>,
    faults: &mut Faults,
) {
    let (HookAction::Call(new), Some(old)) = (&mut hook.does, stored.endpoint()) else { return };
    new.secrets = old.secrets.clone();
    if change.get("headers").is_some() {
        return;
    }
    if !old.headers.is_empty() && new.origin() != old.origin() {
        let detail = "must be given again, or be null, where `url` names another server";
        faults.add(&Path::Root.key("headers"), detail);
        return;
    }
    new.headers.clone_from(&old.headers);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Limits, parse};

    fn after(stored: &str, change: &str) -> String {
        let limits = Limits::default();
        merge_change(&parse(stored, limits).unwrap(), &parse(change, limits).unwrap()).unwrap()
    }

    #[test]
    fn given_members_replace_stored_ones() {
        let stored = r#"{"id":"a","points":["tool_call"],"url":"https://a/","priority":1.0}"#;
        assert_eq!(
            after(stored, r#"{"priority":2,"enabled":false}"#),
            r#"{"id":"a","points":["tool_call"],"url":"https://a/","priority":2,"enabled":false}"#
        );
        assert_eq!(
            after(stored, r#"{"point":"event","priority":null}"#),
            r#"{"id":"a","url":"https://a/","point":"event"}"#
        );
        let builtin = after(stored, r#"{"builtin":"redact"}"#);
        assert_eq!(
            builtin,
            r#"{"id":"a","points":["tool_call"],"priority":1.0,"builtin":"redact"}"#
        );
    }
}
