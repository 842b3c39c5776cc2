//! The stage: counts turns, plans, and builds the history that the plan leaves.

use std::cell::OnceCell;
use std::collections::{BTreeMap, VecDeque};

use super::ladder::{
    self, HistoryNote, LadderOutcome, LadderPlan, OpeningPlan, TurnCost, TurnForm,
};
use super::remaining_history::{HistoryPlan, build, leading_compaction};
use super::summary::summary_cap;
use super::superseded::find_superseded;
use super::turns::TurnView;
use super::view::ResultTools;
use super::{Input, Output};
use crate::domain::{Message, Role, Turn, has_output, turns};
use crate::pipeline::bound_thinking::{BrokenRange, thinking_tokens};
use crate::pipeline::measure::Meter;
use crate::pipeline::report::{CoveredRange, HistorySummary};
use crate::pipeline::volatile_blocks::BareMessage;
use crate::pipeline::{StopReason, prose};
use crate::request::ThinkingPolicy;

pub(crate) fn run(meter: &Meter<'_>, mut input: Input<'_>) -> Result<Output, StopReason> {
    let spans = turns(&input.history);
    let blocks = count_blocks(meter, &input)?;
    let thinking = count_thinking(meter, &input)?;
    let messages = MessageShares { blocks: &blocks, thinking: &thinking };
    let mut turn_costs = count_turns(&input, &spans, messages);
    let plan = build_plan(meter, &input)?;
    if plan.may_shrink(&turn_costs) {
        let superseded = find_superseded(&input.history, &spans);
        for (cost, by) in turn_costs.iter_mut().zip(superseded) {
            cost.superseded_by = by;
        }
    }
    input.arrival_pass.set_target(plan.compress_to);
    let tools = ResultTools::new(&input.history);
    let mut view = TurnView {
        meter,
        history: &input.history,
        costs: input.costs,
        protected: input.protected,
        read_back: input.read_back,
        turn_costs: &turn_costs,
        arrived: std::mem::take(&mut input.arrived),
        clear: &input.compression.clear,
        tools: &tools,
        cleared: vec![None; input.history.len()],
        form_costs: vec![Vec::new(); spans.len()],
        arrival_pass: &mut input.arrival_pass,
        is_reset: false,
        spans: &spans,
        plan,
        stub_over: input.compression.stub_tool_results_over,
        instructions: input.compression.summary_instructions.as_deref(),
        material: input.material,
        bare: input.bare,
        wanted: OnceCell::new(),
    };
    let mut outcome = ladder::plan(&turn_costs, &plan, &mut view)?;
    let note = view.write_note(&mut outcome)?;
    let summary = find_covers(&input.history, &spans, &outcome).map(|covers| HistorySummary {
        by: author(note.as_ref().and_then(|note| note.by.as_deref())),
        covers,
    });
    let broken = find_broken(&input.history, &spans, &outcome);
    let (arrived, cleared, wanted) = (view.arrived, view.cleared, view.wanted.into_inner());
    let plan = HistoryPlan { arrived, cleared, outcome, note: note.map(|note| note.slot), blocks };
    let built = build(input, &spans, plan);
    Ok(Output { broken, wanted, summary, ..built })
}

/// Who wrote a summary, as the report has it.
pub(crate) fn author(hook: Option<&str>) -> String {
    hook.unwrap_or("extractive").to_owned()
}

/// Raw tokens of blocks of earlier payloads, by the index of their message.
fn count_blocks(meter: &Meter<'_>, input: &Input<'_>) -> Result<BTreeMap<usize, u64>, StopReason> {
    let mut found = BTreeMap::new();
    for BareMessage { at, message, .. } in input.bare {
        let whole = input.history.get(*at).map(|whole| meter.message(whole)).transpose()?;
        let bare = meter.message(message)?.real();
        found.insert(*at, whole.unwrap_or_default().real().saturating_sub(bare));
    }
    Ok(found)
}

/// Raw tokens of thinking that is bound to what is before it, by the index of its message.
fn count_thinking(
    meter: &Meter<'_>,
    input: &Input<'_>,
) -> Result<BTreeMap<usize, u64>, StopReason> {
    let mut found = BTreeMap::new();
    if !input.binds_thinking {
        return Ok(found);
    }
    for (at, message) in input.history.iter().enumerate() {
        let tokens = thinking_tokens(meter, message)?;
        if tokens > 0 {
            found.insert(at, tokens);
        }
    }
    Ok(found)
}

/// Shares of messages in their tokens, by the indexes of those that have some.
#[derive(Clone, Copy)]
struct MessageShares<'s> {
    blocks: &'s BTreeMap<usize, u64>,
    thinking: &'s BTreeMap<usize, u64>,
}

/// The messages of the request's list whose thinking is older than a change in front of it.
fn find_broken(history: &[Message], spans: &[Turn], outcome: &LadderOutcome) -> Vec<BrokenRange> {
    let last_origin = |turn: usize| {
        let span = spans.get(turn).cloned().unwrap_or_default();
        history.get(span)?.iter().filter_map(|message| message.origin).max()
    };
    let ranges = outcome.changes.iter().filter_map(|change| {
        let until = last_origin(change.newest)?;
        let after = match change.first {
            // A turn without an origin is one of ours: what is before it is not known.
            Some(turn) => Some(last_origin(turn)?),
            None => None,
        };
        Some(BrokenRange { after, until })
    });
    ranges.collect()
}

/// Finds the places of the summarised messages in the request's list; none if no message was
/// summarised.
fn find_covers(
    history: &[Message],
    spans: &[Turn],
    outcome: &LadderOutcome,
) -> Option<Vec<CoveredRange>> {
    let covered = spans.iter().zip(&outcome.forms).filter(|(_, form)| **form == TurnForm::Covered);
    let mut places = covered
        .flat_map(|(span, _)| history.get(span.clone()).unwrap_or_default())
        .filter_map(|message| message.origin)
        .peekable();
    places.peek().filter(|_| outcome.note == HistoryNote::Summary)?;
    Some(CoveredRange::from_places(places))
}

fn build_plan(meter: &Meter<'_>, input: &Input<'_>) -> Result<LadderPlan, StopReason> {
    let compression = input.compression;
    let marker = Message::text(Role::User, prose::drop_marker(prose::MAX_MARKER_MESSAGES));
    // A provider's own compaction begins the list, and never leaves it.
    let begins_compacted = leading_compaction(&input.history).is_some();
    Ok(LadderPlan {
        level: compression.level,
        // Old turns at a point are cleared and summarised, as callers that set points expect.
        digests: false,
        clear_thinking: compression.thinking == ThinkingPolicy::ClearOld && !input.returns_thinking,
        trigger: compression.trigger(input.room),
        compress_to: compression.target(input.room),
        summary_cap: summary_cap(compression.level, input.room),
        marker: meter.message(&marker)?.real(),
        allowed: input.allowed,
        drop_allowed: input.drop_allowed,
        opening: input.opening.map(|slot| OpeningPlan {
            tokens: slot.cost.real(),
            only_if_empty: !input.user_first || begins_compacted,
            is_note_first: !begins_compacted,
        }),
        note_pays: false,
        keep_live: false,
        payoff: input.payoff,
    })
}

fn count_turns(input: &Input<'_>, spans: &[Turn], shares: MessageShares<'_>) -> Vec<TurnCost> {
    let keep = input.compression.keep_recent_turns.max(input.recent_turns);
    let mut turn_of = Vec::with_capacity(input.history.len());
    let mut points = input.points.iter().peekable();
    // Messages of the request's list in the turns so far.
    let mut length = 0;
    // The turns of the newest results, as many as are kept.
    let mut results = VecDeque::new();
    let mut found: Vec<TurnCost> = Vec::with_capacity(spans.len());
    for (index, span) in spans.iter().enumerate() {
        turn_of.extend(std::iter::repeat_n(index, span.len()));
        let mut cost = TurnCost::default();
        for at in span.clone() {
            let origin = input.history.get(at).and_then(|message| message.origin);
            length = length.max(origin.map_or(0, |origin| origin as u64 + 1));
            let has_result = |message: &Message| message.role == Role::Tool || has_output(message);
            if input.history.get(at).is_some_and(has_result) {
                results.push_back(index);
            }
            let own = input.costs.get(at).copied().unwrap_or_default();
            cost.flat += own.flat();
            cost.real += match input.stitched.iter().find(|(stitched, _)| *stitched == at) {
                Some((_, slot)) => slot.cost.real(),
                None => own.real(),
            };
            cost.blocks += shares.blocks.get(&at).copied().unwrap_or_default();
            cost.thinking += shares.thinking.get(&at).copied().unwrap_or_default();
            let role = input.history.get(at).map(|message| message.role);
            cost.exempt |= role == Some(Role::System) || input.protected.get(at) == Some(&true);
            cost.system |= role == Some(Role::System);
            cost.user |= role == Some(Role::User);
            cost.answers += u64::from(role == Some(Role::Assistant));
        }
        while points.next_if(|point| **point <= length).is_some() {
            cost.point = true;
        }
        let recent = span.end.saturating_sub(input.recent_messages);
        let recent = turn_of.get(recent).copied().unwrap_or(index + 1);
        cost.live_start = (index + 1).saturating_sub(keep).min(recent);
        while results.len() > input.compression.clear.keep {
            results.pop_front();
        }
        cost.clear_start = results.front().copied().unwrap_or(index + 1).min(cost.live_start);
        found.push(cost);
    }
    found
}
