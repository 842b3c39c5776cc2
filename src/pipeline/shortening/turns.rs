//! The turns of the list, what they cost, and what they show to each other.

use std::sync::Arc;

use super::ShortenJob;
use super::forms::find_form;
use super::reductions::ReductionChains;
use super::report::Row;
use crate::compress::{EditLimit, Encoder, FactMessage, FactState, ShownFacts, ShownForm};
use crate::domain::{Role, Turn, turns};
use crate::pipeline::compress::TurnCost;
use crate::provider::MessageText;

/// The turns of a list.
#[derive(Debug)]
pub(super) struct Turns<'t> {
    /// Messages of the list, one range for each turn.
    pub(super) spans: Vec<Turn>,
    /// Raw tokens, one for each turn.
    pub(super) costs: Vec<TurnCost>,
    /// The facts that its messages show to each other.
    pub(super) facts: ShownFacts<'t>,
    /// Its texts on their way down rung 2.
    pub(super) chains: ReductionChains,
    /// Whether a message is unchanged, whatever the budget.
    pub(super) whole: Vec<bool>,
}

impl<'t> Turns<'t> {
    /// The turns by what each message takes after rung 1, references aside.
    pub(super) fn new(job: &ShortenJob<'t>, rows: &[Row], encoder: &Encoder<'_>) -> Self {
        let spans = split_turns(job);
        let costs = count_turns(job, rows, &spans);
        let user = costs.iter().rposition(|cost| cost.user);
        let mut whole = Vec::with_capacity(job.list.items.len());
        for (turn, (span, cost)) in spans.iter().zip(&costs).enumerate() {
            let stays = cost.exempt || Some(turn) == user;
            whole.extend(span.clone().map(|at| stays || job.hold(at) != EditLimit::Free));
        }
        let live = costs.last().map_or(0, |newest| newest.live_start);
        let live = spans.get(live).map_or(whole.len(), |span| span.start);
        let facts = show_facts(job, &whole, live, encoder);
        let chains = ReductionChains::new(whole.len());
        Self { spans, costs, facts, chains, whole }
    }

    /// The first turn of the live zone.
    pub(super) fn live_turn(&self) -> usize {
        self.costs.last().map_or(0, |newest| newest.live_start)
    }
}

/// The texts of a message with their forms by themselves, if they have one.
fn forms<'j>(
    job: &'j ShortenJob<'_>,
    encoder: &Encoder<'_>,
    at: usize,
    hold: EditLimit,
) -> impl Iterator<Item = (&'j Arc<str>, Option<ShownForm>)> {
    let spoken = job.spoken.get(at).into_iter().flatten();
    spoken.flat_map(move |spoken| {
        let hold = match spoken {
            MessageText::Result(_) => hold,
            _ => job.hold_words(hold),
        };
        let slots = spoken.slots().iter();
        slots.map(move |slot| (&slot.text, find_form(encoder, spoken, &slot.text, hold)))
    })
}

/// Collects the facts of texts that are unchanged; other facts are added when it is known what is
/// left of their texts.
fn show_facts<'t>(
    job: &ShortenJob<'t>,
    whole: &[bool],
    live: usize,
    encoder: &Encoder<'_>,
) -> ShownFacts<'t> {
    let list = job.list.items.iter().zip(whole);
    let list = list.map(|(item, whole)| FactMessage { text: item.raw, is_fixed: *whole });
    let facts = ShownFacts::new(list.collect(), live);
    for (at, whole) in whole.iter().enumerate() {
        let stands = match whole {
            true => FactState::Whole,
            false if at >= live => FactState::Shielded,
            false => continue,
        };
        // A fact that a notation shows by its place alone is not in sight.
        for (text, form) in forms(job, encoder, at, job.hold(at)) {
            let shown = form.and_then(|form| form.text);
            facts.add_text(at, stands, shown.as_ref().unwrap_or(text));
        }
    }
    facts
}

/// Turns as ranges of messages of the list: a message of the list that holds results and text
/// belongs to the turn of its results.
fn split_turns(job: &ShortenJob<'_>) -> Vec<Turn> {
    let history = &job.list.conversation.history;
    let mut spans: Vec<Turn> = Vec::new();
    let mut next = 0;
    let count = job.list.items.len();
    for turn in turns(history) {
        let origins = history.get(turn).unwrap_or_default().iter().filter_map(|m| m.origin);
        let Some(last) = origins.filter(|at| *at < count).max() else { continue };
        // Each message before the first turn, system text, is a turn.
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
fn history_start(job: &ShortenJob<'_>, next: usize, last: usize) -> usize {
    let is_system = |at: &usize| job.messages(*at).iter().any(|own| own.role == Role::System);
    (next..last).find(|at| !is_system(at)).unwrap_or(last)
}

fn count_turns(job: &ShortenJob<'_>, rows: &[Row], spans: &[Turn]) -> Vec<TurnCost> {
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
    let kept = first_kept_turn(job, spans);
    if let Some(newest) = costs.last_mut() {
        newest.clear_start = kept.min(newest.live_start);
    }
    costs
}

/// The turn of the oldest of the newest results that stay.
fn first_kept_turn(job: &ShortenJob<'_>, spans: &[Turn]) -> usize {
    if !job.request.clear.is_on {
        return 0;
    }
    let results = spans.iter().enumerate().rev().flat_map(|(turn, span)| {
        let messages = span.clone().flat_map(|at| job.messages(at));
        messages.flat_map(|message| message.tool_results()).map(move |_| turn)
    });
    results.take(job.request.clear.keep).last().unwrap_or(spans.len())
}
