//! Hash-chained logs: each line contains the hash of the line before. One log has the proposals for
//! memory, one their outcomes.

use std::sync::Arc;

use serde_json::Value;

use super::sql::{Row, values};
use super::{Error, Tx};
use crate::domain::{ChainLink, ContentHash, RawJson, word_of};

/// Lines that are read at once while a log is checked.
const CHECK_BATCH_LINES: usize = 500;

/// The last line of a log: its number and its hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct LogHead {
    seq: u64,
    hash: ContentHash,
}

impl LogHead {
    /// The head of a log without lines.
    const START: Self = Self { seq: 0, hash: ChainLink::START };
}

/// One of a tenant's logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TenantLog {
    Captures,
    Transitions,
}

impl TenantLog {
    const WORDS: &[(&str, Self)] =
        &[("captures", Self::Captures), ("transitions", Self::Transitions)];

    fn word(self) -> &'static str {
        word_of(Self::WORDS, self)
    }
}

/// A line of a log.
#[derive(Debug, Clone, PartialEq)]
pub struct LogLine {
    pub link: ChainLink,
    /// The text that is hashed, together with the hash of the line before; not JSON if the store
    /// was tampered with.
    pub body: RawJson,
}

/// The content of a capture, and the candidate with which it is deleted.
#[derive(Debug, Clone, Copy)]
pub struct CapturedText<'c> {
    pub candidate: &'c str,
    pub content: &'c str,
}

/// The result of a check of a whole log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogVerification {
    /// Lines that are as they were written.
    pub lines: u64,
    /// The first line that is not, or that is gone.
    pub broken_at: Option<u64>,
}

impl Tx<'_> {
    /// Appends the line that `body` makes of its number. The captured content is stored with it; the
    /// body must contain its SHA-256 as `content`.
    pub fn append_log(
        &self,
        log: TenantLog,
        body: impl FnOnce(u64) -> String,
        captured: Option<CapturedText<'_>>,
    ) -> Result<ChainLink, Error> {
        let head = self.log_head(log)?.unwrap_or(LogHead::START);
        let seq = head.seq + 1;
        let body = body(seq);
        let link = ChainLink::new(seq, head.hash, &body);
        self.execute(
            "INSERT INTO memory_log (tenant, log, seq, prev_hash, hash, body, content, candidate)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            values![
                log.word(),
                seq,
                &link.prev_hash,
                &link.hash,
                &body,
                captured.map(|captured| captured.content),
                captured.map(|captured| captured.candidate),
            ],
        )?;
        self.execute(
            "INSERT INTO memory_log_head (tenant, log, seq, hash) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (tenant, log) DO UPDATE SET seq = excluded.seq, hash = excluded.hash",
            values![log.word(), seq, &link.hash],
        )?;
        Ok(link)
    }

    /// Lists up to `limit` lines of a log after a number, in order.
    pub fn log_lines(
        &self,
        log: TenantLog,
        after: u64,
        limit: usize,
    ) -> Result<Vec<LogLine>, Error> {
        self.all(
            "SELECT seq, prev_hash, hash, body FROM memory_log
             WHERE tenant = ?1 AND log = ?2 AND seq > ?3 ORDER BY seq LIMIT ?4",
            values![log.word(), after, limit],
            line,
        )
    }

    /// Follows a log from its first line to its last. All of it is read.
    pub fn verify_log(&self, log: TenantLog) -> Result<LogVerification, Error> {
        let mut last = LogHead::START;
        loop {
            let found = self.all(
                "SELECT seq, prev_hash, hash, body, content FROM memory_log
                 WHERE tenant = ?1 AND log = ?2 AND seq > ?3 ORDER BY seq LIMIT ?4",
                values![log.word(), last.seq, CHECK_BATCH_LINES],
                |row| Ok((line(row)?, row.get::<Option<Arc<str>>>(4)?)),
            )?;
            for (line, content) in &found {
                if !is_successor(line, content.as_deref(), last) {
                    return Ok(LogVerification { lines: last.seq, broken_at: Some(last.seq + 1) });
                }
                last = LogHead { seq: line.link.seq, hash: line.link.hash };
            }
            if found.len() < CHECK_BATCH_LINES {
                break;
            }
        }
        let head = self.log_head(log)?.unwrap_or(LogHead::START);
        // If they differ, lines were removed from the end, or the head itself was changed.
        let broken_at = (head != last).then_some(last.seq + 1);
        Ok(LogVerification { lines: last.seq, broken_at })
    }

    fn log_head(&self, log: TenantLog) -> Result<Option<LogHead>, Error> {
        self.first(
            "SELECT seq, hash FROM memory_log_head WHERE tenant = ?1 AND log = ?2",
            values![log.word()],
            |row| Ok(LogHead { seq: row.get(0)?, hash: row.get(1)? }),
        )
    }
}

fn line(row: &dyn Row) -> Result<LogLine, Error> {
    let link = ChainLink { seq: row.get(0)?, prev_hash: row.get(1)?, hash: row.get(2)? };
    let body: Arc<str> = row.get(3)?;
    Ok(LogLine { link, body: RawJson::new(body) })
}

/// Whether a line is what was written after the line `before`.
fn is_successor(line: &LogLine, content: Option<&str>, before: LogHead) -> bool {
    let says = |key: &str, wanted: &Value| {
        let body: Option<Value> = serde_json::from_str(line.body.as_str()).ok();
        body.is_some_and(|body| body.get(key) == Some(wanted))
    };
    ChainLink::new(before.seq + 1, before.hash, line.body.as_str()) == line.link
        && says("seq", &Value::from(line.link.seq))
        && content.is_none_or(|content| {
            says("content", &Value::from(ContentHash::of(content).to_string()))
        })
}
