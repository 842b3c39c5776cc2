//! Copies what references lead to into `$defs`, where it stays while the rest of a schema moves.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::editor::{SchemaEdit, SchemaEditor};
use super::joined::{has_refused_names, has_unions};
use crate::json::{self, Limits, Node, ObjectText, write_string};
use crate::provider::adaptation::calls::{is_word, rename};
use crate::provider::schema::ReferenceResolver;

/// Bytes of all copies, as a multiple of the schema: each of them may be most of it.
const MAX_GROWTH: usize = 4;
/// Bytes of a name in `$defs` that is made here.
const MAX_NAME_BYTES: usize = 64;

/// Before properties are joined or renamed, which would leave references to them dangling.
pub(super) fn before_moves(node: &Node<'_>) -> Option<String> {
    let moves = has_unions(node) || has_refused_names(node);
    if moves { with_definitions(node, stays_in_place) } else { None }
}

/// The same for a target that takes every name.
pub(super) fn before_joins(node: &Node<'_>) -> Option<String> {
    if has_unions(node) { with_definitions(node, stays_in_place) } else { None }
}

/// Whether what a reference leads to has the same place after properties moved.
fn stays_in_place(reference: &str) -> bool {
    ["#/$defs/", "#/definitions/"].iter().any(|start| reference.starts_with(start))
}

/// Copies what references lead to into `$defs`, except if `stays` says that they stay. References to
/// the whole schema and to anchors stay, too.
pub(super) fn with_definitions(node: &Node<'_>, stays: fn(&str) -> bool) -> Option<String> {
    if !node.raw.contains("\"$ref\"") {
        return None;
    }
    let own = node.get("$defs").and_then(Node::as_object);
    let mut copies = Copies {
        resolver: ReferenceResolver::new(node),
        stays,
        own: own.into_iter().flatten().map(|(name, _)| &**name).collect(),
        names: HashMap::new(),
        found: Vec::new(),
        left: node.raw.len().saturating_mul(MAX_GROWTH),
    };
    let text = copies.edited(node)?;
    let mut definitions: Vec<(Arc<str>, String)> = Vec::new();
    while let Some((name, schema)) = copies.found.get(definitions.len()).cloned() {
        let copy = copies.edited(schema);
        definitions.push((name, copy.unwrap_or_else(|| schema.raw.to_owned())));
    }
    let whole = json::parse(&text, Limits::default()).ok()?;
    let mut all = ObjectText::default();
    for (name, schema) in whole.get("$defs").and_then(Node::as_object).into_iter().flatten() {
        all.member(name, schema.raw);
    }
    for (name, schema) in &definitions {
        all.member(name, schema);
    }
    let mut out = ObjectText::default();
    for (key, value) in whole.as_object()?.iter().filter(|(key, _)| key != "$defs") {
        out.member(key, value.raw);
    }
    out.member("$defs", &all.finish());
    Some(out.finish())
}

/// Schemas that get a place in `$defs`.
struct Copies<'n, 'a> {
    resolver: ReferenceResolver<'n, 'a>,
    stays: fn(&str) -> bool,
    /// The names in `$defs`.
    own: HashSet<&'n str>,
    /// Names by reference.
    names: HashMap<String, Arc<str>>,
    found: Vec<(Arc<str>, &'n Node<'a>)>,
    left: usize,
}

impl<'n, 'a> Copies<'n, 'a> {
    /// A schema with references to the copies; none if it has none.
    fn edited(&mut self, schema: &Node<'_>) -> Option<String> {
        let mut member = |_: &Node<'_>, key: &str, value: &Node<'_>| {
            let name = value.as_str().filter(|_| key == "$ref").and_then(|to| self.name(to));
            name.map_or(SchemaEdit::Keep, |name| {
                let mut text = String::new();
                let name = name.replace('~', "~0").replace('/', "~1");
                write_string(&mut text, &format!("#/$defs/{name}"));
                SchemaEdit::Replace(text)
            })
        };
        SchemaEditor::of_members(&mut member).edited(schema)
    }

    /// The name of the copy that a reference leads to; none if it stays as it is.
    fn name(&mut self, reference: &str) -> Option<Arc<str>> {
        if !reference.starts_with("#/") || (self.stays)(reference) {
            return None;
        }
        if let Some(known) = self.names.get(reference) {
            return Some(Arc::clone(known));
        }
        let schema: &'n Node<'a> = self.resolver.find(reference)?;
        self.left = self.left.checked_sub(schema.raw.len())?;
        let given = reference
            .strip_prefix("#/definitions/")
            .filter(|name| name.chars().all(is_word) && !self.own.contains(name));
        let name = given.map_or_else(
            || rename(reference.trim_start_matches("#/"), MAX_NAME_BYTES, is_word),
            Arc::from,
        );
        self.names.insert(reference.to_owned(), Arc::clone(&name));
        self.found.push((Arc::clone(&name), schema));
        Some(name)
    }
}
