//! XML: prose in elements, comments and CDATA sections is shortened where it stands, and
//! indentation between elements goes.
//!
//! Elements, attributes, instructions and every text that is no prose keep their bytes. A text
//! with a document type stays as it is: its entities could stand for anything. Text beside child
//! elements stays too: its sentences run through them.

mod entity;
mod read;

use super::words::is_prose;
use super::{Cut, FormatAdapter, Inside, Part};
use crate::compress::lossless::indentation;
use crate::compress::segment::Kind;
use entity::Entities;
use read::{Event, Piece, pieces};

const COMMENT: (&str, &str) = ("<!--", "-->");
const SECTION: (&str, &str) = ("<![CDATA[", "]]>");

/// The adapter of this module.
#[derive(Debug)]
pub(crate) struct Xml;

impl FormatAdapter for Xml {
    fn name(&self) -> &'static str {
        "xml"
    }

    fn detects(&self, part: Part<'_>) -> bool {
        part.is_all(|kind| kind == Kind::Xml)
    }

    fn cuts(&self, part: Part<'_>, inside: &mut dyn Inside) -> Vec<Cut> {
        let Some(pieces) = pieces(part.text) else { return Vec::new() };
        let gap = |range| Cut { range, with: String::new() };
        let mut cuts: Vec<Cut> = indentation(part.text).into_iter().map(gap).collect();
        cuts.extend(pieces.iter().filter_map(|piece| shorter(piece, part.text, inside)));
        cuts.sort_by_key(|cut| cut.range.start);
        cuts
    }

    fn holds(&self, before: &str, after: &str) -> bool {
        let mut bare = String::with_capacity(before.len());
        let mut copied = 0;
        for gap in indentation(before) {
            bare.push_str(before.get(copied..gap.start).unwrap_or_default());
            copied = gap.end;
        }
        bare.push_str(before.get(copied..).unwrap_or_default());
        let (Some(own), Some(shown)) = (pieces(&bare), pieces(after)) else { return false };
        own.len() == shown.len()
            && own.iter().zip(&shown).all(|(own, shown)| {
                own.event == shown.event && is_kept(own, &bare, shown.raw(after))
            })
    }
}

/// Whether a piece is shown as it was, or as the shorter form of prose.
fn is_kept(own: &Piece, text: &str, shown: &str) -> bool {
    let raw = own.raw(text);
    raw == shown
        || shown.len() < raw.len()
            && own.may_shrink()
            && bare(own.event, raw).is_some_and(|(_, bare, _)| is_told(own.event, bare))
            && bare(own.event, shown).is_some_and(|(_, bare, _)| !bare.is_empty())
}

fn is_told(event: Event, bare: &str) -> bool {
    match event {
        Event::Text => Entities::read(bare).is_some_and(|(text, _)| is_prose(&text)),
        _ => is_prose(bare),
    }
}

/// What stands before the words of a piece, the words, and what stands behind them.
fn bare(event: Event, raw: &str) -> Option<(&str, &str, &str)> {
    let (open, close) = match event {
        Event::Comment => COMMENT,
        Event::Section => SECTION,
        Event::Text => ("", ""),
        Event::Markup => return None,
    };
    let inner = raw.strip_prefix(open)?.strip_suffix(close)?;
    let words = inner.trim();
    let head = raw.len() - close.len() - inner.trim_start().len();
    Some((raw.get(..head)?, words, raw.get(head + words.len()..)?))
}

/// A piece with its prose in a shorter form.
fn shorter(piece: &Piece, text: &str, inside: &mut dyn Inside) -> Option<Cut> {
    if !piece.may_shrink() {
        return None;
    }
    let raw = piece.raw(text);
    let (head, words, _) = bare(piece.event, raw)?;
    let with = if piece.event == Event::Text {
        let (plain, entities) = Entities::read(words)?;
        let short = is_prose(&plain).then(|| inside.shorten(&plain)).flatten()?;
        entities.write(&short)
    } else {
        let short = is_prose(words).then(|| inside.shorten(words)).flatten()?;
        let ends_it = match piece.event {
            Event::Comment => short.contains("--") || short.ends_with('-'),
            _ => short.contains(SECTION.1) || short.ends_with(']'),
        };
        if ends_it {
            return None;
        }
        short
    };
    let start = piece.range.start + head.len();
    (with.len() < words.len()).then(|| Cut { range: start..start + words.len(), with })
}

#[cfg(test)]
mod tests;
