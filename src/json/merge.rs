//! JSON Merge Patch (RFC 7396): what a patch names takes the place of what is there, null takes it
//! away, all else stays as it was written.

use super::{Node, Object, Value, write_string};

/// Appends what `patch` makes of `target`. Numbers keep their digits and members their order.
pub fn merge(out: &mut String, target: Option<&Node<'_>>, patch: &Node<'_>) {
    let Value::Object(changes) = &patch.value else {
        out.push_str(patch.raw);
        return;
    };
    let kept = target.and_then(Node::as_object).map_or(&[][..], Vec::as_slice);
    let mut members = MemberWriter { out, any: false };
    members.out.push('{');
    for (key, value) in kept {
        match find(changes, key) {
            None => members.key(key).push_str(value.raw),
            Some(change) if change.is_null() => {}
            Some(change) => merge(members.key(key), Some(value), change),
        }
    }
    for (key, change) in changes {
        if !change.is_null() && !kept.iter().any(|(known, _)| known == key) {
            merge(members.key(key), None, change);
        }
    }
    members.out.push('}');
}

fn find<'n, 'a>(members: &'n Object<'a>, key: &str) -> Option<&'n Node<'a>> {
    members.iter().find(|(name, _)| name == key).map(|(_, value)| value)
}

/// The members of an object that is being written.
struct MemberWriter<'o> {
    out: &'o mut String,
    any: bool,
}

impl MemberWriter<'_> {
    /// Begins a member; what is appended to the answer is its value.
    fn key(&mut self, key: &str) -> &mut String {
        if self.any {
            self.out.push(',');
        }
        self.any = true;
        write_string(self.out, key);
        self.out.push(':');
        self.out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Limits, parse};

    fn merged(target: &str, patch: &str) -> String {
        let target = parse(target, Limits::default()).unwrap();
        let patch = parse(patch, Limits::default()).unwrap();
        let mut out = String::new();
        merge(&mut out, Some(&target), &patch);
        out
    }

    /// The examples of the RFC's appendix.
    #[test]
    fn a_patch_does_what_its_rfc_says() {
        let rows = [
            (r#"{"a":"b"}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
            (r#"{"a":"b"}"#, r#"{"b":"c"}"#, r#"{"a":"b","b":"c"}"#),
            (r#"{"a":"b"}"#, r#"{"a":null}"#, "{}"),
            (r#"{"a":"b","b":"c"}"#, r#"{"a":null}"#, r#"{"b":"c"}"#),
            (r#"{"a":["b"]}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
            (r#"{"a":"c"}"#, r#"{"a":["b"]}"#, r#"{"a":["b"]}"#),
            (r#"{"a":{"b":"c"}}"#, r#"{"a":{"b":"d","c":null}}"#, r#"{"a":{"b":"d"}}"#),
            (r#"{"a":[{"b":"c"}]}"#, r#"{"a":[1]}"#, r#"{"a":[1]}"#),
            (r#"["a","b"]"#, r#"["c","d"]"#, r#"["c","d"]"#),
            (r#"{"a":"b"}"#, r#"["c"]"#, r#"["c"]"#),
            (r#"{"a":"foo"}"#, "null", "null"),
            (r#"{"e":null}"#, r#"{"a":1}"#, r#"{"e":null,"a":1}"#),
            ("[1,2]", r#"{"a":"b","c":null}"#, r#"{"a":"b"}"#),
            ("{}", r#"{"a":{"bb":{"ccc":null}}}"#, r#"{"a":{"bb":{}}}"#),
        ];
        for (target, patch, wanted) in rows {
            assert_eq!(merged(target, patch), wanted, "{target} {patch}");
        }
    }

    #[test]
    fn numbers_keep_their_digits_and_members_their_order() {
        assert_eq!(
            merged(r#"{"z":1.50,"a":{"y":1e2,"b":2}}"#, r#"{"a":{"b":3.10}}"#),
            r#"{"z":1.50,"a":{"y":1e2,"b":3.10}}"#
        );
    }
}
