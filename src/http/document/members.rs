//! What members of all schemas have in common.

use utoipa::Number;
use utoipa::openapi::schema::{
    AdditionalProperties, ArrayItems, KnownFormat, Object, OneOf, SchemaFormat, SchemaType, Type,
};
use utoipa::openapi::{Ref, RefOr, Schema};

use crate::json::MAX_WHOLE_NUMBER;

/// Descriptions of members that mean the same in every schema. One that a schema gives itself wins.
const COMMON_MEMBERS: &[(&str, &str)] = &[
    ("created_at", "When it was made: RFC 3339, in UTC."),
    ("expires_at", "When it is removed: RFC 3339, in UTC. Null if it stays."),
    ("items", "The rows of this page."),
    ("next_cursor", "`cursor` of the next page; null on the last one."),
    ("updated_at", "When it was last changed: RFC 3339, in UTC."),
];

/// The schema of members that may have any value.
pub(super) const JSON_VALUE: &str = "JsonValue";
/// The schema of members that are objects with any members.
pub(super) const JSON_OBJECT: &str = "JsonObject";

/// The schemas that members refer to if they may have any value, or are any object. They have names,
/// so that a generated client has one type for each.
pub(super) fn any_values() -> [(&'static str, RefOr<Schema>); 2] {
    let mut value = Object::with_type(SchemaType::AnyValue);
    value.description = Some("Any JSON value.".to_owned());
    let mut object = Object::with_type(Type::Object);
    object.description = Some("An object with any members.".to_owned());
    let any_member = Object::with_type(SchemaType::AnyValue);
    object.additional_properties =
        Some(Box::new(AdditionalProperties::RefOr(RefOr::T(Schema::Object(any_member)))));
    [(JSON_VALUE, RefOr::T(Schema::Object(value))), (JSON_OBJECT, RefOr::T(Schema::Object(object)))]
}

/// Completes a schema inside of another.
fn complete_inner(schema: &mut RefOr<Schema>) {
    complete(schema);
    name_any_value(schema);
}

/// Puts a reference in the place of a schema that says nothing, or nothing but that it is an object.
fn name_any_value(schema: &mut RefOr<Schema>) {
    let RefOr::T(Schema::Object(object)) = schema else { return };
    let is_bare = object.enum_values.is_none()
        && object.extensions.is_none()
        && object.properties.is_empty()
        && object.additional_properties.is_none();
    if !is_bare {
        return;
    }
    let description = object.description.take();
    let refer = |name: &str| {
        let mut reference = Ref::from_schema_name(name);
        reference.description = description.clone().unwrap_or_default();
        RefOr::Ref(reference)
    };
    match &object.schema_type {
        SchemaType::AnyValue => *schema = refer(JSON_VALUE),
        SchemaType::Type(Type::Object) => *schema = refer(JSON_OBJECT),
        SchemaType::Array(kinds) if is_object_or_null(kinds) => {
            let mut either = OneOf::new();
            let object = Ref::from_schema_name(JSON_OBJECT);
            either.items = vec![object.into(), Object::with_type(Type::Null).into()];
            either.description = description;
            *schema = RefOr::T(Schema::OneOf(either));
        }
        _ => object.description = description,
    }
}

fn is_object_or_null(kinds: &[Type]) -> bool {
    kinds.len() == 2 && kinds.contains(&Type::Object) && kinds.contains(&Type::Null)
}

/// Completes a schema and the schemas inside it.
pub(super) fn complete(schema: &mut RefOr<Schema>) {
    let RefOr::T(schema) = schema else { return };
    match schema {
        Schema::Object(object) => {
            bound_number(object);
            complete_members(object);
            object.properties.values_mut().for_each(complete_inner);
        }
        Schema::Array(array) => {
            if let ArrayItems::RefOrSchema(items) = &mut array.items {
                complete_inner(items);
            }
        }
        Schema::AllOf(parts) => parts.items.iter_mut().for_each(complete),
        Schema::OneOf(parts) => parts.items.iter_mut().for_each(complete_inner),
        Schema::AnyOf(parts) => parts.items.iter_mut().for_each(complete_inner),
        _ => {}
    }
}

/// Sets the maximum of a whole number: JSON numbers are exact up to 2^53, and a larger one is refused.
pub(super) fn bound_number(schema: &mut Object) {
    let is_whole = schema.format == Some(SchemaFormat::KnownFormat(KnownFormat::Int64));
    if is_whole && schema.maximum.is_none() {
        schema.maximum =
            Some(Number::UInt(usize::try_from(MAX_WHOLE_NUMBER).unwrap_or(usize::MAX)));
    }
}

fn complete_members(object: &mut Object) {
    for (name, member) in &mut object.properties {
        if name.ends_with("_at") {
            set_time(member);
        }
        let common = COMMON_MEMBERS.iter().find(|(common, _)| common == name);
        if let (Some((_, text)), RefOr::T(member)) = (common, member)
            && let Some(description) = description_of(member)
            && description.is_none()
        {
            *description = Some((*text).to_owned());
        }
    }
    tell_default(object);
}

fn description_of(schema: &mut Schema) -> Option<&mut Option<String>> {
    match schema {
        Schema::Object(object) => Some(&mut object.description),
        Schema::Array(array) => Some(&mut array.description),
        Schema::AllOf(parts) => Some(&mut parts.description),
        Schema::OneOf(parts) => Some(&mut parts.description),
        Schema::AnyOf(parts) => Some(&mut parts.description),
        _ => None,
    }
}

/// Gives a text the format of a time; all times are written by RFC 3339.
fn set_time(member: &mut RefOr<Schema>) {
    let RefOr::T(Schema::Object(text)) = member else { return };
    let is_text = match &text.schema_type {
        SchemaType::Type(kind) => *kind == Type::String,
        SchemaType::Array(kinds) => kinds.contains(&Type::String),
        SchemaType::AnyValue => false,
    };
    if is_text {
        text.format = Some(SchemaFormat::KnownFormat(KnownFormat::DateTime));
    }
}

/// Moves a default into the description. Clients that are generated from the description send what
/// `default` says, and a member that is sent is a change: it overrides what a session's defaults, a
/// key's defaults or the stored entry say.
fn tell_default(object: &mut Object) {
    for member in object.properties.values_mut() {
        let RefOr::T(Schema::Object(member)) = member else { continue };
        let Some(default) = member.default.take() else { continue };
        let description = member.description.get_or_insert_default();
        if !description.is_empty() {
            description.push(' ');
        }
        description.push_str("If absent: `");
        description.push_str(&default.to_string());
        description.push_str("`.");
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder};

    use super::*;

    #[test]
    fn values_of_any_kind_have_one_schema() {
        let object = || ObjectBuilder::new().schema_type(Type::Object);
        let any = || ObjectBuilder::new().schema_type(SchemaType::AnyValue);
        let nullable =
            ObjectBuilder::new().schema_type(SchemaType::Array(vec![Type::Object, Type::Null]));
        let own = object().property("id", ObjectBuilder::new().schema_type(Type::String));
        let outer = ObjectBuilder::new()
            .property("value", any().description(Some("What is kept.")))
            .property("values", ArrayBuilder::new().items(any()))
            .property("metadata", nullable.description(Some("Of the caller.")))
            .property("vars", object())
            .property("own", own);
        let mut schema = RefOr::T(Schema::Object(outer.build()));
        complete(&mut schema);
        let shown = serde_json::to_value(&schema).unwrap();
        let value = json!({"$ref": "#/components/schemas/JsonValue"});
        let object = json!({"$ref": "#/components/schemas/JsonObject"});
        assert_eq!(
            shown["properties"],
            json!({
                "value": {"$ref": "#/components/schemas/JsonValue", "description": "What is kept."},
                "values": {"type": "array", "items": value},
                "metadata": {"oneOf": [object, {"type": "null"}], "description": "Of the caller."},
                "vars": object,
                "own": {"type": "object", "properties": {"id": {"type": "string"}}},
            })
        );
    }

    #[test]
    fn defaults_become_words_and_times_get_their_format() {
        let text = || ObjectBuilder::new().schema_type(Type::String);
        let member = text().description(Some("How much.")).default(Some(json!(0.5)));
        let object = ObjectBuilder::new()
            .property("share", member)
            .property("created_at", text())
            .property("used_at", text().description(Some("Its own.")));
        let mut schema = RefOr::T(Schema::Object(object.build()));
        complete(&mut schema);
        let shown = serde_json::to_value(&schema).unwrap();
        assert_eq!(
            shown["properties"],
            json!({
                "share": {"type": "string", "description": "How much. If absent: `0.5`."},
                "created_at": {
                    "type": "string",
                    "format": "date-time",
                    "description": "When it was made: RFC 3339, in UTC.",
                },
                "used_at": {"type": "string", "format": "date-time", "description": "Its own."},
            })
        );
    }
}
