//! Lines that begin alike, as listings, searches and status reports print them: what several
//! lines in a row begin with is written once, above them.
//!
//! ```text
//! §tree 4 ">"
//! src/http/
//! >body.rs
//! >layer.rs
//! README.md
//! ```
//!
//! The header has the sign of depth. A line that is followed by a deeper one is what all the
//! deeper ones begin with; every other line represents itself after what it hangs under.

use super::{
    BlockBody, ErrorLines, FoundBlock, Notation, NotationBlock, NotationKind, quote, unquote,
};
use crate::compress::gaps::is_gap_line;
use crate::compress::text::{common, has};
use crate::domain::ValueClass;

/// Bytes from which a shared beginning is written on a line of its own.
const MIN_SHARED_BYTES: usize = 6;
/// Depth of lines below each other.
const MAX_DEPTH: usize = 12;
/// Signs of depth, the first that no line begins with is taken.
const DEPTH_SIGNS: [&str; 4] = [">", "~", "^", "`"];

#[derive(Debug)]
pub(crate) struct TreeNotation;

impl Notation for TreeNotation {
    fn name(&self) -> &'static str {
        "tree"
    }

    fn encode(&self, lines: &[&str], values: ValueClass) -> Vec<FoundBlock> {
        self.encode_seen(lines, values, &mut ErrorLines::new(lines.len()))
    }

    fn encode_seen(
        &self,
        lines: &[&str],
        values: ValueClass,
        seen: &mut ErrorLines<'_>,
    ) -> Vec<FoundBlock> {
        let mut found = Vec::new();
        if values < NotationKind::Tree.values() {
            return found;
        }
        let mut start = 0;
        // Bytes that each line of the run shares with the one below it.
        let mut alike = Vec::new();
        // A run ends between neighbours that share nothing, and at a line that stays as it is.
        for at in 1..=lines.len() {
            let mut shares = 0;
            if let (Some(above), Some(below)) = (lines.get(at - 1), lines.get(at)) {
                shares = shared(above, below);
                let mut stays = |at, line: &str| is_gap_line(line) || seen.reports(at, line);
                if shares > 0 && (stays(at - 1, above) || stays(at, below)) {
                    shares = 0;
                }
            }
            if shares > 0 {
                alike.push(shares);
                continue;
            }
            let run = lines.get(start..at).unwrap_or_default();
            if run.len() >= 3
                && let Some(block) = block(run, &alike)
            {
                found.push(FoundBlock { lines: start..at, block });
            }
            alike.clear();
            start = at;
        }
        found
    }

    /// A line saves what it begins with like the one above but for a sign of depth, if that is
    /// long enough to be written above them; the end of a name is not looked for.
    fn at_most(&self, lines: &[&str]) -> Option<usize> {
        let pairs = lines.iter().zip(lines.iter().skip(1));
        let alike = pairs.map(|(above, below)| common(above.as_bytes(), below.as_bytes()));
        Some(alike.filter(|alike| *alike >= MIN_SHARED_BYTES).map(|alike| alike - 1).sum())
    }

    fn kind(&self, _: &str, _: &[&str]) -> NotationKind {
        NotationKind::Tree
    }

    fn decode(&self, args: &str, body: &[&str], limit: usize) -> Option<String> {
        let sign = unquote(args)?;
        let sign = DEPTH_SIGNS.into_iter().find(|known| *known == sign)?;
        let mut out = String::new();
        // Ends, in `path`, of what each depth begins with.
        let mut path = String::new();
        let mut ends: Vec<usize> = Vec::new();
        let mut first = true;
        for (index, line) in body.iter().enumerate() {
            let (depth, rest) = depth(line, sign);
            if depth > ends.len() || depth > MAX_DEPTH {
                return None;
            }
            ends.truncate(depth);
            path.truncate(ends.last().copied().unwrap_or_default());
            let deeper = body.get(index + 1).is_some_and(|next| self::depth(next, sign).0 > depth);
            if deeper {
                path.push_str(rest);
                ends.push(path.len());
                continue;
            }
            if !std::mem::take(&mut first) {
                out.push('\n');
            }
            out.push_str(&path);
            out.push_str(rest);
            if out.len() > limit {
                return None;
            }
        }
        Some(out)
    }
}

fn depth<'l>(line: &'l str, sign: &str) -> (usize, &'l str) {
    let rest = line.trim_start_matches(sign);
    (line.len() - rest.len(), rest)
}

/// Bytes that two lines begin with alike, cut back to where a name ends.
fn shared(a: &str, b: &str) -> usize {
    let alike = common(a.as_bytes(), b.as_bytes());
    let head = a.as_bytes().get(..alike).unwrap_or_default();
    let ends_name = |byte: &u8| matches!(byte, b'/' | b' ' | b'\t' | b':' | b'|' | b'=' | b'\\');
    let cut = head.iter().rposition(ends_name).map_or(0, |at| at + 1);
    // White space alone says nothing worth a line.
    let says = head.get(..cut).unwrap_or_default().iter().any(u8::is_ascii_alphanumeric);
    if says { cut } else { 0 }
}

fn holds(lines: &[&str], sign: &str) -> bool {
    let sign = sign.bytes().next().unwrap_or(0);
    lines.iter().any(|line| has(line.as_bytes(), sign))
}

/// A run of lines as a block, if that is shorter; `alike` is what each shares with the next.
fn block(lines: &[&str], alike: &[usize]) -> Option<NotationBlock> {
    let sign = DEPTH_SIGNS.into_iter().find(|sign| !holds(lines, sign))?;
    let plain: usize = lines.iter().map(|line| line.len() + 1).sum();
    let mut body = BlockBody::with_capacity(plain);
    // Lengths of the beginnings that are open, the deepest last.
    let mut open: Vec<usize> = Vec::new();
    let mut saved = 0_usize;
    for (at, line) in lines.iter().enumerate() {
        let above = at.checked_sub(1).and_then(|above| alike.get(above)).copied().unwrap_or(0);
        while open.last().is_some_and(|length| *length > above) {
            open.pop();
        }
        // A beginning opens if it lasts for at least two more lines or is long.
        let mut held = open.last().copied().unwrap_or(0);
        let mut next = lasting_length(alike, at, held);
        while next > held && open.len() < MAX_DEPTH {
            write_indented(&mut body, sign, open.len(), line.get(held..next)?);
            open.push(next);
            held = next;
            next = lasting_length(alike, at, held);
        }
        write_indented(&mut body, sign, open.len(), line.get(held..)?);
        saved += held;
    }
    (saved > 0 && body.text().len() + 12 < plain).then(|| NotationBlock { args: quote(sign), body })
}

/// A line of text after so many signs.
fn write_indented(body: &mut BlockBody, sign: &str, depth: usize, text: &str) {
    let line = body.line();
    line.extend(std::iter::repeat_n(sign, depth));
    line.push_str(text);
}

/// Length of the beginning, longer than `held`, that is worth opening at line `at`; `held` if there
/// is none.
fn lasting_length(alike: &[usize], at: usize, held: usize) -> usize {
    /// Lines that are looked ahead.
    const MAX_LOOKAHEAD_LINES: usize = 64;
    let mut best = (0, held);
    let mut least = usize::MAX;
    for (count, length) in
        alike.get(at..).unwrap_or_default().iter().take(MAX_LOOKAHEAD_LINES).enumerate()
    {
        least = least.min(*length);
        if least < held + MIN_SHARED_BYTES {
            break;
        }
        // Each line below saves the part; the part's own line and the signs cost.
        let gain = (least - held) * (count + 1);
        let cost = 4 + count;
        if gain > cost && gain - cost > best.0 {
            best = (gain - cost, least);
        }
    }
    best.1
}
