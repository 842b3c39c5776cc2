//! Which operators there are, and where a rule uses others.

use std::sync::Arc;

use super::Value;

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
pub struct Trouble {
    /// JSON Pointer from the rule.
    pub pointer: String,
    pub kind: TroubleKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TroubleKind {
    /// There is no such operator.
    Operator(Arc<str>),
    /// An object of several keys: no operator, and so a value that always holds.
    Literal,
    /// `==` or `!=` beside null, a boolean or 0: other values are taken for these.
    Loose,
}

/// Everything in a rule that is not as it should be, also where evaluation would never come.
pub fn check(rule: &Value) -> Vec<Trouble> {
    let mut found = Vec::new();
    walk(rule, &mut String::new(), &mut found);
    found
}

fn walk(rule: &Value, pointer: &mut String, found: &mut Vec<Trouble>) {
    let length = pointer.len();
    match rule {
        Value::List(items) => {
            for (at, item) in items.iter().enumerate() {
                pointer.push('/');
                pointer.push_str(&at.to_string());
                walk(item, pointer, found);
                pointer.truncate(length);
            }
        }
        Value::Record(members) => {
            if let [(name, given)] = &**members {
                let mut tell = |kind| found.push(Trouble { pointer: pointer.clone(), kind });
                if !KNOWN.contains(&&**name) {
                    tell(TroubleKind::Operator(Arc::clone(name)));
                } else if matches!(&**name, "==" | "!=") && is_loose(given) {
                    tell(TroubleKind::Loose);
                }
            } else if members.len() > 1 {
                found.push(Trouble { pointer: pointer.clone(), kind: TroubleKind::Literal });
            }
            for (key, value) in members.iter() {
                pointer.push('/');
                pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
                walk(value, pointer, found);
                pointer.truncate(length);
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
