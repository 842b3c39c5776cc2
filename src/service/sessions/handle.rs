//! The session of a compile: what a compile reads from it and changes in it.

use std::sync::Arc;
use std::time::Duration;

use super::live;
use super::payload_usage::{PayloadPrefix, PayloadUsage, judged};
use super::unscoped_hooks::leave_out_unscoped;
use crate::domain::{
    Models, PayloadCost, RawJson, ReportedCost, SentCost, SentUpdate, Session, Source, UsageReport,
};
use crate::json::{self, Limits, Node};
use crate::request::{self, CacheState, CompileRequest};
use crate::service::{Services, StoreError};
use crate::store::{CachedPrefix, NewSentPayload, SentCompile, Tx};

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
    /// The usage of the last payload.
    usage: Option<PayloadUsage>,
}

impl SessionUpdate {
    /// Whether there is a change to store.
    pub(crate) fn has_changes(&self) -> bool {
        self.factor.is_some() || self.point.is_some() || self.usage.is_some()
    }

    /// The cost of the last payload before and after its usage was reported.
    pub(crate) fn reported_cost(&self) -> Option<&ReportedCost> {
        self.usage.as_ref()?.cost.as_ref()
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
    pub(crate) payload: Option<NewSentPayload>,
    /// The shape of the messages that a turn appends.
    pub(crate) source: Option<Source>,
    /// What is kept of a payload whose model binds thinking to it.
    pub(crate) sent: Option<SentUpdate>,
    /// The tokens that the compile left out, before any factor.
    pub(crate) removed: u64,
    /// The cost of the payload, if it is known.
    pub(crate) cost: Option<SentCost>,
    /// The prefix that the provider keeps for a known time; none if it keeps none.
    pub(crate) prefix: Option<PayloadPrefix>,
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

    /// The most tokens that one compile of the session left out so far, before any factor.
    pub(crate) fn removed(&self) -> u64 {
        self.known.as_ref().map_or(0, |known| known.costs.removed)
    }

    /// The cost of the session's last payload.
    pub(crate) fn last_cost(&self) -> Option<&PayloadCost> {
        self.known.as_ref()?.costs.last()
    }

    /// Adds the session's calibration and compaction points to a request. Returns the changes that
    /// the request makes to the session.
    pub(crate) fn apply(&self, models: &Models, request: &mut CompileRequest) -> SessionUpdate {
        let mut update = self.report(models, request);
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

    /// The changes by the usage in a request, which is of the session's last payload. Warns if
    /// nothing is learnt because there is no such payload, or because the usage is implausible.
    pub(crate) fn report(&self, models: &Models, request: &mut CompileRequest) -> SessionUpdate {
        let mut update = SessionUpdate::default();
        let Some(tokens) = request.usage else { return update };
        let notes = &mut request.notes;
        let known = self.known.as_ref().and_then(|known| Some((known, known.last_measured()?)));
        let Some((known, last)) = known else {
            let detail = "nothing was compiled in the session that it could be of";
            notes.warn("usage_unmatched", "/usage".to_owned(), detail);
            return update;
        };
        let report = judged(models, last, tokens.input(), notes);
        if let UsageReport::Plausible(factor) = report {
            update.factor = Some((Arc::clone(&last.model), factor));
        }
        if report != UsageReport::Implausible {
            update.usage =
                Some(PayloadUsage::note(models, &mut known.clone(), &last.model, tokens));
        }
        update
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
        if let Some(usage) = &update.usage {
            let cost = usage.note_cost(&mut session);
            PayloadUsage::note_record(tx, cost.as_ref())?;
            usage.note_cache(tx, &self.id)?;
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
        if !compiled.awaits_results {
            session.costs.note(&compiled.model, compiled.removed, compiled.cost.clone());
        }
        session.touch(tx.now(), self.usual);
        tx.put_session(&session)?;
        if compiled.awaits_results {
            return Ok(());
        }
        self.note_prefix(tx, compiled)?;
        match &compiled.payload {
            Some(payload) => tx.put_sent(&self.id, &compiled.id, payload),
            None => Ok(()),
        }
    }

    /// Notes the prefix that the provider keeps from now on.
    fn note_prefix(&self, tx: &Tx<'_>, compiled: &SessionCompile) -> Result<(), StoreError> {
        let Some(prefix) = &compiled.prefix else {
            return tx.forget_cached_prefix(&self.id);
        };
        tx.put_cached_prefix(&CachedPrefix {
            session: Arc::clone(&self.id),
            expires_at: tx.now().after(Duration::from_secs(prefix.ttl_seconds)),
            ttl_seconds: prefix.ttl_seconds,
            compilation: Arc::clone(&compiled.id),
            model: Arc::clone(&compiled.model),
            hash: prefix.hash,
            tokens: prefix.tokens,
            rewrite_micros: prefix.rewrite_micros,
        })
    }
}
