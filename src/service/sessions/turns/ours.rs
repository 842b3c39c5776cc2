//! Calls of ours among messages that are appended, and their results.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::domain::{Message, Notes, RawJson, Role, Source, ToolCall};
use crate::json::{self, Faults, Limits};
use crate::pipeline::READ_TOOL;
use crate::provider;
use crate::request::MemoryOptions;
use crate::service::heard::Heard;
use crate::service::sessions::messages::list_text;
use crate::service::tools::{
    self, Answer, Handled, Question, Rights, Trial, Verdict, ask_calls, is_memory,
};
use crate::service::{Error, Services};

/// Calls that have no result yet.
#[derive(Debug)]
pub(super) struct Ours {
    source: Source,
    calls: Vec<Found>,
}

#[derive(Debug)]
struct Found {
    call: ToolCall,
    /// Before which message that came its result stands.
    place: usize,
    /// Its place among the calls of its message, and how many these are.
    batch: (usize, usize),
}

/// What became of them, and before which message that came each result stands.
#[derive(Debug)]
pub(super) struct Carried {
    list: Vec<(Handled, usize)>,
}

/// What became of calls, before anything of it is stored.
#[derive(Debug)]
pub(super) struct Done {
    /// Writes of memory.
    pub(super) trial: Option<Arc<Trial>>,
    pub(super) carried: Carried,
    /// What is left to tell of the hooks that were asked.
    pub(super) heard: Heard,
}

impl Ours {
    /// Finds them: calls of tools of ours that no result among the messages answers.
    pub(super) fn find(source: Source, append: &[RawJson]) -> Result<Self, Error> {
        let text = format!("{{{}}}", list_text(source, append.iter().map(RawJson::as_str)));
        let node = json::parse(&text, Limits::default())?;
        let (mut faults, mut notes) = (Faults::default(), Notes::default());
        // They were checked before.
        let conversation = provider::read(&node, source, &mut faults, &mut notes);
        let history = &conversation.history;
        let results = |message: &Message| {
            let ids = message.tool_results().map(|result| Arc::clone(&result.call_id));
            ids.map(|id| (id, message.origin)).collect::<Vec<_>>()
        };
        let answered: BTreeMap<Arc<str>, Option<usize>> =
            history.iter().flat_map(results).collect();
        let mut calls = Vec::new();
        for (at, message) in history.iter().enumerate() {
            let mut behind = history.iter().skip(at + 1).filter(|next| next.role != Role::Tool);
            let end = behind.find_map(|next| next.origin).unwrap_or(append.len());
            for (nth, call) in message.tool_calls().enumerate() {
                let is_ours = is_memory(&call.name) || &*call.name == READ_TOOL;
                if !is_ours || answered.contains_key(&call.id) {
                    continue;
                }
                // In the order of the calls: before the result of the next one that has one.
                let mut next = message.tool_calls().skip(nth + 1);
                let place = next.find_map(|next| answered.get(&next.id).copied().flatten());
                calls.push(Found {
                    call: call.clone(),
                    place: place.unwrap_or(end),
                    batch: (nth, message.tool_calls().count()),
                });
            }
        }
        Ok(Self { source, calls })
    }

    /// Whether any of them writes memory.
    pub(super) fn write_memory(&self) -> bool {
        self.calls.iter().any(|one| is_memory(&one.call.name))
    }

    /// Finds out what becomes of them. What they write is written when the trial is carried out;
    /// where memory is off, nobody gave the model tools to write with, and such calls are not ours.
    pub(super) fn carry_out(
        mut self,
        services: &Services,
        session: &Arc<str>,
        memory: Option<MemoryOptions>,
    ) -> Result<Done, Error> {
        let memory = memory.filter(|memory| memory.write);
        self.calls.retain(|one| memory.is_some() || !is_memory(&one.call.name));
        let (denied, heard) = self.ask(services, session)?;
        let may = |one: &&Found| is_memory(&one.call.name) && !denied.contains_key(&one.call.id);
        let writes: Vec<ToolCall> =
            self.calls.iter().filter(may).map(|one| one.call.clone()).collect();
        let trial = match memory.filter(|_| !writes.is_empty()) {
            Some(memory) => {
                let rights = Rights { scope: memory.scope, allowed_keys: memory.allowed_keys };
                Some(Arc::new(Trial::of(services, rights, writes)?))
            }
            None => None,
        };
        let mut written = trial.iter().flat_map(|trial| trial.answers().iter().cloned());
        let mut list = Vec::new();
        for Found { call, place, .. } in self.calls {
            let answer = match denied.get(&call.id) {
                Some(reason) => Some(Answer::Refused(reason.clone())),
                None if is_memory(&call.name) => written.next(),
                None => Some(tools::read(services, &call)?),
            };
            if let Some(answer) = answer {
                list.push((Handled::service(self.source, call, answer), place));
            }
        }
        drop(written);
        Ok(Done { trial, carried: Carried { list }, heard })
    }

    /// Asks the hooks about them; the reasons of those that are denied, by the ids of the calls.
    fn ask(
        &mut self,
        services: &Services,
        session: &Arc<str>,
    ) -> Result<(BTreeMap<Arc<str>, String>, Heard), Error> {
        let question = |one| {
            let Found { call, batch, .. }: &Found = one;
            let arguments = tools::arguments(call);
            Question { call, name: &call.name, arguments, tool: None, batch: *batch }
        };
        let questions: Vec<Question<'_>> = self.calls.iter().map(question).collect();
        let (verdicts, heard) = ask_calls(services, Some(session), &questions)?;
        let mut denied = BTreeMap::new();
        for (one, verdict) in self.calls.iter_mut().zip(verdicts) {
            match verdict {
                Verdict::Denied(reason) => {
                    denied.insert(Arc::clone(&one.call.id), reason);
                }
                Verdict::Value(new) => one.call.arguments = new.as_str().into(),
                Verdict::Free => {}
            }
        }
        Ok((denied, heard))
    }
}

impl Carried {
    /// Puts the results behind their calls; gives what became of them.
    pub(super) fn insert_into(self, append: &mut Vec<RawJson>) -> Vec<Handled> {
        let mut done = Vec::with_capacity(self.list.len());
        for (before, (handled, place)) in self.list.into_iter().enumerate() {
            if let Some(message) = handled.message() {
                append.insert((place + before).min(append.len()), message.clone());
            }
            done.push(handled);
        }
        done
    }
}
