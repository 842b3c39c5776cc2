//! The known operators, and a check of the operators that a rule uses.

use super::Value;
use crate::json::{self, Path};

/// Every operator of json-logic-js but `log`, which is there for its side effect.
pub(super) const KNOWN: &[&str] = &[
    "!",
    "!!",
    "!=",
    "!==",
    "%",
    "*",
    "+",
    "-",
    "/",
    "<",
    "<=",
    "==",
    "===",
    ">",
    ">=",
    "?:",
    "all",
    "and",
    "cat",
    "filter",
    "if",
    "in",
    "map",
    "max",
    "merge",
    "min",
    "missing",
    "missing_some",
    "none",
    "or",
    "reduce",
    "some",
    "substr",
    "var",
];

/// Something in a rule that its author should change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleFault {
    /// JSON Pointer from the rule; of a long one its beginning.
    pub pointer: String,
    pub kind: RuleFaultKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleFaultKind {
    /// There is no such operator. Of a long name its beginning.
    Operator(String),
    /// An object of several keys: no operator, and so a value that is always true.
    Literal,
    /// `==` or `!=` with null, a boolean or 0: other values count as equal to these.
    Loose,
}

/// All faults of a rule, even where evaluation would never reach; at most `most` of them, in the
/// order of the rule.
pub fn check(rule: &Value, most: usize) -> Vec<RuleFault> {
    let mut found = Vec::new();
    walk(rule, Path::Root, most, &mut found);
    found
}

fn walk(rule: &Value, path: Path<'_>, most: usize, found: &mut Vec<RuleFault>) {
    if found.len() >= most {
        return;
    }
    match rule {
        Value::List(items) => {
            for (at, item) in items.iter().enumerate() {
                walk(item, path.index(at), most, found);
            }
        }
        Value::Record(members) => {
            if let [(name, given)] = &**members {
                let mut tell = |kind| found.push(RuleFault { pointer: path.pointer(), kind });
                if !KNOWN.contains(&&**name) {
                    tell(RuleFaultKind::Operator(json::beginning(name).to_owned()));
                } else if matches!(&**name, "==" | "!=") && is_loose(given) {
                    tell(RuleFaultKind::Loose);
                }
            } else if members.len() > 1 {
                found.push(RuleFault { pointer: path.pointer(), kind: RuleFaultKind::Literal });
            }
            for (key, value) in members.iter() {
                walk(value, path.key(key), most, found);
            }
        }
        _ => {}
    }
}

fn is_loose(given: &Value) -> bool {
    let Value::List(items) = given else { return false };
    items.iter().any(|item| match item {
        Value::Null | Value::Bool(_) => true,
        Value::Number(number) => *number == 0.0,
        _ => false,
    })
}
