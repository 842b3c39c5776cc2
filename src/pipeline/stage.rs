//! The stages by name, and the clock that the driver holds to them.

use std::time::{Duration, Instant};

/// Time of a compile by kind of work, for the header `Server-Timing`; no time is in two of them.
#[derive(Debug, Default, Clone, Copy)]
pub struct Timings {
    /// Reading the body.
    pub parse: Duration,
    /// Counting tokens and finding short forms.
    pub count: Duration,
    /// The stages, without counting.
    pub compile: Duration,
    pub hooks: Duration,
    pub store: Duration,
    /// Writing payload and report.
    pub serialise: Duration,
}

/// Runs a piece of work and adds its time to `spent`.
pub fn timed<T>(spent: &mut Duration, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let done = work();
    *spent += start.elapsed();
    done
}
