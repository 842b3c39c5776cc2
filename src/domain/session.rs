//! Sessions: the state of a conversation beyond its messages.

use std::sync::Arc;
use std::time::Duration;

use super::{ModelCalibration, RawJson, SentHistory, SessionCosts, Source, Timestamp};

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
    /// What was sent to models that bind their thinking to it.
    pub sent: Arc<SentHistory>,
    /// What its payloads cost.
    pub costs: SessionCosts,
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
            sent: Arc::default(),
            costs: SessionCosts::default(),
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

    /// The calibration of a model.
    pub fn measured_of(&self, model: &str) -> Option<&ModelCalibration> {
        self.measured.iter().find(|known| *known.model == *model)
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
            None => ModelCalibration::new(Arc::clone(model), raw),
        };
        measured.raw = raw;
        self.measured.push(measured);
        let beyond = self.measured.len().saturating_sub(MAX_CALIBRATED_MODELS);
        self.measured.drain(..beyond);
    }

    /// Learns the factor of a provider's plausible report for a model.
    pub fn learn(&mut self, model: &str, factor_milli: u32) {
        if let Some(known) = self.measured.iter_mut().find(|known| *known.model == *model) {
            known.learn(factor_milli);
        }
    }

    /// Notes a compaction point at a length of the message list.
    pub fn shrink_at(&mut self, length: u64) {
        if let Err(place) = self.points.binary_search(&length) {
            self.points.insert(place, length);
        }
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
        let factor =
            |session: &Session, model| session.measured_of(model).and_then(|own| own.factor_milli);
        let mut session = Session::new("s".into(), Timestamp::default());
        session.note_compile(&"a".into(), 100);
        session.note_compile(&"b".into(), 7);
        session.learn("a", 1500);
        session.learn("nobody", 1);
        assert_eq!((factor(&session, "a"), factor(&session, "b")), (Some(1500), None));
        session.note_compile(&"a".into(), 200);
        let last = session.last_measured().unwrap();
        assert_eq!((&*last.model, last.raw, last.reports), ("a", 200, 1));
        assert_eq!(factor(&session, "a"), Some(1500));
        for at in 0..40 {
            session.note_compile(&format!("m{at}").into(), at);
        }
        assert_eq!((session.measured.len(), factor(&session, "a")), (16, None));
    }

    #[test]
    fn points_are_kept_in_order_and_once() {
        let mut session = Session::new("s".into(), Timestamp::default());
        for length in [9, 3, 9, 5] {
            session.shrink_at(length);
        }
        assert_eq!(session.points, [3, 5, 9]);
    }
}
