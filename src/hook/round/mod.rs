//! Runs the hooks of one request: in their order, within one budget of time, with a line for each.
//!
//! [`HookRound::change`] asks guards and transforms, [`HookRound::provide`] asks for additions, and
//! [`HookRound::observe`] notifies. The results depend on the answers of hooks and never on their
//! timing.

mod additions;
mod answers;
mod batch;
mod change;
mod observation;
mod prepared_call;
mod reader;

pub use additions::{CountTokens, Fragment, ProvideResult, join};
pub use batch::CheckedInput;
pub use change::{ChangeResult, Denial};
pub use observation::{GuardDecision, QueuedCall};
pub use reader::AnswerReader;

use prepared_call::{CallSettings, PreparedCall};

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::answer::HookAnswer;
use super::call::Workplace;
use super::call::{CallScope, Caller};
use super::definition::{EnforcementMode, Hook, OnFailure};
use super::failure::{CallFailure, FailureCause};
use super::matching::MatchContext;
use super::order::HookSet;
use super::outcome_store::OutcomeStore;
use super::point::{HookKind, Point};
use super::run::{HookRun, HookStop, RunOutcome, SkipReason};
use super::text::LIMITS;
use crate::json::parse;
use crate::limit::Deadline;

/// Bytes of the line of a run in a report.
const REPORT_LINE_BYTES: usize = 256;

/// Time that the hooks of one compile may take in all.
pub const MAX_ROUND_TIME: Duration = Duration::from_secs(10);

/// The hooks of one compile or of one other request.
#[derive(Debug)]
pub struct HookRound<'r> {
    set: Arc<HookSet>,
    caller: &'r dyn Caller,
    kept: Option<Arc<dyn OutcomeStore>>,
    scope: CallScope,
    left: Duration,
    dry: bool,
    /// The end of the request, and the text that built-in hooks may make.
    deadline: Deadline,
    workplace: Option<Arc<dyn Workplace>>,
    /// Whether runs keep the inputs that are sent.
    keeps_inputs: bool,
    occurrences: BTreeMap<Point, u32>,
    runs: Vec<HookRun>,
}

/// One place at which hooks run.
#[derive(Debug, Clone, Copy)]
pub struct HookInput<'a> {
    pub point: Point,
    /// The input that [`super::about`] describes, as JSON text.
    pub input: &'a str,
    /// Facts that are not in the input; agent and session come from the scope.
    pub facts: MatchContext<'a>,
}

/// Validates a payload, or a typed answer, given as JSON text; returns what is wrong with it.
pub type PayloadCheck<'c> = &'c (dyn Fn(&str) -> Result<(), String> + Send + Sync);

impl<'r> HookRound<'r> {
    /// With the hooks that are pinned for it, and [`MAX_ROUND_TIME`].
    pub fn new(set: Arc<HookSet>, caller: &'r dyn Caller, scope: CallScope) -> Self {
        Self {
            set,
            caller,
            kept: None,
            scope,
            left: MAX_ROUND_TIME,
            dry: false,
            deadline: Deadline::default(),
            workplace: None,
            keeps_inputs: false,
            occurrences: BTreeMap::new(),
            runs: Vec::new(),
        }
    }

    /// With another budget, such as what is left of a request's deadline.
    #[must_use]
    pub fn with_budget(mut self, budget: Duration) -> Self {
        self.left = budget.min(MAX_ROUND_TIME);
        self
    }

    /// With the end of the request, and with what it may make of text.
    #[must_use]
    pub fn until(mut self, deadline: &Deadline) -> Self {
        self.deadline = deadline.clone();
        self
    }

    /// Sets where built-in hooks compute.
    #[must_use]
    pub fn working_in(mut self, workplace: Arc<dyn Workplace>) -> Self {
        self.workplace = Some(workplace);
        self
    }

    /// Reuses stored outcomes for inputs that are repeated.
    #[must_use]
    pub fn keeping(mut self, kept: Arc<dyn OutcomeStore>) -> Self {
        self.kept = Some(kept);
        self
    }

    /// Keeps the inputs that are sent in the runs, for a record in full.
    #[must_use]
    pub fn keeping_inputs(mut self) -> Self {
        self.keeps_inputs = true;
        self
    }

    /// Limits the remaining time, for instance to the rest of a request's deadline.
    pub fn limit(&mut self, left: Duration) {
        self.left = self.left.min(left);
    }

    /// Calls no webhook and only reports which it would call. Built-in hooks run.
    #[must_use]
    pub fn dry(mut self) -> Self {
        self.dry = true;
        self
    }

    /// Whether the point has a hook of this kind: otherwise its input need not be built.
    pub fn has(&self, point: Point, kind: HookKind) -> bool {
        self.set.hooks_of_kind(point, kind).next().is_some()
    }

    pub fn has_any(&self, point: Point) -> bool {
        !self.set.hooks_at(point).is_empty()
    }

    pub fn set(&self) -> &Arc<HookSet> {
        &self.set
    }

    /// The lines of the hooks so far, in the order in which they were reached.
    pub fn runs(&self) -> &[HookRun] {
        &self.runs
    }

    /// Takes the runs so far out of the round.
    pub fn take_runs(&mut self) -> Vec<HookRun> {
        std::mem::take(&mut self.runs)
    }

    /// Counts how often the point was reached before. The first of change, provide and observe at a
    /// point counts as reaching it; the others belong to the same occurrence.
    fn count_occurrence(&mut self, point: Point, by: HookKind) -> u32 {
        let changes = point.takes(HookKind::Guard) || point.takes(HookKind::Transform);
        let counts = match by {
            HookKind::Guard | HookKind::Transform => true,
            HookKind::Provide => !changes,
            HookKind::Observe => !changes && !point.takes(HookKind::Provide),
        };
        let next = self.occurrences.entry(point).or_insert(0);
        if counts {
            *next = next.saturating_add(1);
        }
        next.saturating_sub(1)
    }

    /// The hooks of a kind that match; the others get a line that they were skipped.
    fn select(&mut self, at: &HookInput<'_>, occurrence: u32, kind: HookKind) -> Vec<Arc<Hook>> {
        let (meant, others) = self.match_hooks(at, occurrence, kind);
        self.runs.extend(others);
        meant
    }

    /// The hooks of a kind that match, and the lines of the others.
    fn match_hooks(
        &self,
        at: &HookInput<'_>,
        occurrence: u32,
        kind: HookKind,
    ) -> (Vec<Arc<Hook>>, Vec<HookRun>) {
        let facts = MatchContext {
            agent: at.facts.agent.or(self.scope.agent.as_deref()),
            session: at.facts.session.or(self.scope.session_id.as_deref()),
            ..at.facts
        };
        let looks =
            self.set.hooks_of_kind(at.point, kind).any(|hook| hook.matching.looks_at_input());
        let node = parse(if looks { at.input } else { "{}" }, LIMITS);
        let (mut meant, mut others) = (Vec::new(), Vec::new());
        let Ok(node) = node else { return (meant, others) };
        for hook in self.set.hooks_of_kind(at.point, kind) {
            if hook.matching.fits(at.point, &facts, &node, &self.deadline) {
                meant.push(Arc::clone(hook));
            } else {
                others.push(line(
                    hook,
                    at.point,
                    occurrence,
                    RunOutcome::Skipped(SkipReason::NoMatch),
                ));
            }
        }
        (meant, others)
    }

    /// Pays for the runs of many inputs: each hook of the point has one for each of them.
    fn pay_for_runs(&self, point: Point, inputs: usize) -> Result<(), HookStop> {
        let hooks = self.set.hooks_at(point);
        let Some(first) = hooks.first() else { return Ok(()) };
        let bytes = inputs.saturating_mul(hooks.len()).saturating_mul(REPORT_LINE_BYTES);
        self.deadline.allowance().take(bytes).map_err(|error| {
            let failure = CallFailure::new(FailureCause::TextLimit, error.to_string());
            HookStop::failed(&first.id, point, &failure)
        })
    }

    fn call_settings(&self) -> CallSettings<'_> {
        CallSettings {
            caller: self.caller,
            scope: &self.scope,
            deadline: &self.deadline,
            workplace: self.workplace.as_deref(),
            left: self.left,
            dry: self.dry,
        }
    }

    fn skip(&mut self, hook: &Hook, point: Point, occurrence: u32, why: SkipReason) {
        self.runs.push(line(hook, point, occurrence, RunOutcome::Skipped(why)));
    }

    /// Asks one hook. The run has the outcome of the call; the caller decides what it means.
    async fn ask(
        &mut self,
        hook: &Hook,
        at: &HookInput<'_>,
        occurrence: u32,
    ) -> (HookRun, Result<HookAnswer, CallFailure>) {
        let asked = PreparedCall::new(hook, at, occurrence);
        let called = asked.call(self.call_settings()).await;
        self.left = self.left.saturating_sub(called.took);
        asked.settle(called, self.keeps_inputs)
    }

    /// Applies the failure policy of a hook at this point: the outcome of the run, or a stop if the
    /// failure fails the request.
    fn failure_policy(
        hook: &Hook,
        at: &HookInput<'_>,
        failure: &CallFailure,
        run: &HookRun,
    ) -> Result<OnFailure, HookStop> {
        if failure.cause == FailureCause::Diverged {
            return Err(HookStop::Diverged {
                hook: Arc::clone(&hook.id),
                point: at.point,
                occurrence: run.occurrence,
                expected: (!failure.detail.is_empty()).then(|| Arc::clone(&failure.detail)),
                actual: run.request_digest.clone().unwrap_or_default(),
            });
        }
        if failure.cause == FailureCause::TextLimit {
            // Without the hook's replacement, its text may be one that must not be seen.
            return Err(HookStop::failed(&hook.id, at.point, failure));
        }
        if hook.mode == EnforcementMode::Audit {
            return Ok(OnFailure::Skip);
        }
        match hook.on_failure(at.point) {
            OnFailure::Fail => Err(HookStop::failed(&hook.id, at.point, failure)),
            policy => Ok(policy),
        }
    }
}

fn line(hook: &Hook, point: Point, occurrence: u32, outcome: RunOutcome) -> HookRun {
    HookRun {
        hook: Arc::clone(&hook.id),
        revision: hook.revision,
        point,
        kind: hook.kind,
        occurrence,
        outcome,
        audit: hook.mode == EnforcementMode::Audit,
        request_digest: None,
        input: None,
        answer: None,
        took: Duration::ZERO,
        attempts: 0,
        tokens: 0,
        clipped: false,
    }
}

#[cfg(test)]
mod tests;
