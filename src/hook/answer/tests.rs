use proptest::prelude::*;

use super::*;

fn cause(point: Point, kind: HookKind, body: &str) -> Option<FailureCause> {
    HookAnswer::read(point, kind, body).err().map(|failure| failure.cause)
}

#[test]
fn only_allow_allows() {
    let guard = |body| HookAnswer::read(Point::ToolCall, HookKind::Guard, body);
    assert_eq!(guard(r#"{"decision":"allow"}"#), Ok(HookAnswer::Allow));
    let denied = guard(r#"{"decision":"deny","reason":"no","code":"wait"}"#).unwrap();
    assert_eq!(denied, HookAnswer::Deny { reason: "no".into(), code: Some("wait".into()) });
    for bad in [
        r#"{"ok":false}"#,
        r#"{"ok":true}"#,
        "{}",
        r#""deny""#,
        r#""allow""#,
        "true",
        "null",
        "",
        "[]",
        r#"{"decision":"Allow"}"#,
        r#"{"decision":"allow","error":"x"}"#,
        r#"{"decision":["allow"]}"#,
        r#"{"decision":"deny","reason":7}"#,
    ] {
        assert_eq!(
            cause(Point::ToolCall, HookKind::Guard, bad),
            Some(FailureCause::BadShape),
            "{bad}"
        );
    }
    for bad in [
        "<html>",
        r#"{"decision":"allow"} x"#,
        "\u{feff}{}",
        r#"{"decision":"allow","decision":"deny"}"#,
    ] {
        assert_eq!(
            cause(Point::ToolCall, HookKind::Guard, bad),
            Some(FailureCause::BadJson),
            "{bad}"
        );
    }
}

#[test]
fn a_reason_is_cut_at_2000_characters() {
    let body = serde_json::json!({"decision": "deny", "reason": "€".repeat(3000)}).to_string();
    let Ok(HookAnswer::Deny { reason, .. }) =
        HookAnswer::read(Point::ToolCall, HookKind::Guard, &body)
    else {
        panic!("a denial")
    };
    assert_eq!(reason.chars().count(), 2000);
    let silent =
        HookAnswer::read(Point::ToolCall, HookKind::Guard, r#"{"decision":"deny"}"#).unwrap();
    assert!(matches!(silent, HookAnswer::Deny { .. }));
}

#[test]
fn a_transform_says_what_it_does() {
    let read = |body| HookAnswer::read(Point::ToolResult, HookKind::Transform, body);
    assert_eq!(read(""), Ok(HookAnswer::Unchanged));
    assert_eq!(read("null"), Ok(HookAnswer::Unchanged));
    assert_eq!(read(r#"{"action":"unchanged"}"#), Ok(HookAnswer::Unchanged));
    assert_eq!(
        read(r#"{"action":"replace","payload": [1.50] }"#),
        Ok(HookAnswer::Replace("[1.50]".into()))
    );
    assert_eq!(
        read(r#"{"action":"replace","payload":null}"#),
        Ok(HookAnswer::Replace("null".into()))
    );
    assert_eq!(
        read(r#"{"action":"json_patch","patch":[]}"#),
        Ok(HookAnswer::JsonPatch("[]".into()))
    );
    assert_eq!(
        read(r#"{"action":"merge_patch","patch":{}}"#),
        Ok(HookAnswer::MergePatch("{}".into()))
    );
    for bad in [
        "\"text\"",
        "{}",
        "[]",
        r#"{"action":"replace"}"#,
        r#"{"action":"replace","patch":[]}"#,
        r#"{"action":"unchanged","payload":1}"#,
        r#"{"action":"merge_patch","payload":{}}"#,
    ] {
        assert_eq!(
            cause(Point::ToolResult, HookKind::Transform, bad),
            Some(FailureCause::BadShape),
            "{bad}"
        );
    }
}

#[test]
fn text_comes_in_one_piece_or_in_fragments() {
    let read = |point, body| HookAnswer::read(point, HookKind::Provide, body);
    for nothing in [
        "",
        "null",
        r#"{"content":""}"#,
        r#"{"fragments":[]}"#,
        r#"{"fragments":[{"content":""}]}"#,
        r#""""#,
    ] {
        assert_eq!(read(Point::BeforeCompile, nothing), Ok(HookAnswer::Nothing), "{nothing}");
    }
    let body = r#"{"fragments":[{"content":"a","priority":-3,"max_tokens":5,"exclusive_slot":"s"},{"content":"b"}]}"#;
    let Ok(HookAnswer::Fragments(list)) = read(Point::BeforeCompile, body) else {
        panic!("fragments")
    };
    assert_eq!((list[0].priority, list[0].max_tokens, list.len()), (-3, Some(5), 2));
    let verbatim = read(Point::BeforeCompress, r#"{"content":"F","include":"verbatim"}"#);
    let Ok(HookAnswer::Fragments(list)) = verbatim else { panic!("fragments") };
    assert_eq!(list[0].include, IncludePlace::Verbatim);
    let Ok(HookAnswer::Fragments(list)) = read(Point::BeforeCompress, r#""F""#) else {
        panic!("fragments")
    };
    assert_eq!((&*list[0].content, list[0].include), ("F", IncludePlace::SummaryInput));
    for bad in [
        r#"{"content":"F","include":"verbatim"}"#,
        r#"{"contents":"F"}"#,
        r#"{"content":7}"#,
        r#"["F"]"#,
        r#"{"fragments":[{"text":"a"}]}"#,
        r#"{"fragments":[],"content":"a"}"#,
    ] {
        assert_eq!(
            cause(Point::BeforeCompile, HookKind::Provide, bad),
            Some(FailureCause::BadShape),
            "{bad}"
        );
    }
}

#[test]
fn typed_answers_hold_what_their_point_asks_for() {
    let read = |point, body| HookAnswer::read(point, HookKind::Provide, body);
    for (point, key) in [(Point::Summarize, "content"), (Point::CompressFormat, "text")] {
        let wanted = format!("{{\"{key}\":\"a \\\" b\"}}");
        assert_eq!(read(point, r#""a \" b""#), Ok(HookAnswer::Typed(wanted.into())));
    }
    let bare = cause(Point::RecallMemory, HookKind::Provide, r#""a""#);
    assert_eq!(bare, Some(FailureCause::BadShape));
    assert_eq!(
        read(Point::RecallMemory, r#"{"keys":["a"]}"#),
        Ok(HookAnswer::Typed(r#"{"keys":["a"]}"#.into()))
    );
    assert_eq!(read(Point::Summarize, "null"), Ok(HookAnswer::Nothing));
    assert_eq!(cause(Point::RecallMemory, HookKind::Provide, "{}"), Some(FailureCause::BadShape));
    assert_eq!(
        cause(Point::Summarize, HookKind::Provide, r#"{"keys":[]}"#),
        Some(FailureCause::BadShape)
    );
    assert_eq!(cause(Point::Event, HookKind::Observe, "<html>"), None);
}

#[test]
fn hostile_answers_are_refused_in_little_time_and_room() {
    for (body, expected) in [
        ("[".repeat(10_000), FailureCause::BadJson),
        (format!("[{}0]", "0,".repeat(200_000)), FailureCause::BadJson),
        (r#"{"decision":"\ud800"}"#.to_owned(), FailureCause::BadJson),
        (r#"{"decision":NaN}"#.to_owned(), FailureCause::BadJson),
    ] {
        assert_eq!(cause(Point::ToolCall, HookKind::Guard, &body), Some(expected));
    }
}

proptest! {
    #[test]
    fn no_answer_panics_and_few_allow(
        body in prop_oneof![
            any::<String>(),
            r#"\{("(decision|reason|code|action|payload|patch|content|fragments)":("allow"|"deny"|null|\[\]|\{\}|1)(,)?){0,3}\}"#,
        ],
        point in prop::sample::select(Point::ALL.to_vec()),
        kind in prop::sample::select(HookKind::ALL.to_vec()),
    ) {
        let answer = HookAnswer::read(point, kind, &body);
        if answer == Ok(HookAnswer::Allow) {
            let value: serde_json::Value = serde_json::from_str(&body).unwrap();
            prop_assert_eq!(value, serde_json::json!({"decision": "allow"}));
        }
    }
}
