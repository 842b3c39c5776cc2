//! The conversation under a pack: the task, the turns around it, the caller's tools.

use std::sync::Arc;

use serde_json::json;

use super::blocks::Maker;
use super::buckets::Output as Buckets;
use super::ledger::hash;
use super::render::{self, place, redacted, spoken};
use super::tools::Output as Tools;
use super::{last_user, words};
use crate::domain::{
    ContentHash, Conversation, Extra, Message, Part, RawJson, Role, ToolDefinition, Turn, turns,
};
use crate::pack::Pack;
use crate::request::Invoke;

/// A conversation that is yet to be packed.
pub(super) struct Session {
    pub(super) task: String,
    /// What the caller's system messages say.
    pub(super) system: Vec<String>,
    conversation: Conversation,
    spans: Vec<Turn>,
    /// Where the task stands among the messages.
    at: Option<usize>,
}

impl Session {
    /// None where nothing is to be done.
    pub(super) fn of(mut conversation: Conversation, invoke: &Invoke) -> Option<Self> {
        let before = invoke.recent_turns.iter().map(|(role, text)| {
            let role = if **role == *"assistant" { Role::Assistant } else { Role::User };
            Message::text(role, Arc::clone(text))
        });
        conversation.history.splice(0..0, before);
        let at = last_user(&conversation.history, invoke.message.as_ref());
        let own = at.and_then(|at| conversation.history.get(at)).map(words);
        let task = invoke.message.as_ref().map(ToString::to_string).or(own)?;
        let system = conversation.system.iter().map(words).filter(|text| !text.is_empty());
        let system = system.collect();
        let spans = turns(&conversation.history);
        Some(Self { task, system, conversation, spans, at })
    }

    /// Over what was said, and by whom.
    pub(super) fn hash(&self) -> ContentHash {
        let system = &self.system;
        let history: Vec<String> = self.conversation.history.iter().map(spoken).collect();
        let tools: Vec<&Arc<str>> = self.conversation.tools.iter().map(|tool| &tool.name).collect();
        hash(&json!([system, history, tools]))
    }

    /// The turns around the task, by number and messages.
    fn around(&self) -> impl Iterator<Item = (usize, &Turn)> {
        let at = self.at;
        self.spans
            .iter()
            .enumerate()
            .filter(move |(_, span)| at.is_none_or(|at| !span.contains(&at)))
    }

    /// Makes a block of each turn. What answers the task is open: it stays whole.
    pub(super) fn turns(&self, maker: &mut Maker<'_>) {
        for (number, span) in self.around() {
            let messages = self.conversation.history.get(span.clone()).unwrap_or_default();
            let text: Vec<String> = messages.iter().map(spoken).collect();
            let is_open = self.at.is_some_and(|at| span.start > at);
            maker.turn(number, text.join("\n"), is_open);
        }
    }

    /// What is sent, and the caller's tools that are nobody's.
    pub(super) fn into_conversation(
        self,
        pack: &Pack,
        tools: &Tools,
        buckets: &Buckets,
    ) -> (Conversation, Vec<Arc<str>>) {
        let redaction = &pack.policy.redaction;
        let kept: Vec<usize> = buckets
            .blocks
            .iter()
            .filter(|one| one.is_kept && &*one.block.bucket == "session")
            .filter_map(|one| place(&one.block.source))
            .collect();
        let aside: Vec<String> = buckets
            .blocks
            .iter()
            .filter(|one| one.is_kept && &*one.block.bucket == "session")
            .filter(|one| place(&one.block.source).is_none())
            .map(render::wrapped)
            .collect();
        let Self { task, conversation, spans, at, .. } = self;
        let Conversation { source, history, tools: own, .. } = conversation;
        let mut kept_history = Vec::new();
        let mut messages = history.into_iter().enumerate();
        for (number, span) in spans.into_iter().enumerate() {
            let is_task = at.is_some_and(|at| span.contains(&at));
            for (_, message) in messages.by_ref().take(span.len()) {
                if is_task {
                    kept_history.push(with_aside(redacted(message, redaction), &aside));
                } else if kept.contains(&number) {
                    kept_history.push(redacted(message, redaction));
                }
            }
        }
        if at.is_none() {
            let message = redacted(Message::text(Role::User, task), redaction);
            kept_history.push(with_aside(message, &aside));
        }
        let head = render::text(buckets, |bucket| !matches!(bucket, "session" | "task"));
        let system =
            if head.is_empty() { Vec::new() } else { vec![Message::text(Role::System, head)] };
        let (tools, foreign) = allowed(&own, pack, tools, buckets);
        (Conversation { source, system, history: kept_history, tools }, foreign)
    }
}

/// A message with blocks before its own parts.
fn with_aside(mut message: Message, aside: &[String]) -> Message {
    let parts = aside.iter().map(|text| Part::text(text.as_str()));
    message.parts.splice(0..0, parts);
    message
}

/// The name of a capability where a provider allows no dot.
fn wire_name(key: &str) -> String {
    key.replace('.', "__")
}

/// The caller's tools that are shown, those that the pack describes itself, and the caller's that the
/// registry does not know.
fn allowed(
    given: &[ToolDefinition],
    pack: &Pack,
    tools: &Tools,
    buckets: &Buckets,
) -> (Vec<ToolDefinition>, Vec<Arc<str>>) {
    let is = |tool: &ToolDefinition, key: &str| *tool.name == *key || *tool.name == wire_name(key);
    let foreign: Vec<Arc<str>> = given
        .iter()
        .filter(|tool| !pack.capabilities.iter().any(|own| is(tool, &own.key)))
        .map(|tool| Arc::clone(&tool.name))
        .collect();
    let mut shown = Vec::new();
    for surfaced in &tools.surfaced {
        let capability = &surfaced.capability;
        if !buckets.has("tools", &capability.key) {
            continue;
        }
        if let Some(schema) = &capability.input_schema {
            shown.push(ToolDefinition {
                name: wire_name(&capability.key).into(),
                description: capability.description.clone(),
                parameters: Some(RawJson::new(Arc::clone(schema))),
                cache: None,
                extra: Extra::new(),
                opaque: None,
                origin: "/pack".into(),
            });
        } else if let Some(tool) = given.iter().find(|tool| is(tool, &capability.key)) {
            shown.push(tool.clone());
        }
    }
    (shown, foreign)
}
