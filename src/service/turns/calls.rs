//! Calls among messages that are appended, and what becomes of those that have no result yet.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::options::TurnOptions;
use crate::domain::{MemoryScope, Message, Notes, RawJson, Role, Scope, Source, ToolCall};
use crate::json::{Faults, Node};
use crate::pipeline::READ_TOOL;
use crate::provider;
use crate::request::LOAD_TOOLKIT;
use crate::service::effects::Effects;
use crate::service::tools::{
    CallJudgement, CallTrial, HandledCall, JudgedCall, JudgedCalls, MemoryRights, ask, conclude,
    is_memory, judge,
};
use crate::service::{Error, Services};

/// Calls that have no result yet.
#[derive(Debug)]
pub(super) struct OpenCalls {
    source: Source,
    list: Vec<FoundCall>,
}

#[derive(Debug)]
struct FoundCall {
    call: ToolCall,
    /// Before which message that came its result stands.
    place: usize,
    /// Its place among the calls of its message, and how many these are.
    batch: (usize, usize),
    /// Whether nothing but results stands behind its message: whoever runs tools may run it yet.
    is_open: bool,
}

/// What became of them, and before which message that came each result stands.
#[derive(Debug)]
pub(super) struct PlacedResults {
    list: Vec<(HandledCall, usize)>,
}

/// The calls of a turn, and where their results were put among the messages.
#[derive(Debug, Default)]
pub(super) struct InsertedResults {
    pub(super) calls: Vec<HandledCall>,
    pub(super) places: BTreeSet<usize>,
}

/// What became of calls, before anything of it is stored.
#[derive(Debug)]
pub(super) struct CallEffects {
    /// Writes of memory.
    pub(super) trial: Option<Arc<CallTrial>>,
    pub(super) carried: PlacedResults,
    /// What is left to tell of the hooks that were asked.
    pub(super) effects: Effects,
}

impl OpenCalls {
    /// Finds the calls that no result among the appended messages answers. `count`: how many messages
    /// there are.
    pub(super) fn find(source: Source, appended: &Node<'_>, count: usize) -> Self {
        let (mut faults, mut notes) = (Faults::default(), Notes::default());
        // They were checked before.
        let conversation = provider::read(appended, source, &mut faults, &mut notes);
        let history = &conversation.history;
        let results = |message: &Message| {
            let ids = message.tool_results().map(|result| Arc::clone(&result.call_id));
            ids.map(|id| (id, message.origin)).collect::<Vec<_>>()
        };
        let answered: BTreeMap<Arc<str>, Option<usize>> =
            history.iter().flat_map(results).collect();
        let mut list = Vec::new();
        for (at, message) in history.iter().enumerate() {
            let mut behind = history.iter().skip(at + 1).filter(|next| next.role != Role::Tool);
            let next = behind.next();
            let end = next.and_then(|next| next.origin);
            let end = end.or_else(|| behind.find_map(|next| next.origin)).unwrap_or(count);
            for (nth, call) in message.tool_calls().enumerate() {
                if answered.contains_key(&call.id) {
                    continue;
                }
                // In the order of the calls: before the result of the next one that has one.
                let mut later = message.tool_calls().skip(nth + 1);
                let place = later.find_map(|later| answered.get(&later.id).copied().flatten());
                list.push(FoundCall {
                    call: call.clone(),
                    place: place.unwrap_or(end),
                    batch: (nth, message.tool_calls().count()),
                    is_open: next.is_none(),
                });
            }
        }
        Self { source, list }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Finds out what becomes of them, as `POST /tools/calls` does. What they write is written when
    /// the trial is carried out; where memory is off, nobody gave the model tools to write with, and
    /// such calls are not ours. Calls of others that the conversation went on from are left alone.
    pub(super) fn carry_out(
        mut self,
        services: &Services,
        session: &Arc<str>,
        options: TurnOptions,
    ) -> Result<CallEffects, Error> {
        let TurnOptions { memory, tools } = options;
        let memory = memory.filter(|memory| memory.write);
        let is_ours = |call: &ToolCall| {
            let remembers = memory.is_some() && is_memory(&call.name);
            let loads = &*call.name == LOAD_TOOLKIT && !tools.options.toolkits.is_empty();
            remembers || loads || &*call.name == READ_TOOL
        };
        self.list.retain(|one| one.is_open || is_ours(&one.call));
        let mut calls: Vec<ToolCall> = self.list.iter().map(|one| one.call.clone()).collect();
        let batches: Vec<(usize, usize)> = self.list.iter().map(|one| one.batch).collect();
        let mut judged = judge(services, &tools, &calls, memory.is_some())?;
        let remembers = |(call, judged): (&ToolCall, &CallJudgement)| {
            *judged == CallJudgement::Ours && is_memory(&call.name)
        };
        if memory.is_some() && calls.iter().zip(&judged).any(remembers) {
            may_remember(services)?;
        }
        let agent = memory.as_ref().and_then(|memory| memory.scope.agent.clone());
        let whose =
            MemoryScope { session_id: Some(Arc::clone(session)), agent, ..MemoryScope::default() };
        let effects = {
            let asked = JudgedCalls { calls: &mut calls, judged: &mut judged, batches: &batches };
            ask(services, &whose, &tools, asked)?
        };
        let writes = |(call, judged): &(&ToolCall, &CallJudgement)| {
            **judged == CallJudgement::Ours && is_memory(&call.name)
        };
        let writes = calls.iter().zip(&judged).filter(writes);
        let writes: Vec<ToolCall> = writes.map(|(call, _)| call.clone()).collect();
        let trial = match memory.filter(|_| !writes.is_empty()) {
            Some(memory) => {
                let rights =
                    MemoryRights { scope: memory.scope, allowed_keys: memory.allowed_keys };
                Some(Arc::new(CallTrial::of(services, rights, writes)?))
            }
            None => None,
        };
        let mut written = trial.iter().flat_map(|trial| trial.answers().iter().cloned());
        let mut list = Vec::with_capacity(calls.len());
        for ((call, judged), found) in calls.into_iter().zip(judged).zip(&self.list) {
            let of = JudgedCall { source: self.source, call, judged };
            list.push((conclude(services, &tools, of, &mut written)?, found.place));
        }
        drop(written);
        Ok(CallEffects { trial, carried: PlacedResults { list }, effects })
    }
}

/// A turn is no way around the scopes that a key needs to write memory elsewhere. Asked before any
/// hook hears of the calls.
fn may_remember(services: &Services) -> Result<(), Error> {
    if services.caller().has_any(&[Scope::Tools, Scope::MemoryWrite]) {
        return Ok(());
    }
    let detail = "calls that write memory need a key with the scope `tools` or `memory:write`";
    Err(Error::Forbidden(detail.to_owned()))
}

impl PlacedResults {
    /// Puts the results after their calls. Calls that the caller runs have no result yet.
    pub(super) fn insert_into(self, append: &mut Vec<RawJson>) -> InsertedResults {
        let mut done = InsertedResults::default();
        for (handled, place) in self.list {
            if let Some(message) = handled.message() {
                let at = (place + done.places.len()).min(append.len());
                append.insert(at, message.clone());
                // Results are inserted from the front to the back, so earlier places stay.
                done.places.insert(at);
            }
            done.calls.push(handled);
        }
        done
    }
}
