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

/// Whether a line is such a mark and nothing else: it is no line of the text around it.
pub(super) fn is_gap_line(line: &str) -> bool {
    let line = line.trim_ascii();
    line.starts_with("[…") && line.ends_with(']')
        || line.strip_prefix('…').is_some_and(|rest| {
            rest.is_empty() || rest.strip_prefix(' ').is_some_and(|rest| rest.contains(" more "))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_a_mark_is_told_from_one_that_has_words_of_its_own() {
        for line in
            ["[… 6 lines]", "  [… 2 lines, 1 of them an error repeated]\r", "[…3/60 lines]", "…"]
        {
            assert!(is_gap_line(line), "{line}");
        }
        assert!(is_gap_line("… 212 more items"));
        for line in ["", "a […]", "[… 6 lines] left", "… and then", "src/… [x]"] {
            assert!(!is_gap_line(line), "{line}");
        }
    }

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
