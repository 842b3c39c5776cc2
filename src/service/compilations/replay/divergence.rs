//! Finds where a replay cannot go on, because the input of a hook differs from the recorded one.

use std::sync::{Arc, Mutex, PoisonError};

use crate::hook::{Call, CallFuture, Caller, HookStop, Point, RecordedHooks};
use crate::json::{self, Limits};
use crate::service::Divergence;
use crate::service::compilations::StoredRecord;

/// The place of a call in a compile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CallPlace {
    point: Point,
    /// Number of times that the point was reached before.
    occurrence: u32,
    hook: Arc<str>,
}

/// Returns recorded answers, and keeps the inputs that have none, or the inputs at one place.
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

    /// The last input at a place.
    fn at(&self, place: &CallPlace) -> Option<String> {
        let heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard.iter().rev().find(|(own, _)| own == place).map(|(_, input)| input.clone())
    }
}

impl Caller for DivergenceCaller<'_> {
    fn call<'c>(&'c self, call: Call<'c>) -> CallFuture<'c> {
        let hook = Arc::clone(&call.hook.id);
        let place = CallPlace { point: call.point, occurrence: call.occurrence, hook };
        let is_new = || !matches!(self.recorded.find_nearest(&call), Some((_, false)));
        if self.place.as_ref().map_or_else(is_new, |wanted| *wanted == place) {
            let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
            heard.push((place, call.input.to_owned()));
        }
        self.recorded.call(call)
    }
}

/// Finds where a stopped replay differs from the record, by the inputs that `now` has kept. `then`
/// compiles the recorded request again and returns the input at a place.
pub(super) fn divergence(
    record: &StoredRecord,
    stop: &HookStop,
    now: &DivergenceCaller<'_>,
    then: impl FnOnce(CallPlace) -> Option<String>,
) -> Option<Divergence> {
    let HookStop::Diverged { hook, point, occurrence, .. } = stop else { return None };
    let place = CallPlace { point: *point, occurrence: *occurrence, hook: Arc::clone(hook) };
    let pointer = now.at(&place).zip(then(place)).and_then(|(now, then)| parted(&then, &now));
    Some(Divergence {
        id: Arc::clone(&record.compilation.id),
        hook: Arc::clone(hook),
        point: *point,
        occurrence: *occurrence,
        pointer,
    })
}

/// The input that was kept for the wanted place.
pub(super) fn kept_input(overhearing: &DivergenceCaller<'_>) -> Option<String> {
    overhearing.place.as_ref().and_then(|place| overhearing.at(place))
}

fn parted(then: &str, now: &str) -> Option<String> {
    let read = |text| json::parse(text, Limits::default()).ok();
    let found = json::differences(&read(then)?, &read(now)?, 1);
    found.into_iter().next().map(|difference| format!("/input{}", difference.pointer))
}
