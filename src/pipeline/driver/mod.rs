//! The driver: calls the stages in their order, and the hooks between them.

mod binding;
mod compression_hooks;
mod compression_outcome;
mod final_list;
mod history_parts;
mod hooks;
mod payoff;
mod stages;
mod summaries;
mod tools;

use std::sync::Arc;

use super::changed_results::ChangedResults;
use super::measure::Meter;
use super::repair::awaits_results;
use super::trace::Trace;
use super::{CompiledPayload, Error, HookPort, PipelineContext, PipelineRun, Timings, manifest};
use crate::compress::AdapterSet;
use crate::domain::{Conversation, Notes, Stage};
use crate::provider::PayloadCaching;
use crate::request::{CompileRequest, OnOverflow};

use binding::BindingInput;
use compression_outcome::ShrunkHistory;
use history_parts::Preamble;

/// One compile on its way through the stages.
struct Driver<'d> {
    cx: &'d PipelineContext,
    request: &'d CompileRequest,
    meter: Meter<'d>,
    adapters: AdapterSet,
    notes: Notes,
    hooks: &'d mut dyn HookPort,
    timings: &'d mut Timings,
    trace: Trace,
    /// What hooks at `before_compress` did to the history.
    hooked: manifest::HookedMessages,
    /// The results that hooks at `tool_result` changed.
    changed_results: ChangedResults,
    /// Whether hooks left every message that was put together.
    is_whole: bool,
    /// What the payload tells its provider's cache.
    caching: PayloadCaching,
}

pub(super) fn run(
    cx: &PipelineContext,
    request: &CompileRequest,
    conversation: Conversation,
    head: String,
    run: PipelineRun<'_>,
) -> Result<CompiledPayload, Error> {
    let PipelineRun { deadline, hooks, timings } = run;
    let meter = Meter::new(&cx.counter, request.model.tokenizer, request.target, deadline);
    let mut driver = Driver::new(cx, request, meter, hooks, timings);
    driver.trace.read([&conversation.system, &conversation.history], &conversation.tools);
    let (mut conversation, chosen) = driver.choose(conversation)?;
    let awaits_results = awaits_results(&conversation.history);
    let length = conversation.length();
    driver.results(&mut conversation.history)?;
    let messages = [&*conversation.system, &conversation.history];
    driver.trace.conversation(Stage::Ingest, messages, &conversation.tools);
    deadline.check()?;
    let (source, list_key) = (conversation.source, conversation.source.list_key());
    let mut read_back = driver.read_back(&mut conversation);
    driver.remember(&mut conversation.tools);
    conversation.tools.extend(chosen.loaded);
    let costs = driver.count_tools(&conversation.tools)?;
    let tools = costs.iter().sum();
    let mut history = std::mem::take(&mut conversation.history);
    let restored = driver.restore_blocks(&mut history);
    let anchor = driver.anchor(&history, &read_back, &restored.in_sight);
    read_back.is_payload = driver.is_payload(&restored.in_sight);
    let mut arrived_history = driver.arrive(history, &conversation.system, read_back, list_key)?;
    arrived_history.in_sight = restored.in_sight;
    (arrived_history.bare, arrived_history.anchor) = (restored.bare, anchor);
    arrived_history.edits = driver.edited_results(&arrived_history.history);
    let system = std::mem::take(&mut conversation.system);
    let preamble = Preamble { source, system, tools };
    let outside = driver.outside(&preamble, &arrived_history, None)?;
    deadline.check()?;

    let (mut outside, compressed) = driver.history(&mut arrived_history, &preamble, outside)?;
    driver.append(std::mem::take(&mut outside.notes));
    deadline.check()?;
    driver.trace.history(Stage::Compress, &compressed.slots);
    let shrunk = driver.shrunk(&arrived_history, &outside, &compressed);
    let artifacts = compressed.artifacts;
    let system_tokens = outside.frame.system();
    let opening = outside.frame.opening.clone();
    let slots = driver.assemble(outside.frame, compressed.slots, list_key)?;
    let mut actions = compressed.actions;
    arrived_history.note_edits(&mut actions);
    driver.trace.slots(Stage::Assemble, &slots, &conversation.tools);
    let assembled = final_list::AssembledList { slots, tools, opening, source };
    let transformed = driver.transform(assembled, &arrived_history, &mut actions)?;
    let final_list::TransformedList { mut slots, shrunk: later, added } = transformed;
    let shrunk = ShrunkHistory::and(shrunk, later);
    let known =
        BindingInput { length, anchor, blocks: &outside.blocks, broken: &compressed.broken };
    let sent = driver.unbind(&mut slots, &conversation.tools, known)?;
    driver.mark(&mut slots, &mut conversation.tools, &costs);
    driver.trace.slots(Stage::Transform, &slots, &conversation.tools);
    let arrival = manifest::Arrival {
        costs: &arrived_history.arrived.costs,
        saved: &arrived_history.arrived.saved,
        names: &arrived_history.names,
        system: system_tokens,
        tools,
        chosen: manifest::tool_report(
            request,
            chosen.total,
            &chosen.removed,
            &conversation.tools,
            &costs,
        ),
        memory: outside.memory_tokens,
        injected: outside.injected,
        hooked: manifest::HookedMessages { added, ..driver.hooked },
        result_tokens: driver.changed_results.saved_tokens,
        list_key,
    };
    let mut report = driver.manifest(&slots, actions, compressed.forms, arrival)?;
    report.compression(compressed.summary, driver.put_off(compressed.outcome.put_off));
    if !report.report().fits && request.on_overflow == OnOverflow::Fail {
        return Err(Error::OverBudget(report.finish()));
    }
    let token_change = driver.after_compress(shrunk, report.report())?;
    driver.trace.text(Stage::Manifest, || report.report().figures());
    let hints = driver.hints(compressed.outcome.squeezed);
    let facts =
        stages::PayloadFacts { report, hints, artifacts, token_change, awaits_results, sent };
    Ok(driver.format(slots, &conversation.tools, head, facts))
}

impl<'d> Driver<'d> {
    fn new(
        cx: &'d PipelineContext,
        request: &'d CompileRequest,
        meter: Meter<'d>,
        hooks: &'d mut dyn HookPort,
        timings: &'d mut Timings,
    ) -> Self {
        Self {
            cx,
            request,
            meter,
            adapters: AdapterSet::new(&request.compression.adapters, meter.deadline()),
            notes: request.notes.clone(),
            hooks,
            timings,
            trace: Trace::new(request.record.is_kept(), Arc::clone(&cx.hashes)),
            hooked: manifest::HookedMessages::default(),
            changed_results: ChangedResults::default(),
            is_whole: true,
            caching: PayloadCaching::default(),
        }
    }
}

impl Driver<'_> {
    fn append(&mut self, notes: Notes) {
        self.notes.degraded.extend(notes.degraded);
        self.notes.repairs.extend(notes.repairs);
        self.notes.warnings.extend(notes.warnings);
    }

    /// Whether there is a hook or a summariser to call.
    fn is_asked(&self) -> bool {
        self.hooks.summarizes() || self.hooks.set().is_some_and(|set| !set.is_empty())
    }
}
