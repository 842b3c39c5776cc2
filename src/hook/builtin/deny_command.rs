//! `deny_command`: a guard that refuses commands by what they begin with or contain.

use std::sync::Arc;

use super::{HookAnswer, write_list};
use crate::hook::text;
use crate::json::{Faults, Fields, Node, write_string};

pub(super) const KEYS: &[&str] = &["tools", "patterns", "op", "reason"];
const MAX_ITEMS: usize = 64;
const MAX_DENIAL_BYTES: usize = 2000;

/// Its settings.
#[derive(Debug, Clone)]
pub struct DenyCommand {
    tools: Vec<Arc<str>>,
    patterns: Vec<Arc<str>>,
    op: MatchOperator,
    reason: Arc<str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MatchOperator {
    /// Space in front does not hide a command.
    StartsWith,
    Contains,
}

impl DenyCommand {
    pub(super) fn read(fields: &Fields<'_, '_>, faults: &mut Faults) -> Self {
        let list = |key: &str, usual: &str, faults: &mut Faults| -> Vec<Arc<str>> {
            if fields.get(key).is_none() {
                return vec![usual.into()];
            }
            let texts = fields.texts(key, MAX_ITEMS, faults);
            if texts.iter().any(|text| text.is_empty()) || texts.is_empty() {
                fields.fault(key, "must hold at least one text, and none that is empty", faults);
            }
            texts.into_iter().map(Arc::from).collect()
        };
        let tools = list("tools", "Bash", faults);
        let patterns = list("patterns", "rm -rf", faults);
        let words =
            [("starts_with", MatchOperator::StartsWith), ("contains", MatchOperator::Contains)];
        let op = fields.choice("op", &words, faults).unwrap_or(MatchOperator::StartsWith);
        let reason = fields.text("reason", faults).unwrap_or("dangerous-delete");
        if reason.len() > MAX_DENIAL_BYTES {
            fields.fault("reason", format!("must be at most {MAX_DENIAL_BYTES} bytes"), faults);
        }
        Self { tools, patterns, op, reason: reason.into() }
    }

    pub(super) fn write(&self, out: &mut String) {
        out.push_str("{\"tools\":");
        write_list(out, self.tools.iter().map(AsRef::as_ref));
        out.push_str(",\"patterns\":");
        write_list(out, self.patterns.iter().map(AsRef::as_ref));
        out.push_str(match self.op {
            MatchOperator::StartsWith => ",\"op\":\"starts_with\",\"reason\":",
            MatchOperator::Contains => ",\"op\":\"contains\",\"reason\":",
        });
        write_string(out, &self.reason);
        out.push('}');
    }

    /// Checks `command` of the arguments, or the arguments if they are one text.
    pub(super) fn answer(&self, input: &Node<'_>) -> HookAnswer {
        let tool = text::value_at(input, "/tool/name").and_then(Node::as_str);
        let meant = self.tools.iter().any(|name| &**name == "*" || Some(&**name) == tool);
        let arguments = text::value_at(input, "/tool/arguments").filter(|_| meant);
        let command = arguments
            .and_then(|arguments| arguments.get("command").unwrap_or(arguments).as_str())
            .unwrap_or_default();
        let found = self.patterns.iter().any(|pattern| match self.op {
            MatchOperator::StartsWith => command.trim_start().starts_with(&**pattern),
            MatchOperator::Contains => command.contains(&**pattern),
        });
        if found {
            HookAnswer::Deny { reason: Arc::clone(&self.reason), code: Some("Forbidden".into()) }
        } else {
            HookAnswer::Allow
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Path, parse};

    fn denies(config: &str, tool: &str, command: &str) -> bool {
        let mut faults = Faults::default();
        let node = parse(config, text::LIMITS).unwrap();
        let fields = Fields::read(&node, Path::Root, KEYS, &mut faults).unwrap();
        let deny = DenyCommand::read(&fields, &mut faults);
        assert_eq!(faults.into_vec(), []);
        let input = serde_json::json!({"tool": {"name": tool, "arguments": {"command": command}}});
        let input = input.to_string();
        matches!(deny.answer(&parse(&input, text::LIMITS).unwrap()), HookAnswer::Deny { .. })
    }

    #[test]
    fn a_command_is_denied_by_its_start_or_by_what_it_holds() {
        assert!(denies("{}", "Bash", "rm -rf /") && denies("{}", "Bash", "  rm -rf /"));
        assert!(!denies("{}", "Bash", "ls; rm -rf /") && !denies("{}", "Read", "rm -rf /"));
        assert!(denies(r#"{"op":"contains"}"#, "Bash", "ls; rm -rf /"));
        assert!(denies(r#"{"tools":["*"],"patterns":["curl "]}"#, "sh", "curl x"));
        assert!(!denies("{}", "Bash", ""));
    }
}
