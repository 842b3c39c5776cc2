//! Selects the lines that stay: required ones, then those that belong to them, then those that show
//! most by byte.

use super::page::{LinePage, MarkMargin, cuts};
use super::{Cut, KeepRatio};
use crate::compress::extract::{ExtractUnit, UnitFacts, select_with_facts};

/// Bytes that stay, in hundredths, if what has to stay leaves the choice.
const KEEP_PERCENT: usize = 40;
/// Bytes that stay of a short text: of a script of a few lines, a part says little.
const MIN_SHOWN_BYTES: usize = 240;
/// The part of them, in hundredths, that lines which should stay may take.
const SHOULD_PERCENT: usize = 70;
/// Weight of a line that should stay, when the room is spent.
const SHOULD_WEIGHT: u32 = 8;
/// Short lines that follow each other stay or go together up to so many bytes: less torn to read,
/// and fewer marks.
const MAX_GROUP_BYTES: usize = 72;
/// The part of what is left for the choice, in hundredths, that is chosen.
const CHOICE_PERCENT: usize = 80;
/// Bytes that the mark in a gap takes, about.
const MARK_BYTES: usize = 16;

/// Rank of a line in its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineRank {
    /// Stays.
    Must,
    /// Stays unless an equal line above does.
    Once,
    /// Stays while there is room, the first ones first.
    Should,
    /// Stays for what it shows: the weight of its words, in addition to that of its facts.
    May(u32),
    /// Goes first.
    Last,
}

/// The cuts that bring a text down to what is worth most in it.
pub(super) fn choose_cuts(page: &LinePage<'_>, ranks: &[LineRank], ratio: KeepRatio) -> Vec<Cut> {
    let usual = (page.bytes() / 100 * KEEP_PERCENT).max(MIN_SHOWN_BYTES);
    let target = ratio.asked_bytes(page.bytes()).unwrap_or(usual);
    let mut shows = shown_lines(page, ranks, target);
    if !(0..page.len()).any(|at| shows.get(at) == Some(&true) && !page.is_blank(at)) {
        show_head(page, target, &mut shows);
    }
    cuts(page, &shows, MarkMargin::Own)
}

/// Shows the first lines, one at least: a mark alone would say nothing of what the text is.
fn show_head(page: &LinePage<'_>, target: usize, shows: &mut [bool]) {
    let mut bytes = 0;
    for (at, shows) in shows.iter_mut().enumerate().filter(|(at, _)| !page.is_blank(*at)) {
        bytes += page.line(at).len() + 1;
        if bytes > target && bytes > page.line(at).len() + 1 {
            break;
        }
        *shows = true;
    }
}

fn shown_lines(page: &LinePage<'_>, ranks: &[LineRank], target: usize) -> Vec<bool> {
    let groups = groups(page, &settle_ranks(page, ranks, target));
    let must: usize =
        groups.iter().filter(|group| group.is_required).map(|group| group.bytes(page)).sum();
    // Marks, and gaps too small for one, come to what is chosen.
    let free = target.saturating_sub(must);
    let room = free / 100 * CHOICE_PERCENT;
    if room == 0 {
        return lines_of_groups(page, &groups, groups.iter().map(|group| group.is_required));
    }
    let units: Vec<ExtractUnit<'_>> = groups.iter().map(|group| group.unit(page)).collect();
    let told = UnitFacts::collect(units.iter().copied(), 1);
    let selected = |keep_bytes| {
        lines_of_groups(page, &groups, select_with_facts(&units, &told, &|_| false, keep_bytes))
    };
    let shows = selected(must + room);
    let size = size(page, &shows);
    if size <= target + target / 5 {
        return shows;
    }
    // There are more of them than usual: once more, with less room.
    let less = free.saturating_mul(room) / size.saturating_sub(must).max(1);
    selected(must + less)
}

/// Ranks after errors, repeats and the room were looked at: `Must`, `May` and `Last` alone.
fn settle_ranks(page: &LinePage<'_>, ranks: &[LineRank], target: usize) -> Vec<LineRank> {
    // By the first of equal lines: whether one of them stays, as soon as there is one.
    let mut seen = vec![None; page.len()];
    let mut must = 0;
    let mut settled: Vec<LineRank> = Vec::with_capacity(page.len());
    for at in 0..page.len() {
        let mut own = None;
        let seen = seen.get_mut(page.first_equal(at)).unwrap_or(&mut own);
        let is_first = seen.is_none();
        let rank = match ranks.get(at).copied().unwrap_or(LineRank::Last) {
            LineRank::Must => LineRank::Must,
            _ if is_first && page.reports_error(at) => LineRank::Must,
            LineRank::Once if *seen != Some(true) => LineRank::Must,
            LineRank::Should => LineRank::Should,
            LineRank::May(worth) if is_first && !page.is_blank(at) => LineRank::May(worth),
            _ => LineRank::Last,
        };
        let stays = rank == LineRank::Must;
        if is_first || stays {
            *seen = Some(stays);
        }
        must += if stays { page.line(at).len() } else { 0 };
        settled.push(rank);
    }
    let room = target / 100 * SHOULD_PERCENT;
    for (at, rank) in settled.iter_mut().enumerate().filter(|(_, rank)| **rank == LineRank::Should)
    {
        let bytes = page.line(at).len();
        if must + bytes <= room {
            must += bytes;
            *rank = LineRank::Must;
        } else {
            *rank = LineRank::May(SHOULD_WEIGHT);
        }
    }
    settled
}

/// Lines that stay or go together.
#[derive(Debug)]
struct ChoiceGroup {
    from: usize,
    to: usize,
    is_required: bool,
    worth: u32,
}

impl ChoiceGroup {
    fn bytes(&self, page: &LinePage<'_>) -> usize {
        page.start(self.to) - page.start(self.from)
    }

    fn unit<'t>(&self, page: &LinePage<'t>) -> ExtractUnit<'t> {
        ExtractUnit {
            text: page.slice(self.from, self.to),
            weight: self.worth,
            must: self.is_required,
        }
    }
}

fn groups(page: &LinePage<'_>, ranks: &[LineRank]) -> Vec<ChoiceGroup> {
    let mut groups: Vec<ChoiceGroup> = Vec::new();
    for (at, rank) in ranks.iter().enumerate() {
        let (must, worth) = match rank {
            LineRank::May(worth) => (false, *worth),
            LineRank::Last => continue,
            _ => (true, 0),
        };
        if let Some(last) = groups.last_mut().filter(|last| {
            (last.to, last.is_required, last.worth) == (at, must, worth)
                && page.start(at + 1) - page.start(last.from) <= MAX_GROUP_BYTES
        }) {
            last.to = at + 1;
        } else {
            groups.push(ChoiceGroup { from: at, to: at + 1, is_required: must, worth });
        }
    }
    groups
}

fn lines_of_groups(
    page: &LinePage<'_>,
    groups: &[ChoiceGroup],
    stays: impl IntoIterator<Item = bool>,
) -> Vec<bool> {
    let mut shows = vec![false; page.len()];
    for (group, stays) in groups.iter().zip(stays) {
        if let Some(lines) = shows.get_mut(group.from..group.to) {
            lines.fill(stays);
        }
    }
    shows
}

/// Bytes that will be shown, about.
fn size(page: &LinePage<'_>, shows: &[bool]) -> usize {
    let mut size = 0;
    let mut gap = 0;
    for (at, shows) in shows.iter().enumerate() {
        let bytes = page.start(at + 1) - page.start(at);
        if *shows {
            size += bytes + if gap < MARK_BYTES * 2 { gap } else { MARK_BYTES };
            gap = 0;
        } else {
            gap += bytes;
        }
    }
    size + gap.min(MARK_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compress::adapter::page::is_elided;
    use crate::compress::adapter::shortening::apply;
    use crate::compress::notation::reports_error;
    use proptest::prelude::*;

    fn short(text: &str, ranks: &[LineRank]) -> String {
        apply(text, &choose_cuts(&LinePage::new(text), ranks, KeepRatio::default())).unwrap()
    }

    fn rows(count: usize) -> String {
        let row = |at| format!("row {at:03} of the table has value_{at} in it\n");
        (0..count).map(row).collect()
    }

    #[test]
    fn about_two_fifths_stay() {
        let text = rows(200);
        let short = short(&text, &[LineRank::May(1); 200]);
        let share = short.len() * 100 / text.len();
        assert!((30..=46).contains(&share), "{share}");
        assert!(is_elided(&text, &short));
    }

    #[test]
    fn as_much_stays_as_is_asked_for() {
        let text = rows(200);
        let page = LinePage::new(&text);
        let short = |milli| {
            let ratio = KeepRatio::of_milli(milli);
            apply(&text, &choose_cuts(&page, &[LineRank::May(1); 200], ratio)).unwrap()
        };
        for milli in [50, 100, 300, 600, 900] {
            let share = short(milli).len() * 1000 / text.len();
            assert!(
                (milli as usize * 6 / 10..=milli as usize * 13 / 10).contains(&share),
                "{milli}: {share}"
            );
        }
    }

    #[test]
    fn a_mark_never_stands_alone() {
        let text = "a line of a script\n".to_owned() + &"echo some words of this line\n".repeat(11);
        let shown = short(&text, &[LineRank::Last; 12]);
        assert!(shown.starts_with("a line of a script\n"), "{shown}");
        let text = "#\n".repeat(60) + &"b\n".repeat(20);
        assert!(short(&text, &[LineRank::Last; 80]).starts_with('#'));
    }

    #[test]
    fn ranks_are_kept() {
        let text = rows(100);
        let mut ranks = vec![LineRank::Last; 100];
        (ranks[0], ranks[50]) = (LineRank::Must, LineRank::Should);
        let expected = "row 000 of the table has value_0 in it\n[… 49 lines]\n\
            row 050 of the table has value_50 in it\n[… 49 lines]\n";
        assert_eq!(short(&text, &ranks), expected);
    }

    #[test]
    fn what_stays_once_may_follow_an_equal_line_that_goes() {
        let text = format!("same\n{}same\n{}same\n", rows(10), rows(10));
        let mut ranks = vec![LineRank::Last; 23];
        (ranks[11], ranks[22]) = (LineRank::Once, LineRank::Once);
        assert_eq!(short(&text, &ranks), "[… 11 lines]\nsame\n[… 11 lines]\n");
    }

    #[test]
    fn what_should_stay_is_bounded() {
        let text = rows(400);
        let short = short(&text, &[LineRank::Should; 400]);
        assert!(short.starts_with(text.get(..text.len() / 5).unwrap()));
        assert!(short.len() * 2 < text.len());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn what_has_to_stay_stays(
            lines in prop::collection::vec("[ \t]{0,3}(error [ab]|[a-c_0-3 ]{0,30})\r?", 0..40),
            picks in prop::collection::vec(0..5_u8, 40),
        ) {
            let text = lines.join("\n");
            let rank = |pick: &u8| match pick {
                0 => LineRank::Must,
                1 => LineRank::Once,
                2 => LineRank::Should,
                3 => LineRank::May(2),
                _ => LineRank::Last,
            };
            let ranks: Vec<LineRank> = picks.iter().map(rank).collect();
            let page = LinePage::new(&text);
            let short = apply(&text, &choose_cuts(&page, &ranks, KeepRatio::default())).unwrap();
            prop_assert!(is_elided(&text, &short));
            prop_assert!(short.len() <= text.len());
            for (at, rank) in ranks.iter().enumerate().take(page.len()) {
                let line = page.line(at);
                let stays = matches!(rank, LineRank::Must | LineRank::Once) || reports_error(line);
                prop_assert!(!stays || page.is_blank(at) || short.split('\n').any(|shown| shown.trim_end_matches('\r') == line));
            }
        }
    }
}
