//! Schemas of earlier drafts, and of none.

use super::*;

fn current(schema: &str) -> Option<String> {
    let node = json::parse(schema, Limits::default()).unwrap();
    as_current_schema(&node).map(|found| found.text)
}

/// The property `p` of an object, in the present draft.
fn property(schema: &str) -> String {
    let whole = format!(r#"{{"type":"object","properties":{{"p":{schema}}}}}"#);
    let text = current(&whole).unwrap_or_else(|| whole.clone());
    let start = r#"{"type":"object","properties":{"p":"#;
    text.strip_prefix(start).unwrap_or(&text).strip_suffix("}}").unwrap().to_owned()
}

#[test]
fn what_earlier_drafts_say_keeps_its_meaning() {
    for (before, after) in [
        (
            r#"{"type":"integer","minimum":0,"exclusiveMinimum":true}"#,
            r#"{"type":"integer","exclusiveMinimum":0}"#,
        ),
        (r#"{"exclusiveMaximum":true,"maximum":9.5}"#, r#"{"exclusiveMaximum":9.5}"#),
        (r#"{"minimum":1,"exclusiveMinimum":false}"#, r#"{"minimum":1}"#),
        (r#"{"exclusiveMinimum":true}"#, "{}"),
        (
            r#"{"type":"array","items":[{"type":"string"},{"type":"number"}],"additionalItems":false}"#,
            r#"{"type":"array","prefixItems":[{"type":"string"},{"type":"number"}],"items":false}"#,
        ),
        (r#"{"items":[]}"#, "{}"),
        (r#"{"type":"String"}"#, r#"{"type":"string"}"#),
        (r#"{"type":["string","NULL","null"]}"#, r#"{"type":["string","null"]}"#),
        (r#"{"type":"any","title":"t"}"#, r#"{"title":"t"}"#),
        (r#"{"type":["string","any"]}"#, "{}"),
        (r#"{"type":"float"}"#, r#"{"type":"number"}"#),
        (r#"{"minLength":"3","maximum":"2.5"}"#, r#"{"minLength":3,"maximum":2.5}"#),
        (
            r#"{"required":"a","properties":{"a":{}}}"#,
            r#"{"required":["a"],"properties":{"a":{}}}"#,
        ),
        (r#"{"required":["a","a",1]}"#, r#"{"required":["a"]}"#),
        (r#"{"anyOf":{"type":"string"}}"#, r#"{"anyOf":[{"type":"string"}]}"#),
        (r#""string""#, r#"{"type":"string"}"#),
        (r#"{"properties":[]}"#, r#"{"properties":{}}"#),
        (r#"{"examples":"x"}"#, r#"{"examples":["x"]}"#),
    ] {
        assert_eq!(property(before), after, "{before}");
    }
    let lifted = r#"{"type":"object","properties":{"a":{"required":true},"b":{"required":false}},"required":["c"]}"#;
    let wanted = r#"{"type":"object","properties":{"a":{},"b":{}},"required":["c","a"]}"#;
    assert_eq!(current(lifted).as_deref(), Some(wanted));
}

#[test]
fn what_means_nothing_is_left_out() {
    for keyword in [
        r#""description":null"#,
        r#""pattern":"[""#,
        r#""pattern":1"#,
        r#""enum":[]"#,
        r#""enum":"a""#,
        r#""required":null"#,
        r#""minLength":-1"#,
        r#""minItems":1.5"#,
        r#""multipleOf":0"#,
        r#""maximum":"many""#,
        r#""uniqueItems":"yes""#,
        r#""additionalProperties":null"#,
        r#""items":null"#,
        r#""anyOf":[]"#,
        r#""oneOf":null"#,
        r##""$ref":"#/$defs/gone""##,
        r##""$ref":"#gone""##,
        r#""$ref":"https://example.com/other.json""#,
        r#""$ref":null"#,
        r#""type":"file""#,
        r#""type":[]"#,
        r#""type":{}"#,
        r#""dependentRequired":{"a":"b"}"#,
    ] {
        assert_eq!(property(&format!("{{{keyword}}}")), "{}", "{keyword}");
    }
    assert_eq!(property("null"), "{}");
}

#[test]
fn arguments_are_an_object() {
    for kind in [r#"["object"]"#, r#"["object","null"]"#, r#""array""#, r#""string""#, "null"] {
        let schema = format!(r#"{{"type":{kind},"properties":{{}}}}"#);
        assert_eq!(current(&schema).unwrap(), r#"{"type":"object","properties":{}}"#);
    }
}

#[test]
fn references_follow_what_moved() {
    let before = r##"{"type":"object","properties":{"a":{"items":[{"type":"string"},{"$ref":"#/properties/a/items/0"}]}}}"##;
    let after = r##"{"type":"object","properties":{"a":{"prefixItems":[{"type":"string"},{"$ref":"#/properties/a/prefixItems/0"}]}}}"##;
    assert_eq!(current(before).as_deref(), Some(after));
}

#[test]
fn the_present_draft_keeps_its_bytes() {
    for schema in [
        r##"{ "type": "object", "properties": {"required": {"type": "boolean"}, "a": {"$ref": "#/$defs/a"}, "b": true,
            "c": {"$ref": "#named"}, "d": {"$ref": "#/properties/a"}, "e": {"$ref": "#"}},
            "$defs": {"a": {"type": ["string", "null"], "default": null, "enum": ["x", null], "$anchor": "named"}},
            "required": [], "additionalProperties": false, "x-own": null, "minProperties": 1.0 }"##,
        r#"{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","const":{"type":"any"}}"#,
    ] {
        assert_eq!(current(schema), None);
    }
    // One that changes is no longer of the draft that it names.
    let older = r#"{"$schema":"http://json-schema.org/draft-04/schema#","type":"object","minimum":0,"exclusiveMinimum":true}"#;
    assert_eq!(current(older).as_deref(), Some(r#"{"type":"object","exclusiveMinimum":0}"#));
    let newest = r#"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"Object"}"#;
    assert_eq!(current(newest).unwrap(), newest.replace('O', "o"));
}
