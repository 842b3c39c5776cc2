//! The compile pipeline: typed stages in one order. No store, no network, no clock in a stage.
//!
//! [`compile`] reads as DESIGN §2 does. A stage is a plain function from its input to its
//! output; this driver times them and passes one's output on to the next.

mod arrive;
mod budget;
mod change;
mod compress;
mod deadline;
mod error;
mod frame;
mod ingest;
mod inject;
mod manifest;
mod marks;
mod measure;
mod pass;
mod prose;
mod protect;
mod repair;
mod report;
mod slot;
mod stage;
mod tokens;
mod xml;

pub use change::{FirstChange, Hints, Why, first_change};
pub use deadline::{Deadline, Stopped};
pub use error::Error;
pub use report::{Action, Actions, Cache, Decision, Memory, Parts, Report, TooBig};
pub use stage::Timings;
pub use tokens::{TokensAnswer, count_messages, count_text, count_tools};

use crate::compress::Arrivals;
use crate::domain::{Message, Notes, Role, Source};
use crate::json::{self, Node};
use crate::provider::{self, Sandwich};
use crate::request::{CompileRequest, Explain, OnDeadline, OnOverflow};
use crate::tokenizer::Counter;

use measure::Meter;
use slot::Slot;
use stage::timed;

/// What compiles share: counts and forms that were found before. They make a compile faster,
/// never different.
#[derive(Debug, Default)]
pub struct Context {
    pub counter: Counter,
    pub arrivals: Arrivals,
}

/// A compiled conversation.
#[derive(Debug)]
pub struct Compiled {
    /// The payload as JSON text, ready to spread into the provider's SDK call.
    pub payload: String,
    pub report: Report,
    /// What the comparison with an earlier payload needs to know.
    pub hints: Hints,
}

/// Runs the stages over a checked request.
pub fn compile(
    cx: &Context,
    mut request: CompileRequest,
    deadline: &Deadline,
    timings: &mut Timings,
) -> Result<Compiled, Error> {
    let spare = (request.on_deadline == OnDeadline::Pass).then(|| request.clone());
    let conversation = std::mem::replace(
        &mut request.conversation,
        crate::domain::Conversation::empty(Source::Neutral),
    );
    let outcome = run(cx, &request, conversation, deadline, timings);
    match (outcome, spare) {
        (Err(Error::Stopped(Stopped::TimeUp)), Some(spare)) => Ok(pass::run(spare)),
        (outcome, _) => outcome,
    }
}

fn run(
    cx: &Context,
    request: &CompileRequest,
    conversation: crate::domain::Conversation,
    deadline: &Deadline,
    timings: &mut Timings,
) -> Result<Compiled, Error> {
    let mut notes = request.notes.clone();
    let (target, model) = (request.target, &request.model);
    let rules = provider::rules(target);
    let list_key = conversation.source.list_key();
    let meter = Meter::new(&cx.counter, model.tokenizer, target, deadline);
    let mut conversation =
        timed(&mut timings.compile, || ingest::run(conversation, target, &mut notes));
    deadline.check()?;

    let protected = protect::run(&request.protect, &conversation.history);
    let (arrived, tools, names) = timed(&mut timings.count, || {
        let names = match request.explain {
            Explain::Full => names(&conversation.history),
            Explain::Summary => Vec::new(),
        };
        let history = &mut conversation.history;
        let on_arrival = request.compression.on_arrival;
        let arrived = arrive::run(&meter, &cx.arrivals, history, &protected, on_arrival)?;
        Ok::<_, Stopped>((arrived, meter.tools(&conversation.tools)?, names))
    })?;

    let injected = timed(&mut timings.compile, || {
        let room = request.memory.as_ref().map_or(0, |memory| model.unscale(memory.max_tokens));
        let input = inject::Input {
            dynamic_state: request.dynamic_state.as_ref(),
            dynamic_state_placement: request.dynamic_state_placement,
            implicit_context: request.implicit_context.as_ref(),
            memory: request.memory.as_ref(),
            memory_room: room,
        };
        inject::run(&meter, &input, &mut notes)
    })?;
    let (memory, shown) = (injected.memory_tokens, injected.injected.clone());
    let memory_in_head = if injected.memory_data.is_some() { memory } else { 0 };
    let frame = timed(&mut timings.count, || {
        let input = frame::Input {
            system: std::mem::take(&mut conversation.system),
            history: &conversation.history,
            skill: request.skill.as_ref(),
            output: &request.output,
            rules,
            model_prefill: model.prefill,
            injected,
        };
        frame::run(&meter, input, &mut notes)
    })?;
    deadline.check()?;

    let reply = meter.reply();
    let allocation = budget::run(&budget::Input {
        model,
        context_window: request.context_window,
        reserve_output: request.reserve_output,
        frame: &frame,
        tools,
        reply,
        volatile: request.dynamic_state.is_some() || request.implicit_context.is_some(),
        memory: request.memory.as_ref().map(|memory| memory.max_tokens),
        memory_data: memory_in_head,
    });
    let system: u64 = frame
        .head
        .iter()
        .filter(|slot| slot.part == slot::PartName::System)
        .map(|slot| slot.cost.real())
        .sum();
    let compressed = timed(&mut timings.compile, || {
        let input = compress::Input {
            history: std::mem::take(&mut conversation.history),
            costs: &arrived.costs,
            protected: &protected,
            stitched: frame.stitched,
            compression: &request.compression,
            recent_turns: request.protect.recent_turns,
            recent_messages: request.protect.recent_messages,
            room: allocation.room,
            allowed: allocation.budget.saturating_sub(allocation.fixed),
            opening: frame.opening.as_ref(),
        };
        compress::run(&meter, input)
    })?;
    deadline.check()?;

    let assembled = timed(&mut timings.compile, || {
        let mut slots = frame.head;
        slots.extend(compressed.slots);
        slots.extend(frame.foot);
        open_with_user(&mut slots, frame.opening, list_key, &mut notes);
        let written = rules.cache_marks;
        marks::run(&request.cache, written, &mut slots, &mut conversation.tools, &mut notes);
        slots
    });
    let report = manifest::run(manifest::Input {
        request,
        slots: &assembled,
        tools,
        reply,
        memory,
        injected: shown,
        arrived: manifest::Arrived::new(&arrived, &names, system),
        actions: compressed.actions,
        list_key,
        notes,
    });
    if !report.fits && request.on_overflow == OnOverflow::Fail {
        return Err(Error::OverBudget(Box::new(report)));
    }
    let mut compiled = timed(&mut timings.serialise, || {
        let messages: Vec<Message> = assembled.into_iter().map(|slot| slot.message).collect();
        let sandwich = Sandwich { messages: &messages, tools: &conversation.tools };
        let payload = provider::write(target, sandwich);
        let hints = Hints {
            squeezed: compressed.outcome.squeezed,
            skill: request.skill.as_ref().map(|skill| skill.instructions.to_string()),
            prefill: frame
                .prefilled
                .then(|| request.output.prefill.as_deref())
                .flatten()
                .map(|text| text.trim_end().to_owned()),
        };
        Compiled { payload, report, hints }
    });
    if rules.cache_marks {
        compiled.report.cache.breakpoints = breakpoints(&compiled.payload);
    }
    Ok(compiled)
}

fn names(history: &[Message]) -> Vec<manifest::Name> {
    history.iter().enumerate().map(|(at, message)| manifest::Name::of(message, at)).collect()
}

/// Puts the opening before a list that does not begin with the user's message.
fn open_with_user(slots: &mut Vec<Slot>, opening: Option<Slot>, list: &str, notes: &mut Notes) {
    let first = slots.iter().position(|slot| slot.message.role != Role::System);
    if let (Some(at), Some(opening)) = (first, opening)
        && slots.get(at).is_some_and(|slot| slot.message.role != Role::User)
    {
        let detail = "the target wants the user's message first: one was put there";
        notes.repaired("opening_added", format!("/{list}"), detail);
        slots.insert(at, opening);
    }
}

/// JSON Pointers of the blocks that carry a cache mark.
fn breakpoints(payload: &str) -> Vec<String> {
    let mut found = Vec::new();
    if !payload.contains("\"cache_control\"") && !payload.contains("\"cache\"") {
        return found;
    }
    if let Ok(node) = json::parse(payload, json::Limits::default()) {
        marked(&node, &json::Path::Root, &mut found);
    }
    found
}

fn marked(node: &Node<'_>, path: &json::Path<'_>, found: &mut Vec<String>) {
    if let Some(members) = node.as_object() {
        if members.iter().any(|(key, _)| key == "cache_control" || key == "cache") {
            found.push(path.pointer());
        }
        for (key, value) in members {
            // What a model or a tool wrote is content, whatever its keys are.
            if !matches!(key.as_ref(), "input" | "arguments" | "input_schema" | "parameters") {
                marked(value, &path.key(key), found);
            }
        }
    }
    for (index, item) in node.as_array().unwrap_or_default().iter().enumerate() {
        marked(item, &path.index(index), found);
    }
}
