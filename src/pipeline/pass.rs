//! What is answered when time is up and the caller wants the input rather than nothing: the
//! conversation re-encoded for the target, nothing shortened, nothing counted.

use super::report::{Cache, Memory, Parts, Report};
use super::{Actions, Compiled, Hints, ingest};
use crate::domain::Message;
use crate::provider::{self, Sandwich};
use crate::request::CompileRequest;

pub(super) fn run(request: CompileRequest, mut text: String) -> Compiled {
    let mut notes = request.notes;
    let conversation = ingest::run(request.conversation, request.target, &mut notes);
    let kept = conversation.history.len();
    let messages: Vec<Message> =
        conversation.system.into_iter().chain(conversation.history).collect();
    let sandwich = Sandwich { messages: &messages, tools: &conversation.tools };
    let start = text.len();
    provider::write_into(&mut text, request.target, sandwich);
    // Counting is what there was no time for: four bytes to a token, rounded up.
    let tokens = request.model.scale((text.len() - start).div_ceil(4) as u64);
    let budget = request.context_window.saturating_sub(request.reserve_output);
    let fits = tokens <= budget;
    notes.degraded("deadline", String::new(), "time was up: the input re-encoded, not compiled");
    let whole = super::TooBig { part: "history", tokens, pointer: None };
    let report = Report {
        summary: format!(
            "Time was up: {kept} messages passed on as they came, about {tokens} tokens."
        ),
        tokens_before: tokens,
        tokens_after: tokens,
        fits,
        budget,
        tokenizer: "bytes4",
        exact: false,
        parts: Parts { history: tokens, reserve: request.reserve_output, ..Parts::default() },
        actions: Actions { kept, ..Actions::default() },
        cache: Cache::default(),
        memory: Memory::default(),
        skill: None,
        service_tools: Vec::new(),
        hooks: Vec::new(),
        degraded: notes.degraded,
        repairs: notes.repairs,
        warnings: notes.warnings,
        too_big: if fits { Vec::new() } else { vec![whole] },
        decisions: None,
    };
    Compiled { text, start, report, hints: Hints::default(), artifacts: Vec::new() }
}
