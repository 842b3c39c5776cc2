//! An entry as the columns of a row.

use std::sync::Arc;

use crate::domain::{
    Classification, MemoryAction, MemoryEntry, MemoryOrigin, MemoryScope, MemoryStatus, MemoryTier,
    MemoryTtl, MemoryVersion, RawJson, word_of,
};
use crate::store::sql::{Row, SqlValue};
use crate::store::{Error, MemoryCursor};

/// The columns of an entry, after the tenant's.
pub(super) const COLUMNS: &str = "subject, session, agent, key, value, description, tags, \
    importance, tier, classification, status, source, author, metadata, version, update_count, \
    created_at, updated_at, ttl_seconds, ttl_turns, expires_at, expires_at_turn, pack_tenant";

/// The number of columns.
pub(super) const COLUMN_COUNT: usize = 23;

/// Placeholders for `count` values from `first` on: `?2, ?3`.
pub(crate) fn placeholders(first: usize, count: usize) -> String {
    let list: Vec<String> = (first..first + count).map(|number| format!("?{number}")).collect();
    list.join(", ")
}

/// Every column of a row that is there takes the new value.
pub(super) fn sets() -> String {
    let sets = COLUMNS.split(", ").map(|column| format!("{column} = excluded.{column}"));
    sets.collect::<Vec<_>>().join(", ")
}

/// The tags as a JSON array.
pub(super) fn tags(entry: &MemoryEntry) -> String {
    let tags: Vec<&str> = entry.tags.iter().map(|tag| &**tag).collect();
    // A list of texts: writing it as JSON cannot fail.
    serde_json::to_string(&tags).unwrap_or_default()
}

/// A text as JSON.
pub(super) fn json(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

/// The values of the columns.
pub(super) fn values_of<'e>(entry: &'e MemoryEntry, tags: &'e str) -> Vec<SqlValue<'e>> {
    let [subject, session, agent, pack_tenant] = super::parts(&entry.scope);
    let (seconds, turns) = match entry.ttl {
        Some(MemoryTtl::Seconds(seconds)) => (Some(seconds), None),
        Some(MemoryTtl::Turns(turns)) => (None, Some(turns)),
        None => (None, None),
    };
    let text = |text: &'e Option<Arc<str>>| SqlValue::from(text.as_deref());
    vec![
        subject.into(),
        session.into(),
        agent.into(),
        (&entry.key).into(),
        entry.value.as_str().into(),
        text(&entry.description),
        tags.into(),
        entry.importance.into(),
        word_of(MemoryTier::WORDS, entry.tier).into(),
        word_of(Classification::WORDS, entry.classification).into(),
        word_of(MemoryStatus::WORDS, entry.status).into(),
        text(&entry.source),
        text(&entry.author),
        entry.metadata.as_ref().map(RawJson::as_str).into(),
        entry.version.into(),
        entry.update_count.into(),
        entry.created_at.into(),
        entry.updated_at.into(),
        seconds.into(),
        turns.into(),
        entry.expires_at.into(),
        entry.expires_at_turn.into(),
        pack_tenant.into(),
    ]
}

/// An entry from the columns, from `first` on.
pub(super) fn entry(row: &dyn Row, first: usize) -> Result<MemoryEntry, Error> {
    let part = |column: usize| {
        let text: Arc<str> = row.get(first + column)?;
        Ok::<_, Error>((!text.is_empty()).then_some(text))
    };
    let tags: String = row.get(first + 6)?;
    let seconds: Option<u64> = row.get(first + 18)?;
    let turns: Option<u64> = row.get(first + 19)?;
    let value: Arc<str> = row.get(first + 4)?;
    let metadata: Option<Arc<str>> = row.get(first + 13)?;
    Ok(MemoryEntry {
        scope: MemoryScope {
            subject: part(0)?,
            session_id: part(1)?,
            agent: part(2)?,
            pack_tenant: part(22)?,
        },
        key: row.get(first + 3)?,
        value: RawJson::new(value),
        description: row.get(first + 5)?,
        tags: serde_json::from_str(&tags).unwrap_or_default(),
        importance: row.get(first + 7)?,
        tier: word(row, first + 8, MemoryTier::WORDS)?,
        classification: word(row, first + 9, Classification::WORDS)?,
        status: word(row, first + 10, MemoryStatus::WORDS)?,
        source: row.get(first + 11)?,
        author: row.get(first + 12)?,
        metadata: metadata.map(RawJson::new),
        version: row.get(first + 14)?,
        update_count: row.get(first + 15)?,
        created_at: row.get(first + 16)?,
        updated_at: row.get(first + 17)?,
        ttl: seconds.map(MemoryTtl::Seconds).or(turns.map(MemoryTtl::Turns)),
        expires_at: row.get(first + 20)?,
        expires_at_turn: row.get(first + 21)?,
    })
}

/// A cursor: the key, then the parts of the scope.
pub(super) fn cursor(row: &dyn Row) -> Result<MemoryCursor, Error> {
    let part = |column: usize| {
        let text: Arc<str> = row.get(column)?;
        Ok::<_, Error>((!text.is_empty()).then_some(text))
    };
    let scope = MemoryScope {
        subject: part(1)?,
        session_id: part(2)?,
        agent: part(3)?,
        pack_tenant: part(4)?,
    };
    Ok(MemoryCursor { key: row.get(0)?, scope })
}

/// A version: the entry's columns, then `action` and `origin`.
pub(super) fn version(row: &dyn Row) -> Result<MemoryVersion, Error> {
    Ok(MemoryVersion {
        entry: entry(row, 0)?,
        action: word(row, COLUMN_COUNT, MemoryAction::WORDS)?,
        origin: word(row, COLUMN_COUNT + 1, MemoryOrigin::WORDS)?,
    })
}

/// Reads a column that contains one of a closed list of words.
pub(crate) fn word<T: Copy>(row: &dyn Row, column: usize, words: &[(&str, T)]) -> Result<T, Error> {
    let found: String = row.get(column)?;
    let known = words.iter().find(|(word, _)| *word == found);
    known.map(|(_, value)| *value).ok_or_else(|| Error::unknown_word(&found))
}
