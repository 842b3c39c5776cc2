//! Polling: tests wait for a condition, not for a time.

use std::time::{Duration, Instant};

/// Longer than any condition takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);
/// Pause between two polls.
const PAUSE: Duration = Duration::from_millis(5);

/// Polls until `look` returns something. Panics after 20 seconds.
pub async fn until<T>(look: impl AsyncFnMut() -> Option<T>) -> T {
    until_within(PATIENCE, "it does not come about", look).await
}

/// Polls until `look` returns something. Panics with `complaint` if that takes too long.
pub async fn until_within<T>(
    patience: Duration,
    complaint: &str,
    mut look: impl AsyncFnMut() -> Option<T>,
) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look().await {
            return found;
        }
        assert!(start.elapsed() < patience, "{complaint} within {patience:?}");
        tokio::time::sleep(PAUSE).await;
    }
}
