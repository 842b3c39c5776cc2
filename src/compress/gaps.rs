//! The marks in the place of what rung 2 leaves out.

/// Whether a text bears one, or what looks like one: `[…]`, `[… 12 lines]`, `[…3/60 lines]`,
/// `… 2 more items`, `… [` before the size of a blob, `…` on a line or between two pieces.
pub fn has_gaps(text: &str) -> bool {
    const ELLIPSIS: &str = "…";
    let places = memchr::memmem::find_iter(text.as_bytes(), ELLIPSIS);
    places.into_iter().any(|at| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let mut after = text.get(at + ELLIPSIS.len()..).unwrap_or_default().chars();
        match (before, after.next()) {
            (Some('['), _) | (None | Some('\n'), None | Some('\n')) => true,
            (_, Some(' ')) => {
                before == Some(' ')
                    || after.next().is_some_and(|next| next == '[' || next.is_ascii_digit())
            }
            _ => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_told_from_words() {
        for text in [
            "It is so. […] It was so.",
            "a\n[… 12 lines]\nb",
            "a\n…\nb",
            "…",
            "[1, \"… 2 more items\"]",
            "one … three",
            "AAAA… [4,096 bytes of base64]",
        ] {
            assert!(has_gaps(text), "{text}");
        }
        for text in ["", "And so on…", "wait…what", "… and then", "src/… is a path"] {
            assert!(!has_gaps(text), "{text}");
        }
    }
}
