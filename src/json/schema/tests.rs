//! Values against schemas, keyword by keyword.

use serde_json::{Value, json};

use super::{JsonSchema, Misfit, SchemaError};
use crate::limit::Deadline;

fn misfits(schema: &Value, value: &Value) -> Result<Vec<Misfit>, SchemaError> {
    JsonSchema::new(schema.clone()).misfits(value, &Deadline::default())
}

fn fits(schema: &Value, value: &Value) -> bool {
    misfits(schema, value).unwrap_or_else(|error| panic!("{error}: {schema}")).is_empty()
}

/// A schema with values that fit and values that do not.
#[track_caller]
fn holds(schema: &Value, good: &[Value], bad: &[Value]) {
    for value in good {
        assert!(fits(schema, value), "{schema} refuses {value}");
    }
    for value in bad {
        assert!(!fits(schema, value), "{schema} takes {value}");
    }
}

#[test]
fn types_and_values() {
    holds(
        &json!({"type": "integer"}),
        &[json!(1), json!(1.0)],
        &[json!(1.5), json!("1"), json!(null)],
    );
    holds(&json!({"type": ["string", "null"]}), &[json!("a"), json!(null)], &[json!(1), json!({})]);
    holds(&json!({"const": {"a": [1, 2.0]}}), &[json!({"a": [1.0, 2]})], &[json!({"a": [2, 1]})]);
    holds(
        &json!({"enum": [1, "a", null]}),
        &[json!(1.0), json!(null)],
        &[json!("1"), json!(false)],
    );
    holds(&json!(true), &[json!(1)], &[]);
    holds(&json!(false), &[], &[json!(1)]);
    holds(&json!({}), &[json!([]), json!(0)], &[]);
}

#[test]
fn numbers_and_texts() {
    let schema = json!({"minimum": 1, "exclusiveMaximum": 10, "multipleOf": 0.1});
    holds(&schema, &[json!(1), json!(9.9), json!("x")], &[json!(0), json!(10), json!(1.05)]);
    let schema = json!({"minLength": 2, "maxLength": 3, "pattern": "^\\p{L}+$"});
    holds(
        &schema,
        &[json!("äö"), json!("abc"), json!(1)],
        &[json!("a"), json!("abcd"), json!("a1")],
    );
    // A pattern that cannot be matched in linear time is not asked for.
    holds(&json!({"pattern": "^(?!a)"}), &[json!("a")], &[]);
}

#[test]
fn objects() {
    let schema = json!({
        "type": "object", "required": ["a"], "minProperties": 1, "maxProperties": 3,
        "properties": {"a": {"type": "string"}}, "patternProperties": {"^x_": {"type": "number"}},
        "additionalProperties": false, "propertyNames": {"maxLength": 4},
        "dependentRequired": {"x_1": ["x_2"]},
    });
    holds(
        &schema,
        &[json!({"a": "b"}), json!({"a": "b", "x_1": 1, "x_2": 2})],
        &[
            json!({}),
            json!({"a": 1}),
            json!({"a": "", "b": 1}),
            json!({"a": "", "x_1": 1}),
            json!({"a": "", "x_2": "1"}),
            json!({"a": "", "x_234": 1}),
        ],
    );
    let schema = json!({"dependentSchemas": {"a": {"required": ["b"]}}});
    holds(&schema, &[json!({}), json!({"a": 1, "b": 2})], &[json!({"a": 1})]);
}

#[test]
fn arrays() {
    let schema = json!({"prefixItems": [{"type": "string"}], "items": {"type": "number"},
                        "minItems": 1, "maxItems": 3, "uniqueItems": true});
    holds(
        &schema,
        &[json!(["a"]), json!(["a", 1, 2])],
        &[json!([]), json!([1]), json!(["a", "b"]), json!(["a", 1, 1.0]), json!(["a", 1, 2, 3])],
    );
    let schema = json!({"contains": {"const": 1}, "minContains": 2, "maxContains": 3});
    holds(&schema, &[json!([1, 0, 1])], &[json!([1]), json!([1, 1, 1, 1])]);
    holds(&json!({"contains": {"const": 1}}), &[json!([0, 1])], &[json!([]), json!([0])]);
}

#[test]
fn combinations() {
    let string = json!({"type": "string"});
    let long = json!({"minLength": 3});
    holds(&json!({"allOf": [string, long]}), &[json!("abc")], &[json!("ab"), json!(1)]);
    holds(&json!({"anyOf": [string, {"type": "null"}]}), &[json!("a"), json!(null)], &[json!(1)]);
    holds(&json!({"oneOf": [string, long]}), &[json!("a"), json!(1)], &[json!("abc")]);
    holds(&json!({"not": string}), &[json!(1)], &[json!("a")]);
    let schema = json!({"if": {"required": ["a"]}, "then": {"required": ["b"]}, "else": {"required": ["c"]}});
    holds(&schema, &[json!({"a": 1, "b": 1}), json!({"c": 1})], &[json!({"a": 1}), json!({})]);
}

#[test]
fn what_nothing_has_looked_at() {
    let schema = json!({
        "allOf": [{"properties": {"a": {"type": "number"}}}],
        "anyOf": [{"properties": {"b": {"const": 1}}, "required": ["b"]}, {"required": ["c"]}],
        "unevaluatedProperties": false,
    });
    holds(&schema, &[json!({"a": 1, "b": 1})], &[json!({"a": 1, "b": 1, "d": 1}), json!({"c": 1})]);
    let schema = json!({"prefixItems": [true], "contains": {"const": "x"}, "unevaluatedItems": {"type": "number"}});
    holds(&schema, &[json!(["a", "x", 1])], &[json!(["a", "x", "b"])]);
}

#[test]
fn references() {
    let schema = json!({
        "$defs": {"node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}, "required": ["v"]},
                  "named": {"$anchor": "here", "type": "number"}},
        "properties": {"list": {"$ref": "#/$defs/node"}, "n": {"$ref": "#here"}, "self": {"$ref": "#"}},
    });
    holds(
        &schema,
        &[json!({"list": {"v": 1, "next": {"v": 2}}, "n": 1, "self": {"n": 2}})],
        &[
            json!({"list": {"v": 1, "next": {}}}),
            json!({"n": "1"}),
            json!({"self": {"self": {"n": "x"}}}),
        ],
    );
    let old = json!({"definitions": {"a": {"type": "string"}}, "properties": {"a": {"$ref": "#/definitions/a"}}});
    holds(&old, &[json!({"a": "a"})], &[json!({"a": 1})]);
}

#[test]
fn places_and_reasons_are_told() {
    let schema = json!({"type": "object", "required": ["to"], "additionalProperties": false,
        "properties": {"to": {"items": {"type": "number"}}, "a/b": {"enum": ["x"]}}});
    let found = misfits(&schema, &json!({"a/b": 1, "more": 1})).unwrap();
    let told: Vec<String> =
        found.iter().map(|one| format!("{} {}", one.pointer, one.detail)).collect();
    assert_eq!(told, ["/to is missing", "/a~1b must be one of \"x\"", "/more may not be there"]);
    let found = misfits(&schema, &json!({"to": [1, "2"]})).unwrap();
    assert_eq!(found[0].pointer, "/to/1");
    assert_eq!(found[0].detail, "must be number, not string");
}

#[test]
fn a_schema_that_cannot_be_used_is_an_error() {
    for bad in [
        json!({"type": "banana"}),
        json!({"properties": {"a": {"type": ["string", 1]}}}),
        json!({"properties": {"a": 1}}),
        json!({"$ref": "#/$defs/absent"}),
        json!({"items": {"$ref": "http://127.0.0.1:1/schema.json"}}),
        json!({"$ref": "file:///etc/hostname"}),
        json!([1]),
    ] {
        assert!(misfits(&bad, &json!({})).is_err(), "{bad}");
    }
}

#[test]
fn what_refers_to_itself_ends() {
    for schema in [
        json!({"$ref": "#"}),
        json!({"allOf": [{"$ref": "#"}, {"$ref": "#"}]}),
        json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}),
    ] {
        assert!(misfits(&schema, &json!({})).is_err(), "{schema}");
    }
    let mut doubling = json!({"$ref": "#/$defs/a0", "$defs": {"a40": {"type": "object"}}});
    for at in 0..40 {
        let next = json!({"$ref": format!("#/$defs/a{}", at + 1)});
        doubling["$defs"][format!("a{at}")] = json!({"allOf": [next, next]});
    }
    assert!(misfits(&doubling, &json!({})).is_err());
}
