//! Stored outcomes of hooks on inputs that are repeated: a hook is not asked twice, and the result
//! of an input stays the same.

use std::fmt;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use super::definition::Hook;
use super::order::hex;
use super::point::Point;
use super::text::{self, LIMITS};
use crate::json::{Node, canonical_with_nulls, parse, write_string};

/// Stores answers of hooks. In a running server the store keeps them; in a replay built-in hooks
/// answer as in the record.
pub trait OutcomeStore: fmt::Debug + Send + Sync {
    /// Whether the answers of this hook are stored.
    fn keeps(&self, hook: &Hook) -> bool;

    /// The stored answers, one for each key: the text of an answer.
    fn find(&self, asks: &[OutcomeKey<'_>]) -> Vec<Option<Arc<str>>>;

    /// Stores an answer of a hook, by the [`key`] of the input.
    fn keep(&self, hook: &Hook, key: &str, answer: &str);
}

/// A question to a hook.
#[derive(Debug, Clone, Copy)]
pub struct OutcomeKey<'a> {
    pub hook: &'a Hook,
    pub point: Point,
    pub occurrence: u32,
    /// [`super::digest`] of the call.
    pub digest: &'a str,
    /// [`key`] of the input.
    pub key: &'a str,
    /// [`answered_key`] of the input.
    pub answered: &'a str,
}

/// The key of a hook's question, 64 hex digits: of a result the tool, the arguments and the
/// content, without the id of the call.
pub fn key(point: Point, input: &str) -> String {
    match point {
        Point::ToolResult => hashed("result", input, &["/tool/name", "/tool/arguments", "/result"]),
        _ => hashed(point.as_str(), input, &[""]),
    }
}

/// The key of a result that an earlier response of this service contained, 64 hex digits: the call
/// and its content. An earlier outcome of a hook applies to it again.
pub fn answered_key(point: Point, input: &str) -> String {
    match point {
        Point::ToolResult => hashed("answered", input, &["/tool/call_id", "/result/content"]),
        _ => key(point, input),
    }
}

fn hashed(what: &str, input: &str, pointers: &[&str]) -> String {
    let mut out = String::from("[");
    write_string(&mut out, what);
    let node = parse(input, LIMITS).ok();
    for pointer in pointers {
        out.push(',');
        let part: Option<&Node<'_>> = node.as_ref().and_then(|node| text::value_at(node, pointer));
        match part {
            Some(part) => canonical_with_nulls(&mut out, part),
            None => out.push_str("null"),
        }
    }
    out.push(']');
    hex(&Sha256::digest(out))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(id: &str, arguments: &str, content: &str) -> String {
        format!(
            r#"{{"tool":{{"name":"Bash","call_id":"{id}","arguments":{arguments}}},"result":{{"content":"{content}","is_error":false}}}}"#
        )
    }

    #[test]
    fn a_result_is_known_by_tool_arguments_and_content_and_an_answer_by_its_call() {
        let key = |input: &str| key(Point::ToolResult, input);
        let answered_key = |input: &str| answered_key(Point::ToolResult, input);
        let one = input("c1", r#"{"a":1,"b":2}"#, "x");
        assert_eq!(key(&one), key(&input("c2", r#"{"b":2,"a":1}"#, "x")));
        assert_ne!(key(&one), key(&input("c1", r#"{"a":1,"b":3}"#, "x")));
        assert_ne!(key(&one), key(&input("c1", r#"{"a":1,"b":2}"#, "y")));
        assert_eq!(answered_key(&one), answered_key(&input("c1", "null", "x")));
        assert_ne!(answered_key(&one), answered_key(&input("c2", "null", "x")));
        assert_ne!(key(&one), answered_key(&one));
    }
}
