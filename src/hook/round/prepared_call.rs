//! One call to a hook: put together, made within the time that is left, and turned into a run.

use std::future::poll_fn;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use super::{HookInput, line};
use crate::hook::answer::HookAnswer;
use crate::hook::builtin::Builtin;
use crate::hook::call::Workplace;
use crate::hook::call::{Call, CallReply, CallScope, Caller, digest};
use crate::hook::definition::{Hook, HookAction};
use crate::hook::failure::{CallFailure, FailureCause};
use crate::hook::point::{HookKind, Point};
use crate::hook::run::{HookRun, RunOutcome};
use crate::hook::text::LIMITS;
use crate::json::parse;
use crate::limit::Deadline;

/// The circumstances of a call, in addition to its input.
#[derive(Clone, Copy)]
pub(super) struct CallSettings<'w> {
    pub(super) caller: &'w dyn Caller,
    pub(super) scope: &'w CallScope,
    pub(super) deadline: &'w Deadline,
    pub(super) workplace: Option<&'w dyn Workplace>,
    pub(super) left: Duration,
    pub(super) dry: bool,
}

/// A call that is put together.
pub(super) struct PreparedCall<'h> {
    pub(super) hook: &'h Hook,
    pub(super) point: Point,
    pub(super) occurrence: u32,
    /// The hook's input; shared by all hooks that see the whole of it.
    pub(super) input: Arc<str>,
    digest: OnceLock<Arc<str>>,
}

impl<'h> PreparedCall<'h> {
    pub(super) fn new(hook: &'h Hook, at: &HookInput<'_>, occurrence: u32) -> Self {
        Self::new_shared(hook, at, occurrence, &OnceLock::new())
    }

    /// Prepares a call to one of several hooks that are asked at once; `whole` is the input that
    /// they share.
    pub(super) fn new_shared(
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
    pub(super) fn digest(&self) -> &Arc<str> {
        let made = || digest(self.point, self.hook.kind, self.occurrence, &self.input).into();
        self.digest.get_or_init(made)
    }

    pub(super) async fn call(&self, with: CallSettings<'_>) -> CallReply {
        let CallSettings { caller, scope, deadline, workplace, left, dry } = with;
        let at_once = |answer| CallReply { answer, body: None, took: Duration::ZERO, attempts: 0 };
        if let Some(because) = &self.hook.disabled_because {
            let why = format!("the service disabled it ({because}): enable or disable it");
            return at_once(Err(CallFailure::new(FailureCause::Disabled, why)));
        }
        if let HookAction::Builtin(builtin) = &self.hook.does {
            return at_once(self.compute(builtin, workplace, deadline).await);
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
        let (input, timeout_cause) = (&*self.input, timeout_cause(hook, most, deadline));
        let mut calling = caller.call(Call {
            hook,
            point,
            occurrence,
            scope,
            input,
            allowance: most,
            timeout_cause,
        });
        poll_fn(|cx| {
            let polled = calling.as_mut().poll(cx);
            // While the other side works, there is time for what the record needs.
            self.digest();
            polled
        })
        .await
    }

    /// Runs a built-in hook, in a place for what computes.
    async fn compute(
        &self,
        builtin: &Builtin,
        workplace: Option<&dyn Workplace>,
        deadline: &Deadline,
    ) -> Result<HookAnswer, CallFailure> {
        let place = match workplace {
            Some(workplace) => Some(workplace.enter().await.ok_or_else(|| {
                let why = "the time was up before a thread was free for the hook";
                CallFailure::new(FailureCause::Deadline, why)
            })?),
            None => None,
        };
        let node = parse(&self.input, LIMITS)
            .map_err(|error| CallFailure::new(FailureCause::InvalidPayload, error.to_string()))?;
        let answer = builtin.answer(self.point, &node, deadline);
        drop(place);
        answer.map_err(CallFailure::from)
    }

    /// Turns the call into a run, with its input if `keeps_input` is set and the input was sent.
    pub(super) fn settle(
        self,
        called: CallReply,
        keeps_input: bool,
    ) -> (HookRun, Result<HookAnswer, CallFailure>) {
        let CallReply { answer, body, took, attempts } = called;
        let mut run = line(self.hook, self.point, self.occurrence, RunOutcome::Unchanged);
        run.request_digest = Some(Arc::clone(self.digest()));
        run.took = took;
        run.attempts = attempts;
        run.answer = body;
        // Nothing is sent without an attempt: to a built-in hook, or of a call that is not made.
        run.input = (keeps_input && attempts > 0).then_some(self.input);
        if let Err(failure) = &answer {
            run.outcome = RunOutcome::Failed(failure.clone());
        }
        (run, answer)
    }
}

/// The cause of a failure if the hook has no answer within `allowance`.
fn timeout_cause(hook: &Hook, allowance: Duration, deadline: &Deadline) -> FailureCause {
    if allowance >= hook.timeout() {
        return FailureCause::Timeout;
    }
    let ends_first = |end: Instant| end.saturating_duration_since(Instant::now()) <= allowance;
    if deadline.end().is_some_and(ends_first) {
        FailureCause::Deadline
    } else {
        FailureCause::BudgetExhausted
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
