//! Lists of messages on their way to hooks and back.
//!
//! A message that comes back as it was shown is the message that it was, with its count, its cache
//! marks and everything that the neutral shape does not say.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use crate::domain::{Content, Conversation, Message, Note, Notes, Part, Role, Source};
use crate::json::{Faults, JsonText, Limits, Node, canonical_with_nulls, parse};
use crate::pipeline::intake;
use crate::pipeline::manifest::MessageName;
use crate::provider::{self, Destination};

/// Limits of a list: a little more than those of the request that it was made of.
const LIST_LIMITS: Limits = Limits { depth: 160, values: 2_000_000 };

/// Messages as a hook is shown them: in neutral shape, each with an id.
#[derive(Debug)]
pub(crate) struct ShownMessages {
    messages: Vec<Message>,
    text: String,
}

/// A valid list that a hook returned, with the notes on its messages.
#[derive(Debug)]
pub(crate) struct ReturnedList {
    messages: Vec<ReturnedMessage>,
    notes: Notes,
}

/// A message of a list that a hook returned.
#[derive(Debug)]
enum ReturnedMessage {
    /// The message at this index, as it was.
    Same(usize),
    /// Another one in the place of the message at this index.
    Instead(usize, Message),
    New(Message),
}

/// A valid message, and the index of the one that it was or replaces.
#[derive(Debug)]
pub(crate) struct AcceptedMessage {
    pub(crate) message: Message,
    pub(crate) of: Option<usize>,
}

impl ShownMessages {
    pub(crate) fn new<'m>(messages: impl Iterator<Item = &'m Message>) -> Self {
        let named = messages.enumerate().map(|(at, message)| {
            let mut own = message.clone();
            own.id.get_or_insert_with(|| MessageName::new(message, at).id.into());
            own
        });
        let messages: Vec<Message> = named.collect();
        let text = provider::write_messages(&messages);
        Self { messages, text }
    }

    pub(crate) fn json(&self) -> JsonText<'_> {
        JsonText::new(&self.text)
    }

    /// Reads a list that a hook returned, or says what is wrong with it.
    pub(crate) fn read(&self, payload: &str) -> Result<ReturnedList, String> {
        let body = format!("{{\"messages\":{payload}}}");
        let node = parse(&body, LIST_LIMITS).map_err(|error| error.to_string())?;
        let (mut faults, mut notes) = (Faults::default(), Notes::default());
        let read = provider::read(&node, Source::Neutral, &mut faults, &mut notes);
        if let Some(fault) = faults.into_vec().first() {
            return Err(format!("{}: {}", fault.pointer, fault.detail));
        }
        if read.system.is_empty() && read.history.is_empty() {
            return Err("/messages: must not be empty".to_owned());
        }
        let items = node.get("messages").and_then(Node::as_array).unwrap_or_default();
        let shown = parse(&self.text, LIST_LIMITS).map_err(|error| error.to_string())?;
        let shown = shown.as_array().unwrap_or_default();
        let mut places: HashMap<String, VecDeque<usize>> = HashMap::new();
        for (at, node) in shown.iter().enumerate() {
            places.entry(canonical(node)).or_default().push_back(at);
        }
        let same: Vec<Option<usize>> = items
            .iter()
            .map(|node| places.get_mut(&canonical(node)).and_then(VecDeque::pop_front))
            .collect();
        let mut taken: HashSet<usize> = same.iter().flatten().copied().collect();
        let sealed = self.sealed();
        let mut came = Vec::with_capacity(items.len());
        let mut last = None;
        for message in read.system.into_iter().chain(read.history) {
            let at = message.origin.unwrap_or_default();
            let goes_on = last.replace(at) == Some(at);
            if let Some(index) = same.get(at).copied().flatten() {
                came.extend((!goes_on).then_some(ReturnedMessage::Same(index)));
                continue;
            }
            let is_known = |part: &Part| {
                let same =
                    |own: &&Part| own.content == part.content && own.signature == part.signature;
                !is_sealed(part) || sealed.iter().any(same)
            };
            if !message.parts.iter().all(is_known) {
                return Err(format!(
                    "/messages/{at}: what only its provider can read is whole or absent, never new"
                ));
            }
            came.push(match self.named(&message, &mut taken) {
                Some(index) => ReturnedMessage::Instead(index, message),
                None => ReturnedMessage::New(message),
            });
        }
        Ok(ReturnedList { messages: came, notes })
    }

    /// Finds the message with this id.
    fn named(&self, message: &Message, taken: &mut HashSet<usize>) -> Option<usize> {
        let id = message.id.as_ref()?;
        let is_it = |(at, own): &(usize, &Message)| {
            own.id.as_ref() == Some(id) && own.role == message.role && !taken.contains(at)
        };
        let (found, _) = self.messages.iter().enumerate().find(is_it)?;
        taken.insert(found);
        Some(found)
    }

    fn sealed(&self) -> Vec<&Part> {
        let parts = self.messages.iter().flat_map(|message| &message.parts);
        parts.filter(|part| is_sealed(part)).collect()
    }
}

impl ReturnedList {
    /// Repairs the list for the target as a request's list. None if it is the list that was shown.
    pub(crate) fn settle(
        self,
        originals: &[&Message],
        source: Source,
        destination: Destination,
        notes: &mut Notes,
    ) -> Option<Vec<AcceptedMessage>> {
        let Self { messages: returned, notes: read_notes } = self;
        let mut whole = returned.len() == originals.len();
        // Repairs may move, part and drop messages, so each carries its number on the way.
        let mut tickets: Vec<(Option<usize>, Option<Arc<str>>)> = Vec::new();
        let mut messages = Vec::with_capacity(returned.len());
        for (at, came) in returned.into_iter().enumerate() {
            whole &= matches!(came, ReturnedMessage::Same(index) if index == at);
            let original = |index: usize| originals.get(index).copied();
            let (mut message, of) = match came {
                ReturnedMessage::Same(index) => (original(index)?.clone(), Some(index)),
                ReturnedMessage::Instead(index, message) => {
                    let own = original(index)?;
                    let (id, origin) = (own.id.clone(), own.origin);
                    (Message { id, origin, role_word: own.role_word, ..message }, Some(index))
                }
                ReturnedMessage::New(message) => (Message { origin: None, ..message }, None),
            };
            let id = message.id.replace(ticket(tickets.len()));
            tickets.push((of, id));
            messages.push(message);
        }
        if whole {
            return None;
        }
        let lead = messages.iter().take_while(|message| message.role == Role::System).count();
        let history = messages.split_off(lead);
        let conversation = Conversation { source, system: messages, history, tools: Vec::new() };
        let mut mended = Notes::default();
        let conversation = intake::mend(conversation, destination, &mut mended);
        for more in [read_notes, mended] {
            add_new(&mut notes.degraded, more.degraded);
            add_new(&mut notes.repairs, more.repairs);
            add_new(&mut notes.warnings, more.warnings);
        }
        let all = conversation.system.into_iter().chain(conversation.history);
        let settled = all.map(|mut message| {
            let number = message.id.as_deref().and_then(number);
            let (of, id) = number.and_then(|at| tickets.get(at).cloned()).unwrap_or_default();
            message.id = id;
            AcceptedMessage { message, of }
        });
        Some(settled.collect())
    }
}

/// Whether a part is signed, or an item of its provider's own.
fn is_sealed(part: &Part) -> bool {
    part.signature.is_some()
        || match &part.content {
            Content::Opaque { .. } => true,
            Content::Thinking(thinking) => thinking.opaque.is_some(),
            _ => false,
        }
}

fn canonical(node: &Node<'_>) -> String {
    let mut text = String::new();
    canonical_with_nulls(&mut text, node);
    text
}

fn ticket(number: usize) -> Arc<str> {
    format!("\u{1}{number}").into()
}

fn number(ticket: &str) -> Option<usize> {
    ticket.strip_prefix('\u{1}')?.parse().ok()
}

/// Adds notes; a note on a message is not repeated.
fn add_new(known: &mut Vec<Note>, more: Vec<Note>) {
    for note in more {
        if !known.contains(&note) {
            known.push(note);
        }
    }
}
