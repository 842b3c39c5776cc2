//! The state of a session: its messages and its memory, read and replaced as a whole.

use std::sync::Arc;

use super::texts::{TextKind, digests};
use crate::domain::{ContentHash, MemoryEntry, RawJson, Session, SessionState};
use crate::store::memory::entries_of_session;
use crate::store::pack::Packer;
use crate::store::sql::values;
use crate::store::{Error, Tx};

impl Tx<'_> {
    /// The state of a session that affects its next compile.
    pub fn session_state(&self, session: &Session) -> Result<SessionState, Error> {
        let hashes = self.message_digests(&session.id)?;
        let texts = self.message_texts_of(&hashes)?;
        Ok(SessionState {
            memory: self.session_memory(&session.id)?,
            messages: texts.into_iter().map(RawJson::new).collect(),
            ..SessionState::new(session)
        })
    }

    /// Replaces a session's state, but for its memory, and stores the session.
    pub fn put_session_state(
        &self,
        session: &mut Session,
        state: &SessionState,
    ) -> Result<(), Error> {
        state.put_into(session);
        self.put_session(session)?;
        self.execute(
            "DELETE FROM session_messages WHERE tenant = ?1 AND session = ?2",
            values![&session.id],
        )?;
        self.add_session_messages(&session.id, &state.messages)?;
        session.messages = state.messages.len() as u64;
        Ok(())
    }

    /// Appends messages to those of a session.
    pub fn add_session_messages(&self, session: &str, messages: &[RawJson]) -> Result<(), Error> {
        let mut packer = Packer::default();
        for (next, message) in (self.count_messages(session)?..).zip(messages) {
            let hash = ContentHash::of(message.as_str());
            let kind = TextKind::Message;
            self.put_session_text(&mut packer, session, kind, &hash, message.as_str())?;
            if let Some(cache) = self.message_texts() {
                cache.put(hash, message.text());
            }
            self.execute(
                "INSERT INTO session_messages (tenant, session, seq, digest)
                 VALUES (?1, ?2, ?3, ?4)",
                values![session, next, &hash],
            )?;
        }
        Ok(())
    }

    /// The number of messages of a session.
    pub fn count_messages(&self, session: &str) -> Result<u64, Error> {
        let count = self.first(
            "SELECT coalesce(max(seq) + 1, 0) FROM session_messages
             WHERE tenant = ?1 AND session = ?2",
            values![session],
            |row| row.get(0),
        )?;
        Ok(count.unwrap_or_default())
    }

    /// The messages of a session, each as it was received.
    ///
    /// `admit` is given their bytes before those are read that this process has not seen, and may
    /// refuse.
    pub fn session_messages<E: From<Error>>(
        &self,
        session: &str,
        admit: impl FnOnce(usize) -> Result<(), E>,
    ) -> Result<Vec<Arc<str>>, E> {
        let hashes = self.message_digests(session)?;
        admit(self.bytes_of_messages(&hashes)?)?;
        Ok(self.message_texts_of(&hashes)?)
    }

    pub(super) fn message_digests(&self, session: &str) -> Result<Vec<ContentHash>, Error> {
        self.all(
            "SELECT digest FROM session_messages
             WHERE tenant = ?1 AND session = ?2 ORDER BY seq",
            values![session],
            |row| row.get(0),
        )
    }

    /// The messages of these digests, which are joined without separators.
    pub(super) fn messages_of(&self, joined: &[u8]) -> Result<Vec<RawJson>, Error> {
        let texts = self.message_texts_of(&digests(joined))?;
        Ok(texts.into_iter().map(RawJson::new).collect())
    }

    /// Entries of a session's scope that are not expired, in the order of their keys.
    pub fn session_memory(&self, session: &str) -> Result<Vec<MemoryEntry>, Error> {
        entries_of_session(self, session)
    }
}
