//! Reads the key `match` of a hook, and regular expressions of hooks, whose budget the hooks of one
//! request share.

use std::sync::Arc;

use super::matching::{ArgCondition, ArgTest, HookMatch};
use super::point::Point;
use super::text::is_pointer;
use crate::json::{Faults, Fields, Node, Path};
use crate::limit::{MAX_SHORT_SOURCE_BYTES, Pattern, PatternBudget};

const KEYS: &[&str] = &["tools", "args", "agents", "sessions", "events", "status", "denials"];
const CONDITION_KEYS: &[&str] = &["path", "op", "value"];
const MAX_TEXTS: usize = 64;
const MAX_CONDITIONS: usize = 32;
const MAX_TEXT_BYTES: usize = 512;

/// Every event of the feed.
pub const EVENTS: &[&str] = &[
    "compile:start",
    "compile:done",
    "compile:failed",
    "gateway:request",
    "compress",
    "memory:changed",
    "memory:expired",
    "memory:denied",
    "context:injected",
    "tool:denied",
    "tool:result",
    "delegation:recorded",
    "session:switched",
    "hook:failed",
    "hook:denied",
    "hook:disabled",
    "hook:lost",
    "artifact:evicted",
    "stream:gap",
    "stream:overflow",
];
const DELEGATION_STATUSES: &[&str] = &["success", "failed", "timeout", "cycle", "depth"];

pub(super) fn read_match(
    fields: &Fields<'_, '_>,
    points: &[Point],
    patterns: &mut PatternBudget,
    faults: &mut Faults,
) -> HookMatch {
    let Some(node) = fields.get("match") else { return HookMatch::default() };
    let path = fields.path().key("match");
    let Some(given) = Fields::read(node, path, KEYS, faults) else { return HookMatch::default() };
    let tell = |key: &str, tells: fn(Point) -> bool, faults: &mut Faults| {
        let silent = !points.is_empty() && !points.iter().any(|point| tells(*point));
        if silent && given.get(key).is_some() {
            given.fault(key, "says nothing at the points of this hook", faults);
        }
    };
    tell("tools", Point::has_tool, faults);
    tell("args", Point::has_arguments, faults);
    tell("events", |point| point == Point::Event, faults);
    tell("status", |point| point == Point::Delegation, faults);
    tell("denials", |point| point == Point::ToolResult, faults);
    let texts = |key: &str, faults: &mut Faults| -> Vec<Arc<str>> {
        let texts = given.texts(key, MAX_TEXTS, faults);
        if texts.iter().any(|text| text.is_empty() || text.len() > MAX_TEXT_BYTES) {
            given.fault(key, format!("must hold texts of 1 to {MAX_TEXT_BYTES} bytes"), faults);
        }
        texts.into_iter().map(Arc::from).collect()
    };
    let matching = HookMatch {
        tools: texts("tools", faults),
        args: read_conditions(&given, patterns, faults),
        agents: texts("agents", faults),
        sessions: texts("sessions", faults),
        events: texts("events", faults),
        status: texts("status", faults),
        denials: given.flag("denials", faults) == Some(true),
    };
    let known = |list: &[Arc<str>], key: &str, what, names: &[&str], faults: &mut Faults| {
        let path = given.path().key(key);
        for (index, name) in list.iter().enumerate() {
            let covered = match name.strip_suffix('*') {
                Some(start) if key == "events" => names.iter().any(|name| name.starts_with(start)),
                _ => names.contains(&&**name),
            };
            if !covered {
                faults.unknown_name(&path.index(index), what, name, names.iter().copied());
            }
        }
    };
    known(&matching.events, "events", "event", EVENTS, faults);
    known(&matching.status, "status", "ending", DELEGATION_STATUSES, faults);
    matching
}

fn read_conditions(
    fields: &Fields<'_, '_>,
    patterns: &mut PatternBudget,
    faults: &mut Faults,
) -> Vec<ArgCondition> {
    let list = fields.path().key("args");
    let mut conditions = Vec::new();
    for (index, item) in fields.list("args", MAX_CONDITIONS, faults).iter().enumerate() {
        let path = list.index(index);
        let Some(given) = Fields::read(item, path, CONDITION_KEYS, faults) else { continue };
        let pointer = given.text("path", faults);
        if !pointer.is_some_and(is_pointer) {
            given.fault("path", "must be a JSON Pointer, such as `/command`", faults);
        }
        let test = read_test(&given, &path, patterns, faults);
        if let (Some(path), Some(test)) = (pointer, test) {
            conditions.push(ArgCondition { path: path.into(), test });
        }
    }
    conditions
}

fn read_test(
    given: &Fields<'_, '_>,
    path: &Path<'_>,
    patterns: &mut PatternBudget,
    faults: &mut Faults,
) -> Option<ArgTest> {
    let words: Vec<(&str, &str)> = ArgTest::OPS.iter().map(|op| (*op, *op)).collect();
    if given.get("op").is_none() {
        given.fault("op", "is missing", faults);
    }
    let op = given.choice("op", &words, faults)?;
    let node = given.get("value");
    if op == "exists" {
        if node.is_some() {
            given.fault("value", "says nothing with `exists`", faults);
        }
        return Some(ArgTest::Exists);
    }
    let Some(node) = node else {
        given.fault("value", "is missing", faults);
        return None;
    };
    let text = match &node.value {
        crate::json::Value::String(text) => &**text,
        crate::json::Value::Number(_) | crate::json::Value::Bool(_) => node.raw,
        _ => {
            given.fault("value", "must be a string, a number, true or false", faults);
            return None;
        }
    };
    if text.len() > MAX_TEXT_BYTES {
        given.fault("value", format!("must be at most {MAX_TEXT_BYTES} bytes"), faults);
        return None;
    }
    Some(match op {
        "equals" => ArgTest::Equals(text.into()),
        "not_equals" => ArgTest::NotEquals(text.into()),
        "contains" => ArgTest::Contains(text.into()),
        "starts_with" => ArgTest::StartsWith(text.into()),
        "glob" => {
            let compiled = patterns.compile(&glob(text));
            let compiled =
                compiled.map_err(|error| given.fault("value", error.to_string(), faults));
            ArgTest::Glob(text.into(), compiled.ok()?)
        }
        _ => ArgTest::Regex(read_pattern(node, &path.key("value"), patterns, faults)?),
    })
}

/// A pattern in which `*` is any text and `?` any character, for the whole of a value.
fn glob(text: &str) -> String {
    let source = regex::escape(text).replace(r"\*", ".*").replace(r"\?", ".");
    format!("(?s)^(?:{source})$")
}

/// Patterns of the hooks of one request, and of the stored hooks of one tenant.
const MAX_PATTERNS: usize = 256;
/// Bytes of the compiled patterns of the hooks of one request, and of the stored hooks of one
/// tenant.
const MAX_COMPILED_BYTES: usize = 2 << 20;

/// Makes the budget of patterns that the hooks of one request, or of one tenant, share.
pub fn hook_patterns() -> PatternBudget {
    PatternBudget::new(MAX_PATTERNS, MAX_COMPILED_BYTES)
}

/// Reads a regular expression that is short and small enough to be compiled for any caller.
pub(super) fn read_pattern(
    node: &Node<'_>,
    path: &Path<'_>,
    patterns: &mut PatternBudget,
    faults: &mut Faults,
) -> Option<Pattern> {
    let Some(source) = node.as_str() else {
        faults.add(path, format!("must be a string, not {}", node.kind()));
        return None;
    };
    if source.is_empty() || source.len() > MAX_SHORT_SOURCE_BYTES {
        faults.add(path, format!("must be a pattern of 1 to {MAX_SHORT_SOURCE_BYTES} bytes"));
        return None;
    }
    patterns.compile(source).map_err(|error| faults.add(path, error.to_string())).ok()
}
