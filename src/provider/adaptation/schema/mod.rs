//! Schemas of tools that a provider refuses, rewritten into ones that it takes.
//!
//! What is lost is what a provider does not check anyway: which of several sets of arguments is
//! required. The service still checks calls against the schema of the request.

mod editor;
mod gemini;
mod joined;
mod references;
mod strict;
#[cfg(test)]
mod tests;

pub use joined::shown_properties;
pub(super) use strict::strict_misfit;

use std::collections::BTreeSet;

use crate::domain::Target;
use crate::json::{self, Limits, Node, ObjectText};
use crate::provider::schema::as_current_schema;
use crate::provider::writer::is_gemini_schema;
use editor::{SchemaEdit, SchemaEditor};

/// A schema that was rewritten, and what was changed.
pub(super) struct RewrittenSchema {
    pub(super) text: String,
    pub(super) changes: Vec<String>,
}

/// A change of a schema, and the function that makes it where it is needed.
type SchemaStep = (&'static str, fn(&Node<'_>) -> Option<String>);

/// The changes that a target needs.
fn steps(target: Target) -> &'static [SchemaStep] {
    match target {
        // "input_schema does not support oneOf, allOf, or anyOf at the top level", and property keys
        // of `[a-zA-Z0-9_.-]{1,64}`: answers of the Messages API.
        Target::Anthropic => &[
            ("references moved to $defs", references::before_moves),
            ("top-level unions joined", joined::joined),
            ("properties renamed", joined::renamed),
        ],
        // "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top
        // level", and "array schema missing items": answers of both APIs.
        Target::Openai | Target::OpenaiResponses => &[
            ("references moved to $defs", references::before_joins),
            ("top-level unions joined", joined::joined),
            ("items added", with_items),
        ],
        // "required[0]: property is not defined": an answer of `generateContent`. The others: see
        // `gemini`.
        Target::Gemini => &[
            ("top-level reference joined", gemini::without_top_reference),
            ("conditions on unknown properties left out", gemini::without_unknown_conditions),
            ("unknown properties no longer required", gemini::with_known_required),
            ("references moved to $defs", gemini::with_definitions),
            ("members beside $ref left out", gemini::with_lone_references),
            ("values of enums left out", gemini::with_plain_enums),
            ("cycles no longer required", gemini::without_required_cycles),
        ],
        Target::Neutral => &[],
    }
}

/// Rewrites a schema for a target; `None` if it takes it as it is.
pub(super) fn rewrite(schema: &str, target: Target) -> Option<RewrittenSchema> {
    if target == Target::Neutral {
        return None;
    }
    let mut found = RewrittenSchema { text: schema.to_owned(), changes: Vec::new() };
    if target != Target::Gemini || !is_gemini_schema(schema) {
        let node = json::parse(schema, Limits::default()).ok()?;
        if let Some(current) = as_current_schema(&node) {
            found.text = current.text;
            found.changes.push(draft_change(&current.keywords));
        }
    }
    let mut left = steps(target);
    while let Ok(node) = json::parse(&found.text, Limits::default()) {
        let next = left
            .iter()
            .enumerate()
            .find_map(|(at, (change, step))| Some((at, *change, step(&node)?)));
        let Some((at, change, text)) = next else { break };
        left = left.get(at + 1..).unwrap_or_default();
        found.text = text;
        found.changes.push(change.to_owned());
    }
    (!found.changes.is_empty()).then_some(found)
}

fn draft_change(keywords: &BTreeSet<&'static str>) -> String {
    let keywords: Vec<&str> = keywords.iter().copied().collect();
    format!("brought to JSON Schema 2020-12 ({})", keywords.join(", "))
}

/// Adds `items` to arrays without them, also to tuples, which have `prefixItems`.
fn with_items(node: &Node<'_>) -> Option<String> {
    let is_array = |kind: &Node<'_>| kind.as_str() == Some("array");
    let lacks = |node: &Node<'_>| {
        let kind = node.get("type");
        let has = kind.is_some_and(is_array)
            || kind.and_then(Node::as_array).is_some_and(|kinds| kinds.iter().any(is_array));
        has && node.get("items").is_none()
    };
    let end = |node: &Node<'_>, out: &mut ObjectText| {
        let found = lacks(node);
        if found {
            out.member("items", "{}");
        }
        found
    };
    SchemaEditor::new(&end, &mut |_, _, _| SchemaEdit::Keep).edited(node)
}
