//! Periodic background jobs.

use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use super::tasks::Tasks;
use crate::config;
use crate::domain::Clock;
use crate::service::Services;
use crate::telemetry::Metrics;

/// How often usage is stored.
const FLUSH_INTERVAL: Duration = Duration::from_secs(5);
/// How often a store that cannot be written is tried again.
const PROBE_INTERVAL: Duration = Duration::from_secs(2);
/// How often other nodes' events are read, if there may be other nodes.
const FOLLOW_INTERVAL: Duration = Duration::from_millis(200);
/// How often the keys file, and the clock, are checked.
const WATCH_INTERVAL: Duration = Duration::from_secs(1);
/// From one look to the next a clock that is kept right moves by less.
const MIN_JUMP_MS: u64 = 2_000;

/// Runs `job` on a thread at once and after every `pause`, never twice at a time.
fn spawn_every(
    pause: Duration,
    tasks: &Tasks,
    stop: &CancellationToken,
    mut job: impl FnMut() + Send + 'static,
) {
    let threads = tasks.clone();
    tasks.spawn_until(stop, async move {
        let mut ticks = tokio::time::interval(pause);
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

/// Removes from time to time what the store need not keep.
pub(super) fn clean(pause: Duration, services: &Services, tasks: &Tasks, stop: &CancellationToken) {
    let services = services.clone();
    spawn_every(pause, tasks, stop, move || {
        if let Err(error) = services.clean() {
            let error: &dyn std::error::Error = &error;
            tracing::warn!(error, "the store was not cleaned up");
        }
    });
}

/// Stores from time to time what was used.
pub(super) fn count(services: &Services, tasks: &Tasks, stop: &CancellationToken) {
    let services = services.clone();
    spawn_every(FLUSH_INTERVAL, tasks, stop, move || store_usage(&services));
}

/// Tries again, while the store cannot be written, whether it can.
pub(super) fn probe(services: &Services, tasks: &Tasks, stop: &CancellationToken) {
    let services = services.clone();
    spawn_every(PROBE_INTERVAL, tasks, stop, move || services.probe());
}

/// Reads what other nodes have committed, if there may be other nodes.
pub(super) fn follow(services: &Services, tasks: &Tasks, stop: &CancellationToken) {
    if services.is_shared() {
        let services = services.clone();
        spawn_every(FOLLOW_INTERVAL, tasks, stop, move || services.follow());
    }
}

/// Reports when the machine's clock was set: dates follow it, waits and deadlines do not.
pub(super) fn watch_clock(metrics: &Metrics, tasks: &Tasks, stop: &CancellationToken) {
    let metrics = metrics.clone();
    tasks.spawn_until(stop, async move {
        let clock = Clock::system();
        let mut ticks = tokio::time::interval(WATCH_INTERVAL);
        let mut before = (clock.now().micros(), Instant::now());
        loop {
            ticks.tick().await;
            let now = (clock.now().micros(), Instant::now());
            let went = i64::try_from((now.1 - before.1).as_micros()).unwrap_or(i64::MAX);
            let jump_ms = (now.0 - before.0).saturating_sub(went) / 1000;
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
        tracing::warn!(error, "usage was not stored; it is kept in memory");
    }
}

/// Reads the keys file when it has changed. One that cannot be read changes nothing.
pub(super) fn read_keys(
    path: PathBuf,
    services: &Services,
    tasks: &Tasks,
    stop: &CancellationToken,
) {
    let services = services.clone();
    // The first look reads it again: it may have changed since the start.
    let mut seen = None;
    spawn_every(WATCH_INTERVAL, tasks, stop, move || {
        let now = state_of(&path);
        if seen == Some(now) {
            return;
        }
        seen = Some(now);
        match config::read_keys(&path) {
            Ok(keys) => {
                tracing::info!(keys = keys.len(), "the keys file was read again");
                services.set_file_keys(keys);
            }
            Err(error) => {
                let error: &dyn std::error::Error = &error;
                tracing::error!(error, "the keys file was not read again: the keys before stand");
            }
        }
    });
}

/// The identity of a file's state: its time of change and its size.
fn state_of(path: &PathBuf) -> Option<(SystemTime, u64)> {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}
