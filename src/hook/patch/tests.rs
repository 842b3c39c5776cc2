use proptest::prelude::*;

use super::*;

const INPUT: &str =
    r#"{"tool":{"name":"T","arguments":{"b":1.50,"a":{"x":9007199254740993},"c":[1,2]}},"n":1e5}"#;

fn run(answer: &HookAnswer) -> Result<Option<String>, FailureCause> {
    apply(INPUT, "/tool/arguments", answer, true).map_err(|failure| failure.cause)
}

fn merge(patch: &str) -> Result<Option<String>, FailureCause> {
    run(&HookAnswer::MergePatch(patch.into()))
}

fn json(patch: &str) -> Result<Option<String>, FailureCause> {
    run(&HookAnswer::JsonPatch(patch.into()))
}

#[test]
fn siblings_keep_their_digits_and_their_places() {
    assert_eq!(
        merge(r#"{"tool":{"arguments":{"mode":"y"}}}"#),
        Ok(Some(r#"{"b":1.50,"a":{"x":9007199254740993},"c":[1,2],"mode":"y"}"#.to_owned()))
    );
    assert_eq!(
        merge(r#"{"tool":{"arguments":{"b":null}}}"#),
        Ok(Some(r#"{"a":{"x":9007199254740993},"c":[1,2]}"#.to_owned()))
    );
    assert_eq!(
        json(
            r#"[{"op":"remove","path":"/tool/arguments/b"},
                 {"op":"add","path":"/tool/arguments/c/-","value":1e400}]"#
        ),
        Ok(Some(r#"{"a":{"x":9007199254740993},"c":[1,2,1e400]}"#.to_owned()))
    );
    assert_eq!(json(r#"[{"op":"test","path":"/tool/arguments/c/0","value":1}]"#), Ok(None));
    assert_eq!(run(&HookAnswer::Unchanged), Ok(None));
}

#[test]
fn what_does_not_fit_changes_nothing() {
    for patch in [
        r#"[{"op":"test","path":"/tool/arguments/b","value":2}]"#,
        r#"[{"op":"remove","path":"/tool/arguments/gone"}]"#,
        r#"[{"op":"remove","path":"/tool/arguments"}]"#,
        r#"[{"op":"replace","path":"/tool","value":7}]"#,
    ] {
        assert_eq!(json(patch), Err(FailureCause::PatchConflict), "{patch}");
    }
    for patch in
        [r#"[{"op":"replace","path":"/n","value":2}]"#, r#"[{"op":"add","path":"/x","value":1}]"#]
    {
        assert_eq!(json(patch), Err(FailureCause::InvalidPayload), "{patch}");
    }
    assert_eq!(merge(r#"{"tool":{"name":"U"}}"#), Err(FailureCause::InvalidPayload));
    assert_eq!(merge("7"), Err(FailureCause::PatchConflict));
    assert_eq!(json(r#"{"op":"remove"}"#), Err(FailureCause::BadShape));
    assert_eq!(json(r#"[{"op":"frob","path":"/n"}]"#), Err(FailureCause::BadShape));
}

#[test]
fn a_payload_is_replaced_by_those_who_saw_it_whole() {
    let answer = HookAnswer::Replace("[1.50]".into());
    assert_eq!(apply(INPUT, "/tool/arguments", &answer, true).unwrap().unwrap(), "[1.50]");
    let failure = apply(INPUT, "/tool/arguments", &answer, false).unwrap_err();
    assert_eq!(failure.cause, FailureCause::BadShape);
    assert_eq!(apply(INPUT, "/absent", &answer, true), Ok(None));
}

#[test]
fn copies_of_copies_do_not_fill_the_memory() {
    let double = r#"{"op":"copy","from":"/tool/arguments/c","path":"/tool/arguments/c/-"}"#;
    let patch = format!("[{}]", vec![double; 60].join(","));
    assert_eq!(json(&patch), Err(FailureCause::PatchConflict));
    let many = format!("[{}]", vec![r#"{"op":"test","path":"/n","value":1e5}"#; 1001].join(","));
    assert_eq!(json(&many), Err(FailureCause::PatchConflict));
}

#[test]
fn a_string_that_looks_like_a_marked_number_stays_a_string() {
    let input = "{\"value\":{\"a\":\"\u{F8C7}#7\",\"b\":\"\u{F8C7}\",\"c\":1.0}}";
    let answer = HookAnswer::MergePatch("{\"value\":{\"d\":\"\u{F8C7}#8\"}}".into());
    assert_eq!(
        apply(input, "/value", &answer, true).unwrap().unwrap(),
        "{\"a\":\"\u{F8C7}#7\",\"b\":\"\u{F8C7}\",\"c\":1.0,\"d\":\"\u{F8C7}#8\"}"
    );
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<f64>().prop_map(Into::into),
        "[\u{F8C7}#a-c]{0,3}".prop_map(Into::into),
    ];
    leaf.prop_recursive(4, 30, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
            prop::collection::btree_map("[a-d]{1,2}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// RFC 7396, section 2, as it is written there.
fn by_the_book(target: Value, patch: &Value) -> Value {
    let Value::Object(patch) = patch else { return patch.clone() };
    let mut members = match target {
        Value::Object(members) => members,
        _ => serde_json::Map::new(),
    };
    for (name, value) in patch {
        if value.is_null() {
            members.shift_remove(name);
        } else {
            let old = members.get(name).cloned().unwrap_or(Value::Null);
            members.insert(name.clone(), by_the_book(old, value));
        }
    }
    Value::Object(members)
}

proptest! {
    #[test]
    fn a_merge_is_that_of_the_rfc(old in any_json(), patch in any_json()) {
        // A null here would take the payload away.
        prop_assume!(!patch.is_null());
        let input = serde_json::json!({"k": 1, "value": old}).to_string();
        let answer = HookAnswer::MergePatch(serde_json::json!({"value": patch}).to_string().into());
        let new = apply(&input, "/value", &answer, true).unwrap();
        let new = new.unwrap_or_else(|| old.to_string());
        // Members may be in another order, and numbers are compared by one reader.
        let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        prop_assert_eq!(read(&new), read(&by_the_book(old, &patch).to_string()));
    }

    #[test]
    fn a_value_goes_through_as_it_was_written(value in any_json()) {
        let text = value.to_string();
        let node = parse(&text, LIMITS).unwrap();
        let there = super::value::from_node(&node);
        prop_assert_eq!(super::value::write(&super::value::in_order_of(there.clone(), &there)), text);
    }

    #[test]
    fn no_patch_panics(patch in any_json(), ops in prop::collection::vec(
        ("(add|remove|replace|move|copy|test)", "(/value)?(/[a-d0-1-]){0,3}", "(/value)?(/[a-d0]){0,2}"), 0..6
    )) {
        let input = serde_json::json!({"value": patch.clone()}).to_string();
        let list: Vec<Value> = ops.iter().map(|(op, path, from)| {
            serde_json::json!({"op": op, "path": path, "from": from, "value": patch.clone()})
        }).collect();
        let answer = HookAnswer::JsonPatch(Value::from(list).to_string().into());
        let _ = apply(&input, "/value", &answer, true);
        let _ = apply(&input, "/value", &HookAnswer::JsonPatch(patch.to_string().into()), true);
    }
}
