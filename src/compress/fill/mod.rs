//! As much of a text as a room takes: lines, or parts of its structure.
//!
//! The order in which they are shown depends on the text alone, so more room shows all that less
//! room does.

mod order;

use std::cell::OnceCell;

use foldhash::HashMap;

use super::adapter::{Salience, is_source};
use super::digest::pieces::{self, DigestPiece, LineCuts};
use super::document::StructuredText;
use super::notation::reports_error;
use super::segment::segment;
use order::{FirstPieces, PieceOrder, piece_salience};

/// A text of which parts are shown, as what its format makes of it, or else as lines.
#[derive(Debug)]
pub(super) enum FillSource {
    Structured(StructuredText),
    Lines(FillLines),
}

/// The lines of a text in the order in which they are shown.
#[derive(Debug)]
pub(super) struct FillLines {
    pieces: Vec<DigestPiece>,
    salience: Vec<Salience>,
    order: OnceCell<PieceOrder>,
}

impl FillSource {
    pub(super) fn new(text: &str) -> Self {
        let spans = segment(text);
        if let Some(document) = StructuredText::read(text, &spans) {
            return Self::Structured(document);
        }
        let pieces = pieces::cut(text, LineCuts::Sentences);
        let salience = piece_salience(text, &pieces, is_source(text, &spans));
        Self::Lines(FillLines { pieces, salience, order: OnceCell::new() })
    }

    /// What is asked for first, in about so many bytes; none if it would not be shorter.
    pub(super) fn fill(&self, text: &str, bytes: usize) -> Option<String> {
        let shown = match self {
            Self::Structured(document) => document.fill(text, bytes)?,
            Self::Lines(lines) => lines.fill(text, bytes),
        };
        (shown.len() < text.len()).then_some(shown)
    }
}

impl FillLines {
    fn fill(&self, text: &str, bytes: usize) -> String {
        /// Bytes below which counts would take the room of what they count.
        const MIN_COUNTED_BYTES: usize = 256;
        let order = self.order.get_or_init(|| PieceOrder::new(text, &self.pieces, &self.salience));
        let FirstPieces { mut kept, next } = order.first(self.pieces.len(), bytes);
        let counts = if bytes < MIN_COUNTED_BYTES { None } else { self.count_errors(&kept) };
        // A line that reports an error is whole or absent.
        let begun = next.and_then(|next| {
            let piece = self.pieces.get(next.at).filter(|own| !reports_error(own.text(text)))?;
            Some((next.at, piece.split(text, next.bytes)?))
        });
        let Some((at, parts)) = begun else {
            return pieces::write_kept(text, &self.pieces, &kept, counts.as_deref());
        };
        // The beginning of the piece that comes next fills the room.
        let mut own = self.pieces.clone();
        own.splice(at..=at, parts);
        kept.splice(at..=at, [true, false]);
        pieces::write_kept(text, &own, &kept, counts.as_deref())
    }

    /// The lines of each kind of error of which one is shown, in the order of these, if others of
    /// a kind are not.
    fn count_errors(&self, kept: &[bool]) -> Option<String> {
        /// Kinds that are counted: of more, a reader would not know which is which.
        const MAX_COUNTED_KINDS: usize = 8;
        let mut counts: HashMap<u64, usize> = HashMap::default();
        let mut shown: Vec<u64> = Vec::new();
        let mut is_cut = false;
        let mut before = None;
        for ((piece, own), kept) in self.pieces.iter().zip(&self.salience).zip(kept) {
            // A long line has several pieces.
            if !own.is_error || before.replace(piece.line) == Some(piece.line) {
                continue;
            }
            *counts.entry(own.kind).or_default() += 1;
            if !*kept {
                is_cut = true;
            } else if !shown.contains(&own.kind) && shown.len() <= MAX_COUNTED_KINDS {
                shown.push(own.kind);
            }
        }
        let counts: Vec<usize> =
            shown.iter().map(|kind| counts.get(kind).copied().unwrap_or_default()).collect();
        let repeats = counts.iter().any(|count| *count > 1);
        if !is_cut || !repeats || counts.len() > MAX_COUNTED_KINDS {
            return None;
        }
        let counts: Vec<String> = counts.iter().map(|count| format!("{count}×")).collect();
        Some(format!("; errors of each kind: {}", counts.join(", ")))
    }
}

#[cfg(test)]
mod tests;
