//! The payload at a passed deadline, if the caller prefers the input to an error: the conversation
//! re-encoded for the target, nothing shortened, nothing counted.

use super::repair::awaits_results;
use super::report::{
    PriceStepReport, Report, ReportBuilder, SentenceSubject, SizeLimit, TokenTotals,
};
use super::requirements::{Requirements, warn_of_mixed_tools};
use super::{Actions, ChangeHints, CompiledPayload, Hashes, cache_marks, intake, list_ends};
use crate::domain::{ContentHash, Conversation, Message, Role};
use crate::provider::{self, Destination, PayloadCaching, PayloadInput};
use crate::request::CompileRequest;

pub(super) fn run(request: CompileRequest, head: String) -> CompiledPayload {
    let (budget, step) = (request.budget(), request.step_tokens());
    let destination =
        Destination { takes_system: false, changes_tools: false, ..request.destination() };
    let mut request = request;
    let mut notes = std::mem::take(&mut request.notes);
    let source = request.conversation.source;
    let none = Conversation { source, system: Vec::new(), history: Vec::new(), tools: Vec::new() };
    let conversation = std::mem::replace(&mut request.conversation, none);
    let conversation = intake::mend(conversation, destination, &mut notes);
    let kept = conversation.history.len();
    let awaits_results = awaits_results(&conversation.history);
    let list = conversation.source.list_key();
    let mut messages: Vec<Message> =
        conversation.system.into_iter().chain(conversation.history).collect();
    list_ends::mend_messages(&mut messages, &request, list, &mut notes);
    let requires = Requirements::find(&request, &messages, &conversation.tools);
    warn_of_mixed_tools(&request, &conversation.tools, &mut notes);
    // Without counts no mark is set or moved; members are kept, since one may name stored content.
    let marks = cache_marks::MarkRules::new(&request.cache, request.target, &request.model);
    let system = messages.iter().filter(|message| message.role == Role::System).count();
    cache_marks::note_stored_head(marks, system, conversation.tools.len(), &mut notes);
    let caching = PayloadCaching {
        marks: PayloadCaching::of_target(request.target).marks,
        ..cache_marks::payload_caching(marks, None, false, &mut notes)
    };
    let tools = &conversation.tools;
    let returned = request.returned.as_slice();
    let assembled = PayloadInput { messages: &messages, tools, caching: Some(&caching), returned };
    let written = provider::write(head, request.target, assembled);
    // Counting is what there was no time for: four bytes to a token, rounded up.
    let tokens = request.model.scale(written.payload().len().div_ceil(4) as u64);
    notes.degraded("deadline", String::new(), "time was up: the input re-encoded, not compiled");
    let actions = Actions { kept, ..Actions::default() };
    let (subject, limit) = (SentenceSubject::Messages, SizeLimit::Budget(budget));
    let totals = TokenTotals { subject, before: tokens, after: tokens, budget, limit };
    let report = Report::new(&request.model, totals, actions, notes);
    let mut report = report.uncounted(totals);
    report.parts.reserve = request.reserve_output;
    report.requires = requires;
    report.price_step = step.map(|above_tokens| PriceStepReport {
        above_tokens,
        lowered_room: false,
        stayed: tokens <= above_tokens,
    });
    CompiledPayload {
        payload_hash: ContentHash::of(written.payload()),
        written,
        report: ReportBuilder::new(report),
        hints: ChangeHints::default(),
        artifacts: Vec::new(),
        shrink: None,
        hashes: Hashes::default(),
        is_whole: true,
        awaits_results,
        is_counted: false,
        sent: None,
    }
}
