//! Puts the parts together, and serves until a stop is requested.

mod accept;
mod hooks;
mod jobs;
mod tasks;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use self::accept::Acceptor;
use self::tasks::Tasks;
use crate::config::{self, Config, DatabaseUrl, HooksConfig};
use crate::domain::{Clock, Models};
use crate::http::{self, AppState};
use crate::pack::PublicKeys;
use crate::service::auth::KeySources;
use crate::service::hooks::queue::Worker;
use crate::service::pool::Pool;
use crate::service::skills::{FolderError, FolderSkills};
use crate::service::{Services, StoreError};
pub use crate::store::CheckReport;
use crate::store::{self, Store};
use crate::telemetry::Metrics;

/// How often recorded samples are folded into buckets.
const TIDY_INTERVAL: Duration = Duration::from_secs(5);
/// How long open requests may take to finish if the store is lost.
const LOST_STORE_GRACE: Duration = Duration::from_secs(2);

/// Why the server does not start.
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
    Store(#[from] store::OpenError),
    #[error("the store cannot be asked for keys")]
    Unread(#[from] StoreError),
}

/// How serving ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Every open request was answered.
    Drained,
    /// Some requests did not finish within the shutdown timeout.
    Cut,
    /// The store's disk did not keep what was handed to it, so the process must not go on.
    Lost,
}

/// Use cases over a store that a server may have at the same time.
pub fn services_beside(url: &DatabaseUrl) -> Result<Services, Error> {
    let store = Store::open_beside(url, Clock::system())?;
    Ok(Services::with_store(Models::built_in(), store))
}

/// Services whose hooks are called as a server with these settings would call them.
pub fn services_calling(url: &DatabaseUrl, hooks: &HooksConfig) -> Result<Services, Error> {
    let hooks = hooks::build(hooks, None, &Metrics::new())?;
    Ok(services_beside(url)?.with_hooks(hooks))
}

/// Use cases that keep nothing.
pub fn services_in_memory() -> Result<Services, Error> {
    Ok(Services::new(Models::built_in())?)
}

/// Brings a database's schema up to date; returns how many steps it had applied before, and how
/// many there are.
pub fn migrate(url: &DatabaseUrl) -> Result<(i64, i64), Error> {
    Ok(Store::migrate(url)?)
}

/// Copies a database into a new file, while a server uses it or not.
pub fn backup(url: &DatabaseUrl, to: &Path) -> Result<(), Error> {
    Ok(Store::backup(url, to)?)
}

/// Reads all that is stored and reports what is unsound.
pub fn check(url: &DatabaseUrl) -> Result<CheckReport, Error> {
    Ok(Store::check(url, Clock::system())?)
}

/// Replaces a database that is not in use with a copy; returns the new name of the old database.
pub fn restore(url: &DatabaseUrl, from: &Path, replace: bool) -> Result<Option<PathBuf>, Error> {
    Ok(Store::restore(url, from, replace)?)
}

/// The keys that packs must be signed with.
fn read_pack_keys(file: &Path) -> Result<PublicKeys, Error> {
    let text = std::fs::read_to_string(file)
        .map_err(|source| Error::PackKeys { file: file.to_path_buf(), source })?;
    PublicKeys::parse(&text).map_err(|line| Error::PackKey { file: file.to_path_buf(), line })
}

/// A server that listens but does not answer yet.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    services: Services,
    metrics: Metrics,
    config: Config,
}

impl Server {
    /// Builds every part and begins to listen; connections wait until [`Self::run_until`].
    pub async fn build(config: Config) -> Result<Self, Error> {
        let listen = config.server.listen;
        let mut models = Models::built_in();
        if let Some(path) = &config.server.models_file {
            models.extend(config::read_models(path)?);
        }
        let given = KeySources {
            bootstrap: config.keys.bootstrap_key.as_ref().map(|key| key.reveal().to_owned()),
            has_file: config.keys.keys_file.is_some(),
        };
        let file_keys = config.keys.keys_file.as_deref().map(config::read_keys).transpose()?;
        // Before the store is touched: of two servers with the same settings the second ends here.
        let failed = |source| Error::Listen { address: listen, source };
        let listener = TcpListener::bind(listen).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let store = Store::open(&config.store, Clock::system())?;
        let services =
            Services::guarded(models, store, given).promoting(config.memory.memory_promotion);
        let pack_keys = config.packs.pack_keys_file.as_deref().map(read_pack_keys).transpose()?;
        let services = services.trusting(pack_keys.unwrap_or_default());
        let services = services.with_skills(folder_skills(&config.skills.skills_dir));
        services.set_file_keys(file_keys.unwrap_or_default());
        let is_open = !services.needs_key()?;
        if is_open && !listen.ip().is_loopback() && !config.server.allow_anonymous {
            return Err(Error::Exposed(listen));
        }
        let metrics = Metrics::new();
        let services = services.with_hooks(hooks::build(&config.hooks, Some(address), &metrics)?);
        let services = services.with_summarizer(hooks::summarizer(&config, address)?);
        Ok(Self { listener, address, services, metrics, config })
    }

    /// The address in use, its port settled.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `shutdown` ends; then accepts nothing new, finishes open requests, and returns
    /// within the shutdown timeout. Does the same if the store's disk fails.
    pub async fn run_until(self, shutdown: impl Future<Output = ()> + Send) -> Ending {
        let Self { listener, address, services, metrics, config } = self;
        let pool = Pool::new(config.server.worker_count());
        let worker = Worker::of(services.clone(), pool.clone(), metrics.clone());
        let state = AppState::new(services.clone(), pool, metrics.clone(), &config.limits);
        let router = http::router(state.clone(), &config.limits, &config.server);
        let tasks = Tasks::default();
        let stop = CancellationToken::new();
        jobs::clean(config.store.cleanup_interval(), &services, &tasks, &stop);
        jobs::count(&services, &tasks, &stop);
        jobs::probe(&services, &tasks, &stop);
        jobs::watch_clock(&metrics, &tasks, &stop);
        jobs::follow(&services, &tasks, &stop);
        let lost = CancellationToken::new();
        services.on_store_lost({
            let lost = lost.clone();
            move || lost.cancel()
        });
        if let Some(worker) = worker {
            tasks.spawn(worker.run(stop.clone()));
        }
        if let Some(path) = config.keys.keys_file {
            jobs::read_keys(path, &services, &tasks, &stop);
        }
        let warmed = services.clone();
        tasks.spawn_blocking(move || warmed.warm());
        tasks.spawn_until(&stop, async move {
            let mut ticks = tokio::time::interval(TIDY_INTERVAL);
            loop {
                ticks.tick().await;
                metrics.tidy();
            }
        });

        state.set_ready(true);
        tracing::info!(%address, "listening");
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
            tracing::error!("the disk did not keep what was written");
            timeout = timeout.min(LOST_STORE_GRACE);
        }
        tracing::info!(timeout_ms = u64::try_from(timeout.as_millis()).ok(), "stopping");
        let drained = connections.drain(timeout).await;
        if !drained {
            tracing::warn!("the shutdown timeout has passed with requests open");
        }
        stop.cancel();
        let closed = services.store_closed();
        tasks.spawn_blocking(move || jobs::store_usage(&services));
        drop(state);
        if drained {
            // The next server on the same file must find it free.
            let ended = async {
                tasks.wait_all().await;
                closed.cancelled().await;
            };
            if tokio::time::timeout(timeout, ended).await.is_err() {
                tracing::warn!("the shutdown timeout has passed with the store open");
            }
        }
        tracing::info!("stopped");
        match drained {
            _ if lost.is_cancelled() => Ending::Lost,
            true => Ending::Drained,
            false => Ending::Cut,
        }
    }
}

/// The skills of the server's folders; files that cannot be read are reported in lists of skills.
fn folder_skills(folders: &[PathBuf]) -> FolderSkills {
    let mut read = FolderSkills::default();
    for (path, skill) in config::read_skills(folders) {
        match skill {
            Ok(skill) => read.skills.push(skill),
            Err(message) => {
                tracing::warn!(path = %path.display(), message, "no skill");
                read.errors.push(FolderError { path, message });
            }
        }
    }
    read
}
