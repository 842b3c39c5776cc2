//! Hooks that run here: the same object, order and records as a webhook, and no network.
//!
//! Each is a pure function of its settings and of the `input` that a webhook would be sent.

mod deny_command;
mod redaction;
mod secret_scan;
mod truncation;

pub use deny_command::DenyCommand;
pub use redaction::RedactHook;
pub use secret_scan::SecretScan;
pub use truncation::TruncateHook;

use super::answer::HookAnswer;
use super::point::{HookKind, Point};
use crate::json::{Faults, Fields, Node, Path, parse};
use crate::limit::{Deadline, Pattern, PatternBudget, SearchError};

/// A built-in hook with its settings.
#[derive(Debug, Clone)]
pub enum Builtin {
    Truncate(TruncateHook),
    Redact(RedactHook),
    DenyCommand(DenyCommand),
    SecretScan(SecretScan),
}

/// Their names.
pub const NAMES: &[&str] = &["truncate", "redact", "deny_command", "secret_scan"];

impl Builtin {
    /// Reads the settings of the built-in hook called `name`. Absent settings are the defaults.
    pub(super) fn read(
        name: &str,
        config: Option<&Node<'_>>,
        path: Path<'_>,
        patterns: &mut PatternBudget,
        faults: &mut Faults,
    ) -> Option<Self> {
        let empty = parse("{}", super::text::LIMITS).ok()?;
        let keys = keys(name)?;
        let fields = Fields::read(config.unwrap_or(&empty), path, keys, faults)?;
        match name {
            "truncate" => TruncateHook::read(&fields, faults).map(Self::Truncate),
            "redact" => Some(Self::Redact(RedactHook::read(&fields, patterns, faults))),
            "deny_command" => Some(Self::DenyCommand(DenyCommand::read(&fields, faults))),
            _ => SecretScan::read(&fields, faults).map(Self::SecretScan),
        }
    }

    pub fn name(&self) -> &'static str {
        match self {
            Self::Truncate(_) => "truncate",
            Self::Redact(_) => "redact",
            Self::DenyCommand(_) => "deny_command",
            Self::SecretScan(_) => "secret_scan",
        }
    }

    /// Its patterns.
    pub(super) fn patterns(&self) -> impl Iterator<Item = &Pattern> {
        let redact = match self {
            Self::Redact(redact) => Some(redact.patterns()),
            Self::Truncate(_) | Self::DenyCommand(_) | Self::SecretScan(_) => None,
        };
        redact.into_iter().flatten()
    }

    /// The one kind that it can be registered as.
    pub fn kind(name: &str) -> HookKind {
        match name {
            "truncate" | "redact" => HookKind::Transform,
            _ => HookKind::Guard,
        }
    }

    /// Whether the hook has an effect at `point`.
    pub fn works_at(name: &str, point: Point) -> bool {
        match name {
            "truncate" => point == Point::ToolResult,
            "deny_command" => point == Point::ToolCall,
            _ => point.takes(Self::kind(name)),
        }
    }

    /// Returns an `input`.
    pub(super) fn answer(
        &self,
        point: Point,
        input: &Node<'_>,
        deadline: &Deadline,
    ) -> Result<HookAnswer, SearchError> {
        Ok(match self {
            Self::Truncate(truncate) => truncate.answer(input),
            Self::Redact(redact) => redact.answer(point, input, deadline)?,
            Self::DenyCommand(deny) => deny.answer(input),
            Self::SecretScan(scan) => scan.answer(point, input),
        })
    }

    /// Appends the settings, defaults included, as they are read.
    pub(super) fn write_config(&self, out: &mut String) {
        match self {
            Self::Truncate(truncate) => truncate.write(out),
            Self::Redact(redact) => redact.write(out),
            Self::DenyCommand(deny) => deny.write(out),
            Self::SecretScan(scan) => scan.write(out),
        }
    }
}

fn keys(name: &str) -> Option<&'static [&'static str]> {
    match name {
        "truncate" => Some(truncation::KEYS),
        "redact" => Some(redaction::KEYS),
        "deny_command" => Some(deny_command::KEYS),
        "secret_scan" => Some(secret_scan::KEYS),
        _ => None,
    }
}

/// Whether the string at the end of `keys` is text that a person, a tool or a model wrote, as
/// against a name, an id or bytes.
fn is_text(point: Point, keys: &[&str]) -> bool {
    let Some(key) = keys.last() else { return true };
    match point {
        Point::BeforeCompress | Point::TransformContext => {
            matches!(*key, "text" | "content" | "arguments")
        }
        _ => true,
    }
}

/// Whether a value is a reasoning part: it may be signed, and is never edited.
fn is_reasoning(node: &Node<'_>) -> bool {
    node.get("type").and_then(Node::as_str) == Some("thinking")
}

/// Appends `["a","b"]`.
fn write_list<'t>(out: &mut String, texts: impl Iterator<Item = &'t str>) {
    out.push('[');
    for (index, text) in texts.enumerate() {
        if index > 0 {
            out.push(',');
        }
        crate::json::write_string(out, text);
    }
    out.push(']');
}
