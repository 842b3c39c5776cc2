//! Paths, identifiers and digests that later turns may need of a text that is about to go.

use std::cmp::Reverse;

use foldhash::HashSet;

use super::atom::atoms;
use super::extract::scan;

/// Bytes of a name; longer ones are data.
const MAX_NAME_BYTES: usize = 120;

/// How surely a later turn would have to be told a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum NameRank {
    Word,
    Identifier,
    Path,
}

/// The names in some texts, each once, in their order: as many as fit into `room` bytes, paths and
/// digests before identifiers. None of them has a bracket.
pub fn names_in<'t>(texts: impl Iterator<Item = &'t str>, room: usize) -> Vec<&'t str> {
    let mut known = HashSet::default();
    let mut found: Vec<(NameRank, &str)> = Vec::new();
    let lines = texts.flat_map(str::lines).filter(|line| !line.contains('\u{1b}'));
    for name in lines.flat_map(names_of_line).filter(|name| is_name(name)) {
        if !name.contains(['[', ']']) && has_fact(name) && known.insert(name) {
            found.push((rank_of(name), name));
        }
    }
    let mut order: Vec<usize> = (0..found.len()).collect();
    order.sort_by_key(|at| Reverse(found.get(*at).map(|(rank, _)| *rank)));
    let mut kept = vec![false; found.len()];
    let mut left = room;
    for at in order {
        // A comma and a blank.
        let length = found.get(at).map_or(0, |(_, name)| name.len() + 2);
        let Some(rest) = left.checked_sub(length) else { break };
        left = rest;
        if let Some(kept) = kept.get_mut(at) {
            *kept = true;
        }
    }
    let kept = found.into_iter().zip(kept).filter(|(_, kept)| *kept);
    kept.map(|((_, name), _)| name).collect()
}

/// Whether a name is a digest, or the beginning of one.
pub(super) fn is_digest(name: &str) -> bool {
    const MIN_DIGEST_BYTES: usize = 7;
    name.len() >= MIN_DIGEST_BYTES
        && name.bytes().all(|byte| byte.is_ascii_hexdigit())
        && name.bytes().any(|byte| byte.is_ascii_digit())
}

fn rank_of(name: &str) -> NameRank {
    if is_digest(name) || name.contains('/') {
        NameRank::Path
    } else if name.contains(['_', '.', ':']) {
        NameRank::Identifier
    } else {
        NameRank::Word
    }
}

/// The pieces of a line that may be names. An address or a digest is whole or absent.
pub(super) fn names_of_line(line: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let atoms = atoms(line);
    let (mut whole, mut passed) = (atoms.iter().peekable(), atoms.iter().peekable());
    let is_between = |sign: char| !(sign.is_alphanumeric() || "_-./:@~+#".contains(sign));
    let mut end = 0;
    for piece in line.split(is_between) {
        let start = end;
        end = start + piece.len();
        end += line.get(end..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        while let Some(atom) = whole.next_if(|atom| atom.start < start + piece.len()) {
            let name = line.get(atom.clone()).unwrap_or_default();
            names.push(name.trim_matches(['"', '\'', '`']));
        }
        while passed.next_if(|atom| atom.end <= start).is_some() {}
        if passed.peek().is_none_or(|atom| atom.start >= start + piece.len()) {
            let marks = [':', '-', '#', '+'];
            let name = piece.trim_start_matches(marks).trim_end_matches(marks);
            names.push(name.trim_end_matches('.'));
        }
    }
    names
}

/// Whether a piece of a line has the form of a name.
pub(super) fn is_name(name: &str) -> bool {
    name.len() <= MAX_NAME_BYTES
        && !name.contains(char::is_whitespace)
        && name.chars().any(char::is_alphabetic)
}

fn has_fact(name: &str) -> bool {
    let mut found = false;
    scan(name, |_| found = true);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_digests_come_before_identifiers_and_each_is_there_once() {
        let text = "fn read_line(max_len) in src/a/b.rs\ncommit 9f2c41d07be8\nread_line again, src/a/b.rs:12\n";
        let all = names_in(std::iter::once(text), 999);
        assert_eq!(all, ["read_line", "max_len", "src/a/b.rs", "9f2c41d07be8", "src/a/b.rs:12"]);
        let few = names_in(std::iter::once(text), 30);
        assert_eq!(few, ["src/a/b.rs", "9f2c41d07be8"]);
        assert!(names_in(std::iter::once(text), 3).is_empty());
        assert!(names_in(std::iter::once("plain words, and 1,234 of them"), 99).is_empty());
    }

    #[test]
    fn no_name_closes_a_bracket() {
        let text = "https://example.com/a[0]/b and x[some_key] of [src/c.rs]";
        let names = names_in(std::iter::once(text), 999);
        assert!(names.contains(&"some_key") && names.contains(&"src/c.rs"), "{names:?}");
        assert!(names.iter().all(|name| !name.contains(['[', ']'])), "{names:?}");
    }
}
