//! A session as the columns of a row.

use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::domain::{RawJson, Session, Source};
use crate::store::Error;
use crate::store::sql::{Row, SqlValue};

/// The columns of a session, after the tenant's.
pub(super) const COLUMNS: &str = "id, version, parent, defaults, ttl_seconds, points, measured, \
    compilation, source, created_at, updated_at, used_at, expires_at, hooks_scoped, sent, \
    costs";

/// The same columns of `sessions AS s`, and the number of compiles.
pub(super) const JOINED_COLUMNS: &str =
    "s.id, s.version, s.parent, s.defaults, s.ttl_seconds, s.points, \
    s.measured, s.compilation, s.source, s.created_at, s.updated_at, s.used_at, s.expires_at, \
    s.hooks_scoped, s.sent, s.costs, \
    coalesce((SELECT turns FROM session_turns AS t WHERE t.tenant = ?1 AND t.id = s.id), 0), \
    coalesce((SELECT max(seq) + 1 FROM session_messages AS m
              WHERE m.tenant = ?1 AND m.session = s.id), 0)";

/// The columns that are JSON.
pub(super) struct SessionJson {
    points: String,
    measured: String,
    sent: String,
    costs: String,
}

impl SessionJson {
    pub(super) fn new(session: &Session) -> Self {
        // Writes plain data as JSON, which cannot fail.
        fn json(value: &impl Serialize) -> String {
            serde_json::to_string(value).unwrap_or_default()
        }
        Self {
            points: json(&session.points),
            measured: json(&session.measured),
            sent: json(&session.sent),
            costs: json(&session.costs),
        }
    }
}

pub(super) fn values_of<'s>(session: &'s Session, texts: &'s SessionJson) -> Vec<SqlValue<'s>> {
    vec![
        (&session.id).into(),
        session.version.into(),
        session.parent.as_deref().into(),
        session.defaults.as_ref().map(RawJson::as_str).into(),
        session.ttl.into(),
        (&texts.points).into(),
        (&texts.measured).into(),
        session.compilation.as_deref().into(),
        session.source.map(Source::as_str).into(),
        session.created_at.into(),
        session.updated_at.into(),
        session.used_at.into(),
        session.expires_at.into(),
        session.hooks_scoped.into(),
        (&texts.sent).into(),
        (&texts.costs).into(),
    ]
}

pub(super) fn session(row: &dyn Row) -> Result<Session, Error> {
    let defaults: Option<Arc<str>> = row.get(3)?;
    let source: Option<String> = row.get(8)?;
    let known = |word: &String| Source::parse(word).ok_or_else(|| Error::unknown_word(word));
    Ok(Session {
        id: row.get(0)?,
        version: row.get(1)?,
        parent: row.get(2)?,
        defaults: defaults.map(RawJson::new),
        ttl: row.get(4)?,
        points: json(row, 5)?,
        measured: json(row, 6)?,
        compilation: row.get(7)?,
        source: source.as_ref().map(known).transpose()?,
        created_at: row.get(9)?,
        updated_at: row.get(10)?,
        used_at: row.get(11)?,
        expires_at: row.get(12)?,
        hooks_scoped: row.get(13)?,
        sent: Arc::new(json(row, 14)?),
        costs: json(row, 15)?,
        turns: row.get(16)?,
        messages: row.get(17)?,
    })
}

/// Reads a column that contains JSON written by this service.
fn json<T: DeserializeOwned>(row: &dyn Row, column: usize) -> Result<T, Error> {
    let text: String = row.get(column)?;
    serde_json::from_str(&text).map_err(|error| Error::Corrupt(Arc::new(error)))
}
