//! What a hook would be asked, where a replay cannot go on because it is something else.

use std::sync::{Arc, Mutex, PoisonError};

use crate::hook::{Call, CallFuture, Caller, HookStop, Point, RecordedHooks};
use crate::json::{self, Limits};
use crate::service::compilations::StoredRecord;

/// A hook of a replay is asked something else than the record has an answer for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("hook `{hook}` at `{point}` is asked something else than what was recorded")]
pub struct Divergence {
    /// The compilation whose record it is.
    pub id: Arc<str>,
    pub hook: Arc<str>,
    pub point: Point,
    /// How often the point was reached before.
    pub occurrence: u32,
    /// JSON Pointer of the first place in the hook's request that is not the same; none where the
    /// record cannot say what was asked.
    pub pointer: Option<String>,
}

/// Which call it is.
type CallPlace = (Point, u32, Arc<str>);

/// Answers as the record has them, and keeps the questions that nobody asked then, or those of one
/// place.
#[derive(Debug)]
pub(super) struct DivergenceCaller<'r> {
    recorded: &'r RecordedHooks,
    place: Option<CallPlace>,
    heard: Mutex<Vec<(CallPlace, String)>>,
}

impl<'r> DivergenceCaller<'r> {
    pub(super) fn new(recorded: &'r RecordedHooks, place: Option<CallPlace>) -> Self {
        Self { recorded, place, heard: Mutex::default() }
    }

    /// What was asked at a place last.
    fn at(&self, place: &CallPlace) -> Option<String> {
        let heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard.iter().rev().find(|(own, _)| own == place).map(|(_, input)| input.clone())
    }
}

impl Caller for DivergenceCaller<'_> {
    fn call<'c>(&'c self, call: Call<'c>) -> CallFuture<'c> {
        let place = (call.point, call.occurrence, Arc::clone(&call.hook.id));
        let is_new = || !matches!(self.recorded.find_nearest(&call), Some((_, false)));
        if self.place.as_ref().map_or_else(is_new, |wanted| *wanted == place) {
            let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
            heard.push((place, call.input.to_owned()));
        }
        self.recorded.call(call)
    }
}

/// Where a stop parted from the record, as `now` has overheard it. `then` compiles the recorded
/// request once more and overhears one place.
pub(super) fn divergence(
    record: &StoredRecord,
    stop: &HookStop,
    now: &DivergenceCaller<'_>,
    then: impl FnOnce(CallPlace) -> Option<String>,
) -> Option<Divergence> {
    let HookStop::Diverged { hook, point, occurrence, .. } = stop else { return None };
    let place = (*point, *occurrence, Arc::clone(hook));
    let pointer = now.at(&place).zip(then(place)).and_then(|(now, then)| parted(&then, &now));
    Some(Divergence {
        id: Arc::clone(&record.compilation.id),
        hook: Arc::clone(hook),
        point: *point,
        occurrence: *occurrence,
        pointer,
    })
}

/// What was overheard of the place that was wanted.
pub(super) fn heard(overhearing: &DivergenceCaller<'_>) -> Option<String> {
    overhearing.place.as_ref().and_then(|place| overhearing.at(place))
}

fn parted(then: &str, now: &str) -> Option<String> {
    let read = |text| json::parse(text, Limits::default()).ok();
    let found = json::differences(&read(then)?, &read(now)?, 1);
    found.into_iter().next().map(|difference| format!("/input{}", difference.pointer))
}
