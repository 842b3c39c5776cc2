//! What runs beside the requests, from time to time.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use super::tasks::Tasks;
use crate::config;
use crate::service::Services;

/// How often counted use is stored.
const FLUSH_EVERY: Duration = Duration::from_secs(5);
/// How often a store that cannot be written is tried again.
const PROBE_EVERY: Duration = Duration::from_secs(2);
/// How often other nodes' events are read, where there may be others.
const FOLLOW_EVERY: Duration = Duration::from_millis(200);
/// How often the keys file is looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Runs `job` on a thread at once and after every `pause`, never twice at a time.
fn every(
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
    every(pause, tasks, stop, move || {
        if let Err(error) = services.clean() {
            let error: &dyn std::error::Error = &error;
            tracing::warn!(error, "the store was not cleaned up");
        }
    });
}

/// Stores from time to time what was used.
pub(super) fn count(services: &Services, tasks: &Tasks, stop: &CancellationToken) {
    let services = services.clone();
    every(FLUSH_EVERY, tasks, stop, move || store_usage(&services));
}

/// Tries again, while the store cannot be written, whether it can.
pub(super) fn probe(services: &Services, tasks: &Tasks, stop: &CancellationToken) {
    let services = services.clone();
    every(PROBE_EVERY, tasks, stop, move || services.probe());
}

/// Reads what other nodes have committed, where there may be others.
pub(super) fn follow(services: &Services, tasks: &Tasks, stop: &CancellationToken) {
    if services.is_shared() {
        let services = services.clone();
        every(FOLLOW_EVERY, tasks, stop, move || services.follow());
    }
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
    every(LOOK_EVERY, tasks, stop, move || {
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

/// What tells one state of a file from another.
fn state_of(path: &PathBuf) -> Option<(SystemTime, u64)> {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}
