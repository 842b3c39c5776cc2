//! The numbers of the stages, and how their time is measured.

use std::time::{Duration, Instant};

use crate::domain::Stage;

/// A stage, and what it does without and with a pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StageRow {
    /// The number by which comments and ARCHITECTURE.md name the stage; lines of a ledger have this
    /// order.
    pub number: usize,
    pub stage: Stage,
    /// The name in the ledger that a compiled context publishes; none if a pack has no say in the
    /// stage.
    pub pack_name: Option<&'static str>,
}

/// The stages of every compile, governed by a pack or not.
pub const STAGES: [StageRow; 13] = [
    row(0, Stage::Ingest, None),
    row(1, Stage::Intent, Some("intent")),
    row(2, Stage::Policy, Some("policy")),
    row(3, Stage::Tools, Some("tools")),
    row(4, Stage::Evidence, Some("evidence")),
    row(5, Stage::Memory, Some("memory")),
    row(6, Stage::Budget, Some("budget")),
    row(7, Stage::Compress, None),
    row(8, Stage::Inject, None),
    row(9, Stage::Assemble, Some("buckets")),
    row(10, Stage::Transform, None),
    row(11, Stage::Manifest, Some("manifests")),
    row(12, Stage::Format, None),
];

const fn row(number: usize, stage: Stage, pack_name: Option<&'static str>) -> StageRow {
    StageRow { number, stage, pack_name }
}

/// The name of a stage in the ledger that a compiled context publishes.
pub(super) fn pack_name(stage: Stage) -> &'static str {
    let row = STAGES.iter().find(|row| row.stage == stage);
    row.and_then(|row| row.pack_name).unwrap_or_else(|| stage.as_str())
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_the_order_of_the_ledger() {
        let numbered: Vec<_> = STAGES.iter().map(|row| (row.number, row.stage)).collect();
        let words = Stage::WORDS.iter().map(|(_, stage)| *stage);
        assert_eq!(numbered, words.enumerate().collect::<Vec<_>>());
        let names = STAGES.iter().filter_map(|row| row.pack_name);
        assert_eq!(
            names.collect::<Vec<_>>(),
            ["intent", "policy", "tools", "evidence", "memory", "budget", "buckets", "manifests"]
        );
    }
}
