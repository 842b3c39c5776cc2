//! Repairs a history for every provider: each tool call has exactly one result, and the results
//! are directly after the message that calls, in the order of its calls.
//!
//! Providers refuse a request otherwise. Nothing is moved, dropped, renamed or added without a
//! line in the report. Linear in the number of messages and calls.

use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::sync::Arc;

use super::prose;
use crate::domain::{
    CallIds, Content, HalfFamily, HalfRole, ItemHalf, Message, Notes, Part, Role, ToolResult,
};
use crate::provider::{MISSING_RESULT, is_reference};

#[cfg(test)]
mod tests;

/// What a history is repaired for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RepairRules<'l> {
    /// The request key of the messages; pointers of notes begin with it.
    pub(crate) list: &'l str,
    /// Whether the provider finds items that the list refers to: the call of a result may be one.
    pub(crate) finds_references: bool,
}

/// Repairs a history. Without a note the history is unchanged, except for the names of results, which
/// are those of their calls.
pub(crate) fn repair(
    history: Vec<Message>,
    rules: RepairRules<'_>,
    notes: &mut Notes,
) -> Vec<Message> {
    let RepairRules { list, finds_references } = rules;
    let was_empty = history.is_empty();
    let history = split(history, list, notes);
    let mut pairing = Pairing::new(list, notes);
    let mut kept = Vec::with_capacity(history.len());
    let mut has_references = false;
    for mut message in history {
        match message.role {
            Role::Tool if has_references && !pairing.has_call(&message) => kept.push((message, 0)),
            Role::Tool => pairing.answer(message),
            Role::Assistant => {
                has_references |= finds_references && message.parts.iter().any(is_reference);
                let calls = pairing.open(&mut message);
                kept.push((message, calls));
            }
            Role::System | Role::User => {
                pairing.step();
                kept.push((message, 0));
            }
        }
    }
    let mut repaired = pairing.close(kept);
    if repaired.is_empty() && !was_empty {
        repaired.push(Message::text(Role::User, prose::CONVERSATION_OPENING));
    }
    repaired
}

/// Whether a repaired history ends in results of which some replace missing ones: the calls may
/// still be run, and the caller sends no payload before that.
pub(crate) fn awaits_results(history: &[Message]) -> bool {
    let is_stand_in = |part: &Part| match &part.content {
        Content::ToolResult(result) => {
            let text = result.content.first().and_then(Part::as_text);
            text.is_some_and(|text| &**text == MISSING_RESULT)
        }
        _ => false,
    };
    let results = history.iter().rev().take_while(|message| message.role == Role::Tool);
    // A result of the caller's own has a place in the request.
    let mut own = results.filter(|message| message.origin.is_none());
    own.any(|message| message.parts.iter().any(is_stand_in))
}

fn pointer(list: &str, origin: Option<usize>) -> String {
    match origin {
        Some(index) => format!("/{list}/{index}"),
        None => format!("/{list}"),
    }
}

/// An id as a note shows it: never longer than a line.
fn short_id(id: &str) -> String {
    id.chars().take(60).collect()
}

/// Brings every result into a `tool` message of its own, and everything else out of them.
fn split(history: Vec<Message>, list: &str, notes: &mut Notes) -> Vec<Message> {
    let is_result = |part: &Part| matches!(part.content, Content::ToolResult(_));
    let is_whole = |message: &Message| match message.role {
        Role::Tool => matches!(message.parts.as_slice(), [part] if is_result(part)),
        _ => !message.parts.iter().any(is_result),
    };
    if history.iter().all(is_whole) {
        return history;
    }
    let mut whole = Vec::with_capacity(history.len());
    for mut message in history {
        if is_whole(&message) {
            whole.push(message);
            continue;
        }
        let detail = "tool results and the parts next to them became messages of their own";
        notes.repaired("split_results", pointer(list, message.origin), detail);
        let parts = std::mem::take(&mut message.parts);
        let (results, rest): (Vec<_>, Vec<_>) = parts.into_iter().partition(is_result);
        let (id, origin) = (message.id.clone(), message.origin);
        let results = results.into_iter().map(|part| {
            let mut result = Message::new(Role::Tool, vec![part]);
            result.id.clone_from(&id);
            result.origin = origin;
            result
        });
        // A user's text next to results is placed after them: they answer the message before.
        let said_first = message.role == Role::Assistant;
        if message.role == Role::Tool {
            message.role = Role::User;
        }
        message.parts = rest;
        let rest = (!message.parts.is_empty()).then_some(message);
        if said_first {
            whole.extend(rest);
            whole.extend(results);
        } else {
            whole.extend(results);
            whole.extend(rest);
        }
    }
    whole
}

/// A call, and the first result that answers it.
#[derive(Debug)]
struct RepairedCall {
    /// Distinct among all calls.
    id: Arc<str>,
    name: Arc<str>,
    origin: Option<usize>,
    answer: Option<Message>,
}

/// Unanswered calls under one id, oldest first, by index.
#[derive(Debug, Default)]
struct UnansweredCalls {
    /// The block that `current` belongs to.
    block: usize,
    /// Calls of earlier blocks.
    old: VecDeque<usize>,
    current: VecDeque<usize>,
    /// The call that has the newest result.
    answered: Option<usize>,
}

impl UnansweredCalls {
    /// Makes `current` that of the given block.
    fn turn_to(&mut self, block: usize) {
        if self.block != block {
            self.old.append(&mut self.current);
            self.block = block;
        }
    }
}

/// Finds the call that each result answers, front to back.
///
/// Pairs results with calls: if an id is used again, a result answers the oldest open call of the
/// *block* it follows, assistant messages in a row that all call tools. Only then comes the oldest
/// open call of all, so that a call left unanswered long ago does not take the answer of the
/// newest.
#[derive(Debug)]
struct Pairing<'n> {
    list: &'n str,
    notes: &'n mut Notes,
    calls: Vec<RepairedCall>,
    waiting: HashMap<Arc<str>, UnansweredCalls>,
    /// Ids given to a call so far.
    given: CallIds,
    block: usize,
    /// The message before this one called tools.
    after_calls: bool,
    /// Calls of the last assistant message, while only results came after it.
    adjacent: Range<usize>,
    /// The latest of those that has a result.
    latest: usize,
}

impl<'n> Pairing<'n> {
    fn new(list: &'n str, notes: &'n mut Notes) -> Self {
        Self {
            list,
            notes,
            calls: Vec::new(),
            waiting: HashMap::new(),
            given: CallIds::default(),
            block: 0,
            after_calls: false,
            adjacent: 0..0,
            latest: 0,
        }
    }

    /// A message that neither calls nor answers.
    fn step(&mut self) {
        self.after_calls = false;
        self.adjacent = 0..0;
    }

    /// Whether a call before it has the id of a result.
    fn has_call(&self, message: &Message) -> bool {
        message.tool_results().any(|result| self.waiting.contains_key(&result.call_id))
    }

    /// Takes the calls of an assistant message; returns their number.
    fn open(&mut self, message: &mut Message) -> usize {
        let from = self.calls.len();
        let origin = message.origin;
        let mut block = self.block;
        if !self.after_calls {
            block += 1;
        }
        for part in &mut message.parts {
            // A call of a built-in tool has its id for itself, too.
            if let Some((half, item)) = ItemHalf::in_part(part)
                && (half.family, half.role) == (HalfFamily::BuiltInTool, HalfRole::Call)
                && let Some(id) = half.id(item)
            {
                self.given.take(id.into());
            }
            let Content::ToolCall(call) = &mut part.content else { continue };
            let waiting = self.waiting.entry(Arc::clone(&call.id)).or_default();
            waiting.turn_to(block);
            waiting.current.push_back(self.calls.len());
            if !self.given.take(Arc::clone(&call.id)) {
                let id = self.rename(&call.id, origin);
                call.id = id;
            }
            let (id, name) = (Arc::clone(&call.id), Arc::clone(&call.name));
            self.calls.push(RepairedCall { id, name, origin, answer: None });
        }
        let count = self.calls.len() - from;
        if count == 0 {
            self.step();
            return 0;
        }
        self.block = block;
        self.after_calls = true;
        self.adjacent = from..self.calls.len();
        self.latest = from;
        count
    }

    /// A name for a call whose id another call has.
    fn rename(&mut self, id: &Arc<str>, origin: Option<usize>) -> Arc<str> {
        let new = self.given.find_free(id);
        self.given.take(Arc::clone(&new));
        let detail =
            format!("a second call has the id `{}`; it became `{}`", short_id(id), short_id(&new));
        self.notes.repaired("duplicate_call_id", pointer(self.list, origin), detail);
        new
    }

    /// Gives a result to the call it answers, or drops it.
    fn answer(&mut self, mut message: Message) {
        self.after_calls = false;
        let at = pointer(self.list, message.origin);
        let Some(Part { content: Content::ToolResult(result), .. }) = message.parts.first_mut()
        else {
            return;
        };
        let id = short_id(&result.call_id);
        let Some(waiting) = self.waiting.get_mut(&result.call_id) else {
            let detail = format!("a result for `{id}`, which no call before it has, was dropped");
            self.notes.repaired("orphan_result", at, detail);
            return;
        };
        waiting.turn_to(self.block);
        let open = waiting.current.pop_front().or_else(|| waiting.old.pop_front());
        let Some(index) = open.filter(|index| *index < self.calls.len()) else {
            let first = waiting.answered.and_then(|index| self.calls.get_mut(index));
            let first = first.and_then(|call| call.answer.as_mut());
            let is_new = first.is_some_and(|first| add_content(first, result));
            let fate = if is_new { "added to the first" } else { "dropped: it says the same" };
            let detail = format!("a further result for `{id}` was {fate}");
            self.notes.repaired("duplicate_result", at, detail);
            return;
        };
        waiting.answered = Some(index);
        let Some(call) = self.calls.get_mut(index) else { return };
        result.call_id = Arc::clone(&call.id);
        if let Some(name) = result.name.replace(Arc::clone(&call.name))
            && name != call.name
        {
            let detail = format!("the result for `{id}` took the name of its call");
            self.notes.repaired("result_name", at.clone(), detail);
        }
        if !self.adjacent.contains(&index) {
            let detail = format!("the result for `{id}` moved to its call");
            self.notes.repaired("late_result", at, detail);
        } else if index < self.latest {
            let detail = format!("the result for `{id}` moved into the order of the calls");
            self.notes.repaired("result_order", at, detail);
        } else {
            self.latest = index;
        }
        call.answer = Some(message);
    }

    /// Puts the results after their calls; each message has the number of its calls.
    fn close(self, kept: Vec<(Message, usize)>) -> Vec<Message> {
        let mut repaired = Vec::with_capacity(kept.len() + self.calls.len());
        let mut calls = self.calls.into_iter();
        for (message, count) in kept {
            repaired.push(message);
            for call in calls.by_ref().take(count) {
                repaired.push(call.answer.unwrap_or_else(|| {
                    let at = pointer(self.list, call.origin);
                    let detail = format!("call `{}` had no result", short_id(&call.id));
                    self.notes.repaired("unanswered_call", at, detail);
                    missing_result(call.id, call.name)
                }));
            }
        }
        repaired
    }
}

/// Adds the content of a further result to what its call has, as a tool gives that runs on after it has
/// answered; false if it says the same as the newest content, or nothing.
fn add_content(first: &mut Message, further: &mut ToolResult) -> bool {
    let Some(Part { content: Content::ToolResult(first), .. }) = first.parts.first_mut() else {
        return false;
    };
    let says_nothing =
        |part: &Part| part.as_text().is_some_and(|text| text.trim_start().is_empty());
    let mut newest = first.content.iter().rev().zip(further.content.iter().rev());
    let is_same = further.content.len() <= first.content.len()
        && newest.all(|(known, part)| known.content == part.content);
    if is_same || further.content.iter().all(says_nothing) {
        return false;
    }
    first.content.append(&mut further.content);
    true
}

/// The result of a call that has none.
fn missing_result(call_id: Arc<str>, name: Arc<str>) -> Message {
    let content = vec![Part::text(MISSING_RESULT)];
    let result = ToolResult { call_id, name: Some(name), content, is_error: None };
    Message::new(Role::Tool, vec![Part::new(Content::ToolResult(result))])
}
