//! Rewritten schemas.

use super::joined::shown_property;
use super::*;

fn text(schema: &str, target: Target) -> Option<String> {
    rewrite(schema, target).map(|found| found.text)
}

#[test]
fn unions_at_the_top_become_one_object() {
    for (before, after) in [
        (
            r#"{"type":"object","properties":{"a":{},"b":{}},"anyOf":[{"required":["a"]},{"required":["b"]}]}"#,
            r#"{"type":"object","properties":{"a":{},"b":{}}}"#,
        ),
        (
            r#"{"oneOf":[{"properties":{"k":{"const":"x"},"a":{}},"required":["k","a"]},{"properties":{"k":{"const":"y"}},"required":["k"]}]}"#,
            r#"{"type":"object","properties":{"k":{"anyOf":[{"const":"x"},{"const":"y"}]},"a":{}},"required":["k"]}"#,
        ),
        (
            r##"{"$defs":{"d":{"properties":{"z":{}},"required":["z"]}},"allOf":[{"$ref":"#/$defs/d"},{"required":["q"]}]}"##,
            r#"{"$defs":{"d":{"properties":{"z":{}},"required":["z"]}},"type":"object","properties":{"z":{}},"required":["z","q"]}"#,
        ),
    ] {
        assert_eq!(text(before, Target::Anthropic).as_deref(), Some(after));
        assert_eq!(text(before, Target::Openai).as_deref(), Some(after));
        assert_eq!(text(before, Target::Neutral), None);
    }
}

#[test]
fn definitions_that_refer_to_each_other_end() {
    let schema = r##"{"$defs":{"a":{"allOf":[{"$ref":"#/$defs/b"},{"$ref":"#/$defs/b"}]},"b":{"allOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}]}},"allOf":[{"$ref":"#/$defs/a"}]}"##;
    assert!(
        text(schema, Target::Anthropic).unwrap().ends_with(r#""type":"object","properties":{}}"#)
    );
}

#[test]
fn arrays_get_items_and_names_that_are_values_stay() {
    let before = r#"{"type":"object","properties":{"items":{"type":"array"},"a":{"type":["array","null"]}},"default":{"type":"array"}}"#;
    let after = r#"{"type":"object","properties":{"items":{"type":"array","items":{}},"a":{"type":["array","null"],"items":{}}},"default":{"type":"array"}}"#;
    assert_eq!(text(before, Target::OpenaiResponses).as_deref(), Some(after));
    assert_eq!(text(before, Target::Anthropic), None);
}

#[test]
fn properties_that_are_not_there_are_not_required() {
    let before = r#"{"type":"object","properties":{"a":{"type":"object","required":["x"]}},"required":["a","b"]}"#;
    let after = r#"{"type":"object","properties":{"a":{"type":"object"}},"required":["a"]}"#;
    assert_eq!(text(before, Target::Gemini).as_deref(), Some(after));
}

#[test]
fn conditions_are_not_turned_around_by_what_is_not_required() {
    let before = r#"{"type":"object","properties":{"a":{},"b":{}},"not":{"required":["a","b"]},"if":{"required":["a"]},"then":{"required":["b"]},"else":{"properties":{"b":{}}}}"#;
    let after = r#"{"type":"object","properties":{"a":{},"b":{}}}"#;
    assert_eq!(text(before, Target::Gemini).as_deref(), Some(after));
    let whole = r#"{"type":"object","properties":{"a":{}},"if":{"properties":{"a":{"const":1}},"required":["a"]},"then":{"minProperties":1}}"#;
    assert_eq!(text(whole, Target::Gemini), None);
}

#[test]
fn refused_property_names_are_renamed_by_themselves_alone() {
    let before = r#"{"type":"object","properties":{"a b":{},"c":{}},"required":["a b"]}"#;
    let name = shown_property("a b").unwrap();
    let after = format!(
        r#"{{"type":"object","properties":{{"{name}":{{}},"c":{{}}}},"required":["{name}"]}}"#
    );
    assert_eq!(text(before, Target::Anthropic), Some(after));
    assert_eq!(shown_property("c.d-1"), None);
    assert!(shown_property("").is_some());
}
