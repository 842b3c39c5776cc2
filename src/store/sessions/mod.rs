//! Sessions: their rows and everything that is deleted with them.

mod cache;
mod erasure;
mod payload;
mod row;
mod snapshots;
mod state;
mod texts;

pub use self::cache::CachedPrefix;
pub use self::payload::{NewSentPayload, PlacedBlock, SentCompile, SentPayload};
use self::row::{COLUMNS, JOINED_COLUMNS, SessionJson, session, values_of};
pub use self::snapshots::StoredSnapshot;
use super::memory::placeholders;
use super::sql::values;
use super::{Error, Tenant, Tx};
use crate::domain::{Quota, Session, Timestamp};

impl Tx<'_> {
    /// A session that has not expired.
    pub fn session(&self, id: &str) -> Result<Option<Session>, Error> {
        Ok(self.session_row(id)?.filter(|session| session.expires_at > self.now()))
    }

    /// A session, expired or not.
    pub fn session_row(&self, id: &str) -> Result<Option<Session>, Error> {
        self.first(
            &format!(
                "SELECT {JOINED_COLUMNS} FROM sessions AS s WHERE s.tenant = ?1 AND s.id = ?2"
            ),
            values![id],
            session,
        )
    }

    /// Stores a session as it is, its turns included.
    pub fn put_session(&self, session: &Session) -> Result<(), Error> {
        let exists = "SELECT 1 FROM sessions WHERE tenant = ?1 AND id = ?2";
        if !self.exists(exists, values![&session.id])? {
            self.admit(Quota::Sessions, 1)?;
        }
        let texts = SessionJson::new(session);
        let row = values_of(session, &texts);
        let placeholders = placeholders(2, row.len());
        let sets: Vec<String> =
            COLUMNS.split(", ").map(|column| format!("{column} = excluded.{column}")).collect();
        self.execute(
            &format!(
                "INSERT INTO sessions (tenant, {COLUMNS}) VALUES (?1, {placeholders})
                 ON CONFLICT (tenant, id) DO UPDATE SET {}",
                sets.join(", ")
            ),
            &row,
        )?;
        self.execute(
            "INSERT INTO session_turns (tenant, id, turns) VALUES (?1, ?2, ?3)
             ON CONFLICT (tenant, id) DO UPDATE SET turns = excluded.turns",
            values![&session.id, session.turns],
        )
        .map(drop)
    }

    /// Lists up to `limit` sessions after an id, in the order of their ids; with `parent` only its
    /// forks.
    pub fn list_sessions(
        &self,
        parent: Option<&str>,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<Session>, Error> {
        let after = after.unwrap_or_default();
        let Some(parent) = parent else {
            return self.all(
                &format!(
                    "SELECT {JOINED_COLUMNS} FROM sessions AS s
                     WHERE s.tenant = ?1 AND s.id > ?2 AND s.expires_at > ?3
                     ORDER BY s.id LIMIT ?4"
                ),
                values![after, self.now(), limit],
                session,
            );
        };
        self.all(
            &format!(
                "SELECT {JOINED_COLUMNS} FROM sessions AS s
                 WHERE s.tenant = ?1 AND s.parent = ?2 AND s.id > ?3 AND s.expires_at > ?4
                 ORDER BY s.id LIMIT ?5"
            ),
            values![parent, after, self.now(), limit],
            session,
        )
    }

    /// The ids of sessions that had expired at `at`, up to `limit`.
    pub fn expired_sessions(&self, at: Timestamp, limit: usize) -> Result<Vec<String>, Error> {
        self.all(
            "SELECT id FROM sessions WHERE tenant = ?1 AND expires_at <= ?2
             ORDER BY expires_at, id LIMIT ?3",
            values![at, limit],
            |row| row.get(0),
        )
    }
}

impl Tenant {
    /// Time that a session is kept after its last use unless it specifies its own lifetime.
    pub fn usual_session_ttl(&self) -> std::time::Duration {
        self.retention().sessions
    }
}
