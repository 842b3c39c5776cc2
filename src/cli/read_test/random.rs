//! Random choices that a seed fixes, so that the same texts are made on any machine.

/// A generator of numbers: `SplitMix64` (<https://prng.di.unimi.it/splitmix64.c>).
pub(super) struct SeededRandom(u64);

impl SeededRandom {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`; 0 if `end` is 0.
    pub(super) fn below(&mut self, end: usize) -> usize {
        let drawn = self.next() % (end.max(1) as u64);
        usize::try_from(drawn).unwrap_or(0)
    }

    /// A number from `first` to `last`.
    pub(super) fn number(&mut self, first: usize, last: usize) -> usize {
        first + self.below(last.saturating_sub(first) + 1)
    }

    /// One of some words; an empty one if there are none.
    pub(super) fn word<'w>(&mut self, words: &[&'w str]) -> &'w str {
        words.get(self.below(words.len())).copied().unwrap_or_default()
    }

    /// Puts items into a random order.
    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            let other = self.below(at + 1);
            items.swap(at, other);
        }
    }

    /// Draws `count` different numbers from `first` to `last`, or as many as there are, in their
    /// order.
    pub(super) fn numbers(&mut self, count: usize, first: usize, last: usize) -> Vec<usize> {
        let mut drawn = std::collections::BTreeSet::new();
        while drawn.len() < count.min((last + 1).saturating_sub(first)) {
            drawn.insert(self.number(first, last));
        }
        drawn.into_iter().collect()
    }

    /// Draws `count` different words, or all, in a random order.
    pub(super) fn words<'w>(&mut self, count: usize, words: &[&'w str]) -> Vec<&'w str> {
        let mut drawn = words.to_vec();
        self.shuffle(&mut drawn);
        drawn.truncate(count);
        drawn
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_fixes_what_is_drawn() {
        let draw = |seed| {
            let mut random = SeededRandom::new(seed);
            (random.numbers(8, 10, 99), random.words(3, &["a", "b", "c", "d"]))
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
        let (numbers, words) = draw(7);
        assert_eq!((numbers.len(), words.len()), (8, 3));
        assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "{numbers:?}");
    }

    #[test]
    fn there_is_no_more_to_draw_than_there_is() {
        let mut random = SeededRandom::new(1);
        assert_eq!(random.numbers(9, 3, 5), [3, 4, 5]);
        assert_eq!(
            (random.below(0), random.word(&[]), random.words(2, &["x"])),
            (0, "", vec!["x"])
        );
    }
}
