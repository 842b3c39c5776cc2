//! Calls hooks again in a replay: all hooks, to compare their answers with the record, or hooks
//! whose input has changed.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::hook::{
    Call, CallFuture, CallReply, Caller, Hook, HookAnswer, HookKind, HookSet, RecordedHooks,
};
use crate::json::{self, Limits};
use crate::webhook::{CallContext, Webhooks};

/// Result of calling a recorded hook again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookCheck {
    pub hook: Arc<str>,
    pub point: &'static str,
    pub occurrence: u32,
    /// `equal`, `differs`, `failed`, or `gone` if the hook no longer exists.
    pub outcome: &'static str,
    /// Whether the input differs from the recorded one.
    pub asked_otherwise: bool,
    /// Whether the definition differs from the recorded one.
    pub config_changed: bool,
}

/// Returns recorded answers, calls the hooks of today as well, and notes whether they answer the
/// same.
#[derive(Debug)]
pub(super) struct VerifyCaller<'r> {
    pub(super) recorded: &'r RecordedHooks,
    pub(super) today: Arc<HookSet>,
    pub(super) webhooks: Option<&'r Webhooks>,
    checks: Mutex<Vec<HookCheck>>,
}

impl<'r> VerifyCaller<'r> {
    pub(super) fn new(
        recorded: &'r RecordedHooks,
        today: Arc<HookSet>,
        webhooks: Option<&'r Webhooks>,
    ) -> Self {
        Self { recorded, today, webhooks, checks: Mutex::default() }
    }

    /// The checks, in an order that does not depend on which hook answered first.
    pub(super) fn into_checks(self) -> Vec<HookCheck> {
        let mut checks = self.checks.into_inner().unwrap_or_else(PoisonError::into_inner);
        checks.sort_by(|a, b| {
            (a.point, a.occurrence, &a.hook).cmp(&(b.point, b.occurrence, &b.hook))
        });
        checks
    }

    /// The hook of today that has the id of a recorded hook.
    fn of_today(&self, call: &Call<'_>) -> Option<&Arc<Hook>> {
        self.today.hooks_of_kind(call.point, call.hook.kind).find(|hook| hook.id == call.hook.id)
    }

    async fn check(
        &self,
        hook: Option<&Arc<Hook>>,
        call: &Call<'_>,
        recorded: &CallReply,
    ) -> &'static str {
        let Some(hook) = hook else { return "gone" };
        let Some(webhooks) = self.webhooks else { return "failed" };
        let delivery = CallContext { replay: true, ..CallContext::default() };
        let live = webhooks.exchange(Call { hook, ..*call }, delivery).await;
        match (&live.answer, &recorded.answer) {
            (Ok(_), Ok(_)) if same(live.body.as_deref(), recorded.body.as_deref()) => "equal",
            (Err(now), Err(then)) if now.cause.public() == then.cause.public() => "equal",
            (Err(_), _) => "failed",
            _ => "differs",
        }
    }
}

/// Whether two answers are the same JSON, whatever their spelling and order.
fn same(a: Option<&str>, b: Option<&str>) -> bool {
    let canonical = |text: Option<&str>| {
        let text = text.unwrap_or_default();
        json::parse(text, Limits::default()).map_or_else(
            |_| text.to_owned(),
            |node| {
                let mut out = String::new();
                json::canonical_with_nulls(&mut out, &node);
                out
            },
        )
    };
    a == b || canonical(a) == canonical(b)
}

impl Caller for VerifyCaller<'_> {
    fn call<'c>(&'c self, call: Call<'c>) -> CallFuture<'c> {
        Box::pin(async move {
            if call.hook.kind == HookKind::Observe {
                return observed_reply();
            }
            let Some((called, asked_otherwise)) = self.recorded.find_nearest(&call) else {
                // The hook is new: the record has no answer to compare.
                return self.recorded.call(call).await;
            };
            let now = self.of_today(&call);
            let outcome = self.check(now, &call, &called).await;
            let check = HookCheck {
                hook: Arc::clone(&call.hook.id),
                point: call.point.as_str(),
                occurrence: call.occurrence,
                outcome,
                asked_otherwise,
                config_changed: now.is_some_and(|hook| hook.revision != call.hook.revision),
            };
            self.checks.lock().unwrap_or_else(PoisonError::into_inner).push(check);
            called
        })
    }
}

/// Returns the recorded answer if the input is the same, and calls the hook otherwise.
#[derive(Debug)]
pub(super) struct RefreshCaller<'r> {
    pub(super) recorded: &'r RecordedHooks,
    pub(super) live: &'r dyn Caller,
}

impl Caller for RefreshCaller<'_> {
    fn call<'c>(&'c self, call: Call<'c>) -> CallFuture<'c> {
        Box::pin(async move {
            if call.hook.kind == HookKind::Observe {
                return observed_reply();
            }
            match self.recorded.find_nearest(&call) {
                Some((called, false)) => called,
                _ => self.live.call(call).await,
            }
        })
    }
}

/// The reply of an observe hook, which a replay does not call.
fn observed_reply() -> CallReply {
    CallReply { answer: Ok(HookAnswer::Observed), body: None, took: Duration::ZERO, attempts: 0 }
}
