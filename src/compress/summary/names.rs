//! Paths, identifiers and digests that later turns may need, without the lines that they are in.

use std::collections::BTreeSet;

use crate::compress::extract::scan;
use crate::compress::names::{is_digest, is_name, names_of_line};

/// What a line of names begins with.
const NAMES_LABEL: &str = "Named: ";

/// Takes the lists of names out of the lines of an earlier summary.
pub(super) fn take_names<'t>(lines: &mut Vec<(usize, &'t str)>) -> Vec<&'t str> {
    let mut taken = Vec::new();
    lines.retain(|(_, line)| match line.strip_prefix(NAMES_LABEL) {
        Some(names) => {
            taken.extend(names.split(", "));
            false
        }
        None => true,
    });
    taken
}

/// Tells what a list of names needs to know.
#[derive(Clone, Copy)]
pub(super) struct NameRules<'f> {
    /// Whether a fact is shown elsewhere.
    pub(super) is_shown: &'f dyn Fn(u64) -> bool,
    /// Tokens of a text.
    pub(super) cost: &'f dyn Fn(&str) -> u64,
}

/// The newest names, each once, in a number of tokens: lines are read from the last to the first,
/// until the room is used; a third of it is for digests, which nothing else in a conversation tells.
pub(super) struct NameList<'t, 'f> {
    /// From the last to the first.
    chosen: Vec<&'t str>,
    known: BTreeSet<&'t str>,
    left: u64,
    /// What digests leave of the room.
    others: u64,
    rules: NameRules<'f>,
}

/// Part of the room that is for digests: one in so many.
const DIGESTS_SHARE: u64 = 3;

impl<'t, 'f> NameList<'t, 'f> {
    /// `None` if the room is too small for a list.
    pub(super) fn new(room: u64, rules: NameRules<'f>) -> Option<Self> {
        let left = room.checked_sub((rules.cost)(NAMES_LABEL))?;
        let (others, left) = (left - left / DIGESTS_SHARE, left / DIGESTS_SHARE);
        Some(Self { chosen: Vec::new(), known: BTreeSet::new(), left, others, rules })
    }

    /// Adds the digests in the line before those that were read; `None` once their room is used.
    pub(super) fn add_digests(&mut self, line: &'t str) -> Option<()> {
        let names = names_of_line(line).into_iter().rev();
        names.filter(|name| is_digest(name)).try_for_each(|name| self.add(name))
    }

    /// Ends what is only for digests.
    pub(super) fn end_digests(&mut self) {
        self.left += std::mem::take(&mut self.others);
    }

    /// Adds the names in the line before those that were read; `None` once the room is used.
    pub(super) fn add_line(&mut self, line: &'t str) -> Option<()> {
        if line.contains('\u{1b}') || !has_fact(line, self.rules.is_shown) {
            return Some(());
        }
        names_of_line(line).into_iter().rev().try_for_each(|name| self.add(name))
    }

    /// Adds a name before those that were read; `None` once the room is used.
    pub(super) fn add(&mut self, name: &'t str) -> Option<()> {
        if !is_name(name) || self.known.contains(name) || !has_fact(name, self.rules.is_shown) {
            return Some(());
        }
        // A comma and a blank.
        self.left = self.left.checked_sub((self.rules.cost)(name) + 1)?;
        self.known.insert(name);
        self.chosen.push(name);
        Some(())
    }

    /// The names in the order in which they were last named, digests last; none if there are none.
    pub(super) fn into_line(mut self) -> Option<String> {
        self.chosen.reverse();
        (!self.chosen.is_empty()).then(|| format!("{NAMES_LABEL}{}", self.chosen.join(", ")))
    }
}

/// Whether a name has a fact that is not shown elsewhere.
fn has_fact(name: &str, is_shown: &dyn Fn(u64) -> bool) -> bool {
    let mut found = false;
    scan(name, |fact| found |= !is_shown(fact));
    found
}
