//! Sessions: the state of a conversation beyond its messages.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{RawJson, Source, Timestamp};

/// Models of a session that are remembered.
pub const MAX_CALIBRATED_MODELS: usize = 16;

/// A conversation under a name. Its turns, memory, messages and snapshots are stored separately.
#[derive(Debug, Clone, PartialEq)]
pub struct Session {
    pub id: Arc<str>,
    /// From 1, one more with each change that a caller asks for; compiles leave it as it is.
    pub version: u64,
    /// The session that it continues.
    pub parent: Option<Arc<str>>,
    /// Keys of `/compile` with their defaults for requests that do not set them: an object.
    pub defaults: Option<RawJson>,
    /// Whether the hooks in the defaults were written by a caller with the right to write hooks.
    /// Other hooks do not run.
    pub hooks_scoped: bool,
    /// Seconds that it is kept after its last use, if it specifies them.
    pub ttl: Option<u64>,
    /// Lengths of the message list at which the history was shrunk because the cache was cold, in
    /// rising order.
    pub points: Vec<u64>,
    /// The calibration of each model, the last compiled model at the end.
    pub measured: Vec<ModelCalibration>,
    /// Compiles that it has had.
    pub turns: u64,
    /// The id of its last compile.
    pub compilation: Option<Arc<str>>,
    /// The number of its messages.
    pub messages: u64,
    /// Their shape.
    pub source: Option<Source>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub used_at: Timestamp,
    pub expires_at: Timestamp,
}

/// The ratio of a provider's token counts for a model's payloads to the counts of this service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelCalibration {
    /// The model's name, or the target's if requests name no model.
    pub model: Arc<str>,
    /// Tokens of the last payload before any factor.
    pub raw: u64,
    /// The factor for a count, in thousandths, once the provider has reported usage.
    pub factor_milli: Option<u32>,
    /// The number of reports.
    pub reports: u64,
}

impl Session {
    /// Makes a new session.
    pub fn new(id: Arc<str>, now: Timestamp) -> Self {
        Self {
            id,
            version: 1,
            parent: None,
            defaults: None,
            hooks_scoped: false,
            ttl: None,
            points: Vec::new(),
            measured: Vec::new(),
            turns: 0,
            compilation: None,
            messages: 0,
            source: None,
            created_at: now,
            updated_at: now,
            used_at: now,
            expires_at: now,
        }
    }

    /// Records a use at a time; `usual` is the lifetime of a session that specifies none.
    pub fn touch(&mut self, now: Timestamp, usual: Duration) {
        self.used_at = now;
        self.expires_at = now.after(self.ttl.map_or(usual, Duration::from_secs));
    }

    /// The factor that a provider's reports have given for a model.
    pub fn factor(&self, model: &str) -> Option<u32> {
        self.measured.iter().find(|known| *known.model == *model)?.factor_milli
    }

    /// The calibration of the last compiled model.
    pub fn last_measured(&self) -> Option<&ModelCalibration> {
        self.measured.last()
    }

    /// Records the tokens of a payload for a model, by the count of this service.
    pub fn note_compile(&mut self, model: &Arc<str>, raw: u64) {
        let known = self.measured.iter().position(|known| known.model == *model);
        let mut measured = match known {
            Some(place) => self.measured.remove(place),
            None => {
                ModelCalibration { model: Arc::clone(model), raw, factor_milli: None, reports: 0 }
            }
        };
        measured.raw = raw;
        self.measured.push(measured);
        let beyond = self.measured.len().saturating_sub(MAX_CALIBRATED_MODELS);
        self.measured.drain(..beyond);
    }

    /// Records the factor from a provider's report for a model.
    pub fn report(&mut self, model: &str, factor_milli: u32) {
        if let Some(known) = self.measured.iter_mut().find(|known| *known.model == *model) {
            known.factor_milli = Some(factor_milli);
            known.reports += 1;
        }
    }

    /// Notes a compaction point at a length of the message list.
    pub fn shrink_at(&mut self, length: u64) {
        if let Err(place) = self.points.binary_search(&length) {
            self.points.insert(place, length);
        }
    }
}

impl ModelCalibration {
    /// Factors beyond these are no provider's.
    const MIN_FACTOR_MILLI: u64 = 10;
    const MAX_FACTOR_MILLI: u64 = 10_000_000;

    /// The factor that a provider's `tokens` are for `raw` tokens of this service.
    pub fn factor_of(tokens: u64, raw: u64) -> Option<u32> {
        let milli = tokens
            .saturating_mul(1000)
            .checked_div(raw)?
            .clamp(Self::MIN_FACTOR_MILLI, Self::MAX_FACTOR_MILLI);
        u32::try_from(milli).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_lives_from_its_last_use_on() {
        let at = Timestamp::from_micros;
        let mut session = Session::new("s".into(), at(0));
        session.touch(at(5), Duration::from_micros(7));
        assert_eq!((session.used_at, session.expires_at), (at(5), at(12)));
        session.ttl = Some(1);
        session.touch(at(6), Duration::from_micros(7));
        assert_eq!(session.expires_at, at(1_000_006));
    }

    #[test]
    fn reports_stay_with_their_model_and_the_last_one_stands_last() {
        let mut session = Session::new("s".into(), Timestamp::default());
        session.note_compile(&"a".into(), 100);
        session.note_compile(&"b".into(), 7);
        session.report("a", 1500);
        session.report("nobody", 1);
        assert_eq!((session.factor("a"), session.factor("b")), (Some(1500), None));
        session.note_compile(&"a".into(), 200);
        let last = session.last_measured().unwrap();
        assert_eq!((&*last.model, last.raw, last.reports), ("a", 200, 1));
        assert_eq!(session.factor("a"), Some(1500));
        for at in 0..40 {
            session.note_compile(&format!("m{at}").into(), at);
        }
        assert_eq!((session.measured.len(), session.factor("a")), (16, None));
    }

    #[test]
    fn points_are_kept_in_order_and_once() {
        let mut session = Session::new("s".into(), Timestamp::default());
        for length in [9, 3, 9, 5] {
            session.shrink_at(length);
        }
        assert_eq!(session.points, [3, 5, 9]);
    }

    #[test]
    fn a_factor_is_what_the_provider_counts_for_one_of_ours() {
        assert_eq!(ModelCalibration::factor_of(1320, 1100), Some(1200));
        assert_eq!(ModelCalibration::factor_of(u64::MAX, 1), Some(10_000_000));
        assert_eq!(ModelCalibration::factor_of(0, 100), Some(10));
        assert_eq!(ModelCalibration::factor_of(5, 0), None);
    }
}
