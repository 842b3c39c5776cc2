//! What `fuzz/` reaches of the engine; built by `cargo fuzz` alone.

use std::ops::Range;

use super::notation::{Found, named};

/// The ranges of a text's parts.
pub fn spans(text: &str) -> Vec<Range<usize>> {
    super::segment::segment(text).into_iter().map(|span| span.range).collect()
}

/// Blocks that a notation finds: lines, arguments, body.
pub fn encode(notation: &str, lines: &[&str]) -> Vec<(Range<usize>, String, Vec<String>)> {
    let found = named(notation).map(|notation| notation.encode(lines)).unwrap_or_default();
    let parts = |Found { lines, block }: Found| {
        (lines, block.args, block.body.lines().map(str::to_owned).collect())
    };
    found.into_iter().map(parts).collect()
}

/// What a block of a notation stands for.
pub fn decode(notation: &str, args: &str, body: &[&str], limit: usize) -> Option<String> {
    named(notation)?.decode(args, body, limit)
}

/// The atoms of a text.
pub fn atoms(text: &str) -> Vec<Range<usize>> {
    super::atom::atoms(text)
}

/// A line of a summary.
pub fn one_line(text: &str, width: usize) -> String {
    super::summary::one_line(text, width)
}
