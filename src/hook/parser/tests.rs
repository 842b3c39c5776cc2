use proptest::prelude::*;
use secrecy::ExposeSecret as _;

use super::*;
use crate::hook::text::LIMITS;
use crate::json::{Fault, parse};

fn check(url: &str) -> Result<String, String> {
    if url.starts_with("https://") { Ok(url.to_owned()) } else { Err("must be https".to_owned()) }
}

fn read(text: &str) -> Result<Hook, Vec<Fault>> {
    let mut faults = Faults::default();
    let node = parse(text, LIMITS).unwrap();
    let hook = read_hook(&node, Path::Root, GivenId::Made("made"), &check, &mut faults);
    let faults = faults.into_vec();
    if faults.is_empty() { Ok(hook.unwrap()) } else { Err(faults) }
}

fn places(text: &str) -> Vec<String> {
    read(text).unwrap_err().into_iter().map(|fault| fault.pointer).collect()
}

#[test]
fn the_least_hook_has_every_default() {
    let hook =
        read(r#"{"point":"before_compile","kind":"provide","url":"https://a.example/"}"#).unwrap();
    assert_eq!((&*hook.id, hook.points.as_slice()), ("made", &[Point::BeforeCompile][..]));
    assert_eq!(hook.timeout(), Duration::from_secs(5));
    assert_eq!(hook.on_failure(Point::BeforeCompile), OnFailure::Skip);
    assert_eq!((hook.max_tokens, hook.priority, hook.enabled), (1024, 0, true));
    assert_eq!(hook.reserves(Point::BeforeCompile), 1024);
    assert_eq!(hook.reserves(Point::BeforeCompress), 0);
}

#[test]
fn each_kind_fails_to_its_safe_side() {
    let of = |point: &str, kind: &str| {
        let text = format!(r#"{{"point":"{point}","kind":"{kind}","url":"https://a.example/"}}"#);
        let hook = read(&text).unwrap();
        (hook.on_failure(hook.points[0]), hook.timeout().as_secs())
    };
    assert_eq!(of("tool_call", "guard"), (OnFailure::Deny, 3));
    assert_eq!(of("tool_call", "transform"), (OnFailure::Fail, 5));
    assert_eq!(of("tool_call", "observe"), (OnFailure::Skip, 2));
    assert_eq!(of("before_compile", "provide"), (OnFailure::Skip, 5));
    assert_eq!(of("before_compress", "guard"), (OnFailure::Skip, 3));
    assert_eq!(of("before_compress", "transform"), (OnFailure::Skip, 5));
}

#[test]
fn every_pair_that_no_point_takes_is_a_fault() {
    let mut legal = 0;
    for point in Point::ALL {
        for kind in HookKind::ALL {
            let text =
                format!(r#"{{"point":"{point}","kind":"{kind}","url":"https://a.example/"}}"#);
            match read(&text) {
                Ok(_) => legal += 1,
                Err(faults) => {
                    assert_eq!(faults[0].pointer, "/point");
                    assert!(!point.takes(kind), "{point} {kind}");
                }
            }
        }
    }
    assert_eq!(legal, 27);
}

#[test]
fn all_faults_are_named_at_once_and_the_nearest_word_with_them() {
    let text = r#"{"id":"Über","point":"tool_calls","kind":"guard","url":"http://10.0.0.1/",
        "timout_ms":5,"timeout_ms":0,"priority":1.5,"delivery":"async","max_tokens":5,
        "input":{"include":["tool"]},"match":{"tools":[""],"args":[{"path":"command","op":"is"}]},
        "headers":{"Host":"x","a b":"x","ok":"a\nb","X":"1","x":"2"},"mode":"watch","scope":7}"#;
    let faults = read(text).unwrap_err();
    let places: Vec<&str> = faults.iter().map(|fault| fault.pointer.as_str()).collect();
    for place in [
        "/timout_ms",
        "/id",
        "/point",
        "/url",
        "/headers/Host",
        "/headers/a b",
        "/headers/ok",
        "/headers/x",
        "/delivery",
        "/max_tokens",
        "/timeout_ms",
        "/priority",
        "/match/tools",
        "/match/args/0/path",
        "/match/args/0/op",
        "/input/include",
        "/mode",
        "/scope",
    ] {
        assert!(places.contains(&place), "{place} of {places:?}");
    }
    let named = |pointer: &str| {
        faults.iter().find(|fault| fault.pointer == pointer).unwrap().did_you_mean.clone()
    };
    assert_eq!(named("/timout_ms").as_deref(), Some("timeout_ms"));
    assert_eq!(named("/point").as_deref(), Some("tool_call"));
}

#[test]
fn a_hook_is_one_thing_at_points_named_once() {
    let with = |more: &str| places(&format!(r#"{{"kind":"guard",{more}}}"#));
    assert_eq!(with(r#""point":"tool_call""#), ["/url"]);
    assert_eq!(
        with(r#""point":"tool_call","url":"https://a/","builtin":"deny_command""#),
        ["/builtin"]
    );
    assert_eq!(with(r#""url":"https://a/""#), ["/point"]);
    assert_eq!(
        with(r#""point":"tool_call","points":["tool_call"],"url":"https://a/""#),
        ["/points"]
    );
    assert_eq!(with(r#""points":["tool_call","tool_call"],"url":"https://a/""#), ["/points/1"]);
    assert_eq!(with(r#""points":[],"url":"https://a/""#), ["/points"]);
    assert_eq!(with(r#""points":["tool_call","event"],"url":"https://a/""#), ["/points/1"]);
    assert_eq!(with(r#""point":"tool_call","url":"https://a/","config":{}"#), ["/config"]);
}

#[test]
fn built_in_hooks_stand_where_they_do_something() {
    let ok = read(r#"{"point":"tool_result","kind":"transform","builtin":"truncate"}"#).unwrap();
    assert!(matches!(ok.does, HookAction::Builtin(Builtin::Truncate(_))));
    let of = |text: &str| places(text);
    assert_eq!(
        of(r#"{"point":"transform_context","kind":"transform","builtin":"truncate"}"#),
        ["/builtin"]
    );
    assert_eq!(
        of(r#"{"point":"tool_call","kind":"transform","builtin":"deny_command"}"#),
        ["/kind"]
    );
    assert_eq!(of(r#"{"point":"tool_call","kind":"guard","builtin":"deny_comand"}"#), ["/builtin"]);
    assert_eq!(
        of(
            r#"{"point":"tool_result","kind":"transform","builtin":"truncate","config":{"max":1},"headers":{}}"#
        ),
        ["/headers", "/config/max"]
    );
    assert_eq!(
        of(r#"{"point":"tool_result","kind":"transform","builtin":"redact"}"#),
        ["/config/patterns"]
    );
    assert_eq!(
        of(
            r#"{"point":"tool_result","kind":"transform","builtin":"redact","config":{"patterns":["("]}}"#
        ),
        ["/config/patterns/0"]
    );
}

#[test]
fn letting_pass_what_a_guard_cannot_judge_must_be_meant() {
    let of = |point: &str, more: &str| {
        read(&format!(
            r#"{{"point":"{point}","kind":"guard","url":"https://a/","on_failure":"skip"{more}}}"#
        ))
    };
    assert_eq!(of("tool_call", "").unwrap_err()[0].pointer, "/on_failure");
    let meant = of("tool_call", r#","allow_fail_open":true"#).unwrap();
    assert_eq!(meant.on_failure(Point::ToolCall), OnFailure::Skip);
    assert!(of("before_compress", "").is_ok());
    let transform =
        r#"{"point":"tool_call","kind":"transform","url":"https://a/","on_failure":"deny"}"#;
    assert_eq!(places(transform), ["/on_failure"]);
    let late = r#"{"point":"tool_call","kind":"transform","url":"https://a/","delivery":"async"}"#;
    assert_eq!(places(late), ["/delivery"]);
}

#[test]
fn what_a_hook_matches_must_be_tellable_at_its_points() {
    let of = |point: &str, matching: &str| {
        let text = format!(
            r#"{{"point":"{point}","kind":"observe","url":"https://a/","match":{matching}}}"#
        );
        read(&text).map(|_| ()).map_err(|faults| faults[0].pointer.clone())
    };
    assert_eq!(of("event", r#"{"events":["memory:*","compile:done"]}"#), Ok(()));
    assert_eq!(of("event", r#"{"events":["memory:gone"]}"#), Err("/match/events/0".to_owned()));
    assert_eq!(of("event", r#"{"events":["memroy:*"]}"#), Err("/match/events/0".to_owned()));
    assert_eq!(of("event", r#"{"tools":["Bash"]}"#), Err("/match/tools".to_owned()));
    assert_eq!(of("tool_call", r#"{"events":["compress"]}"#), Err("/match/events".to_owned()));
    assert_eq!(of("delegation", r#"{"status":["failed"]}"#), Ok(()));
    assert_eq!(of("delegation", r#"{"status":["lost"]}"#), Err("/match/status/0".to_owned()));
    assert_eq!(of("tool_call", r#"{"args":[{"path":"/a","op":"glob","value":"a*?"}]}"#), Ok(()));
    assert_eq!(
        of("tool_call", r#"{"args":[{"path":"/a","op":"regex","value":"("}]}"#),
        Err("/match/args/0/value".to_owned())
    );
}

#[test]
fn headers_are_kept_and_never_shown() {
    let text = r#"{"point":"event","kind":"observe","url":"https://a/","headers":{"Authorization":"Bearer swordfish"}}"#;
    let hook = read(text).unwrap();
    let headers = &hook.endpoint().unwrap().headers;
    assert_eq!(&*headers[0].0, "authorization");
    assert_eq!(headers[0].1.expose_secret(), "Bearer swordfish");
    for text in [format!("{hook:?}"), hook.write_shown(), hook.write_stored()] {
        assert!(!text.contains("swordfish"), "{text}");
    }
    assert!(hook.write_shown().contains(r#""headers":["authorization"]"#));
}

fn any_hook() -> impl Strategy<Value = serde_json::Value> {
    let base = prop_oneof![
        Just(serde_json::json!({"points": ["tool_call", "transform_context"], "kind": "guard",
            "url": "https://a.example/x"})),
        Just(
            serde_json::json!({"point": "tool_result", "kind": "transform", "builtin": "truncate",
            "config": {"maxBytes": 77, "tools": ["*"]}})
        ),
        Just(serde_json::json!({"point": "tool_result", "kind": "transform", "builtin": "redact",
            "config": {"patterns": ["a+", {"regex": "b", "replacement": "\n"}]}})),
        Just(serde_json::json!({"point": "tool_call", "kind": "guard", "builtin": "deny_command",
            "config": {"op": "contains", "patterns": ["x"]}})),
        Just(serde_json::json!({"point": "transform_context", "kind": "guard",
            "builtin": "secret_scan", "config": {"prefixes": ["k-"]}})),
        Just(serde_json::json!({"point": "before_compile", "kind": "provide",
            "url": "https://a.example/x", "max_tokens": 9})),
        Just(serde_json::json!({"points": ["event", "tool_call"], "kind": "observe",
            "url": "https://a.example/x", "delivery": "sync", "match": {"events": ["memory:*"],
            "tools": ["*"], "args": [{"path": "/a", "op": "glob", "value": "*\n"},
            {"path": "/b", "op": "exists"}, {"path": "/c", "op": "regex", "value": "x"}]}})),
    ];
    let more = (
        any::<bool>(),
        prop::option::of(1..30_000_u32),
        prop::option::of(any::<bool>()),
        -5..5_i32,
        prop::option::of("[a-z]{1,5}"),
        prop::option::of("(/[a-z~]{0,3}){1,2}"),
    );
    (base, more).prop_map(|(mut hook, (enabled, timeout, audit, priority, session, pointer))| {
        hook["enabled"] = enabled.into();
        hook["priority"] = priority.into();
        if let Some(timeout) = timeout {
            hook["timeout_ms"] = timeout.into();
        }
        if let Some(audit) = audit {
            hook["mode"] = if audit { "audit" } else { "enforce" }.into();
        }
        if let Some(session) = session {
            hook["scope"] = serde_json::json!({"session_id": session});
        }
        if let Some(pointer) = pointer.filter(|pointer| is_pointer(pointer)) {
            hook["input"] = serde_json::json!({"exclude": [pointer]});
        }
        hook
    })
}

proptest! {
    #[test]
    fn a_stored_hook_is_read_back_the_same(given in any_hook()) {
        let text = given.to_string();
        let hook = read(&text).unwrap();
        let stored = hook.write_with_url();
        let again = read(&stored).unwrap();
        prop_assert_eq!(again.write_with_url(), stored);
        prop_assert_eq!(again.write_stored(), hook.write_stored());
        prop_assert_eq!(again.write_shown(), hook.write_shown());
        prop_assert_eq!(format!("{again:?}"), format!("{hook:?}"));
    }

    #[test]
    fn no_text_panics(text in r#"\{("(id|point|points|kind|url|builtin|config|match|input|headers|scope)":("tool_call"|"guard"|"https://a"|\[\]|\{\}|\[7\]|null|1e9),?){0,6}\}"#) {
        if let Ok(node) = parse(&text, LIMITS) {
            let mut faults = Faults::default();
            read_hook(&node, Path::Root, GivenId::Address("a"), &check, &mut faults);
        }
    }
}
