//! Registered hooks, and the order in which they run.
//!
//! The store does not interpret a hook: it keeps a text, and a blob with sealed headers and
//! secrets.

use std::sync::Arc;

use super::sql::{Row, values};
use super::{Error, Tx};
use crate::domain::Timestamp;

/// Hooks that a tenant may register, and sessions with an order of their own.
const MAX_HOOKS: u64 = 1_000;

const COLUMNS: &str =
    "id, revision, created_at, updated_at, disabled, failing_since, definition, sealed, mandatory";

/// A hook as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookRow {
    pub id: Arc<str>,
    pub revision: u64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// Why the service disabled it.
    pub disabled: Option<Arc<str>>,
    /// Since when its queued calls have done nothing but fail.
    pub failing_since: Option<Timestamp>,
    /// JSON text.
    pub definition: Arc<str>,
    /// Headers and secrets; `None` if it has neither.
    pub sealed: Option<Vec<u8>>,
    /// Whether a request cannot switch it off; `None` if it was registered before this could be
    /// specified.
    pub mandatory: Option<bool>,
}

/// The columns of a new or changed hook.
#[derive(Debug, Clone)]
pub struct NewHook {
    pub id: Arc<str>,
    pub definition: Arc<str>,
    pub sealed: Option<Vec<u8>>,
    /// Why the service disables it.
    pub disabled: Option<Arc<str>>,
    /// Whether it subscribes to events.
    pub follows: bool,
    pub mandatory: Option<bool>,
}

/// The replacement for a stored hook whose URL was in its definition.
#[derive(Debug, Clone)]
pub struct SealedUrl {
    pub id: Arc<str>,
    /// The one that it was made of; a hook that was changed since stays as it is.
    pub revision: u64,
    pub definition: Arc<str>,
    pub sealed: Vec<u8>,
}

/// An ordering manifest as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderRow {
    /// The session; empty for all sessions.
    pub session: Arc<str>,
    pub revision: u64,
    /// JSON text.
    pub manifest: Arc<str>,
}

impl Tx<'_> {
    /// The number of changes of hooks or their order.
    pub fn hooks_revision(&self) -> Result<u64, Error> {
        let revision =
            self.first("SELECT revision FROM hook_state WHERE tenant = ?1", values![], |row| {
                row.get(0)
            })?;
        Ok(revision.unwrap_or_default())
    }

    /// All hooks, in the byte order of their ids.
    pub fn hooks(&self) -> Result<Vec<HookRow>, Error> {
        self.list_hooks(None, usize::MAX)
    }

    /// Lists up to `limit` hooks in the byte order of their ids: the first ones, or those after the
    /// id `after`.
    pub fn list_hooks(&self, after: Option<&str>, limit: usize) -> Result<Vec<HookRow>, Error> {
        self.all(
            &format!(
                "SELECT {COLUMNS} FROM hooks WHERE tenant = ?1 AND id > ?2 ORDER BY id LIMIT ?3"
            ),
            values![after.unwrap_or_default(), limit],
            hook,
        )
    }

    pub fn hook(&self, id: &str) -> Result<Option<HookRow>, Error> {
        self.first(
            &format!("SELECT {COLUMNS} FROM hooks WHERE tenant = ?1 AND id = ?2"),
            values![id],
            hook,
        )
    }

    /// Stores a new hook; `None` if its id is taken.
    pub fn insert_hook(&self, new: &NewHook) -> Result<Option<HookRow>, Error> {
        if self.hook(&new.id)?.is_some() {
            return Ok(None);
        }
        let count =
            self.first("SELECT count(*) FROM hooks WHERE tenant = ?1", values![], |row| {
                row.get::<u64>(0)
            })?;
        if count.unwrap_or_default() >= MAX_HOOKS {
            return Err(Error::TooManyHooks(MAX_HOOKS));
        }
        let stored = self.first(
            &format!(
                "INSERT INTO hooks (tenant, id, revision, created_at, updated_at, disabled,
                                    definition, sealed, mandatory)
                 VALUES (?1, ?2, 1, ?3, ?3, ?4, ?5, ?6, ?7) RETURNING {COLUMNS}"
            ),
            values![
                &new.id,
                self.now(),
                new.disabled.as_deref(),
                &new.definition,
                new.sealed.as_deref(),
                new.mandatory
            ],
            hook,
        )?;
        self.follow_events(&new.id, new.follows)?;
        self.hooks_changed()?;
        stored.ok_or_else(Error::no_row).map(Some)
    }

    /// Replaces the hook of this id; `None` if there is none.
    pub fn update_hook(&self, new: &NewHook) -> Result<Option<HookRow>, Error> {
        let stored = self.first(
            &format!(
                "UPDATE hooks SET revision = revision + 1, updated_at = ?3, disabled = ?4,
                                  failing_since = NULL, definition = ?5, sealed = ?6,
                                  mandatory = ?7
                 WHERE tenant = ?1 AND id = ?2 RETURNING {COLUMNS}"
            ),
            values![
                &new.id,
                self.now(),
                new.disabled.as_deref(),
                &new.definition,
                new.sealed.as_deref(),
                new.mandatory
            ],
            hook,
        )?;
        if stored.is_some() {
            self.resume_queue(&new.id)?;
            self.follow_events(&new.id, new.follows)?;
            self.hooks_changed()?;
        }
        Ok(stored)
    }

    /// Stores a hook in another form: nothing of it changes, so its revision stays.
    pub fn seal_hook_url(&self, new: &SealedUrl) -> Result<(), Error> {
        self.execute(
            "UPDATE hooks SET definition = ?4, sealed = ?5
             WHERE tenant = ?1 AND id = ?2 AND revision = ?3",
            values![&new.id, new.revision, &new.definition, &new.sealed],
        )
        .map(drop)
    }

    /// Removes a hook; returns whether it was there.
    pub fn delete_hook(&self, id: &str) -> Result<bool, Error> {
        let gone =
            self.execute("DELETE FROM hooks WHERE tenant = ?1 AND id = ?2", values![id])? > 0;
        if gone {
            self.forget_deliveries_of(id)?;
            while self.forget_outcomes_of(id)? {}
            self.hooks_changed()?;
        }
        Ok(gone)
    }

    /// All ordering manifests.
    pub fn hook_orders(&self) -> Result<Vec<OrderRow>, Error> {
        self.all(
            "SELECT session, revision, manifest FROM hook_orders WHERE tenant = ?1
             ORDER BY session",
            values![],
            order,
        )
    }

    /// The ordering manifest of a session, or of all sessions if `session` is empty.
    pub fn hook_order(&self, session: &str) -> Result<Option<OrderRow>, Error> {
        self.first(
            "SELECT session, revision, manifest FROM hook_orders
             WHERE tenant = ?1 AND session = ?2",
            values![session],
            order,
        )
    }

    /// Stores an ordering manifest; returns its revision.
    pub fn put_hook_order(&self, session: &str, manifest: &str) -> Result<u64, Error> {
        if self.hook_order(session)?.is_none() {
            let count = self.first(
                "SELECT count(*) FROM hook_orders WHERE tenant = ?1",
                values![],
                |row| row.get::<u64>(0),
            )?;
            if count.unwrap_or_default() >= MAX_HOOKS {
                return Err(Error::TooManyHooks(MAX_HOOKS));
            }
        }
        let revision = self.first(
            "INSERT INTO hook_orders (tenant, session, revision, manifest)
             VALUES (?1, ?2, 1, ?3)
             ON CONFLICT (tenant, session) DO UPDATE SET
                 revision = hook_orders.revision + 1, manifest = excluded.manifest
             RETURNING revision",
            values![session, manifest],
            |row| row.get(0),
        )?;
        self.hooks_changed()?;
        revision.ok_or_else(Error::no_row)
    }

    /// Removes the ordering manifest of a session.
    pub(super) fn forget_hook_order(&self, session: &str) -> Result<(), Error> {
        // The empty name is that of the order of all sessions.
        if session.is_empty() {
            return Ok(());
        }
        let gone = self.execute(
            "DELETE FROM hook_orders WHERE tenant = ?1 AND session = ?2",
            values![session],
        )?;
        if gone > 0 { self.hooks_changed() } else { Ok(()) }
    }

    fn hooks_changed(&self) -> Result<(), Error> {
        self.note_definitions_changed();
        self.execute(
            "INSERT INTO hook_state (tenant, revision) VALUES (?1, 1)
             ON CONFLICT (tenant) DO UPDATE SET revision = hook_state.revision + 1",
            values![],
        )
        .map(drop)
    }
}

/// The columns of `COLUMNS`.
fn hook(row: &dyn Row) -> Result<HookRow, Error> {
    Ok(HookRow {
        id: row.get(0)?,
        revision: row.get(1)?,
        created_at: row.get(2)?,
        updated_at: row.get(3)?,
        disabled: row.get(4)?,
        failing_since: row.get(5)?,
        definition: row.get(6)?,
        sealed: row.get(7)?,
        mandatory: row.get(8)?,
    })
}

fn order(row: &dyn Row) -> Result<OrderRow, Error> {
    Ok(OrderRow { session: row.get(0)?, revision: row.get(1)?, manifest: row.get(2)? })
}
