use super::*;

fn pointers(body: &str) -> Vec<String> {
    let (_, faults, _) = read_all(body, None);
    faults.into_iter().map(|fault| fault.pointer).collect()
}

#[test]
fn every_fault_has_its_pointer() {
    let cases: &[(&str, &[&str])] = &[
        (r"{}", &[""]),
        (r#"{"messages":null}"#, &[""]),
        (r#"{"messages":"x"}"#, &["/messages"]),
        (r#"{"messages":[],"input":"x"}"#, &["/input"]),
        (r#"{"messages":[1,"x"]}"#, &["/messages/0", "/messages/1"]),
        (r#"{"messages":[{"content":"x"}]}"#, &["/messages/0"]),
        (
            r#"{"messages":[{"role":"robot"},{"role":1}]}"#,
            &["/messages/0/role", "/messages/1/role"],
        ),
        (r#"{"messages":[{"role":"user","content":5}]}"#, &["/messages/0/content"]),
        (r#"{"messages":[{"role":"user","content":[5]}]}"#, &["/messages/0/content/0"]),
        (r#"{"messages":[{"role":"user","content":"","id":7}]}"#, &["/messages/0/id"]),
        (r#"{"messages":[{"role":"tool","content":"x"}]}"#, &["/messages/0"]),
        (
            r#"{"messages":[{"role":"assistant","tool_calls":[{"function":{"arguments":"{}"}}]}]}"#,
            &["/messages/0/tool_calls/0", "/messages/0/tool_calls/0/function"],
        ),
        (
            r#"{"messages":[{"role":"assistant","tool_calls":[{"id":"a","type":"function",
                "function":{"name":"f","arguments":[]}}]}]}"#,
            &["/messages/0/tool_calls/0/function/arguments"],
        ),
        (
            r#"{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{}},
                {"type":"input_audio"},{"type":"file","file":{}}]}]}"#,
            &[
                "/messages/0/content/0/image_url",
                "/messages/0/content/1/input_audio",
                "/messages/0/content/2/file",
            ],
        ),
        (r#"{"messages":[{"role":"user","tool_calls":[{}]}]}"#, &["/messages/0/tool_calls"]),
        (
            r#"{"contents":[{"role":"user"},{"role":"x","parts":[]},{"parts":[{}]}]}"#,
            &["/contents/0", "/contents/1/role", "/contents/2/parts/0"],
        ),
        (r#"{"input":[{"type":"function_call"}]}"#, &["/input/0", "/input/0", "/input/0"]),
    ];
    for (body, wanted) in cases {
        assert_eq!(pointers(body), *wanted, "{body}");
    }
}

#[test]
fn malformed_arguments_name_message_and_call() {
    let body = |repair: &str| {
        format!(
            r#"{{{repair}"messages":[{{"role":"user","content":"u"}},{{"role":"assistant",
            "tool_calls":[{{"id":"call_9","type":"function",
            "function":{{"name":"f","arguments":"{{"}}}}]}}]}}"#
        )
    };
    let (_, faults, _) = read_all(&body(""), None);
    assert_eq!(faults.len(), 1);
    assert_eq!(faults[0].pointer, "/messages/1/tool_calls/0/function/arguments");
    assert!(faults[0].detail.contains("call_9"), "{}", faults[0].detail);
    assert_eq!(read_all(&body(r#""repair":"strict","#), None).1.len(), 1);
    let (read, faults, notes) = read_all(&body(r#""repair":"lenient","#), None);
    assert_eq!(faults, []);
    assert_eq!(&*call(&read.history[1].parts[0]).arguments, "{");
    assert_eq!(notes.repairs[0].code, "arguments_kept_raw");
    for arguments in ["[1]", "1", "true", "{} x"] {
        let wrong =
            body("").replace(r#""arguments":"{""#, &format!(r#""arguments":"{arguments}""#));
        assert_eq!(read_all(&wrong, None).1.len(), 1, "{arguments}");
    }
}

#[test]
fn nul_is_replaced_and_told() {
    let (read, notes) = good(r#"{"messages":[{"role":"user","content":"a\u0000b"}]}"#);
    assert_eq!(texts(&read.history[0].parts), ["a\u{fffd}b"]);
    assert_eq!(notes.repairs[0].code, "nul_replaced");
    assert_eq!(notes.repairs[0].pointer, "/messages/0/content");
}

#[test]
fn an_empty_list_is_a_conversation_and_a_huge_one_is_not() {
    assert!(pointers(r#"{"messages":[]}"#).is_empty());
    let list = vec![r#"{"role":"user","content":""}"#; 10_001].join(",");
    assert_eq!(pointers(&format!(r#"{{"messages":[{list}]}}"#)), ["/messages"]);
}

#[test]
fn list_keys_are_those_of_the_body() {
    let key = |body| list_key(&parse(body, Limits::default()).unwrap());
    assert_eq!(key(r#"{"contents":[]}"#), "contents");
    assert_eq!(key(r#"{"input":""}"#), "input");
    assert_eq!(key("{}"), "messages");
}

#[test]
fn a_member_without_a_place_is_told() {
    let (_, notes) = good(
        r#"{"messages":[{"role":"assistant","signature":"kept","cache":1,"tool_calls":[{"id":"a",
            "type":"function","function":{"name":"f","arguments":"{}","zz":1}}]}]}"#,
    );
    assert_eq!(notes.degraded[0].code, "member_lost");
    assert_eq!(notes.degraded[0].pointer, "/messages/0/tool_calls/0/function/zz");
    assert_eq!(notes.degraded.len(), 1);
}

#[test]
fn unknown_members_of_a_message_are_kept() {
    let (read, _) =
        good(r#"{"messages":[{"role":"user","content":"u","signature":"s","cache":1,"zz":null}]}"#);
    let kept = [("signature", "\"s\""), ("cache", "1"), ("zz", "null")];
    assert_eq!(extras(&read.history[0].extra), kept);
}

#[test]
fn a_cache_mark_has_a_known_lifetime() {
    let body = |mark: &str| {
        format!(
            r#"{{"messages":[{{"role":"user","content":[
                {{"type":"text","text":"t","cache_control":{mark}}}]}}]}}"#
        )
    };
    assert!(pointers(&body(r#"{"type":"ephemeral","ttl":"5m"}"#)).is_empty());
    let at = "/messages/0/content/0/cache_control";
    assert_eq!(pointers(&body(r#"{"ttl":"2h"}"#)), [format!("{at}/ttl")]);
    assert_eq!(pointers(&body("true")), [at]);
}

#[test]
fn many_members_without_a_place_are_few_notes() {
    let members: Vec<_> = (0..5_000).map(|n| format!(r#""k{n}":1"#)).collect();
    let body = format!(
        r#"{{"messages":[{{"role":"assistant","content":"x","thinking":{{"thinking":"t",{}}}}}]}}"#,
        members.join(",")
    );
    let (_, notes) = good(&body);
    assert_eq!(notes.degraded.len(), 11);
    assert!(notes.degraded[10].detail.starts_with("4990 more"), "{:?}", notes.degraded[10]);
}
