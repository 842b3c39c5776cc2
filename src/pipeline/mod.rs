//! The compile pipeline: typed stages in one order. No store, no network, no clock in a stage.
//!
//! [`compile`] reads as DESIGN §2 does. A stage is a plain function from its input to its
//! output; this driver times them and passes one's output on to the next.

mod arrive;
mod breakpoints;
mod budget;
mod change;
mod compress;
mod deadline;
mod ends;
mod error;
mod frame;
mod ingest;
mod inject;
mod manifest;
mod marks;
mod measure;
mod memory;
mod pass;
mod prose;
mod protect;
mod read_back;
mod recall;
mod repair;
mod report;
mod shorten;
mod slot;
mod stage;
mod tokens;
mod xml;

pub use change::{FirstChange, Hints, Why, first_change};
pub use deadline::{Deadline, Stopped};
pub use error::Error;
pub use memory::{CREATE_MEMORY, MODIFY_MEMORY, MemoryFit, fit_memory, shown_entry};
pub use prose::{is_cleared, is_history_summary};
pub use read_back::READ_TOOL;
pub use recall::{Candidate, Ranked, rank_memory};
pub use report::{Action, Actions, Cache, Decision, Memory, Parts, Report, TooBig};
pub use shorten::{Edit, Edited, Maker, Original, Shortened, Shown, passed_on, shorten, splice};
pub use stage::Timings;
pub use tokens::{TokensAnswer, count_messages, count_text, count_tools};

use std::sync::Arc;

use crate::compress::{Adapters, Engine, Reducer};
use crate::domain::{ArtifactId, Conversation, Message, Notes, Role, Source, ToolDefinition};
use crate::provider::{self, Sandwich};
use crate::request::{CompileRequest, Explain, OnArrival, OnDeadline, OnOverflow};
use crate::tokenizer::Counter;

use measure::{Cost, Meter};
use read_back::ReadBack;
use slot::Slot;
use stage::timed;

/// What compiles share: counts and forms that were found before. They make a compile faster,
/// never different.
#[derive(Debug, Default)]
pub struct Context {
    pub counter: Counter,
    pub engine: Engine,
}

/// A compiled conversation.
#[derive(Debug)]
pub struct Compiled {
    /// What the caller began, with the payload at its end.
    pub text: String,
    /// Byte at which the payload begins: JSON text, ready to spread into the provider's SDK
    /// call.
    pub start: usize,
    pub report: Report,
    /// What the comparison with an earlier payload needs to know.
    pub hints: Hints,
    /// Texts that the payload names by their artifacts: they must be stored before it is sent.
    pub artifacts: Vec<Arc<str>>,
}

impl Compiled {
    pub fn payload(&self) -> &str {
        self.text.get(self.start..).unwrap_or_default()
    }
}

/// Runs the stages over a checked request. The payload is appended to `text`, so that an answer
/// around it is written once.
pub fn compile(
    cx: &Context,
    mut request: CompileRequest,
    text: String,
    deadline: &Deadline,
    timings: &mut Timings,
) -> Result<Compiled, Error> {
    let spare = (request.on_deadline == OnDeadline::Pass).then(|| (request.clone(), text.clone()));
    let conversation =
        std::mem::replace(&mut request.conversation, Conversation::empty(Source::Neutral));
    let outcome = run(cx, &request, conversation, text, deadline, timings);
    match (outcome, spare) {
        (Err(Error::Stopped(Stopped::TimeUp)), Some((spare, text))) => Ok(pass::run(spare, text)),
        (outcome, _) => outcome,
    }
}

/// One compile on its way through the stages.
struct Driver<'d> {
    cx: &'d Context,
    request: &'d CompileRequest,
    meter: Meter<'d>,
    adapters: Adapters,
    notes: Notes,
    timings: &'d mut Timings,
}

fn run(
    cx: &Context,
    request: &CompileRequest,
    conversation: Conversation,
    text: String,
    deadline: &Deadline,
    timings: &mut Timings,
) -> Result<Compiled, Error> {
    let meter = Meter::new(&cx.counter, request.model.tokenizer, request.target, deadline);
    let adapters = Adapters::of(&request.compression.adapters);
    let notes = request.notes.clone();
    let mut driver = Driver { cx, request, meter, adapters, notes, timings };

    let spoken = !conversation.system.is_empty() || !conversation.history.is_empty();
    let mut conversation = driver.ingest(conversation);
    deadline.check()?;
    let (history, system) = (&conversation.history, &conversation.system);
    let protected = protect::run(&request.protect, history, system, &mut driver.notes);
    let names = driver.names(&conversation.history);
    let read_back = driver.read_back(&mut conversation);
    driver.remember(&mut conversation.tools);
    let history = &conversation.history;
    let fixed = protected.iter().zip(history).map(|(flag, own)| *flag || read_back.holds(own));
    let fixed: Vec<bool> = fixed.collect();
    let arrived = driver.arrive(history, &fixed, conversation.source.list_key())?;
    let tools = driver.count_tools(&conversation.tools)?;
    let injected = driver.inject()?;
    let list_key = conversation.source.list_key();
    let mut arrival = manifest::Arrival {
        costs: &arrived.costs,
        saved: &arrived.saved,
        names: &names,
        system: 0,
        tools,
        memory: injected.memory_tokens,
        injected: injected.injected.clone(),
        list_key,
    };
    let memory_data = if injected.memory_data.is_some() { injected.memory_tokens } else { 0 };
    let frame = driver.frame(&mut conversation, injected)?;
    arrival.system = frame.system();
    deadline.check()?;

    let allocation = driver.budget(&frame, tools, memory_data);
    let compressed = driver.compress(
        std::mem::take(&mut conversation.history),
        (&arrived.costs, arrived.forms, &protected),
        &read_back,
        (&frame, &allocation),
    )?;
    deadline.check()?;
    let squeezed = compressed.outcome.squeezed;
    let artifacts = compressed.artifacts;
    let slots =
        driver.assemble(frame, compressed.slots, &mut conversation.tools, (list_key, spoken))?;
    let report = driver.manifest(&slots, (compressed.actions, compressed.forms), arrival);
    if !report.fits && request.on_overflow == OnOverflow::Fail {
        return Err(Error::OverBudget(Box::new(report)));
    }
    let hints = driver.hints(squeezed);
    Ok(driver.format(slots, &conversation.tools, text, (report, hints, artifacts)))
}

impl Driver<'_> {
    fn ingest(&mut self, conversation: Conversation) -> Conversation {
        let target = self.request.target;
        timed(&mut self.timings.compile, || ingest::run(conversation, target, &mut self.notes))
    }

    /// What decisions call messages by; nothing where no decisions are asked for.
    fn names(&self, history: &[Message]) -> Vec<manifest::Name> {
        match self.request.explain {
            Explain::Full => names(history),
            Explain::Summary => Vec::new(),
        }
    }

    fn arrive(
        &mut self,
        history: &[Message],
        protected: &[bool],
        list: &str,
    ) -> Result<arrive::Output, Stopped> {
        let by = how(self.request, &self.adapters);
        let sight = arrive::Sight::new(&self.cx.engine, &self.meter, by);
        let arrived =
            timed(&mut self.timings.count, || arrive::run(&self.meter, sight, history, protected))?;
        for (message, arrived) in history.iter().zip(&arrived.forms) {
            let pointer = message.origin.map(|at| format!("/{list}/{at}")).unwrap_or_default();
            arrive::warn(&mut self.notes, &pointer, arrived.reverted());
        }
        Ok(arrived)
    }

    /// Puts the tool among the others with which cleared results are read back.
    fn read_back(&self, conversation: &mut Conversation) -> ReadBack {
        let on = self.request.compression.read_tool;
        let tools = &mut conversation.tools;
        if on && !tools.iter().any(|tool| &*tool.name == READ_TOOL) {
            tools.push(read_back::tool());
        }
        ReadBack::new(on, &conversation.history)
    }

    /// Puts the tools among the others with which a model remembers.
    fn remember(&self, tools: &mut Vec<ToolDefinition>) {
        for own in self.request.memory.iter().flat_map(memory::tools) {
            if !tools.iter().any(|tool| tool.name == own.name) {
                tools.push(own);
            }
        }
    }

    fn count_tools(&mut self, tools: &[ToolDefinition]) -> Result<u64, Stopped> {
        timed(&mut self.timings.count, || self.meter.tools(tools))
    }

    fn inject(&mut self) -> Result<inject::Output, Stopped> {
        let request = self.request;
        let memory = request.memory.as_ref();
        let input = inject::Input {
            dynamic_state: request.dynamic_state.as_ref(),
            dynamic_state_placement: request.dynamic_state_placement,
            implicit_context: request.implicit_context.as_ref(),
            memory,
            memory_room: memory.map_or(0, |memory| request.model.unscale(memory.max_tokens)),
        };
        timed(&mut self.timings.compile, || inject::run(&self.meter, &input, &mut self.notes))
    }

    fn frame(
        &mut self,
        conversation: &mut Conversation,
        injected: inject::Output,
    ) -> Result<frame::Output, Stopped> {
        let input = frame::Input {
            system: std::mem::take(&mut conversation.system),
            history: &conversation.history,
            skill: self.request.skill.as_ref(),
            output: &self.request.output,
            rules: provider::rules(self.request.target),
            model_prefill: self.request.model.prefill,
            model_named: !self.request.model.name.is_empty(),
            injected,
        };
        timed(&mut self.timings.count, || frame::run(&self.meter, input, &mut self.notes))
    }

    fn budget(&self, frame: &frame::Output, tools: u64, memory_data: u64) -> budget::Output {
        let request = self.request;
        budget::run(&budget::Input {
            model: &request.model,
            context_window: request.context_window,
            reserve_output: request.reserve_output,
            frame,
            tools,
            reply: self.meter.reply(),
            volatile: request.dynamic_state.is_some() || request.implicit_context.is_some(),
            memory: request.memory.as_ref().map(|memory| memory.max_tokens),
            memory_data,
        })
    }

    fn compress(
        &mut self,
        history: Vec<Message>,
        (costs, arrived, protected): (&[Cost], Vec<arrive::Arrived>, &[bool]),
        read_back: &ReadBack,
        (frame, allocation): (&frame::Output, &budget::Output),
    ) -> Result<compress::Output, Stopped> {
        let by = how(self.request, &self.adapters);
        let input = compress::Input {
            history,
            costs,
            arrived,
            read_back,
            sight: arrive::Sight::new(&self.cx.engine, &self.meter, by),
            protected,
            stitched: frame.stitched.clone(),
            compression: &self.request.compression,
            recent_turns: self.request.protect.recent_turns,
            recent_messages: self.request.protect.recent_messages,
            room: allocation.room,
            allowed: allocation.budget.saturating_sub(allocation.fixed),
            opening: frame.opening.as_ref(),
        };
        timed(&mut self.timings.compile, || compress::run(&self.meter, input))
    }

    /// Stage 9: the sandwich, with its cache marks. `spoken`: the conversation had messages.
    fn assemble(
        &mut self,
        frame: frame::Output,
        compressed: Vec<Slot>,
        tools: &mut [ToolDefinition],
        (list, spoken): (&str, bool),
    ) -> Result<Vec<Slot>, Stopped> {
        let rules = provider::rules(self.request.target);
        let notes = &mut self.notes;
        timed(&mut self.timings.compile, || {
            let mut slots = frame.head;
            slots.extend(compressed);
            slots.extend(frame.foot);
            let spoken = spoken || slots.iter().any(|slot| slot.message.role != Role::System);
            if let Some(opening) = frame.opening.filter(|_| spoken) {
                ends::open(&mut slots, opening, list, notes);
            }
            if rules.clean_end {
                ends::close(&self.meter, &mut slots, list, notes)?;
            }
            marks::run(&self.request.cache, rules.cache_marks, &mut slots, tools, notes);
            Ok(slots)
        })
    }

    fn manifest(
        &mut self,
        slots: &[Slot],
        (actions, forms): (Vec<Action>, Vec<arrive::Arrived>),
        arrival: manifest::Arrival<'_>,
    ) -> Report {
        let input = manifest::Input {
            request: self.request,
            slots,
            reply: self.meter.reply(),
            arrival,
            actions,
            forms,
            notes: std::mem::take(&mut self.notes),
        };
        timed(&mut self.timings.compile, || manifest::run(input))
    }

    fn hints(&self, squeezed: bool) -> Hints {
        let skill = self.request.skill.as_ref().map(|skill| skill.instructions.to_string());
        let native = provider::rules(self.request.target).prefill && self.request.model.prefill;
        let prefill = self.request.output.prefill.as_ref().filter(|_| native);
        let prefill = prefill.map(|text| text.trim_end().to_owned());
        Hints { squeezed, skill, prefill }
    }

    /// Stage 12: only re-encodes.
    fn format(
        &mut self,
        slots: Vec<Slot>,
        tools: &[ToolDefinition],
        mut text: String,
        (report, hints, artifacts): (Report, Hints, Vec<Arc<str>>),
    ) -> Compiled {
        let target = self.request.target;
        let start = text.len();
        timed(&mut self.timings.serialise, || {
            let messages: Vec<Message> = slots.into_iter().map(|slot| slot.message).collect();
            provider::write_into(&mut text, target, Sandwich { messages: &messages, tools });
            let mut compiled = Compiled { text, start, report, hints, artifacts };
            if provider::rules(target).cache_marks {
                compiled.report.cache.breakpoints = breakpoints::find(compiled.payload());
            }
            compiled
        })
    }
}

/// How far results are taken on arrival, and how rung 2 is.
fn how<'h>(request: &CompileRequest, adapters: &'h Adapters) -> (OnArrival, Reducer<'h>) {
    let pointer: fn(ArtifactId) -> String = |id| prose::shortened(READ_TOOL, id);
    let pointer = request.compression.read_tool.then_some(pointer);
    (request.compression.on_arrival, Reducer { adapters, pointer })
}

fn names(history: &[Message]) -> Vec<manifest::Name> {
    history.iter().enumerate().map(|(at, message)| manifest::Name::of(message, at)).collect()
}
