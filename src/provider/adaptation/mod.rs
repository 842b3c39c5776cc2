//! Converts what a target does not accept into what it does, before tokens are counted.
//!
//! Every loss has a note: nothing is removed from a payload silently. Works message by message and
//! depends on nothing that follows (except for thinking at the very end, which cannot stay there),
//! so a grown conversation keeps the bytes of its start.

mod built_in_calls;
mod call_half;
mod call_signatures;
mod calls;
mod compaction;
mod custom;
mod deferred_tools;
mod fields;
mod foreign_thinking;
mod item_ids;
mod item_pairs;
mod known_members;
mod losses;
mod media;
mod namespaces;
mod opaque_items;
mod parts;
mod reasoning_content;
mod result_media;
mod schema;
mod server_tool_ids;
mod server_tools;
mod tool_owner;
mod tool_references;
mod tools;

pub use built_in_calls::{built_in_as_functions, convert_built_in_calls};
pub use calls::means;
pub use namespaces::{call_namespace, called_name, grouped_name, with_namespace_functions};
pub use opaque_items::is_tool_change;
pub use schema::shown_properties;

use std::collections::HashSet;

use super::words::{list_names, shown};
use crate::domain::{Content, Conversation, Extra, Message, Notes, Part, Role, Source, Target};
use crate::provider::{CLEAR_AT, Destination, MISTRAL_PREFIX, OUTPUT_CONFIG};
use calls::valid_participant;
use known_members::is_known_of_message;

/// Adapts a conversation to its destination. Messages without content for it are removed.
pub fn adapt(conversation: &mut Conversation, destination: Destination, notes: &mut Notes) {
    let mut adapter = ConversationAdapter::new(conversation.source, destination, notes);
    adapter.namespaces(conversation);
    adapter.tools(&mut conversation.tools);
    adapter.tool_references(&mut conversation.history, &conversation.tools);
    adapter.calls(&mut conversation.history);
    conversation.system.retain_mut(|message| adapter.message(message, MessageRegion::Head));
    conversation.history.retain_mut(|message| adapter.message(message, MessageRegion::History));
    adapter.compaction(&mut conversation.history);
    adapter.item_pairs(&mut conversation.history);
    adapter.item_ids(&mut conversation.history);
    adapter.server_tools(&mut conversation.history);
    adapter.server_tool_ids(&mut conversation.history);
    adapter.trailing_thinking(&mut conversation.history);
    adapter.result_media(&mut conversation.history);
    if destination.signs_calls {
        adapter.sign_calls(&mut conversation.history);
    }
    adapter.reasoning_content(&mut conversation.history);
}

/// Adapts results of tools without a conversation: their content alone, no ids and no names.
pub fn adapt_results(results: &mut Vec<Message>, target: Target, notes: &mut Notes) {
    let mut adapter = ConversationAdapter::new(Source::from(target), target.into(), notes);
    results.retain_mut(|message| adapter.message_parts(message, MessageRegion::History));
    adapter.result_media(results);
}

/// The state that all steps share.
struct ConversationAdapter<'n> {
    source: Source,
    target: Target,
    destination: Destination,
    notes: &'n mut Notes,
    /// Ids of the reasoning items that are sent.
    reasoned: HashSet<String>,
}

/// The position of a message in the payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MessageRegion {
    /// Among the leading system messages.
    Head,
    History,
}

impl<'n> ConversationAdapter<'n> {
    fn new(source: Source, destination: Destination, notes: &'n mut Notes) -> Self {
        let target = destination.target;
        Self { source, target, destination, notes, reasoned: HashSet::new() }
    }
}

impl ConversationAdapter<'_> {
    /// Adapts one message; false takes it out.
    fn message(&mut self, message: &mut Message, place: MessageRegion) -> bool {
        if message.role == Role::System {
            self.system(message, place);
        }
        if message.name.is_some()
            && (matches!(self.target, Target::Anthropic | Target::Gemini | Target::OpenaiResponses)
                || self.destination.is_mistral)
        {
            // A tool's name is kept with its result; only a participant's is lost.
            if message.role != Role::Tool {
                let name = message.name.as_deref().unwrap_or_default();
                let at = pointer(self.source, message.origin, place);
                self.notes.degraded("name_dropped", at, name);
            }
            message.name = None;
        }
        if let Some(name) = message.name.as_deref().and_then(valid_participant)
            && self.target == Target::Openai
        {
            let old = message.name.as_deref().unwrap_or_default();
            let at = pointer(self.source, message.origin, place);
            self.notes.degraded("name_renamed", at, format!("{} → {name}", shown(old)));
            message.name = Some(name);
        }
        let thinking = self.foreign_thinking(message);
        if !message.extra.is_empty() {
            self.message_extra(message, place);
        }
        if !self.message_parts(message, place) {
            return false;
        }
        message.parts.splice(..0, thinking);
        true
    }

    fn system(&mut self, message: &mut Message, place: MessageRegion) {
        let (source, origin) = (self.source, message.origin);
        let at = || pointer(source, origin, place);
        match self.target {
            Target::Anthropic | Target::Gemini
                if place == MessageRegion::History && !self.destination.takes_system =>
            {
                let detail = "system text stands before all messages there";
                self.notes.degraded("system_hoisted", at(), detail);
            }
            Target::Neutral if message.role_word.is_some() => {
                let detail = message.role_word.unwrap_or_default();
                self.notes.degraded("role_generalised", at(), detail);
            }
            // DeepSeek, Qwen and Mistral know `system` alone:
            // <https://api-docs.deepseek.com/api/create-chat-completion>
            Target::Openai | Target::OpenaiResponses
                if !self.destination.takes_developer && message.role_word.is_some() =>
            {
                let detail = message.role_word.take().unwrap_or_default();
                self.notes.degraded("role_generalised", at(), detail);
            }
            _ => {}
        }
    }

    /// Anthropic refuses an assistant message that ends in thinking. Neighbouring messages of
    /// the assistant are written as one, so only the last of them counts.
    fn trailing_thinking(&mut self, history: &mut Vec<Message>) {
        if self.target != Target::Anthropic {
            return;
        }
        let mut found = Vec::new();
        let mut goes_on = false;
        for message in history.iter_mut().rev().filter(|message| message.role != Role::System) {
            let is_assistant = message.role == Role::Assistant;
            if is_assistant && !goes_on {
                let is_thinking = |part: &&Part| is_thinking(part);
                let thoughts = message.parts.iter().rev().take_while(is_thinking).count();
                message.parts.truncate(message.parts.len().saturating_sub(thoughts));
                let empty = message.parts.is_empty();
                if thoughts > 0 {
                    found.push((message.origin, thoughts, empty));
                }
                if empty {
                    continue;
                }
            }
            goes_on = is_assistant;
        }
        for (origin, thoughts, empty) in found.into_iter().rev() {
            let at = pointer(self.source, origin, MessageRegion::History);
            let detail = losses::count(thoughts);
            self.notes.degraded("trailing_thinking_dropped", at.clone(), detail);
            if empty {
                self.notes.degraded("empty_message_dropped", at, "");
            }
        }
        history.retain(|message| message.role != Role::Assistant || !message.parts.is_empty());
    }

    /// Uninterpreted fields are kept only for a target that may know them.
    fn message_extra(&mut self, message: &mut Message, place: MessageRegion) {
        let keeps = match self.target {
            Target::Neutral => true,
            Target::Openai if self.destination.is_mistral => false,
            Target::Openai => matches!(self.source, Source::Openai | Source::Neutral),
            Target::OpenaiResponses => self.source == Source::OpenaiResponses,
            // Both refuse fields that they do not know.
            Target::Anthropic | Target::Gemini => false,
        };
        if keeps && !self.destination.refuses_unknown {
            return;
        }
        let kept = if keeps {
            let extra = std::mem::take(&mut message.extra);
            let (known, others) =
                extra.into_iter().partition(|(name, _)| is_known_of_message(name));
            message.extra = others;
            known
        } else {
            self.placed_members(message, place)
        };
        let at = pointer(self.source, message.origin, place);
        let mut lost: Vec<&str> = Vec::new();
        let mut refusal = None;
        for (name, raw) in &message.extra {
            match &**name {
                "refusal" if fields::string_value(raw).is_some() => {
                    refusal = fields::string_value(raw);
                }
                name if fields::says_something(name, raw) => lost.push(name),
                _ => {}
            }
        }
        if !lost.is_empty() {
            self.notes.degraded("extra_dropped", at.clone(), list_names(&lost));
        }
        if let Some(text) = refusal {
            self.notes.degraded("refusal_as_text", at, "");
            message.parts.push(Part::text(text));
        }
        message.extra = kept;
    }

    /// Takes the members out that a system message keeps in its place between the others.
    fn placed_members(&self, message: &mut Message, place: MessageRegion) -> Extra {
        let is_placed = message.role == Role::System
            && place == MessageRegion::History
            && self.destination.takes_system
            && matches!(self.source, Source::Anthropic | Source::Neutral);
        let is_kept = |name: &str| match name {
            CLEAR_AT | OUTPUT_CONFIG => is_placed,
            MISTRAL_PREFIX => self.destination.is_mistral,
            _ => false,
        };
        let extra = std::mem::take(&mut message.extra);
        let (kept, others) = extra.into_iter().partition(|(name, _)| is_kept(name));
        message.extra = others;
        kept
    }
}

fn is_thinking(part: &Part) -> bool {
    matches!(part.content, Content::Thinking(_))
}

/// JSON Pointer to a message of the request.
fn pointer(source: Source, origin: Option<usize>, place: MessageRegion) -> String {
    let (list, system) = match source {
        Source::Openai | Source::Neutral => ("messages", "messages"),
        Source::OpenaiResponses => ("input", "instructions"),
        Source::Anthropic => ("messages", "system"),
        Source::Gemini => ("contents", "systemInstruction"),
    };
    match origin {
        Some(index) => format!("/{list}/{index}"),
        None if place == MessageRegion::Head => format!("/{system}"),
        None => format!("/{list}"),
    }
}

#[cfg(test)]
mod tests;
