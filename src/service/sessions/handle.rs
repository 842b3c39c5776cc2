//! A session as a compile finds it, and what the compile leaves of itself in it.

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
    /// As it was read; none where this is its first use.
    known: Option<Session>,
    /// Of which compile the payload is that it was sent last.
    pub(crate) sent: Option<Arc<str>>,
    usual: Duration,
    /// Whether hooks in its defaults are left out, because their writer is not known.
    has_unscoped_hooks: bool,
}

/// What a request tells of its session.
#[derive(Debug, Clone, Default)]
pub(crate) struct SessionUpdate {
    /// A factor that the provider's count gives for a model.
    factor: Option<(Arc<str>, u32)>,
    /// A length at which the history is shrunk from now on.
    point: Option<u64>,
}

impl SessionUpdate {
    /// Whether anything was told that must be stored.
    pub(crate) fn has_changes(&self) -> bool {
        self.factor.is_some() || self.point.is_some()
    }
}

/// What a compile changes of its session.
#[derive(Debug, Clone)]
pub(crate) struct SessionCompile {
    pub(crate) id: Arc<str>,
    pub(crate) update: SessionUpdate,
    /// What the model is called, and the payload's tokens before any factor.
    pub(crate) model: Arc<str>,
    pub(crate) raw: u64,
    /// None where it is not to be remembered.
    pub(crate) payload: Option<SentPayload>,
    /// The shape of messages that are appended.
    pub(crate) source: Option<Source>,
}

/// The session that a request names, or else the caller's key; none where neither does, or what it
/// names cannot be one.
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

/// A session by its id.
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

/// What a session knows a request's model by.
pub(crate) fn model_of(request: &CompileRequest) -> Arc<str> {
    if request.model.name.is_empty() {
        return request.target.as_str().into();
    }
    Arc::clone(&request.model.name)
}

impl SessionHandle {
    /// The number of the compile that it is opened for, from 1.
    pub(crate) fn turn(&self) -> u64 {
        self.known.as_ref().map_or(0, |known| known.turns).saturating_add(1)
    }

    /// The shape of the messages that the session holds.
    pub(crate) fn source(&self) -> Option<Source> {
        self.known.as_ref()?.source
    }

    /// What the session gives where a request does not say.
    pub(crate) fn defaults(&self) -> Option<&str> {
        self.known.as_ref()?.defaults.as_ref().map(RawJson::as_str)
    }

    /// Whether hooks in its defaults are left out, because their writer is not known.
    pub(crate) fn has_unscoped_hooks(&self) -> bool {
        self.has_unscoped_hooks
    }

    /// Gives a request what the session knows beyond it, and takes what the request tells.
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

    /// Stores what a compile changes of the session, as it is by then.
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
