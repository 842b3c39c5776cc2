//! Compilations: the records of compiles, newest first.

use std::sync::Arc;

use super::memory::word;
use super::page::{Page, Window};
use super::sql::{Row, SqlValue, more, parts, values};
use super::{Error, Tx};
use crate::domain::{Compilation, CompilationStatus, ContentHash, Quota, RawJson, RecordLevel};

/// The columns of a record but for its body.
const HEAD_COLUMNS: &str = "id, created_at, expires_at, session, target, model, level, status,
     engine, payload_hash, tokens_before, tokens_after, fits";

/// Filter of a list of records. What is absent does not matter.
#[derive(Debug, Clone, Default)]
pub struct CompilationFilter {
    pub session_id: Option<String>,
    pub target: Option<String>,
    pub model: Option<String>,
    pub status: Option<CompilationStatus>,
    pub level: Option<RecordLevel>,
    pub payload_hash: Option<ContentHash>,
}

impl Tx<'_> {
    /// Stores a record, with the ids of the blobs that contain its texts; the blobs are stored in
    /// the same transaction.
    pub fn insert_compilation(
        &self,
        record: &Compilation,
        texts: &[ContentHash],
    ) -> Result<(), Error> {
        self.admit(Quota::CompilationBytes, record.body.as_str().len() as u64)?;
        self.execute(
            &format!(
                "INSERT INTO compilations (tenant, {HEAD_COLUMNS}, body)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)"
            ),
            values![
                &record.id,
                record.created_at,
                record.expires_at,
                record.session_id.as_deref().unwrap_or_default(),
                &record.target,
                &record.model,
                record.level.as_str(),
                record.status.as_str(),
                &record.engine,
                &record.payload_hash,
                record.tokens_before,
                record.tokens_after,
                record.fits,
                record.body.as_str(),
            ],
        )?;
        for part in parts(texts) {
            let more = more(4, part.len(), "(?1, ?2, ?#)");
            let mut given = vec![SqlValue::from(&record.id)];
            given.extend(part.iter().map(SqlValue::from));
            self.execute(
                &format!(
                    "INSERT INTO compilation_texts (tenant, compilation, digest)
                     VALUES (?1, ?2, ?3){more} ON CONFLICT DO NOTHING"
                ),
                &given,
            )?;
        }
        Ok(())
    }

    /// A record that has not expired.
    pub fn find_compilation(&self, id: &str) -> Result<Option<Compilation>, Error> {
        self.first(
            &format!(
                "SELECT {HEAD_COLUMNS}, body, reported_cost FROM compilations
                 WHERE tenant = ?1 AND id = ?2 AND expires_at > ?3"
            ),
            values![id, self.now()],
            compilation,
        )
    }

    /// Stores the cost of a record's payload by its provider's usage, if the record is kept.
    pub fn put_reported_cost(&self, id: &str, cost: &str) -> Result<(), Error> {
        self.execute(
            "UPDATE compilations SET reported_cost = ?3 WHERE tenant = ?1 AND id = ?2",
            values![id, cost],
        )
        .map(drop)
    }

    /// Lists up to `limit` records that are older than `before`, newest first. Looks at
    /// `MAX_EXAMINED_ROWS` at most. The bodies, which are long, are left out: each is an empty
    /// object.
    pub fn list_compilations(
        &self,
        filter: &CompilationFilter,
        before: Option<&str>,
        limit: usize,
    ) -> Result<Page<Compilation, Arc<str>>, Error> {
        Page::read_by_windows(before.map(Arc::from), limit, |before, window| {
            self.compilations_of_window(filter, before.map(|before| &**before), window)
        })
    }

    fn compilations_of_window(
        &self,
        filter: &CompilationFilter,
        before: Option<&str>,
        window: Window,
    ) -> Result<Page<Compilation, Arc<str>>, Error> {
        let text = |value: &Option<String>| value.clone().unwrap_or_default();
        let (session, target) = (text(&filter.session_id), text(&filter.target));
        // A model may be none, and that is the empty text.
        let model = filter.model.as_deref();
        let hash: &[u8] = filter.payload_hash.as_ref().map_or(&[], |hash| &hash.0);
        // Ids are of ASCII.
        let before = before.unwrap_or("\u{10ffff}");
        let examined = self.last_examined_compilation(&session, before, window)?;
        let of_session = if session.is_empty() { "?4 = ''" } else { "session = ?4" };
        let rows = self.all(
            &format!(
                "SELECT {HEAD_COLUMNS}, '{{}}', reported_cost FROM compilations
                 WHERE tenant = ?1 AND expires_at > ?2 AND id < ?3
                   AND {of_session} AND (?5 = '' OR target = ?5)
                   AND (?6 = 0 OR model = ?7) AND (?8 = '' OR status = ?8)
                   AND (?9 = '' OR level = ?9) AND (length(?10) = 0 OR payload_hash = ?10)
                   AND id >= ?11
                 ORDER BY id DESC LIMIT ?12"
            ),
            values![
                self.now(),
                before,
                &session,
                &target,
                model.is_some(),
                model.unwrap_or_default(),
                filter.status.map_or("", CompilationStatus::as_str),
                filter.level.map_or("", RecordLevel::as_str),
                hash,
                examined.as_deref().unwrap_or_default(),
                window.limit.saturating_add(1)
            ],
            compilation,
        )?;
        Ok(Page::new(rows, window.limit, |last| Arc::clone(&last.id), examined))
    }

    /// Lists up to `limit` records of a session that are older than `before`, newest first, with their
    /// bodies.
    pub fn list_session_compilations(
        &self,
        session: &str,
        before: Option<&str>,
        limit: usize,
    ) -> Result<Page<Compilation, Arc<str>>, Error> {
        let rows = self.all(
            &format!(
                "SELECT {HEAD_COLUMNS}, body, reported_cost FROM compilations
                 WHERE tenant = ?1 AND session = ?2 AND expires_at > ?3 AND id < ?4
                 ORDER BY id DESC LIMIT ?5"
            ),
            values![session, self.now(), before.unwrap_or("\u{10ffff}"), limit.saturating_add(1)],
            compilation,
        )?;
        Ok(Page::new(rows, limit, |last| Arc::clone(&last.id), None))
    }

    /// The id of the last record that a window has; none if there are no more than that.
    fn last_examined_compilation(
        &self,
        session: &str,
        before: &str,
        window: Window,
    ) -> Result<Option<Arc<str>>, Error> {
        let of_session = if session.is_empty() { "?4 = ''" } else { "session = ?4" };
        self.first(
            &format!(
                "SELECT id FROM compilations WHERE tenant = ?1 AND id < ?2 AND {of_session}
                 ORDER BY id DESC LIMIT 1 OFFSET ?3"
            ),
            values![before, window.last_row(), session],
            |row| row.get(0),
        )
    }
}

fn compilation(row: &dyn Row) -> Result<Compilation, Error> {
    let session: Arc<str> = row.get(3)?;
    let body: Arc<str> = row.get(13)?;
    Ok(Compilation {
        id: row.get(0)?,
        created_at: row.get(1)?,
        expires_at: row.get(2)?,
        session_id: (!session.is_empty()).then_some(session),
        target: row.get(4)?,
        model: row.get(5)?,
        level: word(row, 6, RecordLevel::WORDS)?,
        status: word(row, 7, CompilationStatus::WORDS)?,
        engine: row.get(8)?,
        payload_hash: row.get(9)?,
        tokens_before: row.get(10)?,
        tokens_after: row.get(11)?,
        fits: row.get(12)?,
        body: RawJson::new(body),
        reported_cost: row.get::<Option<Arc<str>>>(14)?.map(RawJson::new),
    })
}
