//! Ids of calls that are taken, and free ones for calls whose id another call has.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The ids that the calls before a place have. Only these count for a new id, so that a longer list gives
/// the same ids.
#[derive(Debug, Default)]
pub struct CallIds {
    taken: HashSet<Arc<str>>,
    /// The numbers up to which ids are taken, by what they begin with.
    numbers: HashMap<Arc<str>, usize>,
}

impl CallIds {
    /// Takes an id; false if a call has it.
    pub fn take(&mut self, id: Arc<str>) -> bool {
        self.taken.insert(id)
    }

    pub fn has(&self, id: &str) -> bool {
        self.taken.contains(id)
    }

    /// The first free id of `stem_2`, `stem_3` and so on. No number is tried again once it is taken, so
    /// that many calls of one id take no more than linear time.
    pub fn find_free(&mut self, stem: &str) -> Arc<str> {
        let known = self.numbers.get(stem).copied();
        let mut number = known.unwrap_or(2);
        let id = loop {
            let id = format!("{stem}_{number}");
            if !self.taken.contains(&*id) {
                break id.into();
            }
            number += 1;
        };
        self.numbers.insert(stem.into(), number);
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_number_that_is_free_is_found() {
        let mut ids = CallIds::default();
        assert!(ids.take("a".into()) && !ids.take("a".into()));
        assert!(ids.take("a_3".into()));
        assert_eq!((&*ids.find_free("a"), &*ids.find_free("a")), ("a_2", "a_2"));
        assert!(ids.take("a_2".into()));
        assert_eq!(&*ids.find_free("a"), "a_4");
    }

    #[test]
    fn many_calls_of_one_id_take_linear_time() {
        let mut ids = CallIds::default();
        ids.take("a".into());
        // Trying each number again would be five thousand million trials.
        for _ in 0..100_000 {
            let id = ids.find_free("a");
            assert!(ids.take(id));
        }
        assert_eq!(&*ids.find_free("a"), "a_100002");
    }
}
