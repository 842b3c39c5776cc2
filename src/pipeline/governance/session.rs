//! The conversation under a pack: the task, the turns around it, the caller's tools.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use super::blocks::{BlockMaker, SUMMARY_KIND, turn_number};
use super::buckets::{Output as Buckets, PackedBlock};
use super::ledger::hash;
use super::redaction::{RuleHits, clean_message, redact_message};
use super::rendering::{RenderedText, message_text};
use super::tools::Output as Tools;
use super::{find_task, join_texts};
use crate::domain::{
    Content, ContentHash, Conversation, Extra, Message, OmittedHistory, Part, RawJson, Role,
    Target, ToolDefinition, Turn, turns,
};
use crate::pack::{Pack, Redactor};
use crate::request::InvokeOptions;

/// A conversation that is yet to be packed.
pub(super) struct GovernedSession {
    pub(super) task: String,
    /// Texts of the caller's system messages.
    pub(super) system: Vec<String>,
    /// Its messages are without what rules redact.
    conversation: Conversation,
    spans: Vec<Turn>,
    /// The texts of its messages before redaction.
    spoken: Vec<String>,
    /// Hits of rules in each of them.
    hits: Vec<RuleHits>,
    /// The index of the task among the messages.
    at: Option<usize>,
}

impl GovernedSession {
    /// None if there is no task.
    pub(super) fn new(
        mut conversation: Conversation,
        invoke: &InvokeOptions,
        redaction: Redactor<'_>,
    ) -> Option<Self> {
        let before = invoke.recent_turns.iter().map(|(role, text)| {
            let role = if **role == *"assistant" { Role::Assistant } else { Role::User };
            Message::text(role, Arc::clone(text))
        });
        conversation.history.splice(0..0, before);
        let at = find_task(&conversation.history, invoke.message.as_ref());
        let own = at.and_then(|at| conversation.history.get(at)).map(join_texts);
        let task = invoke.message.as_ref().map(ToString::to_string).or(own)?;
        let system = conversation.system.iter().map(join_texts).filter(|text| !text.is_empty());
        let system = system.collect();
        let spans = turns(&conversation.history);
        let spoken = conversation.history.iter().map(message_text).collect();
        let history = std::mem::take(&mut conversation.history);
        let clean = history.into_iter().map(|message| clean_message(message, redaction));
        let (history, hits) = clean.unzip();
        conversation.history = history;
        Some(Self { task, system, conversation, spans, spoken, hits, at })
    }

    /// Hashes the texts and their roles.
    pub(super) fn hash(&self) -> ContentHash {
        let tools: Vec<&Arc<str>> = self.conversation.tools.iter().map(|tool| &tool.name).collect();
        hash(&(&self.system, &self.spoken, tools))
    }

    /// The messages of turns.
    pub(super) fn messages(&self, turns: &[usize]) -> Vec<&Message> {
        let spans = turns.iter().filter_map(|turn| self.spans.get(*turn));
        spans
            .flat_map(|span| self.conversation.history.get(span.clone()).unwrap_or_default())
            .collect()
    }

    /// The turns around the task, by number and messages.
    fn other_turns(&self) -> impl Iterator<Item = (usize, &Turn)> {
        let at = self.at;
        self.spans
            .iter()
            .enumerate()
            .filter(move |(_, span)| at.is_none_or(|at| !span.contains(&at)))
    }

    /// Makes a block of each turn. Turns after the task are open: they stay whole.
    pub(super) fn turns(&self, maker: &mut BlockMaker<'_>) {
        for (number, span) in self.other_turns() {
            let messages = self.conversation.history.get(span.clone()).unwrap_or_default();
            let texts: Vec<String> = messages.iter().map(message_text).collect();
            let mut hits = RuleHits::new();
            for (id, count) in self.hits.get(span.clone()).unwrap_or_default().iter().flatten() {
                *hits.entry(Arc::clone(id)).or_default() += count;
            }
            let is_open = self.at.is_some_and(|at| span.start > at);
            maker.turn(number, texts.join("\n"), hits, is_open);
        }
    }

    /// The messages whose turns have no room in the session's bucket.
    pub(super) fn omitted(&self, buckets: &Buckets) -> OmittedHistory {
        let of_session = || buckets.blocks.iter().filter(|one| &*one.block.bucket == "session");
        let summary = of_session().find(|one| one.is_kept && &*one.block.kind == SUMMARY_KIND);
        let (mut summarized, mut dropped, mut tokens) = (Vec::new(), Vec::new(), 0_u64);
        for one in of_session().filter(|one| !one.is_kept) {
            let Some(number) = turn_number(&one.block.source) else { continue };
            let list =
                if one.is_summarized && summary.is_some() { &mut summarized } else { &mut dropped };
            list.push(number);
            tokens += one.block.tokens;
        }
        summarized.sort_unstable();
        dropped.sort_unstable();
        let own = |turns: &[usize]| self.messages(turns).into_iter().cloned().collect();
        OmittedHistory {
            summarized: own(&summarized),
            dropped: own(&dropped),
            summary: summary.map(|one| one.block.text.as_str().into()),
            saved_tokens: tokens.saturating_sub(summary.map_or(0, |one| one.block.tokens)),
        }
    }

    /// The conversation to send, and the caller's tools that are not in the registry.
    pub(super) fn into_conversation(
        self,
        pack: &Pack,
        redaction: Redactor<'_>,
        tools: &Tools<'_>,
        buckets: &Buckets,
        rendered: &RenderedText,
    ) -> (Conversation, Vec<Arc<str>>) {
        let of_session = || {
            let blocks = buckets.blocks.iter().enumerate();
            blocks.filter(|(_, one)| one.is_kept && &*one.block.bucket == "session")
        };
        let kept: HashSet<usize> =
            of_session().filter_map(|(_, one)| turn_number(&one.block.source)).collect();
        let is_summary = |one: &PackedBlock| &*one.block.kind == SUMMARY_KIND;
        let aside: Vec<&str> = of_session()
            .filter(|(_, one)| turn_number(&one.block.source).is_none() && !is_summary(one))
            .map(|(at, _)| rendered.block(at))
            .collect();
        let Self { task, conversation, spans, at, .. } = self;
        let Conversation { source, history, tools: own, .. } = conversation;
        let summaries = of_session().filter(|(_, one)| is_summary(one));
        let mut kept_history: Vec<Message> =
            summaries.map(|(at, _)| Message::text(Role::User, rendered.block(at))).collect();
        let mut messages = history.into_iter().enumerate();
        for (number, span) in spans.into_iter().enumerate() {
            let is_task = at.is_some_and(|at| span.contains(&at));
            for (_, message) in messages.by_ref().take(span.len()) {
                if is_task {
                    kept_history.push(with_aside(message, &aside));
                } else if kept.contains(&number) {
                    kept_history.push(message);
                }
            }
        }
        if at.is_none() {
            let message = redact_message(Message::text(Role::User, task), redaction);
            kept_history.push(with_aside(message, &aside));
        }
        let head = rendered.head();
        let system =
            if head.is_empty() { Vec::new() } else { vec![Message::text(Role::System, head)] };
        let (tools, foreign) = allow_tools(&own, pack, tools, buckets);
        (Conversation { source, system, history: kept_history, tools }, foreign)
    }
}

/// A message with blocks before its own parts.
fn with_aside(mut message: Message, aside: &[&str]) -> Message {
    let parts = aside.iter().map(|text| Part::text(*text));
    message.parts.splice(0..0, parts);
    message
}

/// The name of a capability for providers that allow no dot.
fn wire_name(key: &str) -> String {
    key.replace('.', "__")
}

/// Gives the caller's tools that are named by the keys of capabilities, and their calls, the names that
/// providers take which allow no dot.
pub(super) fn use_wire_names(conversation: &mut Conversation, pack: &Pack, target: Target) {
    if matches!(target, Target::Gemini | Target::Neutral) || conversation.tools.is_empty() {
        return;
    }
    let keys: HashSet<&str> = pack.capabilities.iter().map(|own| &*own.key).collect();
    let rename = |name: &mut Arc<str>| {
        if keys.contains(&**name) {
            *name = wire_name(name).into();
        }
    };
    conversation.tools.iter_mut().for_each(|tool| rename(&mut tool.name));
    for part in conversation.history.iter_mut().flat_map(|message| &mut message.parts) {
        match &mut part.content {
            Content::ToolCall(call) => rename(&mut call.name),
            Content::ToolResult(result) => result.name.iter_mut().for_each(rename),
            _ => {}
        }
    }
}

/// The caller's tools that are shown and those that the pack describes itself, and the names of
/// the caller's tools that are not in the registry.
fn allow_tools(
    given: &[ToolDefinition],
    pack: &Pack,
    tools: &Tools<'_>,
    buckets: &Buckets,
) -> (Vec<ToolDefinition>, Vec<Arc<str>>) {
    // Usually the caller has no tools: the registry is searched only if it has some.
    let mut known: HashSet<Cow<'_, str>> = HashSet::new();
    if !given.is_empty() {
        let keys = pack.capabilities.iter().map(|own| &*own.key);
        known.extend(keys.flat_map(|key| [key.into(), wire_name(key).into()]));
    }
    let foreign = given.iter().map(|tool| &tool.name).filter(|name| !known.contains(&***name));
    let foreign: Vec<Arc<str>> = foreign.cloned().collect();
    let named =
        |key: &str, wire: &str| given.iter().find(|tool| *tool.name == *key || *tool.name == *wire);
    let kept = buckets.kept("tools");
    let mut shown = Vec::new();
    for surfaced in &tools.surfaced {
        let capability = surfaced.capability;
        if !kept.contains(&*capability.key) {
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
        } else if !given.is_empty()
            && let Some(tool) = named(&capability.key, &wire_name(&capability.key))
        {
            shown.push(tool.clone());
        }
    }
    (shown, foreign)
}
