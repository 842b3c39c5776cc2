//! Counts the states of a pattern that a search may visit at one byte.

use regex_syntax::hir::{Hir, HirKind, Repetition};

/// The states of the automaton over characters. In the automaton over bytes a character class has
/// many more, but those of one class are never visited together: they are the paths of different
/// characters.
pub(super) fn count(tree: &Hir) -> usize {
    let sum = |trees: &[Hir]| trees.iter().map(count).fold(1, usize::saturating_add);
    match tree.kind() {
        HirKind::Empty | HirKind::Class(_) | HirKind::Look(_) => 1,
        HirKind::Literal(literal) => literal.0.len(),
        HirKind::Capture(capture) => count(&capture.sub).saturating_add(2),
        HirKind::Concat(trees) | HirKind::Alternation(trees) => sum(trees),
        HirKind::Repetition(Repetition { min, max, sub, .. }) => {
            let copies = usize::try_from(max.unwrap_or(*min).max(1)).unwrap_or(usize::MAX);
            // Before each copy is the choice to go on without it.
            count(sub).saturating_add(1).saturating_mul(copies)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn states(source: &str) -> usize {
        count(&regex_syntax::parse(source).unwrap())
    }

    #[test]
    fn a_class_is_one_state_and_a_repeated_one_as_many_as_it_is_repeated() {
        assert_eq!(states(r"\w"), 1);
        assert_eq!(states(r"\w{48}"), 2 * 48);
        assert_eq!(states(r"\w{3,5}x"), 1 + 2 * 5 + 1);
        assert_eq!(states(r"\w+|\s*"), 1 + 2 + 2);
        assert_eq!(states("(ab)"), 4);
        assert!(states("(?:(?:a{1000}){1000}){1000}") > 1_000_000_000);
    }
}
