//! No object has a key twice.
//!
//! Keys that the object before has in the same order are distinct, as its keys are. The others
//! are odd ones: each is compared with all keys of its object, and all that follow with it.

use std::collections::HashSet;

use super::{Tape, TapeEntry};

/// Odd keys of one object that are compared one by one.
const MAX_PAIRWISE_KEYS: usize = 16;

/// The keys of one object on the way.
pub(super) struct ObjectKeys {
    /// The next key of the object before, and the entry after that object.
    pub(super) at: u32,
    pub(super) end: u32,
    /// Start of the keys, among the odd keys of all objects that are open, that the object before
    /// does not have in this order.
    first: usize,
    /// All keys, once there are many odd ones.
    all: Option<HashSet<String>>,
}

impl ObjectKeys {
    /// Those of an object so deep.
    pub(super) fn new(tape: &Tape<'_>, depth: usize) -> Self {
        let before = tape.last.get(depth).copied();
        let entry = before.and_then(|before| tape.entries.get(before as usize));
        let (at, end) = before.zip(entry).map_or((0, 0), |(at, entry)| (at + 1, entry.next));
        Self { at, end, first: tape.odd.len(), all: None }
    }

    /// A key of the object before, and the number of the one after it.
    #[inline]
    pub(super) fn known_key<'a>(tape: &Tape<'a>, at: u32) -> Option<(TapeEntry<'a>, u32)> {
        let key = tape.entries.get(at as usize)?;
        Some((*key, tape.entries.get(at as usize + 1)?.next))
    }

    /// Whether there are odd ones.
    #[inline]
    pub(super) fn has_odd(&self, tape: &Tape<'_>) -> bool {
        tape.odd.len() > self.first
    }

    /// Closes the object.
    pub(super) fn forget(self, tape: &mut Tape<'_>) {
        tape.odd.truncate(self.first);
    }

    /// Takes in the key that was read last; `None` if the object has it already.
    pub(super) fn add_key(&mut self, tape: &mut Tape<'_>, own: usize, is_odd: bool) -> Option<()> {
        let number = u32::try_from(tape.entries.len().checked_sub(1)?).ok()?;
        let first = u32::try_from(own + 1).ok()?;
        let text = |at: u32| tape.node(at)?.text();
        let after = |at: u32| Some(tape.entries.get(at as usize + 1)?.next);
        let key = text(number)?;
        let odd = tape.odd.get(self.first..)?;
        if odd.len() >= MAX_PAIRWISE_KEYS {
            if let Some(all) = &mut self.all {
                return all.insert(key.to_owned()).then_some(());
            }
            let mut all = HashSet::new();
            let mut at = first;
            while at < number {
                all.insert(text(at)?.to_owned());
                at = after(at)?;
            }
            let is_new = all.insert(key.to_owned());
            self.all = Some(all);
            return is_new.then_some(());
        }
        let twice = if is_odd {
            // One of any of the keys so far.
            let mut at = first;
            loop {
                if at >= number {
                    break false;
                }
                if text(at)? == key {
                    break true;
                }
                at = after(at)?;
            }
        } else {
            odd.iter().any(|at| text(*at) == Some(key))
        };
        if is_odd {
            tape.odd.push(number);
        }
        (!twice).then_some(())
    }
}
