//! A summary while it is filled.

use std::collections::BTreeSet;

use super::earlier_summaries::EarlierSummaries;
use super::line::one_line;
use super::names::{NameList, NameRules};
use super::selection::{is_long_result, pick_request, without_list_mark};
use super::{INSTRUCTION_WEIGHT, MIN_QUOTE_BYTES, QuoteRule, SECTIONS, Section, SummaryInput};
use crate::compress::extract::{ExtractUnit, UnitFacts, scan, select_with_facts};
use crate::domain::TokenizerName;
use crate::tokenizer::Counter;

/// The dash before a line and the line end after it.
const LINE_FRAME_TOKENS: u64 = 2;
/// Bytes of a cut request that is worth its line.
const MIN_CUT_BYTES: usize = 60;
/// Rounds in which the width of a cut line is found.
const MAX_WIDTH_ROUNDS: usize = 6;

/// A line of the summary.
struct SummaryLine {
    section: Section,
    /// The place of its message; 0 for a line of an earlier summary, message 0 is at 1.
    at: usize,
    text: String,
}

pub(super) struct SummaryPage<'c> {
    counter: &'c Counter,
    name: TokenizerName,
    /// Tokens that are left of what was given so far.
    left: u64,
    lines: Vec<SummaryLine>,
    /// The place of the first request, once it is quoted.
    first_request: Option<usize>,
}

/// The weights of lines in addition to their facts.
#[derive(Default)]
pub(super) struct LineWorth {
    every: u32,
    /// In lower case.
    words: Vec<String>,
}

impl LineWorth {
    /// `instructions`: lines with one of its words are worth more. Short words say little.
    pub(super) fn new(instructions: Option<&str>) -> Self {
        const MIN_WORD_CHARS: usize = 4;
        let words = instructions.unwrap_or_default().split(|sign: char| !sign.is_alphanumeric());
        let words = words.filter(|word| word.chars().count() >= MIN_WORD_CHARS);
        Self { every: 0, words: words.map(str::to_lowercase).collect() }
    }

    pub(super) fn with_base(&self, every: u32) -> Self {
        Self { every, words: self.words.clone() }
    }

    /// Whether a line has a word of the instructions.
    pub(super) fn is_meant(&self, line: &str) -> bool {
        if self.words.is_empty() {
            return false;
        }
        let line = line.to_lowercase();
        self.words.iter().any(|word| line.contains(word))
    }

    fn weigh(&self, line: &str) -> u32 {
        self.every + if self.is_meant(line) { INSTRUCTION_WEIGHT } else { 0 }
    }
}

impl<'c> SummaryPage<'c> {
    pub(super) fn new(counter: &'c Counter, name: TokenizerName) -> Self {
        Self { counter, name, left: 0, lines: Vec::new(), first_request: None }
    }

    /// Adds room to what is left of the room before.
    pub(super) fn add_tokens(&mut self, tokens: u64) {
        self.left = self.left.saturating_add(tokens);
    }

    pub(super) fn lines(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().map(|line| line.text.as_str())
    }

    /// Everything that is left, which is given out anew.
    pub(super) fn take_left(&mut self) -> u64 {
        std::mem::take(&mut self.left)
    }

    /// Quotes the first request in at most `room` tokens; a longer one is cut. It never leaves for newer
    /// ones.
    pub(super) fn quote_first_request(
        &mut self,
        covered: &SummaryInput<'_>,
        earlier: &EarlierSummaries,
        room: u64,
    ) {
        let section = Section::Asked;
        let Some(whole) = self.open(section) else { return };
        let limit = room.saturating_sub(whole - self.left);
        let mut picked = Vec::new();
        let mut requests = covered.messages.iter().enumerate().filter(|(_, message)| {
            picked.clear();
            pick_request(message, 1, &mut picked);
            !picked.is_empty()
        });
        let oldest = earlier.section_lines(section).first();
        let first = if oldest.is_none() { requests.next() } else { None };
        let place = first.map_or(0, |(at, _)| at + 1);
        let mut cut = |width: usize| match (first, oldest) {
            (Some((_, message)), _) => {
                picked.clear();
                pick_request(message, width, &mut picked);
                picked.drain(..).next()
            }
            (None, Some(line)) => Some(one_line(line, width)),
            (None, None) => None,
        };
        if let Some(line) = self.fit_line(limit, &mut cut) {
            self.take(section, place, line);
            self.first_request = Some(place);
        }
        self.close(section, whole);
    }

    /// Lists names that nothing quoted shows: of the lines, the last first, then of `earlier` names.
    pub(super) fn list_names<'t, I: Iterator<Item = &'t str>>(
        &mut self,
        lines: impl Fn() -> I,
        earlier: &[&'t str],
        is_shown: &dyn Fn(u64) -> bool,
    ) {
        let Some(whole) = self.open(Section::State) else { return };
        let said: Vec<&str> = self.lines().collect();
        let mut quoted = BTreeSet::new();
        scan(&said.join("\n"), |fact| {
            quoted.insert(fact);
        });
        let rules = NameRules {
            is_shown: &|fact| quoted.contains(&fact) || is_shown(fact),
            cost: &|text| self.counter.count(self.name, text),
        };
        let line = NameList::new(self.left.saturating_sub(LINE_FRAME_TOKENS), rules);
        let line = line.and_then(|mut list| {
            let _ = lines().try_for_each(|line| list.add_digests(line));
            list.end_digests();
            // Names that were listed before are older than all lines.
            let _ = lines()
                .try_for_each(|line| list.add_line(line))
                .and_then(|()| earlier.iter().rev().try_for_each(|name| list.add(name)));
            list.into_line()
        });
        if let Some(line) = line {
            self.take(Section::State, usize::MAX, line);
        }
        self.close(Section::State, whole);
    }

    /// Quotes of each message what the section is for, the newest first.
    pub(super) fn quote_section(
        &mut self,
        quotes: &QuoteRule,
        covered: &SummaryInput<'_>,
        earlier: &EarlierSummaries,
    ) {
        let section = quotes.section;
        let Some(whole) = self.open(section) else { return };
        let start = self.lines.len();
        let messages = covered.messages;
        let mut picked = Vec::new();
        let began = (section == Section::Asked).then_some(self.first_request).flatten();
        let full = 'newest: {
            for (at, message) in messages.iter().enumerate().rev() {
                let stubbed = covered.stub_over.is_some_and(|most| is_long_result(message, most));
                if stubbed || Some(at + 1) == began {
                    continue;
                }
                (quotes.pick)(message, quotes.width, &mut picked);
                for line in picked.drain(..).rev() {
                    let line = self.new_part(line);
                    if line.is_empty() {
                        continue;
                    }
                    if self.lines.len() - start >= quotes.most {
                        break 'newest true;
                    }
                    if !self.take(section, at + 1, line.clone()) {
                        // The beginning of a request says more than nothing of it.
                        let cut = |width| Some(one_line(&line, width));
                        let opening = if section == Section::Asked {
                            self.fit_line(self.left, cut).filter(|line| line.len() >= MIN_CUT_BYTES)
                        } else {
                            None
                        };
                        if let Some(opening) = opening {
                            self.take(section, at + 1, opening);
                        }
                        break 'newest true;
                    }
                }
            }
            false
        };
        let lines = earlier.section_lines(section).iter().skip(usize::from(began == Some(0)));
        for line in lines.rev().filter(|_| !full) {
            if self.lines.len() - start >= quotes.most {
                break;
            }
            let line = self.new_part(line.clone());
            if !line.is_empty() && !self.take(section, 0, line) {
                break;
            }
        }
        // They were taken from the end.
        self.lines.get_mut(start..).unwrap_or_default().reverse();
        self.close(section, whole);
    }

    /// Quotes the lines that show most of what is neither
    /// `is_shown` nor quoted so far; `lines` have the places of their messages.
    pub(super) fn quote_lines(
        &mut self,
        section: Section,
        mut lines: Vec<(usize, &str)>,
        worth: &LineWorth,
        is_shown: &dyn Fn(u64) -> bool,
    ) {
        /// Characters of a line.
        const MAX_LINE_CHARS: usize = 400;
        let Some(whole) = self.open(section) else { return };
        let (start, left) = (self.lines.len(), self.left);
        let said: Vec<&str> = self.lines().collect();
        let said = said.join("\n");
        let mut known = BTreeSet::new();
        lines.retain(|(_, line)| known.insert(*line));
        let weights: Vec<u32> = lines.iter().map(|(_, line)| worth.weigh(line)).collect();
        // At most about four bytes to a token; if that is too many, fewer.
        let mut bytes = usize::try_from(left).unwrap_or(usize::MAX).saturating_mul(4);
        let before = ExtractUnit { text: &said, weight: 0, must: true };
        let units = lines.iter().zip(&weights);
        let units =
            units.map(|((_, text), weight)| ExtractUnit { text, weight: *weight, must: false });
        let units: Vec<ExtractUnit<'_>> = std::iter::once(before).chain(units).collect();
        let shows = UnitFacts::collect(units.iter().copied(), 1);
        for _ in 0..5 {
            let kept = select_with_facts(&units, &shows, is_shown, said.len() + bytes);
            let mut kept = lines.iter().zip(kept.iter().skip(1)).filter(|(_, kept)| **kept);
            self.left = left;
            let all = kept.all(|((at, line), _)| {
                let line = self.new_part(one_line(without_list_mark(line), MAX_LINE_CHARS));
                line.is_empty() || self.take(section, *at, line)
            });
            if all {
                break;
            }
            self.lines.truncate(start);
            bytes = bytes * 3 / 4;
        }
        self.close(section, whole);
    }

    /// Pays for the heading if the section has none yet; returns what was left before.
    fn open(&mut self, section: Section) -> Option<u64> {
        let whole = self.left;
        if !self.has(section) {
            let heading = SECTIONS.get(section as usize).copied().unwrap_or_default();
            self.left = whole.checked_sub(self.counter.count(self.name, heading) + 1)?;
        }
        Some(whole)
    }

    fn close(&mut self, section: Section, whole: u64) {
        if !self.has(section) {
            self.left = whole;
        }
    }

    fn has(&self, section: Section) -> bool {
        self.lines.iter().any(|line| line.section == section)
    }

    /// The part of a line that is not quoted yet: nothing if a longer one holds it, and no
    /// sentence with which it begins or ends and which is a line of its own.
    fn new_part(&self, mut line: String) -> String {
        let bare = line.strip_suffix('…').unwrap_or(&line);
        if self.lines().any(|known| known.contains(bare)) {
            return String::new();
        }
        for known in self.lines().filter(|known| known.len() >= MIN_QUOTE_BYTES) {
            if let Some(front) = line.strip_suffix(known) {
                line.truncate(front.trim_end().len());
            } else if let Some(rest) = line.strip_prefix(known) {
                line = rest.trim_start().to_owned();
            }
        }
        line
    }

    /// What is cut to as many characters as fit into `limit` tokens.
    fn fit_line(&self, limit: u64, mut cut: impl FnMut(usize) -> Option<String>) -> Option<String> {
        // Few tokens have more characters; each round brings the width closer.
        let mut width = usize::try_from(limit * 8).unwrap_or(usize::MAX);
        for _ in 0..MAX_WIDTH_ROUNDS {
            let line = cut(width)?;
            let cost = self.line_cost(&line);
            if cost <= limit {
                return Some(line);
            }
            let chars = u64::try_from(line.chars().count()).unwrap_or(u64::MAX);
            width = usize::try_from(chars.saturating_mul(limit) / cost.max(1) * 19 / 20).ok()?;
        }
        None
    }

    fn line_cost(&self, text: &str) -> u64 {
        self.counter.count(self.name, text) + LINE_FRAME_TOKENS
    }

    /// Takes a line if it has room: its own tokens, its dash and its line end.
    fn take(&mut self, section: Section, at: usize, text: String) -> bool {
        let cost = self.line_cost(&text);
        let Some(left) = self.left.checked_sub(cost) else { return false };
        self.left = left;
        self.lines.push(SummaryLine { section, at, text });
        true
    }

    /// The sections, each with its lines in the order of the conversation.
    pub(super) fn write(mut self) -> String {
        self.lines.sort_by_key(|line| (line.section, line.at));
        let mut text = String::new();
        let mut last = None;
        for line in &self.lines {
            if last != Some(line.section) {
                last = Some(line.section);
                if !text.is_empty() {
                    text.push('\n');
                }
                text.push_str(SECTIONS.get(line.section as usize).copied().unwrap_or_default());
            }
            text.push_str("\n- ");
            text.push_str(&line.text);
        }
        text
    }
}
