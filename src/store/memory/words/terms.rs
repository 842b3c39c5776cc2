//! The terms of texts, made as FTS5's tokenizers `porter` and `unicode61` would make them; and a
//! table of them in PostgreSQL.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use super::stem::stem;
use crate::store::sql::values;
use crate::store::{Error, Tx};

impl Tx<'_> {
    /// Entries that have a term, the newest first.
    pub(super) fn entries_of_term(&self, term: &str, limit: usize) -> Result<Vec<i64>, Error> {
        self.all(
            "SELECT id FROM memory_terms WHERE tenant = ?1 AND term = ?2 ORDER BY id DESC LIMIT ?3",
            values![term, limit],
            |row| row.get(0),
        )
    }

    pub(super) fn index_terms(&self, id: i64, terms: &[String]) -> Result<(), Error> {
        // A term contains no white space.
        self.execute(
            "INSERT INTO memory_terms (tenant, term, id)
             SELECT ?1, term, ?2 FROM unnest(string_to_array(?3, ' ')) AS made (term)",
            values![id, &terms.join(" ")],
        )
        .map(drop)
    }

    pub(super) fn unindex_terms(&self, id: i64) -> Result<(), Error> {
        self.execute("DELETE FROM memory_terms WHERE tenant = ?1 AND id = ?2", values![id])
            .map(drop)
    }
}

/// The terms of a text, in order: runs of letters and digits, without case and diacritics, stemmed.
pub(super) fn terms(text: &str) -> impl Iterator<Item = String> {
    pieces(text).map(fold).filter(|word| !word.is_empty()).map(|word| stem(&word))
}

/// Counts the terms of a text, and how often each of the `wanted` terms is among them.
pub(super) fn count_hits(text: &str, wanted: &[&str]) -> (u64, Vec<u64>) {
    let mut length = 0;
    let mut times = vec![0; wanted.len()];
    for piece in pieces(text) {
        // Most words need not be looked at.
        if piece.is_ascii() && !wanted.iter().any(|term| may_become(piece, term)) {
            length += u64::from(!piece.is_empty());
            continue;
        }
        let word = fold(piece);
        if word.is_empty() {
            continue;
        }
        length += 1;
        let term = stem(&word);
        for (times, wanted) in times.iter_mut().zip(wanted) {
            *times += u64::from(term == *wanted);
        }
    }
    (length, times)
}

/// False if the stem of a word is not this term: a stem is its word except for at most the last two
/// letters.
fn may_become(word: &str, term: &str) -> bool {
    let same = term.as_bytes();
    let same = same.get(..same.len().saturating_sub(2)).unwrap_or_default();
    word.as_bytes().get(..same.len()).is_some_and(|word| word.eq_ignore_ascii_case(same))
}

fn pieces(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !character.is_alphanumeric() && !is_combining_mark(character))
}

/// A word without case and diacritics.
pub(super) fn fold(word: &str) -> String {
    if word.is_ascii() {
        return word.to_ascii_lowercase();
    }
    word.nfd().filter(|character| !is_combining_mark(*character)).collect::<String>().to_lowercase()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn terms_have_no_case_no_accents_and_no_endings() {
        let found: Vec<String> = terms("Dépl\u{f6}ying (eu-west-1) cafe\u{301}s!").collect();
        assert_eq!(found, ["deploi", "eu", "west", "1", "cafe"]);
        assert_eq!(terms(" - ").next(), None);
    }

    proptest! {
        #[test]
        fn a_stem_begins_as_its_word_does(
            word in "[a-z]{1,6}",
            ending in "(abl|at|iz|bl|ibil|ous|iv|al|og)?(e|y|ed|ing|iti|ity|ization|ational|ness|es|s)?",
        ) {
            let word = word + &ending;
            prop_assert!(may_become(&word, &stem(&word)), "{word} {}", stem(&word));
        }

        #[test]
        fn hits_are_counted_as_the_terms_are_made(text in "([a-dA-D1é\u{301}]{0,4}[ -]?){0,12}") {
            let all: Vec<String> = terms(&text).collect();
            let wanted = ["a", "bd", "e", "1"];
            let times = wanted.map(|one| all.iter().filter(|term| *term == one).count() as u64);
            prop_assert_eq!(count_hits(&text, &wanted), (all.len() as u64, times.to_vec()));
        }
    }
}
