//! Paths, identifiers and digests that later turns may need, without the lines that they are in.

use std::collections::BTreeSet;

use crate::compress::atom::atoms;
use crate::compress::extract::scan;

/// What a line of names begins with.
const NAMES_LABEL: &str = "Named: ";
/// Bytes of a name; longer ones are data.
const MAX_NAME_BYTES: usize = 120;

/// Names in the order in which they came, each once.
#[derive(Default)]
pub(super) struct NameList<'t> {
    names: Vec<&'t str>,
    known: BTreeSet<&'t str>,
}

impl<'t> NameList<'t> {
    /// Takes the lists of names out of the lines of an earlier summary.
    pub(super) fn read(lines: &mut Vec<(usize, &'t str)>) -> Self {
        let mut list = Self::default();
        lines.retain(|(_, line)| match line.strip_prefix(NAMES_LABEL) {
            Some(names) => {
                names.split(", ").for_each(|name| list.add(name));
                false
            }
            None => true,
        });
        list
    }

    /// Adds the names in a line.
    pub(super) fn add_line(&mut self, line: &'t str) {
        if line.contains('\u{1b}') || !has_fact(line, |_| true) {
            return;
        }
        // An address or a digest is whole or absent.
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
                self.add(name.trim_matches(['"', '\'', '`']));
            }
            while passed.next_if(|atom| atom.end <= start).is_some() {}
            if passed.peek().is_none_or(|atom| atom.start >= start + piece.len()) {
                let marks = [':', '-', '#', '+'];
                let name = piece.trim_start_matches(marks).trim_end_matches(marks);
                self.add(name.trim_end_matches('.'));
            }
        }
    }

    fn add(&mut self, name: &'t str) {
        let is_name = name.len() <= MAX_NAME_BYTES
            && !name.contains(char::is_whitespace)
            && name.chars().any(char::is_alphabetic);
        if is_name && !self.known.contains(name) && has_fact(name, |_| true) {
            self.known.insert(name);
            self.names.push(name);
        }
    }

    /// A line of the newest names that are new to the reader, in their order, within `room` tokens;
    /// none if there are none.
    pub(super) fn line(
        &self,
        room: u64,
        is_shown: &dyn Fn(u64) -> bool,
        cost: &dyn Fn(&str) -> u64,
    ) -> Option<String> {
        let mut left = room.checked_sub(cost(NAMES_LABEL))?;
        let mut chosen = Vec::new();
        for name in self.names.iter().rev() {
            if !has_fact(name, |fact| !is_shown(fact)) {
                continue;
            }
            // A comma and a blank.
            let Some(rest) = left.checked_sub(cost(name) + 1) else { break };
            left = rest;
            chosen.push(*name);
        }
        chosen.reverse();
        (!chosen.is_empty()).then(|| format!("{NAMES_LABEL}{}", chosen.join(", ")))
    }
}

/// Whether a name has a fact like this.
fn has_fact(name: &str, is_wanted: impl Fn(u64) -> bool) -> bool {
    let mut found = false;
    scan(name, |fact| found |= is_wanted(fact));
    found
}
