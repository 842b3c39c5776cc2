//! Projection of an `input`: the members that leave the service, only those listed, or all except
//! those listed.

use std::sync::Arc;

use super::text::pointer_parts;
use crate::json::{Node, Value, write_string};

/// JSON Pointers into `input`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Projection {
    /// Empty: everything.
    pub include: Vec<Arc<str>>,
    pub exclude: Vec<Arc<str>>,
}

impl Projection {
    pub fn is_all(&self) -> bool {
        self.include.is_empty() && self.exclude.is_empty()
    }

    /// The part of `input` that is sent. A member that is left out is absent; an item of a list
    /// becomes null, so that the items after it keep their places.
    pub fn apply(&self, input: &Node<'_>) -> String {
        let parts = |list: &[Arc<str>]| {
            list.iter().map(|pointer| pointer_parts(pointer)).collect::<Vec<_>>()
        };
        let (include, exclude) = (parts(&self.include), parts(&self.exclude));
        let rules = PointerTree {
            include: include.iter().map(Vec::as_slice).collect(),
            exclude: exclude.iter().map(Vec::as_slice).collect(),
            all: include.is_empty(),
        };
        let mut out = String::new();
        write(&mut out, input, &rules);
        out
    }

    /// Whether a value at `pointer` is sent whole.
    pub fn keeps_whole(&self, pointer: &str) -> bool {
        let begins = |whole: &[String], start: &[String]| whole.starts_with(start);
        let at = pointer_parts(pointer);
        let included = self.include.is_empty()
            || self.include.iter().any(|kept| begins(&at, &pointer_parts(kept)));
        included
            && !self.exclude.iter().any(|out| {
                let out = pointer_parts(out);
                begins(&at, &out) || begins(&out, &at)
            })
    }
}

/// The pointers that lead further down from a value.
struct PointerTree<'p> {
    include: Vec<&'p [String]>,
    exclude: Vec<&'p [String]>,
    /// Whether what no rule names is sent.
    all: bool,
}

impl<'p> PointerTree<'p> {
    /// The rules for a member; `None` if it is not sent.
    fn member_rules(&self, name: &str) -> Option<Self> {
        let step = |list: &[&'p [String]]| {
            let next = list.iter().filter_map(|parts| parts.split_first());
            next.filter(|(first, _)| first.as_str() == name)
                .map(|(_, rest)| rest)
                .collect::<Vec<&'p [String]>>()
        };
        let (include, exclude) = (step(&self.include), step(&self.exclude));
        let all = self.all || include.iter().any(|rest| rest.is_empty());
        let sent = all || !include.is_empty();
        let cut = exclude.iter().any(|rest| rest.is_empty());
        (sent && !cut).then_some(Self { include, exclude, all })
    }

    fn is_done(&self) -> bool {
        self.all && self.exclude.is_empty()
    }
}

fn write(out: &mut String, node: &Node<'_>, rules: &PointerTree<'_>) {
    if rules.is_done() {
        out.push_str(node.raw);
        return;
    }
    match &node.value {
        Value::Object(members) => {
            out.push('{');
            let mut first = true;
            for (key, member) in members {
                if let Some(rules) = rules.member_rules(key) {
                    if !std::mem::take(&mut first) {
                        out.push(',');
                    }
                    write_string(out, key);
                    out.push(':');
                    write(out, member, &rules);
                }
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                match rules.member_rules(&index.to_string()) {
                    Some(rules) => write(out, item, &rules),
                    None => out.push_str("null"),
                }
            }
            out.push(']');
        }
        _ if rules.all => out.push_str(node.raw),
        // A rule leads past a value that has no members.
        _ => out.push_str("null"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Limits, parse};

    const INPUT: &str = r#"{"tool":{"name":"Bash","arguments":{"a/b":1.50,"c":[1,2]}},"n":7}"#;

    fn sent(include: &[&str], exclude: &[&str]) -> String {
        let list = |pointers: &[&str]| pointers.iter().map(|one| Arc::from(*one)).collect();
        let projection = Projection { include: list(include), exclude: list(exclude) };
        projection.apply(&parse(INPUT, Limits::default()).unwrap())
    }

    #[test]
    fn only_what_is_named_leaves() {
        assert_eq!(sent(&["/n"], &[]), r#"{"n":7}"#);
        assert_eq!(sent(&["/tool/arguments/a~1b"], &[]), r#"{"tool":{"arguments":{"a/b":1.50}}}"#);
        assert_eq!(sent(&["/gone"], &[]), "{}");
        assert_eq!(sent(&["/n/x"], &[]), r#"{"n":null}"#);
    }

    #[test]
    fn what_is_excluded_stays_here() {
        assert_eq!(sent(&[], &["/tool/arguments", "/n"]), r#"{"tool":{"name":"Bash"}}"#);
        assert_eq!(
            sent(&["/tool"], &["/tool/arguments/c/0"]),
            r#"{"tool":{"name":"Bash","arguments":{"a/b":1.50,"c":[null,2]}}}"#
        );
        assert_eq!(sent(&[], &[]), INPUT);
        assert_eq!(sent(&[], &[""]), INPUT, "the root itself cannot be left out");
    }

    #[test]
    fn a_part_is_whole_where_no_rule_cuts_it() {
        let whole = |include: &[&str], exclude: &[&str]| {
            let list = |pointers: &[&str]| pointers.iter().map(|one| Arc::from(*one)).collect();
            let projection = Projection { include: list(include), exclude: list(exclude) };
            projection.keeps_whole("/tool/arguments")
        };
        assert!(whole(&[], &[]) && whole(&["/tool"], &["/n"]) && whole(&[], &["/tool/name"]));
        assert!(!whole(&["/tool/arguments/c"], &[]) && !whole(&["/n"], &[]));
        assert!(!whole(&[], &["/tool"]) && !whole(&[], &["/tool/arguments/c"]));
    }
}
