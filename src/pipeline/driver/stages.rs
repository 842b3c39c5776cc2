//! One method a stage: its input put together, its time taken.

use std::sync::Arc;

use super::Driver;
use super::history_parts::{ArrivedHistory, CompressionPass, HistoryUse, OutsideHistory, Preamble};
use crate::domain::{
    ContentHash, Conversation, Message, Notes, Role, SentUpdate, Stage, ToolDefinition,
};
use crate::hook::TokenChange;
use crate::pipeline::arrived_forms::{self, ArrivedForms};
use crate::pipeline::compress::{self, Output as CompressOutput};
use crate::pipeline::read_back::{self, ReadBack};
use crate::pipeline::report::{Action, ReportBuilder};
use crate::pipeline::requirements::{self, Requirements};
use crate::pipeline::slot::Slot;
use crate::pipeline::stage::timed;
use crate::pipeline::strip_injected::ReturnedBlocks;
use crate::pipeline::volatile_blocks::BlocksInSight;
use crate::pipeline::{ChangeHints, CompiledPayload, READ_TOOL, StopReason, prose};
use crate::pipeline::{
    arrival, budget, cache_marks, frame, intake, list_ends, manifest, media_limits, memory,
    protection, tail,
};
use crate::provider::{self, PayloadInput};
use crate::request::{Compression, ExplainLevel, Level, ReferenceStyle};
use crate::{compress::AdapterSet, compress::Reducer, request::CompileRequest};

/// Additions of the last stage to the text of a payload.
pub(super) struct PayloadFacts {
    pub(super) report: ReportBuilder,
    pub(super) hints: ChangeHints,
    /// Texts that the payload names by their artifacts.
    pub(super) artifacts: Vec<Arc<str>>,
    /// As [`CompiledPayload::shrink`].
    pub(super) token_change: Option<TokenChange>,
    /// As [`CompiledPayload::awaits_results`].
    pub(super) awaits_results: bool,
    /// As [`CompiledPayload::sent`].
    pub(super) sent: Option<SentUpdate>,
}

impl Driver<'_> {
    pub(super) fn ingest(&mut self, conversation: Conversation) -> Conversation {
        let destination = self.request.destination();
        let skill = self.request.skill.as_ref().map(|skill| &*skill.instructions);
        let is_left = self.request.keeps_tail() && self.request.sent.is_none();
        let returned = if is_left { ReturnedBlocks::Leave } else { ReturnedBlocks::TakeOut };
        timed(&mut self.timings.compile, || {
            intake::run(conversation, destination, skill, returned, &mut self.notes)
        })
    }

    /// Puts the tool among the others with which cleared results are read back.
    pub(super) fn read_back(&self, conversation: &mut Conversation) -> ReadBack {
        let on = self.request.compression.read_tool;
        let tools = &mut conversation.tools;
        if on && !tools.iter().any(|tool| &*tool.name == READ_TOOL) {
            tools.push(read_back::tool());
        }
        ReadBack::new(on, &conversation.history)
    }

    /// Puts the tools among the others with which a model remembers.
    pub(super) fn remember(&self, tools: &mut Vec<ToolDefinition>) {
        for own in self.request.memory.iter().flat_map(memory::tools) {
            if !tools.iter().any(|tool| tool.name == own.name) {
                tools.push(own);
            }
        }
    }

    pub(super) fn arrive(
        &mut self,
        history: Vec<Message>,
        system: &[Message],
        read_back: ReadBack,
        list: &str,
    ) -> Result<ArrivedHistory, StopReason> {
        let protected = protection::run(
            &self.request.protect,
            &history,
            system,
            &mut self.notes,
            self.meter.deadline(),
        )?;
        let names = match self.request.explain {
            ExplainLevel::Full => manifest::message_names(&history),
            ExplainLevel::Summary => Vec::new(),
        };
        let fixed = protected.iter().zip(&history).map(|(flag, own)| *flag || read_back.holds(own));
        let fixed: Vec<bool> = fixed.collect();
        let on_arrival = self.request.compression.on_arrival;
        let reducer = reducer(self.request, &self.adapters);
        let rules = arrival::ArrivalRules::new(on_arrival, self.request);
        let arrival_pass = arrival::ArrivalPass::new(&self.cx.engine, &self.meter, rules, reducer);
        let arrived = timed(&mut self.timings.count, || {
            read_back.arrive(&self.meter, arrival_pass, &history, &fixed)
        })?;
        for (message, arrived) in history.iter().zip(&arrived.forms) {
            let pointer = message.origin.map(|at| format!("/{list}/{at}")).unwrap_or_default();
            arrived_forms::warn(&mut self.notes, &pointer, arrived.reverted());
        }
        let saved = arrived.forms.iter().map(|form| form.saved).sum();
        Ok(ArrivedHistory {
            history,
            protected,
            read_back,
            names,
            arrived,
            on_arrival,
            points: self.request.points.clone(),
            saved,
            edits: Vec::new(),
            in_sight: BlocksInSight::default(),
            bare: Vec::new(),
            anchor: None,
        })
    }

    /// Stages 8 and 6: everything around the history, and the allocation that is left for it.
    /// `context`: the text of `<implicit_context>` if it is not the request's.
    pub(super) fn outside(
        &mut self,
        preamble: &Preamble,
        arrived_history: &ArrivedHistory,
        context: Option<&str>,
    ) -> Result<OutsideHistory, StopReason> {
        let mut notes = Notes::default();
        let context = context.or(self.request.implicit_context.as_deref());
        let injected = self.inject(context, &arrived_history.in_sight, &mut notes)?;
        let entries = self.request.memory.as_ref().map_or(&[][..], |memory| &memory.entries);
        self.trace.memory(entries, &injected.injected);
        self.trace.injected(&injected);
        let memory_tokens = injected.memory_tokens;
        let memory_data = if injected.memory_data.is_some() { memory_tokens } else { 0 };
        let keys = injected.injected.clone();
        let blocks = injected.tail.clone();
        let frame = self.frame(preamble, arrived_history, injected, &mut notes)?;
        let allocation = self.budget(&frame, preamble.tools, memory_data);
        self.trace.text(Stage::Budget, || format!("{allocation:?}"));
        Ok(OutsideHistory { frame, allocation, memory_tokens, injected: keys, blocks, notes })
    }

    fn inject(
        &mut self,
        context: Option<&str>,
        in_sight: &BlocksInSight,
        notes: &mut Notes,
    ) -> Result<tail::Output, StopReason> {
        let request = self.request;
        let memory = request.memory.as_ref();
        let input = tail::Input {
            dynamic_state: request.dynamic_state.as_ref(),
            dynamic_state_placement: request.dynamic_state_placement,
            dynamic_state_anchor: request.dynamic_state_anchor,
            implicit_context: context,
            memory,
            memory_room: memory.map_or(0, |memory| request.model.unscale(memory.max_tokens)),
            in_sight,
        };
        timed(&mut self.timings.compile, || tail::run(&self.meter, &input, notes))
    }

    fn frame(
        &mut self,
        preamble: &Preamble,
        arrived_history: &ArrivedHistory,
        injected: tail::Output,
        notes: &mut Notes,
    ) -> Result<frame::Output, StopReason> {
        let input = frame::Input {
            system: preamble.system.clone(),
            history: &arrived_history.history,
            costs: &arrived_history.arrived.costs,
            list: preamble.source.list_key(),
            skill: self.request.skill.as_ref(),
            output: &self.request.output,
            rules: provider::rules(self.request.target),
            model_prefill: self.request.model.prefill,
            refuses_last_answer: self.request.refuses_last_answer(),
            model_named: !self.request.model.name.is_empty(),
            injected,
            anchor: arrived_history.anchor.map(|anchor| anchor.at),
        };
        timed(&mut self.timings.count, || frame::run(&self.meter, input, notes))
    }

    fn budget(&self, frame: &frame::Output, tools: u64, memory_data: u64) -> budget::Output {
        let request = self.request;
        budget::run(&budget::Input {
            model: &request.model,
            measured: &request.measured(),
            dropping: &request.dropping(),
            budget: request.aimed_budget(),
            frame,
            tools,
            reply: self.meter.reply(),
            volatile: request.dynamic_state.is_some() || request.implicit_context.is_some(),
            provided: self.hooks.reserve(crate::hook::Point::BeforeCompile),
            memory: request.memory.as_ref().map(|memory| memory.max_tokens),
            memory_data,
        })
    }

    /// Stage 7.
    pub(super) fn compress(
        &mut self,
        arrived_history: &mut ArrivedHistory,
        outside: &OutsideHistory,
        pass: &CompressionPass,
    ) -> Result<CompressOutput, StopReason> {
        let (history, arrived) = match pass.keep {
            HistoryUse::Yes => {
                (arrived_history.history.clone(), arrived_history.arrived.forms.clone())
            }
            HistoryUse::No => (
                std::mem::take(&mut arrived_history.history),
                std::mem::take(&mut arrived_history.arrived.forms),
            ),
        };
        let reducer = reducer(self.request, &self.adapters);
        let on_arrival = arrived_history.on_arrival;
        let rules = arrival::ArrivalRules::new(on_arrival, self.request);
        let arrival_pass = arrival::ArrivalPass::new(&self.cx.engine, &self.meter, rules, reducer);
        let lossless = Compression { level: Level::Lossless, ..self.request.compression.clone() };
        let compression = if pass.leave { &lossless } else { &self.request.compression };
        let allocation = &outside.allocation;
        let left = |budget: u64| budget.saturating_sub(allocation.fixed).saturating_sub(pass.free);
        let input = compress::Input {
            history,
            costs: &arrived_history.arrived.costs,
            arrived,
            read_back: &arrived_history.read_back,
            arrival_pass,
            protected: &arrived_history.protected,
            stitched: outside.frame.stitched.clone(),
            compression,
            points: &arrived_history.points,
            recent_turns: self.request.protect.recent_turns,
            recent_messages: self.request.protect.recent_messages,
            room: allocation.room,
            allowed: left(allocation.budget),
            drop_allowed: left(allocation.drop_budget),
            opening: outside.frame.opening.as_ref(),
            user_first: provider::rules(self.request.target).user_first,
            payoff: self.payoff(allocation.room),
            material: &pass.material,
            bare: &arrived_history.bare,
            binds_thinking: self.request.binds_thinking(),
            returns_thinking: self.request.destination().takes_unsigned_thinking,
        };
        timed(&mut self.timings.compile, || compress::run(&self.meter, input))
    }

    /// Stage 9: the assembled list.
    pub(super) fn assemble(
        &mut self,
        frame: frame::Output,
        compressed: Vec<Slot>,
        list: &str,
    ) -> Result<Vec<Slot>, StopReason> {
        let mut slots = frame.head;
        slots.extend(compressed);
        slots.extend(frame.foot);
        self.mend_ends(slots, frame.opening, list)
    }

    /// Lets a list begin and end as the target wants it.
    pub(super) fn mend_ends(
        &mut self,
        mut slots: Vec<Slot>,
        opening: Option<Slot>,
        list: &str,
    ) -> Result<Vec<Slot>, StopReason> {
        let (meter, request, notes) = (&self.meter, self.request, &mut self.notes);
        timed(&mut self.timings.compile, || {
            list_ends::mend_slots(meter, &mut slots, opening, request, list, notes)?;
            Ok(slots)
        })
    }

    /// Sets the cache marks, and chooses what else the payload tells its provider's cache.
    pub(super) fn mark(
        &mut self,
        slots: &mut [Slot],
        tools: &mut [ToolDefinition],
        tool_tokens: &[u64],
    ) {
        let notes = &mut self.notes;
        self.caching = timed(&mut self.timings.compile, || {
            let request = self.request;
            let session_id = request.session_id.as_deref();
            requirements::warn_of_mixed_tools(request, tools, notes);
            cache_marks::warn(&request.cache, request.target, session_id.is_some(), notes);
            let model = request.measured();
            let rules = cache_marks::MarkRules::new(&request.cache, request.target, &model);
            let is_system = |slot: &&Slot| slot.message.role == Role::System;
            let system = slots.iter().filter(is_system).count();
            cache_marks::note_stored_head(rules, system, tools.len(), notes);
            let list = cache_marks::MarkedList { slots, tools, tool_tokens };
            let is_marked = cache_marks::run(rules, list, notes);
            cache_marks::payload_caching(rules, session_id, is_marked, notes)
        });
    }

    pub(super) fn manifest(
        &mut self,
        slots: &[Slot],
        actions: Vec<Action>,
        forms: Vec<ArrivedForms>,
        arrival: manifest::Arrival<'_>,
    ) -> Result<ReportBuilder, StopReason> {
        let CompileRequest { target, model, .. } = self.request;
        media_limits::warn(*target, model, slots, arrival.list_key, &mut self.notes);
        let omitted = match self.request.explain {
            ExplainLevel::Full => manifest::omitted_decisions(&self.meter, self.request)?,
            ExplainLevel::Summary => Vec::new(),
        };
        let input = manifest::Input {
            request: self.request,
            slots,
            reply: self.meter.reply(),
            arrival,
            actions,
            forms,
            notes: std::mem::take(&mut self.notes),
            omitted,
        };
        Ok(timed(&mut self.timings.compile, || manifest::run(input)))
    }

    pub(super) fn hints(&self, squeezed: bool) -> ChangeHints {
        let skill = self.request.skill.as_ref().map(|skill| skill.instructions.to_string());
        let native = provider::rules(self.request.target).prefill && self.request.model.prefill;
        let prefill = self.request.output.prefill.as_ref().filter(|_| native);
        let prefill = prefill.map(|text| text.trim_end().to_owned());
        ChangeHints { squeezed, skill, prefill, keeps_tail: self.request.keeps_tail() }
    }

    /// Stage 12: only re-encodes.
    pub(super) fn format(
        &mut self,
        slots: Vec<Slot>,
        tools: &[ToolDefinition],
        head: String,
        facts: PayloadFacts,
    ) -> CompiledPayload {
        let PayloadFacts { mut report, hints, artifacts, token_change, awaits_results, sent } =
            facts;
        let caching = std::mem::take(&mut self.caching);
        let target = self.request.target;
        timed(&mut self.timings.serialise, || {
            let messages: Vec<Message> = slots.into_iter().map(|slot| slot.message).collect();
            report.requires(Requirements::find(self.request, &messages, tools));
            let returned = self.request.returned.as_slice();
            let input =
                PayloadInput { messages: &messages, tools, caching: Some(&caching), returned };
            let mut written = provider::write(head, target, input);
            report.breakpoints(std::mem::take(&mut written.breakpoints));
            let payload_hash = ContentHash::of(written.payload());
            let hashes = std::mem::take(&mut self.trace).finish(payload_hash);
            let is_whole = self.is_whole;
            CompiledPayload {
                written,
                report,
                hints,
                artifacts,
                shrink: token_change,
                payload_hash,
                hashes,
                is_whole,
                awaits_results,
                is_counted: true,
                sent,
            }
        })
    }
}

/// The reducer of rung 2: its adapters, and the pointer to the original if the model can read it.
fn reducer<'h>(request: &CompileRequest, adapters: &'h AdapterSet) -> Reducer<'h> {
    let pointer = request.compression.read_tool.then(|| prose::pointer(ReferenceStyle::Tool));
    Reducer { adapters, pointer }
}
