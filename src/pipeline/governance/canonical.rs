//! Values as text: as they are shown, and in the canonical form that hashes are over.

use serde::{Serialize, Serializer};
use sha2::{Digest as _, Sha256};

use crate::domain::ContentHash;
use crate::json;

/// A value in both forms.
#[derive(Debug, Clone, Default)]
pub(super) struct WrittenValue {
    pub(super) shown: String,
    pub(super) canonical: String,
}

impl WrittenValue {
    pub(super) fn new<T: Serialize + ?Sized>(value: &T) -> Self {
        // Plain data with keys that are texts: there is nothing in it that JSON cannot hold.
        let shown = serde_json::to_string(value).unwrap_or_default();
        let mut canonical = String::with_capacity(shown.len());
        json::jcs_into(&mut canonical, value);
        Self { shown, canonical }
    }

    /// A list of what is written already.
    pub(super) fn list<'w>(items: impl IntoIterator<Item = &'w Self>) -> Self {
        let (mut shown, mut canonical) = (String::from("["), String::from("["));
        for (at, item) in items.into_iter().enumerate() {
            for (out, text) in [(&mut shown, &item.shown), (&mut canonical, &item.canonical)] {
                out.push_str(if at > 0 { "," } else { "" });
                out.push_str(text);
            }
        }
        shown.push(']');
        canonical.push(']');
        Self { shown, canonical }
    }

    pub(super) fn hash(&self) -> ContentHash {
        ContentHash::of(&self.canonical)
    }
}

/// An object of what is written already.
#[derive(Debug, Default)]
pub(super) struct WrittenObject {
    members: Vec<(&'static str, WrittenValue)>,
}

impl WrittenObject {
    pub(super) fn new(members: impl IntoIterator<Item = (&'static str, WrittenValue)>) -> Self {
        Self { members: members.into_iter().collect() }
    }

    /// Sets a member; a new one is the last.
    pub(super) fn set(&mut self, key: &'static str, value: WrittenValue) {
        match self.members.iter_mut().find(|(known, _)| *known == key) {
            Some((_, member)) => *member = value,
            None => self.members.push((key, value)),
        }
    }

    /// Appends it as it is shown.
    pub(super) fn show(&self, out: &mut String) {
        out.reserve(self.members.iter().map(|(key, own)| key.len() + own.shown.len() + 4).sum());
        let members = self.members.iter().map(|(key, own)| (*key, &*own.shown));
        each_part(members, |part| out.push_str(part));
    }

    /// Hands over the canonical text, part by part.
    fn canonical(&self, take: impl FnMut(&str)) {
        let members = self.members.iter().map(|(key, own)| (*key, &*own.canonical));
        let mut members: Vec<_> = members.collect();
        members.sort_unstable_by_key(|(key, _)| *key);
        each_part(members, take);
    }

    pub(super) fn written(&self) -> WrittenValue {
        let mut own = WrittenValue::default();
        self.show(&mut own.shown);
        own.canonical.reserve(own.shown.len());
        self.canonical(|part| own.canonical.push_str(part));
        own
    }

    /// Over the canonical text.
    pub(super) fn hash(&self) -> ContentHash {
        let mut hasher = Sha256::new();
        self.canonical(|part| hasher.update(part));
        ContentHash(hasher.finalize().into())
    }
}

/// The parts of an object's text.
fn each_part<'m>(
    members: impl IntoIterator<Item = (&'m str, &'m str)>,
    mut take: impl FnMut(&str),
) {
    take("{");
    for (at, (key, text)) in members.into_iter().enumerate() {
        take(if at > 0 { ",\"" } else { "\"" });
        take(key);
        take("\":");
        take(text);
    }
    take("}");
}

/// A list of the items that a function returns.
pub(super) struct WrittenList<F>(pub(super) F);

impl<F, I> Serialize for WrittenList<F>
where
    F: Fn() -> I,
    I: IntoIterator<Item: Serialize>,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

/// An object of the pairs that a function returns; keys are unique.
pub(super) struct WrittenMap<F>(pub(super) F);

impl<F, I, K, V> Serialize for WrittenMap<F>
where
    F: Fn() -> I,
    I: IntoIterator<Item = (K, V)>,
    K: Serialize,
    V: Serialize,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map((self.0)())
    }
}

/// A hash as it is written: `sha256:` and its digits.
#[derive(Debug, Clone, Copy)]
pub(super) struct HashText(pub(super) ContentHash);

impl Serialize for HashText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        const DIGEST_PREFIX: &[u8; 7] = b"sha256:";
        let mut text = [0; 71];
        for (to, from) in text.iter_mut().zip(DIGEST_PREFIX.iter().chain(&self.0.digits())) {
            *to = *from;
        }
        serializer.serialize_str(std::str::from_utf8(&text).unwrap_or_default())
    }
}
