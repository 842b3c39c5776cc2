//! Characters as a reader sees them: a letter with its accents, an emoji with its modifiers.

use unicode_segmentation::GraphemeCursor;

/// Bytes of one that is cut inside, too: a hostile letter has accents without end.
pub(crate) const MAX_CLUSTER_BYTES: usize = 480;

/// Whether one ends at `end`, seen from `from`, where one begins.
pub(crate) fn is_cluster_end(text: &str, from: usize, end: usize) -> bool {
    let rest = text.get(from..).unwrap_or_default();
    let mut cursor = GraphemeCursor::new(end - from, rest.len(), true);
    cursor.is_boundary(rest, 0).unwrap_or(true)
}

/// The last place up to `most` bytes at which a text can be cut between two of them.
pub fn floor_cluster_boundary(text: &str, most: usize) -> usize {
    let end = text.floor_char_boundary(most);
    let least = end.saturating_sub(MAX_CLUSTER_BYTES);
    let starts = text.get(..end).unwrap_or_default().char_indices().rev().map(|(at, _)| at);
    let mut places = std::iter::once(end).chain(starts).take_while(|at| *at >= least);
    places.find(|at| is_cluster_end(text, 0, *at)).unwrap_or(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_keeps_its_accents_and_an_emoji_its_parts() {
        let accent = "nai\u{308}ve";
        assert_eq!(floor_cluster_boundary(accent, 3), 2);
        assert_eq!(floor_cluster_boundary(accent, 4), 2);
        assert_eq!(floor_cluster_boundary(accent, 5), 5);
        let family = "a👨\u{200d}👩\u{200d}👧b";
        assert_eq!(floor_cluster_boundary(family, family.len() - 2), 1);
        assert_eq!(floor_cluster_boundary(family, family.len()), family.len());
        assert_eq!(floor_cluster_boundary("ascii", 3), 3);
    }

    #[test]
    fn a_letter_with_accents_without_end_is_cut() {
        let text = format!("a{}", "\u{301}".repeat(5_000));
        assert_eq!(floor_cluster_boundary(&text, 9_001), 9_001);
    }
}
