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
//! The header tells the sign of depth. A line that is followed by a deeper one is what all the
//! deeper ones begin with; every other line stands for itself behind what it hangs under.

use super::{Block, Found, Notation, quoted, reports_error, unquoted};

/// Bytes from which a shared beginning is written on a line of its own.
const LEAST_BYTES: usize = 6;
/// How deep lines may hang.
const DEEPEST: usize = 12;
/// Signs of depth, the first that no line begins with is taken.
const SIGNS: [&str; 4] = [">", "~", "^", "`"];

#[derive(Debug)]
pub(crate) struct Tree;

impl Notation for Tree {
    fn name(&self) -> &'static str {
        "tree"
    }

    fn encode(&self, lines: &[&str]) -> Vec<Found> {
        let mut found = Vec::new();
        let mut start = 0;
        // Where neighbours share nothing, and where an error is reported, a run ends.
        for at in 1..=lines.len() {
            let joins = match (lines.get(at - 1), lines.get(at)) {
                (Some(above), Some(below)) => {
                    shared(above, below) > 0 && !reports_error(above) && !reports_error(below)
                }
                _ => false,
            };
            if !joins {
                let run = lines.get(start..at).unwrap_or_default();
                if run.len() >= 3
                    && let Some(block) = block(run)
                {
                    found.push(Found { lines: start..at, block });
                }
                start = at;
            }
        }
        found
    }

    fn decode(&self, args: &str, body: &[&str], limit: usize) -> Option<String> {
        let sign = unquoted(args)?;
        let sign = SIGNS.into_iter().find(|known| *known == sign)?;
        let mut out = String::new();
        // Ends, in `path`, of what each depth begins with.
        let mut path = String::new();
        let mut ends: Vec<usize> = Vec::new();
        let mut first = true;
        for (index, line) in body.iter().enumerate() {
            let (depth, rest) = depth(line, sign);
            if depth > ends.len() || depth > DEEPEST {
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
    let alike = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    let head = a.as_bytes().get(..alike).unwrap_or_default();
    let ends_name = |byte: &u8| matches!(byte, b'/' | b' ' | b'\t' | b':' | b'|' | b'=' | b'\\');
    let cut = head.iter().rposition(ends_name).map_or(0, |at| at + 1);
    // White space alone says nothing worth a line.
    let says = head.get(..cut).unwrap_or_default().iter().any(u8::is_ascii_alphanumeric);
    if says { cut } else { 0 }
}

fn block(lines: &[&str]) -> Option<Block> {
    let sign = SIGNS.into_iter().find(|sign| !lines.iter().any(|line| line.contains(sign)))?;
    // What each line shares with the one below it.
    let alike: Vec<usize> = lines
        .windows(2)
        .map(|pair| shared(pair.first().unwrap_or(&""), pair.get(1).unwrap_or(&"")))
        .collect();
    let mut body = Vec::with_capacity(lines.len() + 8);
    // Lengths of the beginnings that are open, the deepest last.
    let mut open: Vec<usize> = Vec::new();
    let mut saved = 0_usize;
    for (at, line) in lines.iter().enumerate() {
        let above = at.checked_sub(1).and_then(|above| alike.get(above)).copied().unwrap_or(0);
        while open.last().is_some_and(|length| *length > above) {
            open.pop();
        }
        // A beginning opens where it lasts for at least two more lines or is long.
        let mut held = open.last().copied().unwrap_or(0);
        let mut next = lasting(&alike, at, held);
        while next > held && open.len() < DEEPEST {
            let part = line.get(held..next)?;
            body.push(format!("{}{part}", sign.repeat(open.len())));
            open.push(next);
            held = next;
            next = lasting(&alike, at, held);
        }
        body.push(format!("{}{}", sign.repeat(open.len()), line.get(held..)?));
        saved += held;
    }
    let shown: usize = body.iter().map(|line| line.len() + 1).sum();
    let plain: usize = lines.iter().map(|line| line.len() + 1).sum();
    (saved > 0 && shown + 12 < plain).then(|| Block { args: quoted(sign), body })
}

/// How long a beginning, longer than `held`, is worth opening at line `at`; `held` if none is.
fn lasting(alike: &[usize], at: usize, held: usize) -> usize {
    /// Lines that are looked ahead.
    const AHEAD: usize = 64;
    let mut best = (0, held);
    let mut least = usize::MAX;
    for (count, length) in alike.get(at..).unwrap_or_default().iter().take(AHEAD).enumerate() {
        least = least.min(*length);
        if least < held + LEAST_BYTES {
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
