//! The key `clear`: which tool results rung 3 takes.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Level;
use super::section::{MAX_TURNS, section};
use crate::json::{Faults, Fields, Node};

const CLEAR: &[&str] = &["keep", "least_tokens", "exclude_tools"];
/// The value of `clear.keep` that keeps every result.
const KEEP_ALL: &str = "all";

/// The key `clear`: which tool results rung 3 takes.
#[derive(Debug, Clone)]
pub struct ClearOptions {
    /// Whether anything is cleared; `clear: false` and `keep: "all"` say no.
    pub is_on: bool,
    /// The newest results stay.
    pub keep: usize,
    /// Results of fewer tokens stay.
    pub least_tokens: u64,
    /// Results of these tools stay.
    pub exclude_tools: BTreeSet<Arc<str>>,
}

impl Default for ClearOptions {
    fn default() -> Self {
        Self { is_on: true, keep: 3, least_tokens: 0, exclude_tools: BTreeSet::new() }
    }
}

impl ClearOptions {
    /// Those of a request in which nothing is cleared.
    fn off() -> Self {
        Self { is_on: false, keep: usize::MAX, ..Self::default() }
    }

    /// Reads `clear`: `false`, or what may be cleared. At a `level` that goes no further than to
    /// shorten, a list of adapters says what is wanted: nothing is cleared unless that is asked for.
    pub(crate) fn read(fields: &Fields<'_, '_>, level: Level, faults: &mut Faults) -> Self {
        match fields.get("clear") {
            Some(node) if node.as_bool() == Some(false) => return Self::off(),
            Some(node) if node.as_bool() == Some(true) => return Self::default(),
            None if level == Level::Reversible && fields.get("adapters").is_some() => {
                return Self::off();
            }
            _ => {}
        }
        let mut read = Self::default();
        let Some(given) = section(fields, "clear", fields.path(), CLEAR, faults) else {
            return read;
        };
        if given.get("keep").and_then(Node::as_str) == Some(KEEP_ALL) {
            read = Self::off();
        } else {
            let keep = given.whole("keep", 0, MAX_TURNS, faults);
            read.keep = keep.and_then(|keep| usize::try_from(keep).ok()).unwrap_or(read.keep);
        }
        read.least_tokens = given.whole("least_tokens", 0, 1 << 40, faults).unwrap_or(0);
        let tools = given.texts("exclude_tools", 1_000, faults);
        read.exclude_tools = tools.into_iter().map(Into::into).collect();
        read
    }
}
