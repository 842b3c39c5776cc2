//! `search`: what searching and listing files prints. Every file of a search stays named, with
//! its first hit and the number of its line; of a listing the folders stay before the names in
//! them. The rest stays for what it shows.

use foldhash::HashSet;

use super::line_choice::{LineRank, choose_cuts};
use super::page::{LinePage, shown_lines};
use super::{AdapterAttempt, Cut, FormatAdapter, InnerTexts, Part};
use crate::compress::segment::{Kind, bare_hit, hit, is_context, is_entry, note};

/// The weights of a hit, a name, and a line around a hit, in addition to their facts.
const HIT_WEIGHT: u32 = 2;
const NAME_WEIGHT: u32 = 1;
const CONTEXT_WEIGHT: u32 = 0;

/// Hits and listings; see the module.
#[derive(Debug)]
pub(crate) struct SearchAdapter;

impl FormatAdapter for SearchAdapter {
    fn name(&self) -> &'static str {
        "search"
    }

    fn detects(&self, part: Part<'_>) -> bool {
        part.is_all(|kind| matches!(kind, Kind::Search | Kind::Listing)) || is_mostly_hits(part)
    }

    fn holds(&self, before: &str, after: &str) -> bool {
        let page = LinePage::new(before);
        keeps(&page, &rank_hits(&page), after)
    }

    fn attempt<'p>(&'p self, part: Part<'p>, _: &mut dyn InnerTexts) -> AdapterAttempt<'p> {
        let page = LinePage::new(part.text);
        let hits = rank_hits(&page);
        let cuts = if page.may_shrink() { cuts(&page, part, hits.clone()) } else { Vec::new() };
        AdapterAttempt::new(cuts, move |after| keeps(&page, &hits, after))
    }
}

fn cuts(page: &LinePage<'_>, part: Part<'_>, mut ranks: Vec<LineRank>) -> Vec<Cut> {
    for span in part.spans.iter().filter(|span| span.kind == Kind::Listing) {
        let from = page.at(span.range.start);
        let to = page.at(span.range.end.saturating_sub(1)) + 1;
        rank_names(page, from, to, &mut ranks);
    }
    choose_cuts(page, &ranks, part.ratio)
}

/// Whether the first hit of each file stayed, and true marks represent what did not.
fn keeps(page: &LinePage<'_>, hits: &[LineRank], after: &str) -> bool {
    let Some(shows) = shown_lines(page, &LinePage::new(after)) else { return false };
    hits.iter().zip(shows).all(|(rank, shows)| shows || *rank != LineRank::Must)
}

/// Whether a text is hits but for a few lines: what is found may look like anything.
fn is_mostly_hits(part: Part<'_>) -> bool {
    /// Hundredths of the lines that are hits.
    const MIN_HIT_PERCENT: usize = 90;
    const MIN_HITS: usize = 4;
    /// Lines after which a text of which few are hits is another.
    const MIN_SAMPLE_LINES: usize = 16;
    if part.has(|kind| matches!(kind, Kind::Fence | Kind::Diff | Kind::Json | Kind::JsonLines)) {
        return false;
    }
    let (mut all, mut hits) = (0, 0);
    let mut path: &[u8] = &[];
    for line in part.text.lines().map(str::as_bytes).filter(|line| !line.trim_ascii().is_empty()) {
        if all >= MIN_SAMPLE_LINES && hits * 2 < all {
            return false;
        }
        all += 1;
        // The time of a log's entry has colons, too.
        let own = hit(line).or_else(|| bare_hit(line)).filter(|_| !is_entry(line));
        if let Some(own) = own {
            path = own;
            hits += 1;
        } else {
            hits += usize::from(line == b"--" || note(line).is_some() || is_context(line, path));
        }
    }
    hits >= MIN_HITS && hits * 100 >= all * MIN_HIT_PERCENT
}

/// The first hit of each file has to stay.
fn rank_hits(page: &LinePage<'_>) -> Vec<LineRank> {
    let mut ranks = vec![LineRank::May(NAME_WEIGHT); page.len()];
    let mut seen: HashSet<&[u8]> = HashSet::default();
    let mut path: &[u8] = &[];
    // Below a path that is alone, hits begin with their numbers.
    let mut is_first_below = false;
    for (at, rank) in ranks.iter_mut().enumerate() {
        let line = page.line(at).as_bytes();
        if let Some(number) = after_number(line) {
            let is_first = is_first_below && number == b':';
            is_first_below &= !is_first;
            *rank = match number {
                _ if is_first => LineRank::Must,
                b':' => LineRank::May(HIT_WEIGHT),
                _ => LineRank::May(CONTEXT_WEIGHT),
            };
        } else if !path.is_empty() && is_context(line, path) {
            *rank = LineRank::May(CONTEXT_WEIGHT);
        } else if let Some(own) = hit(line).or_else(|| bare_hit(line)).or_else(|| note(line)) {
            path = own;
            is_first_below = false;
            *rank = if seen.insert(own) { LineRank::Must } else { LineRank::May(HIT_WEIGHT) };
        } else if line == b"--" || page.is_blank(at) {
            *rank = LineRank::Last;
        } else if after_number(page.line(at + 1).as_bytes()).is_some() {
            *rank = LineRank::Must;
            is_first_below = true;
        }
    }
    ranks
}

/// The byte after the number that a line begins with: `:` in a hit, `-` in context.
fn after_number(line: &[u8]) -> Option<u8> {
    let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mark = line.get(digits).copied().filter(|mark| matches!(mark, b':' | b'-'))?;
    (digits > 0).then_some(mark)
}

/// Folders stay before names.
fn rank_names<'t>(page: &LinePage<'t>, from: usize, to: usize, ranks: &mut [LineRank]) {
    let mut folders: HashSet<&'t str> = HashSet::default();
    let mut before = None;
    let mut below = depth(page.line(from));
    for at in from..to {
        let body = page.body(at);
        let is_total = body.strip_prefix("total ").is_some_and(|rest| rest.len() < 12);
        // Names of one folder follow each other.
        let folder = body.rsplit_once('/').map(|(folder, _)| folder);
        let is_other = std::mem::replace(&mut before, folder) != folder;
        let is_new = is_other && folder.is_some_and(|folder| folders.insert(folder));
        // In a tree and in an indented listing the folder is what is above deeper names.
        let own = std::mem::replace(&mut below, depth(page.line(at + 1)));
        let is_above = below > own && at + 1 < to;
        let is_folder = is_new || is_above || body.ends_with('/') || is_long_folder(body);
        if let Some(rank) = ranks.get_mut(at).filter(|rank| **rank != LineRank::Must) {
            *rank = if is_total || body.ends_with(':') {
                LineRank::Once
            } else if is_folder {
                LineRank::Should
            } else {
                LineRank::May(NAME_WEIGHT)
            };
        }
    }
}

/// `drwxr-xr-x 2 …`.
fn is_long_folder(body: &str) -> bool {
    let mode = body.as_bytes().get(..10).unwrap_or_default();
    let is_mode = |mode: &[u8]| mode.iter().all(|byte| b"rwxsStT-".contains(byte));
    mode.strip_prefix(b"d").is_some_and(is_mode)
}

/// Bytes before the name: blanks and the lines that a tree draws.
fn depth(line: &str) -> usize {
    let is_drawn =
        |letter| matches!(letter, ' ' | '\t' | '│' | '├' | '└' | '─' | '|' | '`' | '-' | '\u{a0}');
    let name = line.char_indices().find(|(_, letter)| !is_drawn(*letter));
    name.map_or(line.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compress::adapter::laws::{detects, short};

    #[test]
    fn every_file_stays_with_a_line_number() {
        let text = include_str!("fixtures/rg.txt");
        let short = short(&SearchAdapter, text);
        assert!(short.len() * 2 < text.len(), "{short}");
        for first in
            ["index.rs:18:", "segment.rs:32:", "frame.rs:41:", "main.rs:44:", "restart.rs:45:"]
        {
            assert!(short.contains(first), "{first} in:\n{short}");
        }
        assert!(!SearchAdapter.holds(
            text,
            &format!("{}[… 7 lines]\n", short.split_inclusive('\n').take(20).collect::<String>())
        ));
    }

    #[test]
    fn hits_below_their_paths_keep_the_first() {
        let text = include_str!("fixtures/rg_heading.txt");
        let short = short(&SearchAdapter, text);
        assert!(short.len() * 3 < text.len() * 2, "{short}");
        for file in ["src/store/segment.rs\n12:", "src/main.rs\n12:", "tests/it/restart.rs\n12:"] {
            assert!(short.contains(file), "{file} in:\n{short}");
        }
    }

    #[test]
    fn hits_that_report_errors_stay() {
        let hit = |at: usize| match at % 10 {
            4 => format!("logs/app.log:{at}:ERROR job {at} was lost\n"),
            _ => format!("logs/app.log:{at}:took the next job\n"),
        };
        let text: String = (1..60).map(hit).collect();
        assert_eq!(short(&SearchAdapter, &text).matches("ERROR").count(), 6);
    }

    #[test]
    fn folders_stay_before_names() {
        let text = include_str!("fixtures/find.txt");
        let short = short(&SearchAdapter, text);
        assert!(short.len() * 2 < text.len(), "{short}");
        for folder in ["./src/store/", "./src/wire/", "./src/http/", "./tests/it/", "./docs/"] {
            assert!(short.contains(folder), "{folder} in:\n{short}");
        }
        let name = |at: usize| format!("-rw-r--r-- 1 root root {at}12 Mar  7 10:00 part_{at}.rs\n");
        let text = format!(
            "total 96\n{}drwxr-xr-x 2 root root 4096 Mar  7 10:00 store\n",
            (0..30).map(name).collect::<String>()
        );
        let long = self::short(&SearchAdapter, &text);
        assert!(long.starts_with("total 96\n") && long.contains(" store\n"), "{long}");
    }

    #[test]
    fn few_lines_stay() {
        let line = |at| format!("src/mod{at}.rs:{at}4:handler number {at} is registered here\n");
        let text: String = (0..8).map(line).collect();
        assert_eq!(short(&SearchAdapter, &text), text);
        assert!(!detects(&SearchAdapter, "no hit: at all\n"));
        let entry = |at| format!("2026-03-01T10:00:{at:02}Z INFO worker took job {at}\n");
        assert!(!detects(&SearchAdapter, &(0..60).map(entry).collect::<String>()));
    }
}
