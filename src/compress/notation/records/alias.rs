//! Repeated lines, written with anchors and aliases as in YAML.
//!
//! ` &3 12` after a line names it and the 11 lines below it; `*3` further down represents all of
//! them, `*3 5` for the first five, with its own indentation in the place of theirs. A named
//! stretch may hold aliases itself; it ends before the line in which it is used.

use std::borrow::Cow;
use std::num::NonZeroU32;

use foldhash::{HashMap, HashMapExt as _};

use crate::compress::text::{hash, indent, mix, parse_digits};

/// Lines, and bytes besides their indentation, of the shortest stretch that is worth a name.
const MIN_LINES: usize = 3;
const MIN_BYTES: usize = 64;
/// Earlier places that a stretch is compared with.
const MAX_PLACES: usize = 6;
/// Lines that may be compared for each line of a text.
const MAX_COMPARISONS_PER_LINE: usize = 32;

/// Lines on their way into a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AliasEntry<'a> {
    pub(super) text: Cow<'a, str>,
    /// Number of lines that it represents.
    pub(super) lines: usize,
    /// Whether it is named or an alias: no table takes it.
    pub(super) is_fixed: bool,
}

/// Starts of the first stretches that begin alike: lines, counted from one.
type StretchIndex = [Option<NonZeroU32>; MAX_PLACES];

/// A stretch that repeats an earlier one.
struct RepeatedStretch {
    at: usize,
    from: usize,
    lines: usize,
}

/// Writes the lines, with aliases for lines that repeat earlier ones.
pub(super) fn write<'a>(lines: &[&'a str]) -> Vec<AliasEntry<'a>> {
    let is_taken =
        |line: &&str| AliasLine::parse(line).is_some() || AnchorLine::parse(line).is_some();
    let again = if lines.iter().any(is_taken) { Vec::new() } else { AliasSearch::new(lines).run() };
    // Every place that is pointed at, by the longest stretch that begins there.
    let mut longest: HashMap<usize, usize> = HashMap::default();
    for one in &again {
        let most = longest.entry(one.from).or_default();
        *most = (*most).max(one.lines);
    }
    let mut names: HashMap<usize, usize> = HashMap::default();
    let mut entries = Vec::with_capacity(lines.len());
    let mut again = again.into_iter().peekable();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        if let Some(one) = again.next_if(|one| one.at == at) {
            let name = names.get(&one.from).copied().unwrap_or_default();
            let margin = indent(line);
            let text = if longest.get(&one.from) == Some(&one.lines) {
                format!("{margin}*{name}")
            } else {
                format!("{margin}*{name} {}", one.lines)
            };
            entries.push(AliasEntry { text: text.into(), lines: one.lines, is_fixed: true });
            at += one.lines;
            continue;
        }
        let entry = match longest.get(&at) {
            Some(count) => {
                let name = names.len() + 1;
                names.insert(at, name);
                let text = format!("{line} &{name} {count}");
                AliasEntry { text: text.into(), lines: 1, is_fixed: true }
            }
            None => AliasEntry { text: Cow::Borrowed(line), lines: 1, is_fixed: false },
        };
        entries.push(entry);
        at += 1;
    }
    entries
}

/// The lines, each for itself.
pub(super) fn unaliased<'a>(lines: &[&'a str]) -> Vec<AliasEntry<'a>> {
    let entry =
        |line: &&'a str| AliasEntry { text: Cow::Borrowed(*line), lines: 1, is_fixed: false };
    lines.iter().map(entry).collect()
}

/// The text without names and aliases; `None` if one points nowhere.
pub(super) fn read(text: &str, limit: usize) -> Option<String> {
    // Start of each line that was read in the result, and of each stretch among the lines.
    let mut out = String::new();
    let mut starts: Vec<usize> = Vec::new();
    let mut names: Vec<(usize, usize)> = Vec::new();
    for line in text.split('\n') {
        let Some(AliasLine { margin, name, count }) = AliasLine::parse(line) else {
            let anchor = AnchorLine::parse(line);
            let line = anchor.as_ref().map_or(line, |anchor| anchor.line);
            if let Some(anchor) = anchor {
                names.push((starts.len(), anchor.count));
                (names.len() == anchor.name).then_some(())?;
            }
            begin(&mut out, &mut starts);
            out.push_str(line);
            if out.len() > limit {
                return None;
            }
            continue;
        };
        let (first, most) = *names.get(name.checked_sub(1)?)?;
        let count = count.unwrap_or(most);
        if count > most || count == 0 || first + count > starts.len() {
            return None;
        }
        let wide = indent(line_at(&out, &starts, first)?).len();
        for at in first..first + count {
            let line = line_at(&out, &starts, at)?;
            let from = starts.get(at)?;
            let range = if line.is_empty() { *from..*from } else { from + wide..from + line.len() };
            line.is_char_boundary(wide.min(line.len())).then_some(())?;
            let is_blank = line.is_empty();
            if !is_blank && line.len() < wide {
                return None;
            }
            begin(&mut out, &mut starts);
            if !is_blank {
                out.push_str(margin);
            }
            out.extend_from_within(range);
            if out.len() > limit {
                return None;
            }
        }
    }
    Some(out)
}

fn begin(out: &mut String, starts: &mut Vec<usize>) {
    if !starts.is_empty() {
        out.push('\n');
    }
    starts.push(out.len());
}

fn line_at<'t>(out: &'t str, starts: &[usize], at: usize) -> Option<&'t str> {
    let end = starts.get(at + 1).map_or(out.len(), |next| next - 1);
    out.get(*starts.get(at)?..end)
}

fn number(text: &str) -> Option<usize> {
    if text.starts_with('0') { None } else { parse_digits(text) }
}

/// A line that is an alias.
struct AliasLine<'l> {
    margin: &'l str,
    name: usize,
    /// Number of lines that it represents; none for all that its anchor names.
    count: Option<usize>,
}

impl<'l> AliasLine<'l> {
    fn parse(line: &'l str) -> Option<Self> {
        let margin = indent(line);
        let body = line.get(margin.len()..)?.strip_prefix('*')?;
        let (name, count) = match body.split_once(' ') {
            Some((name, count)) => (name, Some(number(count)?)),
            None => (body, None),
        };
        Some(Self { margin, name: number(name)?, count })
    }
}

/// A line that ends with an anchor.
struct AnchorLine<'l> {
    /// The line without its anchor.
    line: &'l str,
    name: usize,
    /// Number of lines that it names.
    count: usize,
}

impl<'l> AnchorLine<'l> {
    fn parse(line: &'l str) -> Option<Self> {
        // Few lines end with a number.
        line.as_bytes().last().filter(|last| last.is_ascii_digit())?;
        let (line, body) = line.rsplit_once(" &")?;
        let (name, count) = body.split_once(' ')?;
        Some(Self { line, name: number(name)?, count: number(count)? })
    }
}

struct AliasSearch<'l, 'a> {
    lines: &'l [&'a str],
    /// A hash of each line without its indentation, and how wide that is.
    known: Vec<(u64, usize)>,
    /// End of the stretch that occurs again and holds this line.
    ends: Vec<usize>,
    /// Lines that may still be compared.
    left: usize,
}

impl<'l, 'a> AliasSearch<'l, 'a> {
    fn new(lines: &'l [&'a str]) -> Self {
        let known = lines.iter().map(|line| {
            let wide = indent(line).len();
            (hash(line.as_bytes().get(wide..).unwrap_or_default()), wide)
        });
        let known = known.collect();
        Self {
            lines,
            known,
            ends: vec![0; lines.len()],
            left: lines.len() * MAX_COMPARISONS_PER_LINE,
        }
    }

    fn run(mut self) -> Vec<RepeatedStretch> {
        let mut places: HashMap<u64, StretchIndex> = HashMap::with_capacity(self.lines.len());
        let mut again = Vec::new();
        let mut at = 0;
        while at < self.lines.len() {
            let Some(key) = self.key(at) else {
                at += 1;
                continue;
            };
            let seen = places.entry(key).or_default();
            let best = seen
                .iter()
                .flatten()
                .map(|place| place.get() as usize - 1)
                .map(|from| (self.count_alike(from, at), from))
                .max_by_key(|(lines, _)| *lines);
            match best {
                Some((lines, from)) if lines >= MIN_LINES && self.bytes(at, lines) >= MIN_BYTES => {
                    again.push(RepeatedStretch { at, from, lines });
                    if let Some(ends) = self.ends.get_mut(at..at + lines) {
                        ends.fill(at + lines);
                    }
                    at += lines;
                }
                _ => {
                    if let Some(place) = seen.iter_mut().find(|place| place.is_none()) {
                        *place = u32::try_from(at + 1).ok().and_then(NonZeroU32::new);
                    }
                    at += 1;
                }
            }
        }
        again
    }

    /// A key of the first lines of a stretch, the same at any indentation.
    fn key(&self, at: usize) -> Option<u64> {
        let first = self.known.get(at..at + MIN_LINES)?;
        let (_, margin) = first.first()?;
        let line = self.lines.get(at)?;
        let is_solid = line.as_bytes().get(*margin).is_some_and(u8::is_ascii_graphic);
        let is_blank = !is_solid && line.trim().is_empty();
        let mixed = first.iter().fold(0, |key, (hash, wide)| {
            mix(mix(key, *hash), (*wide as u64).wrapping_sub(*margin as u64))
        });
        (!is_blank).then_some(mixed)
    }

    /// Lines that two stretches begin with alike, up to the end of what belongs together.
    fn count_alike(&mut self, from: usize, at: usize) -> usize {
        let (Some(one), Some(other)) = (self.lines.get(from), self.lines.get(at)) else { return 0 };
        let (one, other) = (indent(one), indent(other));
        let is_end =
            |at: usize, wide: usize| self.known.get(at).is_none_or(|(_, stands)| *stands <= wide);
        let (mut count, mut whole) = (0, 0);
        while from + count < at && self.left > 0 {
            let (Some(above), Some(below)) =
                (self.lines.get(from + count), self.lines.get(at + count))
            else {
                break;
            };
            let rest = above.strip_prefix(one);
            let is_same = if above.is_empty() {
                below.is_empty()
            } else {
                rest.is_some() && rest == below.strip_prefix(other)
            };
            if !is_same {
                break;
            }
            count += 1;
            self.left -= 1;
            // A stretch that would end inside of another cannot be named.
            let covered = self.ends.get(from + count - 1).copied().unwrap_or(0);
            if covered <= from + count
                && is_end(from + count, one.len())
                && is_end(at + count, other.len())
            {
                whole = count;
            }
        }
        whole
    }

    fn bytes(&self, at: usize, lines: usize) -> usize {
        let lines = self.lines.get(at..at + lines).unwrap_or_default();
        lines.iter().map(|line| line.trim_start().len() + 2).sum()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(lines: &[&str]) -> String {
        let entries = write(lines);
        assert_eq!(entries.iter().map(|entry| entry.lines).sum::<usize>(), lines.len());
        let text: Vec<&str> = entries.iter().map(|entry| &*entry.text).collect();
        let text = text.join("\n");
        let whole = lines.join("\n");
        assert_eq!(read(&text, whole.len()).as_deref(), Some(whole.as_str()), "{text}");
        text
    }

    #[test]
    fn what_stands_again_is_named_where_it_stands_first() {
        let spec = |pad: &str| {
            format!(
                "{pad}spec:\n{pad}  containers:\n{pad}    image: registry.example.org/worker\n{pad}    command: [run, --verbose]\n"
            )
        };
        let text = format!("worker:\n{}scheduler:\n  pod:\n{}end: 1", spec("  "), spec("    "));
        let lines: Vec<&str> = text.split('\n').collect();
        assert_eq!(
            shown(&lines),
            "worker:\n  spec: &1 4\n    containers:\n      image: registry.example.org/worker\n      command: [run, --verbose]\nscheduler:\n  pod:\n    *1\nend: 1"
        );
        // A line that only looks like an alias is none.
        let odd = format!("{text}\n*7");
        let odd: Vec<&str> = odd.split('\n').collect();
        assert_eq!(write(&odd), unaliased(&odd));
    }

    #[test]
    fn what_points_nowhere_is_refused() {
        for text in ["*1", "a &1 3\n*1", "a &2 1\n*2", "a &1 1\n*1 2"] {
            let back = read(text, 100);
            assert!(back.is_none() || back.as_deref() == Some(text), "{text}");
        }
        let doubling: Vec<String> =
            (0..60).map(|at| format!("a &{} {}\n*{}", at + 1, 1, at + 1)).collect();
        assert!(read(&doubling.join("\n"), 1 << 20).is_some());
        let long = format!("{} &1 1\n{}", "a".repeat(1000), "*1\n".repeat(1000));
        assert_eq!(read(&long, 10_000), None);
    }

    #[test]
    fn hostile_lines_are_compared_so_often_and_no_more() {
        shown(&vec!["a line that is always the same one"; 100_000]);
        let deep: Vec<String> =
            (0..2_000).map(|depth| format!("{}a: 1", " ".repeat(depth))).collect();
        shown(&deep.iter().map(String::as_str).collect::<Vec<_>>());
        let turned: Vec<&str> =
            (0..100_000).map(|at| ["a: 1", "  b: 2", "  c: 3"][at % 3]).collect();
        shown(&turned);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn all_lines_come_back(
            parts in prop::collection::vec((0..4_usize, 0..4_usize), 1..12),
            pool in prop::collection::vec(prop::collection::vec("( {0,3}|\t)(- )?[a-c]{1,2}: [a-d]{10,24}|", 2..7), 4),
        ) {
            let mut lines = Vec::new();
            for (part, wide) in parts {
                for line in &pool[part] {
                    lines.push(if line.is_empty() { String::new() } else { format!("{}{line}", " ".repeat(wide)) });
                }
            }
            shown(&lines.iter().map(String::as_str).collect::<Vec<_>>());
        }

        #[test]
        fn any_text_may_come(text in "([a-c ]{0,6}( &[0-3] [0-9]|\\*[0-3]( [0-9])?)?\n){0,12}") {
            if let Some(back) = read(&text, 200) {
                prop_assert!(back.len() <= 200);
            }
        }
    }
}
