//! Prose: explanations, chats, letters. Sentences stay or go as a whole.

use super::passages::Passages;
use super::{AdapterAttempt, FormatAdapter, InnerTexts, Part};
use crate::compress::extract::{GAP_MARK, Paragraph, between_gaps, paragraphs};
use crate::compress::segment::{Kind, Part as Markdown};
use crate::compress::text::{ByteTable, byte_table};

/// Bytes of the shortest text that is worth it.
const MIN_TEXT_BYTES: usize = 200;

/// The adapter of texts that are nothing but words.
#[derive(Debug)]
pub(crate) struct ProseAdapter;

impl FormatAdapter for ProseAdapter {
    fn name(&self) -> &'static str {
        "prose"
    }

    fn takes_prose(&self) -> bool {
        true
    }

    fn detects(&self, part: Part<'_>) -> bool {
        part.text.len() >= MIN_TEXT_BYTES
            && part.is_all(is_words)
            && has_words(part.text)
            && !is_code(part.text)
    }

    fn holds(&self, before: &str, after: &str) -> bool {
        ProseText::new(before).has(after)
    }

    fn attempt<'p>(&'p self, part: Part<'p>, _: &mut dyn InnerTexts) -> AdapterAttempt<'p> {
        let mut read = ProseText::new(part.text);
        read.passages = read.passages.with_ratio(part.ratio);
        AdapterAttempt::new(read.passages.cuts(), move |after| read.has(after))
    }
}

/// A text and its sentences.
struct ProseText<'t> {
    text: &'t str,
    paragraphs: Vec<Paragraph>,
    passages: Passages<'t>,
}

impl<'t> ProseText<'t> {
    fn new(text: &'t str) -> Self {
        let paragraphs = paragraphs(text);
        let mut passages = Passages::new_plain(text);
        for paragraph in &paragraphs {
            passages.add(paragraph);
        }
        Self { text, paragraphs, passages }
    }

    /// Whether what is between the marks is a run of sentences of the text, in order.
    fn has(&self, after: &str) -> bool {
        let sentences = self.passages.sentences();
        let mut starts: Vec<usize> = sentences.iter().map(|range| range.start).collect();
        let mut ends: Vec<usize> = sentences.iter().map(|range| range.end).collect();
        for Paragraph { outer, inner } in &self.paragraphs {
            starts.push(outer.start);
            let marks = self.text.get(outer.start..inner.start).unwrap_or_default();
            ends.push(outer.start + marks.trim_end().len());
        }
        // A gap mark within a quote is no sentence of its own, and parts runs all the same.
        for gap in memchr::memmem::find_iter(self.text.as_bytes(), GAP_MARK) {
            ends.push(self.text.get(..gap).unwrap_or_default().trim_end().len());
            let behind = self.text.get(gap + GAP_MARK.len()..).unwrap_or_default();
            starts.push(self.text.len() - behind.trim_start().len());
        }
        let mut finder = RunFinder::new(self.text, starts, ends);
        let mut from = 0;
        between_gaps(after).all(|run| {
            // In a quote, the mark of a line may be next to the gap.
            let is_mark = |letter: char| letter == '>' || letter.is_whitespace();
            let (head, words) = (run.trim_start_matches(is_mark), run.trim_matches(is_mark));
            if words.is_empty() {
                return true;
            }
            let mut find = |run| finder.find(run, from);
            let found = if run.trim() == words {
                find(words)
            } else {
                // Marks on the line of the words may belong to them.
                let behind = head.get(words.len()..).unwrap_or_default();
                let behind = behind.split('\n').next().unwrap_or_default().trim_end();
                let start = run.len() - head.len();
                let front = run.get(..start).unwrap_or_default();
                let front = front.rsplit('\n').next().unwrap_or_default().trim_start();
                let own = |front: &str, behind: &str| {
                    run.get(start - front.len()..start + words.len() + behind.len())
                };
                let runs = [own(front, behind), own("", behind), own(front, ""), Some(words)];
                let runs = runs.into_iter().flatten().chain([run.trim()]);
                runs.filter_map(find).min()
            };
            from = found.unwrap_or(from);
            found.is_some()
        })
    }
}

/// Whether two letters are next to each other, or one that needs no other: lines of brackets and
/// numbers are no sentences, and there may be a great many of them.
fn has_words(text: &str) -> bool {
    let mut follows = false;
    text.bytes().any(|byte| {
        let is_letter = byte.is_ascii_alphabetic();
        let is_word = !byte.is_ascii() || (is_letter && follows);
        follows = is_letter;
        is_word
    })
}

/// Whether a text is code without blanks, as programs make it for programs: many of the marks that
/// code is full of, and few words.
fn is_code(text: &str) -> bool {
    /// Of so many bytes one is a mark, and of so many less than one is a blank.
    const MAX_BYTES_PER_MARK: usize = 10;
    const MIN_BYTES_PER_BLANK: usize = 10;
    static MARKS: ByteTable<bool> = byte_table!(is_mark_of_code);
    let blanks = text.bytes().filter(|byte| matches!(byte, b' ' | b'\n')).count();
    blanks * MIN_BYTES_PER_BLANK < text.len()
        && text.bytes().filter(|byte| MARKS.get(*byte)).count() * MAX_BYTES_PER_MARK > text.len()
}

const fn is_mark_of_code(byte: u8) -> bool {
    matches!(
        byte,
        b'{' | b'}'
            | b'['
            | b']'
            | b'('
            | b')'
            | b'<'
            | b'>'
            | b'='
            | b';'
            | b'|'
            | b'&'
            | b'$'
            | b'*'
            | b'_'
            | b'+'
            | b'#'
            | b'\\'
    )
}

/// Words that people wrote, and their lists and quotes.
pub(super) fn is_words(kind: Kind) -> bool {
    matches!(kind, Kind::Prose | Kind::Markdown(Markdown::List | Markdown::Quote))
}

/// Finds runs of a text between two borders.
struct RunFinder<'t> {
    text: &'t str,
    /// Places where runs may start and end, in order.
    starts: Vec<usize>,
    ends: Vec<usize>,
    /// Bytes that may still be compared place by place: a text of alike sentences has many places.
    budget: usize,
}

impl<'t> RunFinder<'t> {
    fn new(text: &'t str, mut starts: Vec<usize>, mut ends: Vec<usize>) -> Self {
        starts.sort_unstable();
        ends.sort_unstable();
        Self { text, starts, ends, budget: text.len().saturating_mul(4) }
    }

    /// The end of the first place after `from` where a run is between two borders.
    fn find(&mut self, run: &str, from: usize) -> Option<usize> {
        let (text, run) = (self.text.as_bytes(), run.as_bytes());
        let first = self.starts.partition_point(|start| *start < from);
        for start in self.starts.get(first..).unwrap_or_default() {
            let Some(left) = self.budget.checked_sub(run.len()) else {
                return self.search(run, *start);
            };
            self.budget = left;
            let end = start + run.len();
            let is_here = text.get(*start..).is_some_and(|rest| rest.starts_with(run));
            if is_here && self.ends.binary_search(&end).is_ok() {
                return Some(end);
            }
        }
        None
    }

    /// The same in time that is linear in the text.
    fn search(&self, run: &[u8], from: usize) -> Option<usize> {
        let rest = self.text.as_bytes().get(from..)?;
        let mut places = memchr::memmem::find_iter(rest, run).map(|at| from + at);
        let place = places.find(|at| {
            let end = at + run.len();
            self.starts.binary_search(at).is_ok() && self.ends.binary_search(&end).is_ok()
        })?;
        Some(place + run.len())
    }
}

#[cfg(test)]
mod tests;
