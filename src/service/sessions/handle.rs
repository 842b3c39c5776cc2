//! The session of a compile: what a compile reads from it and changes in it.

use std::sync::Arc;
use std::time::Duration;

use super::live;
use super::unscoped_hooks::leave_out_unscoped;
use crate::domain::{ModelCalibration, RawJson, Session, Source};
use crate::json::{self, Limits, Node};
use crate::request::{self, CacheState, CompileRequest};
use crate::service::{Services, StoreError};
use crate::store::{SentPayload, Tx};

/// The session of a compile.
#[derive(Debug, Clone)]
pub(crate) struct SessionHandle {
    pub(crate) id: Arc<str>,
    /// The session as it was read; none if this is its first use.
    known: Option<Session>,
    /// The id of the compile whose payload the session sent last.
    pub(crate) sent: Option<Arc<str>>,
    usual: Duration,
    /// Whether hooks in its defaults are left out, because they were written without the scope.
    has_unscoped_hooks: bool,
}

/// Changes that a request makes to its session.
#[derive(Debug, Clone, Default)]
pub(crate) struct SessionUpdate {
    /// The factor of a model that follows from the provider's count.
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
    /// The payload's tokens before any factor.
    pub(crate) raw: u64,
    /// The payload in blocks; none if the compile keeps no record.
    pub(crate) payload: Option<SentPayload>,
    /// The shape of the messages that a turn appends.
    pub(crate) source: Option<Source>,
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
        let sent = if known.is_some() { tx.sent_compilation(&id)? } else { None };
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
    pub(crate) fn apply(&self, request: &mut CompileRequest) -> SessionUpdate {
        let model = model_of(request);
        let mut update = SessionUpdate::default();
        let last = self.known.as_ref().and_then(Session::last_measured);
        if let Some(tokens) = request.usage {
            update.factor = last.and_then(|last| {
                Some((Arc::clone(&last.model), ModelCalibration::factor_of(tokens, last.raw)?))
            });
            if update.factor.is_none() {
                let detail = "nothing was compiled in the session that it could be of";
                request.notes.warn("usage_unmatched", "/usage".to_owned(), detail);
            }
        }
        request.measured_milli = match &update.factor {
            Some((told, factor)) if *told == model => Some(*factor),
            _ => self.known.as_ref().and_then(|known| known.factor(&model)),
        };
        if let Some(known) = &self.known {
            request.points.clone_from(&known.points);
        }
        let length = request.length();
        if request.cache.state == CacheState::Cold && length > 0 {
            if let Err(place) = request.points.binary_search(&length) {
                request.points.insert(place, length);
            }
            update.point = Some(length);
        }
        update
    }

    /// Stores the changes of a compile. Reads the session again, since other compiles may have
    /// changed it.
    pub(crate) fn commit(&self, tx: &Tx<'_>, compiled: &SessionCompile) -> Result<(), StoreError> {
        let known = live(tx, &self.id)?;
        let mut session = known.unwrap_or_else(|| Session::new(Arc::clone(&self.id), tx.now()));
        session.turns += 1;
        session.source = compiled.source.or(session.source);
        session.compilation = Some(Arc::clone(&compiled.id));
        if let Some((model, factor)) = &compiled.update.factor {
            session.report(model, *factor);
        }
        if let Some(length) = compiled.update.point {
            session.shrink_at(length);
        }
        session.note_compile(&compiled.model, compiled.raw);
        session.touch(tx.now(), self.usual);
        tx.put_session(&session)?;
        match &compiled.payload {
            Some(payload) => tx.put_sent(&self.id, &compiled.id, payload),
            None => Ok(()),
        }
    }
}
