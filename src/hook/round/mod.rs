//! Runs the hooks of one request: in their order, within one budget of time, with a line for each.
//!
//! [`HookRound::change`] asks guards and transforms, [`HookRound::provide`] asks for additions, and
//! [`HookRound::observe`] notifies. The results depend on the answers of hooks and never on their
//! timing.

mod answers;
mod change;
mod each;
mod observe;
mod provide;
mod reader;

pub use change::{ChangeResult, Denial};
pub use each::CheckedInput;
pub use observe::{GuardDecision, QueuedCall};
pub use provide::{CountTokens, Fragment, ProvideResult, join};
pub use reader::AnswerReader;

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use super::answer::HookAnswer;
use super::call::{Call, CallReply, CallScope, Caller, digest};
use super::definition::{EnforcementMode, Hook, HookAction, OnFailure};
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

    /// Reuses stored outcomes for inputs that are repeated.
    #[must_use]
    pub fn keeping(mut self, kept: Arc<dyn OutcomeStore>) -> Self {
        self.kept = Some(kept);
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
        asked.settle(called)
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

/// The circumstances of a call, in addition to its input.
#[derive(Clone, Copy)]
struct CallSettings<'w> {
    caller: &'w dyn Caller,
    scope: &'w CallScope,
    deadline: &'w Deadline,
    left: Duration,
    dry: bool,
}

/// A call that is put together.
struct PreparedCall<'h> {
    hook: &'h Hook,
    point: Point,
    occurrence: u32,
    /// The hook's input; shared by all hooks that see the whole of it.
    input: Arc<str>,
    digest: OnceLock<Arc<str>>,
}

impl<'h> PreparedCall<'h> {
    fn new(hook: &'h Hook, at: &HookInput<'_>, occurrence: u32) -> Self {
        Self::new_shared(hook, at, occurrence, &OnceLock::new())
    }

    /// Prepares a call to one of several hooks that are asked at once; `whole` is the input that
    /// they share.
    fn new_shared(
        hook: &'h Hook,
        at: &HookInput<'_>,
        occurrence: u32,
        whole: &OnceLock<Arc<str>>,
    ) -> Self {
        let whole = || Arc::clone(whole.get_or_init(|| at.input.into()));
        let input = if hook.projection.is_all() {
            whole()
        } else {
            let node = parse(at.input, LIMITS);
            node.map_or_else(|_| whole(), |node| hook.projection.apply(&node).into())
        };
        Self { hook, point: at.point, occurrence, input, digest: OnceLock::new() }
    }

    /// [`digest`] of the call, made when it is first asked for.
    fn digest(&self) -> &Arc<str> {
        let made = || digest(self.point, self.hook.kind, self.occurrence, &self.input).into();
        self.digest.get_or_init(made)
    }

    async fn call(&self, with: CallSettings<'_>) -> CallReply {
        let CallSettings { caller, scope, deadline, left, dry } = with;
        let at_once = |answer| CallReply { answer, body: None, took: Duration::ZERO, attempts: 0 };
        if let Some(because) = &self.hook.disabled_because {
            let why = format!("the service disabled it ({because}): enable or disable it");
            return at_once(Err(CallFailure::new(FailureCause::Disabled, why)));
        }
        if let HookAction::Builtin(builtin) = &self.hook.does {
            return at_once(match parse(&self.input, LIMITS) {
                Ok(node) => builtin.answer(self.point, &node, deadline).map_err(CallFailure::from),
                Err(error) => {
                    Err(CallFailure::new(FailureCause::InvalidPayload, error.to_string()))
                }
            });
        }
        if dry {
            return at_once(Ok(neutral_answer(self.hook.kind)));
        }
        let most = self.hook.timeout().min(left);
        if most.is_zero() {
            let why = "hooks before it took all the time that hooks may take";
            return at_once(Err(CallFailure::new(FailureCause::BudgetExhausted, why)));
        }
        let (hook, point, occurrence) = (self.hook, self.point, self.occurrence);
        let input = &*self.input;
        let mut calling =
            caller.call(Call { hook, point, occurrence, scope, input, allowance: most });
        poll_fn(|cx| {
            let polled = calling.as_mut().poll(cx);
            // While the other side works, there is time for what the record needs.
            self.digest();
            polled
        })
        .await
    }

    fn settle(self, called: CallReply) -> (HookRun, Result<HookAnswer, CallFailure>) {
        let CallReply { answer, body, took, attempts } = called;
        let mut run = line(self.hook, self.point, self.occurrence, RunOutcome::Unchanged);
        run.request_digest = Some(Arc::clone(self.digest()));
        run.took = took;
        run.attempts = attempts;
        run.answer = body;
        if let Err(failure) = &answer {
            run.outcome = RunOutcome::Failed(failure.clone());
        }
        (run, answer)
    }
}

/// The answer of a hook that is not called.
fn neutral_answer(kind: HookKind) -> HookAnswer {
    match kind {
        HookKind::Guard => HookAnswer::Allow,
        HookKind::Transform => HookAnswer::Unchanged,
        HookKind::Provide => HookAnswer::Nothing,
        HookKind::Observe => HookAnswer::Observed,
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
        answer: None,
        took: Duration::ZERO,
        attempts: 0,
        tokens: 0,
        clipped: false,
    }
}

#[cfg(test)]
mod tests;
