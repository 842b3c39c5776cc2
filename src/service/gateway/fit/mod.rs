//! Mode `fit`: keeps a request within its budget, at compaction points.
//!
//! At a point the ladder of `POST /compress` shortens and clears old tool results. What it makes of them
//! is the decision of the point; between two points nothing before the newest messages changes.

mod compacted_list;
mod exact_results;
mod request_size;

use std::collections::HashSet;
use std::sync::Arc;

use self::compacted_list::{ShortenedList, ShortenedMessages};
use self::exact_results::ExactMessage;
use self::request_size::RequestSize;
use super::GatewayRequest;
use super::guards::target_of;
use super::known_blocks::PutBlocks;
use super::lineage::{KnownLineage, NewDecision};
use super::sent_forms::SentForms;
use crate::domain::Model;
use crate::gateway::{
    CompactedMessage, Compaction, DecidedText, MessageDecision, ProviderEndpoint, RequestOutline,
};
use crate::json::Node;
use crate::pipeline::Deadline;
use crate::service::Services;

/// The share of its room to which a history is shortened at a point, in percent.
const COMPRESS_TO_PERCENT: u64 = 60;
/// How far from that share a point may end, in percent of the room.
const TOLERANCE_PERCENT: u64 = 5;
/// The share above which the last turns are shortened too, in percent.
const MAX_SHARE_PERCENT: u64 = 85;
/// A point that does not reach the budget is only passed if it saves this share of it, in percent: else
/// each request would rewrite what the provider has in its cache.
const MIN_GAIN_PERCENT: u64 = 10;
/// Tokens that are kept for a response whose request does not limit it.
const DEFAULT_RESERVE_TOKENS: u64 = 8_192;

/// Members of a request with the most tokens of its response.
const RESERVE_KEYS: &[&str] = &["max_completion_tokens", "max_output_tokens", "max_tokens"];

/// Keeps one request within its budget.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fitter<'f> {
    pub(super) services: &'f Services,
    pub(super) request: &'f GatewayRequest,
    pub(super) node: &'f Node<'f>,
    pub(super) outline: &'f RequestOutline,
    pub(super) model: &'f Model,
    pub(super) deadline: &'f Deadline,
}

/// Whether a request is within its budget.
#[derive(Debug)]
pub(super) enum FitOutcome {
    /// It is, or nothing is known of its budget.
    Fits,
    /// It is once this point is passed.
    Compacts(FoundPoint),
    /// It is not. The point saves enough to be passed all the same, if there is one.
    OverBudget(Option<FoundPoint>),
}

/// What was found of a request.
#[derive(Debug)]
pub(super) struct FoundFit {
    pub(super) outcome: FitOutcome,
    /// Tokens of the request without a point, before any factor, if it was counted.
    pub(super) raw_tokens: Option<u64>,
}

/// A point that a request may pass.
#[derive(Debug)]
pub(super) struct FoundPoint {
    pub(super) compaction: Compaction,
    /// The texts that its forms name, for a tool of the request that reads them.
    pub(super) originals: Vec<Arc<str>>,
}

/// What a point goes on to.
#[derive(Debug, Clone, Copy)]
struct PointTarget<'p> {
    /// Tokens of the request; none if all is shortened that is before the last turns.
    tokens: Option<u64>,
    /// The messages whose exact results go.
    cleared: &'p [ExactMessage<'p>],
}

/// Raw tokens that the forms of a message save.
fn saved_tokens(decision: &MessageDecision) -> u64 {
    decision.forms.iter().map(|form| form.saved_tokens).sum()
}

/// Whether a message has the same bytes by two decisions.
fn has_same_forms(one: &MessageDecision, other: &MessageDecision) -> bool {
    let key = |form: &DecidedText| (form.digest, form.occurrence, Arc::clone(&form.form));
    let others: HashSet<_> = other.forms.iter().map(key).collect();
    one.forms.len() == other.forms.len() && one.forms.iter().all(|form| others.contains(&key(form)))
}

/// How many of the first messages save so many raw tokens together, or all of them.
fn first_that_save(messages: &[ExactMessage<'_>], tokens: u64) -> usize {
    let mut left = tokens;
    let is_needed = |own: &&ExactMessage<'_>| {
        let needed = left > 0;
        left = left.saturating_sub(own.saved);
        needed
    };
    messages.iter().take_while(is_needed).count()
}

impl Fitter<'_> {
    /// Tokens that the request may have: those of the window without the reserve for the response, or
    /// fewer if the caller says so. None if neither is known.
    fn budget(&self) -> Option<u64> {
        let window = self.services.models().find(&self.model.name).map(|model| {
            let usual = model.max_output.min(DEFAULT_RESERVE_TOKENS);
            let reserve = self.asked_output().unwrap_or(usual).min(model.context_window / 2);
            model.context_window - reserve
        });
        [self.request.budget, window].into_iter().flatten().min()
    }

    /// The most tokens of the response, if the request says.
    fn asked_output(&self) -> Option<u64> {
        let config = ["generationConfig", "generation_config"];
        let of_gemini = config.iter().find_map(|key| self.node.get(key)).and_then(|config| {
            config.get("maxOutputTokens").or_else(|| config.get("max_output_tokens"))
        });
        let own = RESERVE_KEYS.iter().find_map(|key| self.node.get(key));
        own.or(of_gemini)?.as_u64()
    }

    /// Finds what is to be done about a request that is sent with these forms; none if it cannot be read
    /// or the time is up.
    pub(super) fn find(
        &self,
        lineage: &KnownLineage<'_>,
        made: &[NewDecision],
    ) -> Option<FoundFit> {
        let Some(budget) = self.budget() else {
            return Some(FoundFit { outcome: FitOutcome::Fits, raw_tokens: None });
        };
        let forms = SentForms { outline: self.outline, lineage, made };
        let body = forms.splice(&self.request.body).body;
        let size = self.measure(body.as_deref().unwrap_or(&self.request.body))?;
        let raw_tokens = Some(self.model.unscale(size.total));
        let with = |outcome| Some(FoundFit { outcome, raw_tokens });
        if size.total <= budget {
            return with(FitOutcome::Fits);
        }
        let found = self.find_point(size, budget, lineage)?;
        let left = self.left(size, lineage, &found);
        if left <= budget {
            return with(FitOutcome::Compacts(found));
        }
        let gain = size.total.saturating_sub(left);
        let is_worth_it = gain >= budget * MIN_GAIN_PERCENT / 100;
        with(FitOutcome::OverBudget(Some(found).filter(|_| is_worth_it)))
    }

    /// Finds what a point decides. The last turns, which the model works on, are only touched if all that
    /// is before them is not enough; then a little room is left, or each request would pass a point.
    fn find_point(
        &self,
        size: RequestSize,
        budget: u64,
        lineage: &KnownLineage<'_>,
    ) -> Option<FoundPoint> {
        let share = |percent| size.head + budget.saturating_sub(size.head) * percent / 100;
        let target = share(COMPRESS_TO_PERCENT);
        let mut found =
            self.compact(lineage, PointTarget { tokens: Some(target), cleared: &[] })?;
        let live_start = self.live_start();
        let is_touched = |own: &CompactedMessage| {
            let now = lineage.decision(own.index).map_or(0, saved_tokens);
            own.index >= live_start && saved_tokens(&own.decision) > now
        };
        // Counts of the whole and of its parts are not the same to a token.
        let near = share(COMPRESS_TO_PERCENT + TOLERANCE_PERCENT);
        let is_reached = self.left(size, lineage, &found) <= near;
        if is_reached && !found.compaction.messages.iter().any(is_touched) {
            return Some(found);
        }
        found = self.compact(lineage, PointTarget { tokens: None, cleared: &[] })?;
        let mut exact = self.exact_messages();
        let over = self.left(size, lineage, &found).saturating_sub(target);
        exact.truncate(first_that_save(&exact, self.model.unscale(over)));
        if !exact.is_empty() {
            found = self.compact(lineage, PointTarget { tokens: None, cleared: &exact })?;
        }
        let most = share(MAX_SHARE_PERCENT);
        if self.left(size, lineage, &found) > most {
            found = self.compact(lineage, PointTarget { tokens: Some(most), cleared: &exact })?;
        }
        Some(found)
    }

    /// The messages before the last turns whose exact results may go.
    fn exact_messages(&self) -> Vec<ExactMessage<'_>> {
        let end = self.live_start().min(self.outline.newest());
        let counter = &self.services.pipeline().counter;
        exact_results::find(self.outline, end, counter, self.model.tokenizer)
    }

    /// Tokens of a request of this size once it is compacted.
    fn left(&self, size: RequestSize, lineage: &KnownLineage<'_>, found: &FoundPoint) -> u64 {
        let before = (0..self.outline.newest()).filter_map(|index| lineage.decision(index));
        let before: u64 = before.map(saved_tokens).sum();
        let after: u64 =
            found.compaction.messages.iter().map(|own| saved_tokens(&own.decision)).sum();
        // Of the blocks of mode `session`, a point leaves the newest ones alone.
        let blocks_before = self.block_tokens(&lineage.shown_blocks());
        let blocks_after = self.block_tokens(&lineage.blocks_after_point());
        let whole = size.total.saturating_add(self.model.scale(before + blocks_after));
        whole.saturating_sub(self.model.scale(after + blocks_before))
    }

    /// Raw tokens of blocks.
    fn block_tokens(&self, blocks: &[PutBlocks]) -> u64 {
        let counter = &self.services.pipeline().counter;
        let texts = blocks.iter().flat_map(|own| &own.texts);
        texts.map(|text| counter.count(self.model.tokenizer, text)).sum()
    }

    fn measure(&self, body: &str) -> Option<RequestSize> {
        let target = target_of(self.request.endpoint);
        RequestSize::measure(self.services.pipeline(), self.model, target, body, self.deadline)
    }

    /// The first message of the last turns, which are touched last.
    fn live_start(&self) -> usize {
        const LIVE_TURNS: usize = 4;
        let messages = &self.outline.messages;
        let is_of_model = |at: usize| messages.get(at).is_some_and(|message| message.is_of_model);
        let starts = (0..messages.len())
            .rev()
            .filter(|at| is_of_model(*at) && (*at == 0 || !is_of_model(at - 1)));
        starts.take(LIVE_TURNS).last().unwrap_or(messages.len())
    }

    /// Shortens the messages before the newest ones.
    fn compact(&self, lineage: &KnownLineage<'_>, point: PointTarget<'_>) -> Option<FoundPoint> {
        let list = ShortenedList {
            services: self.services,
            request: self.request,
            outline: self.outline,
            model: self.model,
            lineage,
        };
        // The ladder sees the list without blocks.
        let blocks = self.model.scale(self.block_tokens(&lineage.blocks_after_point()));
        let tokens = point.tokens.map(|tokens| tokens.saturating_sub(blocks));
        let ShortenedMessages { messages, originals } =
            list.shorten(tokens, point.cleared, self.deadline)?;
        let unbound_from = self.unbound_from(lineage, &messages);
        Some(FoundPoint { compaction: Compaction { messages, unbound_from }, originals })
    }

    /// The first message whose bytes change at the point, or changed at an earlier one, if the model
    /// binds its thinking to what is before it.
    fn unbound_from(
        &self,
        lineage: &KnownLineage<'_>,
        compacted: &[CompactedMessage],
    ) -> Option<usize> {
        if !self.model.preserved_thinking || self.request.endpoint != ProviderEndpoint::Messages {
            return None;
        }
        let none = MessageDecision::default();
        let changes = |index: &usize| {
            let at = compacted.binary_search_by_key(index, |own| own.index).ok();
            let now = at.and_then(|at| compacted.get(at)).map_or(&none, |own| &own.decision);
            !has_same_forms(lineage.decision(*index).unwrap_or(&none), now)
        };
        let first = (0..self.outline.newest()).find(changes);
        let first_block = lineage.first_block_change();
        [first, first_block, lineage.unbound_from()].into_iter().flatten().min()
    }
}
