//! As much of a text as a room takes: lines, or parts of its structure.
//!
//! The order in which they are shown depends on the text alone, so more room shows all that less
//! room does.

mod order;

use std::cell::OnceCell;

use foldhash::HashMap;

use super::adapter::{Salience, is_source};
use super::digest::pieces::{self, DigestPiece};
use super::document::StructuredText;
use super::segment::segment;
use order::{PieceOrder, piece_salience};

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
        let pieces = pieces::cut(text);
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
        let order = self.order.get_or_init(|| PieceOrder::new(text, &self.pieces, &self.salience));
        let kept = order.first(self.pieces.len(), bytes);
        pieces::write_kept(text, &self.pieces, &kept, self.count_errors(&kept).as_deref())
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
        let counts: Vec<String> = counts.iter().map(ToString::to_string).collect();
        Some(format!("; lines of each kind of error: {}", counts.join(", ")))
    }
}

#[cfg(test)]
mod tests;
