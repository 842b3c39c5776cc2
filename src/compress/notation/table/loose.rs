//! Documents that are no JSON as they stand: cut off, or printed by Python.

use super::{TableNotation, cut_off, repr};
use crate::compress::notation::{FoundBlock, Notation, NotationKind};
use crate::domain::ValueClass;

/// What no document is as a whole: JSON that is cut off, and what Python prints of its lists and dicts.
pub(crate) struct LooseJsonNotation;

impl Notation for LooseJsonNotation {
    fn name(&self) -> &'static str {
        TableNotation.name()
    }

    fn encode(&self, lines: &[&str], values: ValueClass) -> Vec<FoundBlock> {
        let all = 0..lines.len();
        if values >= NotationKind::CutJson.values()
            && lines.first().is_some_and(|line| line.starts_with(['{', '[']))
            && let Some(block) = cut_off::encode(lines)
        {
            return vec![FoundBlock { lines: all, block }];
        }
        let block = |(at, line): (usize, &&str)| {
            let block = repr::encode(line)?;
            Some(FoundBlock { lines: at..at + 1, block })
        };
        lines.iter().enumerate().filter_map(block).collect()
    }

    fn kind(&self, args: &str, body: &[&str]) -> NotationKind {
        TableNotation.kind(args, body)
    }

    fn decode(&self, args: &str, body: &[&str], limit: usize) -> Option<String> {
        TableNotation.decode(args, body, limit)
    }
}

/// Whether a text may hold what [`LooseJsonNotation`] writes.
pub(crate) fn may_be_loose_json(text: &str) -> bool {
    text.starts_with(['{', '[']) || ["\n{'", "\n[{'", "\n['"].iter().any(|head| text.contains(head))
}
