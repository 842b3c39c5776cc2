//! Reads, compares and replays records of compiles.

mod comparison;
mod decisions;
mod hook_exchanges;
pub mod inventory;
mod live;
mod replay;

use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::{Value, json};

use super::page::PagedList;
use super::record::{ENGINE, RecordBody, RecordPlan};
use super::{Error, Services, StoreError};
use crate::domain::{Compilation, CompilationStatus, RecordLevel};
pub use crate::store::{CompilationFilter, Page};

pub use self::comparison::{CompilationDrift, compare};
pub use self::decisions::{ExplainedCompile, explain};
use self::hook_exchanges::HookExchanges;
pub use self::live::HookCheck;
pub(super) use self::replay::strict;
pub use self::replay::{HASHES_ONLY, REPLAY_MODES, ReplayComparison, replay};

const UNKNOWN: Error = Error::NotFound("there is no compilation of this id, or no longer");

/// A record with its texts.
#[derive(Debug)]
pub struct StoredRecord {
    pub compilation: Compilation,
    /// Whether this engine made the record, and so would compile the same.
    pub is_current: bool,
    body: RecordBody,
    /// Whether it is of a request through the gateway, which was not compiled.
    pub is_of_gateway: bool,
    /// Whether a text differs from the one that was stored.
    is_damaged: bool,
    /// JSON text of the request, in a full record.
    pub request: Option<String>,
    /// JSON text of the payload, in a full record.
    pub payload: Option<String>,
    /// What hooks were sent and queued calls returned; read by [`find_shown`].
    exchanges: HookExchanges,
}

/// Lists at most `limit` records that are older than `before`, newest first. A filter that few
/// records match may end a page early.
pub fn list(
    services: &Services,
    filter: &CompilationFilter,
    before: Option<&str>,
    limit: usize,
) -> Result<Page<Compilation, Arc<str>>, Error> {
    let list = PagedList {
        limit,
        bytes: size_of_val::<Compilation>,
        position: |row: &Compilation| Arc::clone(&row.id),
    };
    services.tenant().read(|tx| {
        list.read(services, before.map(Arc::from), |before, count| {
            Ok(tx.list_compilations(filter, before.map(|before| &**before), count)?)
        })
    })
}

/// Lists at most `limit` records of a session that are older than `before`, newest first, with their
/// bodies.
pub fn list_of_session(
    services: &Services,
    session: &str,
    before: Option<&str>,
    limit: usize,
) -> Result<Page<Compilation, Arc<str>>, Error> {
    let list = PagedList {
        limit,
        bytes: |row: &Compilation| size_of::<Compilation>() + row.body.as_str().len(),
        position: |row: &Compilation| Arc::clone(&row.id),
    };
    services.tenant().read(|tx| {
        list.read(services, before.map(Arc::from), |before, count| {
            Ok(tx.list_session_compilations(session, before.map(|before| &**before), count)?)
        })
    })
}

/// Finds a record by its id, with those of its texts that are still stored.
pub fn find(services: &Services, id: &str) -> Result<StoredRecord, Error> {
    let mut record = find_bare(services, id)?;
    if let Some(full) = &record.body.full {
        let tenant = services.tenant();
        let mut is_damaged = false;
        let mut plans = Vec::with_capacity(2);
        for plan in [Some(full.request), full.payload] {
            let read = plan.map_or(Ok(None), |plan| RecordPlan::read(&tenant, plan));
            plans.push(unless_damaged(read, &mut is_damaged)?);
        }
        let sizes = plans.iter().flatten().map(|plan| plan.bytes(&tenant));
        let bytes = sizes.sum::<Result<usize, StoreError>>()?;
        services.reserve_work(bytes + record.compilation.body.as_str().len())?;
        let mut texts = Vec::with_capacity(2);
        for plan in &plans {
            let text = plan.as_ref().map_or(Ok(None), |plan| plan.put_together(&tenant));
            texts.push(unless_damaged(text, &mut is_damaged)?);
        }
        record.payload = texts.pop().flatten();
        record.request = texts.pop().flatten();
        record.is_damaged = is_damaged;
    }
    Ok(record)
}

/// Finds a record by its id, with its texts and those of its hooks.
pub fn find_shown(services: &Services, id: &str) -> Result<StoredRecord, Error> {
    let mut record = find(services, id)?;
    if record.body.full.is_some() {
        record.exchanges = HookExchanges::read(services, id, &record.body.hooks)?;
    }
    Ok(record)
}

/// What was read, or none and a note if it differs from what was stored.
fn unless_damaged<T>(
    read: Result<Option<T>, StoreError>,
    is_damaged: &mut bool,
) -> Result<Option<T>, StoreError> {
    match read {
        Err(StoreError::Corrupt(_)) => {
            *is_damaged = true;
            Ok(None)
        }
        read => read,
    }
}

/// Finds a record by its id, without its texts.
fn find_bare(services: &Services, id: &str) -> Result<StoredRecord, Error> {
    let compilation = services.tenant().read(|tx| tx.find_compilation(id))?.ok_or(UNKNOWN)?;
    StoredRecord::of_texts(compilation, None, None)
        .ok_or(Error::RecordIncomplete("the record was written by another release"))
}

/// Whether a record was made by this engine.
pub fn is_current(compilation: &Compilation) -> bool {
    *compilation.engine == *ENGINE
}

/// The hash of the payload of a record; none if the pack refused.
pub fn payload_hash(compilation: &Compilation) -> Option<String> {
    let is_compiled = compilation.status == CompilationStatus::Compiled;
    is_compiled.then(|| compilation.payload_hash.to_string())
}

impl StoredRecord {
    /// Builds a record of a row and its texts; returns none if another release wrote the record.
    pub(super) fn of_texts(
        compilation: Compilation,
        request: Option<String>,
        payload: Option<String>,
    ) -> Option<Self> {
        let body = RecordBody::read(&compilation.body)?;
        let is_current = is_current(&compilation);
        let is_of_gateway = body.is_of_gateway;
        let is_damaged = false;
        Some(Self {
            compilation,
            is_current,
            body,
            is_of_gateway,
            is_damaged,
            request,
            payload,
            exchanges: HookExchanges::default(),
        })
    }

    /// The report as JSON text.
    pub fn report(&self) -> &str {
        &self.body.report
    }

    /// Why the pack refused, if it did.
    pub fn refused(&self) -> Option<&str> {
        self.body.refusal.as_ref()?.get("detail")?.as_str()
    }

    /// The hash of the payload; none if the pack refused.
    fn payload_hash(&self) -> Option<String> {
        payload_hash(&self.compilation)
    }

    /// Writes the record as a JSON object, with what its compile explains: the decisions about its
    /// messages are null if they are not known.
    pub fn write_explained(&self, explained: &ExplainedCompile) -> String {
        let mut text = self.write();
        text.truncate(text.len().saturating_sub(1));
        let ExplainedCompile { decisions, governed } = explained;
        let decisions = decisions.as_deref().unwrap_or("null");
        let _ = write!(text, ",\"decisions\":{decisions}{governed}}}");
        text
    }

    /// Writes the record as a JSON object.
    pub fn write(&self) -> String {
        let own = &self.compilation;
        let mut object = json!({
            "id": &*own.id,
            "created_at": own.created_at.to_string(),
            "expires_at": own.expires_at.to_string(),
            "session_id": own.session_id.as_deref(),
            "target": &*own.target,
            "model": (!own.model.is_empty()).then_some(&*own.model),
            "record": own.level.as_str(),
            "status": own.status.as_str(),
            "engine": &*own.engine,
            "current": self.is_current,
            "payload_hash": self.payload_hash(),
            "tokens_before": own.tokens_before,
            "tokens_after": own.tokens_after,
            "fits": own.fits,
        });
        let stored: Value = serde_json::from_str(own.body.as_str()).unwrap_or_default();
        for key in ["stages", "report", "refusal", "effects", "hooks", "gateway"] {
            if let (Some(object), Some(value)) = (object.as_object_mut(), stored.get(key)) {
                object.insert(key.to_owned(), value.clone());
            }
        }
        if let (RecordLevel::Full, Some(hooks)) = (own.level, object.get_mut("hooks")) {
            self.exchanges.put_into(hooks);
        }
        let cost = own.reported_cost.as_ref();
        let cost = cost.and_then(|cost| serde_json::from_str::<Value>(cost.as_str()).ok());
        if let Some(object) = object.as_object_mut() {
            object.insert("reported_cost".to_owned(), cost.unwrap_or_default());
        }
        let mut text = object.to_string();
        if own.level == RecordLevel::Full {
            text.truncate(text.len().saturating_sub(1));
            for (key, own) in [("request", &self.request), ("payload", &self.payload)] {
                let _ = write!(text, ",\"{key}\":{}", own.as_deref().unwrap_or("null"));
            }
            text.push('}');
        }
        text
    }
}
