//! The way back: texts for the tool results of a list, from the first to the last.

use std::sync::Arc;

use super::back_references::DecodedTexts;
use super::mark::{self, LITERAL_MARKS, ReferenceTarget};
use super::{arguments_of, block_decoder};

/// Bytes that decoding may make of a list, in addition to eight times its own: as many as a list
/// that was compressed may have had.
const MIN_DECODE_ALLOWANCE_BYTES: usize = 32 << 20;

/// Gives the tool results of a list their texts back, from the first to the last.
#[derive(Debug)]
pub struct Decoder {
    shown: DecodedTexts,
    results: usize,
    calls: usize,
    /// Bytes that may still be made.
    left: usize,
}

/// Result of decoding a shown text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DecodedText {
    /// It holds no mark of ours.
    Same,
    Text(String),
    /// It holds marks that cannot be followed; it stays as it is.
    Missing,
}

impl Decoder {
    /// A decoder of a list that takes so many bytes.
    pub fn new(bytes: usize) -> Self {
        let left = MIN_DECODE_ALLOWANCE_BYTES.saturating_add(bytes.saturating_mul(8));
        Self { shown: DecodedTexts::default(), results: 0, calls: 0, left }
    }

    /// The next tool call of the list: the text of its arguments.
    pub fn add_call(&mut self, arguments: &str) {
        self.calls += 1;
        for (place, text) in arguments_of(self.calls, arguments) {
            self.shown.add(place, text);
        }
    }

    /// The next tool result of the list, by its texts.
    pub fn decode_result(&mut self, texts: &[Arc<str>]) -> Vec<DecodedText> {
        self.results += 1;
        let decoded = texts.iter().map(|text| self.text(text)).collect();
        if let [text] = texts {
            self.shown.add(ReferenceTarget::Result(self.results), Arc::clone(text));
        }
        decoded
    }

    /// A text of the user or of the system.
    pub fn decode_prompt(&mut self, text: &str) -> DecodedText {
        self.text(text)
    }

    fn text(&mut self, text: &str) -> DecodedText {
        if let Some(literal) = LITERAL_MARKS.iter().find_map(|mark| text.strip_prefix(mark)) {
            return DecodedText::Text(literal.to_owned());
        }
        if !mark::has_marks(text) {
            return DecodedText::Same;
        }
        let resolved = self.shown.resolve(text, &mut self.left);
        let decoded = resolved.and_then(|text| block_decoder::decode(&text, &mut self.left));
        decoded.map_or(DecodedText::Missing, DecodedText::Text)
    }
}
