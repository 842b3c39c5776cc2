//! XML: prose in elements, comments and CDATA sections is shortened where it is, and
//! indentation between elements goes.
//!
//! Elements, attributes, instructions and every text that is no prose keep their bytes. A text
//! with a document type stays as it is: its entities could mean anything. Text next to child
//! elements stays too: its sentences run through them.

mod entity;
mod reader;

use std::ops::Range;

use super::shortening::MIN_TEXT_BYTES;
use super::words::is_prose;
use super::{AdapterAttempt, Cut, FormatAdapter, InnerTexts, Part};
use crate::compress::lossless::indentation;
use crate::compress::segment::{Kind, segment};
use entity::Entities;
use reader::{XmlEvent, XmlPiece, pieces};

const COMMENT_MARKS: (&str, &str) = ("<!--", "-->");
const SECTION_MARKS: (&str, &str) = ("<![CDATA[", "]]>");

/// The adapter of this module.
#[derive(Debug)]
pub(crate) struct XmlAdapter;

impl FormatAdapter for XmlAdapter {
    fn name(&self) -> &'static str {
        "xml"
    }

    fn finds_prose(&self) -> bool {
        true
    }

    fn detects(&self, part: Part<'_>) -> bool {
        part.is_all(|kind| kind == Kind::Xml)
    }

    fn holds(&self, before: &str, after: &str) -> bool {
        let Some(own) = pieces(before) else { return false };
        is_kept(before, &own, &indentation(before), after, &|piece| is_told(piece, before))
    }

    fn attempt<'p>(&'p self, part: Part<'p>, inside: &mut dyn InnerTexts) -> AdapterAttempt<'p> {
        let Some(own) = pieces(part.text) else {
            return AdapterAttempt::none();
        };
        let gaps = indentation(part.text);
        let gap = |range: &Range<usize>| Cut { range: range.clone(), with: String::new() };
        let mut cuts: Vec<Cut> = gaps.iter().map(gap).collect();
        // Cuts are prose, by which the text was found.
        let mut told = Vec::new();
        for piece in &own {
            if let Some(cut) = shorten_piece(piece, part.text, inside) {
                told.push(piece.range.start);
                cuts.push(cut);
            }
        }
        cuts.sort_by_key(|cut| cut.range.start);
        let is_told = move |piece: &XmlPiece| told.binary_search(&piece.range.start).is_ok();
        let holds = move |after: &str| is_kept(part.text, &own, &gaps, after, &is_told);
        AdapterAttempt::new(cuts, holds)
    }
}

/// Whether a text has the pieces of another without its gaps, each as it was, or as the shorter
/// form of prose.
fn is_kept(
    before: &str,
    own: &[XmlPiece],
    gaps: &[Range<usize>],
    after: &str,
    is_told: &dyn Fn(&XmlPiece) -> bool,
) -> bool {
    let Some(shown) = pieces(after) else { return false };
    let mut gaps = gaps.iter().peekable();
    let mut shown = shown.iter();
    let all =
        own.iter().filter(|own| gaps.next_if(|gap| **gap == own.range).is_none()).all(|own| {
            shown.next().is_some_and(|shown| {
                let (raw, other) = (own.raw(before), shown.raw(after));
                own.event == shown.event
                    && (raw == other
                        || other.len() < raw.len()
                            && own.may_shrink()
                            && is_told(own)
                            && words(own.event, other).is_some_and(|words| !words.text.is_empty()))
            })
        });
    // Each gap is a piece of its own.
    all && gaps.next().is_none() && shown.next().is_none()
}

fn is_told(piece: &XmlPiece, text: &str) -> bool {
    words(piece.event, piece.raw(text)).is_some_and(|words| match piece.event {
        XmlEvent::Text => Entities::read(words.text).is_some_and(|own| is_prose(own.text())),
        XmlEvent::Section => is_prose(words.text) || is_page(words.text),
        XmlEvent::Comment | XmlEvent::Markup => is_prose(words.text),
    })
}

/// Whether a text is elements of a page, as feeds have them.
fn is_page(text: &str) -> bool {
    text.starts_with('<') && segment(text).iter().all(|span| span.kind == Kind::Html)
}

/// The words of a piece, and the byte of the piece at which they start.
struct PieceWords<'r> {
    start: usize,
    text: &'r str,
}

fn words(event: XmlEvent, raw: &str) -> Option<PieceWords<'_>> {
    let (open, close) = match event {
        XmlEvent::Comment => COMMENT_MARKS,
        XmlEvent::Section => SECTION_MARKS,
        XmlEvent::Text => ("", ""),
        XmlEvent::Markup => return None,
    };
    let inner = raw.strip_prefix(open)?.strip_suffix(close)?;
    let start = raw.len() - close.len() - inner.trim_start().len();
    Some(PieceWords { start, text: inner.trim() })
}

/// A piece with its prose in a shorter form.
fn shorten_piece(piece: &XmlPiece, text: &str, inside: &mut dyn InnerTexts) -> Option<Cut> {
    let raw = piece.raw(text);
    if raw.len() < MIN_TEXT_BYTES || !piece.may_shrink() {
        return None;
    }
    let PieceWords { start, text: words } = words(piece.event, raw)?;
    let with = if piece.event == XmlEvent::Text {
        let entities = Entities::read(words)?;
        let plain = entities.text();
        let short = is_prose(plain).then(|| inside.shorten(plain)).flatten()?;
        entities.write(&short)
    } else {
        let is_words = is_prose(words) || (piece.event == XmlEvent::Section && is_page(words));
        let short = is_words.then(|| inside.shorten(words)).flatten()?;
        let ends_it = match piece.event {
            XmlEvent::Comment => short.contains("--") || short.ends_with('-'),
            // A bracket before the end is a letter of the section.
            _ => short.contains(SECTION_MARKS.1),
        };
        if ends_it {
            return None;
        }
        short
    };
    let start = piece.range.start + start;
    (with.len() < words.len()).then(|| Cut { range: start..start + words.len(), with })
}

#[cfg(test)]
mod tests;
