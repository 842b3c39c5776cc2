//! The order in which the hooks of a point run: by kind, priority, the ordering manifest, and id.
//!
//! The time at which an answer arrives has no influence on it.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use super::definition::Hook;
use super::parser::is_hook_id;
use super::point::{HookKind, Point};
use crate::json::{Faults, Fields, Node, Path, Value, write_string};

/// Hooks that a manifest lists first at a point, in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Manifest {
    points: BTreeMap<Point, Vec<Arc<str>>>,
}

/// Changes of a list: part of the response to `PUT /hook-order`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OrderDifference {
    pub added: Vec<Arc<str>>,
    pub removed: Vec<Arc<str>>,
    /// Hooks in both lists whose relative order changed; all of them, in the new order.
    pub reordered: Vec<Arc<str>>,
}

const MAX_HOOKS: usize = 1000;

impl Manifest {
    /// Reads `{"points": {"tool_result": ["redact", "truncate"]}}`.
    pub fn read(node: &Node<'_>, path: Path<'_>, faults: &mut Faults) -> Option<Self> {
        let fields = Fields::read(node, path, &["points"], faults)?;
        let all = fields.path().key("points");
        let Some(Value::Object(members)) = fields.get("points").map(|node| &node.value) else {
            fields.fault("points", "must be an object of hook points", faults);
            return None;
        };
        let mut points = BTreeMap::new();
        for (name, list) in members {
            let path = all.key(name);
            let Some(point) = Point::parse(name) else {
                let known = Point::ALL.map(Point::as_str);
                faults.unknown_listed_name(&path, "hook point", name, &known);
                continue;
            };
            let Some(items) =
                list.as_array().filter(|items| (1..=MAX_HOOKS).contains(&items.len()))
            else {
                faults.add(&path, format!("must be a list of 1 to {MAX_HOOKS} ids"));
                continue;
            };
            let mut ids: Vec<Arc<str>> = Vec::new();
            for (index, item) in items.iter().enumerate() {
                match item.as_str() {
                    Some(id) if !is_hook_id(id) => {
                        faults.add(&path.index(index), "is not the id of a hook");
                    }
                    Some(id) if ids.iter().any(|known| **known == *id) => {
                        faults.add(&path.index(index), "is listed twice");
                    }
                    Some(id) => ids.push(id.into()),
                    None => faults.add(&path.index(index), "must be the id of a hook"),
                }
            }
            points.insert(point, ids);
        }
        Some(Self { points })
    }

    /// Overrides this manifest with a narrower one: a point that the narrower one names has the
    /// list of that one alone.
    #[must_use]
    pub fn under(mut self, narrower: &Self) -> Self {
        let lists = narrower.points.iter().map(|(point, ids)| (*point, ids.clone()));
        self.points.extend(lists);
        self
    }

    pub fn list(&self, point: Point) -> &[Arc<str>] {
        self.points.get(&point).map_or(&[], Vec::as_slice)
    }

    /// The points that are named, in the order of [`Point::ALL`].
    pub fn points(&self) -> impl Iterator<Item = Point> {
        self.points.keys().copied()
    }

    /// Ids that are listed and that no hook of their point has.
    pub fn unknown(&self, hooks: &[Arc<Hook>]) -> Vec<Arc<str>> {
        let stands = |point: &Point, id: &Arc<str>| {
            hooks.iter().any(|hook| hook.id == *id && hook.points.contains(point))
        };
        let mut unknown = Vec::new();
        for (point, ids) in &self.points {
            for id in ids.iter().filter(|id| !stands(point, id)) {
                if !unknown.contains(id) {
                    unknown.push(Arc::clone(id));
                }
            }
        }
        unknown
    }

    /// The difference between the list of a point and that of an earlier manifest.
    pub fn difference(&self, earlier: &Self, point: Point) -> OrderDifference {
        let (old, new) = (earlier.list(point), self.list(point));
        let only = |list: &[Arc<str>], other: &[Arc<str>]| -> Vec<Arc<str>> {
            list.iter().filter(|id| !other.contains(id)).cloned().collect()
        };
        let both = |list: &[Arc<str>], other: &[Arc<str>]| -> Vec<Arc<str>> {
            list.iter().filter(|id| other.contains(id)).cloned().collect()
        };
        let (before, after) = (both(old, new), both(new, old));
        let reordered = if before == after { Vec::new() } else { after };
        OrderDifference { added: only(new, old), removed: only(old, new), reordered }
    }

    /// The manifest as JSON that is read back the same.
    pub fn write(&self) -> String {
        let mut out = String::from("{\"points\":{");
        for (index, (point, ids)) in self.points.iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            write_string(&mut out, point.as_str());
            out.push_str(":[");
            write_ids(&mut out, ids.iter());
            out.push(']');
        }
        out.push_str("}}");
        out
    }
}

/// The hooks of one compile in their order. It is made once and does not change while the compile
/// runs, whatever is registered meanwhile.
#[derive(Debug, Clone, Default)]
pub struct HookSet {
    points: BTreeMap<Point, Vec<Arc<Hook>>>,
    hash: String,
}

impl HookSet {
    /// Orders the hooks that are active ([`Hook::is_active`]) and not scoped to another session
    /// than `session`. A hook replaces an earlier one in `hooks` with the same id.
    pub fn new(hooks: &[Arc<Hook>], manifest: &Manifest, session: Option<&str>) -> Self {
        let by_id: BTreeMap<&str, &Arc<Hook>> =
            hooks.iter().map(|hook| (&*hook.id, hook)).collect();
        let mut points: BTreeMap<Point, Vec<Arc<Hook>>> = BTreeMap::new();
        let here = |hook: &Hook| hook.session.is_none() || hook.session.as_deref() == session;
        for hook in by_id.values().filter(|hook| hook.is_active() && here(hook)) {
            for point in &hook.points {
                points.entry(*point).or_default().push(Arc::clone(hook));
            }
        }
        for (point, hooks) in &mut points {
            let listed: BTreeMap<&str, usize> =
                manifest.list(*point).iter().enumerate().map(|(at, id)| (&**id, at)).collect();
            let place = |id: &str| listed.get(id).copied().unwrap_or(usize::MAX);
            // The map gave them by the bytes of their ids, and the sort is stable.
            hooks.sort_by_key(|hook| {
                let kind = point.kinds().iter().position(|kind| *kind == hook.kind);
                (kind, Reverse(hook.priority), place(&hook.id))
            });
        }
        let hash = hash(&points);
        Self { points, hash }
    }

    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// The hooks of these kinds at a point, in the same order.
    #[must_use]
    pub fn only(&self, point: Point, kinds: &[HookKind]) -> Self {
        let hooks = self.hooks_at(point).iter().filter(|hook| kinds.contains(&hook.kind));
        let hooks: Vec<Arc<Hook>> = hooks.cloned().collect();
        let points = Some((point, hooks)).into_iter().filter(|(_, hooks)| !hooks.is_empty());
        let points = points.collect();
        Self { hash: hash(&points), points }
    }

    /// The hooks of a point, in their order.
    pub fn hooks_at(&self, point: Point) -> &[Arc<Hook>] {
        self.points.get(&point).map_or(&[], Vec::as_slice)
    }

    /// The hooks of a kind at a point, in their order.
    pub fn hooks_of_kind(&self, point: Point, kind: HookKind) -> impl Iterator<Item = &Arc<Hook>> {
        self.hooks_at(point).iter().filter(move |hook| hook.kind == kind)
    }

    /// Tokens to keep free at `point` for what hooks may provide there.
    pub fn reserve(&self, point: Point) -> u32 {
        self.hooks_at(point)
            .iter()
            .fold(0, |sum: u32, hook| sum.saturating_add(hook.reserves(point)))
    }

    /// The hash of this order: 64 hex digits, the SHA-256 of [`HookSet::write`].
    pub fn order_hash(&self) -> &str {
        &self.hash
    }

    /// `{"tool_result":{"transform":["redact","truncate"]}}`: points and ids that are there, keys
    /// in byte order.
    pub fn write(&self) -> String {
        write(&self.points)
    }
}

fn hash(points: &BTreeMap<Point, Vec<Arc<Hook>>>) -> String {
    hex(&Sha256::digest(write(points)))
}

/// Lower-case hex digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]).filter_map(digit).collect()
}

fn digit(value: u8) -> Option<char> {
    char::from_digit(u32::from(value), 16)
}

fn write(points: &BTreeMap<Point, Vec<Arc<Hook>>>) -> String {
    let mut named: Vec<(&str, &Vec<Arc<Hook>>)> =
        points.iter().map(|(point, hooks)| (point.as_str(), hooks)).collect();
    named.sort_unstable_by_key(|(name, _)| *name);
    let mut out = String::from("{");
    for (index, (name, hooks)) in named.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write_string(&mut out, name);
        out.push_str(":{");
        let mut kinds: Vec<HookKind> = HookKind::ALL.to_vec();
        kinds.sort_unstable_by_key(|kind| kind.as_str());
        let mut first = true;
        for kind in kinds {
            let ids: Vec<_> = hooks.iter().filter(|hook| hook.kind == kind).collect();
            if ids.is_empty() {
                continue;
            }
            if !std::mem::take(&mut first) {
                out.push(',');
            }
            write_string(&mut out, kind.as_str());
            out.push_str(":[");
            write_ids(&mut out, ids.iter().map(|hook| &hook.id));
            out.push(']');
        }
        out.push('}');
    }
    out.push('}');
    out
}

fn write_ids<'i>(out: &mut String, ids: impl Iterator<Item = &'i Arc<str>>) {
    for (index, id) in ids.enumerate() {
        if index > 0 {
            out.push(',');
        }
        write_string(out, id);
    }
}

#[cfg(test)]
mod tests;
