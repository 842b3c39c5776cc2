//! `repeat`: a line, or a few lines, that directly follow themselves.
//!
//! ```text
//! §repeat 2 ×37
//! waiting for the lock
//! still held by 4711
//! ```
//!
//! The body is what is there once, the number how often it was there. Lines are equal byte
//! for byte, so this holds for lines that report errors as well.

use super::{FoundBlock, Notation, NotationBlock, NotationKind};
use crate::compress::text::{hash, is_same, mix, parse_digits};
use crate::domain::ValueClass;

/// Lines that repeat together.
const MAX_PERIOD_LINES: usize = 32;
/// Later places of its first line that a repeat is looked for at.
const MAX_LATER_PLACES: usize = 4;
/// Bytes that a repeat must save to be worth a header.
const MIN_SAVED_BYTES: usize = 24;

/// Repeats and their counts; see the module.
#[derive(Debug)]
pub(crate) struct RepeatNotation;

impl Notation for RepeatNotation {
    fn name(&self) -> &'static str {
        "repeat"
    }

    fn encode(&self, lines: &[&str], _: ValueClass) -> Vec<FoundBlock> {
        let next = next_places(lines);
        let mut found = Vec::new();
        let mut at = 0;
        while at < lines.len() {
            let Some((period, times)) = best(lines, &next, at) else {
                at += 1;
                continue;
            };
            let body = lines.iter().skip(at).take(period).copied().collect();
            let end = at + period * times;
            found.push(FoundBlock {
                lines: at..end,
                block: NotationBlock { args: format!("×{times}"), body },
            });
            at = end;
        }
        found
    }

    fn kind(&self, _: &str, _: &[&str]) -> NotationKind {
        NotationKind::Repeat
    }

    fn decode(&self, args: &str, body: &[&str], limit: usize) -> Option<String> {
        let times: usize = parse_digits(args.strip_prefix('×')?).filter(|times| *times > 1)?;
        if body.is_empty() {
            return None;
        }
        let once = body.join("\n");
        let length = once.len().checked_add(1)?.checked_mul(times)?.checked_sub(1)?;
        if length > limit {
            return None;
        }
        // Empty lines are as many bytes as line breaks, so the limit bounds the count too.
        let mut text = format!("{once}\n").repeat(times);
        text.pop();
        Some(text)
    }
}

/// The next place of each line, if it is within reach.
fn next_places(lines: &[&str]) -> Vec<Option<usize>> {
    let hashes: Vec<u32> = lines.iter().map(|line| short_hash(line)).collect();
    let within = |at: usize| hashes.get(at + 1..hashes.len().min(at + 1 + MAX_PERIOD_LINES));
    let again = |(at, line): (usize, &&str)| {
        let below = within(at)?;
        let own = hashes.get(at)?;
        // No early end: so many are compared at once, and most lines are nowhere else.
        if below.iter().map(|hash| u32::from(hash == own)).sum::<u32>() == 0 {
            return None;
        }
        let places = below.iter().zip(at + 1..).filter(|(hash, _)| *hash == own);
        let mut places = places.map(|(_, later)| later);
        places.find(|later| lines.get(*later).is_some_and(|later| is_same(line, later)))
    };
    lines.iter().enumerate().map(again).collect()
}

/// A hash of the ends of a line and of its middle: lines with equal hashes are compared.
fn short_hash(line: &str) -> u32 {
    let line = line.as_bytes();
    let middle = line.get(line.len().saturating_sub(8) / 2..).and_then(<[u8]>::first_chunk);
    let hash = match (line.first_chunk(), middle, line.last_chunk()) {
        (Some(first), Some(middle), Some(last)) => {
            let parts = [first, middle, last].map(|part: &[u8; 8]| u64::from_le_bytes(*part));
            parts.into_iter().fold(line.len() as u64, mix)
        }
        _ => hash(line),
    };
    u32::try_from(hash >> 32).unwrap_or_default()
}

/// The period and the count, here, that represent most bytes.
fn best(lines: &[&str], next: &[Option<usize>], at: usize) -> Option<(usize, usize)> {
    let mut best = (MIN_SAVED_BYTES - 1, None);
    let mut place = at;
    for _ in 0..MAX_LATER_PLACES {
        let Some(later) = next.get(place).copied().flatten() else { break };
        place = later;
        let period = later - at;
        if period > MAX_PERIOD_LINES {
            break;
        }
        let same = lines.iter().skip(at).zip(lines.iter().skip(later)).take_while(|(a, b)| a == b);
        let times = 1 + same.count() / period;
        let once: usize = lines.iter().skip(at).take(period).map(|line| line.len() + 1).sum();
        let saved = once * (times - 1);
        if saved > best.0 {
            best = (saved, Some((period, times)));
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Header, body lines, and the lines between the blocks.
    fn shown(lines: &[&str]) -> Vec<String> {
        let mut out = Vec::new();
        let mut next = 0;
        for FoundBlock { lines: range, block } in RepeatNotation.encode(lines, ValueClass::Plain) {
            out.extend(lines[next..range.start].iter().map(|line| (*line).to_owned()));
            out.push(format!("§repeat {} {}", block.body.len(), block.args));
            out.extend(block.body.lines().map(str::to_owned));
            next = range.end;
        }
        out.extend(lines[next..].iter().map(|line| (*line).to_owned()));
        out
    }

    #[test]
    fn a_line_that_repeats_stands_once() {
        let line = "ERROR: the disk is full";
        let lines = ["before", line, line, line, "after"];
        assert_eq!(shown(&lines), ["before", "§repeat 1 ×3", line, "after"]);
    }

    #[test]
    fn lines_that_repeat_together_stand_once() {
        let lines = ["a step of many", "", "its end, at last", ""].repeat(5);
        let mut expected = vec!["§repeat 4 ×5"];
        expected.extend(&lines[..4]);
        assert_eq!(shown(&lines), expected);
    }

    #[test]
    fn lines_that_do_not_follow_themselves_stay() {
        let lines: Vec<String> = (0..100).map(|n| format!("line {} of a text", n % 40)).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        assert_eq!(shown(&lines), lines);
    }

    #[test]
    fn what_is_no_block_of_ours_is_refused() {
        for args in ["", "37", "×", "×1", "×0", "×-2", "×+2", "×2 ", "×99999999999999999999999"]
        {
            assert_eq!(RepeatNotation.decode(args, &["x"], 1000), None, "{args}");
        }
        assert_eq!(RepeatNotation.decode("×2", &[], 1000), None);
        assert_eq!(RepeatNotation.decode("×18446744073709551615", &["x"], usize::MAX), None);
        assert_eq!(RepeatNotation.decode("×500", &["x"], 998), None);
        assert_eq!(RepeatNotation.decode("×500", &["x"], 999).unwrap().len(), 999);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn a_block_decodes_to_its_lines(
            parts in prop::collection::vec((prop::collection::vec("[ab]?|[a-c ]{9}|é\t", 1..6), 1..5_usize), 0..9)
        ) {
            let lines: Vec<String> =
                parts.into_iter().flat_map(|(part, times)| std::iter::repeat_n(part, times).flatten()).collect();
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            let mut end = 0;
            for FoundBlock { lines: range, block } in RepeatNotation.encode(&lines, ValueClass::Plain) {
                prop_assert!(range.start >= end);
                end = range.end;
                let body: Vec<&str> = block.body.lines().collect();
                let text = lines[range].join("\n");
                prop_assert_eq!(RepeatNotation.decode(&block.args, &body, text.len()), Some(text));
            }
            prop_assert!(end <= lines.len());
        }

        #[test]
        fn any_block_is_read_without_panic(args in "×?[0-9]{0,21}|.*", body in prop::collection::vec(".*", 0..4)) {
            let body: Vec<&str> = body.iter().map(String::as_str).collect();
            let _ = RepeatNotation.decode(&args, &body, 10_000);
        }
    }
}
