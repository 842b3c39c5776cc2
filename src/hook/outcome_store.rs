//! What a hook said once of an input that comes again: it is not asked twice, and what became of the
//! input stays as it was.

use std::fmt;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use super::definition::Hook;
use super::order::hex;
use super::point::Point;
use super::text::{self, LIMITS};
use crate::json::{Node, canonical_with_nulls, parse, write_string};

/// Remembers what hooks said. The one of a running server has it from the store; a replay has one
/// that answers for built-in hooks as the record has it.
pub trait OutcomeStore: fmt::Debug + Send + Sync {
    /// Whether what this hook says is kept.
    fn keeps(&self, hook: &Hook) -> bool;

    /// What was said before, one each: the text of an answer.
    fn find(&self, asks: &[OutcomeKey<'_>]) -> Vec<Option<Arc<str>>>;

    /// Notes what a hook said, by the [`key`] of the input.
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

/// 64 hex digits that stand for what a hook is asked about: of a result its tool, the arguments and
/// what came back, but not the call's id.
pub fn key(point: Point, input: &str) -> String {
    match point {
        Point::ToolResult => hashed("result", input, &["/tool/name", "/tool/arguments", "/result"]),
        _ => hashed(point.as_str(), input, &[""]),
    }
}

/// 64 hex digits that stand for a result that an answer of ours held: the call and its content. What
/// hooks left of it before is what they are to leave.
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
        let part: Option<&Node<'_>> = node.as_ref().and_then(|node| text::at(node, pointer));
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
