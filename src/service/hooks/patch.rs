//! A change of a hook: what is said stands in the place of what was stored, null takes it away.

use crate::hook::{Hook, HookAction};
use crate::json::{Faults, Node, Path, Value, write_string};

/// Keys of which one takes the others away.
const INSTEAD: &[(&str, &[&str])] =
    &[("point", &["points"]), ("url", &["builtin", "config"]), ("builtin", &["url"])];

/// The definition after a change, as JSON text. Pointers into it are pointers into the change.
pub(super) fn merged(stored: &Node<'_>, change: &Node<'_>) -> Option<String> {
    let (Value::Object(old), Value::Object(new)) = (&stored.value, &change.value) else {
        return None;
    };
    let is_given = |name: &str| new.iter().any(|(given, _)| *given == *name);
    let goes = |name: &str| {
        let by = |(given, gone): &(&str, &[&str])| is_given(given) && gone.contains(&name);
        is_given(name) || INSTEAD.iter().any(by)
    };
    let kept = old.iter().filter(|(name, _)| !goes(name));
    let said = new.iter().filter(|(_, value)| !value.is_null());
    let mut out = String::from("{");
    for (index, (name, value)) in kept.chain(said).enumerate() {
        if index > 0 {
            out.push(',');
        }
        write_string(&mut out, name);
        out.push(':');
        out.push_str(value.raw);
    }
    out.push('}');
    Some(out)
}

/// Gives a changed hook what the stored one proves itself with. Headers may be secrets of one
/// server, so they do not go to another one unless they are given again.
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
        merged(&parse(stored, limits).unwrap(), &parse(change, limits).unwrap()).unwrap()
    }

    #[test]
    fn what_is_said_stands_in_the_place_of_what_was() {
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
