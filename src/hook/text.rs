//! Pointers into the text of a JSON document, and edits that leave all other bytes alone.

use crate::json::{Limits, Node, Value, write_string};

/// Limits of an input: a little more than those of the request that it was made of.
pub(super) const LIMITS: Limits = Limits { depth: 160, values: 2_000_000 };

/// The steps of a JSON Pointer (RFC 6901), unescaped. The root has none.
pub(super) fn pointer_parts(pointer: &str) -> Vec<String> {
    let parts = pointer.split('/').skip(1);
    parts.map(|part| part.replace("~1", "/").replace("~0", "~")).collect()
}

/// Whether a text is a JSON Pointer to something below the root.
pub(super) fn is_pointer(text: &str) -> bool {
    let mut bytes = text.bytes();
    let escapes = text.split('~').skip(1).all(|rest| rest.starts_with(['0', '1']));
    bytes.next() == Some(b'/') && escapes
}

/// The value that a pointer names.
pub(super) fn value_at<'r, 'a>(node: &'r Node<'a>, pointer: &str) -> Option<&'r Node<'a>> {
    pointer_parts(pointer).iter().try_fold(node, |node, part| match &node.value {
        Value::Object(_) => node.get(part),
        Value::Array(items) => items.get(part.parse::<usize>().ok()?),
        _ => None,
    })
}

/// `text` with the value at `pointer` replaced. `node` is the parsed `text`; `None` if there is no
/// value at the pointer.
pub(super) fn splice(text: &str, node: &Node<'_>, pointer: &str, new: &str) -> Option<String> {
    let old = value_at(node, pointer)?.raw;
    let start = (old.as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
    let (head, tail) = (text.get(..start)?, text.get(start + old.len()..)?);
    Some([head, new, tail].concat())
}

/// Writes a value with some of its strings replaced. `edit` gets the keys on the way to a string
/// (an item of a list has the key of its list) and the string, and returns a replacement or `None`.
/// A `fixed` part is copied as it is.
pub(super) fn rewrite<'r>(
    out: &mut String,
    node: &'r Node<'_>,
    keys: &mut Vec<&'r str>,
    fixed: &dyn Fn(&Node<'_>) -> bool,
    edit: &mut dyn FnMut(&[&str], &str) -> Option<String>,
) {
    if fixed(node) {
        out.push_str(node.raw);
        return;
    }
    match &node.value {
        Value::String(text) => match edit(keys, text) {
            Some(new) => write_string(out, &new),
            None => out.push_str(node.raw),
        },
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                rewrite(out, item, keys, fixed, edit);
            }
            out.push(']');
        }
        Value::Object(members) => {
            out.push('{');
            for (index, (key, member)) in members.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_string(out, key);
                out.push(':');
                keys.push(key);
                rewrite(out, member, keys, fixed, edit);
                keys.pop();
            }
            out.push('}');
        }
        _ => out.push_str(node.raw),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn a_value_is_replaced_and_nothing_else() {
        let text = r#" {"a": [1.50, {"b/c": null}], "z": 1e9} "#;
        let node = parse(text, LIMITS).unwrap();
        let spliced = splice(text, &node, "/a/1/b~1c", "[]").unwrap();
        assert_eq!(spliced, r#" {"a": [1.50, {"b/c": []}], "z": 1e9} "#);
        assert_eq!(splice(text, &node, "/a/2", "0"), None);
        assert_eq!(splice(text, &node, "", "0").unwrap(), " 0 ");
    }

    #[test]
    fn pointers_are_told_from_other_texts() {
        for good in ["/", "/a", "/a~1b/~0", "/é"] {
            assert!(is_pointer(good), "{good}");
        }
        for bad in ["", "a", "a/b", "/~", "/~2"] {
            assert!(!is_pointer(bad), "{bad}");
        }
    }

    #[test]
    fn strings_are_rewritten_and_numbers_keep_their_digits() {
        let text = r#"{"n": 1.50, "s": ["x", {"s": "y"}], "t": "x"}"#;
        let node = parse(text, LIMITS).unwrap();
        let mut out = String::new();
        rewrite(&mut out, &node, &mut Vec::new(), &|_| false, &mut |keys, text| {
            (keys.last() == Some(&"s")).then(|| text.repeat(2))
        });
        assert_eq!(out, r#"{"n":1.50,"s":["xx",{"s":"yy"}],"t":"x"}"#);
    }
}
