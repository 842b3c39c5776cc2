//! Differences of two values, as the steps of a JSON Patch.

use super::{Node, Path, Value, canonical_with_nulls};

/// One place in which two values differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonDifference {
    /// JSON Pointer; the root is the empty string.
    pub pointer: String,
    /// JSON text of the value in each document; none if it is absent.
    pub from: Option<String>,
    pub to: Option<String>,
}

/// At most `most` differences between two values, in the order of the first. Numbers are the same
/// if they are written the same.
pub fn differences(before: &Node<'_>, now: &Node<'_>, most: usize) -> Vec<JsonDifference> {
    let mut found = Vec::new();
    compare(before, now, &Path::Root, most, &mut found);
    found
}

fn compare(
    before: &Node<'_>,
    now: &Node<'_>,
    path: &Path<'_>,
    most: usize,
    found: &mut Vec<JsonDifference>,
) {
    if found.len() >= most || before.raw == now.raw {
        return;
    }
    match (&before.value, &now.value) {
        (Value::Object(one), Value::Object(other)) => {
            for (key, member) in one {
                match now.get(key) {
                    Some(own) => compare(member, own, &path.key(key), most, found),
                    None => add_difference(found, &path.key(key), Some(member), None, most),
                }
            }
            for (key, member) in other {
                if before.get(key).is_none() {
                    add_difference(found, &path.key(key), None, Some(member), most);
                }
            }
        }
        (Value::Array(one), Value::Array(other)) => {
            for (at, (item, own)) in one.iter().zip(other).enumerate() {
                compare(item, own, &path.index(at), most, found);
            }
            // From the end, so that the steps can be taken one after the other.
            for (at, item) in one.iter().enumerate().skip(other.len()).rev() {
                add_difference(found, &path.index(at), Some(item), None, most);
            }
            for (at, item) in other.iter().enumerate().skip(one.len()) {
                add_difference(found, &path.index(at), None, Some(item), most);
            }
        }
        _ if text(before) == text(now) => {}
        _ => add_difference(found, path, Some(before), Some(now), most),
    }
}

fn add_difference(
    found: &mut Vec<JsonDifference>,
    path: &Path<'_>,
    from: Option<&Node<'_>>,
    to: Option<&Node<'_>>,
    most: usize,
) {
    if found.len() < most {
        let raw = |node: &Node<'_>| node.raw.to_owned();
        found.push(JsonDifference {
            pointer: path.pointer(),
            from: from.map(raw),
            to: to.map(raw),
        });
    }
}

fn text(node: &Node<'_>) -> String {
    let mut out = String::new();
    canonical_with_nulls(&mut out, node);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Limits, parse};

    fn steps(before: &str, now: &str) -> Vec<(String, Option<String>, Option<String>)> {
        let read = |text| parse(text, Limits::default()).unwrap();
        let found = differences(&read(before), &read(now), 5);
        found.into_iter().map(|one| (one.pointer, one.from, one.to)).collect()
    }

    #[test]
    fn every_place_is_told_once() {
        let step = |pointer: &str, from: Option<&str>, to: Option<&str>| {
            (pointer.to_owned(), from.map(str::to_owned), to.map(str::to_owned))
        };
        assert_eq!(
            steps(r#"{"a":[1,2,3],"b":"x","c":null}"#, r#"{"b":"\u0078", "a":[1,5],"d/e":{}}"#),
            [
                step("/a/1", Some("2"), Some("5")),
                step("/a/2", Some("3"), None),
                step("/c", Some("null"), None),
                step("/d~1e", None, Some("{}")),
            ]
        );
        assert_eq!(steps("[]", "{}"), [step("", Some("[]"), Some("{}"))]);
        assert_eq!(steps("[1, {\"a\": 2}]", "[1,{\"a\":2}]"), []);
    }

    #[test]
    fn there_is_an_end_to_it() {
        assert_eq!(steps("[1,2,3,4,5,6,7]", "[2,3,4,5,6,7,8]").len(), 5);
    }
}
