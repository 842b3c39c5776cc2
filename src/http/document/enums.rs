//! Closed lists of values as schemas with names, so that a generated client has one type for each.

use std::collections::BTreeMap;

use serde_json::Value;
use utoipa::openapi::schema::{ArrayItems, Object, OneOf, SchemaType, Type};
use utoipa::openapi::{Ref, RefOr, Schema};

use crate::http::enum_values::{ENUM_MEMBERS, EnumMember};

/// Makes a schema of each list and refers to it from the members that have its values.
pub(super) fn name_enums(schemas: &mut BTreeMap<String, RefOr<Schema>>) {
    for row in ENUM_MEMBERS {
        if let Some(schema) = schemas.get_mut(row.schema) {
            refer(schema, row);
        }
        schemas.entry(row.type_name.to_owned()).or_insert_with(|| list_values(row));
    }
}

fn list_values(row: &EnumMember) -> RefOr<Schema> {
    let mut values = Object::with_type(Type::String);
    values.enum_values = Some((row.words)().into_iter().map(Value::from).collect());
    RefOr::T(Schema::Object(values))
}

fn refer(schema: &mut RefOr<Schema>, row: &EnumMember) {
    let RefOr::T(schema) = schema else { return };
    match schema {
        Schema::Object(object) => {
            if let Some(member) = object.properties.get_mut(row.name) {
                set_reference(member, row.type_name);
            }
        }
        Schema::AllOf(parts) => parts.items.iter_mut().for_each(|part| refer(part, row)),
        _ => {}
    }
}

/// Puts a reference in the place of a text, or of the texts of a list.
fn set_reference(member: &mut RefOr<Schema>, type_name: &str) {
    let mut reference = Ref::from_schema_name(type_name);
    let RefOr::T(schema) = member else { return };
    match schema {
        Schema::Array(list) => list.items = ArrayItems::RefOrSchema(Box::new(reference.into())),
        Schema::Object(text) => {
            let description = text.description.take();
            let may_be_null = matches!(
                &text.schema_type,
                SchemaType::Array(types) if types.contains(&Type::Null)
            );
            if may_be_null {
                let mut either = OneOf::new();
                either.items = vec![reference.into(), Object::with_type(Type::Null).into()];
                either.description = description;
                either.example = text.example.take();
                *member = RefOr::T(Schema::OneOf(either));
            } else {
                reference.description = description.unwrap_or_default();
                *member = RefOr::Ref(reference);
            }
        }
        _ => {}
    }
}
