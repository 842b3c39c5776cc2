//! Numbers for keys, in the order in which they come. Keys are hashes of what anybody may have
//! written, so only a few places are tried for each: one that finds none has no number.

/// Places that are tried.
const MAX_PROBES: usize = 8;

#[derive(Debug)]
pub(super) struct KeyTable {
    /// Keys, of which none is 0, and their numbers.
    slots: Vec<(u64, u32)>,
    count: u32,
}

impl KeyTable {
    /// Room for so many.
    pub(super) fn new(count: usize) -> Self {
        let slots = count.saturating_mul(2).next_power_of_two().max(16);
        Self { slots: vec![(0, 0); slots], count: 0 }
    }

    pub(super) fn clear(&mut self) {
        self.slots.fill((0, 0));
        self.count = 0;
    }

    /// The number of a key: that of an equal one, or else how many there were.
    #[inline]
    pub(super) fn place(&mut self, key: u64) -> Option<usize> {
        let mask = self.slots.len() - 1;
        let start = start(key);
        for probe in 0..MAX_PROBES {
            let slot = self.slots.get_mut((start + probe) & mask)?;
            if slot.0 == 0 {
                *slot = (key, self.count);
                self.count += 1;
            }
            if slot.0 == key {
                return Some(slot.1 as usize);
            }
        }
        None
    }
}

/// The first slot of a key. Keys are hashes: any of their bits say as much.
#[inline]
fn start(key: u64) -> usize {
    usize::try_from(key & u64::from(u32::MAX)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_numbered_as_they_come() {
        let mut keys = KeyTable::new(4);
        let found: Vec<_> = [7, 9, 7, 8, 9].into_iter().map(|key| keys.place(key)).collect();
        assert_eq!(found, [Some(0), Some(1), Some(0), Some(2), Some(1)]);
        keys.clear();
        assert_eq!(keys.place(9), Some(0));
    }

    #[test]
    fn a_full_table_gives_no_numbers() {
        let mut keys = KeyTable::new(1);
        let given = (1..1000).filter(|key| keys.place(*key).is_some()).count();
        assert!((1..=16).contains(&given), "{given}");
    }
}
