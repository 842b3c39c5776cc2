//! Path of a value, and the faults of values.

use std::fmt::Write as _;

/// Bytes of a key that a pointer shows.
pub const MAX_KEY_BYTES: usize = 256;
/// Bytes of a fault's detail: enough for a sentence and the known values that it lists.
const MAX_DETAIL_BYTES: usize = 4096;

/// The way from the document's root to a value, as a chain on the stack: walking costs nothing,
/// only a fault turns it into text.
#[derive(Debug, Clone, Copy)]
pub enum Path<'p> {
    Root,
    Key(&'p Path<'p>, &'p str),
    Index(&'p Path<'p>, usize),
}

impl<'p> Path<'p> {
    #[must_use]
    pub fn key(&'p self, key: &'p str) -> Self {
        Self::Key(self, key)
    }

    #[must_use]
    pub fn index(&'p self, index: usize) -> Self {
        Self::Index(self, index)
    }

    /// The JSON Pointer (RFC 6901) of this place; the root is the empty string. A key of more than
    /// [`MAX_KEY_BYTES`] is cut, because one long key may be part of many pointers.
    pub fn pointer(&self) -> String {
        let mut text = String::new();
        self.write(&mut text);
        text
    }

    fn write(&self, text: &mut String) {
        match self {
            Self::Root => {}
            Self::Key(parent, key) => {
                parent.write(text);
                text.push('/');
                let shown = cut(key, MAX_KEY_BYTES);
                text.push_str(&shown.replace('~', "~0").replace('/', "~1"));
                if shown.len() < key.len() {
                    text.push('…');
                }
            }
            Self::Index(parent, index) => {
                parent.write(text);
                let _ = write!(text, "/{index}");
            }
        }
    }
}

/// One thing that is wrong with a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// JSON Pointer to the faulty value.
    pub pointer: String,
    pub detail: String,
    /// The known key or name nearest to an unknown one.
    pub did_you_mean: Option<String>,
}

impl Fault {
    const UNLISTED_ONE: &'static str = "1 more fault is not listed";
    const UNLISTED_MANY: &'static str = " more faults are not listed";

    /// The last line of a list of faults, for those that were only counted.
    fn of_unlisted(count: usize) -> Self {
        let detail = match count {
            1 => Self::UNLISTED_ONE.to_owned(),
            many => format!("{many}{}", Self::UNLISTED_MANY),
        };
        Self { pointer: String::new(), detail, did_you_mean: None }
    }

    /// The number of faults that a list does not show, if this is its last line.
    pub fn unlisted(&self) -> Option<usize> {
        if !self.pointer.is_empty() {
            return None;
        }
        if self.detail == Self::UNLISTED_ONE {
            return Some(1);
        }
        self.detail.strip_suffix(Self::UNLISTED_MANY)?.parse().ok()
    }
}

/// Number of faults, in words.
pub fn places(faults: &[Fault]) -> String {
    match faults.iter().map(|fault| fault.unlisted().unwrap_or(1)).sum() {
        1 => "one place".to_owned(),
        many => format!("{many} places"),
    }
}

/// The faults of one document, so that a caller sees them all at once.
///
/// Contains at most [`Faults::MAX_FAULTS`]: a body of a million faults gets a short response.
#[derive(Debug, Default)]
pub struct Faults {
    list: Vec<Fault>,
    unlisted: usize,
}

/// Takes over faults that other readings found.
impl Extend<Fault> for Faults {
    fn extend<I: IntoIterator<Item = Fault>>(&mut self, faults: I) {
        for fault in faults {
            self.add_found(fault);
        }
    }
}

impl Faults {
    /// Faults kept; further ones are only counted.
    pub const MAX_FAULTS: usize = 64;

    pub fn add(&mut self, path: &Path<'_>, detail: impl Into<String>) {
        self.push(path, detail.into(), None);
    }

    /// Takes over a fault that another reading found.
    pub fn add_found(&mut self, fault: Fault) {
        // The list of another reading may have been cut already.
        if let Some(count) = fault.unlisted() {
            self.unlisted += count;
        } else if self.is_full() {
            self.unlisted += 1;
        } else {
            self.list.push(Fault { detail: truncate_detail(fault.detail), ..fault });
        }
    }

    /// Reports a key that no one reads, with the nearest of the `known` ones.
    pub fn unknown_key(&mut self, parent: &Path<'_>, key: &str, known: &[&str]) {
        // A suggestion takes time by the lengths of all known keys.
        if self.is_full() {
            self.unlisted += 1;
            return;
        }
        let shown = beginning(key);
        let near = find_nearest(key, known.iter().copied());
        self.push(&parent.key(shown), unknown_key_detail(shown), near);
    }

    /// Says more about keys of the root that were reported as unknown. `explain` returns the detail of
    /// a key, if it has more to say.
    pub fn explain_unknown_keys(&mut self, explain: impl Fn(&str) -> Option<String>) {
        for fault in &mut self.list {
            let key = fault.pointer.strip_prefix('/').filter(|key| !key.contains('/'));
            let is_unknown = |key: &&str| fault.detail == unknown_key_detail(key);
            if let Some(detail) = key.filter(is_unknown).and_then(&explain) {
                fault.detail = detail;
                fault.did_you_mean = None;
            }
        }
    }

    /// Reports an unknown name, with the nearest of the `known` ones. `what`: such
    /// as `adapter`.
    pub fn unknown_name<'k>(
        &mut self,
        path: &Path<'_>,
        what: &str,
        name: &str,
        known: impl Iterator<Item = &'k str>,
    ) {
        if self.is_full() {
            self.unlisted += 1;
            return;
        }
        let near = find_nearest(name, known);
        self.push(path, format!("unknown {what} `{}`", beginning(name)), near);
    }

    /// Reports an unknown name with the nearest of the `known` ones, or with all of them if none is
    /// near. For names of which there are few.
    pub fn unknown_listed_name(&mut self, path: &Path<'_>, what: &str, name: &str, known: &[&str]) {
        let near = find_nearest(beginning(name), known.iter().copied());
        let mut detail = format!("unknown {what} `{}`", beginning(name));
        if near.is_none() {
            detail = format!("{detail}; known {what}s: {}", known.join(", "));
        }
        self.push(path, detail, near);
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether further faults are only counted.
    fn is_full(&self) -> bool {
        self.list.len() >= Self::MAX_FAULTS
    }

    /// The faults found, in document order, with a last line for faults that were only counted.
    pub fn into_vec(mut self) -> Vec<Fault> {
        if self.unlisted > 0 {
            self.list.push(Fault::of_unlisted(self.unlisted));
        }
        self.list
    }

    fn push(&mut self, path: &Path<'_>, detail: String, did_you_mean: Option<String>) {
        if self.is_full() {
            self.unlisted += 1;
        } else {
            let (pointer, detail) = (path.pointer(), truncate_detail(detail));
            self.list.push(Fault { pointer, detail, did_you_mean });
        }
    }
}

fn unknown_key_detail(key: &str) -> String {
    format!("unknown key `{key}`")
}

/// The beginning of a name that may be of any length, as faults quote it.
pub fn beginning(name: &str) -> &str {
    const MAX_NAME_CHARS: usize = 60;
    name.char_indices().nth(MAX_NAME_CHARS).map_or(name, |(end, _)| name.get(..end).unwrap_or(name))
}

/// At most `most` bytes of a text, whole characters.
pub fn cut(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most)).unwrap_or(text)
}

/// A detail that quotes no more of the request than a reader wants to see.
fn truncate_detail(detail: String) -> String {
    match cut(&detail, MAX_DETAIL_BYTES) {
        shown if shown.len() < detail.len() => format!("{shown}…"),
        _ => detail,
    }
}

/// The known name that a name is most like, if more than half of the longer one stands in both.
fn find_nearest<'k>(name: &str, known: impl Iterator<Item = &'k str>) -> Option<String> {
    let length = name.chars().count();
    let most = |known: &str| known.chars().count().max(length).saturating_sub(1) / 2;
    // A distance takes time by the product of both lengths, and is at least their difference.
    known
        .filter(|known| known.chars().count().abs_diff(length) <= most(known))
        .map(|known| (strsim::damerau_levenshtein(known, name), known))
        .filter(|(distance, known)| *distance <= most(known))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_suggested_that_has_something_of_what_was_said() {
        let suggested = |name| find_nearest(name, ["do", "dont", "voice"].into_iter());
        assert_eq!(suggested("donts").as_deref(), Some("dont"));
        assert_eq!(suggested("dos").as_deref(), Some("do"));
        assert_eq!(suggested("x"), None);
        // Two of four letters are chance.
        assert_eq!(find_nearest("nope", ["code", "log"].into_iter()), None);
        assert_eq!(find_nearest("", ["a"].into_iter()), None);
    }

    #[test]
    fn a_path_becomes_a_pointer() {
        let root = Path::Root;
        let messages = root.key("a/b~c");
        assert_eq!(messages.index(3).key("role").pointer(), "/a~1b~0c/3/role");
        assert_eq!(root.pointer(), "");
    }

    #[test]
    fn an_unknown_key_names_the_nearest() {
        let mut faults = Faults::default();
        faults.unknown_key(&Path::Root, "targt", &["target", "model"]);
        faults.unknown_key(&Path::Root, "zzzzzzzz", &["target", "model"]);
        let list = faults.into_vec();
        assert_eq!(list[0].did_you_mean.as_deref(), Some("target"));
        assert_eq!(list[1].did_you_mean, None);
    }

    #[test]
    fn an_unknown_name_is_told_where_it_stands_and_not_at_length() {
        let mut faults = Faults::default();
        let known = || ["ledger", "xml"].into_iter();
        let list = Path::Root.key("adapters");
        faults.unknown_name(&list.index(3), "adapter", "legder", known());
        faults.unknown_name(&list.index(4), "adapter", &"x".repeat(8 << 20), known());
        let list = faults.into_vec();
        assert_eq!(list[0].pointer, "/adapters/3");
        assert_eq!(list[0].detail, "unknown adapter `legder`");
        assert_eq!(list[0].did_you_mean.as_deref(), Some("ledger"));
        assert_eq!((list[1].detail.len(), &list[1].did_you_mean), (78, &None));
    }

    #[test]
    fn many_faults_are_counted_not_kept() {
        let mut faults = Faults::default();
        for index in 0..1000 {
            faults.add(&Path::Root.index(index), "wrong");
        }
        let list = faults.into_vec();
        assert_eq!(list.len(), Faults::MAX_FAULTS + 1);
        assert!(list[Faults::MAX_FAULTS].detail.contains("936"));
    }

    #[test]
    fn a_list_that_was_cut_is_taken_over_with_its_count() {
        let mut faults = Faults::default();
        for index in 0..100 {
            faults.add(&Path::Root.index(index), "wrong");
        }
        let mut both = Faults::default();
        both.extend(faults.into_vec());
        both.add(&Path::Root, "wrong");
        let list = both.into_vec();
        assert_eq!(list.len(), Faults::MAX_FAULTS + 1);
        assert_eq!(list[Faults::MAX_FAULTS].detail, "37 more faults are not listed");
        assert_eq!(places(&list), "101 places");
    }

    #[test]
    fn no_suggestion_is_looked_for_once_faults_are_only_counted() {
        let mut faults = Faults::default();
        for _ in 0..Faults::MAX_FAULTS {
            faults.add(&Path::Root, "wrong");
        }
        let unread = std::iter::from_fn(|| -> Option<&str> { panic!("a known name was read") });
        faults.unknown_name(&Path::Root, "adapter", "legder", unread);
        let last = faults.into_vec().pop().unwrap();
        assert_eq!(last.detail, "1 more fault is not listed");
    }
}
