//! A document as pieces that cover all of its bytes.

use std::ops::Range;

use quick_xml::events;
use quick_xml::reader::Reader;

use crate::compress::lossless::{MAX_XML_DEPTH, MAX_XML_EVENTS};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum XmlEvent {
    /// A tag, a declaration or an instruction.
    Markup,
    /// Text with its entities, up to the next markup.
    Text,
    Comment,
    /// A CDATA section.
    Section,
}

#[derive(Debug, Clone)]
pub(super) struct XmlPiece {
    pub(super) event: XmlEvent,
    pub(super) range: Range<usize>,
    /// The element that it is in also holds elements.
    mixed: bool,
}

impl XmlPiece {
    pub(super) fn raw<'t>(&self, text: &'t str) -> &'t str {
        text.get(self.range.clone()).unwrap_or_default()
    }

    /// Whether it may contain prose as it is.
    pub(super) fn may_shrink(&self) -> bool {
        match self.event {
            XmlEvent::Markup => false,
            XmlEvent::Comment => true,
            XmlEvent::Text | XmlEvent::Section => !self.mixed,
        }
    }
}

/// The pieces of a text that is one well-formed document without a document type; `None` if it
/// is another, or too deep or too large.
pub(super) fn pieces(text: &str) -> Option<Vec<XmlPiece>> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_comments = true;
    let mut pieces: Vec<XmlPiece> = Vec::new();
    // The texts of the open elements; for each of these where its own begin, and whether it holds
    // elements.
    let mut texts: Vec<usize> = Vec::new();
    let mut open: Vec<(usize, bool)> = Vec::new();
    let mut roots = 0;
    loop {
        let from = pieces.last().map_or(0, |piece| piece.range.end);
        let event = reader.read_event().ok()?;
        let to = usize::try_from(reader.buffer_position()).ok()?;
        let kind = match event {
            events::Event::Eof => break,
            events::Event::DocType(_) => return None,
            events::Event::Text(_) | events::Event::GeneralRef(_) => XmlEvent::Text,
            events::Event::Comment(_) => XmlEvent::Comment,
            events::Event::CData(_) => XmlEvent::Section,
            _ => XmlEvent::Markup,
        };
        if to <= from || pieces.len() >= MAX_XML_EVENTS {
            return None;
        }
        match event {
            events::Event::Start(_) | events::Event::Empty(_) => {
                match open.last_mut() {
                    Some((_, holds_elements)) => *holds_elements = true,
                    None => roots += 1,
                }
                if matches!(event, events::Event::Start(_)) {
                    open.push((texts.len(), false));
                }
            }
            events::Event::End(_) => {
                let (first, holds_elements) = open.pop()?;
                for text in texts.drain(first..) {
                    if let Some(piece) = pieces.get_mut(text) {
                        piece.mixed = holds_elements;
                    }
                }
            }
            _ => {}
        }
        let is_text = matches!(kind, XmlEvent::Text | XmlEvent::Section);
        let is_blank = || text.get(from..to).is_some_and(|raw| raw.trim().is_empty());
        if open.len() > MAX_XML_DEPTH || roots > 1 || (is_text && open.is_empty() && !is_blank()) {
            return None;
        }
        match pieces.last_mut() {
            // Text is parted at its entities only.
            Some(last) if kind == XmlEvent::Text && last.event == kind => last.range.end = to,
            _ => {
                if is_text && !open.is_empty() {
                    texts.push(pieces.len());
                }
                pieces.push(XmlPiece { event: kind, range: from..to, mixed: false });
            }
        }
    }
    let end = pieces.last().map_or(0, |piece| piece.range.end);
    (open.is_empty() && roots == 1 && end == text.len()).then_some(pieces)
}
