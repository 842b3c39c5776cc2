//! Plans the messages that are cleared, summarised or dropped: the ladder over the turns of the
//! list.

use std::cell::OnceCell;

use super::forms::Visibility;
use super::report::Row;
use super::turns::Turns;
use super::{Error, ShortenJob};
use crate::compress::{Depth, Encoder, FactState};
use crate::domain::{Message, Role, Source};
use crate::json;
use crate::pipeline::compress::{
    self, Clearing, CoveredMessages, HistoryNote, LadderOutcome, SummaryMaterial, SummaryMessage,
    SummaryRequest, SummaryRules, TurnCosts, TurnForm,
};
use crate::pipeline::report::Action;
use crate::pipeline::{measure, prose};
use crate::provider::MessageText;
use crate::request::Level;

/// The plan of the ladder.
#[derive(Debug, Default)]
pub(super) struct ShortenPlan {
    pub(super) visibility: Vec<Visibility>,
    /// The first message of the live zone.
    pub(super) live_start: usize,
    /// The first message of the newest turn, if the ladder shortens that turn after all others.
    pub(super) last_start: Option<usize>,
    /// The summary, or the marker of messages that are dropped.
    pub(super) summary: Option<SummaryText>,
    /// A summary that no hook or model was asked for yet.
    pub(super) wanted: Option<SummaryRequest>,
    /// The message before which the summary is inserted.
    pub(super) summary_at: Option<usize>,
    /// Whether the summary takes less than clearing the results of the covered messages would.
    pub(super) pays: bool,
}

/// A message of the list's shape that replaces covered messages.
#[derive(Debug)]
pub(super) struct SummaryText {
    pub(super) json: String,
    /// Raw tokens.
    pub(super) tokens: u64,
    /// The author of a summary; none for a marker.
    pub(super) author: Option<String>,
}

/// The input of a plan.
#[derive(Clone, Copy)]
pub(super) struct PlanInput<'v> {
    /// The rows of rung 1.
    pub(super) rows: &'v [Row],
    pub(super) turns: &'v Turns<'v>,
    pub(super) material: &'v SummaryMaterial,
    pub(super) level: Level,
    /// Whether the summary may take what the budget leaves.
    pub(super) fill: bool,
}

impl ShortenPlan {
    /// Everything in visibility.
    pub(super) fn whole(messages: usize) -> Self {
        Self { visibility: vec![Visibility::Whole; messages], pays: true, ..Self::default() }
    }
}

/// Chooses by what each message takes after rung 1, references aside: whether those stay
/// possible is only known once it is known what is gone.
pub(super) fn run(
    job: &ShortenJob<'_>,
    input: PlanInput<'_>,
    encoder: Encoder<'_>,
) -> Result<ShortenPlan, Error> {
    let PlanInput { rows, turns, material, level, fill } = input;
    let outside = job.costs.last().map_or(0, |cost| cost.real());
    let budget = job.request.budget_tokens.map(|budget| job.request.model.unscale(budget));
    let marker = Message::text(Role::User, prose::drop_marker(prose::MAX_MARKER_MESSAGES));
    let allowed = budget.map_or(0, |budget| budget.saturating_sub(outside));
    let plan = compress::LadderPlan {
        level,
        digests: budget.is_some(),
        clear_thinking: true,
        trigger: u64::MAX,
        compress_to: u64::MAX,
        summary_cap: compress::summary_cap(
            level,
            budget.unwrap_or_else(|| job.tokens_after(rows) * 2),
        ),
        marker: job.meter.message(&marker)?.real(),
        allowed,
        drop_allowed: allowed,
        opening: None,
        note_pays: budget.is_some(),
        keep_live: budget.is_none(),
        payoff: None,
    };
    let (cap, wanted) = (plan.summary_cap, OnceCell::new());
    let mut view = PlanView { job, rows, turns, material, cap, encoder, wanted };
    let outcome = compress::plan(&turns.costs, &plan, &mut view)?;
    let mut found = view.build_plan(&outcome, level)?;
    found.pays = view.pays_off(&outcome, &found)?;
    if fill && found.pays && outcome.note == HistoryNote::Summary && budget.is_some() {
        // Room that whole turns left over is used for the summary.
        view.cap = view.cap.saturating_add(outcome.left);
        found = ShortenPlan { pays: true, ..view.build_plan(&outcome, level)? };
    }
    found.wanted = view.wanted.into_inner();
    Ok(found)
}

struct PlanView<'v> {
    job: &'v ShortenJob<'v>,
    rows: &'v [Row],
    turns: &'v Turns<'v>,
    material: &'v SummaryMaterial,
    cap: u64,
    /// Gives the forms of texts by themselves.
    encoder: Encoder<'v>,
    /// The first summary that no hook or model was asked for.
    wanted: OnceCell<SummaryRequest>,
}

impl TurnCosts for PlanView<'_> {
    type Error = Error;

    fn arrival_cost(&mut self, turn: usize) -> Result<(u64, u64), Error> {
        let span = self.turns.spans.get(turn).cloned().unwrap_or_default();
        let alone: u64 = span.filter_map(|at| self.rows.get(at)).map(|row| row.alone).sum();
        Ok((alone, alone))
    }

    fn settle_costs(&mut self, _: &[TurnForm]) -> Result<Vec<(u64, u64)>, Error> {
        // The list is gone through once more when the plan is known.
        Ok(Vec::new())
    }

    fn form_cost(&mut self, turn: usize, form: TurnForm) -> Result<Option<(u64, u64)>, Error> {
        let Some(span) = self.turns.spans.get(turn) else { return Ok(None) };
        let visibility = visibility(form, self.cleared_depth(), Visibility::Whole);
        let (Visibility::To(depth) | Visibility::Cleared(depth, _)) = visibility else {
            return Ok(None);
        };
        let (mut before, mut after) = (0, 0);
        for at in span.clone() {
            self.show_around(at, depth)?;
            let Some(row) = self.rows.get(at) else { continue };
            before += row.alone;
            after += row.before.saturating_add_signed(-self.saved_tokens(at, depth, visibility));
        }
        Ok((after <= before).then_some((after, after)))
    }

    fn summary_cost(&mut self, forms: &[TurnForm]) -> Result<u64, Error> {
        Ok(self.write_summary(forms)?.map_or(self.cap, |summary| summary.tokens))
    }
}

/// The visibility of a message of a turn in that form; `gone` if it is covered.
fn visibility(form: TurnForm, words: Depth, gone: Visibility) -> Visibility {
    match form {
        // The ladder of a list makes no excerpts: its depths go on to a twentieth.
        TurnForm::Whole | TurnForm::Excerpt { .. } => Visibility::Whole,
        TurnForm::Reduced(depth) => Visibility::To(depth),
        TurnForm::Cleared(clearing) => Visibility::Cleared(words, clearing),
        TurnForm::Covered => gone,
    }
}

impl PlanView<'_> {
    /// The depth of rung 2 for words in turns whose results are cleared.
    fn cleared_depth(&self) -> Depth {
        match self.job.request.budget_tokens {
            Some(_) => Depth::Gist,
            None => Depth::Reduced,
        }
    }

    /// Records what the messages on the same side as `at` show, as far as the forms of that
    /// message depend on it.
    fn show_around(&mut self, at: usize, depth: Depth) -> Result<(), Error> {
        let (job, turns) = (self.job, self.turns);
        let wanted: Vec<Depth> = turns.facts.missing_depths(at, depth).collect();
        for step in wanted {
            for other in turns.facts.side(at, turns.whole.len()).rev() {
                job.meter.check()?;
                if turns.whole.get(other) == Some(&false) {
                    self.encoder.set_fact_context(&turns.facts, other);
                    self.show_message(other, step);
                }
            }
            turns.facts.mark_done(at, step);
        }
        self.encoder.set_fact_context(&turns.facts, at);
        job.meter.check()?;
        Ok(())
    }

    fn show_message(&self, at: usize, depth: Depth) {
        let Turns { facts, chains, .. } = self.turns;
        chains.reduce(self.job, &self.encoder, at, depth, |texts| {
            for text in texts {
                facts.add_facts(at, FactState::To(depth), text.facts());
            }
        });
    }

    /// Raw tokens that a message saves with its texts at this depth; an escape costs.
    fn saved_tokens(&self, at: usize, depth: Depth, visibility: Visibility) -> i64 {
        let job = self.job;
        let thought = job.thinking_of(at, visibility).map_or(0, |thought| thought.saved);
        let texts = self.turns.chains.reduce(job, &self.encoder, at, depth, |texts| {
            let mut texts = texts.iter();
            let mut results = 0..;
            let mut saved = 0;
            for spoken in job.spoken.get(at).into_iter().flatten() {
                let own = texts.by_ref().take(spoken.slots().len());
                let own = own.map(|text| text.saved(depth)).sum::<i64>();
                let line = match spoken {
                    MessageText::Result(_) => {
                        job.line(at, results.next().unwrap_or_default(), visibility)
                    }
                    _ => None,
                };
                saved += line.map_or(own, |line| measure::saved(line.before, line.tokens));
            }
            saved
        });
        thought + texts.unwrap_or_default()
    }

    fn covered_places(&self, forms: &[TurnForm]) -> impl Iterator<Item = usize> {
        let spans = self.turns.spans.iter().zip(forms);
        let covered: Vec<usize> = spans
            .filter(|(_, form)| **form == TurnForm::Covered)
            .flat_map(|(span, _)| span.clone())
            .collect();
        covered.into_iter()
    }

    fn messages(&self, forms: &[TurnForm]) -> impl Iterator<Item = &Message> {
        self.covered_places(forms).flat_map(|at| self.job.messages(at)).copied()
    }

    /// The summary of what is covered.
    fn write_summary(&self, forms: &[TurnForm]) -> Result<Option<SummaryText>, Error> {
        let messages: Vec<&Message> = self.messages(forms).collect();
        let places: Vec<usize> = self.covered_places(forms).collect();
        let tokens = places.iter().filter_map(|at| self.rows.get(*at)).map(|row| row.alone).sum();
        let live = forms.get(self.turns.live_turn()..).unwrap_or_default();
        let is_visible =
            |fact| !live.contains(&TurnForm::Covered) && self.turns.facts.is_in_fixed_message(fact);
        let rules = SummaryRules {
            cap: self.cap,
            stub_over: None,
            instructions: self.job.request.summary_instructions.as_deref(),
            is_visible: &is_visible,
            material: self.material,
        };
        let covered = CoveredMessages { messages, places, tokens };
        let note = compress::write_note(self.job.meter, &covered, rules, &self.wanted)?;
        Ok(note.map(|SummaryMessage { slot, by }| {
            let text = slot.message.parts.iter().find_map(|part| part.as_text().cloned());
            let json = self.user_message(&text.unwrap_or_else(|| "".into()));
            let author = Some(compress::author(by.as_deref()));
            SummaryText { json, tokens: slot.cost.real(), author }
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

    fn pays_off(&mut self, outcome: &LadderOutcome, plan: &ShortenPlan) -> Result<bool, Error> {
        let Some(summary) = &plan.summary else { return Ok(true) };
        let mut covered = 0;
        for (turn, form) in outcome.forms.iter().enumerate() {
            if *form != TurnForm::Covered {
                continue;
            }
            let alone = |row: &Row| row.alone;
            let cleared = TurnForm::Cleared(Clearing::Results);
            covered += if let Some((_, tokens)) = self.form_cost(turn, cleared)? {
                tokens
            } else {
                let span = self.turns.spans.get(turn).cloned().unwrap_or_default();
                self.rows.get(span).unwrap_or_default().iter().map(alone).sum()
            };
        }
        Ok(summary.tokens < covered)
    }

    fn build_plan(&self, outcome: &LadderOutcome, level: Level) -> Result<ShortenPlan, Error> {
        let mut plan = ShortenPlan::whole(self.job.list.items.len());
        let live = self.turns.spans.get(self.turns.live_turn());
        plan.live_start = live.map_or(usize::MAX, |span| span.start);
        let newest = self.turns.spans.last().map(|newest| newest.start);
        plan.last_start =
            newest.filter(|start| level >= Level::Summary && *start >= plan.live_start);
        if outcome.note == HistoryNote::Summary {
            plan.summary = self.write_summary(&outcome.forms)?;
        }
        // If no summary can be made the next rung is used, if the level allows it.
        let mut covered = match plan.summary {
            Some(_) => Visibility::Gone(Action::Summarized),
            None => Visibility::Gone(Action::Dropped),
        };
        if level < Level::Drop && plan.summary.is_none() {
            covered = Visibility::Cleared(self.cleared_depth(), Clearing::Results);
        } else if plan.summary.is_none() && outcome.forms.contains(&TurnForm::Covered) {
            // Without the marker this list would be the beginning of the original one, and a
            // reader could not distinguish them.
            let gone: Vec<&Message> = self.messages(&outcome.forms).collect();
            let text = prose::drop_marker(compress::count_covered(&gone));
            let message = Message::text(Role::User, text.as_str());
            let tokens = self.job.meter.message(&message)?.real();
            plan.summary =
                Some(SummaryText { json: self.user_message(&text), tokens, author: None });
        }
        plan.summary_at = self.covered_places(&outcome.forms).next();
        for (span, form) in self.turns.spans.iter().zip(&outcome.forms) {
            let visibility = visibility(*form, self.cleared_depth(), covered);
            for at in span.clone() {
                if let Some(known) = plan.visibility.get_mut(at) {
                    *known = visibility;
                }
            }
        }
        Ok(plan)
    }
}
