//! The least pace at which bodies must arrive. A client that drips holds memory and a connection for
//! little work, so what is read whole has to come fast enough.

use std::future::Future;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

/// Time until the first bytes of a body must have arrived.
const MAX_BODY_PAUSE: Duration = Duration::from_secs(5);
/// Bytes of a body that must arrive in a second, on average after the first pause.
const MIN_BODY_BYTES_PER_SECOND: usize = 8 * 1024;

/// The pace of one body, from the moment at which it is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct ArrivalPace {
    start: Instant,
}

/// A body arrives too slowly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the body must begin within 5 s and go on at 8 KiB a second or faster")]
pub(super) struct TooSlow;

impl ArrivalPace {
    pub(super) fn start() -> Self {
        Self { start: Instant::now() }
    }

    /// Waits for the next part of a body of which `arrived` bytes are here.
    pub(super) async fn next<F: Future>(
        self,
        arrived: usize,
        part: F,
    ) -> Result<F::Output, TooSlow> {
        timeout_at(self.start + allowed(arrived), part).await.map_err(|_| TooSlow)
    }
}

/// The time after which more than `arrived` bytes must be here.
fn allowed(arrived: usize) -> Duration {
    MAX_BODY_PAUSE + Duration::from_secs((arrived / MIN_BODY_BYTES_PER_SECOND) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_8_kib_earn_a_second_after_the_first_five() {
        for (arrived, seconds) in [(0, 5), (8 * 1024 - 1, 5), (8 * 1024, 6), (80 * 1024, 15)] {
            assert_eq!(allowed(arrived), Duration::from_secs(seconds), "{arrived}");
        }
    }
}
