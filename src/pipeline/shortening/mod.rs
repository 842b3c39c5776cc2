//! Shortens a list of messages, or a text, on its own: `POST /compress`.
//!
//! Messages keep their shape; texts are edited in place. Rung 1 goes first and over everything; if
//! that is not enough, or a level asks for more, the ladder chooses turns by their costs, and rung
//! 1 goes once more over the messages left in sight.

mod fill;
mod forms;
mod lossless;
mod output;
mod plan;
mod prose_texts;
mod reductions;
mod removals;
mod report;
mod results;
mod turns;

use forms::{count_text, shorten_text};
pub use output::{Edit, MessageAuthor, Original, ShownMessage, TextEdit, splice};
use plan::PlanInput;
use prose_texts::{texts_of_adapters, uses_adapters};
use removals::{ClearedLine, MessageThinking};
pub use report::{ShortenOutput, ShortenResult, passed_on};
pub use results::{ChangedList, ask_results};
use turns::Turns;

use std::cell::OnceCell;

use super::compress::{ResultTools, SummaryMaterial, SummaryRequest, read_summary};
use super::measure::{Cost, Meter};
use super::points::summary::{MAX_SUMMARIES, SummarySlice};
use super::points::{ShorterTexts, ask_prose};
use super::report::NotationTokens;
use super::stage::timed;
use super::{Error, PipelineContext, PipelineRun, prose, protection};
use crate::compress::{AdapterSet, Encoder, Lossless, Reducer, TextNames};
use crate::domain::{Message, Notes, ProgramCalls};
use crate::json::Node;
use crate::provider::{self, MessageText};
use crate::request::{CompressInput, CompressRequest, ExplainLevel, Level, MessageList, Originals};

/// Makes the request's text or messages shorter. `makers`: one for each message; what an earlier
/// answer made takes no other form at rung 1.
#[expect(clippy::too_many_lines, reason = "a text, then a list, step after step")]
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
    let names = TextNames::default();
    let encoder_with = |notations, adapters| {
        let encoder = Encoder::new(&cx.engine, &cx.counter, request.model.tokenizer, allow);
        let encoder = encoder.with_notations(notations).with_names(&names);
        encoder.with_reducer(Reducer { adapters, pointer })
    };
    let encoder_of = |adapters| encoder_with(request.notations, adapters);
    let is_explained = request.explain == ExplainLevel::Full;
    let mut notes = request.notes.clone();
    let is_asked = request.level >= Level::Reversible && adapters.ask_summarizer();
    match &request.given {
        CompressInput::Text(text) => {
            deadline.check()?;
            let with_summaries;
            let mut form = timed(&mut timings.count, || {
                shorten_text(request, text, &|| encoder_of(&adapters))
            });
            let is_shortened = form.as_ref().is_some_and(|form| uses_adapters(&form.rules));
            if is_asked && is_shortened {
                let texts = std::iter::once(text);
                let made =
                    timed(&mut timings.hooks, || ask_prose(hooks, &adapters, texts, &mut notes))?;
                deadline.check()?;
                with_summaries = adapters.clone().with_summaries(made);
                form = shorten_text(request, text, &|| encoder_of(&with_summaries));
            }
            let mut result = report::report_text(request, text, form, notes);
            if is_explained {
                let count = |notations| {
                    Ok::<_, Error>(count_text(request, text, encoder_with(notations, &adapters)))
                };
                result.report.notations(NotationTokens::count(count)?);
            }
            Ok(result)
        }
        CompressInput::List(list) => {
            let job = timed(&mut timings.count, || {
                let list = AuthoredList { list, makers };
                ShortenJob::new(&meter, request, list, &names, &mut notes)
            })?;
            let mut material = SummaryMaterial {
                asks: request.level >= Level::Summary && hooks.summarizes(),
                ..SummaryMaterial::default()
            };
            let mut ran =
                timed(&mut timings.compile, || job.run(&material, &|| encoder_of(&adapters)))?;
            let mut made = ShorterTexts::new();
            if is_asked {
                let texts = texts_of_adapters(&job, &ran.rows).into_iter();
                made =
                    timed(&mut timings.hooks, || ask_prose(hooks, &adapters, texts, &mut notes))?;
                deadline.check()?;
            }
            let is_shorter = !made.is_empty();
            let adapters = adapters.clone().with_summaries(made);
            let encoder = || encoder_of(&adapters);
            if is_shorter {
                ran = timed(&mut timings.compile, || job.run(&material, &encoder))?;
            }
            for _ in 0..MAX_SUMMARIES {
                let Some(wanted) = ran.wanted.take() else { break };
                let slice = job.slice(&wanted);
                let asked = timed(&mut timings.hooks, || hooks.summarize(&slice.ask()))?;
                deadline.check()?;
                material.written.push(read_summary(wanted, asked, &mut notes));
                ran = timed(&mut timings.compile, || job.run(&material, &encoder))?;
            }
            let before = job.costs.iter().map(|cost| cost.real()).sum();
            timed(&mut timings.count, || {
                let mut result = report::report_list(&meter, &job, ran, before, notes)?;
                if is_explained {
                    let count = |notations| job.count_lossless(encoder_with(notations, &adapters));
                    result.report.notations(NotationTokens::count(count)?);
                }
                Ok(result)
            })
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
        let further = self.fill_room(further, &mut plan, &turns.facts, encoder)?;
        // A summary that would not be shown is not asked for.
        let by = plan.summary.and_then(|summary| summary.author);
        let wanted = plan.wanted.filter(|_| by.is_some());
        Ok(ShortenOutcome { rows: further, by, wanted })
    }

    /// Tokens of the whole list after lossless edits alone.
    fn count_lossless(&self, encoder: Encoder<'_>) -> Result<u64, Error> {
        let whole = plan::ShortenPlan::whole(self.list.items.len());
        let rows = lossless::run(self, &whole, encoder, None)?;
        Ok(self.request.model.scale(self.tokens_after(&rows)))
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

    /// Whether a message of an earlier response stays as it is: without a budget nothing asks for
    /// more than was done to it, and the prefix of the list stays the same.
    fn stands(&self, at: usize) -> bool {
        let is_ours = self.makers.get(at).is_some_and(|maker| *maker != MessageAuthor::Caller);
        is_ours && self.request.budget_tokens.is_none()
    }

    fn item(&self, at: usize) -> Option<&Node<'j>> {
        self.list.items.get(at)
    }

    /// The neutral messages that were read from a message of the list.
    fn messages(&self, at: usize) -> &[&'j Message] {
        self.neutral.get(at).map_or(&[], Vec::as_slice)
    }
}
