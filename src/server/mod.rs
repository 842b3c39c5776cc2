//! Puts the parts together, and serves until told to stop.

mod accept;
mod tasks;

use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use self::accept::Acceptor;
use self::tasks::Tasks;
use crate::config::{self, Config};
use crate::domain::{Clock, Models};
use crate::http::{self, AppState, Metrics};
use crate::service::Services;
use crate::service::pool::Pool;
use crate::store::{self, Store};

/// How often recorded samples are folded into buckets.
const TIDY_EVERY: Duration = Duration::from_secs(5);

/// Why the server does not start.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(
        "refusing to listen on {0}: other machines could use the server without a key; pass \
         --allow-anonymous (CONTEXTURE_ALLOW_ANONYMOUS=true) if that is meant, or listen on \
         127.0.0.1"
    )]
    Exposed(SocketAddr),
    #[error("cannot listen on {address} (--listen, CONTEXTURE_LISTEN)")]
    Listen { address: SocketAddr, source: std::io::Error },
    #[error(transparent)]
    Models(#[from] config::ModelsError),
    #[error(transparent)]
    Store(#[from] store::OpenError),
}

/// A server that listens but does not answer yet.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    services: Services,
    config: Config,
}

impl Server {
    /// Builds every part and begins to listen; connections wait until [`Self::run_until`].
    pub async fn build(config: Config) -> Result<Self, Error> {
        let listen = config.server.listen;
        if !listen.ip().is_loopback() && !config.server.allow_anonymous {
            return Err(Error::Exposed(listen));
        }
        let mut models = Models::built_in();
        if let Some(path) = &config.server.models_file {
            models.extend(config::read_models(path)?);
        }
        let store = Store::open(&config.store, Clock::system())?;
        let failed = |source| Error::Listen { address: listen, source };
        let listener = TcpListener::bind(listen).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let services =
            Services::with_store(models, store).promoting(config.memory.memory_promotion);
        Ok(Self { listener, address, services, config })
    }

    /// The address in use, its port settled.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `shutdown` ends; then takes nothing new, answers what was asked, and is back
    /// within the shutdown timeout. Answers whether every open request was answered.
    pub async fn run_until(self, shutdown: impl Future<Output = ()> + Send) -> bool {
        let Self { listener, address, services, config } = self;
        let pool = Pool::new(config.server.worker_count());
        let metrics = Metrics::new();
        let state = AppState::new(services.clone(), pool, metrics.clone(), &config.limits);
        let router = http::router(state.clone(), &config.limits);
        let tasks = Tasks::default();
        let stop = CancellationToken::new();
        clean_every(config.store.cleanup_interval(), &services, &tasks, &stop);
        tasks.spawn_blocking(move || services.warm());
        tasks.spawn_until(&stop, async move {
            let mut ticks = tokio::time::interval(TIDY_EVERY);
            loop {
                ticks.tick().await;
                metrics.tidy();
            }
        });

        state.set_ready(true);
        tracing::info!(%address, "listening");
        let acceptor = Acceptor::new(listener, router, &config.limits, tasks.clone());
        let connections = acceptor.run_until(shutdown).await;
        state.set_ready(false);
        state.stopping().cancel();
        let timeout = config.server.shutdown_timeout();
        tracing::info!(timeout_ms = u64::try_from(timeout.as_millis()).ok(), "stopping");
        let drained = connections.drain(timeout).await;
        if !drained {
            tracing::warn!("the shutdown timeout has passed with requests open");
        }
        stop.cancel();
        if drained {
            tasks.finished(timeout).await;
        }
        tracing::info!("stopped");
        drained
    }
}

/// Removes from time to time what the store need not keep, the first time at once.
fn clean_every(pause: Duration, services: &Services, tasks: &Tasks, stop: &CancellationToken) {
    let (services, cleaners) = (services.clone(), tasks.clone());
    tasks.spawn_until(stop, async move {
        let mut ticks = tokio::time::interval(pause);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            let services = services.clone();
            let cleaner = cleaners.spawn_blocking(move || {
                if let Err(error) = services.clean() {
                    let error: &dyn std::error::Error = &error;
                    tracing::warn!(error, "the store was not cleaned up");
                }
            });
            let _ = cleaner.await;
        }
    });
}
