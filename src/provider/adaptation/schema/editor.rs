//! Writes a schema and all schemas in it with edits.

use crate::json::{InnerSchemas, Node, ObjectText, inner_schemas, write_string};

/// Adds members to the end of a schema; returns whether it did.
type EndEdit<'e> = &'e dyn Fn(&Node<'_>, &mut ObjectText) -> bool;
/// What becomes of a member of a schema.
type MemberEdit<'e> = &'e mut dyn FnMut(&Node<'_>, &str, &Node<'_>) -> SchemaEdit;

/// A change of one member.
pub(super) enum SchemaEdit {
    /// It stays, with the edits of the schemas in it.
    Keep,
    Replace(String),
    Remove,
}

pub(super) struct SchemaEditor<'e> {
    pub(super) end: EndEdit<'e>,
    pub(super) member: MemberEdit<'e>,
    is_changed: bool,
}

impl<'e> SchemaEditor<'e> {
    /// Edits members alone.
    pub(super) fn of_members(member: MemberEdit<'e>) -> Self {
        Self { end: &|_, _| false, member, is_changed: false }
    }

    pub(super) fn new(end: EndEdit<'e>, member: MemberEdit<'e>) -> Self {
        Self { end, member, is_changed: false }
    }

    /// The schema with its edits; none if there are none.
    pub(super) fn edited(mut self, node: &Node<'_>) -> Option<String> {
        let text = self.schema(node);
        self.is_changed.then_some(text)
    }

    fn schema(&mut self, node: &Node<'_>) -> String {
        let Some(members) = node.as_object() else { return node.raw.to_owned() };
        let mut out = ObjectText::default();
        for (key, value) in members {
            match (self.member)(node, key, value) {
                SchemaEdit::Keep => {
                    let text = self.inner(key, value);
                    out.member(key, text.as_deref().unwrap_or(value.raw));
                }
                SchemaEdit::Replace(text) => {
                    self.is_changed = true;
                    out.member(key, &text);
                }
                SchemaEdit::Remove => self.is_changed = true,
            }
        }
        self.is_changed |= (self.end)(node, &mut out);
        out.finish()
    }

    /// The value of a keyword that holds schemas.
    fn inner(&mut self, key: &str, value: &Node<'_>) -> Option<String> {
        match inner_schemas(key, value)? {
            InnerSchemas::One => Some(self.schema(value)),
            InnerSchemas::List(schemas) => {
                let schemas: Vec<String> =
                    schemas.iter().map(|schema| self.schema(schema)).collect();
                Some(format!("[{}]", schemas.join(",")))
            }
            InnerSchemas::Named => {
                let mut out = ObjectText::default();
                for (name, schema) in value.as_object().into_iter().flatten() {
                    out.member(name, &self.schema(schema));
                }
                Some(out.finish())
            }
        }
    }
}

/// A list of names as JSON.
pub(super) fn list_text<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let mut text = String::from("[");
    for (index, name) in names.enumerate() {
        if index > 0 {
            text.push(',');
        }
        write_string(&mut text, name);
    }
    text.push(']');
    text
}
