//! From blocks back to their lines.

use super::mark::{self, BlockHeader, is_legend};
use crate::compress::notation::{DecodeSink, find_notation};
use crate::compress::text::lines_of;

/// The text that one with blocks represents: `None` if a block is not one of ours or the text
/// grows beyond `left` bytes. What was made is taken from `left`, whether it is of use or not.
pub(super) fn decode(text: &str, left: &mut usize) -> Option<String> {
    let mut out = DecodeSink::with_limit(*left);
    let (done, lost) = match append(&mut out, text) {
        Ok(()) => (true, 0),
        Err(lost) => (false, lost),
    };
    let made = out.into_text();
    *left = left.saturating_sub(made.len()).saturating_sub(lost);
    done.then_some(made)
}

/// Whether a text with blocks represents another one.
pub(super) fn decodes_to(text: &str, other: &str) -> bool {
    let mut out = DecodeSink::comparing(other);
    append(&mut out, text).is_ok() && out.bytes_left() == 0
}

/// Writes the decoded text. An error holds the bytes that a block which failed is charged with.
fn append(out: &mut DecodeSink<'_>, text: &str) -> Result<(), usize> {
    // A text that would be longer than allowed is charged with all that is left.
    const WHOLE_ALLOWANCE: usize = usize::MAX;
    let mut lines = lines_of(text).peekable();
    let mut first = true;
    while let Some(line) = lines.next() {
        if !std::mem::take(&mut first) {
            out.push("\n").ok_or(WHOLE_ALLOWANCE)?;
        }
        if mark::is_marked(line) {
            let header = BlockHeader::parse(line).ok_or(0_usize)?;
            let notation = find_notation(header.name).ok_or(0_usize)?;
            lines.next_if(|line| is_legend(line));
            let mut body = Vec::with_capacity(header.lines.min(text.len() / 16));
            body.extend(lines.by_ref().take(header.lines));
            if body.len() < header.lines {
                return Err(0);
            }
            // It may have made as much as it was let before it failed. With a part of that for
            // each, a list of blocks that fail cannot hold a thread for long.
            let failed = out.bytes_left().div_ceil(16);
            notation.write(header.args, &body, out).ok_or(failed)?;
        } else {
            out.push(line).ok_or(WHOLE_ALLOWANCE)?;
        }
    }
    Ok(())
}
