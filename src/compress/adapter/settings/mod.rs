//! Settings: TOML, INI, `.env` and what else is keys with values. Every key stays.
//!
//! Comments and values that are prose are shortened where they are, and of a long list of
//! sections, `[[name]]`, some go, as the items of a JSON list do; a comment counts them. So what
//! is shown can be read as what it was.

mod reader;

use std::ops::Range;

use foldhash::HashSet;

use super::elision;
use super::words::is_prose;
use super::{AdapterAttempt, Cut, FormatAdapter, InnerTexts, KeepRatio, Part};
use crate::compress::notation::reports_error;
use crate::compress::segment::Kind;
use reader::{PieceKind, SettingsPiece, is_mark, pieces};

const SECTION_NOUN: &str = "section";
/// Bytes of a comment or a value that is looked into.
const MIN_WORDS_BYTES: usize = 120;

/// The adapter of this module.
#[derive(Debug)]
pub(crate) struct SettingsAdapter;

impl FormatAdapter for SettingsAdapter {
    fn name(&self) -> &'static str {
        "settings"
    }

    fn finds_prose(&self) -> bool {
        true
    }

    fn detects(&self, part: Part<'_>) -> bool {
        let is_other = |kind| {
            matches!(
                kind,
                Kind::Fence | Kind::Diff | Kind::Json | Kind::JsonLines | Kind::Xml | Kind::Html
            )
        };
        !part.has(is_other) && pieces(part.text).is_some()
    }

    fn holds(&self, before: &str, after: &str) -> bool {
        SettingsText::read(before).is_some_and(|own| own.holds(after))
    }

    fn attempt<'p>(&'p self, part: Part<'p>, inside: &mut dyn InnerTexts) -> AdapterAttempt<'p> {
        let Some(own) = SettingsText::read(part.text) else { return AdapterAttempt::none() };
        let cuts = own.cuts(inside, part.ratio);
        AdapterAttempt::new(cuts, move |after| own.holds(after))
    }
}

struct SettingsText<'t> {
    text: &'t str,
    pieces: Vec<SettingsPiece>,
    /// Whether a comment reads as a mark: the sections that it represents would be in doubt.
    has_mark: bool,
}

impl<'t> SettingsText<'t> {
    fn read(text: &'t str) -> Option<Self> {
        let pieces = pieces(text)?;
        let has_mark = pieces.iter().any(|piece| mark_sections(piece, text).is_some());
        Some(Self { text, pieces, has_mark })
    }

    fn cuts(&self, inside: &mut dyn InnerTexts, ratio: KeepRatio) -> Vec<Cut> {
        let mut cuts = Vec::new();
        let mut at = 0;
        while at < self.pieces.len() {
            let list = self.list(at);
            let mut next = at;
            for gap in self.gaps(&list, ratio) {
                let (Some(first), Some(end)) = (list.get(gap.start), list.get(gap.end)) else {
                    continue;
                };
                self.shorten_words(next..first.start, inside, &mut cuts);
                cuts.extend(self.cut(first.start..end.start, gap.len()));
                next = end.start;
            }
            at = list.last().map_or(at + 1, |last| last.end);
            self.shorten_words(next..at, inside, &mut cuts);
        }
        cuts
    }

    /// The sections of the list that begins at a piece, each as the range of its pieces.
    fn list(&self, at: usize) -> Vec<Range<usize>> {
        let Some(first) = self.pieces.get(at).filter(|own| own.kind == PieceKind::ListSection)
        else {
            return Vec::new();
        };
        let name = first.name(self.text);
        let mut list: Vec<Range<usize>> = Vec::new();
        for (place, piece) in self.pieces.iter().enumerate().skip(at) {
            let own = piece.name(self.text);
            let is_head = matches!(piece.kind, PieceKind::Section | PieceKind::ListSection);
            let is_below = || own.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
            if piece.kind == PieceKind::ListSection && own == name {
                list.push(place..place + 1);
            } else if is_head && !is_below() {
                break;
            } else if let Some(last) = list.last_mut() {
                last.end = place + 1;
            }
        }
        list
    }

    /// The section of the same list that is so many behind the one that begins at a piece: what is
    /// left out is followed by a section of its list.
    fn behind(&self, at: usize, count: usize) -> Option<usize> {
        let name = self.pieces.get(at)?.name(self.text);
        let is_item = |piece: &SettingsPiece| {
            piece.kind == PieceKind::ListSection && piece.name(self.text) == name
        };
        let mut items = self.pieces.iter().enumerate().skip(at).filter(|(_, piece)| is_item(piece));
        let (first, _) = items.next()?;
        let (next, _) = items.nth(count.checked_sub(1)?)?;
        (first == at).then_some(next)
    }

    /// The sections of a list that go.
    fn gaps(&self, list: &[Range<usize>], ratio: KeepRatio) -> Vec<Range<usize>> {
        if list.len() <= elision::MAX_WHOLE_ITEMS || self.has_mark {
            return Vec::new();
        }
        let mut names = HashSet::default();
        let mut must = Vec::with_capacity(list.len());
        let mut raw = Vec::with_capacity(list.len());
        for section in list {
            let own = self.pieces.get(section.clone()).unwrap_or_default();
            // A key that no section before has stays.
            let is_new = own.iter().filter(|piece| names.insert(piece.name(self.text))).count() > 0;
            let text = self.span(section).and_then(|span| self.text.get(span)).unwrap_or_default();
            must.push(is_new || reports_error(text));
            raw.push(text);
        }
        elision::gaps(&raw, &must, ratio)
    }

    fn span(&self, pieces: &Range<usize>) -> Option<Range<usize>> {
        let first = self.pieces.get(pieces.start)?;
        let last = self.pieces.get(pieces.end.checked_sub(1)?)?;
        Some(first.range.start..last.range.end)
    }

    /// A comment in the place of some sections.
    fn cut(&self, pieces: Range<usize>, count: usize) -> Option<Cut> {
        let range = self.span(&pieces)?;
        let raw = self.text.get(range.clone())?;
        let line_break = if raw.ends_with("\r\n") { "\r\n" } else { "\n" };
        let with = format!("# {}{line_break}", elision::mark(count, SECTION_NOUN));
        (with.len() < range.len()).then_some(Cut { range, with })
    }

    fn shorten_words(
        &self,
        pieces: Range<usize>,
        inside: &mut dyn InnerTexts,
        cuts: &mut Vec<Cut>,
    ) {
        for piece in self.pieces.get(pieces).unwrap_or_default() {
            cuts.extend(self.shorten(piece, inside));
        }
    }

    fn shorten(&self, piece: &SettingsPiece, inside: &mut dyn InnerTexts) -> Option<Cut> {
        let words = Words::read(piece, self.text).filter(|words| is_prose(&words.text))?;
        let short = inside.shorten(&words.text)?;
        let with = words.write(short.trim_end())?;
        let range = words.range;
        (with.len() < range.len()).then_some(Cut { range, with })
    }

    /// Whether a text has the pieces of this one, but for counted sections and shorter prose.
    fn holds(&self, after: &str) -> bool {
        let Some(shown) = pieces(after) else { return false };
        let is_solid = |piece: &&SettingsPiece| piece.kind != PieceKind::Blank;
        let mut at = 0;
        for piece in shown.iter().filter(is_solid) {
            while self.pieces.get(at).is_some_and(|own| own.kind == PieceKind::Blank) {
                at += 1;
            }
            if self.pieces.get(at).is_some_and(|own| self.is_same(own, piece, after)) {
                at += 1;
                continue;
            }
            let Some(count) = mark_sections(piece, after) else { return false };
            let Some(next) = self.behind(at, count) else { return false };
            at = next;
        }
        self.pieces.get(at..).unwrap_or_default().iter().all(|own| own.kind == PieceKind::Blank)
    }

    fn is_same(&self, own: &SettingsPiece, shown: &SettingsPiece, after: &str) -> bool {
        let (raw, other) = (own.raw(self.text).trim_end(), shown.raw(after).trim_end());
        own.kind == shown.kind
            && own.name(self.text) == shown.name(after)
            && (raw == other
                || other.len() < raw.len()
                    && Words::read(own, self.text).is_some_and(|words| is_prose(&words.text))
                    && Words::read_any(shown, after)
                        .is_some_and(|words| !words.text.trim().is_empty()))
    }
}

/// Number of sections that a comment represents, if it is a mark.
fn mark_sections(piece: &SettingsPiece, text: &str) -> Option<usize> {
    let body = piece.raw(text).trim();
    let is_comment = piece.kind == PieceKind::Comment && is_mark(body.as_bytes());
    elision::mark_items(body.strip_prefix("# ").filter(|_| is_comment)?, SECTION_NOUN)
}

/// The words of a comment, or of a value between quotes.
struct Words {
    text: String,
    /// Where they are, with what is before each line.
    range: Range<usize>,
    /// What is before each line of a comment; none in a value.
    margin: Option<String>,
    line_break: &'static str,
    /// Whether a value may go on in the next line.
    is_block: bool,
}

impl Words {
    /// Those of a piece that is long enough.
    fn read(piece: &SettingsPiece, text: &str) -> Option<Self> {
        (piece.range.len() >= MIN_WORDS_BYTES).then(|| Self::read_any(piece, text)).flatten()
    }

    fn read_any(piece: &SettingsPiece, text: &str) -> Option<Self> {
        let raw = piece.raw(text);
        let line_break = if raw.contains("\r\n") { "\r\n" } else { "\n" };
        match piece.kind {
            PieceKind::Comment => {
                let bare = raw.trim_start_matches([' ', '\t']);
                let sign = raw.len() - bare.len() + 1;
                let margin = raw.get(..sign)?;
                let blank = if bare.get(1..)?.starts_with(' ') { " " } else { "" };
                let own = |line: &str| {
                    let line = line.get(sign..).unwrap_or_default().trim_end();
                    line.strip_prefix(blank).unwrap_or(line).to_owned()
                };
                let lines: Vec<String> = raw.lines().map(own).collect();
                let end = piece.range.start + raw.trim_end().len();
                let margin = Some(format!("{margin}{blank}"));
                let range = piece.range.start..end;
                Some(Self { text: lines.join("\n"), range, margin, line_break, is_block: true })
            }
            PieceKind::Key => {
                let from = memchr::memchr(b'=', raw.as_bytes())? + 1;
                let value = raw.get(from..)?;
                let bare = value.trim();
                let start = piece.range.start + from + value.len() - value.trim_start().len();
                let quotes = ["\"\"\"", "'''", "\"", "'"];
                let quote = quotes.into_iter().find(|quote| bare.starts_with(quote))?;
                let inner = bare.strip_prefix(quote)?.strip_suffix(quote)?;
                // Escapes could come to mean something else.
                if inner.contains(['\\', '"', '\'']) {
                    return None;
                }
                let range = start + quote.len()..start + quote.len() + inner.len();
                let is_block = quote.len() > 1;
                let text = inner.replace("\r\n", "\n");
                Some(Self { text, range, margin: None, line_break, is_block })
            }
            PieceKind::Section | PieceKind::ListSection | PieceKind::Blank => None,
        }
    }

    /// Other words in their place; `None` if they cannot be written there.
    fn write(&self, words: &str) -> Option<String> {
        if words.trim().is_empty() {
            return None;
        }
        let Some(margin) = &self.margin else {
            let fits = self.is_block || self.text.contains('\n') || !words.contains('\n');
            return (fits && !words.contains(['\\', '"', '\'']))
                .then(|| words.replace('\n', self.line_break));
        };
        let line = |line: &str| format!("{margin}{line}").trim_end().to_owned();
        let lines: Vec<String> = words.split('\n').map(line).collect();
        Some(lines.join(self.line_break))
    }
}

#[cfg(test)]
mod tests;
