//! Reading an object's members, collecting what is wrong with them.

use std::ops::RangeInclusive;

use super::{Faults, Node, Path, Value};

/// An object that is being read. A `null` member counts as absent.
#[derive(Debug, Clone, Copy)]
pub struct Fields<'r, 'a> {
    node: &'r Node<'a>,
    path: Path<'r>,
}

impl<'r, 'a> Fields<'r, 'a> {
    /// The object at `path`; a fault if it is something else. Keys not in `known` are faults.
    pub fn read(
        node: &'r Node<'a>,
        path: Path<'r>,
        known: &[&str],
        faults: &mut Faults,
    ) -> Option<Self> {
        let Some(members) = node.as_object() else {
            faults.add(&path, format!("must be an object, not {}", node.kind()));
            return None;
        };
        for (key, _) in members {
            if !known.contains(&key.as_ref()) {
                faults.unknown_key(&path, key, known);
            }
        }
        Some(Self { node, path })
    }

    pub fn path(&self) -> &Path<'r> {
        &self.path
    }

    /// The object itself, in which a `null` differs from an absent member.
    pub fn node(&self) -> &'r Node<'a> {
        self.node
    }

    pub fn get(&self, key: &str) -> Option<&'r Node<'a>> {
        self.node.get(key).filter(|node| !node.is_null())
    }

    pub fn fault(&self, key: &str, detail: impl Into<String>, faults: &mut Faults) {
        faults.add(&self.path.key(key), detail);
    }

    pub fn text(&self, key: &str, faults: &mut Faults) -> Option<&'r str> {
        let node = self.get(key)?;
        let text = node.as_str();
        if text.is_none() {
            self.fault(key, format!("must be a string, not {}", node.kind()), faults);
        }
        text
    }

    /// Like [`Self::text`], for what is stored as it is or looked for: not every database can hold
    /// the character NUL in a text.
    pub fn text_without_nul(&self, key: &str, faults: &mut Faults) -> Option<&'r str> {
        let text = self.text(key, faults)?;
        if text.contains('\0') {
            self.fault(key, "must not contain the character NUL", faults);
            return None;
        }
        Some(text)
    }

    pub fn flag(&self, key: &str, faults: &mut Faults) -> Option<bool> {
        let node = self.get(key)?;
        let flag = node.as_bool();
        if flag.is_none() {
            self.fault(key, format!("must be true or false, not {}", node.kind()), faults);
        }
        flag
    }

    /// A whole number from `least` to `most`.
    pub fn whole(&self, key: &str, least: u64, most: u64, faults: &mut Faults) -> Option<u64> {
        let node = self.get(key)?;
        let number = node.as_u64().filter(|number| (least..=most).contains(number));
        if number.is_none() {
            self.fault(key, format!("must be a whole number from {least} to {most}"), faults);
        }
        number
    }

    /// Like [`Self::whole`], below zero too.
    pub fn integer(&self, key: &str, least: i64, most: i64, faults: &mut Faults) -> Option<i64> {
        let node = self.get(key)?;
        let number = match node.value {
            Value::Number(text) => text.parse().ok(),
            _ => None,
        };
        let number = number.filter(|number| (least..=most).contains(number));
        if number.is_none() {
            self.fault(key, format!("must be a whole number from {least} to {most}"), faults);
        }
        number
    }

    /// A share from `least` to `most` thousandths, written as a fraction of one.
    pub fn milli(&self, key: &str, least: u32, most: u32, faults: &mut Faults) -> Option<u32> {
        let milli = milli_of(self.get(key)?, &(least..=most));
        if milli.is_none() {
            self.fault(key, not_milli(&(least..=most)), faults);
        }
        milli
    }

    /// An array of at most `most` numbers, each as [`Self::milli`] reads it.
    pub fn millis(
        &self,
        key: &str,
        most: usize,
        range: RangeInclusive<u32>,
        faults: &mut Faults,
    ) -> Vec<u32> {
        let items = self.list(key, most, faults);
        let list = self.path.key(key);
        let mut found = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            match milli_of(item, &range) {
                Some(milli) => found.push(milli),
                None => faults.add(&list.index(index), not_milli(&range)),
            }
        }
        found
    }

    /// One of a closed list of words.
    pub fn choice<T: Copy>(
        &self,
        key: &str,
        words: &[(&str, T)],
        faults: &mut Faults,
    ) -> Option<T> {
        let node = self.get(key)?;
        let found = node
            .as_str()
            .and_then(|text| words.iter().find(|(word, _)| *word == text))
            .map(|(_, value)| *value);
        if found.is_none() {
            let list: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            self.fault(key, format!("must be one of {}", list.join(", ")), faults);
        }
        found
    }

    /// The items of an array of at most `most`.
    pub fn list(&self, key: &str, most: usize, faults: &mut Faults) -> &'r [Node<'a>] {
        let Some(node) = self.get(key) else { return &[] };
        match node.as_array() {
            Some(items) if items.len() <= most => items,
            Some(_) => {
                self.fault(key, format!("must hold at most {most} items"), faults);
                &[]
            }
            None => {
                self.fault(key, format!("must be an array, not {}", node.kind()), faults);
                &[]
            }
        }
    }

    /// The strings of an array of at most `most`.
    pub fn texts(&self, key: &str, most: usize, faults: &mut Faults) -> Vec<&'r str> {
        let items = self.list(key, most, faults);
        let list = self.path.key(key);
        let mut texts = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            match item.as_str() {
                Some(text) => texts.push(text),
                None => {
                    faults
                        .add(&list.index(index), format!("must be a string, not {}", item.kind()));
                }
            }
        }
        texts
    }
}

/// A number as thousandths, if it is within them.
fn milli_of(node: &Node<'_>, range: &RangeInclusive<u32>) -> Option<u32> {
    let milli = (node.as_f64()? * 1000.0).round();
    let within = f64::from(*range.start())..=f64::from(*range.end());
    // In range, so the cast neither cuts nor changes the sign.
    format!("{}", Some(milli).filter(|milli| within.contains(milli))?).parse().ok()
}

fn not_milli(range: &RangeInclusive<u32>) -> String {
    let (least, most) = (f64::from(*range.start()) / 1000.0, f64::from(*range.end()) / 1000.0);
    format!("must be a number from {least} to {most}")
}
