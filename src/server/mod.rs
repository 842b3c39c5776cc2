//! Builds all parts of the server, and serves until a stop is requested.

mod accept_loop;
mod connection;
mod hooks;
mod jobs;
mod parts;
mod places;
mod response_watch;
mod shared_stream;
mod start_log;
mod tasks;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use self::accept_loop::Acceptor;
use self::parts::SettingParts;
use self::start_log::StartLog;
use self::tasks::Tasks;
use crate::config::{self, Config, DatabaseUrl, HooksConfig};
use crate::domain::{Clock, Models};
use crate::http::{self, AppState, Gateway, GatewayTotals};
use crate::service::gateway::{GatewayJournal, JournalReader};
use crate::service::hooks::queue::Worker;
use crate::service::pool::Pool;
use crate::service::skills::{FolderError, FolderSkills};
use crate::service::{Services, StoreError};
use crate::store::{self, Store};
pub use crate::store::{CheckReport, DatabaseState};
use crate::telemetry::Metrics;
use crate::upstream::UpstreamSetupError;

/// Time that open requests have to finish after the store is lost.
const LOST_STORE_GRACE: Duration = Duration::from_secs(2);

/// The cause of a failed start.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(
        "refusing to listen on {0}: other machines could use the server without a key; pass \
         --allow-anonymous (CONTEXTURE_ALLOW_ANONYMOUS=true) if that is meant, listen on \
         127.0.0.1, or make a key with `contexture key create`"
    )]
    Exposed(SocketAddr),
    #[error("cannot listen on {address} (--listen, CONTEXTURE_LISTEN)")]
    Listen { address: SocketAddr, source: std::io::Error },
    #[error(transparent)]
    Models(#[from] config::ModelsError),
    #[error(transparent)]
    Keys(#[from] config::KeysError),
    #[error("cannot read {} (--pack-keys-file, CONTEXTURE_PACK_KEYS_FILE)", file.display())]
    PackKeys { file: PathBuf, source: std::io::Error },
    #[error(
        "{} (--pack-keys-file, CONTEXTURE_PACK_KEYS_FILE): line {line} is no name and key", file.display()
    )]
    PackKey { file: PathBuf, line: usize },
    #[error(transparent)]
    Hooks(#[from] hooks::Error),
    #[error(transparent)]
    Upstream(#[from] UpstreamSetupError),
    #[error(transparent)]
    Store(#[from] store::OpenError),
    #[error("the store cannot be asked for keys")]
    Unread(#[from] StoreError),
}

/// The way in which serving ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShutdownOutcome {
    /// Every open request got its response.
    Drained,
    /// Some requests did not finish within the shutdown timeout.
    Cut,
    /// The disk lost data that the store had written, so the process must not continue.
    Lost,
}

/// Opens services on a store that a server may use at the same time.
pub fn services_beside(url: &DatabaseUrl) -> Result<Services, Error> {
    let store = Store::open_beside(url, Clock::system())?;
    Ok(Services::with_store(Models::built_in(), store))
}

/// Opens services on a database that is there, and that a server may use at the same time.
pub fn services_on(url: &DatabaseUrl) -> Result<Services, Error> {
    Store::check_exists(url)?;
    services_beside(url)
}

/// Opens services on a database that is there, which call hooks in the same way as a server with these
/// settings.
pub fn services_calling(url: &DatabaseUrl, hooks: &HooksConfig) -> Result<Services, Error> {
    Store::check_exists(url)?;
    let hooks = hooks::read(hooks, None, &Metrics::new())?.complete(hooks, url)?;
    Ok(services_beside(url)?.with_hooks(hooks))
}

/// Whether the database is a file that is not there, which opening would create.
pub fn is_missing(url: &DatabaseUrl) -> bool {
    Store::check_exists(url).is_err()
}

/// Opens services on a store in memory.
pub fn services_in_memory() -> Result<Services, Error> {
    Ok(Services::new(Models::built_in())?)
}

/// Brings a database's schema up to date. Returns its version before, and the current version.
pub fn migrate(url: &DatabaseUrl) -> Result<(i64, i64), Error> {
    Ok(Store::migrate(url)?)
}

/// Copies a database into a new file. A server may use the database at the same time.
pub fn backup(url: &DatabaseUrl, to: &Path) -> Result<(), Error> {
    Store::check_exists(url)?;
    Ok(Store::backup(url, to)?)
}

/// Reads all data of a database and reports what is inconsistent.
pub fn check(url: &DatabaseUrl) -> Result<CheckReport, Error> {
    Store::check_exists(url)?;
    Ok(Store::check(url, Clock::system())?)
}

/// Replaces a database that no server uses with a copy. Returns the new name of the old database.
pub fn restore(url: &DatabaseUrl, from: &Path, replace: bool) -> Result<Option<PathBuf>, Error> {
    Ok(Store::restore(url, from, replace)?)
}

/// Whether other machines could use a server with these settings without a key, unless its database has
/// one.
pub fn is_exposed(config: &Config) -> bool {
    let has_key = config.keys.bootstrap_key.is_some() || config.keys.keys_file.is_some();
    !has_key && !config.server.allow_anonymous && !config.server.listen.ip().is_loopback()
}

/// Whether the database begins empty when a server opens it.
fn is_new(url: &DatabaseUrl) -> bool {
    matches!(url, DatabaseUrl::Memory) || is_missing(url)
}

/// Reads and checks everything that settings name besides the database, as a start does. Changes
/// nothing.
pub fn check_settings(config: &Config) -> Result<(), Error> {
    SettingParts::read(config, config.server.listen, &Metrics::new()).map(drop)
}

/// Looks at a database without changing it, and without creating one.
pub fn inspect(url: &DatabaseUrl) -> Result<DatabaseState, Error> {
    Ok(Store::inspect(url)?)
}

/// A server that listens, and does not serve requests yet.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    services: Services,
    metrics: Metrics,
    config: Config,
    gateway: Option<Gateway>,
    /// Whether callers needed no key when the server was built.
    is_open: bool,
    /// The requests through the gateway that are to be stored.
    journal: JournalReader,
}

impl Server {
    /// Builds every part and starts to listen. Connections wait until [`Self::run_until`].
    pub async fn build(config: Config) -> Result<Self, Error> {
        let listen = config.server.listen;
        let is_exposed = is_exposed(&config);
        // What is refused must not leave a new database.
        if is_exposed && is_new(&config.store.database_url) {
            return Err(Error::Exposed(listen));
        }
        // Before the store is opened, so that a second server with the same settings fails here.
        let failed = |source| Error::Listen { address: listen, source };
        let listener = TcpListener::bind(listen).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let metrics = Metrics::new();
        let parts = SettingParts::read(&config, address, &metrics)?;
        let store = Store::open(&config.store, Clock::system())?;
        let services = Services::guarded(parts.models, store, parts.key_sources)
            .promoting(config.memory.memory_promotion)
            .trusting(parts.pack_keys)
            .with_skills(folder_skills(&config.skills.skills_dir));
        services.set_file_keys(parts.file_keys);
        let is_open = !services.needs_key()?;
        if is_open && is_exposed {
            return Err(Error::Exposed(listen));
        }
        let hooks = parts.hooks.complete(&config.hooks, &config.store.database_url)?;
        let services = services.with_hooks(hooks).with_summarizer(parts.summarizer);
        let (journal, reader) = GatewayJournal::new();
        let gateway = parts.upstreams.map(|client| Gateway::new(&config.gateway, client, journal));
        Ok(Self { listener, address, services, metrics, config, gateway, is_open, journal: reader })
    }

    /// Returns the address in use, with the actual port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What requests through the gateway save; none without a gateway.
    pub fn gateway_totals(&self) -> Option<GatewayTotals> {
        self.gateway.as_ref().map(Gateway::totals)
    }

    /// Serves until `shutdown` ends. Then it accepts no connections, finishes open requests, and
    /// returns within the shutdown timeout. A lost store stops the server in the same way.
    pub async fn run_until(self, shutdown: impl Future<Output = ()> + Send) -> ShutdownOutcome {
        let Self { listener, address, services, metrics, config, gateway, is_open, journal } = self;
        let pool = Pool::new(config.server.worker_count());
        let worker = Worker::over_network(services.clone(), pool.clone(), metrics.clone());
        let state = AppState::new(services.clone(), pool, metrics.clone(), &config.limits)
            .started_with(config.settings);
        let router = http::router(state.clone(), &config.limits, &config.server, gateway);
        let tasks = Tasks::default();
        let stop = CancellationToken::new();
        jobs::start(&config.store, &services, &metrics, &tasks, &stop);
        jobs::write_journal(journal, &tasks, &stop);
        let lost = CancellationToken::new();
        services.on_store_lost({
            let lost = lost.clone();
            move || lost.cancel()
        });
        if let Some(worker) = worker {
            tasks.spawn(worker.run(stop.clone()));
        }
        if let Some(path) = config.keys.keys_file.clone() {
            jobs::read_keys(path, &services, &tasks, &stop);
        }
        let warm_services = services.clone();
        tasks.spawn_blocking(move || warm_services.warm());

        state.set_ready(true);
        StartLog {
            address,
            database: &config.store.database_url,
            gateway: &config.gateway,
            is_open,
        }
        .write();
        let acceptor = Acceptor::new(listener, router, &config.limits, tasks.clone());
        let until = async {
            tokio::select! {
                () = shutdown => {}
                () = lost.cancelled() => {}
            }
        };
        let connections = acceptor.run_until(until).await;
        state.set_ready(false);
        state.stopping().cancel();
        let mut timeout = config.server.shutdown_timeout();
        if lost.is_cancelled() {
            tracing::error!(
                "the disk lost data that had been written; the server stops so that nothing is \
                 built on it"
            );
            timeout = timeout.min(LOST_STORE_GRACE);
        }
        tracing::info!(timeout_ms = u64::try_from(timeout.as_millis()).ok(), "stopping");
        let drained = connections.drain(timeout).await;
        if !drained {
            tracing::warn!("the shutdown timeout has passed; open requests are cut off");
        }
        stop.cancel();
        let closed = services.store_closed();
        tasks.spawn_blocking(move || jobs::store_usage(&services));
        drop(state);
        if drained {
            // The next server needs the database file to be closed.
            let ended = async {
                tasks.wait_all().await;
                closed.cancelled().await;
            };
            if tokio::time::timeout(timeout, ended).await.is_err() {
                tracing::warn!("the shutdown timeout has passed; the database is still open");
            }
        }
        tracing::info!("stopped");
        match drained {
            _ if lost.is_cancelled() => ShutdownOutcome::Lost,
            true => ShutdownOutcome::Drained,
            false => ShutdownOutcome::Cut,
        }
    }
}

/// Reads the skills in the server's folders. Files that cannot be read are reported by `GET
/// /skills`.
fn folder_skills(folders: &[PathBuf]) -> FolderSkills {
    let mut found = FolderSkills::default();
    for (path, skill) in config::read_skills(folders) {
        match skill {
            Ok(skill) => found.skills.push(skill),
            Err(message) => {
                tracing::warn!(
                    path = %path.display(),
                    error = message,
                    "a skill could not be read and is not offered"
                );
                found.errors.push(FolderError { path, message });
            }
        }
    }
    found
}
