//! Conditions of the calls that a hook is for, as data.

use std::sync::Arc;

use super::point::Point;
use super::text;
use crate::json::Node;
use crate::limit::{Deadline, Pattern};

/// The conditions on a call. An empty list is no condition; each other list must contain an item
/// that matches.
#[derive(Debug, Clone, Default)]
pub struct HookMatch {
    /// Names of tools, exact; `*` is any.
    pub tools: Vec<Arc<str>>,
    /// Conditions on the arguments of the tool; all must be met.
    pub args: Vec<ArgCondition>,
    pub agents: Vec<Arc<str>>,
    pub sessions: Vec<Arc<str>>,
    /// Names of events; `memory:*` is all that begin so.
    pub events: Vec<Arc<str>>,
    /// The statuses of a delegation; empty: success only.
    pub status: Vec<Arc<str>>,
    /// Whether a transform at `tool_result` gets denials of this service, too.
    pub denials: bool,
}

/// A condition on one argument.
#[derive(Debug, Clone)]
pub struct ArgCondition {
    /// JSON Pointer into the arguments.
    pub path: Arc<str>,
    pub test: ArgTest,
}

/// The comparison. A string is compared as its text, any other value as its JSON.
#[derive(Debug, Clone)]
pub enum ArgTest {
    Exists,
    Equals(Arc<str>),
    NotEquals(Arc<str>),
    Contains(Arc<str>),
    StartsWith(Arc<str>),
    /// `*` is any text, `?` any character; the pattern as it was given.
    Glob(Arc<str>, Pattern),
    Regex(Pattern),
}

/// Facts about a call that are not in its input.
#[derive(Debug, Clone, Copy, Default)]
pub struct MatchContext<'f> {
    pub tool: Option<&'f str>,
    pub agent: Option<&'f str>,
    pub session: Option<&'f str>,
    pub event: Option<&'f str>,
    /// The status of a delegation.
    pub status: Option<&'f str>,
}

impl HookMatch {
    /// The patterns of its conditions.
    pub(super) fn patterns(&self) -> impl Iterator<Item = &Pattern> {
        self.args.iter().filter_map(|condition| match &condition.test {
            ArgTest::Glob(_, pattern) | ArgTest::Regex(pattern) => Some(pattern),
            _ => None,
        })
    }

    /// Whether [`Self::fits`] looks at the input.
    pub fn looks_at_input(&self) -> bool {
        !self.args.is_empty()
    }

    /// Whether a call at `point` is meant. A pattern that cannot be searched for counts as found:
    /// no guard is skipped because its condition takes too long.
    pub fn fits(
        &self,
        point: Point,
        facts: &MatchContext<'_>,
        input: &Node<'_>,
        deadline: &Deadline,
    ) -> bool {
        let one = |list: &[Arc<str>], fact: Option<&str>| {
            list.is_empty() || fact.is_some_and(|fact| list.iter().any(|name| **name == *fact))
        };
        let tools = self.tools.iter().any(|name| &**name == "*") || one(&self.tools, facts.tool);
        let args = || !point.has_arguments() || self.args_fit(input, deadline);
        let tool = (!point.has_tool() || tools) && args();
        let events = point != Point::Event
            || self.events.is_empty()
            || facts.event.is_some_and(|event| self.events.iter().any(|name| covers(name, event)));
        let status = point != Point::Delegation
            || facts.status.is_none_or(|status| {
                one(&self.status, Some(status)) && (!self.status.is_empty() || status == "success")
            });
        let session = one(&self.sessions, facts.session);
        tool && events && status && session && one(&self.agents, facts.agent)
    }

    fn args_fit(&self, input: &Node<'_>, deadline: &Deadline) -> bool {
        let arguments = text::value_at(input, "/tool/arguments");
        self.args.iter().all(|condition| {
            let value = arguments.and_then(|arguments| text::value_at(arguments, &condition.path));
            condition.test.holds(value, deadline)
        })
    }
}

/// Whether a name in `match.events` covers an event.
fn covers(name: &str, event: &str) -> bool {
    match name.strip_suffix('*') {
        Some(start) => event.starts_with(start),
        None => name == event,
    }
}

impl ArgTest {
    /// The words of `op`.
    pub const OPS: &'static [&'static str] =
        &["equals", "not_equals", "contains", "starts_with", "glob", "regex", "exists"];

    fn holds(&self, value: Option<&Node<'_>>, deadline: &Deadline) -> bool {
        let Some(value) = value else { return matches!(self, Self::NotEquals(_)) };
        let text = value.as_str().unwrap_or(value.raw);
        match self {
            Self::Exists => true,
            Self::Equals(wanted) => text == &**wanted,
            Self::NotEquals(wanted) => text != &**wanted,
            Self::Contains(wanted) => text.contains(&**wanted),
            Self::StartsWith(wanted) => text.starts_with(&**wanted),
            Self::Glob(_, pattern) | Self::Regex(pattern) => {
                pattern.is_match(text, deadline).unwrap_or(true)
            }
        }
    }

    pub fn op(&self) -> &'static str {
        match self {
            Self::Exists => "exists",
            Self::Equals(_) => "equals",
            Self::NotEquals(_) => "not_equals",
            Self::Contains(_) => "contains",
            Self::StartsWith(_) => "starts_with",
            Self::Glob(..) => "glob",
            Self::Regex(_) => "regex",
        }
    }

    /// The operand, as it was written.
    pub fn value(&self) -> Option<&str> {
        match self {
            Self::Exists => None,
            Self::Equals(value)
            | Self::NotEquals(value)
            | Self::Contains(value)
            | Self::StartsWith(value)
            | Self::Glob(value, _) => Some(value),
            Self::Regex(pattern) => Some(pattern.as_str()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hook::text::LIMITS;
    use crate::json::parse;

    fn bash(command: &str) -> String {
        serde_json::json!({"tool": {"name": "Bash", "arguments": {"command": command, "n": 5}}})
            .to_string()
    }

    fn fits(matching: &HookMatch, tool: &str, command: &str) -> bool {
        let text = bash(command);
        let facts = MatchContext { tool: Some(tool), ..MatchContext::default() };
        matching.fits(Point::ToolCall, &facts, &parse(&text, LIMITS).unwrap(), &Deadline::default())
    }

    fn with(path: &str, test: ArgTest) -> HookMatch {
        let args = vec![ArgCondition { path: path.into(), test }];
        HookMatch { tools: vec!["Bash".into()], args, ..HookMatch::default() }
    }

    #[test]
    fn a_tool_and_its_arguments_are_matched() {
        let push = with("/command", ArgTest::StartsWith("git push".into()));
        assert!(fits(&push, "Bash", "git push -f"));
        assert!(!fits(&push, "Bash", "ls") && !fits(&push, "bash", "git push -f"));
        assert!(fits(&with("/n", ArgTest::Equals("5".into())), "Bash", ""));
        assert!(fits(&with("/gone", ArgTest::NotEquals("5".into())), "Bash", ""));
        assert!(!fits(&with("/gone", ArgTest::Exists), "Bash", ""));
        let any = HookMatch { tools: vec!["*".into()], ..HookMatch::default() };
        assert!(fits(&any, "anything", "") && fits(&HookMatch::default(), "anything", ""));
    }

    #[test]
    fn events_and_endings_are_matched_at_their_points_alone() {
        let input = parse("{}", LIMITS).unwrap();
        let events = HookMatch { events: vec!["memory:*".into()], ..HookMatch::default() };
        let event = |name| MatchContext { event: Some(name), ..MatchContext::default() };
        assert!(events.fits(Point::Event, &event("memory:changed"), &input, &Deadline::default()));
        assert!(!events.fits(Point::Event, &event("compile:done"), &input, &Deadline::default()));
        assert!(events.fits(
            Point::AfterCompress,
            &MatchContext::default(),
            &input,
            &Deadline::default()
        ));
        let ended = |status| MatchContext { status: Some(status), ..MatchContext::default() };
        let usual = HookMatch::default();
        assert!(usual.fits(Point::Delegation, &ended("success"), &input, &Deadline::default()));
        assert!(!usual.fits(Point::Delegation, &ended("failed"), &input, &Deadline::default()));
        let failures = HookMatch { status: vec!["failed".into()], ..HookMatch::default() };
        assert!(failures.fits(Point::Delegation, &ended("failed"), &input, &Deadline::default()));
        assert!(!failures.fits(Point::Delegation, &ended("success"), &input, &Deadline::default()));
        let agent = HookMatch { agents: vec!["a".into()], ..HookMatch::default() };
        assert!(!agent.fits(
            Point::AfterCompress,
            &MatchContext::default(),
            &input,
            &Deadline::default()
        ));
    }
}
