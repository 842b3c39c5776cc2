//! Counting tokens: exact for `OpenAI`'s encodings, linear on hostile input, each text once.

mod bounds;
mod characters;
mod digest;
mod framing;
mod key;
mod memo;
mod run;
mod split;
mod tables;

pub(crate) use bounds::is_cut;
pub use digest::Digest;
pub use framing::Framing;

use std::fmt;

use quick_cache::sync::Cache;

use crate::domain::TokenizerName;
use memo::Memos;
use tables::TokenTables;

/// Texts whose counts are remembered.
const MAX_CACHE_ITEMS: usize = 1 << 18;
/// Texts up to this many bytes are counted each time: looking them up costs as much.
const MAX_UNCACHED_BYTES: usize = 24;
/// Bytes counted between two questions whether to go on.
const CHUNK_BYTES: usize = 1 << 20;

/// Counts texts and remembers what it counted. Share one a process.
pub struct Counter {
    counts: Cache<(TokenizerName, Digest), u32>,
    runs: run::Runs,
    /// Tokens of short pieces in each of the two encodings.
    o200k: Memos,
    cl100k: Memos,
}

impl fmt::Debug for Counter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Counter").field("remembered", &self.counts.len()).finish_non_exhaustive()
    }
}

impl Default for Counter {
    fn default() -> Self {
        Self::new()
    }
}

impl Counter {
    pub fn new() -> Self {
        Self {
            counts: Cache::new(MAX_CACHE_ITEMS),
            runs: run::Runs::new(),
            o200k: Memos::default(),
            cl100k: Memos::default(),
        }
    }

    /// Tokens of a text on its own, before any factor.
    pub fn count(&self, name: TokenizerName, text: &str) -> u64 {
        self.count_while(name, text, &mut || true).unwrap_or_default()
    }

    /// As [`Self::count`], asking between pieces of about a megabyte whether to go on.
    /// `None` if it was stopped.
    pub fn count_while(
        &self,
        name: TokenizerName,
        text: &str,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Option<u64> {
        if name == TokenizerName::Bytes4 {
            return Some(text.len().div_ceil(4) as u64);
        }
        if text.len() <= MAX_UNCACHED_BYTES {
            return self.encode(name, text, go_on);
        }
        self.count_digest(name, text, Digest::from_text(text), go_on)
    }

    /// As [`Self::count_while`], for a text whose digest is known.
    pub fn count_digest(
        &self,
        name: TokenizerName,
        text: &str,
        digest: Digest,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Option<u64> {
        if let Some(known) = self.cached_count(name, text, digest) {
            return Some(known);
        }
        let tokens = self.encode(name, text, go_on)?;
        self.remember(name, digest, tokens);
        Some(tokens)
    }

    fn remember(&self, name: TokenizerName, digest: Digest, tokens: u64) {
        self.counts.insert((name, digest), u32::try_from(tokens).unwrap_or(u32::MAX));
    }

    /// As [`Self::count_digest`], if it takes no work.
    pub(crate) fn cached_count(
        &self,
        name: TokenizerName,
        text: &str,
        digest: Digest,
    ) -> Option<u64> {
        if name == TokenizerName::Bytes4 {
            return Some(text.len().div_ceil(4) as u64);
        }
        self.counts.get(&(name, digest)).map(u64::from)
    }

    /// As [`Self::count`], for a text that is counted once: its count is not remembered.
    pub fn count_once(&self, name: TokenizerName, text: &str) -> u64 {
        if name == TokenizerName::Bytes4 {
            return self.count(name, text);
        }
        self.encode(name, text, &mut || true).unwrap_or_default()
    }

    /// A number of tokens that the text does not fall below, found much faster than its count.
    pub fn at_least(&self, name: TokenizerName, text: &str) -> u64 {
        if name == TokenizerName::Bytes4 {
            return text.len().div_ceil(4) as u64;
        }
        bounds::at_least(text)
    }

    fn encode(
        &self,
        name: TokenizerName,
        text: &str,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Option<u64> {
        let tables = TokenTables::get(name);
        let memos = if name == TokenizerName::Cl100kBase { &self.cl100k } else { &self.o200k };
        let mut memo = memos.take();
        let mut tokens = 0;
        let mut since = 0;
        let is_whole = split::pieces(name, text, |piece| {
            tokens += if piece.len() < run::MIN_SEARCH_BYTES {
                memo.count(piece.as_bytes(), |piece| tables.count(piece))
            } else {
                self.runs.count(name, piece)
            };
            since += piece.len();
            since < CHUNK_BYTES || {
                since = 0;
                go_on()
            }
        });
        memos.put(memo);
        is_whole.then_some(tokens as u64)
    }
}

/// The encoding as others have it, for tests.
#[cfg(test)]
fn dictionary(name: TokenizerName) -> &'static bpe_openai::Tokenizer {
    match name {
        TokenizerName::Cl100kBase => bpe_openai::cl100k_base(),
        TokenizerName::O200kBase | TokenizerName::Bytes4 => bpe_openai::o200k_base(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn plain(name: TokenizerName, text: &str) -> u64 {
        dictionary(name).count(text) as u64
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn counts_are_those_of_the_dictionary(text in any::<String>()) {
            let counter = Counter::new();
            for name in [TokenizerName::O200kBase, TokenizerName::Cl100kBase] {
                prop_assert_eq!(counter.count(name, &text), plain(name, &text));
                // From memory, too.
                prop_assert_eq!(counter.count(name, &text), plain(name, &text));
            }
        }

        #[test]
        fn long_runs_do_not_change_a_count(
            before in "[ -~\n]{0,12}", character in any::<char>(), ascii in "[ -~]",
            times in 1500usize..6000, after in "[ -~\n]{0,12}", wide in any::<bool>()
        ) {
            let character = if wide { character } else { ascii.chars().next().unwrap() };
            let run: String = std::iter::repeat_n(character, times).collect();
            let text = format!("{before}{run}{after}{run}");
            let counter = Counter::new();
            for name in [TokenizerName::O200kBase, TokenizerName::Cl100kBase] {
                prop_assert_eq!(counter.count(name, &text), plain(name, &text), "{:?}", text);
            }
        }
    }

    /// Texts in which pieces of the pre-tokenizers meet.
    fn pieces() -> impl Strategy<Value = String> {
        let bits = prop::sample::select(vec![
            "a", "Bc", "'s", "'", "1", "23", "4567", "½", "é", "\u{301}", "中", "→", ".", "--",
            "/", "\"", "_", " ", "  ", "\t", "\n", "\r\n", "\n\n", "§", "\u{a0}", "\u{1}",
            "\u{2028}", "٣",
        ]);
        prop::collection::vec(bits, 0..24).prop_map(|bits| bits.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10_000))]

        #[test]
        fn no_text_falls_below_its_bound(text in prop_oneof![4 => pieces(), 1 => any::<String>()]) {
            let counter = Counter::new();
            for name in [TokenizerName::O200kBase, TokenizerName::Cl100kBase, TokenizerName::Bytes4] {
                prop_assert!(counter.at_least(name, &text) <= counter.count_once(name, &text), "{:?}", name);
            }
        }

        #[test]
        fn tokens_before_and_after_a_cut_are_those_of_the_whole(text in pieces()) {
            let counter = Counter::new();
            for name in [TokenizerName::O200kBase, TokenizerName::Cl100kBase] {
                for at in (0..=text.len()).filter(|at| is_cut(&text, *at)) {
                    let parts = counter.count_once(name, &text[..at]) + counter.count_once(name, &text[at..]);
                    prop_assert_eq!(parts, counter.count_once(name, &text), "{:?} at {}", name, at);
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        #[test]
        fn what_comes_again_counts_the_same(words in prop::collection::vec("[ -~]{1,20}|\\PC{1,6}", 200..2000)) {
            let text: String = words.iter().chain(&words).map(String::as_str).collect();
            let counter = Counter::new();
            for name in [TokenizerName::O200kBase, TokenizerName::Cl100kBase] {
                prop_assert_eq!(counter.count(name, &text), plain(name, &text));
            }
        }
    }

    #[test]
    fn the_bound_of_a_log_line_is_near() {
        let line = "2024-05-01T12:00:07Z INFO worker-3 took request 1234567 in 20 ms\n";
        let counter = Counter::new();
        let count = counter.count_once(TokenizerName::O200kBase, line);
        assert!(counter.at_least(TokenizerName::O200kBase, line) * 10 >= count * 7);
    }

    #[test]
    fn every_ascii_run_counts_the_same() {
        let counter = Counter::new();
        for name in [TokenizerName::O200kBase, TokenizerName::Cl100kBase] {
            for character in (1..128u8).map(char::from).chain("─═█▀　。！ー　é".chars())
            {
                for times in [2047, 2048, 4096, 4097, 4400, 5001, 6300] {
                    let run: String = std::iter::repeat_n(character, times).collect();
                    let text = format!("x {run}\n");
                    assert_eq!(
                        counter.count(name, &text),
                        plain(name, &text),
                        "{character:?} × {times}"
                    );
                }
            }
        }
    }

    #[test]
    fn bytes4_is_a_quarter_rounded_up() {
        let counter = Counter::new();
        let sums: Vec<u64> = ["", "a", "abcd", "abcde"]
            .iter()
            .map(|text| counter.count(TokenizerName::Bytes4, text))
            .collect();
        assert_eq!(sums, [0, 1, 1, 2]);
    }

    #[test]
    fn counting_a_long_text_can_be_stopped() {
        let text = "some words and 12 numbers\n".repeat(100_000);
        let counter = Counter::new();
        assert_eq!(counter.count_while(TokenizerName::O200kBase, &text, &mut || false), None);
    }
}
