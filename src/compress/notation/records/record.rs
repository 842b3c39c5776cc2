//! A record: one of several alike, as it was read from its lines.

use std::borrow::Cow;

use super::columns::Leaf;
use super::form::RecordForm;

/// A member of a record: its text as it is, its own members, or both if they are on one
/// line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RecordItem<'a> {
    pub(super) key: &'a str,
    pub(super) value: Option<Cow<'a, str>>,
    pub(super) items: Vec<RecordItem<'a>>,
}

/// A record of some lines.
#[derive(Debug, Clone)]
pub(super) struct LineRecord<'a> {
    pub(super) form: RecordForm<'a>,
    pub(super) indent: &'a str,
    /// The key that names it, in a map of records.
    pub(super) key: Option<&'a str>,
    pub(super) items: Vec<RecordItem<'a>>,
    /// The text between its tags.
    pub(super) text: Option<&'a str>,
    /// Number of lines that it takes.
    pub(super) lines: usize,
}

impl<'a> RecordItem<'a> {
    pub(super) fn text(key: &'a str, value: impl Into<Cow<'a, str>>) -> Self {
        Self { key, value: Some(value.into()), items: Vec::new() }
    }
}

impl<'a> LineRecord<'a> {
    /// The values with the keys that lead to them. What `is_closed` says of a path is as one
    /// value, if it can.
    pub(super) fn leaves(&self, is_closed: &dyn Fn(&[&str]) -> bool) -> Vec<Leaf<'a>> {
        let mut leaves = Vec::with_capacity(self.items.len());
        add(&mut leaves, &self.items, &mut Vec::new(), is_closed);
        leaves
    }
}

fn add<'a>(
    leaves: &mut Vec<Leaf<'a>>,
    items: &[RecordItem<'a>],
    path: &mut Vec<&'a str>,
    is_closed: &dyn Fn(&[&str]) -> bool,
) {
    for item in items {
        path.push(item.key);
        match &item.value {
            Some(value) if item.items.is_empty() || is_closed(path) => {
                leaves.push(Leaf { path: path.clone(), value: value.clone() });
            }
            _ => add(leaves, &item.items, path, is_closed),
        }
        path.pop();
    }
}

/// Whether a key may be in a list of columns.
pub(super) fn is_key(key: &str) -> bool {
    !key.is_empty()
        && key != super::columns::OTHERS_KEY
        && !key.contains([',', '|', '{', '}', '='])
        && !key.starts_with([' ', '"'])
}
