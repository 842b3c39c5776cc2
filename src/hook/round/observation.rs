//! Observe hooks: they are notified, and change nothing.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::future::join_all;

use super::change::Denial;
use super::{HookInput, HookRound, PreparedCall};
use crate::hook::definition::{DeliveryMode, Hook, HookAction};
use crate::hook::point::{HookKind, Point};
use crate::hook::run::{HookRun, RunOutcome};
use crate::json::write_string;

/// The decision of the guards of the point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GuardDecision<'d> {
    /// The point has no guards, or nothing was decided.
    None,
    Allowed,
    Denied(&'d Denial),
}

/// A queued call, retried until it succeeds.
#[derive(Debug, Clone)]
pub struct QueuedCall {
    pub hook: Arc<Hook>,
    pub point: Point,
    pub occurrence: u32,
    /// JSON text: `input` of the call.
    pub input: Arc<str>,
    /// [`crate::hook::digest`] of the call.
    pub digest: Arc<str>,
}

impl HookRound<'_> {
    /// Notifies the observe hooks: calls those with `delivery: "sync"` now, all at once; returns
    /// the queued calls of the others, to be stored in the transaction of the fact that they
    /// report. If a guard denied, the input is the one before the transforms.
    pub async fn observe(
        &mut self,
        at: HookInput<'_>,
        decision: GuardDecision<'_>,
    ) -> Vec<QueuedCall> {
        self.observe_with(at, decision, false).await
    }

    /// As [`Self::observe`], without the hooks with `delivery: "sync"`: they are notified of a fact
    /// after it is stored. In a dry run they have their lines.
    pub async fn observe_queued(&mut self, at: HookInput<'_>) -> Vec<QueuedCall> {
        let holds_sync = !self.dry;
        self.observe_with(at, GuardDecision::None, holds_sync).await
    }

    /// Whether an observe hook of the point is notified after its fact is stored.
    pub fn has_sync(&self, point: Point) -> bool {
        let mut hooks = self.set.hooks_of_kind(point, HookKind::Observe);
        !self.dry && hooks.any(|hook| hook.delivery == DeliveryMode::Sync)
    }

    async fn observe_with(
        &mut self,
        at: HookInput<'_>,
        decision: GuardDecision<'_>,
        holds_sync: bool,
    ) -> Vec<QueuedCall> {
        let occurrence = self.count_occurrence(at.point, HookKind::Observe);
        if !self.has(at.point, HookKind::Observe) {
            return Vec::new();
        }
        let input = with_decision(at.input, decision);
        let at = HookInput { input: &input, ..at };
        let (mut hooks, mut others) = self.match_hooks(&at, occurrence, HookKind::Observe);
        if holds_sync {
            let set = Arc::clone(&self.set);
            let is_sync = |id: &str| {
                let mut hooks = set.hooks_of_kind(at.point, HookKind::Observe);
                hooks.any(|hook| *hook.id == *id && hook.delivery == DeliveryMode::Sync)
            };
            hooks.retain(|hook| hook.delivery != DeliveryMode::Sync);
            others.retain(|run| !is_sync(&run.hook));
        }
        self.runs.extend(others);
        let (mut now, mut later) = (Vec::new(), Vec::new());
        let whole = OnceLock::new();
        for hook in &hooks {
            let asked = PreparedCall::new_shared(hook, &at, occurrence, &whole);
            let is_dry = self.dry && matches!(hook.does, HookAction::Call(_));
            if hook.delivery == DeliveryMode::Sync && !is_dry {
                now.push(asked);
                continue;
            }
            let mut run = super::line(hook, at.point, occurrence, RunOutcome::Queued);
            run.request_digest = Some(Arc::clone(asked.digest()));
            run.input = (self.keeps_inputs && !is_dry).then(|| Arc::clone(&asked.input));
            if is_dry {
                run.outcome = RunOutcome::WouldCall;
            } else {
                later.push(QueuedCall {
                    hook: Arc::clone(hook),
                    point: at.point,
                    occurrence,
                    digest: Arc::clone(asked.digest()),
                    input: asked.input,
                });
            }
            self.runs.push(run);
        }
        let with = super::CallSettings { dry: false, ..self.call_settings() };
        let keeps_inputs = self.keeps_inputs;
        let answers = join_all(now.into_iter().map(|asked| async move {
            let came = asked.call(with).await;
            asked.settle(came, keeps_inputs)
        }));
        let told: Vec<HookRun> = answers
            .await
            .into_iter()
            .map(|(mut run, answer)| {
                if answer.is_ok() {
                    run.outcome = RunOutcome::Delivered;
                }
                run
            })
            .collect();
        let longest = told.iter().map(|run| run.took).max().unwrap_or(Duration::ZERO);
        self.left = self.left.saturating_sub(longest);
        self.runs.extend(told);
        later
    }
}

/// The input with `decision` and, of a denial, `reason` as last members.
fn with_decision(input: &str, decision: GuardDecision<'_>) -> String {
    let open = input.trim_end().strip_suffix('}');
    let (Some(open), false) = (open, decision == GuardDecision::None) else {
        return input.to_owned();
    };
    let mut out = open.trim_end().to_owned();
    out.push_str(if out.ends_with('{') { "\"decision\":" } else { ",\"decision\":" });
    match decision {
        GuardDecision::Denied(denial) => {
            out.push_str("\"deny\",\"denied_by\":");
            write_string(&mut out, &denial.hook);
            out.push_str(",\"reason\":");
            write_string(&mut out, &denial.reason);
        }
        GuardDecision::Allowed | GuardDecision::None => out.push_str("\"allow\""),
    }
    out.push('}');
    out
}
