//! A replay: answers are taken from the record, and nothing is called.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use super::answer::HookAnswer;
use super::call::{Call, CallFuture, CallReply, Caller};
use super::definition::{Hook, HookAction};
use super::failure::{CallFailure, FailureCause};
use super::outcome_store::{OutcomeKey, OutcomeStore};
use super::point::{HookKind, Point};
use super::run::{HookRun, RunOutcome};

/// The answers of a record. A call that is not in the record, or was made with another input,
/// diverges; a recorded failure fails again, at once.
#[derive(Debug, Default)]
pub struct RecordedHooks {
    calls: HashMap<CallKey, Vec<RecordedCall>>,
}

/// The place of a call, and its hook.
#[derive(Debug, PartialEq, Eq, Hash)]
struct CallKey {
    point: Point,
    occurrence: u32,
    hook: Arc<str>,
    kind: HookKind,
}

impl CallKey {
    fn new(call: &Call<'_>) -> Self {
        let Call { point, occurrence, hook, .. } = call;
        Self { point: *point, occurrence: *occurrence, hook: Arc::clone(&hook.id), kind: hook.kind }
    }
}

#[derive(Debug)]
struct RecordedCall {
    digest: Arc<str>,
    result: Result<Option<Arc<str>>, CallFailure>,
}

impl RecordedHooks {
    /// Takes the calls from the lines of a record; lines of hooks that were not called are skipped.
    pub fn new<'r>(runs: impl IntoIterator<Item = &'r HookRun>) -> Self {
        let mut calls: HashMap<_, Vec<RecordedCall>> = HashMap::new();
        for run in runs {
            let Some(digest) = run.request_digest.clone().filter(|_| run.kind != HookKind::Observe)
            else {
                continue;
            };
            // A patch that did not fit failed after the hook had returned it: applying the answer
            // fails again.
            let result = match (&run.outcome, &run.answer) {
                (RunOutcome::Failed(failure), None) => Err(failure.clone()),
                (_, answer) => Ok(answer.clone()),
            };
            let HookRun { point, occurrence, kind, .. } = *run;
            let key = CallKey { point, occurrence, hook: Arc::clone(&run.hook), kind };
            calls.entry(key).or_default().push(RecordedCall { digest, result });
        }
        Self { calls }
    }

    /// The recorded reply to a call: to the same question, else to the last one at that point, and
    /// whether it is the same. `None` if the hook was not called there.
    pub fn find_nearest(&self, call: &Call<'_>) -> Option<(CallReply, bool)> {
        let key = CallKey::new(call);
        let entries = self.calls.get(&key)?;
        let digest = call.digest();
        let same = entries.iter().find(|entry| *entry.digest == *digest);
        let is_other = same.is_none();
        let entry = same.or(entries.last())?;
        let (answer, body) = match &entry.result {
            Ok(body) => {
                let text = body.as_deref().unwrap_or_default();
                (HookAnswer::read(call.point, call.hook.kind, text), body.clone())
            }
            Err(failure) => (Err(failure.clone()), None),
        };
        Some((CallReply { answer, body, took: Duration::ZERO, attempts: 0 }, is_other))
    }

    /// The answer, and its own text.
    fn find(&self, call: &Call<'_>) -> (Result<HookAnswer, CallFailure>, Option<Arc<str>>) {
        let key = CallKey::new(call);
        let entries = self.calls.get(&key).map_or(&[][..], Vec::as_slice);
        let digest = call.digest();
        let entry = entries.iter().find(|entry| *entry.digest == *digest);
        let Some(entry) = entry else {
            // The detail is the recorded digest; the error of the replay names it.
            let expected =
                entries.first().map_or_else(|| "".into(), |entry| Arc::clone(&entry.digest));
            return (Err(CallFailure::new(FailureCause::Diverged, expected)), None);
        };
        match &entry.result {
            Ok(body) => {
                let text = body.as_deref().unwrap_or_default();
                (HookAnswer::read(call.point, call.hook.kind, text), body.clone())
            }
            Err(failure) => (Err(failure.clone()), None),
        }
    }
}

/// Built-in hooks run again, except for outcomes that the record has.
impl OutcomeStore for RecordedHooks {
    fn keeps(&self, hook: &Hook) -> bool {
        matches!(hook.does, HookAction::Builtin(_))
    }

    fn find(&self, asks: &[OutcomeKey<'_>]) -> Vec<Option<Arc<str>>> {
        let one = |ask: &OutcomeKey<'_>| {
            let OutcomeKey { point, occurrence, hook, .. } = *ask;
            let key = CallKey { point, occurrence, hook: Arc::clone(&hook.id), kind: hook.kind };
            let entries = self.calls.get(&key).filter(|_| self.keeps(ask.hook))?;
            let entry = entries.iter().find(|entry| *entry.digest == *ask.digest)?;
            entry.result.clone().ok().flatten()
        };
        asks.iter().map(one).collect()
    }

    fn keep(&self, _: &Hook, _: &str, _: &str) {}
}

impl Caller for RecordedHooks {
    fn call<'c>(&'c self, call: Call<'c>) -> CallFuture<'c> {
        Box::pin(async move {
            let (answer, body) = self.find(&call);
            CallReply { answer, body, took: Duration::ZERO, attempts: 0 }
        })
    }
}
