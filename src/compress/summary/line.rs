//! A text on one line.

use crate::compress::atom::{atoms, is_boundary};
use crate::compress::text::floor_cluster_boundary;

/// A text on one line of at most `width` characters; a cut is shown by `…`, falls between words
/// if there are any, and never inside an atom: an address or a digest is whole or absent.
pub(crate) fn one_line(text: &str, width: usize) -> String {
    /// Characters after the cut that are looked at, so that an atom is seen to reach over it.
    const MAX_LOOKAHEAD_CHARS: usize = 256;
    let mut line = String::new();
    let mut used = 0;
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
            used += 1;
        }
        line.extend(word.chars().take(width + MAX_LOOKAHEAD_CHARS));
        used += word.chars().take(width + MAX_LOOKAHEAD_CHARS).count();
        if used > width + MAX_LOOKAHEAD_CHARS {
            break;
        }
    }
    if used <= width {
        return line;
    }
    let most = line.char_indices().nth(width).map_or(line.len(), |(at, _)| at);
    let most = floor_cluster_boundary(&line, most);
    let atoms = atoms(&line);
    // A key may end after what is looked at.
    let mut keys = line.match_indices("-----BEGIN ").map(|(at, _)| at);
    let open =
        keys.find(|at| is_boundary(&atoms, *at) && !atoms.iter().any(|own| own.start == *at));
    let most = open.map_or(most, |open| open.min(most));
    let head = line.as_bytes().get(..=most).unwrap_or(line.as_bytes());
    let spaces = memchr::memrchr_iter(b' ', head);
    let cut = spaces.into_iter().find(|at| is_boundary(&atoms, *at));
    line.truncate(match cut {
        Some(at) => at,
        None if is_boundary(&atoms, most) => most,
        None => 0,
    });
    line.push('…');
    line
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_cut_falls_between_words_and_never_inside_an_atom() {
        assert_eq!(one_line("three plain\n words", 14), "three plain…");
        assert_eq!(one_line("see https://example.com/a/b?c=d for more", 12), "see…");
        assert_eq!(one_line("9f2c41d07be8a3556c1d90aa", 10), "…");
        assert_eq!(one_line("he said \"no more of that\" and left", 20), "he said…");
        assert_eq!(one_line("abc éa bcd", 4), "abc…");
        assert_eq!(one_line("e\u{301}e\u{301}e\u{301}", 3), "e\u{301}…");
        assert_eq!(one_line("ぜんぶひとつのことばです", 4), "ぜんぶひ…");
        let key = format!("key:\n-----BEGIN PRIVATE KEY-----\n{}\n", "MIIEvQIB\n".repeat(99));
        assert_eq!(one_line(&format!("{key}-----END PRIVATE KEY-----"), 40), "key:…");
    }

    fn any_text() -> impl Strategy<Value = String> {
        let bits = prop::sample::select(vec![
            "-----BEGIN KEY-----\n".to_owned(),
            "-----BEGIN ".to_owned(),
            "-----END KEY-----\n".to_owned(),
            "MIIEvQIB\n".repeat(60),
            "word ".to_owned(),
            "é\u{3000}".to_owned(),
            "o\u{308}o\u{308}".to_owned(),
            "src/a/b.rs:11 ".to_owned(),
            "v5.2.2 ".to_owned(),
            "\"said so\" ".to_owned(),
            "9f2c41d07be8a3556c1d90aa\n".to_owned(),
            "https://example.com/a?b=c".repeat(9),
            "-".to_owned(),
        ]);
        prop::collection::vec(bits, 0..14).prop_map(|bits| bits.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn no_line_cuts_an_atom(text in any_text(), width in 1_usize..200) {
            let line = one_line(&text, width);
            prop_assert!(line.chars().count() <= width + 1);
            let whole = text.split_whitespace().collect::<Vec<_>>().join(" ");
            if line != whole {
                let head = line.strip_suffix('…').unwrap();
                prop_assert!(whole.starts_with(head));
                let atoms = atoms(&whole);
                prop_assert!(is_boundary(&atoms, head.len()), "{line:?} of {atoms:?}");
                let rest = &whole[head.len()..];
                prop_assert!(!rest.starts_with('\u{308}'), "{line:?}");
            }
        }
    }
}
