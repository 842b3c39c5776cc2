//! Persistent data: artifacts, original messages, responses, adapters, memory, keys, usage.
//! `docs/glossary.md` defines artifact, original, adapter, record and snapshot.
//!
//! A [`Tenant`] is the only way in, so no query can forget to name the tenant; a [`Tx`] is one
//! transaction over the rows of a tenant, with the methods of each noun in a file of its own. The
//! backend is SQLite in a file or in memory, or PostgreSQL, each held to one suite in `tests`.
//! Calls block the thread until their writes are committed; a commit survives the end of the
//! process, and a commit by [`Tenant::write_durable`] survives a loss of power.

mod adapters;
mod answers;
mod artifacts;
mod backend;
mod batch;
mod candidates;
mod check;
mod cleanup;
mod compilations;
mod deliveries;
mod due_work;
mod error;
mod events;
mod feed;
mod golden;
mod health;
mod hooks;
mod idempotency;
mod keys;
mod lineages;
mod log;
mod memory;
mod message_text_cache;
mod outcomes;
mod pack;
mod packs;
mod page;
mod postgres;
mod quotas;
mod read_places;
mod record_removal;
mod removal;
mod retention;
mod sessions;
mod skills;
mod sql;
mod sqlite;
mod summaries;
mod tenant;
mod tickets;
mod tx;
mod usage;
mod write_queue;

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::Notify;
use tokio_util::sync::{CancellationToken, DropGuard};

use self::backend::Backend;
pub use self::batch::{Batch, ChainHash, CommittedBatch, RECIPE_PREFIX, ResponseMessage};
pub use self::check::{CheckReport, DatabaseState};
pub use self::cleanup::{Caps, Cleanup, Eviction, Reason};
pub use self::compilations::CompilationFilter;
pub use self::deliveries::{
    AttemptOutcome, AttemptRow, BusyCalls, ClaimedDelivery, Claims, DeliveryRow, DeliveryState,
    Follower, HookKey, HookQueue, HookResponse, MAX_QUEUED_CALLS, NewDelivery,
};
pub use self::due_work::{DueTenant, DueWork};
pub use self::error::{Error, OpenError};
use self::feed::Feeds;
pub use self::feed::{Feed, FeedEvent, FeedRead};
pub use self::golden::GoldenRow;
pub use self::health::StoreCondition;
pub use self::hooks::{HookRow, NewHook, OrderRow, SealedUrl};
pub use self::lineages::{FoundDecisions, StoredDecision};
pub use self::log::{CapturedText, LogLine, LogVerification, TenantLog};
pub use self::memory::{FoundEntry, MemoryCursor, MemoryFilter, MemoryView};
use self::message_text_cache::MessageTextCache;
pub use self::outcomes::HookOutcome;
pub use self::packs::PublishResult;
pub use self::page::Page;
use self::postgres::Postgres;
pub use self::sessions::{
    CachedPrefix, NewSentPayload, PlacedBlock, SentCompile, SentPayload, StoredSnapshot,
};
use self::sqlite::Sqlite;
pub use self::tenant::Tenant;
pub use self::tx::{ObservedFact, Tx};
pub use self::usage::{UsageCursor, UsageFilter, UsageRow};
use crate::config::{DatabaseUrl, PostgresUrl, StoreConfig};
use crate::domain::{Clock, Quotas, Timestamp};

/// Retention of data, by time and by amount.
#[derive(Debug, Clone)]
pub struct Retention {
    /// From the last time that something was stored until it is forgotten.
    pub ttl: Duration,
    /// Caps on each tenant's artifacts; the default of a cleanup.
    pub caps: Caps,
    /// Bytes of each tenant's original messages.
    pub originals_max_bytes: u64,
    /// From the time of an event until it is forgotten.
    pub events: Duration,
    /// Counted from the last use of a session that does not specify its own.
    pub sessions: Duration,
    /// The most that each tenant may keep.
    pub quotas: Quotas,
}

impl Default for Retention {
    fn default() -> Self {
        Self {
            ttl: Duration::from_hours(7 * 24),
            caps: Caps::default(),
            originals_max_bytes: u64::MAX,
            events: Duration::from_hours(7 * 24),
            sessions: Duration::from_hours(30 * 24),
            quotas: Quotas::default(),
        }
    }
}

impl From<&StoreConfig> for Retention {
    fn from(config: &StoreConfig) -> Self {
        Self {
            ttl: config.artifacts_ttl(),
            caps: Caps {
                max_age: None,
                max_count: Some(config.artifacts_max_count),
                max_bytes: Some(config.artifacts_max_bytes),
            },
            originals_max_bytes: config.originals_max_bytes,
            events: config.events_ttl(),
            sessions: config.sessions_ttl(),
            quotas: Quotas::from(&config.quotas),
        }
    }
}

/// The store. Cheap to clone.
#[derive(Clone)]
pub struct Store {
    inner: Arc<StoreInner>,
}

struct StoreInner {
    backend: Box<dyn Backend>,
    clock: Clock,
    retention: Retention,
    on_evicted: Box<dyn Fn(&Eviction) + Send + Sync>,
    feeds: Feeds,
    message_texts: Arc<MessageTextCache>,
    /// Notified when a call was queued, or an event published that hooks may subscribe to.
    queued: Notify,
    /// Whether hooks may subscribe to published events.
    followed: AtomicBool,
    /// Committed changes of hooks and adapters by this process.
    definition_changes: AtomicU64,
    /// Two cleanups at once would plan the same evictions.
    cleaning: Mutex<()>,
    /// The last field, so that it signals when the backend is closed.
    closed: DropGuard,
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("backend", &self.inner.backend).finish_non_exhaustive()
    }
}

impl Store {
    /// Opens the store that the settings name; its schema is brought up to date.
    pub fn open(config: &StoreConfig, clock: Clock) -> Result<Self, OpenError> {
        let backend: Box<dyn Backend> = match &config.database_url {
            DatabaseUrl::Memory => Box::new(Sqlite::memory()?),
            DatabaseUrl::Sqlite(file) => Box::new(Sqlite::open(file)?),
            DatabaseUrl::Postgres(url) => Box::new(Postgres::open(url)?),
        };
        Ok(Self::with_backend(backend, Retention::from(config), clock))
    }

    /// Opens the store for a command that runs next to a server, or without one.
    pub fn open_beside(url: &DatabaseUrl, clock: Clock) -> Result<Self, OpenError> {
        let backend: Box<dyn Backend> = match url {
            DatabaseUrl::Memory => Box::new(Sqlite::memory()?),
            DatabaseUrl::Sqlite(file) => Box::new(Sqlite::open_beside(file)?),
            DatabaseUrl::Postgres(url) => Box::new(Postgres::open(url)?),
        };
        Ok(Self::with_backend(backend, Retention::default(), clock))
    }

    /// Refuses a file that is not there, which opening would create.
    pub fn check_exists(url: &DatabaseUrl) -> Result<(), OpenError> {
        match url {
            DatabaseUrl::Sqlite(file) if !file.exists() => {
                Err(OpenError::Missing { file: file.clone() })
            }
            _ => Ok(()),
        }
    }

    /// Looks at a database without changing it, and without creating one. Fails if a server with this
    /// database would not start.
    pub fn inspect(url: &DatabaseUrl) -> Result<DatabaseState, OpenError> {
        match url {
            DatabaseUrl::Memory => Ok(DatabaseState::default()),
            DatabaseUrl::Sqlite(file) => Sqlite::inspect(file),
            DatabaseUrl::Postgres(url) => Postgres::inspect(url),
        }
    }

    /// Brings the schema up to date; returns how many steps it had applied, and how many there are.
    pub fn migrate(url: &DatabaseUrl) -> Result<(i64, i64), OpenError> {
        match url {
            DatabaseUrl::Memory => Err(OpenError::InMemory),
            DatabaseUrl::Sqlite(file) => Sqlite::migrate(file),
            DatabaseUrl::Postgres(url) => Postgres::migrate(url),
        }
    }

    /// Copies all that is stored into a new file, while a server uses it or not.
    pub fn backup(url: &DatabaseUrl, to: &std::path::Path) -> Result<(), OpenError> {
        match url {
            DatabaseUrl::Memory => Err(OpenError::InMemory),
            DatabaseUrl::Sqlite(file) => Sqlite::backup(file, to),
            DatabaseUrl::Postgres(_) => Err(OpenError::Elsewhere),
        }
    }

    /// Reads all that is stored, whether or not a server uses it, and reports what is unsound.
    pub fn check(url: &DatabaseUrl, clock: Clock) -> Result<CheckReport, OpenError> {
        let faults = match url {
            DatabaseUrl::Memory => return Err(OpenError::InMemory),
            DatabaseUrl::Sqlite(file) => Sqlite::check(file)?,
            DatabaseUrl::Postgres(_) => Vec::new(),
        };
        if !faults.is_empty() {
            return Ok(CheckReport { faults, ..CheckReport::default() });
        }
        let unread = |error| OpenError::Unread { source: Arc::new(error) };
        Self::open_beside(url, clock)?.check_all().map_err(unread)
    }

    /// Replaces a database that is not in use with a copy. An existing database is kept under
    /// another name if `replace` is set, else nothing is done; returns that name.
    pub fn restore(
        url: &DatabaseUrl,
        from: &std::path::Path,
        replace: bool,
    ) -> Result<Option<std::path::PathBuf>, OpenError> {
        match url {
            DatabaseUrl::Memory => Err(OpenError::InMemory),
            DatabaseUrl::Sqlite(file) => Sqlite::restore(file, from, replace),
            DatabaseUrl::Postgres(_) => Err(OpenError::Elsewhere),
        }
    }

    /// A store that ends with the process.
    pub fn memory(retention: Retention, clock: Clock) -> Result<Self, OpenError> {
        Ok(Self::with_backend(Box::new(Sqlite::memory()?), retention, clock))
    }

    /// A store in a file.
    pub fn sqlite(
        file: &std::path::Path,
        retention: Retention,
        clock: Clock,
    ) -> Result<Self, OpenError> {
        Ok(Self::with_backend(Box::new(Sqlite::open(file)?), retention, clock))
    }

    /// Opens a store in a database that other processes may use, too.
    pub fn postgres(
        url: &PostgresUrl,
        retention: Retention,
        clock: Clock,
    ) -> Result<Self, OpenError> {
        Ok(Self::with_backend(Box::new(Postgres::open(url)?), retention, clock))
    }

    fn with_backend(backend: Box<dyn Backend>, retention: Retention, clock: Clock) -> Self {
        let inner = StoreInner {
            backend,
            clock,
            retention,
            on_evicted: Box::new(log_evicted),
            feeds: Feeds::default(),
            message_texts: Arc::default(),
            queued: Notify::new(),
            followed: AtomicBool::new(true),
            definition_changes: AtomicU64::default(),
            cleaning: Mutex::new(()),
            closed: CancellationToken::new().drop_guard(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Hands every eviction to `observer`; only for a store that has not been shared yet.
    #[must_use]
    pub fn on_evicted(mut self, observer: impl Fn(&Eviction) + Send + Sync + 'static) -> Self {
        if let Some(inner) = Arc::get_mut(&mut self.inner) {
            inner.on_evicted = Box::new(observer);
        }
        self
    }

    /// The time, by the clock of the store.
    pub fn now(&self) -> Timestamp {
        self.inner.clock.now()
    }

    /// How often this process has changed hooks or adapters of any tenant.
    pub fn definition_changes(&self) -> u64 {
        self.inner.definition_changes.load(Ordering::SeqCst)
    }

    /// Waits until a call is queued in this process, or an event is published that hooks may
    /// subscribe to, as [`Store::look_for_followers`] found.
    pub async fn queued(&self) {
        self.inner.queued.notified().await;
    }

    /// The condition that the last write found.
    pub fn condition(&self) -> StoreCondition {
        self.inner.backend.health().condition()
    }

    /// Has `call` called when the disk could not keep what was handed to it.
    pub fn on_lost(&self, call: impl FnOnce() + Send + 'static) {
        self.inner.backend.health().on_lost(Box::new(call));
    }

    /// Cancelled when the last clone of this store is dropped and its files are closed.
    pub fn closed(&self) -> CancellationToken {
        self.inner.closed.token().clone()
    }

    /// Writes something and takes it back, to find out whether that is possible again.
    pub fn probe(&self) -> Result<(), Error> {
        self.tenant("").write_durable(|tx| {
            tx.probe()?;
            Ok(())
        })
    }

    /// The handle for one tenant's rows.
    pub fn tenant(&self, name: &str) -> Tenant {
        Tenant::new(self.clone(), name)
    }

    /// Whether other processes write to it, so that [`Self::follow`] finds something.
    pub fn is_shared(&self) -> bool {
        self.inner.backend.is_shared()
    }

    /// Hands the events that other processes have committed to the readers in this process.
    pub fn follow(&self) -> Result<(), Error> {
        /// Events of one read.
        const READ_BATCH_EVENTS: usize = 500;
        for (tenant, feed) in self.inner.feeds.read() {
            let tenant = self.tenant(&tenant);
            match feed.newest_seen() {
                // Its readers know their positions: they only need the number of the newest event.
                0 => feed.announce(tenant.read(|tx| tx.event_bounds())?.0),
                _ => loop {
                    let found =
                        tenant.read(|tx| tx.events(feed.newest_seen(), READ_BATCH_EVENTS))?;
                    let goes_on = found.len() == READ_BATCH_EVENTS;
                    feed.push(found);
                    if !goes_on {
                        break;
                    }
                },
            }
        }
        Ok(())
    }
}

fn log_evicted(evicted: &Eviction) {
    let Eviction { tenant, artifact, bytes, reason } = evicted;
    tracing::debug!(tenant = &**tenant, artifact.id = %artifact, bytes, %reason, "artifact evicted");
}

#[cfg(test)]
mod tests;
