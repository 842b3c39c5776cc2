//! Tool calls in appended messages that have no result yet: found, judged and handled.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::options::TurnOptions;
use crate::domain::{
    Content, MemoryScope, Message, Notes, Part, RawJson, Role, Scope, Source, ToolCall, caller_of,
};
use crate::hook::CallBatch;
use crate::json::{Faults, Node};
use crate::pipeline::READ_TOOL;
use crate::provider;
use crate::request::LOAD_TOOLKIT;
use crate::service::effects::Effects;
use crate::service::tools::{
    CallHooks, CallJudgement, CallTrial, HandledCall, JudgedCall, JudgedCalls, MemoryRights,
    TriedCalls, ask, conclude, denial_outcomes, is_memory, judge,
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
    /// The group of `OpenAI`'s that it names.
    namespace: Option<String>,
    /// Its `caller`, if a program made it.
    caller: Option<RawJson>,
    /// Index of the appended message before which the result is inserted.
    place: usize,
    batch: CallBatch,
    /// Whether only results follow the message of the call, so that the caller may still run it.
    is_open: bool,
}

/// Handled calls, each with the index of the appended message before which its result is inserted.
#[derive(Debug)]
pub(super) struct PlacedResults {
    list: Vec<(HandledCall, usize)>,
}

/// The calls of a turn, and the indexes of their results among the messages.
#[derive(Debug, Default)]
pub(super) struct InsertedResults {
    pub(super) calls: Vec<HandledCall>,
    pub(super) places: BTreeSet<usize>,
}

/// Outcome of calls, before anything is stored.
#[derive(Debug)]
pub(super) struct CallEffects {
    /// Memory writes of the calls.
    pub(super) trial: Option<Arc<CallTrial>>,
    pub(super) results: PlacedResults,
    /// Effects of the hooks that were called about the calls.
    pub(super) effects: Effects,
}

impl OpenCalls {
    /// Finds calls that have no result among the appended messages. `count` is the number of these
    /// messages.
    pub(super) fn find(source: Source, appended: &Node<'_>, count: usize) -> Self {
        let (mut faults, mut notes) = (Faults::default(), Notes::default());
        // The messages were checked before, so their faults are not read here.
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
            let mut following = history.iter().skip(at + 1).filter(|next| next.role != Role::Tool);
            let next = following.next();
            let end = next.and_then(|next| next.origin);
            let end = end.or_else(|| following.find_map(|next| next.origin)).unwrap_or(count);
            for (nth, call) in message.tool_calls().enumerate() {
                if answered.contains_key(&call.id) {
                    continue;
                }
                // Results keep the order of the calls: this one comes before the next result.
                let mut later = message.tool_calls().skip(nth + 1);
                let place = later.find_map(|later| answered.get(&later.id).copied().flatten());
                list.push(FoundCall {
                    call: call.clone(),
                    caller: find_part(message, call).and_then(caller_of),
                    namespace: find_part(message, call).and_then(provider::call_namespace),
                    place: place.unwrap_or(end),
                    batch: CallBatch { index: nth, size: message.tool_calls().count() },
                    is_open: next.is_none(),
                });
            }
        }
        Self { source, list }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Judges and handles the calls as `POST /tools/calls` does. Memory writes are only tried here;
    /// they are carried out when the turn is stored. Without memory, calls of such names are the
    /// caller's; if it may not be written, they are refused. Calls of the caller's tools are left
    /// alone if the conversation has continued after them.
    pub(super) fn carry_out(
        mut self,
        services: &Services,
        session: &Arc<str>,
        options: TurnOptions,
    ) -> Result<CallEffects, Error> {
        let TurnOptions { memory, limits, tools, hooks } = options;
        let is_ours = |call: &ToolCall| {
            let remembers =
                (memory.is_some() && is_memory(&call.name)) || tools.is_own_memory_tool(&call.name);
            let loads = &*call.name == LOAD_TOOLKIT && !tools.options.toolkits.is_empty();
            remembers || loads || &*call.name == READ_TOOL
        };
        for found in &mut self.list {
            if let Some(group) = &found.namespace {
                found.call.name = provider::called_name(group, &found.call.name, &tools.list);
            }
        }
        self.list.retain(|one| one.is_open || is_ours(&one.call));
        let mut calls: Vec<ToolCall> = self.list.iter().map(|one| one.call.clone()).collect();
        let batches: Vec<CallBatch> = self.list.iter().map(|one| one.batch).collect();
        let mut judged = judge(services, &tools, &calls, memory.is_some())?;
        let remembers = |(call, judged): (&ToolCall, &CallJudgement)| {
            *judged == CallJudgement::Ours && is_memory(&call.name)
        };
        if calls.iter().zip(&judged).any(remembers) {
            require_memory_scope(services)?;
        }
        let agent = memory.as_ref().and_then(|memory| memory.scope.agent.clone());
        let scope =
            MemoryScope { session_id: Some(Arc::clone(session)), agent, ..MemoryScope::default() };
        let hooks = CallHooks::new(services, &scope, &hooks)?;
        let mut effects = {
            let asked = JudgedCalls { calls: &mut calls, judged: &mut judged, batches: &batches };
            ask(services, &hooks, &tools, asked)?
        };
        let writes = |(call, judged): &(&ToolCall, &CallJudgement)| {
            **judged == CallJudgement::Ours && is_memory(&call.name)
        };
        let writes = calls.iter().zip(&judged).filter(writes);
        let writes: Vec<ToolCall> = writes.map(|(call, _)| call.clone()).collect();
        let trial = if writes.is_empty() {
            None
        } else {
            let rights = match memory {
                Some(memory) => MemoryRights::of_turn(memory, &limits),
                // Anthropic's memory tool needs no memory in the payload.
                None => MemoryRights::of_session(Arc::clone(session), &limits),
            };
            let TriedCalls { trial, effects: asked } =
                CallTrial::try_out(services, &hooks, rights, writes)?;
            effects.extend(asked);
            Some(Arc::new(trial))
        };
        let mut written = trial.iter().flat_map(|trial| trial.answers().iter().cloned());
        let mut list = Vec::with_capacity(calls.len());
        for ((call, judged), found) in calls.into_iter().zip(judged).zip(&self.list) {
            let caller = found.caller.clone();
            let judged_call = JudgedCall { source: self.source, call, caller, judged };
            list.push((conclude(services, &tools, judged_call, &mut written)?, found.place));
        }
        drop(written);
        let handled: Vec<HandledCall> = list.iter().map(|(handled, _)| handled.clone()).collect();
        effects.outcomes.extend(denial_outcomes(services, &hooks.set, self.source, &handled));
        Ok(CallEffects { trial, results: PlacedResults { list }, effects })
    }
}

fn find_part<'m>(message: &'m Message, call: &ToolCall) -> Option<&'m Part> {
    let is_it = |part: &&Part| matches!(&part.content, Content::ToolCall(own) if own.id == call.id);
    message.parts.iter().find(is_it)
}

/// Refuses memory writes by a key without a scope for them, before any hook is called.
fn require_memory_scope(services: &Services) -> Result<(), Error> {
    if services.caller().has_any(&[Scope::Tools, Scope::MemoryWrite]) {
        return Ok(());
    }
    let detail = "calls that write memory need a key with the scope `tools` or `memory:write`";
    Err(Error::Forbidden(detail.to_owned()))
}

impl PlacedResults {
    /// Inserts the results after their calls. Calls that the caller runs have no result yet.
    pub(super) fn insert_into(self, append: &mut Vec<RawJson>) -> InsertedResults {
        let mut done = InsertedResults::default();
        for (handled, place) in self.list {
            if let Some(message) = handled.message() {
                let at = (place + done.places.len()).min(append.len());
                append.insert(at, message.clone());
                // Results are inserted from front to back, so earlier indexes stay valid.
                done.places.insert(at);
            }
            done.calls.push(handled);
        }
        done
    }
}
