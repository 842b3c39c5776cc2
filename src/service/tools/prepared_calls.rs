//! Calls of a request that are handled but for the writes of memory, which are carried out last.

use std::sync::Arc;

use super::memory::CarriedOutWrites;
use super::{CallOutcome, CallResults, HandledCall, ToolAnswer, wire};
use crate::domain::{RawJson, Source, ToolCall};
use crate::hook::HookRun;

/// The calls of a request before memory is written.
#[derive(Debug, Clone)]
pub(super) struct PreparedCalls {
    pub(super) calls: Vec<ToolCallPlan>,
    /// Runs of the hooks at `tool_call`.
    pub(super) runs: Vec<HookRun>,
}

#[derive(Debug, Clone)]
pub(super) enum ToolCallPlan {
    Handled(HandledCall),
    /// A call that writes memory.
    Write {
        source: Source,
        call: ToolCall,
        /// The `caller` of the call, if a program made it.
        caller: Option<RawJson>,
    },
}

impl PreparedCalls {
    /// Completes the results with the answers of memory writes, in the order of their calls.
    pub(super) fn complete(&self, done: &CarriedOutWrites) -> CallResults {
        let mut answers = done.answers.iter().cloned();
        let results = self.calls.iter().map(|prepared| match prepared {
            ToolCallPlan::Handled(handled) => handled.clone(),
            ToolCallPlan::Write { source, call, caller } => {
                let nothing = || ToolAnswer::Refused(String::new());
                let answer = answers.next().unwrap_or_else(nothing);
                let message = wire::result(*source, call, caller.as_ref(), &answer);
                HandledCall {
                    id: Arc::clone(&call.id),
                    name: Arc::clone(&call.name),
                    namespace: None,
                    outcome: CallOutcome::Service { answer, message },
                }
            }
        });
        let results = results.collect();
        CallResults { results, hooks: self.runs.iter().chain(&done.runs).cloned().collect() }
    }
}
