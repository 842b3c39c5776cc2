//! Periodic background jobs.

use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use super::tasks::Tasks;
use crate::config::{self, StoreConfig};
use crate::domain::Clock;
use crate::service::Services;
use crate::service::gateway::{JournalEntry, JournalReader};
use crate::telemetry::Metrics;

/// Time between writes of usage to the store.
const FLUSH_INTERVAL: Duration = Duration::from_secs(5);
/// Time between looks for prefixes that run out in their providers' caches.
const EXPIRING_INTERVAL: Duration = Duration::from_secs(1);
/// Time between attempts to write to a store that could not be written.
const PROBE_INTERVAL: Duration = Duration::from_secs(2);
/// Time between reads of other nodes' events, if there may be other nodes.
const FOLLOW_INTERVAL: Duration = Duration::from_millis(200);
/// Time between checks of the keys file and of the clock.
const WATCH_INTERVAL: Duration = Duration::from_secs(1);
/// Smallest change that counts as a jump. A clock that is kept in time moves by less between two
/// checks.
const MIN_JUMP_MS: u64 = 2_000;

/// Time between folds of recorded metric samples into buckets.
const TIDY_INTERVAL: Duration = Duration::from_secs(5);

/// Starts what a server with this store does by itself, until `stop`.
pub(super) fn start(
    store: &StoreConfig,
    services: &Services,
    metrics: &Metrics,
    tasks: &Tasks,
    stop: &CancellationToken,
) {
    clean(store.cleanup_interval(), services, tasks, stop);
    count(services, tasks, stop);
    publish_expiring_caches(store.cache_expiring(), services, tasks, stop);
    probe(services, tasks, stop);
    watch_clock(metrics, tasks, stop);
    follow(services, tasks, stop);
    tidy(metrics, tasks, stop);
}

/// Folds the samples of metrics.
fn tidy(metrics: &Metrics, tasks: &Tasks, stop: &CancellationToken) {
    let metrics = metrics.clone();
    tasks.spawn_until(stop, async move {
        let mut ticks = tokio::time::interval(TIDY_INTERVAL);
        loop {
            ticks.tick().await;
            metrics.tidy();
        }
    });
}

/// Runs `job` on a thread now and after every `interval`, never twice at a time.
fn spawn_every(
    interval: Duration,
    tasks: &Tasks,
    stop: &CancellationToken,
    mut job: impl FnMut() + Send + 'static,
) {
    let threads = tasks.clone();
    tasks.spawn_until(stop, async move {
        let mut ticks = tokio::time::interval(interval);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            let done = threads.spawn_blocking(move || {
                job();
                job
            });
            // A job that panicked is not run again.
            let Ok(again) = done.await else { return };
            job = again;
        }
    });
}

/// Removes expired data from the store, at every `interval`.
fn clean(interval: Duration, services: &Services, tasks: &Tasks, stop: &CancellationToken) {
    let services = services.clone();
    spawn_every(interval, tasks, stop, move || {
        if let Err(error) = services.clean() {
            let error: &dyn std::error::Error = &error;
            tracing::warn!(
                error,
                "expired data could not be removed, retrying at the next cleanup"
            );
        }
    });
}

/// Writes usage to the store periodically.
fn count(services: &Services, tasks: &Tasks, stop: &CancellationToken) {
    let services = services.clone();
    spawn_every(FLUSH_INTERVAL, tasks, stop, move || store_usage(&services));
}

/// Publishes prefixes of sessions that run out in their providers' caches within `lead`.
fn publish_expiring_caches(
    lead: Duration,
    services: &Services,
    tasks: &Tasks,
    stop: &CancellationToken,
) {
    if lead.is_zero() {
        return;
    }
    let services = services.clone();
    spawn_every(EXPIRING_INTERVAL, tasks, stop, move || {
        if let Err(error) = services.publish_expiring_caches(lead) {
            tracing::debug!(%error, "cache:expiring events could not be published");
        }
    });
}

/// Tries to write to the store periodically, if it could not be written before.
fn probe(services: &Services, tasks: &Tasks, stop: &CancellationToken) {
    let services = services.clone();
    spawn_every(PROBE_INTERVAL, tasks, stop, move || services.probe());
}

/// Reads the events of other nodes periodically, if there may be other nodes.
fn follow(services: &Services, tasks: &Tasks, stop: &CancellationToken) {
    if services.is_shared() {
        let services = services.clone();
        spawn_every(FOLLOW_INTERVAL, tasks, stop, move || services.follow());
    }
}

/// Stores what is to be stored about requests through the gateway, in their order. At a stop, all that
/// were noted are stored first.
pub(super) fn write_journal(mut journal: JournalReader, tasks: &Tasks, stop: &CancellationToken) {
    let (threads, stop) = (tasks.clone(), stop.clone());
    tasks.spawn(async move {
        loop {
            let entries = tokio::select! {
                biased;
                entries = journal.next() => entries,
                () = stop.cancelled() => journal.rest(),
            };
            if entries.is_empty() {
                return;
            }
            let store = move || entries.into_iter().for_each(JournalEntry::store);
            if threads.spawn_blocking(store).await.is_err() {
                tracing::error!(
                    "recording requests of the gateway panicked; some of them have no record"
                );
            }
        }
    });
}

/// Reports jumps of the machine's clock. Dates follow the clock, but timeouts and deadlines do not.
fn watch_clock(metrics: &Metrics, tasks: &Tasks, stop: &CancellationToken) {
    let metrics = metrics.clone();
    tasks.spawn_until(stop, async move {
        let clock = Clock::system();
        let mut ticks = tokio::time::interval(WATCH_INTERVAL);
        let mut before = (clock.now().micros(), Instant::now());
        loop {
            ticks.tick().await;
            let now = (clock.now().micros(), Instant::now());
            let elapsed = i64::try_from((now.1 - before.1).as_micros()).unwrap_or(i64::MAX);
            let jump_ms = (now.0 - before.0).saturating_sub(elapsed) / 1000;
            if jump_ms.unsigned_abs() >= MIN_JUMP_MS {
                tracing::warn!(jump_ms, "the clock jumped");
                metrics.record_clock_jump();
            }
            before = now;
        }
    });
}

pub(super) fn store_usage(services: &Services) {
    if let Err(error) = services.flush_usage() {
        let error: &dyn std::error::Error = &error;
        tracing::warn!(
            error,
            "usage could not be stored; it stays in memory until the next attempt"
        );
    }
}

/// Reads the keys file again after each change. If it cannot be read, the keys stay as they are.
pub(super) fn read_keys(
    path: PathBuf,
    services: &Services,
    tasks: &Tasks,
    stop: &CancellationToken,
) {
    let services = services.clone();
    // The first check always reads the file, because it may have changed since the start.
    let mut seen = None;
    spawn_every(WATCH_INTERVAL, tasks, stop, move || {
        let now = file_state(&path);
        if seen == Some(now) {
            return;
        }
        seen = Some(now);
        match config::read_keys(&path) {
            Ok(keys) => {
                tracing::info!(keys = keys.len(), "the keys file was reloaded");
                services.set_file_keys(keys);
            }
            Err(error) => {
                let error: &dyn std::error::Error = &error;
                tracing::error!(
                    error,
                    "the keys file could not be reloaded; the keys read before stay valid"
                );
            }
        }
    });
}

/// Returns the modification time and size of a file, which show whether it has changed.
fn file_state(path: &PathBuf) -> Option<(SystemTime, u64)> {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}
