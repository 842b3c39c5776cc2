use super::*;
use crate::hook::recorded_hooks::RecordedHooks;

mod each;
mod script;

use script::*;

#[tokio::test]
async fn the_first_denial_ends_it_and_observers_hear_of_it() {
    let hooks = hooks(
        "tool_call",
        &[
            ("g1", "guard", none()),
            ("g2", "guard", none()),
            ("t", "transform", none()),
            ("o", "observe", serde_json::json!({"delivery": "sync"})),
            ("q", "observe", none()),
        ],
    );
    let script = Script::new(&[("g1", DENY), ("o", "")]);
    let mut round = round(&hooks, &script);
    let at = at(Point::ToolCall, CALL);
    let changed = round.change(at, &fine).await.unwrap();
    let denial = changed.denied.unwrap();
    assert_eq!((&*denial.hook, &*denial.reason, denial.code.as_deref()), ("g1", "no", Some("c")));
    assert_eq!(changed.payload, None);
    let later = round.observe(at, GuardDecision::Denied(&denial)).await;
    assert_eq!(script.asked(), ["g1", "o"]);
    assert!(script.input("o").ends_with(r#","decision":"deny","denied_by":"g1","reason":"no"}"#));
    assert!(script.input("o").contains(r#""s":"""#));
    assert_eq!((later.len(), &*later[0].hook.id), (1, "q"));
    assert_eq!(
        words(&round),
        told(&[
            ("g1", "denied", Some("no")),
            ("g2", "skipped", Some("denied_earlier")),
            ("t", "skipped", Some("denied_earlier")),
            ("q", "queued", None),
            ("o", "delivered", None),
        ])
    );
}

#[tokio::test]
async fn no_failure_of_a_guard_is_leave() {
    // These two refuse the whole request, whichever hook it is.
    let refuse_all = [FailureCause::Diverged, FailureCause::TextLimit];
    for cause in FailureCause::ALL.into_iter().filter(|cause| !refuse_all.contains(cause)) {
        let list = hooks("tool_call", &[("g", "guard", none())]);
        let script = Script::default().failing("g", cause);
        let mut round = round(&list, &script);
        let changed = round.change(at(Point::ToolCall, CALL), &fine).await.unwrap();
        assert_eq!(changed.denied.unwrap().code.as_deref(), Some("hook_unavailable"), "{cause}");
        assert_eq!(words(&round), told(&[("g", "failed", Some(cause.as_str()))]));
    }
    let open = serde_json::json!({"on_failure": "skip", "allow_fail_open": true});
    let list = hooks("tool_call", &[("g", "guard", open)]);
    let script = Script::default().failing("g", FailureCause::Status);
    let changed = round(&list, &script).change(at(Point::ToolCall, CALL), &fine).await.unwrap();
    assert_eq!(changed.denied, None);
}

#[tokio::test]
async fn transforms_work_on_what_the_one_before_made() {
    let hooks = hooks(
        "tool_call",
        &[
            ("a", "transform", serde_json::json!({"priority": 1})),
            ("b", "transform", none()),
            ("g", "guard", none()),
            ("o", "observe", serde_json::json!({"delivery": "sync"})),
        ],
    );
    let script = Script::new(&[("a", ADD_A), ("b", ADD_B), ("g", ALLOW), ("o", "")]);
    let mut round = round(&hooks, &script);
    let changed = round.change(at(Point::ToolCall, CALL), &fine).await.unwrap();
    assert_eq!(changed.payload.as_deref(), Some(r#"{"s":"a","path":"p","t":"b"}"#));
    assert_eq!(script.asked(), ["g", "a", "b"]);
    assert!(script.input("g").contains(r#""s":"""#) && script.input("b").contains(r#""s":"a""#));
    let input = changed.input.unwrap();
    round.observe(at(Point::ToolCall, &input), GuardDecision::Allowed).await;
    assert!(script.input("o").contains(r#""t":"b""#));
    assert!(script.input("o").ends_with(r#","decision":"allow"}"#));
}

#[tokio::test]
async fn a_chain_is_applied_whole_or_not_at_all() {
    let more = |policy: &str, priority: i32| serde_json::json!({"on_failure": policy, "priority": priority});
    let list = |policy: &str| {
        hooks(
            "tool_call",
            &[
                ("a", "transform", more(policy, 3)),
                ("b", "transform", more(policy, 2)),
                ("c", "transform", more(policy, 1)),
            ],
        )
    };
    let script = || Script::new(&[("a", ADD_A), ("c", ADD_B)]).failing("b", FailureCause::Status);
    let (failing, skipping) = (script(), script());
    let mut first = round(&list("fail"), &failing);
    let stop = first.change(at(Point::ToolCall, CALL), &fine).await.unwrap_err();
    assert_eq!((stop.cause(), stop.is_timeout()), (FailureCause::Status, false));
    assert_eq!(failing.asked(), ["a", "b"]);
    assert_eq!(
        words(&first),
        told(&[
            ("a", "skipped", Some("rolled_back")),
            ("b", "failed", Some("status")),
            ("c", "skipped", Some("failed_earlier")),
        ])
    );
    let changed = round(&list("skip"), &skipping).change(at(Point::ToolCall, CALL), &fine).await;
    assert_eq!(changed.unwrap().payload.as_deref(), Some(r#"{"s":"a","path":"p","t":"b"}"#));
    assert!(!skipping.input("c").contains("broken"));
}

#[tokio::test]
async fn what_is_not_valid_at_the_point_is_a_failure_of_the_hook() {
    let list = hooks("tool_call", &[("a", "transform", none())]);
    let script = Script::new(&[("a", r#"{"action":"replace","payload":"text"}"#)]);
    let object = |text: &str| {
        if text.starts_with('{') { Ok(()) } else { Err("must be an object".to_owned()) }
    };
    let mut round = round(&list, &script);
    let stop = round.change(at(Point::ToolCall, CALL), &object).await.unwrap_err();
    assert_eq!(stop.cause(), FailureCause::InvalidPayload);
}

#[tokio::test]
async fn a_guard_may_be_asked_again_and_has_the_last_word_before_a_payload() {
    let again = serde_json::json!({"reverify": true});
    let list = hooks("tool_call", &[("g", "guard", again), ("a", "transform", none())]);
    let script = Script::new(&[("g", ALLOW), ("a", ADD_A)]);
    let mut twice = round(&list, &script);
    twice.change(at(Point::ToolCall, CALL), &fine).await.unwrap();
    assert_eq!(script.asked(), ["g", "a", "g"]);
    assert!(script.input("g").contains(r#""s":"a""#));
    let quiet = Script::new(&[("g", ALLOW), ("a", "")]);
    round(&list, &quiet).change(at(Point::ToolCall, CALL), &fine).await.unwrap();
    assert_eq!(quiet.asked(), ["g", "a"]);

    let input = r#"{"messages":[]}"#;
    let ends = hooks("transform_context", &[("g", "guard", none()), ("a", "transform", none())]);
    let script = Script::new(&[("g", DENY), ("a", r#"{"action":"replace","payload":[1]}"#)]);
    let mut round = round(&ends, &script);
    let changed = round.change(at(Point::TransformContext, input), &fine).await.unwrap();
    assert!(changed.denied.is_some() && changed.payload.is_none());
    assert_eq!(script.input("g"), r#"{"messages":[1]}"#);
    assert_eq!(
        words(&round),
        told(&[("a", "skipped", Some("rolled_back")), ("g", "denied", Some("no"))])
    );
}

#[tokio::test]
async fn a_watched_hook_changes_nothing_and_says_what_it_would_have_done() {
    let audit = || serde_json::json!({"mode": "audit"});
    let list = hooks(
        "tool_call",
        &[("g", "guard", audit()), ("h", "guard", audit()), ("a", "transform", audit())],
    );
    let script = Script::new(&[("g", DENY), ("a", ADD_A)]).failing("h", FailureCause::Timeout);
    let mut round = round(&list, &script);
    let changed = round.change(at(Point::ToolCall, CALL), &fine).await.unwrap();
    assert_eq!(changed, ChangeResult::default());
    let words: Vec<_> = round.runs().iter().map(HookRun::word).collect();
    assert_eq!(words, ["would_deny", "failed", "would_apply"]);
}

#[tokio::test]
async fn text_is_merged_by_priority_and_order_and_not_by_time() {
    let list = hooks(
        "before_compile",
        &[("b", "provide", none()), ("a", "provide", none()), ("c", "provide", none())],
    );
    let script = Script::new(&[
        ("a", r#"{"fragments":[{"content":"a0"},{"content":"a9","priority":9,"exclusive_slot":"s"}]}"#),
        ("b", r#"{"fragments":[{"content":"b5","priority":5},{"content":"b9","priority":9,"exclusive_slot":"s"}]}"#),
        ("c", r#"{"fragments":[{"content":"c9","exclusive_slot":"s"}]}"#),
    ])
    .taking("a", 900);
    let mut round = round(&list, &script);
    let provided = round.provide(at(Point::BeforeCompile, "{}"), &|_| 1, &fine).await.unwrap();
    assert_eq!(join(&provided.fragments), "a9\nb5\na0");
    assert_eq!(
        words(&round),
        told(&[
            ("a", "applied", None),
            ("b", "applied", None),
            ("c", "skipped", Some("exclusive_conflict")),
        ])
    );
    assert_eq!(round.left, Duration::from_millis(9_100));
}

#[tokio::test]
async fn text_is_cut_to_its_caps() {
    let list = hooks("before_compile", &[("a", "provide", serde_json::json!({"max_tokens": 6}))]);
    let body =
        r#"{"fragments":[{"content":"aaaa","max_tokens":2},{"content":"bbbbbb"},{"content":"c"}]}"#;
    let script = Script::new(&[("a", body)]);
    let mut round = round(&list, &script);
    let count = |text: &str| u32::try_from(text.len()).unwrap();
    let provided = round.provide(at(Point::BeforeCompile, "{}"), &count, &fine).await.unwrap();
    assert_eq!(join(&provided.fragments), "aa\nbbbb");
    let run = &round.runs()[0];
    assert_eq!((run.tokens, run.clipped), (6, true));
}

#[tokio::test]
async fn of_typed_answers_the_first_or_all_hold() {
    let list = hooks(
        "summarize",
        &[
            ("a", "provide", none()),
            ("b", "provide", none()),
            ("c", "provide", none()),
            ("d", "provide", none()),
        ],
    );
    let script = Script::new(&[("a", "null"), ("c", r#"{"content":"S"}"#)])
        .failing("b", FailureCause::Connect);
    let mut first = round(&list, &script);
    let provided = first.provide(at(Point::Summarize, "{}"), &|_| 1, &fine).await.unwrap();
    assert_eq!(provided.answers, [("c".into(), r#"{"content":"S"}"#.into())]);
    assert_eq!(script.asked(), ["a", "b", "c"]);
    assert_eq!(first.runs()[3].why(), Some("answered_earlier"));

    let list = hooks("recall_memory", &[("a", "provide", none()), ("b", "provide", none())]);
    let script = Script::new(&[("a", r#"{"keys":["x"]}"#), ("b", r#"{"keys":["y"]}"#)]);
    let mut all = round(&list, &script);
    let not_y = |text: &str| if text.contains("\"y\"") { Err("y".to_owned()) } else { Ok(()) };
    let provided = all.provide(at(Point::RecallMemory, "{}"), &|_| 1, &not_y).await.unwrap();
    assert_eq!(provided.answers.len(), 1);
    assert_eq!(all.runs()[1].why(), Some("invalid_payload"));
}

#[tokio::test]
async fn a_provider_whose_failure_counts_stops_it() {
    let fail = serde_json::json!({"on_failure": "fail"});
    let list = hooks("before_compile", &[("a", "provide", fail), ("b", "provide", none())]);
    let script = Script::new(&[("b", r#"{"content":"B"}"#)]).failing("a", FailureCause::Timeout);
    let mut round = round(&list, &script);
    let stop = round.provide(at(Point::BeforeCompile, "{}"), &|_| 1, &fine).await.unwrap_err();
    assert!(stop.is_timeout());
    assert_eq!(round.runs().len(), 2);
}

#[tokio::test]
async fn all_hooks_share_one_budget() {
    let skip = serde_json::json!({"on_failure": "skip"});
    let list = hooks(
        "tool_call",
        &[
            ("a", "transform", skip.clone()),
            ("b", "transform", skip.clone()),
            ("c", "transform", skip),
        ],
    );
    let script = Script::new(&[("a", ADD_A), ("b", ADD_B), ("c", ADD_B)])
        .taking("a", 200)
        .taking("b", 200)
        .taking("c", 200);
    let mut round = round(&list, &script).with_budget(Duration::from_millis(300));
    let changed = round.change(at(Point::ToolCall, CALL), &fine).await.unwrap();
    assert_eq!(changed.payload.as_deref(), Some(r#"{"s":"a","path":"p"}"#));
    assert_eq!(
        words(&round),
        told(&[
            ("a", "applied", None),
            ("b", "failed", Some("budget_exhausted")),
            ("c", "failed", Some("budget_exhausted")),
        ])
    );
    assert_eq!(script.asked(), ["a", "b"]);
}

#[tokio::test]
async fn a_hook_that_is_not_meant_is_not_asked() {
    let list = hooks(
        "tool_call",
        &[
            ("a", "guard", serde_json::json!({"match": {"tools": ["Read"]}})),
            ("b", "guard", serde_json::json!({"match": {"sessions": ["s"]}})),
            (
                "c",
                "guard",
                serde_json::json!({"match": {"args": [{"path": "/path", "op": "equals", "value": "p"}]}}),
            ),
        ],
    );
    let script = Script::new(&[("c", ALLOW)]);
    let mut round = round(&list, &script);
    round.change(at(Point::ToolCall, CALL), &fine).await.unwrap();
    assert_eq!(script.asked(), ["c"]);
    assert_eq!(
        words(&round),
        told(&[
            ("a", "skipped", Some("no_match")),
            ("b", "skipped", Some("no_match")),
            ("c", "allowed", None),
        ])
    );
}

#[tokio::test]
async fn only_what_is_projected_is_sent() {
    let narrow = serde_json::json!({"input": {"include": ["/tool/arguments/path"]}});
    let list = hooks("tool_call", &[("a", "transform", narrow)]);
    let script = Script::new(&[("a", ADD_B)]);
    let changed = round(&list, &script).change(at(Point::ToolCall, CALL), &fine).await.unwrap();
    assert_eq!(script.input("a"), r#"{"tool":{"arguments":{"path":"p"}}}"#);
    assert_eq!(changed.payload.as_deref(), Some(r#"{"s":"","path":"p","t":"b"}"#));
    let script = Script::new(&[("a", r#"{"action":"replace","payload":{}}"#)]);
    let stop = round(&list, &script).change(at(Point::ToolCall, CALL), &fine).await.unwrap_err();
    assert_eq!(stop.cause(), FailureCause::BadShape);
}

#[tokio::test]
async fn a_dry_run_calls_no_webhook() {
    let mut list = hooks(
        "tool_call",
        &[
            ("g", "guard", none()),
            ("t", "transform", none()),
            ("o", "observe", serde_json::json!({"delivery": "sync"})),
        ],
    );
    list.push(hook(serde_json::json!({
        "id": "built-in", "point": "tool_call", "kind": "guard", "builtin": "deny_command",
        "config": {"patterns": ["x"]}
    })));
    let script = Script::default();
    let mut round = round(&list, &script).dry();
    let at = at(Point::ToolCall, CALL);
    let changed = round.change(at, &fine).await.unwrap();
    assert_eq!(changed, ChangeResult::default());
    assert!(round.observe(at, GuardDecision::Allowed).await.is_empty());
    assert_eq!(script.asked(), [""; 0]);
    let words: Vec<_> = round.runs().iter().map(HookRun::word).collect();
    assert_eq!(words, ["allowed", "would_call", "would_call", "would_call"]);
}

#[tokio::test]
async fn a_replay_calls_nothing_and_comes_to_the_same() {
    let list = || {
        hooks(
            "tool_call",
            &[
                ("a", "transform", serde_json::json!({"priority": 2})),
                ("b", "transform", serde_json::json!({"on_failure": "skip"})),
                ("g", "guard", serde_json::json!({"reverify": true})),
            ],
        )
    };
    let script = Script::new(&[("a", ADD_A), ("g", ALLOW)]).failing("b", FailureCause::Timeout);
    let mut live = round(&list(), &script);
    let first = live.change(at(Point::ToolCall, CALL), &fine).await.unwrap();
    let runs = live.take_runs();
    let recorded = RecordedHooks::new(&runs);
    let mut replay = round(&list(), &recorded);
    assert_eq!(replay.change(at(Point::ToolCall, CALL), &fine).await.unwrap(), first);
    let lines = |runs: &[HookRun]| {
        runs.iter().map(|run| (run.word(), run.request_digest.clone())).collect::<Vec<_>>()
    };
    assert_eq!(lines(replay.runs()), lines(&runs));

    let other = CALL.replace("\"p\"", "\"q\"");
    let mut replay = round(&list(), &recorded);
    let stop = replay.change(at(Point::ToolCall, &other), &fine).await.unwrap_err();
    let HookStop::Diverged { hook, expected, actual, .. } = stop else { panic!("a divergence") };
    assert_eq!((&*hook, expected), ("g", runs[0].request_digest.clone()));
    assert_ne!(Some(actual), runs[0].request_digest);
    let empty = RecordedHooks::default();
    let stop = round(&list(), &empty).change(at(Point::ToolCall, CALL), &fine).await.unwrap_err();
    assert!(matches!(stop, HookStop::Diverged { expected: None, .. }));
}

#[tokio::test]
async fn redact_and_truncate_differ_by_their_order() {
    let of = |first: i32| {
        vec![
            hook(serde_json::json!({"id": "redact", "point": "tool_result", "kind": "transform",
                "builtin": "redact", "priority": first,
                "config": {"patterns": ["sk-[0-9]{5}"], "replacement": "***"}})),
            hook(serde_json::json!({"id": "truncate", "point": "tool_result", "kind": "transform",
                "builtin": "truncate", "config": {"max_bytes": 10}})),
        ]
    };
    let input = r#"{"tool":{"name":"Bash"},"result":{"content":"key=sk-12345 tail"}}"#;
    let script = Script::default();
    for (first, expected) in
        [(1, "key=*** ta... truncated 2 bytes ..."), (-1, "key=sk-123... truncated 7 bytes ...")]
    {
        let mut round = round(&of(first), &script);
        let changed = round.change(at(Point::ToolResult, input), &fine).await.unwrap();
        assert_eq!(changed.payload.unwrap().to_string(), format!(r#"{{"content":"{expected}"}}"#));
    }
}

#[tokio::test]
async fn without_hooks_nothing_happens() {
    let script = Script::default();
    let mut round = round(&[], &script);
    for point in Point::ALL {
        let changed = round.change(at(point, "{}"), &fine).await.unwrap();
        let provided = round.provide(at(point, "{}"), &|_| 1, &fine).await.unwrap();
        let later = round.observe(at(point, "{}"), GuardDecision::Allowed).await;
        assert!(
            changed == ChangeResult::default()
                && provided == ProvideResult::default()
                && later.is_empty()
        );
    }
    assert!(round.runs().is_empty());
}

#[tokio::test]
async fn each_time_that_a_point_is_reached_has_its_number() {
    let mut list = hooks(
        "before_compress",
        &[("g", "guard", none()), ("p", "provide", none()), ("o", "observe", none())],
    );
    list.extend(hooks("memory_changed", &[("m", "observe", none())]));
    let script = Script::new(&[("g", ALLOW), ("p", "null")]);
    let mut round = round(&list, &script);
    for _ in 0..2 {
        let at = at(Point::BeforeCompress, r#"{"history":[]}"#);
        round.change(at, &fine).await.unwrap();
        round.provide(at, &|_| 1, &fine).await.unwrap();
        round.observe(at, GuardDecision::Allowed).await;
        round.observe(HookInput { point: Point::MemoryChanged, ..at }, GuardDecision::None).await;
    }
    let numbers: Vec<_> = round.runs().iter().map(|run| (&*run.hook, run.occurrence)).collect();
    assert_eq!(
        numbers,
        [("g", 0), ("p", 0), ("o", 0), ("m", 0), ("g", 1), ("p", 1), ("o", 1), ("m", 1)]
    );
}
