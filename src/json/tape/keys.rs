//! No object has a key twice.
//!
//! Keys that the object before has in the same order are distinct, as its keys are. The others
//! are odd ones: each is compared with all keys of its object, and all that follow with it.

use std::collections::HashSet;

use super::Tape;

/// Odd keys of one object that are compared one by one.
const FEW: usize = 16;

/// The keys of one object on the way.
#[derive(Default)]
pub(super) struct Keys {
    /// The next key of the object before, and the entry after that object.
    pub(super) at: u32,
    pub(super) end: u32,
    /// Keys that the object before does not have in this order, and how many there are.
    odd: [u32; FEW],
    pub(super) count: usize,
    /// All keys, once there are many odd ones.
    all: HashSet<String>,
}

impl Keys {
    /// Takes in the key that was read last; `None` if the object has it already.
    pub(super) fn odd(&mut self, tape: &Tape<'_>, own: usize, is_odd: bool) -> Option<()> {
        let number = u32::try_from(tape.entries.len().checked_sub(1)?).ok()?;
        let first = u32::try_from(own + 1).ok()?;
        let text = |at: u32| tape.node(at)?.text();
        let after = |at: u32| Some(tape.entries.get(at as usize + 1)?.next);
        let key = text(number)?;
        if self.count >= FEW {
            if self.all.is_empty() {
                let mut at = first;
                while at < number {
                    self.all.insert(text(at)?.to_owned());
                    at = after(at)?;
                }
            }
            return self.all.insert(key.to_owned()).then_some(());
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
            self.odd.iter().take(self.count).any(|at| text(*at) == Some(key))
        };
        if is_odd {
            *self.odd.get_mut(self.count)? = number;
            self.count += 1;
        }
        (!twice).then_some(())
    }
}
