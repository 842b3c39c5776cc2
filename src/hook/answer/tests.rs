use proptest::prelude::*;

use super::*;

fn cause(point: Point, kind: Kind, body: &str) -> Option<Cause> {
    Answer::read(point, kind, body).err().map(|failure| failure.cause)
}

#[test]
fn only_allow_allows() {
    let guard = |body| Answer::read(Point::ToolCall, Kind::Guard, body);
    assert_eq!(guard(r#"{"decision":"allow"}"#), Ok(Answer::Allow));
    let denied = guard(r#"{"decision":"deny","reason":"no","code":"wait"}"#).unwrap();
    assert_eq!(denied, Answer::Deny { reason: "no".into(), code: Some("wait".into()) });
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
        assert_eq!(cause(Point::ToolCall, Kind::Guard, bad), Some(Cause::BadShape), "{bad}");
    }
    for bad in [
        "<html>",
        r#"{"decision":"allow"} x"#,
        "\u{feff}{}",
        r#"{"decision":"allow","decision":"deny"}"#,
    ] {
        assert_eq!(cause(Point::ToolCall, Kind::Guard, bad), Some(Cause::BadJson), "{bad}");
    }
}

#[test]
fn a_reason_is_cut_at_2000_characters() {
    let body = serde_json::json!({"decision": "deny", "reason": "€".repeat(3000)}).to_string();
    let Ok(Answer::Deny { reason, .. }) = Answer::read(Point::ToolCall, Kind::Guard, &body) else {
        panic!("a denial")
    };
    assert_eq!(reason.chars().count(), 2000);
    let silent = Answer::read(Point::ToolCall, Kind::Guard, r#"{"decision":"deny"}"#).unwrap();
    assert!(matches!(silent, Answer::Deny { .. }));
}

#[test]
fn a_transform_says_what_it_does() {
    let read = |body| Answer::read(Point::ToolResult, Kind::Transform, body);
    assert_eq!(read(""), Ok(Answer::Unchanged));
    assert_eq!(read(r#"{"action":"unchanged"}"#), Ok(Answer::Unchanged));
    assert_eq!(
        read(r#"{"action":"replace","payload": [1.50] }"#),
        Ok(Answer::Replace("[1.50]".into()))
    );
    assert_eq!(read(r#"{"action":"replace","payload":null}"#), Ok(Answer::Replace("null".into())));
    assert_eq!(read(r#"{"action":"json_patch","patch":[]}"#), Ok(Answer::JsonPatch("[]".into())));
    assert_eq!(read(r#"{"action":"merge_patch","patch":{}}"#), Ok(Answer::MergePatch("{}".into())));
    for bad in [
        "null",
        "{}",
        "[]",
        r#"{"action":"replace"}"#,
        r#"{"action":"replace","patch":[]}"#,
        r#"{"action":"unchanged","payload":1}"#,
        r#"{"action":"merge_patch","payload":{}}"#,
    ] {
        assert_eq!(cause(Point::ToolResult, Kind::Transform, bad), Some(Cause::BadShape), "{bad}");
    }
}

#[test]
fn text_comes_in_one_piece_or_in_fragments() {
    let read = |point, body| Answer::read(point, Kind::Provide, body);
    for nothing in [
        "",
        "null",
        r#"{"content":""}"#,
        r#"{"fragments":[]}"#,
        r#"{"fragments":[{"content":""}]}"#,
    ] {
        assert_eq!(read(Point::BeforeCompile, nothing), Ok(Answer::Nothing), "{nothing}");
    }
    let body = r#"{"fragments":[{"content":"a","priority":-3,"max_tokens":5,"exclusive_slot":"s"},{"content":"b"}]}"#;
    let Ok(Answer::Fragments(list)) = read(Point::BeforeCompile, body) else { panic!("fragments") };
    assert_eq!((list[0].priority, list[0].max_tokens, list.len()), (-3, Some(5), 2));
    let verbatim = read(Point::BeforeCompress, r#"{"content":"F","include":"verbatim"}"#);
    let Ok(Answer::Fragments(list)) = verbatim else { panic!("fragments") };
    assert_eq!(list[0].include, Include::Verbatim);
    for bad in [
        r#"{"content":"F","include":"verbatim"}"#,
        r#"{"contents":"F"}"#,
        r#"{"content":7}"#,
        r#""F""#,
        r#"{"fragments":[{"text":"a"}]}"#,
        r#"{"fragments":[],"content":"a"}"#,
    ] {
        assert_eq!(cause(Point::BeforeCompile, Kind::Provide, bad), Some(Cause::BadShape), "{bad}");
    }
}

#[test]
fn typed_answers_hold_what_their_point_asks_for() {
    let read = |point, body| Answer::read(point, Kind::Provide, body);
    assert_eq!(
        read(Point::RecallMemory, r#"{"keys":["a"]}"#),
        Ok(Answer::Typed(r#"{"keys":["a"]}"#.into()))
    );
    assert_eq!(read(Point::Summarize, "null"), Ok(Answer::Nothing));
    assert_eq!(cause(Point::RecallMemory, Kind::Provide, "{}"), Some(Cause::BadShape));
    assert_eq!(cause(Point::Summarize, Kind::Provide, r#"{"keys":[]}"#), Some(Cause::BadShape));
    assert_eq!(cause(Point::Event, Kind::Observe, "<html>"), None);
}

#[test]
fn hostile_answers_are_refused_in_little_time_and_room() {
    for (body, expected) in [
        ("[".repeat(10_000), Cause::BadJson),
        (format!("[{}0]", "0,".repeat(200_000)), Cause::BadJson),
        (r#"{"decision":"\ud800"}"#.to_owned(), Cause::BadJson),
        (r#"{"decision":NaN}"#.to_owned(), Cause::BadJson),
    ] {
        assert_eq!(cause(Point::ToolCall, Kind::Guard, &body), Some(expected));
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
        kind in prop::sample::select(Kind::ALL.to_vec()),
    ) {
        let answer = Answer::read(point, kind, &body);
        if answer == Ok(Answer::Allow) {
            let value: serde_json::Value = serde_json::from_str(&body).unwrap();
            prop_assert_eq!(value, serde_json::json!({"decision": "allow"}));
        }
    }
}
