//! Moving a long text out of the payload: its beginning, its end, and how to get the rest.
//!
//! Lengths are UTF-16 units, as in ContextChef. The result is a function of the text and the
//! options alone, so offloading again gives the same bytes.

use super::text::count_lines;
use crate::domain::ArtifactId;

/// Limits of an offload: the length of a text, and the parts of it that stay in the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OffloadLimits {
    /// A text of at most so many units stays as it is.
    pub threshold: u64,
    pub head: u64,
    pub tail: u64,
}

impl Default for OffloadLimits {
    fn default() -> Self {
        Self { threshold: 5_000, head: 0, tail: 2_000 }
    }
}

impl OffloadLimits {
    /// The marker that represents `text`; none if the text stays, because it is short or
    /// because head and tail would show all of it.
    pub fn apply(&self, text: &str, id: ArtifactId) -> Option<String> {
        let length = units(text);
        if length <= self.threshold || self.head.saturating_add(self.tail) >= length {
            return None;
        }
        let head = self.head_of(text);
        let tail = self.tail_of(text, length);
        let lines = count_lines(text);
        let shown = match (units(head), units(tail)) {
            (0, 0) => "Nothing of it is shown here.".to_owned(),
            (0, tail) => format!("The last {tail} characters are shown below."),
            (head, 0) => format!("The first {head} characters are shown above."),
            (head, tail) => format!(
                "The first {head} characters are shown above, the last {tail} characters below."
            ),
        };
        let head = head.strip_suffix('\n').unwrap_or(head);
        let marker = format!(
            "{head}\n\n<persisted-output>\nThis output has {lines} lines and {length} characters. \
             {shown}\nThe whole of it: artifact {id}\n</persisted-output>\n\n{tail}"
        );
        Some(marker.trim().to_owned())
    }

    /// The beginning and the end of a text around a line that says what is missing, cut anywhere;
    /// none if the text stays.
    pub fn cut(&self, text: &str) -> Option<String> {
        let length = units(text);
        if length <= self.threshold || self.head.saturating_add(self.tail) >= length {
            return None;
        }
        let lines = count_lines(text);
        let head = prefix_within(text, self.head);
        let mut from = prefix_within(text, length - self.tail).len();
        while units(text.get(from..).unwrap_or_default()) > self.tail {
            from += text.get(from..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
        }
        let tail = text.get(from..).unwrap_or_default();
        let shown =
            format!("{head}\n--- truncated ({lines} lines, {length} chars total) ---\n{tail}");
        let shown = shown.trim();
        (shown.len() < text.len()).then(|| shown.to_owned())
    }

    /// Up to the last line that ends by the head's end; if none does, up to that end.
    fn head_of<'t>(&self, text: &'t str) -> &'t str {
        if self.head == 0 {
            return "";
        }
        // The line feed itself may be the unit after the head.
        let within = prefix_within(text, self.head + 1);
        match memchr::memrchr(b'\n', within.as_bytes()) {
            Some(at) => text.get(..=at).unwrap_or_default(),
            None => prefix_within(text, self.head),
        }
    }

    /// From the first line that begins after the tail's start; if none does, from there.
    fn tail_of<'t>(&self, text: &'t str, length: u64) -> &'t str {
        if self.tail == 0 {
            return "";
        }
        let cut = prefix_within(text, length - self.tail);
        let mut tail = text.get(cut.len()..).unwrap_or_default();
        // Half a pair before the start: its character is not in the tail.
        if units(tail) > self.tail {
            let first = tail.chars().next().map_or(0, char::len_utf8);
            tail = tail.get(first..).unwrap_or_default();
        }
        match memchr::memchr(b'\n', tail.as_bytes()) {
            Some(at) => tail.get(at + 1..).unwrap_or_default(),
            None => tail,
        }
    }
}

fn units(text: &str) -> u64 {
    // Every character is one unit, those of four bytes are two.
    let is_unit = |byte: &u8| u64::from((*byte & 0xC0) != 0x80) + u64::from(*byte >= 0xF0);
    text.as_bytes().iter().map(is_unit).sum()
}

/// The longest beginning of at most so many units.
fn prefix_within(text: &str, most: u64) -> &str {
    let mut left = most;
    for (at, character) in text.char_indices() {
        match left.checked_sub(character.len_utf16() as u64) {
            Some(rest) => left = rest,
            None => return text.get(..at).unwrap_or(text),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::domain::ContentHash;

    fn offload(text: &str, threshold: u64, head: u64, tail: u64) -> Option<String> {
        let id = ArtifactId::from(&ContentHash::of(text));
        OffloadLimits { threshold, head, tail }.apply(text, id)
    }

    fn twenty_lines() -> String {
        (1..=20).map(|number| format!("Line {number:02}")).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_text_is_offloaded_above_the_threshold_and_not_at_it() {
        assert_eq!(offload(&"x".repeat(50), 50, 0, 0), None);
        assert!(offload(&"x".repeat(51), 50, 0, 0).is_some());
        assert_eq!(offload(&"x".repeat(51), 50, 20, 31), None);
        assert!(offload(&"x".repeat(51), 50, 20, 30).is_some());
        assert_eq!(offload(&"x".repeat(5000), 5000, 0, 2000), None);
        // A character outside of the basic plane is two units.
        assert!(offload(&"\u{1F600}".repeat(26), 50, 0, 0).is_some());
    }

    #[test]
    fn head_and_tail_end_at_the_borders_of_lines() {
        let marker = offload(&twenty_lines(), 50, 10, 10).unwrap();
        assert_eq!(
            marker,
            "Line 01\n\n<persisted-output>\nThis output has 20 lines and 159 characters. The first 8 \
             characters are shown above, the last 7 characters below.\nThe whole of it: artifact \
             574a963fe4c28cab63d90746\n</persisted-output>\n\nLine 20"
        );
    }

    #[test]
    fn without_head_and_tail_nothing_of_the_text_is_shown() {
        let marker = offload(&twenty_lines(), 50, 0, 0).unwrap();
        assert!(marker.starts_with("<persisted-output>"));
        assert!(marker.ends_with("</persisted-output>"));
        assert!(!marker.contains("Line "), "{marker}");
    }

    #[test]
    fn one_long_line_is_cut_where_asked_and_never_within_a_character() {
        let text = "\u{1F600}".repeat(40);
        let marker = offload(&text, 10, 5, 7).unwrap();
        assert!(marker.starts_with(&format!("{}\n\n<", "\u{1F600}".repeat(2))), "{marker}");
        assert!(marker.ends_with(&format!(">\n\n{}", "\u{1F600}".repeat(3))), "{marker}");
    }

    #[test]
    fn a_line_that_ends_right_behind_the_head_is_part_of_it() {
        let marker = offload(&format!("abcde\n{}", "x".repeat(100)), 10, 5, 0).unwrap();
        assert!(marker.starts_with("abcde\n\n<"), "{marker}");
        assert!(marker.contains("first 6 characters"), "{marker}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn what_is_shown_is_of_the_text_and_no_longer_than_asked(
            text in "(a|b\u{e9}|\u{1F600}|\n| ){0,80}", head in 0_u64..40, tail in 0_u64..40,
        ) {
            prop_assert_eq!(units(&text), text.encode_utf16().count() as u64);
            if let Some(marker) = offload(&text, 0, head, tail) {
                let options = OffloadLimits { threshold: 0, head, tail };
                let length = units(&text);
                let (first, last) = (options.head_of(&text), options.tail_of(&text, length));
                prop_assert!(text.starts_with(first) && text.ends_with(last));
                prop_assert!(units(first) <= head + u64::from(first.ends_with('\n')));
                prop_assert!(units(last) <= tail);
                prop_assert!(first.len() + last.len() <= text.len());
                prop_assert!(marker.contains("<persisted-output>"));
            }
        }
    }
}
