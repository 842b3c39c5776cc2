//! Guards and transforms: whether the request may continue, and with what input.

use std::sync::Arc;

use super::{HookInput, HookRound, PayloadCheck};
use crate::hook::answer::HookAnswer;
use crate::hook::definition::{EnforcementMode, Hook, HookAction, OnFailure};
use crate::hook::failure::{CallFailure, FailureCause};
use crate::hook::patch;
use crate::hook::point::{HookKind, Point};
use crate::hook::run::{HookRun, HookStop, RunOutcome, SkipReason};
use crate::hook::text::{self, LIMITS};
use crate::json::parse;

/// The result of guards and transforms.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangeResult {
    /// The input after the transforms; `None` if it is unchanged.
    pub input: Option<Arc<str>>,
    /// The part of it that changed: the value at [`crate::hook::Point::payload`].
    pub payload: Option<Arc<str>>,
    /// Set if a guard denied. Then nothing is changed.
    pub denied: Option<Denial>,
}

/// A guard's no.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denial {
    pub hook: Arc<str>,
    pub point: Point,
    /// Plain text for the caller, at most 2,000 characters.
    pub reason: Arc<str>,
    /// The guard's own code, or `hook_unavailable` if it failed.
    pub code: Option<Arc<str>>,
}

/// The code of a denial that no guard spoke.
const UNAVAILABLE_CODE: &str = "hook_unavailable";

impl HookRound<'_> {
    /// Asks the guards, then the transforms, each on the output of the one before; at
    /// `transform_context` the guards come last. `check` validates a new payload.
    ///
    /// # Errors
    /// A hook failed whose failure fails the request. Then nothing of the chain is applied.
    pub async fn change(
        &mut self,
        at: HookInput<'_>,
        check: PayloadCheck<'_>,
    ) -> Result<ChangeResult, HookStop> {
        let occurrence = self.count_occurrence(at.point, HookKind::Guard);
        let guards = self.select(&at, occurrence, HookKind::Guard);
        let transforms = self.select(&at, occurrence, HookKind::Transform);
        if !at.point.guards_last() {
            let asked = self.guards(&guards, &at, occurrence).await;
            if !matches!(asked, Ok(None)) {
                let why = if asked.is_ok() {
                    SkipReason::DeniedEarlier
                } else {
                    SkipReason::FailedEarlier
                };
                for hook in &transforms {
                    self.skip(hook, at.point, occurrence, why);
                }
                return asked.map(denied_change);
            }
        }
        let first_run = self.runs.len();
        let changed = match self.chain(&transforms, &at, occurrence, check).await {
            Ok(changed) => changed,
            Err(stop) => {
                if at.point.guards_last() {
                    for hook in &guards {
                        self.skip(hook, at.point, occurrence, SkipReason::FailedEarlier);
                    }
                }
                return Err(stop);
            }
        };
        let again: Vec<Arc<Hook>> = if at.point.guards_last() {
            guards
        } else if changed.payload.is_some() {
            guards.into_iter().filter(|hook| hook.reverify).collect()
        } else {
            Vec::new()
        };
        let input = changed.input.as_deref().unwrap_or(at.input);
        let asked = self.guards(&again, &HookInput { input, ..at }, occurrence).await;
        if !matches!(asked, Ok(None)) {
            self.roll_back(first_run);
            return asked.map(denied_change);
        }
        Ok(changed)
    }

    /// Asks guards one after another; the first that denies ends it.
    async fn guards(
        &mut self,
        guards: &[Arc<Hook>],
        at: &HookInput<'_>,
        occurrence: u32,
    ) -> Result<Option<Denial>, HookStop> {
        let mut hooks = guards.iter();
        while let Some(hook) = hooks.next() {
            let (mut run, answer) = self.ask(hook, at, occurrence).await;
            let verdict = match answer {
                Ok(HookAnswer::Deny { reason, code }) => {
                    run.outcome = RunOutcome::Denied { reason: reason.clone(), code: code.clone() };
                    Ok(Some(Denial { hook: Arc::clone(&hook.id), point: at.point, reason, code }))
                }
                Ok(_) => {
                    run.outcome = self.called_outcome(hook, RunOutcome::Allowed);
                    Ok(None)
                }
                Err(failure) => Self::failure_policy(hook, at, &failure, &run).map(|policy| {
                    (policy == OnFailure::Deny).then(|| unavailable(hook, at.point, &failure))
                }),
            };
            self.runs.push(run);
            let enforced = hook.mode == EnforcementMode::Enforce;
            let ends = match &verdict {
                Ok(denial) => denial.is_some() && enforced,
                Err(_) => true,
            };
            if ends {
                let why = if verdict.is_ok() {
                    SkipReason::DeniedEarlier
                } else {
                    SkipReason::FailedEarlier
                };
                for hook in hooks {
                    self.skip(hook, at.point, occurrence, why);
                }
                return verdict;
            }
        }
        Ok(None)
    }

    /// Lets transforms work one after another. A failure that counts takes back all of them.
    async fn chain(
        &mut self,
        transforms: &[Arc<Hook>],
        at: &HookInput<'_>,
        occurrence: u32,
        check: PayloadCheck<'_>,
    ) -> Result<ChangeResult, HookStop> {
        if at.point.payload().is_none() {
            return Ok(ChangeResult::default());
        }
        let first_run = self.runs.len();
        let mut changed = ChangeResult::default();
        let mut hooks = transforms.iter();
        while let Some(hook) = hooks.next() {
            let before: Arc<str> = changed.input.clone().unwrap_or_else(|| at.input.into());
            let here = HookInput { input: &before, ..*at };
            let (mut run, answer) = self.ask(hook, &here, occurrence).await;
            let stop = match self.apply_answer(hook, &here, answer, check, &mut run) {
                Ok(new) => {
                    changed = new.unwrap_or(changed);
                    None
                }
                Err(stop) => Some(stop),
            };
            self.runs.push(run);
            if let Some(stop) = stop {
                self.roll_back(first_run);
                for hook in hooks {
                    self.skip(hook, at.point, occurrence, SkipReason::FailedEarlier);
                }
                return Err(stop);
            }
        }
        Ok(changed)
    }

    /// Applies a transform's answer to the input and records the outcome in `run`. Returns nothing
    /// if the input stays as it is, as it does under a hook that is only audited.
    pub(super) fn apply_answer(
        &self,
        hook: &Hook,
        at: &HookInput<'_>,
        answer: Result<HookAnswer, CallFailure>,
        check: PayloadCheck<'_>,
        run: &mut HookRun,
    ) -> Result<Option<ChangeResult>, HookStop> {
        let pointer = at.point.payload().unwrap_or_default();
        let whole = hook.projection.keeps_whole(pointer);
        let new = answer.and_then(|answer| {
            let new = patch::apply(at.input, pointer, &answer, whole)?;
            if let Some(new) = &new {
                check(new).map_err(|why| CallFailure::new(FailureCause::InvalidPayload, why))?;
            }
            Ok(new)
        });
        match new {
            Ok(Some(new)) => {
                run.outcome = RunOutcome::Applied;
                let holds = hook.mode == EnforcementMode::Enforce;
                Ok(holds.then(|| splice_input(at.input, pointer, &new)).flatten())
            }
            Ok(None) => {
                run.outcome = self.called_outcome(hook, RunOutcome::Unchanged);
                Ok(None)
            }
            Err(failure) => {
                run.outcome = RunOutcome::Failed(failure.clone());
                Self::failure_policy(hook, at, &failure, run).map(|_| None)
            }
        }
    }

    /// Marks the transforms from `first_run` on as rolled back.
    fn roll_back(&mut self, first_run: usize) {
        roll_back(self.runs.iter_mut().skip(first_run));
    }

    /// The outcome of a hook that was called; in a dry run webhooks are not.
    pub(super) fn called_outcome(&self, hook: &Hook, outcome: RunOutcome) -> RunOutcome {
        let is_dry = self.dry && matches!(hook.does, HookAction::Call(_));
        if is_dry { RunOutcome::WouldCall } else { outcome }
    }
}

/// Marks transforms as rolled back.
pub(super) fn roll_back<'r>(runs: impl Iterator<Item = &'r mut HookRun>) {
    for run in runs {
        let applied = run.kind == HookKind::Transform && run.outcome == RunOutcome::Applied;
        if applied && !run.audit {
            run.outcome = RunOutcome::Skipped(SkipReason::RolledBack);
        }
    }
}

fn denied_change(denial: Option<Denial>) -> ChangeResult {
    ChangeResult { denied: denial, ..ChangeResult::default() }
}

fn unavailable(hook: &Hook, point: Point, failure: &CallFailure) -> Denial {
    let reason = format!("the guard `{}` is unavailable ({})", hook.id, failure.cause);
    Denial {
        hook: Arc::clone(&hook.id),
        point,
        reason: reason.into(),
        code: Some(UNAVAILABLE_CODE.into()),
    }
}

fn splice_input(input: &str, pointer: &str, new: &str) -> Option<ChangeResult> {
    let node = parse(input, LIMITS).ok()?;
    let input = text::splice(input, &node, pointer, new)?;
    Some(ChangeResult { input: Some(input.into()), payload: Some(new.into()), denied: None })
}
