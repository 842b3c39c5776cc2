//! Records of compiles: read, compared, run again.

mod compare;
mod cuts;
mod live;
mod replay;

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::record::{self, Body, ENGINE};
use super::{Error, Services};
use crate::domain::{Compilation, RecordLevel};
pub use crate::store::CompilationFilter;

pub use self::compare::{Compared, compare};
pub use self::cuts::{Cut, cuts};
pub use self::live::HookCheck;
pub use self::replay::{Replayed, replay};

const UNKNOWN: Error = Error::NotFound("there is no compilation of this id, or no longer");

/// A record with all that it holds.
#[derive(Debug)]
pub struct Record {
    pub compilation: Compilation,
    /// Whether this engine would compile the same.
    pub is_current: bool,
    body: Body,
    /// JSON texts, of a record in full.
    pub request: Option<String>,
    pub payload: Option<String>,
}

/// At most `limit` records that are older than `before`, newest first; and the id behind which the
/// list goes on.
pub fn list(
    services: &Services,
    filter: &CompilationFilter,
    before: Option<&str>,
    limit: usize,
) -> Result<(Vec<Compilation>, Option<String>), Error> {
    let mut rows = services
        .tenant()
        .read(|tx| tx.list_compilations(filter, before, limit.saturating_add(1)))?;
    let goes_on = rows.len() > limit;
    rows.truncate(limit);
    let next = rows.last().filter(|_| goes_on).map(|row| row.id.to_string());
    Ok((rows, next))
}

/// A record by its id, with its texts where it has them and they are still there.
pub fn find(services: &Services, id: &str) -> Result<Record, Error> {
    let mut record = find_bare(services, id)?;
    if let Some(full) = &record.body.full {
        let tenant = services.tenant();
        record.request = record::put_together(&tenant, full.request)?;
        record.payload = match full.payload {
            Some(plan) => record::put_together(&tenant, plan)?,
            None => None,
        };
    }
    Ok(record)
}

/// The same without its texts.
fn find_bare(services: &Services, id: &str) -> Result<Record, Error> {
    let compilation = services.tenant().read(|tx| tx.find_compilation(id))?.ok_or(UNKNOWN)?;
    let body = Body::read(&compilation.body)
        .ok_or(Error::RecordIncomplete("the record was written by another release"))?;
    let is_current = *compilation.engine == *ENGINE;
    Ok(Record { compilation, is_current, body, request: None, payload: None })
}

/// Whether a record was made by this engine.
pub fn is_current(compilation: &Compilation) -> bool {
    *compilation.engine == *ENGINE
}

impl Record {
    /// The report as it was answered: JSON text.
    pub fn report(&self) -> &str {
        &self.body.report
    }

    /// The record as a JSON object.
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
            "payload_hash": own.payload_hash.to_string(),
            "tokens_before": own.tokens_before,
            "tokens_after": own.tokens_after,
            "fits": own.fits,
        });
        let stored: Value = serde_json::from_str(own.body.as_str()).unwrap_or_default();
        for key in ["stages", "report", "effects", "hooks"] {
            if let (Some(object), Some(value)) = (object.as_object_mut(), stored.get(key)) {
                object.insert(key.to_owned(), value.clone());
            }
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
