//! Long runs of one character, counted without walking them.
//!
//! To merge a run of `-` takes half a microsecond a byte, many times what text needs.
//! Far from its ends a run is encoded as one token over and over: taking such tokens out of
//! the middle changes the count by exactly their number. A test holds the counts equal.

use quick_cache::sync::Cache;

use super::tables::TokenTables;
use crate::domain::TokenizerName;

/// Pieces from this many bytes on are looked at for runs.
pub(super) const MIN_SEARCH_BYTES: usize = 256;
/// Bytes of a run that are encoded to learn its token. Longer than any two tokens.
const SAMPLE_BYTES: usize = 2048;

/// The token that the middle of a run is made of, by character.
pub(super) struct Runs {
    /// Bytes of that token; 0 if the middle is not the repetition of one token.
    tokens: Cache<(TokenizerName, char), usize>,
}

impl Runs {
    pub(super) fn new() -> Self {
        Self { tokens: Cache::new(1024) }
    }

    /// Tokens of one piece of the pre-tokenizer.
    pub(super) fn count(&self, name: TokenizerName, piece: &str) -> usize {
        let tables = TokenTables::get(name);
        let mut short = String::new();
        let mut copied = 0;
        let mut taken = 0;
        for CharRun { start, end, character } in runs(piece) {
            let repeated = self.token_bytes(name, character);
            let width = character.len_utf8();
            if repeated == 0 || !repeated.is_multiple_of(width) {
                continue;
            }
            // The ends keep enough of the run that its neighbours make no difference.
            let spare = (end - start).saturating_sub(SAMPLE_BYTES) / repeated;
            let resume = start + spare * repeated;
            short.push_str(piece.get(copied..start).unwrap_or_default());
            copied = resume;
            taken += spare;
        }
        if taken == 0 {
            return tables.count(piece.as_bytes());
        }
        short.push_str(piece.get(copied..).unwrap_or_default());
        tables.count(short.as_bytes()) + taken
    }

    fn token_bytes(&self, name: TokenizerName, character: char) -> usize {
        if let Some(known) = self.tokens.get(&(name, character)) {
            return known;
        }
        let sample: String =
            std::iter::repeat_n(character, SAMPLE_BYTES / character.len_utf8()).collect();
        let lengths = TokenTables::get(name).lengths(sample.as_bytes());
        let middle = lengths.get(lengths.len() / 4..lengths.len() / 2).unwrap_or_default();
        let bytes = match middle {
            [first, rest @ ..] if !rest.is_empty() && rest.iter().all(|other| other == first) => {
                *first
            }
            _ => 0,
        };
        self.tokens.insert((name, character), bytes);
        bytes
    }
}

/// A run of one character: its first byte, and the byte after its last.
struct CharRun {
    start: usize,
    end: usize,
    character: char,
}

/// Runs of one character longer than two samples.
fn runs(piece: &str) -> impl Iterator<Item = CharRun> {
    let mut characters = piece.char_indices().peekable();
    std::iter::from_fn(move || {
        loop {
            let (start, character) = characters.next()?;
            let mut end = start + character.len_utf8();
            while characters.next_if(|(_, next)| *next == character).is_some() {
                end += character.len_utf8();
            }
            if end - start > 2 * SAMPLE_BYTES {
                return Some(CharRun { start, end, character });
            }
        }
    })
}
