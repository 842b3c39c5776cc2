//! The report: what a compile did, in a sentence and in figures.

mod builder;
mod notations;
mod sentence;

use std::borrow::Cow;

use serde::Serialize;

pub use builder::ReportBuilder;
pub use notations::NotationTokens;
pub(super) use sentence::{Sentence, SentenceSubject, SizeLimit, write_messages_sentence};

use super::change::FirstChange;
use super::requirements::Requirements;
pub use crate::domain::{Action, Actions};
use crate::domain::{Model, Note, Notes, PayloadCost};
use crate::hook::HookReport;

/// What happened, in a sentence and in figures.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct Report {
    /// The whole of it in a sentence.
    #[schema(
        example = "58,120 → 21,944 tokens. 41 messages word for word, 12 messages shortened, 3 old messages summarized, nothing dropped."
    )]
    pub summary: String,
    /// Tokens of the conversation before anything was shortened: system text, messages and tools,
    /// mended and in what the target can hold.
    pub tokens_before: u64,
    /// Tokens of the payload. Never more than `budget` where `fits` is true.
    pub tokens_after: u64,
    /// Whether the payload is within the budget.
    pub fits: bool,
    /// Window less reserve.
    pub budget: u64,
    /// The tokenizer that counted.
    pub tokenizer: &'static str,
    /// Whether the provider counts the same; otherwise the count is an estimate.
    pub exact: bool,
    /// Tokens by part.
    pub parts: PartTokens,
    /// Messages by what happened to them.
    pub actions: Actions,
    /// What replaces old messages, if they were summarised.
    pub history_summary: Option<HistorySummary>,
    /// What the provider's cache can use.
    pub cache: Cache,
    /// What the payload costs at the prices of the catalogue; null if they are not known.
    pub cost: Option<PayloadCost>,
    /// Headers and parameters that the request needs in addition to the payload; null if it needs none.
    pub requires: Option<Requirements>,
    /// Tokens that this compile left out and no earlier compile of the session did.
    pub unique_saved_tokens: u64,
    /// The cost of the session's last payload, if the request has the provider's `usage` of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reported_cost: Option<PayloadCost>,
    /// What was done to stay below the price step of the model, with `budget.price_step: "stay"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price_step: Option<PriceStepReport>,
    /// The compaction that was put off, with `compression.pays`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub put_off: Option<PutOffReport>,
    /// What memory did.
    pub memory: MemoryReport,
    /// The skill whose instructions are in the payload.
    pub skill: Option<String>,
    /// Tools of ours among the tools.
    pub service_tools: Vec<String>,
    /// The outcome for the tools, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Tools>,
    /// Hooks that ran.
    #[schema(value_type = Vec<HookReport<'_>>)]
    pub hooks: Vec<Box<serde_json::value::RawValue>>,
    /// What the target could not hold, and what it became.
    pub degraded: Vec<Note>,
    /// What was mended in the conversation.
    pub repairs: Vec<Note>,
    /// What the caller should know of.
    pub warnings: Vec<Note>,
    /// What is too big, where the payload does not fit; never empty then.
    pub too_big: Vec<OversizedPart>,
    /// Tokens after lossless edits alone, by how they may show values; of `POST /compress` with
    /// `explain: "full"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notations: Option<NotationTokens>,
    /// One for each message, with `explain: "full"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decisions: Option<Vec<Decision>>,
}

/// Tokens of a history before and after it was shortened, and the budget for it.
#[derive(Debug, Clone, Copy)]
pub(super) struct TokenTotals {
    pub(super) subject: SentenceSubject,
    pub(super) before: u64,
    pub(super) after: u64,
    pub(super) budget: u64,
    /// What the sentence compares the tokens with.
    pub(super) limit: SizeLimit,
}

impl Report {
    /// A report of history alone: no other part of a payload has tokens.
    pub(super) fn new(model: &Model, totals: TokenTotals, actions: Actions, notes: Notes) -> Self {
        let TokenTotals { subject, before, after, budget, limit } = totals;
        let (tokens_before, tokens_after) = (before, after);
        let fits = tokens_after <= budget;
        Self {
            summary: Sentence { subject, before, after, limit, actions: &actions }.write(),
            tokens_before,
            tokens_after,
            fits,
            budget,
            tokenizer: model.tokenizer.as_str(),
            exact: model.is_exact(),
            parts: PartTokens { history: tokens_after, ..PartTokens::default() },
            actions,
            history_summary: None,
            cache: Cache::default(),
            cost: None,
            requires: None,
            unique_saved_tokens: before.saturating_sub(after),
            reported_cost: None,
            price_step: None,
            put_off: None,
            memory: MemoryReport::default(),
            skill: None,
            service_tools: Vec::new(),
            tools: None,
            hooks: Vec::new(),
            degraded: notes.degraded,
            repairs: notes.repairs,
            warnings: notes.warnings,
            too_big: Vec::new(),
            notations: None,
            decisions: None,
        }
    }

    /// The decisions of the compile as text, without warnings, which callers of the pipeline add
    /// to.
    pub(super) fn figures(&self) -> String {
        let tokens = (self.tokens_before, self.tokens_after, self.budget, self.fits);
        let figures = (tokens, self.parts, self.actions, &self.too_big, &self.decisions);
        let state = (&self.memory, &self.skill, &self.service_tools, &self.repairs);
        serde_json::to_string(&(figures, state)).unwrap_or_default()
    }

    /// The same for what there was no time to count: four bytes to a token.
    pub(super) fn uncounted(mut self, totals: TokenTotals) -> Self {
        let TokenTotals { subject, before, after, limit, .. } = totals;
        let actions = &self.actions;
        self.summary = Sentence { subject, before, after, limit, actions }.write_late();
        self.tokenizer = "bytes4";
        self.exact = false;
        if !self.fits {
            let tokens = self.tokens_after;
            self.too_big = vec![OversizedPart { part: "history", tokens, pointer: None }];
        }
        self
    }
}

/// The message at the head of the history that replaces the summarised ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct HistorySummary {
    /// Who wrote it: `extractive` where it is quotes, `hook:ID`, or `model:NAME`.
    #[schema(example = "extractive")]
    pub by: String,
    /// The messages that it replaces, by their indexes in the request's list.
    pub covers: Vec<CoveredRange>,
}

/// Consecutive messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct CoveredRange {
    /// The index of the first.
    #[schema(example = 0)]
    pub from: usize,
    /// The index after the last.
    #[schema(example = 12)]
    pub to: usize,
}

impl CoveredRange {
    /// Indexes in rising order as ranges.
    pub(super) fn from_places(places: impl Iterator<Item = usize>) -> Vec<Self> {
        let mut found: Vec<Self> = Vec::new();
        for at in places {
            match found.last_mut() {
                Some(last) if last.to == at => last.to += 1,
                Some(last) if last.to > at => {}
                _ => found.push(Self { from: at, to: at + 1 }),
            }
        }
        found
    }
}

/// The tools of a payload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[schema(as = ToolsReport)]
pub struct Tools {
    /// Tools that were given in the list.
    pub total: usize,
    /// Those of them that stay.
    pub kept: usize,
    /// The names of the others.
    pub removed: Vec<String>,
    /// The tools of the payload, ours among them.
    pub surfaced: Vec<ToolCost>,
}

/// What a tool costs in every request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct ToolCost {
    /// The name of the tool.
    #[schema(example = "read_file")]
    pub name: String,
    /// Tokens of its definition.
    pub tokens: u64,
}

/// Tokens by part of the payload. All but `reserve` add up to `tokens_after`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct PartTokens {
    /// System text.
    pub system: u64,
    /// Instructions of the skill.
    pub skill: u64,
    /// Definitions of tools.
    pub tools: u64,
    /// Memory data.
    pub memory: u64,
    /// Messages of the history.
    pub history: u64,
    /// State, context, output block, prefill, and what precedes the reply.
    pub tail: u64,
    /// Images, sounds, documents; an estimate.
    pub media: u64,
    /// Kept for the model's answer; not part of the payload.
    pub reserve: u64,
}

/// How the payload stands to the provider's prefix cache.
#[derive(Debug, Clone, Default, Serialize, utoipa::ToSchema)]
#[schema(as = CacheReport)]
pub struct Cache {
    /// Tokens before the first place that changes with every compile (the tail); all of the
    /// payload where there is none.
    pub stable_tokens: u64,
    /// JSON Pointers into the payload of the blocks that carry a cache mark.
    pub breakpoints: Vec<String>,
    /// The first place where this payload leaves the one before it.
    pub first_change: Option<FirstChange>,
}

/// A compaction that was put off, since writing the history again costs more than it saves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[schema(as = CompactionPutOff)]
pub struct PutOffReport {
    /// `break_even`: it is further away than the turns that are expected.
    #[schema(example = "break_even")]
    pub why: &'static str,
    /// Later requests after which the compaction has paid; null if it never does.
    #[schema(example = 35)]
    pub break_even_turns: Option<u64>,
    /// Later requests that are expected.
    #[schema(example = 10)]
    pub expected_turns: u64,
    /// Tokens that would be written to the cache again.
    pub rewritten_tokens: u64,
    /// Tokens that each later request would not have to read.
    pub saved_tokens: u64,
}

/// How the payload stands to the size above which the model charges other prices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[schema(as = PriceStepUse)]
pub struct PriceStepReport {
    /// Tokens of the largest input that the ordinary prices charge.
    #[schema(example = 272_000)]
    pub above_tokens: u64,
    /// Whether the history got less room because of it: the budget is larger.
    pub lowered_room: bool,
    /// Whether the payload is below it, by the count of this service.
    pub stayed: bool,
}

impl PriceStepReport {
    pub(super) fn new(above_tokens: u64, budget: u64, tokens: u64) -> Self {
        Self { above_tokens, lowered_room: above_tokens < budget, stayed: tokens <= above_tokens }
    }
}

/// What memory did.
#[derive(Debug, Clone, Default, Serialize, utoipa::ToSchema)]
pub struct MemoryReport {
    /// Keys of the entries shown.
    pub injected: Vec<String>,
    /// Keys of the entries that have expired.
    pub expired: Vec<String>,
}

/// Parts that are named if a payload is too big, the largest first.
pub(crate) const MAX_OVERSIZED_PARTS: usize = 5;

/// A part that may not be touched and is too big.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct OversizedPart {
    /// The part, as in `parts`; `message` is one message of the history.
    pub part: &'static str,
    /// Tokens of the part.
    pub tokens: u64,
    /// JSON Pointer into the request, for a message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
}

/// What happened to one message, and by which rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[schema(as = MessageDecision)]
pub struct Decision {
    /// Index in the request's list.
    pub index: usize,
    /// The client's id, or one from content and position.
    pub id: String,
    /// What happened to the message.
    pub action: Action,
    /// The rule that decided, such as `on_arrival`, `lossless:table` or `ladder:summary`.
    pub rule: Cow<'static, str>,
    /// `exact`: decoding what is shown gives the original bytes; `equivalent`: equal to the
    /// original after a documented normalisation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<&'static str>,
    /// How lossless edits show the values of the original: `plain`, each as it was written;
    /// `computed`, some derived from others; null without such edits.
    pub values: Option<&'static str>,
    /// Tokens of the message as it came.
    pub tokens_before: u64,
    /// Tokens of the message in the payload.
    pub tokens_after: u64,
    /// The original, where it is kept or was handed over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub artifact: Option<String>,
}
