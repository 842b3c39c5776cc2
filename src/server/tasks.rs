//! Spawns all tasks of the server, so that a stop can wait for all of them.

use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Tracks the tasks that run next to the accept loop. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(super) struct Tasks {
    tracker: TaskTracker,
}

impl Tasks {
    /// Runs `task` until it ends or `stop` is cancelled, whichever is first.
    pub(super) fn spawn_until<F>(&self, stop: &CancellationToken, task: F)
    where
        F: Future + Send + 'static,
    {
        let stop = stop.clone();
        self.tracker.spawn(async move {
            tokio::select! {
                _ = task => {}
                () = stop.cancelled() => {}
            }
        });
    }

    /// Runs `task`, which ends by itself when a stop is requested.
    pub(super) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.tracker.spawn(task);
    }

    /// Runs `job` on a thread that may block.
    pub(super) fn spawn_blocking<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> JoinHandle<T> {
        self.tracker.spawn_blocking(job)
    }

    /// Waits until all tasks have ended.
    pub(super) async fn wait_all(&self) {
        self.tracker.close();
        self.tracker.wait().await;
    }
}
