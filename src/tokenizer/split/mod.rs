//! The pieces that both pre-tokenizers cut a text into, found without their patterns.
//!
//! Most text is ASCII, whose pieces take little to find. A piece that meets another character is
//! found by the classes of characters. A test holds the pieces equal to those of the patterns.

mod ascii;
mod rules;
mod wide;

use crate::domain::TokenizerName;
use rules::SplitRules;

/// Calls `each` with the pieces of a text, in order, until it says no.
pub(super) fn pieces<'t>(
    name: TokenizerName,
    text: &'t str,
    mut each: impl FnMut(&'t str) -> bool,
) -> bool {
    let rules = SplitRules::for_tokenizer(name);
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let piece = match ascii::end(rules, bytes, at) {
            Some(end) => text.get(at..end),
            None => text.get(at..).and_then(|rest| rest.get(..wide::first(rules, rest))),
        };
        let Some(piece) = piece.filter(|piece| !piece.is_empty()) else { return true };
        at += piece.len();
        if !each(piece) {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokenizer::dictionary;
    use proptest::prelude::*;

    fn any_text() -> impl Strategy<Value = String> {
        let bits = prop::sample::select(vec![
            "a", "Bc", "DEF", "'s", "'LL", "'r", "'v", "'", "1", "23", "4567", "½", "é", "É",
            "\u{301}", "中", "ſ", "→", ".", "--", "/", "\"", "_", " ", "  ", "\t", "\n", "\r\n",
            "\n\n", "§", "\u{a0}", "\u{1}", "\u{1c}", "\u{b}", "\u{c}", "\u{85}", "\u{2028}", "٣",
        ]);
        prop::collection::vec(bits, 0..24).prop_map(|bits| bits.concat())
    }

    /// Each character next to those that pieces end at or go on with.
    #[test]
    fn pieces_of_every_character_are_those_of_the_patterns() {
        for first in (0..=0x10_f000u32).step_by(0x1000) {
            let characters = (first..first + 0x1000).filter_map(char::from_u32);
            let text: String = characters
                .flat_map(|it| {
                    ["a", "B", "1", " ", ".", "'s", "\n"].map(|next| format!("{it}{next}{it}{it}"))
                })
                .collect();
            for name in [TokenizerName::O200kBase, TokenizerName::Cl100kBase] {
                let mut expected = dictionary(name).split(&text);
                pieces(name, &text, |piece| {
                    assert_eq!(Some(piece), expected.next(), "{name:?} at {first:x}");
                    true
                });
                assert_eq!(expected.next(), None);
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn pieces_are_those_of_the_patterns(
            text in prop_oneof![4 => any_text(), 2 => "[ -~\t\r\n]{0,24}", 1 => any::<String>()],
        ) {
            for name in [TokenizerName::O200kBase, TokenizerName::Cl100kBase] {
                let mut found = Vec::new();
                pieces(name, &text, |piece| {
                    found.push(piece);
                    true
                });
                let expected: Vec<&str> = dictionary(name).split(&text).collect();
                prop_assert_eq!(found, expected, "{:?} of {:?}", name, text);
            }
        }
    }
}
