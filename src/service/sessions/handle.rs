//! The session of a compile: what a compile reads from it and changes in it.

use std::sync::Arc;
use std::time::Duration;

use super::live;
use super::unscoped_hooks::leave_out_unscoped;
use crate::domain::{
    ModelCalibration, Models, Notes, RawJson, SentUpdate, Session, Source, UsageReport,
};
use crate::json::{self, Limits, Node};
use crate::request::{self, CacheState, CompileRequest};
use crate::service::{Services, StoreError};
use crate::store::{SentCompile, SentPayload, Tx};

/// The session of a compile.
#[derive(Debug, Clone)]
pub(crate) struct SessionHandle {
    pub(crate) id: Arc<str>,
    /// The session as it was read; none if this is its first use.
    known: Option<Session>,
    /// The compile whose payload the session sent last.
    pub(crate) sent: Option<SentCompile>,
    usual: Duration,
    /// Whether hooks in its defaults are left out, because they were written without the scope.
    has_unscoped_hooks: bool,
}

/// Changes that a request makes to its session.
#[derive(Debug, Clone, Default)]
pub(crate) struct SessionUpdate {
    /// The model and factor that are learnt from the provider's count.
    factor: Option<(Arc<str>, u32)>,
    /// A new compaction point, as a length of the request's list.
    point: Option<u64>,
}

impl SessionUpdate {
    /// Whether there is a change to store.
    pub(crate) fn has_changes(&self) -> bool {
        self.factor.is_some() || self.point.is_some()
    }
}

/// Changes that a compile makes to its session.
#[derive(Debug, Clone)]
pub(crate) struct SessionCompile {
    pub(crate) id: Arc<str>,
    pub(crate) update: SessionUpdate,
    /// The model's name in the calibration.
    pub(crate) model: Arc<str>,
    /// The payload's tokens before any factor; 0 if they were not counted.
    pub(crate) raw: u64,
    /// Whether calls at the end have no result yet: the payload is not the one that is sent, which
    /// usage is of and later payloads are compared with.
    pub(crate) awaits_results: bool,
    /// The payload in blocks; none if the compile keeps no record.
    pub(crate) payload: Option<SentPayload>,
    /// The shape of the messages that a turn appends.
    pub(crate) source: Option<Source>,
    /// What is kept of a payload whose model binds thinking to it.
    pub(crate) sent: Option<SentUpdate>,
}

/// Opens the session that a request names, or else that of the caller's key. Returns none if
/// neither names one, or if the id is not valid.
pub(crate) fn open(
    services: &Services,
    node: &Node<'_>,
) -> Result<Option<SessionHandle>, StoreError> {
    let of_key = || {
        let defaults = json::parse(services.caller().defaults.as_ref()?, Limits::default()).ok()?;
        defaults.get("session_id")?.as_str().map(Arc::from)
    };
    let id: Option<Arc<str>> = match node.get("session_id") {
        Some(given) => given.as_str().map(Into::into),
        None => of_key(),
    };
    let Some(id) = id.filter(|id| request::is_session_id(id)) else { return Ok(None) };
    open_as(services, id).map(Some)
}

/// Opens a session by its id.
pub(crate) fn open_as(services: &Services, id: Arc<str>) -> Result<SessionHandle, StoreError> {
    let (mut known, sent) = services.tenant().read(|tx| {
        let known = tx.session(&id)?;
        let sent = if known.is_some() { tx.sent_compile(&id)? } else { None };
        Ok::<_, StoreError>((known, sent))
    })?;
    let has_unscoped_hooks =
        known.as_mut().map(leave_out_unscoped).transpose()?.unwrap_or_default();
    let usual = services.tenant().usual_session_ttl();
    Ok(SessionHandle { id, known, sent, usual, has_unscoped_hooks })
}

/// The name of a request's model in the calibration: its own, or else that of the target.
pub(crate) fn model_of(request: &CompileRequest) -> Arc<str> {
    if request.model.name.is_empty() {
        return request.target.as_str().into();
    }
    Arc::clone(&request.model.name)
}

/// The factor that is learnt from a provider's count of a model's last payload. Warns if the count is
/// too far from the count of this service, or if there is none.
pub(super) fn learnt_factor(
    models: &Models,
    measured: &ModelCalibration,
    tokens: u64,
    notes: &mut Notes,
) -> Option<u32> {
    match measured.compare(tokens, models.calibrated(&measured.model).factor_milli) {
        UsageReport::Plausible(factor) => return Some(factor),
        UsageReport::Small => {}
        UsageReport::Implausible => {
            let detail = format!(
                "{tokens} tokens are reported for a payload of `{}` that is {} tokens before any \
                 factor: nothing is learnt from the report",
                measured.model, measured.raw
            );
            notes.warn("usage_implausible", "/usage".to_owned(), detail);
        }
        UsageReport::Uncounted => {
            let detail = "the tokens of the last payload were not counted";
            notes.warn("usage_unmatched", "/usage".to_owned(), detail);
        }
    }
    None
}

impl SessionHandle {
    /// The number of this compile in the session, from 1.
    pub(crate) fn turn(&self) -> u64 {
        self.known.as_ref().map_or(0, |known| known.turns).saturating_add(1)
    }

    /// The shape of the stored messages.
    pub(crate) fn source(&self) -> Option<Source> {
        self.known.as_ref()?.source
    }

    /// The defaults for members that a request leaves out, as JSON text.
    pub(crate) fn defaults(&self) -> Option<&str> {
        self.known.as_ref()?.defaults.as_ref().map(RawJson::as_str)
    }

    /// Whether hooks in its defaults are left out, because they were written without the scope.
    pub(crate) fn has_unscoped_hooks(&self) -> bool {
        self.has_unscoped_hooks
    }

    /// Adds the session's calibration and compaction points to a request. Returns the changes that
    /// the request makes to the session.
    pub(crate) fn apply(&self, models: &Models, request: &mut CompileRequest) -> SessionUpdate {
        let mut update = SessionUpdate { factor: self.learnt(models, request), point: None };
        let model = model_of(request);
        let known = self.known.as_ref().and_then(|known| known.measured_of(&model));
        request.calibration = known.cloned().and_then(|mut known| {
            if let Some((_, factor)) = update.factor.as_ref().filter(|own| own.0 == model) {
                known.learn(*factor);
            }
            known.factor(request.model.factor_milli)
        });
        if let Some(known) = &self.known {
            request.points.clone_from(&known.points);
        }
        let sent = self.known.as_ref().map(|known| Arc::clone(&known.sent));
        request.sent = Some(sent.unwrap_or_default());
        let length = request.length();
        if request.cache.state == CacheState::Cold && length > 0 {
            if let Err(place) = request.points.binary_search(&length) {
                request.points.insert(place, length);
            }
            update.point = Some(length);
        }
        update
    }

    /// The model and factor that are learnt from the usage in a request, which is of the session's
    /// last payload. Warns if nothing is learnt because there is no such payload, or because the
    /// usage is implausible.
    fn learnt(&self, models: &Models, request: &mut CompileRequest) -> Option<(Arc<str>, u32)> {
        let tokens = request.usage?;
        let notes = &mut request.notes;
        let Some(last) = self.known.as_ref().and_then(Session::last_measured) else {
            let detail = "nothing was compiled in the session that it could be of";
            notes.warn("usage_unmatched", "/usage".to_owned(), detail);
            return None;
        };
        let factor = learnt_factor(models, last, tokens, notes)?;
        Some((Arc::clone(&last.model), factor))
    }

    /// The model and factor that are learnt from the usage in a request that is not compiled.
    pub(crate) fn report(&self, models: &Models, request: &mut CompileRequest) -> SessionUpdate {
        SessionUpdate { factor: self.learnt(models, request), point: None }
    }

    /// Stores a turn that is not compiled: the session's use, the shape of its messages, and what is
    /// learnt from usage. Creates the session if it does not exist.
    pub(crate) fn append(
        &self,
        tx: &Tx<'_>,
        source: Option<Source>,
        update: &SessionUpdate,
    ) -> Result<(), StoreError> {
        let mut session = self.read_again(tx, update)?;
        session.source = source.or(session.source);
        session.touch(tx.now(), self.usual);
        tx.put_session(&session)
    }

    /// Reads the session again, since other requests may have changed it, and learns what the
    /// request has reported. Makes the session if it does not exist.
    fn read_again(&self, tx: &Tx<'_>, update: &SessionUpdate) -> Result<Session, StoreError> {
        let known = live(tx, &self.id)?;
        let mut session = known.unwrap_or_else(|| Session::new(Arc::clone(&self.id), tx.now()));
        if let Some((model, factor)) = &update.factor {
            session.learn(model, *factor);
        }
        Ok(session)
    }

    /// Stores the changes of a compile.
    pub(crate) fn commit(&self, tx: &Tx<'_>, compiled: &SessionCompile) -> Result<(), StoreError> {
        let mut session = self.read_again(tx, &compiled.update)?;
        session.turns += 1;
        session.source = compiled.source.or(session.source);
        session.compilation = Some(Arc::clone(&compiled.id));
        if let Some(length) = compiled.update.point {
            session.shrink_at(length);
        }
        if !compiled.awaits_results || session.measured_of(&compiled.model).is_none() {
            session.note_compile(&compiled.model, compiled.raw);
        }
        if let Some(sent) = compiled.sent.as_ref().filter(|_| !compiled.awaits_results) {
            Arc::make_mut(&mut session.sent).note(sent);
        }
        session.touch(tx.now(), self.usual);
        tx.put_session(&session)?;
        match &compiled.payload {
            Some(payload) if !compiled.awaits_results => {
                tx.put_sent(&self.id, &compiled.id, payload)
            }
            Some(_) | None => Ok(()),
        }
    }
}
