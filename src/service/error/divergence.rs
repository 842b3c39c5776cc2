//! Refusal of a replay whose hooks would get other inputs than the recorded ones.

use std::sync::Arc;

use crate::hook::Point;

/// A hook of a replay has an input for which the record has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("hook `{hook}` at `{point}` is asked something else than what was recorded")]
pub struct Divergence {
    /// The compilation that is replayed.
    pub id: Arc<str>,
    pub hook: Arc<str>,
    pub point: Point,
    /// Number of times that the point was reached before.
    pub occurrence: u32,
    /// JSON Pointer of the first difference in the hook's request; none if the recorded input is
    /// not available.
    pub pointer: Option<String>,
}
