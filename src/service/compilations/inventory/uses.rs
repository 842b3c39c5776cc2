//! Uses of what a conversation was shown: the messages of the model that show one, by their age in turns.

use std::sync::Arc;

use memchr::memmem::Finder;
use serde_json::Value;

use crate::domain::{Conversation, Message, Role, ToolPattern};
use crate::pipeline::{Deadline, StopReason};
use crate::request::RequestMemoryEntry;
use crate::service::tools::named_keys;

/// Characters of the shortest value that is looked for: a shorter one is in many texts by chance.
const MIN_VALUE_CHARACTERS: usize = 8;

/// A message, and how many turns are after it.
pub(super) struct AgedMessage<'c> {
    pub(super) message: &'c Message,
    pub(super) age: u64,
}

/// The history, newest message first. A turn is a message of the assistant.
pub(super) fn by_age(conversation: &Conversation) -> impl Iterator<Item = AgedMessage<'_>> {
    let mut age = 0_u64;
    conversation.history.iter().rev().map(move |message| {
        let aged = AgedMessage { message, age };
        age += u64::from(message.role == Role::Assistant);
        aged
    })
}

/// What the model wrote: its messages, newest first, with what is looked for in them.
pub(super) struct WrittenMessages {
    messages: Vec<WrittenMessage>,
    /// The newest turns that count.
    turns: u64,
}

struct WrittenMessage {
    age: u64,
    /// Names of the tools that it calls.
    tools: Vec<Arc<str>>,
    /// Keys of the memory entries that its calls name.
    keys: Vec<Arc<str>>,
    /// Its texts, and the texts in the arguments of its calls.
    texts: Vec<Arc<str>>,
}

/// How often something was used, and how many turns ago.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct UseCount {
    /// Messages within the newest turns; none if it is not known.
    pub(super) uses: Option<u64>,
    /// Turns since the last use, within the newest turns or before.
    pub(super) turns_since: Option<u64>,
}

impl WrittenMessages {
    pub(super) fn read(conversation: &Conversation, turns: usize) -> Self {
        let own = by_age(conversation).filter(|aged| aged.message.role == Role::Assistant);
        Self {
            messages: own.map(WrittenMessage::read).collect(),
            turns: u64::try_from(turns).unwrap_or(u64::MAX),
        }
    }

    /// Uses of a memory entry: calls of memory tools that name its key, and texts that have its value, or
    /// one of its values if it changed. Not known if the value is too short to be looked for and no call
    /// names the key.
    pub(super) fn of_memory(
        &self,
        key: &str,
        entries: &[&RequestMemoryEntry],
        deadline: &Deadline,
    ) -> Result<UseCount, StopReason> {
        let values = entries.iter().map(|entry| entry.value.trim());
        let is_long = |value: &&str| value.chars().nth(MIN_VALUE_CHARACTERS - 1).is_some();
        let finders: Vec<Finder<'_>> = values.filter(is_long).map(Finder::new).collect();
        let mut ages = Vec::new();
        for message in &self.messages {
            deadline.check()?;
            let has = |text: &Arc<str>| finders.iter().any(|finder| repeats(text, finder));
            if message.keys.iter().any(|own| **own == *key) || message.texts.iter().any(has) {
                ages.push(message.age);
            }
        }
        let is_known = !finders.is_empty() || !ages.is_empty();
        Ok(if is_known { self.count(&ages) } else { UseCount::default() })
    }

    /// Uses of a skill: calls of its tools, which it may name by patterns and with what they may do, as
    /// in `Bash(git *)`. Not known if it names none.
    pub(super) fn of_tools(&self, allowed: &[Arc<str>]) -> UseCount {
        let name = |allowed: &Arc<str>| {
            let name = allowed.split('(').next().unwrap_or_default().trim();
            name.parse::<ToolPattern>().ok()
        };
        let patterns: Vec<ToolPattern> = allowed.iter().filter_map(name).collect();
        if patterns.is_empty() {
            return UseCount::default();
        }
        let covers = |tool: &Arc<str>| patterns.iter().any(|pattern| pattern.covers(tool));
        let used = self.messages.iter().filter(|message| message.tools.iter().any(covers));
        self.count(&used.map(|message| message.age).collect::<Vec<_>>())
    }

    /// `ages` are in rising order.
    fn count(&self, ages: &[u64]) -> UseCount {
        let newest = ages.iter().filter(|age| **age < self.turns).count();
        UseCount { uses: Some(newest as u64), turns_since: ages.first().copied() }
    }
}

impl WrittenMessage {
    fn read(AgedMessage { message, age }: AgedMessage<'_>) -> Self {
        let mut texts: Vec<Arc<str>> =
            message.parts.iter().filter_map(|part| part.as_text().cloned()).collect();
        let (mut tools, mut keys) = (Vec::new(), Vec::new());
        for call in message.tool_calls() {
            tools.push(Arc::clone(&call.name));
            keys.extend(named_keys(call));
            match serde_json::from_str(&call.arguments) {
                Ok(arguments) => add_texts(arguments, &mut texts),
                // The arguments of a custom tool are a text.
                Err(_) => texts.push(Arc::clone(&call.arguments)),
            }
        }
        Self { age, tools, keys, texts }
    }
}

/// Whether a text has a value that is no part of a longer word.
fn repeats(text: &str, finder: &Finder<'_>) -> bool {
    let length = finder.needle().len();
    let is_word = |character: Option<char>| character.is_some_and(char::is_alphanumeric);
    finder.find_iter(text.as_bytes()).any(|at| {
        let (before, from) = text.split_at(at);
        let (value, after) = from.split_at(length);
        let goes_on =
            |inside: Option<char>, outside: Option<char>| is_word(inside) && is_word(outside);
        !goes_on(value.chars().next(), before.chars().next_back())
            && !goes_on(value.chars().next_back(), after.chars().next())
    })
}

/// Adds the texts in a JSON value, whose depth its parser limits.
fn add_texts(value: Value, texts: &mut Vec<Arc<str>>) {
    match value {
        Value::String(text) => texts.push(text.into()),
        Value::Array(items) => items.into_iter().for_each(|item| add_texts(item, texts)),
        Value::Object(members) => {
            members.into_iter().for_each(|(_, member)| add_texts(member, texts));
        }
        _ => {}
    }
}
