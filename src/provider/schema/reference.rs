//! What the references of a schema lead to.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use percent_encoding::percent_decode_str;

use crate::json::{Node, Value, schemas_in};

/// References that are resolved by a walk: an object is searched member by member.
const MAX_WALKS: usize = 1_000;

/// Resolves the references of one schema.
pub(crate) struct ReferenceResolver<'n, 'a> {
    root: &'n Node<'a>,
    definitions: HashMap<(&'static str, &'n str), &'n Node<'a>>,
    anchors: HashSet<&'n str>,
    walks: usize,
}

impl<'n, 'a> ReferenceResolver<'n, 'a> {
    pub(crate) fn new(root: &'n Node<'a>) -> Self {
        let mut definitions = HashMap::new();
        for key in ["$defs", "definitions"] {
            let named = root.get(key).and_then(Node::as_object);
            for (name, schema) in named.into_iter().flatten() {
                definitions.insert((key, &**name), schema);
            }
        }
        let mut anchors = HashSet::new();
        if root.raw.contains("nchor\"") {
            add_anchors(root, &mut anchors);
        }
        Self { root, definitions, anchors, walks: MAX_WALKS }
    }

    /// Whether a reference leads nowhere. One that cannot be decided counts as good.
    pub(crate) fn is_dangling(&mut self, reference: &str) -> bool {
        let Some(inside) = self.inside(reference) else { return true };
        if inside.is_empty() {
            return false;
        }
        if !inside.starts_with('/') {
            return !self.anchors.contains(inside);
        }
        self.definition(inside).is_none() && self.walks > 0 && self.walk(inside).is_none()
    }

    /// The schema that a reference to a place leads to; none for an anchor.
    pub(crate) fn find(&mut self, reference: &str) -> Option<&'n Node<'a>> {
        let inside = self.inside(reference)?;
        if inside.is_empty() {
            return Some(self.root);
        }
        if !inside.starts_with('/') {
            return None;
        }
        self.definition(inside).or_else(|| self.walk(inside))
    }

    /// The part of a reference after `#`; none if it leads out of the schema.
    fn inside<'r>(&self, reference: &'r str) -> Option<&'r str> {
        let own = self.root.get("$id").and_then(Node::as_str).filter(|id| !id.is_empty());
        let rest = own.and_then(|id| reference.strip_prefix(id)).unwrap_or(reference);
        if rest.is_empty() { Some("") } else { rest.strip_prefix('#') }
    }

    fn definition(&self, pointer: &str) -> Option<&'n Node<'a>> {
        let (key, name) = pointer.strip_prefix('/')?.split_once('/')?;
        let key = ["$defs", "definitions"].into_iter().find(|own| *own == key)?;
        self.definitions.get(&(key, name)).copied()
    }

    fn walk(&mut self, pointer: &str) -> Option<&'n Node<'a>> {
        self.walks = self.walks.checked_sub(1)?;
        pointer.split('/').skip(1).try_fold(self.root, |node, piece| {
            let piece = plain(piece);
            match &node.value {
                Value::Array(items) => items.get(piece.parse::<usize>().ok()?),
                _ => node.get(&piece),
            }
        })
    }
}

/// A piece of a JSON Pointer in a URI, without its escapes.
fn plain(piece: &str) -> Cow<'_, str> {
    if !piece.contains(['%', '~']) {
        return Cow::Borrowed(piece);
    }
    let text = percent_decode_str(piece).decode_utf8_lossy();
    Cow::Owned(text.replace("~1", "/").replace("~0", "~"))
}

fn add_anchors<'n>(node: &'n Node<'_>, found: &mut HashSet<&'n str>) {
    for (key, value) in node.as_object().into_iter().flatten() {
        if matches!(&**key, "$anchor" | "$dynamicAnchor") {
            found.extend(value.as_str());
        }
        for schema in schemas_in(key, value) {
            add_anchors(schema, found);
        }
    }
}
