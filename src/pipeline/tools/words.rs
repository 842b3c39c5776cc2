//! Looks for many words in one text, in one pass (Aho and Corasick, 1975).
//!
//! The crate of that name builds its automaton in time by the square of the words, and there may be
//! half a million.

use std::collections::HashMap;

use crate::pipeline::{Deadline, StopReason};

/// A prefix of a word; the empty one is 0.
type Prefix = u32;

/// Words that are looked for together, each with the place of its owner.
#[derive(Debug, Default)]
pub(super) struct WordSearch {
    /// The prefix that a byte makes of another one.
    longer: HashMap<(Prefix, u8), Prefix>,
    /// By prefix without the empty one: what it is made of, and its length.
    prefixes: Vec<PrefixParts>,
    /// The owners of the word that a prefix is.
    owners: HashMap<Prefix, Vec<usize>>,
}

#[derive(Debug, Clone, Copy)]
struct PrefixParts {
    shorter: Prefix,
    byte: u8,
    length: u32,
}

/// Suffixes of a prefix that a search found.
#[derive(Debug, Clone, Copy, Default)]
struct Suffixes {
    /// The longest suffix of the prefix that is a prefix too.
    longest: Prefix,
    /// The longest suffix that is a word, the prefix itself included; the empty one if none is.
    word: Prefix,
    is_found: bool,
}

/// Bytes of a text, and prefixes, after which the deadline is asked.
const MAX_STEPS_UNASKED: usize = 64 << 10;

impl WordSearch {
    /// Adds a word, which is not empty.
    pub(super) fn add(&mut self, word: &str, owner: usize) {
        let mut prefix = 0;
        for (byte, length) in word.bytes().zip(1..) {
            let next = Prefix::try_from(self.prefixes.len() + 1).unwrap_or(Prefix::MAX);
            prefix = *self.longer.entry((prefix, byte)).or_insert_with(|| {
                self.prefixes.push(PrefixParts { shorter: prefix, byte, length });
                next
            });
        }
        self.owners.entry(prefix).or_default().push(owner);
    }

    /// Bytes of the words, what they share counted once.
    pub(super) fn bytes(&self) -> usize {
        self.prefixes.len()
    }

    /// Calls `found` with the owners of each word that is in the text.
    pub(super) fn search(
        &self,
        text: &str,
        deadline: &Deadline,
        found: &mut dyn FnMut(usize),
    ) -> Result<(), StopReason> {
        let mut known = self.suffixes(deadline)?;
        let mut at = 0;
        for (count, byte) in text.bytes().enumerate() {
            if count.is_multiple_of(MAX_STEPS_UNASKED) {
                deadline.check()?;
            }
            at = self.step(&known, at, byte);
            let mut word = suffixes_of(&known, at).word;
            // The shorter words in a word that was found before were found with it.
            while let Some(here) = known.get_mut(word as usize).filter(|here| !here.is_found) {
                here.is_found = true;
                let shorter = here.longest;
                self.owners.get(&word).into_iter().flatten().for_each(|owner| found(*owner));
                word = suffixes_of(&known, shorter).word;
            }
        }
        Ok(())
    }

    /// The prefix that the longest suffix of another one makes with a byte.
    fn step(&self, known: &[Suffixes], mut at: Prefix, byte: u8) -> Prefix {
        loop {
            match self.longer.get(&(at, byte)) {
                Some(next) => return *next,
                None if at == 0 => return 0,
                None => at = suffixes_of(known, at).longest,
            }
        }
    }

    fn suffixes(&self, deadline: &Deadline) -> Result<Vec<Suffixes>, StopReason> {
        let mut known = vec![Suffixes::default(); self.prefixes.len() + 1];
        // The empty one is no word.
        if let Some(empty) = known.first_mut() {
            empty.is_found = true;
        }
        let mut order: Vec<(PrefixParts, Prefix)> =
            self.prefixes.iter().copied().zip(1..).collect();
        // The suffixes of a prefix are shorter than it.
        order.sort_by_key(|(parts, _)| parts.length);
        for (count, (PrefixParts { shorter, byte, .. }, prefix)) in order.into_iter().enumerate() {
            if count.is_multiple_of(MAX_STEPS_UNASKED) {
                deadline.check()?;
            }
            let longest = match shorter {
                0 => 0,
                shorter => self.step(&known, suffixes_of(&known, shorter).longest, byte),
            };
            let is_word = self.owners.contains_key(&prefix);
            let word = if is_word { prefix } else { suffixes_of(&known, longest).word };
            if let Some(here) = known.get_mut(prefix as usize) {
                *here = Suffixes { longest, word, is_found: false };
            }
        }
        Ok(known)
    }
}

fn suffixes_of(known: &[Suffixes], prefix: Prefix) -> Suffixes {
    known.get(prefix as usize).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(words: &[String], text: &str) -> Vec<usize> {
        let mut search = WordSearch::default();
        words.iter().enumerate().for_each(|(at, word)| search.add(word, at));
        let mut found = Vec::new();
        search.search(text, &Deadline::default(), &mut |at| found.push(at)).unwrap();
        found.sort_unstable();
        found
    }

    proptest! {
        #[test]
        fn the_words_that_a_text_contains_are_found(
            words in proptest::collection::vec("[abé]{1,5}", 0..12),
            text in "[abé]{0,40}",
        ) {
            let wanted: Vec<usize> =
                (0..words.len()).filter(|at| text.contains(&words[*at])).collect();
            prop_assert_eq!(found(&words, &text), wanted);
        }
    }

    #[test]
    fn words_that_end_at_every_byte_are_found_once() {
        let words: Vec<String> = (1..300).map(|length| "a".repeat(length)).collect();
        assert_eq!(found(&words, &"a".repeat(10_000)).len(), 299);
    }

    #[test]
    fn a_search_ends_with_the_caller() {
        let mut search = WordSearch::default();
        search.add("a", 0);
        let deadline = Deadline::default();
        deadline.cancel();
        let stopped = search.search("b", &deadline, &mut |_| ());
        assert_eq!(stopped, Err(StopReason::Cancelled));
    }
}
