//! Splits a text into parts by kind: prose, a fence, JSON, a diff, a log. Notations are tried by
//! part, and prose is never taken for data.
//!
//! A kind is found by parsing: does it parse, and does it have structure. Words alone decide
//! nothing. The work is linear in the text: every rule either takes the lines it looked at, or
//! looks at a bounded number of them, or remembers how far it failed.

mod base64;
mod code;
mod csv;
mod diff;
mod fence;
mod hints;
mod json;
#[cfg(test)]
mod laws;
mod line_bytes;
mod listing;
mod log;
mod markdown;
mod markup;
mod numbered;
mod script;
mod search;
mod single;
mod test_run;
#[cfg(test)]
mod tests;
mod trace;
mod yaml;

use std::ops::Range;

pub(crate) use base64::is_base64_letter;
pub(crate) use code::is_of_program;
pub(crate) use diff::{Hunk, HunkLine, without_margin};
pub(crate) use log::is_entry;
pub(crate) use numbered::number;
pub(crate) use search::{bare_hit, hit, is_context, note};

use super::text::LineTable;
use fence::Margins;
use hints::LineHints;
use line_bytes::is_plain;
pub(crate) use line_bytes::is_sentence;

/// A part of a text. The spans of a text follow each other without gaps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) kind: Kind,
    /// Bytes; whole lines, except in a text of one line. Blank lines belong to what they follow.
    pub(crate) range: Range<usize>,
}

/// Kind of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Prose,
    /// Fenced code with its fences.
    Fence,
    /// One value.
    Json,
    /// A value on each line.
    JsonLines,
    Xml,
    Html,
    Yaml,
    Markdown(Part),
    Csv {
        separator: u8,
    },
    /// A unified diff with its git headers.
    Diff,
    /// Hits with a path or a line number before each.
    Search,
    /// Names of files.
    Listing,
    Log,
    /// Output of a test runner.
    Test,
    Trace,
    Base64,
    /// Source code outside fences.
    Code,
    /// Lines with consecutive numbers before them, as a file viewer prints them.
    Numbered,
}

/// The structure of Markdown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// A heading or a rule.
    Heading,
    List,
    Quote,
    Table,
    FrontMatter,
}

impl Kind {
    /// Whether this is output of a machine, not writing of a person.
    pub(crate) fn is_put_out(self) -> bool {
        !matches!(self, Self::Prose | Self::Fence | Self::Markdown(_) | Self::Code)
    }

    /// Whether two neighbours of this kind are one part.
    fn joins(self) -> bool {
        !matches!(self, Self::Fence | Self::Json | Self::Xml | Self::Html | Self::Base64)
    }
}

/// What some editors write at the beginning of a file.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The parts of a text, in order. A byte order mark belongs to the first.
pub(crate) fn segment(text: &str) -> Vec<Span> {
    let Some(rest) = text.strip_prefix(BYTE_ORDER_MARK).filter(|rest| !rest.is_empty()) else {
        return parts(text);
    };
    let mut spans = parts(rest);
    for span in &mut spans {
        let start = span.range.start + BYTE_ORDER_MARK.len();
        span.range = start..span.range.end + BYTE_ORDER_MARK.len();
    }
    if let Some(first) = spans.first_mut() {
        first.range.start = 0;
    }
    spans
}

fn parts(text: &str) -> Vec<Span> {
    let lines = LineTable::new(text);
    let mut segmenter = Segmenter::new(&lines);
    let mut at = 0;
    while at < lines.len() {
        at = segmenter.step(at);
    }
    if segmenter.spans.is_empty() && !text.is_empty() {
        return vec![Span { kind: Kind::Prose, range: 0..text.len() }];
    }
    if !segmenter.spans.is_empty() && script::is_script(&lines, &segmenter.spans) {
        return vec![script::part(text)];
    }
    let is_prose = matches!(segmenter.spans.as_slice(), [Span { kind: Kind::Prose, .. }]);
    if is_prose && lines.len() == 1 { single::parts(text) } else { segmenter.spans }
}

fn with_end(kind: Kind, end: Option<usize>) -> Option<(Kind, usize)> {
    end.map(|end| (kind, end))
}

/// Lines that one rule reads together.
struct LineRegion {
    /// The line after them.
    end: usize,
    /// Whether they are of the kind that the rule looks for.
    holds: bool,
}

impl LineRegion {
    /// The line after a region of that kind; after another, notes up to where the rule failed.
    fn end_or(self, failed: &mut usize) -> Option<usize> {
        if !self.holds {
            *failed = self.end;
        }
        self.holds.then_some(self.end)
    }
}

struct Segmenter<'t, 'l> {
    lines: &'l LineTable<'t>,
    spans: Vec<Span>,
    margins: Margins,
    /// Bytes that may still be looked at in vain by rules that look over several lines.
    budget: usize,
    /// Lines before these were looked at as YAML, and as code, in vain.
    no_yaml: usize,
    no_code: usize,
}

impl<'t, 'l> Segmenter<'t, 'l> {
    fn new(lines: &'l LineTable<'t>) -> Self {
        let budget = lines.text.len().saturating_mul(2);
        Self {
            lines,
            spans: Vec::new(),
            margins: Margins::default(),
            budget,
            no_yaml: 0,
            no_code: 0,
        }
    }

    /// Takes the part that begins at a line; gives the line after it.
    fn step(&mut self, at: usize) -> usize {
        if self.lines.is_blank(at) {
            self.blank(at);
            return at + 1;
        }
        if let Some(end) = fence::end(self.lines, at, &mut self.margins) {
            return self.take(Kind::Fence, at, end);
        }
        if let Some((kind, end)) = self.block(at) {
            self.margins.clear();
            return self.take(kind, at, end);
        }
        self.margins.add_line(self.lines, at);
        let in_list = self.margins.contains(self.lines.indent(at));
        let part = markdown::part(self.lines, at, in_list);
        self.take(part.map_or(Kind::Prose, Kind::Markdown), at, at + 1)
    }

    /// The rules, the surest first. What begins a line says which of them may hold; most lines of
    /// prose are let go by `is_plain`.
    fn block(&mut self, at: usize) -> Option<(Kind, usize)> {
        /// Bytes of a line that only a bracket, a key, or the root of a tree can be.
        const MAX_SIGN_BYTES: usize = 2;
        let lines = self.lines;
        let body = lines.body(at);
        // Frames below make any line the message of a trace.
        if is_plain(body) && lines.first_byte(at + 1) != b'a' {
            return None;
        }
        if body.len() <= MAX_SIGN_BYTES {
            return match lines.first_byte(at) {
                b'{' | b'[' => json::find(lines, at, &mut self.budget),
                b'.' => with_end(Kind::Listing, listing::end(lines, at)),
                _ if body.ends_with(b":") => self.yaml(at),
                _ => None,
            };
        }
        let found = match lines.first_byte(at) {
            b'{' | b'[' => json::find(lines, at, &mut self.budget),
            b'<' => markup::find(lines, at, &mut self.budget),
            b'd' | b'@' | b'I' => with_end(Kind::Diff, diff::end(lines, at)),
            b'-' => self.dashes(at),
            b'0'..=b'9' => with_end(Kind::Numbered, numbered::end(lines, at)),
            _ => None,
        };
        found
            .or_else(|| with_end(Kind::Trace, trace::end(lines, at)))
            .or_else(|| with_end(Kind::Test, test_run::end(lines, at)))
            .or_else(|| with_end(Kind::Log, log::end(lines, at)))
            .or_else(|| with_end(Kind::Base64, base64::end(lines, at)))
            .or_else(|| self.region(at))
    }

    /// The rules that depend on no first byte, if their bytes are in the line.
    fn region(&mut self, at: usize) -> Option<(Kind, usize)> {
        let lines = self.lines;
        let hints = LineHints::new(lines, at);
        let when = |may_be: bool| may_be.then_some(());
        when(hints.search())
            .and_then(|()| with_end(Kind::Search, search::end(lines, at)))
            .or_else(|| {
                when(hints.listing())
                    .and_then(|()| with_end(Kind::Listing, listing::end(lines, at)))
            })
            .or_else(|| when(hints.yaml()).and_then(|()| self.yaml(at)))
            .or_else(|| when(hints.code()).and_then(|()| self.code(at)))
            .or_else(|| {
                when(hints.words()).and_then(|()| with_end(Kind::Log, log::alike_end(lines, at)))
            })
            .or_else(|| with_end(Kind::Markdown(Part::Table), markdown::table(lines, at)))
            .or_else(|| when(hints.csv()).and_then(|()| csv::find(lines, at)))
    }

    fn dashes(&self, at: usize) -> Option<(Kind, usize)> {
        let matter = if at == 0 { markdown::front_matter(self.lines) } else { None };
        with_end(Kind::Markdown(Part::FrontMatter), matter)
            .or_else(|| with_end(Kind::Diff, diff::end(self.lines, at)))
    }

    fn yaml(&mut self, at: usize) -> Option<(Kind, usize)> {
        let region = (at >= self.no_yaml).then(|| yaml::region(self.lines, at)).flatten()?;
        with_end(Kind::Yaml, region.end_or(&mut self.no_yaml))
    }

    fn code(&mut self, at: usize) -> Option<(Kind, usize)> {
        let region = (at >= self.no_code).then(|| code::region(self.lines, at)).flatten()?;
        with_end(Kind::Code, region.end_or(&mut self.no_code))
    }

    fn blank(&mut self, at: usize) {
        if let Some(last) = self.spans.last_mut() {
            last.range.end = self.lines.start(at + 1);
        }
    }

    /// Blank lines before the first part belong to it.
    fn take(&mut self, kind: Kind, at: usize, end: usize) -> usize {
        let range = self.lines.start(at)..self.lines.start(end);
        match self.spans.last_mut() {
            None => self.spans.push(Span { kind, range: 0..range.end }),
            Some(last) if last.kind == kind && kind.joins() => last.range.end = range.end,
            Some(_) => self.spans.push(Span { kind, range }),
        }
        end
    }
}
