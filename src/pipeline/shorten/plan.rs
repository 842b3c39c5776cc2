//! Which messages are cleared, summarised or dropped: the ladder over the turns of the list.

use super::report::Row;
use super::{Error, Job};
use crate::compress::{Depth, Encoder, Hold};
use crate::domain::{Message, Role, Source, Turn, turns};
use crate::json;
use crate::pipeline::compress::{self, ClearCost, Clearing, Form, Note, Outcome, TurnCost};
use crate::pipeline::report::Action;
use crate::pipeline::{measure, prose};
use crate::provider::Spoken;
use crate::request::Level;

/// How much of a message is in sight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sight {
    Whole,
    /// Its texts are taken so far down rung 2.
    To(Depth),
    /// Its tool results give way to one line, all else is taken so far.
    Cleared(Depth),
    Gone(Action),
}

/// What the ladder left.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) sights: Vec<Sight>,
    /// The summary's JSON text, and its raw tokens.
    pub(super) summary: Option<(String, u64)>,
    /// The message before which it stands.
    pub(super) summary_at: Option<usize>,
    /// Whether it takes less than what it stands for would if only results were cleared.
    pub(super) pays: bool,
}

impl Plan {
    /// Everything in sight.
    pub(super) fn whole(messages: usize) -> Self {
        Self { sights: vec![Sight::Whole; messages], pays: true, ..Self::default() }
    }
}

/// Chooses by what each message takes after rung 1, references aside: whether those stay
/// possible is only known once it is known what is gone. `fill`: the summary may take what the
/// budget leaves.
pub(super) fn run(
    job: &Job<'_>,
    rows: &[Row],
    (level, fill): (Level, bool),
    encoder: &Encoder<'_>,
) -> Result<Plan, Error> {
    let spans = item_turns(job);
    let costs = turn_costs(job, rows, &spans);
    let outside = job.costs.last().map_or(0, |cost| cost.real());
    let budget = job.request.budget_tokens.map(|budget| job.request.model.unscale(budget));
    let plan = compress::Plan {
        level,
        digests: budget.is_some(),
        clear_thinking: false,
        trigger: u64::MAX,
        compress_to: u64::MAX,
        summary_cap: compress::summary_cap(level, budget.unwrap_or_else(|| job.after(rows) * 2)),
        marker: job.meter.message(&Message::text(Role::User, prose::truncated(99_999)))?.real(),
        allowed: budget.map_or(0, |budget| budget.saturating_sub(outside)),
        opening: None,
        keep_live: budget.is_none(),
    };
    let mut view = View { job, rows, spans: &spans, cap: plan.summary_cap, encoder };
    let outcome = compress::plan(&costs, &plan, &mut view)?;
    let mut found = view.plan(&outcome, level)?;
    found.pays = view.pays(&outcome, &found)?;
    if fill && found.pays && outcome.note == Note::Summary && budget.is_some() {
        // What whole turns left over may say more of those that are gone.
        view.cap = view.cap.saturating_add(outcome.left);
        found = Plan { pays: true, ..view.plan(&outcome, level)? };
    }
    Ok(found)
}

/// Turns as ranges of messages of the list: a message of the list that holds results and text
/// belongs to the turn of its results.
fn item_turns(job: &Job<'_>) -> Vec<Turn> {
    let history = &job.list.conversation.history;
    let mut spans: Vec<Turn> = Vec::new();
    let mut next = 0;
    let count = job.list.items.len();
    for turn in turns(history) {
        let origins = history.get(turn).unwrap_or_default().iter().filter_map(|m| m.origin);
        let Some(last) = origins.filter(|at| *at < count).max() else { continue };
        // What stands before the first turn, system text, is a turn each.
        let first = history_start(job, next, last);
        while next < first {
            spans.push(next..next + 1);
            next += 1;
        }
        if last < next {
            continue;
        }
        spans.push(next..last + 1);
        next = last + 1;
    }
    while next < count {
        spans.push(next..next + 1);
        next += 1;
    }
    spans
}

/// The first message from `next` on that the history knows; those before it hold system text.
fn history_start(job: &Job<'_>, next: usize, last: usize) -> usize {
    let is_system = |at: &usize| job.messages(*at).iter().any(|own| own.role == Role::System);
    (next..last).find(|at| !is_system(at)).unwrap_or(last)
}

fn turn_costs(job: &Job<'_>, rows: &[Row], spans: &[Turn]) -> Vec<TurnCost> {
    let keep = job.request.keep_recent_turns.max(job.request.protect.recent_turns);
    let recent = job.request.protect.recent_messages;
    let shielded = job.list.items.len().saturating_sub(recent);
    // Only the newest live zone is ever asked for: nothing is replayed here.
    let recent = spans.iter().position(|span| span.end > shielded).unwrap_or(spans.len());
    let mut costs = Vec::with_capacity(spans.len());
    for (index, span) in spans.iter().enumerate() {
        let mut cost = TurnCost::default();
        for at in span.clone() {
            let own = rows.get(at).map_or(0, |row| row.alone);
            cost.flat += own;
            cost.real += own;
            cost.exempt |= job.fixed.get(at) == Some(&true);
            for message in job.messages(at) {
                cost.exempt |= message.role == Role::System;
                cost.system |= message.role == Role::System;
                cost.user |= message.role == Role::User;
            }
        }
        cost.live_start = (index + 1).saturating_sub(keep).min(recent);
        costs.push(cost);
    }
    // Only the newest turn is asked: nothing is replayed here.
    let kept = kept_results(job, spans);
    if let Some(newest) = costs.last_mut() {
        newest.clear_start = kept.min(newest.live_start);
    }
    costs
}

/// The turn of the oldest of the newest results that stay.
fn kept_results(job: &Job<'_>, spans: &[Turn]) -> usize {
    let results = spans.iter().enumerate().rev().flat_map(|(turn, span)| {
        let messages = span.clone().flat_map(|at| job.messages(at));
        messages.flat_map(|message| message.tool_results()).map(move |_| turn)
    });
    results.take(job.request.clear.keep).last().unwrap_or(spans.len())
}

struct View<'v> {
    job: &'v Job<'v>,
    rows: &'v [Row],
    spans: &'v [Turn],
    cap: u64,
    /// Gives forms that stand by themselves.
    encoder: &'v Encoder<'v>,
}

impl ClearCost for View<'_> {
    type Error = Error;

    fn arrived(&mut self, turn: usize) -> Result<(u64, u64), Error> {
        let span = self.spans.get(turn).cloned().unwrap_or_default();
        let alone: u64 = span.filter_map(|at| self.rows.get(at)).map(|row| row.alone).sum();
        Ok((alone, alone))
    }

    fn settled(&mut self, _: &[Form]) -> Result<Vec<(u64, u64)>, Error> {
        // The list is gone through once more when the plan is known.
        Ok(Vec::new())
    }

    fn taken(&mut self, turn: usize, form: Form) -> Result<Option<(u64, u64)>, Error> {
        let Some(span) = self.spans.get(turn) else { return Ok(None) };
        let sight = sight(form, self.words(), Sight::Whole);
        let (mut before, mut after) = (0, 0);
        for at in span.clone() {
            self.job.meter.check()?;
            let Some(row) = self.rows.get(at) else { continue };
            before += row.alone;
            after += row.before.saturating_add_signed(-self.saved(at, sight));
        }
        Ok((after <= before).then_some((after, after)))
    }

    fn summary(&mut self, forms: &[Form]) -> Result<u64, Error> {
        Ok(self.summarized(forms)?.map_or(self.cap, |(_, tokens)| tokens))
    }
}

/// How a message of a turn in that form is seen; `gone` where it is not.
fn sight(form: Form, words: Depth, gone: Sight) -> Sight {
    match form {
        Form::Whole => Sight::Whole,
        Form::Reduced(depth) => Sight::To(depth),
        Form::Cleared(_) => Sight::Cleared(words),
        Form::Covered => gone,
    }
}

impl View<'_> {
    /// How far words are taken where results are cleared.
    fn words(&self) -> Depth {
        match self.job.request.budget_tokens {
            Some(_) => Depth::Gist,
            None => Depth::Reduced,
        }
    }

    /// Raw tokens that a message saves where it is seen so; an escape costs.
    fn saved(&self, at: usize, sight: Sight) -> i64 {
        let job = self.job;
        let count = |text: &str| job.meter.counter().count(job.meter.tokenizer(), text);
        let by =
            |form: &crate::compress::Form| measure::saved(form.tokens_before, form.tokens_alone);
        let mut results = 0..;
        let mut saved = 0;
        for spoken in job.spoken.get(at).into_iter().flatten() {
            saved += match spoken {
                Spoken::Call(slot, _) => match job.hold_in(at, sight) {
                    Hold::To(depth) => by(&self.encoder.arguments(&slot.text, depth)),
                    _ => 0,
                },
                Spoken::Words(slot) => by(&self.encoder.words(&slot.text, job.hold_in(at, sight))),
                Spoken::Said(slot) => match job.hold_in(at, sight) {
                    Hold::To(depth) => by(&self.encoder.said(&slot.text, depth)),
                    _ => 0,
                },
                Spoken::Result(answered) => {
                    let nth = results.next().unwrap_or_default();
                    let texts = || answered.slots.iter().map(|slot| &slot.text);
                    match (job.line(at, nth, answered, sight), job.hold_in(at, sight)) {
                        (Some(line), _) => {
                            let before = texts().map(|text| count(text)).sum();
                            measure::saved(before, count(&line))
                        }
                        (None, Hold::Fixed | Hold::Ours) => 0,
                        (None, Hold::Free) => {
                            texts().map(|text| by(&self.encoder.alone(text, None))).sum()
                        }
                        (None, Hold::To(depth)) => {
                            texts().map(|text| by(&self.encoder.alone(text, Some(depth)))).sum()
                        }
                    }
                }
            };
        }
        saved
    }

    fn covered(&self, forms: &[Form]) -> impl Iterator<Item = usize> {
        let spans = self.spans.iter().zip(forms);
        let covered: Vec<usize> = spans
            .filter(|(_, form)| **form == Form::Covered)
            .flat_map(|(span, _)| span.clone())
            .collect();
        covered.into_iter()
    }

    /// The summary of what is covered, as a message of the list's shape.
    fn summarized(&self, forms: &[Form]) -> Result<Option<(String, u64)>, Error> {
        let messages: Vec<&Message> =
            self.covered(forms).flat_map(|at| self.job.messages(at)).copied().collect();
        let tokens =
            self.covered(forms).filter_map(|at| self.rows.get(at)).map(|row| row.alone).sum();
        let slot = compress::summary(self.job.meter, &messages, tokens, self.cap, None)?;
        Ok(slot.map(|slot| {
            let text = slot.message.parts.iter().find_map(|part| part.as_text().cloned());
            (self.user_message(&text.unwrap_or_else(|| "".into())), slot.cost.real())
        }))
    }

    fn user_message(&self, text: &str) -> String {
        let (open, close) = match self.job.list.conversation.source {
            Source::Gemini => ("{\"role\":\"user\",\"parts\":[{\"text\":", "}]}"),
            Source::Neutral => {
                ("{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"text\":", "}]}")
            }
            Source::Anthropic => {
                ("{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":", "}]}")
            }
            Source::Openai | Source::OpenaiResponses => ("{\"role\":\"user\",\"content\":", "}"),
        };
        let mut json = open.to_owned();
        json::write_string(&mut json, text);
        json.push_str(close);
        json
    }

    fn pays(&mut self, outcome: &Outcome, plan: &Plan) -> Result<bool, Error> {
        let Some((_, note)) = plan.summary else { return Ok(true) };
        let mut covered = 0;
        for (turn, form) in outcome.forms.iter().enumerate() {
            if *form != Form::Covered {
                continue;
            }
            let alone = |row: &Row| row.alone;
            let cleared = Form::Cleared(Clearing::Results);
            covered += if let Some((_, tokens)) = self.taken(turn, cleared)? {
                tokens
            } else {
                let span = self.spans.get(turn).cloned().unwrap_or_default();
                self.rows.get(span).unwrap_or_default().iter().map(alone).sum()
            };
        }
        Ok(note < covered)
    }

    fn plan(&self, outcome: &Outcome, level: Level) -> Result<Plan, Error> {
        let mut plan = Plan::whole(self.job.list.items.len());
        if outcome.note == Note::Summary {
            plan.summary = self.summarized(&outcome.forms)?;
        }
        // Where no summary can be made the next rung is taken, if the level goes so far.
        let mut covered = match plan.summary {
            Some(_) => Sight::Gone(Action::Summarized),
            None => Sight::Gone(Action::Dropped),
        };
        if level < Level::Drop && plan.summary.is_none() {
            covered = Sight::Cleared(self.words());
        } else if plan.summary.is_none() && outcome.forms.contains(&Form::Covered) {
            // Without the marker this list would be the beginning of the one that came, and
            // nobody could tell them apart.
            let text = prose::truncated(self.covered(&outcome.forms).count());
            let message = Message::text(Role::User, text.as_str());
            plan.summary =
                Some((self.user_message(&text), self.job.meter.message(&message)?.real()));
        }
        plan.summary_at = self.covered(&outcome.forms).next();
        for (span, form) in self.spans.iter().zip(&outcome.forms) {
            let sight = sight(*form, self.words(), covered);
            for at in span.clone() {
                if let Some(known) = plan.sights.get_mut(at) {
                    *known = sight;
                }
            }
        }
        Ok(plan)
    }
}
