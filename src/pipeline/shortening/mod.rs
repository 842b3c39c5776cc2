//! Shortens a list of messages, or a text, on its own: `POST /compress`.
//!
//! Messages keep their shape; texts are edited in place. Rung 1 goes first and over everything; if
//! that is not enough, or a level asks for more, the ladder chooses turns by their costs, and rung
//! 1 goes once more over the messages left in sight.

mod forms;
mod lossless;
mod output;
mod plan;
mod reductions;
mod report;
mod results;
mod turns;

use forms::{Visibility, shorten_text};
pub use output::{Edit, MessageAuthor, Original, ShownMessage, TextEdit, splice};
use plan::PlanInput;
pub use report::{ShortenOutput, ShortenResult, passed_on};
pub use results::{ChangedList, ask_results};
use turns::Turns;

use std::cell::OnceCell;
use std::ops::Range;

use super::compress::{self, Clearing, ResultTools, SummaryMaterial, SummaryRequest, read_summary};
use super::measure::{self, Cost, Meter};
use super::points::summary::{MAX_SUMMARIES, SummarySlice};
use super::stage::timed;
use super::{Error, PipelineContext, PipelineRun, prose, protection};
use crate::compress::{AdapterSet, EditLimit, Encoder, Lossless, Reducer, TextNames};
use crate::domain::{ArtifactId, Message, Notes, ProgramCalls};
use crate::json::Node;
use crate::provider::{self, ContentWrap, MessageText, ResultTexts};
use crate::request::{CompressInput, CompressRequest, Level, MessageList, Originals};

/// Makes the request's text or messages shorter. `makers`: one for each message; what an earlier
/// answer made takes no other form at rung 1.
pub fn shorten(
    cx: &PipelineContext,
    request: &CompressRequest<'_, '_>,
    makers: &[MessageAuthor],
    run: PipelineRun<'_>,
) -> Result<ShortenResult, Error> {
    let PipelineRun { deadline, hooks, timings } = run;
    let meter = Meter::new(&cx.counter, request.model.tokenizer, request.target, deadline);
    let allow = match request.originals {
        Originals::None => Lossless::Exact,
        Originals::Store | Originals::Return => Lossless::Equivalent,
    };
    let adapters =
        AdapterSet::new(&request.adapters, deadline).with_hook_texts(request.formats.clone());
    let pointer = request.reader.reference.map(prose::pointer);
    let reducer = Reducer { adapters: &adapters, pointer };
    let names = TextNames::default();
    let encoder = || {
        let encoder = Encoder::new(&cx.engine, &cx.counter, request.model.tokenizer, allow);
        encoder.with_reducer(reducer).with_names(&names)
    };
    match &request.given {
        CompressInput::Text(text) => {
            deadline.check()?;
            let form = timed(&mut timings.count, || shorten_text(request, text, &encoder));
            Ok(report::report_text(request, text, form))
        }
        CompressInput::List(list) => {
            let mut notes = request.notes.clone();
            let job = timed(&mut timings.count, || {
                let list = AuthoredList { list, makers };
                ShortenJob::new(&meter, request, list, &names, &mut notes)
            })?;
            let mut material = SummaryMaterial {
                asks: request.level >= Level::Summary && hooks.summarizes(),
                ..SummaryMaterial::default()
            };
            let mut ran = timed(&mut timings.compile, || job.run(&material, &encoder))?;
            for _ in 0..MAX_SUMMARIES {
                let Some(wanted) = ran.wanted.take() else { break };
                let slice = job.slice(&wanted);
                let asked = timed(&mut timings.hooks, || hooks.summarize(&slice.ask()))?;
                deadline.check()?;
                material.written.push(read_summary(wanted, asked, &mut notes));
                ran = timed(&mut timings.compile, || job.run(&material, &encoder))?;
            }
            let before = job.costs.iter().map(|cost| cost.real()).sum();
            timed(&mut timings.count, || report::report_list(&meter, &job, ran, before, notes))
        }
    }
}

/// The rows of a shortened list.
struct ShortenOutcome {
    rows: Vec<report::Row>,
    /// The author of the summary, if there is one.
    by: Option<String>,
    wanted: Option<SummaryRequest>,
}

/// A list of messages and the author of each.
#[derive(Clone, Copy)]
struct AuthoredList<'j> {
    list: &'j MessageList<'j, 'j>,
    makers: &'j [MessageAuthor],
}

/// A list on its way.
pub(super) struct ShortenJob<'j> {
    meter: &'j Meter<'j>,
    request: &'j CompressRequest<'j, 'j>,
    list: &'j MessageList<'j, 'j>,
    /// The calls and results of each message.
    spoken: Vec<Vec<MessageText>>,
    /// Whether the message is never changed, one flag for each.
    fixed: Vec<bool>,
    makers: &'j [MessageAuthor],
    names: &'j TextNames,
    /// Tokens of each message before shortening, and of everything outside of the list, last.
    costs: Vec<Cost>,
    /// The neutral messages that were read from each message.
    neutral: Vec<Vec<&'j Message>>,
    tools: ResultTools,
    /// The lines in the places of the results of each message, as far as they were asked for.
    lines: Vec<OnceCell<Vec<Option<ClearedLine>>>>,
    /// The thinking to remove from each message, as far as it was asked for.
    thoughts: Vec<OnceCell<Option<MessageThinking>>>,
}

/// The thinking of a message.
#[derive(Debug, Clone)]
struct MessageThinking {
    /// Bytes of the message's JSON text.
    places: Vec<Range<usize>>,
    /// Raw tokens.
    saved: i64,
}

/// The line that replaces a result that is cleared.
#[derive(Debug, Clone)]
struct ClearedLine {
    text: String,
    tokens: u64,
    /// Tokens of the result's texts.
    before: u64,
}

impl<'j> ShortenJob<'j> {
    fn new(
        meter: &'j Meter<'j>,
        request: &'j CompressRequest<'j, 'j>,
        list: AuthoredList<'j>,
        names: &'j TextNames,
        notes: &mut Notes,
    ) -> Result<Self, Error> {
        let AuthoredList { list, makers } = list;
        let count = list.items.len();
        let conversation = &list.conversation;
        let (history, system) = (&conversation.history, &conversation.system);
        let flags = protection::run(&request.protect, history, system, notes, meter.deadline())?;
        let mut fixed: Vec<bool> =
            makers.iter().map(|maker| *maker == MessageAuthor::OursForGood).collect();
        fixed.resize(count, false);
        for (message, flag) in history.iter().zip(flags) {
            if let Some(fixed) = message.origin.and_then(|at| fixed.get_mut(at)) {
                *fixed |= flag;
            }
        }
        let mut costs = vec![Cost::default(); count + 1];
        let mut neutral = vec![Vec::new(); count];
        for message in system.iter().chain(history) {
            meter.check()?;
            let at = message.origin.filter(|at| *at < count).unwrap_or(count);
            if let Some(cost) = costs.get_mut(at) {
                *cost += meter.message(message)?;
            }
            if let Some(messages) = neutral.get_mut(at) {
                messages.push(message);
            }
        }
        if let Some(outside) = costs.last_mut() {
            outside.text += meter.reply() + meter.tools(&conversation.tools)?;
        }
        // What a program reads keeps its bytes, and so does the call that it made.
        let programs = ProgramCalls::new(history.iter());
        let is_programs = |messages: &Vec<&Message>| {
            messages.iter().flat_map(|message| &message.parts).any(|part| programs.has(part))
        };
        let verbatim = &request.reader.verbatim_calls;
        let is_verbatim = |messages: &Vec<&Message>| {
            let mut results = messages.iter().flat_map(|message| message.tool_results());
            results.any(|result| verbatim.contains(&result.call_id))
        };
        let spoken = list.items.iter().zip(&neutral).map(|(item, messages)| {
            if is_programs(messages) || is_verbatim(messages) {
                Vec::new()
            } else {
                provider::message_texts(item)
            }
        });
        let spoken = spoken.collect();
        let tools = ResultTools::new(history);
        let (lines, thoughts) = (vec![OnceCell::new(); count], vec![OnceCell::new(); count]);
        Ok(Self {
            meter,
            request,
            list,
            spoken,
            fixed,
            makers,
            names,
            costs,
            neutral,
            tools,
            lines,
            thoughts,
        })
    }

    /// `material`: the summaries that others wrote.
    fn run<'e>(
        &self,
        material: &SummaryMaterial,
        encoder: &dyn Fn() -> Encoder<'e>,
    ) -> Result<ShortenOutcome, Error> {
        let whole = plan::ShortenPlan::whole(self.list.items.len());
        let first = lossless::run(self, &whole, encoder(), None)?;
        let taken = self.request.level;
        if taken == Level::Lossless || self.fits(&first) {
            return Ok(ShortenOutcome { rows: first, by: None, wanted: None });
        }
        let turns = Turns::new(self, &first, &encoder());
        let attempt = |level, fill| {
            let input = PlanInput { rows: &first, turns: &turns, material, level, fill };
            let plan = plan::run(self, input, encoder())?;
            let rows = lossless::run(self, &plan, encoder(), Some(&turns.facts))?;
            Ok::<_, Error>((plan, rows))
        };
        let (mut plan, mut further) = attempt(taken, true)?;
        if !self.fits(&further) && plan.summary.is_some() {
            (plan, further) = attempt(taken, false)?;
        }
        if !plan.pays {
            (plan, further) = attempt(Level::Reversible, false)?;
        }
        // Messages that are gone may have been the targets of references.
        if self.tokens_after(&further) > self.tokens_after(&first) {
            return Ok(ShortenOutcome { rows: first, by: None, wanted: None });
        }
        // A summary that would not be shown is not asked for.
        let by = plan.summary.and_then(|summary| summary.author);
        let wanted = plan.wanted.filter(|_| by.is_some());
        Ok(ShortenOutcome { rows: further, by, wanted })
    }

    /// The material for the summary of these messages of the list.
    fn slice(&self, wanted: &SummaryRequest) -> SummarySlice {
        let covered: Vec<&Message> =
            wanted.covered.iter().flat_map(|at| self.messages(*at)).copied().collect();
        let instructions = self.request.summary_instructions.clone();
        let max_tokens = self.request.model.scale(wanted.max_tokens);
        SummarySlice::new(&covered, None, instructions, None, max_tokens)
    }

    /// Whether there is a budget, and the rows meet it.
    fn fits(&self, rows: &[report::Row]) -> bool {
        let budget = self.request.budget_tokens;
        budget.is_some_and(|budget| self.request.model.scale(self.tokens_after(rows)) <= budget)
    }

    /// Raw tokens of the rows and of everything outside of the list.
    fn tokens_after(&self, rows: &[report::Row]) -> u64 {
        let outside = self.costs.last().map_or(0, |cost| cost.real());
        outside + rows.iter().map(|row| row.after).sum::<u64>()
    }

    /// The line that replaces a cleared result, if it takes fewer tokens than the texts; none if
    /// the result stays. `nth`: the index of the result in its message.
    fn line(&self, at: usize, nth: usize, visibility: Visibility) -> Option<&ClearedLine> {
        if !matches!(visibility, Visibility::Cleared(..)) {
            return None;
        }
        self.lines.get(at)?.get_or_init(|| self.find_lines(at)).get(nth)?.as_ref()
    }

    fn find_lines(&self, at: usize) -> Vec<Option<ClearedLine>> {
        if !self.may_clear(at) || self.stands(at) {
            return Vec::new();
        }
        let results = self.spoken.get(at).into_iter().flatten();
        let results = results.filter_map(|spoken| match spoken {
            MessageText::Result(answered) => Some(answered),
            _ => None,
        });
        let own = self.messages(at).iter().flat_map(|message| message.tool_results());
        let mut tools = own.map(|result| self.tools.tool_name(result));
        let raw = self.item(at).map_or("", |item| item.raw);
        let lines = results.map(|answered| self.find_line(answered, raw, tools.next().flatten()));
        lines.collect()
    }

    /// `raw`: the JSON of the result's message.
    fn find_line(
        &self,
        answered: &ResultTexts,
        raw: &str,
        tool: Option<&str>,
    ) -> Option<ClearedLine> {
        let count = |text: &str| self.meter.counter().count(self.meter.tokenizer(), text);
        // What a line of ours says of the original would be lost.
        if answered.slots.iter().all(|slot| prose::is_cleared(&slot.text)) {
            return None;
        }
        // An object around the line takes some tokens more.
        let other_tokens = match answered.content.as_ref()? {
            (_, ContentWrap::Object) => 6,
            _ => 0,
        };
        let before = answered.slots.iter().map(|slot| count(&slot.text)).sum();
        let id = || ArtifactId::of_text(lossless::original_text(answered, raw));
        let read = self.request.reader.reference.map(|reference| (reference, id()));
        let text = prose::cleared_line(tool, answered.slots.iter().map(|slot| &*slot.text), read);
        let tokens = count(&text);
        (tokens + other_tokens < before).then_some(ClearedLine { text, tokens, before })
    }

    /// The thinking to remove from a message.
    fn thinking_of(&self, at: usize, visibility: Visibility) -> Option<&MessageThinking> {
        let clears = matches!(visibility, Visibility::Cleared(_, Clearing::ResultsAndThinking));
        if !clears || self.request.reader.results_only {
            return None;
        }
        self.thoughts.get(at)?.get_or_init(|| self.find_thinking(at)).as_ref()
    }

    fn find_thinking(&self, at: usize) -> Option<MessageThinking> {
        let ([message], EditLimit::Free) = (self.messages(at), self.hold(at)) else { return None };
        let rest = compress::without_thinking(message)?;
        let places = provider::thoughts(self.item(at)?);
        if message.parts.len() - rest.parts.len() != places.len() {
            return None;
        }
        let cost = |message| self.meter.message(message).ok().map(Cost::real);
        let saved = measure::saved(cost(message)?, cost(&rest)?);
        (saved > 0).then_some(MessageThinking { places, saved })
    }

    /// Whether a message of an earlier response stands as it is: without a budget nothing asks for
    /// more than was done to it, and the prefix of the list stays the same.
    fn stands(&self, at: usize) -> bool {
        let is_ours = self.makers.get(at).is_some_and(|maker| *maker != MessageAuthor::Caller);
        is_ours && self.request.budget_tokens.is_none()
    }

    /// Whether rung 3 may take the results of a message.
    fn may_clear(&self, at: usize) -> bool {
        let tokens = self.costs.get(at).map_or(0, |cost| cost.real());
        let own = self.messages(at).iter();
        let mut own = own.filter(|message| message.tool_results().next().is_some());
        own.all(|message| compress::may_clear(message, &self.request.clear, &self.tools, tokens))
    }

    fn item(&self, at: usize) -> Option<&Node<'j>> {
        self.list.items.get(at)
    }

    /// The neutral messages that were read from a message of the list.
    fn messages(&self, at: usize) -> &[&'j Message] {
        self.neutral.get(at).map_or(&[], Vec::as_slice)
    }
}
