//! Small requests that ask for a lot of text, of patterns or of depth: each is answered within the
//! memory that its size gives it, and the process goes on.
//!
//! The server runs as a process of its own under a limit of its address space, so that a fault of
//! it ends nothing else.

use std::process::Command;

use serde_json::{Value, json};

use crate::support::pack::{bundle, context, minimal, rule};
use crate::support::{Reply, ServerProcess, request, send};

const MIB: usize = 1 << 20;
/// KiB of address space: the allocator reserves a GiB at the start.
const MAX_ADDRESS_SPACE_KIB: u64 = 4 << 20;

/// What a body of so many bytes may be answered with.
fn max_answer(body: usize) -> usize {
    8 * body + 64 * MIB
}

/// How far it may raise the resident memory, in bytes.
fn max_memory(body: usize) -> usize {
    24 * body + 128 * MIB
}

fn limited_server() -> ServerProcess {
    let mut command = Command::new("sh");
    let script = format!("ulimit -v {MAX_ADDRESS_SPACE_KIB} && exec \"$0\" \"$@\"");
    command.env_clear().env("CONTEXTURE_DATABASE_URL", "memory:");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_contexture")]);
    command.args(["serve", "--listen", "127.0.0.1:0"]);
    ServerProcess::spawned(command)
}

/// The same with what the first request loads, such as a dictionary.
async fn warm_server() -> ServerProcess {
    let server = limited_server();
    let body = json!({"messages": [{"role": "user", "content": "hi"}], "target": "openai"});
    assert_eq!(ask(&server, "/compile", &body).await.status, 200);
    server
}

async fn ask(server: &ServerProcess, path: &str, body: &Value) -> Reply {
    let headers = [
        ("content-type", "application/json"),
        ("contexture-deadline-ms", "60000"),
        ("accept", "application/json, text/event-stream"),
    ];
    let bytes = request("POST", path, &headers, body.to_string().as_bytes());
    send(server.address, &bytes).await
}

/// Asks a server of its own, and holds the answer and the memory that it took to what a body of
/// this size may have.
#[track_caller]
fn answered(path: &str, body: &Value) -> impl Future<Output = Reply> {
    let body = body.clone();
    let path = path.to_owned();
    let at = std::panic::Location::caller();
    async move {
        let server = warm_server().await;
        let before = server.peak_kib();
        let sent = body.to_string().len();
        let reply = ask(&server, &path, &body).await;
        let took = server.peak_kib().saturating_sub(before);
        let alive = send(server.address, &request("GET", "/healthz", &[], b"")).await;
        assert_eq!(alive.status, 200, "{at}: the process is gone");
        let size = reply.body.len();
        assert!(size <= max_answer(sent), "{at}: {size} bytes for {sent}");
        let took = usize::try_from(took).unwrap() * 1024;
        assert!(took <= max_memory(sent), "{at}: {took} bytes of memory for {sent}");
        assert!((200..500).contains(&reply.status), "{at}: {}", reply.status);
        reply
    }
}

fn parsed(reply: &Reply) -> Value {
    serde_json::from_slice(&reply.body).expect("JSON")
}

fn refused(reply: &Reply, code: &str) {
    let shown = String::from_utf8_lossy(&reply.body[..reply.body.len().min(400)]);
    assert_eq!((reply.status, reply.code().as_str()), (422, code), "{shown}");
}

async fn rule_fails(rule: Value, data: Value, reason: &str) {
    let reply = answered("/policy/evaluate", &json!({"rule": rule, "data": data})).await;
    assert_eq!(reply.status, 200);
    let said = parsed(&reply);
    assert_eq!(said["indeterminate"]["reason"], reason, "{said}");
    assert_eq!(said["holds"], false);
}

#[tokio::test]
async fn a_rule_makes_no_value_that_is_nested_too_deep() {
    let ones = json!(vec![1; 9_000]);
    let mut deeper = json!({"var": "accumulator"});
    for _ in 0..100 {
        deeper = json!([deeper]);
    }
    let reduced = json!({"reduce": [{"var": "xs"}, deeper, 1]});
    rule_fails(json!({"!!": [reduced]}), json!({"xs": ones}), "depth").await;
    rule_fails(reduced, json!({"xs": ones}), "depth").await;
    // The same through `merge`, `map` and the record that `reduce` itself makes.
    let mapped = json!({"map": [[{"var": "accumulator"}], {"var": ""}]});
    rule_fails(
        json!({"reduce": [{"var": "xs"}, mapped, 1]}),
        json!({"xs": vec![1; 3_000]}),
        "depth",
    )
    .await;
    rule_fails(
        json!({"reduce": [{"var": "xs"}, {"var": ""}, 1]}),
        json!({"xs": vec![1; 3_000]}),
        "depth",
    )
    .await;
}

#[tokio::test]
async fn a_rule_pays_for_text_before_it_is_made() {
    let twice = json!([{"var": "accumulator"}, {"var": "accumulator"}]);
    let list = json!({"reduce": [{"var": "xs"}, twice, "abcd"]});
    let xs = json!({"xs": vec![0; 40]});
    for rule in [
        json!({"==": [list, "a"]}),
        json!({"!=": ["a", list]}),
        json!({"cat": [list]}),
        json!({"max": [list, 1]}),
        json!({"<": [list, "a"]}),
        json!({"<=": ["a", list, "b"]}),
        json!({"+": [list]}),
        json!({"*": [list, 2]}),
        json!({"substr": [list, 1, 2]}),
        json!({"in": [list, "abc"]}),
        json!({"var": [list]}),
        json!({"missing": [list]}),
        json!({"missing_some": [1, list]}),
    ] {
        rule_fails(rule, xs.clone(), "budget").await;
    }
    // The answer itself is text as well.
    let reply = answered("/policy/evaluate", &json!({"rule": list, "data": xs})).await;
    refused(&reply, "text_limit");
}

#[tokio::test]
async fn a_rule_pays_for_what_it_goes_through() {
    let many = vec![1; 200_000];
    rule_fails(json!({"map": [{"var": "xs"}, many]}), json!({"xs": many}), "budget").await;
    let text = "a".repeat(MIB);
    let at = json!({"var": "t.1000000"});
    rule_fails(
        json!({"map": [{"var": "xs"}, {"+": [0]}]}),
        json!({"xs": vec![1; 20_000]}),
        "budget",
    )
    .await;
    let looked = json!({"cat": vec![at; 100]});
    rule_fails(looked, json!({"t": text}), "budget").await;
}

#[tokio::test]
async fn a_rule_of_many_unknown_operators_is_told_in_short() {
    let key = "k".repeat(10_000);
    let rule = json!({key: [vec![json!({"nope": 1}); 5_000]]});
    let reply = answered("/policy/evaluate", &json!({"rule": rule})).await;
    refused(&reply, "policy_operator_unknown");
    assert!(reply.body.len() < 100_000, "{}", reply.body.len());
    assert_eq!(reply.pointers().len(), 64);
    let pointer = &reply.pointers()[1];
    assert!(pointer.starts_with("/rule/kkk") && pointer.len() < 400, "{pointer}");
    // The same faults where a pack is read.
    let mut pack = minimal();
    let then = json!({"allow": false});
    pack["policy_layer"]["policy_bundles"] =
        json!([bundle("b", 1, &[self::rule("r", "", &rule, &then)])]);
    let reply = answered("/packs/lint", &pack).await;
    assert!(reply.body.len() < 1 << 20, "{}", reply.body.len());
}

fn inline(hook: &Value, text: &str) -> Value {
    json!({"messages": [{"role": "user", "content": text}], "target": "openai",
        "budget": {"context_window": 4_000_000}, "hooks": [hook]})
}

fn redact(patterns: &[Value]) -> Value {
    json!({"id": "r", "point": "transform_context", "kind": "transform", "builtin": "redact",
        "config": {"patterns": patterns}})
}

#[tokio::test]
async fn what_a_redaction_put_in_is_not_matched_again() {
    let pattern = json!({"regex": "a", "replacement": "a".repeat(512)});
    let four = redact(&[pattern.clone(), pattern.clone(), pattern.clone(), pattern]);
    let reply = answered("/compile", &inline(&four, "banana")).await;
    assert_eq!(reply.status, 200);
    let payload = parsed(&reply)["payload"].to_string();
    assert_eq!(
        payload.matches('a').count(),
        payload.replace(&"a".repeat(512), "").matches('a').count() + 3 * 512
    );
    // Each letter becomes 512, so what the text grows by counts several times.
    let reply = answered("/compile", &inline(&four, &"a".repeat(50_000))).await;
    refused(&reply, "text_limit");
    // A pattern that matches nothing at all is no reason to put something in.
    let empty = redact(&[json!({"regex": "x*", "replacement": "y".repeat(512)})]);
    let reply = answered("/compile", &inline(&empty, "hello")).await;
    assert!(parsed(&reply)["payload"].to_string().contains("hello"));
}

#[tokio::test]
async fn patterns_of_hooks_are_few_and_small_together() {
    let large = |at: usize| json!(format!("(?:[a-z]{{{}}}){{40}}", 90 + at));
    let hook = |at: usize| {
        let mut hook = redact(&(0..32).map(large).collect::<Vec<_>>());
        hook["id"] = json!(format!("r{at}"));
        hook
    };
    let mut body = inline(&hook(0), "hello");
    body["hooks"] = json!((0..32).map(hook).collect::<Vec<_>>());
    let reply = answered("/compile", &body).await;
    refused(&reply, "invalid_request");
    let conditions: Vec<Value> = (0..32)
        .map(|at| json!({"path": "/a", "op": "glob", "value": format!("{at}{}", "?".repeat(500))}))
        .collect();
    let globs = json!({"id": "g", "point": "tool_call", "kind": "guard", "builtin": "deny_command",
        "match": {"args": conditions}});
    let mut body = inline(&globs, "hello");
    body["hooks"] = json!(
        (0..32)
            .map(|at| {
                let mut one = globs.clone();
                one["id"] = json!(format!("g{at}"));
                one
            })
            .collect::<Vec<_>>()
    );
    let reply = answered("/compile", &body).await;
    refused(&reply, "invalid_request");
}

#[tokio::test]
async fn rendered_instructions_have_a_limit() {
    let skill = |instructions: &str, args: &str, vars: Value| {
        json!({"messages": [{"role": "user", "content": "hi"}], "target": "openai",
            "skill": {"name": "s", "instructions": instructions, "args": args, "vars": vars}})
    };
    let all = "$ARGUMENTS ".repeat(5_000);
    let reply = answered("/compile", &skill(&all, &"a ".repeat(MIB), json!({}))).await;
    refused(&reply, "invalid_request");
    let reply = answered("/compile", &skill(&all, &"a".repeat(60_000), json!({}))).await;
    refused(&reply, "invalid_request");
    assert!(reply.pointers().contains(&"/skill/instructions".to_owned()), "{:?}", reply.pointers());
    let twice = json!({"a": "$ARGUMENTS ".repeat(5_000)});
    let reply =
        answered("/compile", &skill(&"${a}".repeat(1_000), &"a".repeat(60_000), twice)).await;
    refused(&reply, "invalid_request");
    let reply = answered("/compile", &skill("Say $0.", "hello", json!({}))).await;
    assert!(parsed(&reply)["payload"].to_string().contains("Say hello."));
}

#[tokio::test]
async fn a_packs_redaction_has_a_short_replacement_and_an_end() {
    let governed = |pattern: Value, text: &str| {
        let mut pack = minimal();
        pack["policy_layer"]["guardrails"]["redaction_rules"] = json!([pattern]);
        json!({"model": "bytes4", "target": "neutral", "pack": {"document": pack,
                "run_context": context("tenant_min"),
                "request": {"request_id": "req_1", "input": {"intent": "x", "message": "do it"}}},
            "messages": [{"role": "user", "content": text}]})
    };
    let long = json!({"id": "r", "regex": "a", "replacement": "b".repeat(MIB)});
    let reply = answered("/compile", &governed(long, "aaaa")).await;
    refused(&reply, "pack_lint");
    let short = json!({"id": "r", "regex": "a", "replacement": "b".repeat(512)});
    let reply = answered("/compile", &governed(short, &"a".repeat(MIB))).await;
    refused(&reply, "text_limit");
    let patterns: Vec<Value> = (0..500)
        .map(|at| json!({"id": format!("r{at}"), "regex": format!("(?:[a-z]{{{at}}}){{40}}")}))
        .collect();
    let mut pack = minimal();
    pack["policy_layer"]["guardrails"]["redaction_rules"] = json!(patterns);
    let reply = answered("/packs/lint", &pack).await;
    assert!(reply.body.len() < MIB);
}

/// A compile under a pack of one adapter with so many capabilities, all of them allowed.
fn with_capabilities(count: usize, change: impl FnOnce(&mut Value)) -> Value {
    let ids: Vec<String> = (0..count).map(|at| format!("c{at}")).collect();
    let mut pack = minimal();
    pack["tooling_layer"] = json!({
        "adapter_registry": [{"adapter_id": "a", "type": "OPENAPI", "endpoint_ref": "internal://a",
            "approval_mode": "read_only", "capabilities": ids}],
        "permissions": ids.iter().map(|id| json!({"permission_id": id, "adapter_id": "a",
            "capability": id, "allow": true})).collect::<Vec<_>>()});
    change(&mut pack);
    json!({"model": "bytes4", "target": "neutral", "pack": {"document": pack,
            "run_context": context("tenant_min"),
            "request": {"request_id": "req_1", "input": {"intent": "x", "message": "do it"}}},
        "messages": [{"role": "user", "content": "do it"}]})
}

fn keys(count: usize) -> Vec<String> {
    (0..count).map(|at| format!("a.c{at}")).collect()
}

#[tokio::test]
async fn names_of_a_pack_are_short() {
    let long = "n".repeat(100_000);
    let then = json!({"allow": false});
    let rules = |id: &str| {
        let suppressed = (0..400).map(|at| rule(&format!("r{at}"), "", &json!(true), &then));
        let first = rule(id, "", &json!(true), &then);
        json!([bundle("b", 1, &std::iter::once(first).chain(suppressed).collect::<Vec<_>>())])
    };
    let with_rule = with_capabilities(400, |pack| {
        pack["policy_layer"]["policy_bundles"] = rules(&long);
    });
    let with_gate = with_capabilities(400, |pack| {
        pack["policy_layer"]["approval_gates"] = json!([{"gate_id": long,
            "required_approver_role": "x", "applies_to": {"capabilities": keys(400)}}]);
    });
    let with_adapter = with_capabilities(400, |pack| {
        pack["tooling_layer"]["adapter_registry"][0]["adapter_id"] = json!(long);
    });
    for body in [with_rule, with_gate, with_adapter] {
        let reply = answered("/compile", &body).await;
        refused(&reply, "pack_lint");
        assert!(String::from_utf8_lossy(&reply.body).contains("must be at most 256 bytes"));
        assert!(reply.body.len() < MIB, "{}", reply.body.len());
    }
    let reply = answered(
        "/compile",
        &with_capabilities(400, |pack| {
            pack["policy_layer"]["policy_bundles"] = rules(&"n".repeat(256));
        }),
    )
    .await;
    assert_eq!(reply.status, 200, "{}", String::from_utf8_lossy(&reply.body));
}

#[tokio::test]
async fn constraints_of_one_rule_for_all_tools_are_paid_for() {
    let governed = |bytes: usize| {
        with_capabilities(400, |pack| {
            let then = json!({"allow": true, "targets": keys(400),
                "arg_constraints": {"note": {"const": "v".repeat(bytes)}}});
            pack["policy_layer"]["policy_bundles"] =
                json!([bundle("b", 1, &[rule("r", "", &json!(true), &then)])]);
        })
    };
    let reply = answered("/compile", &governed(500_000)).await;
    refused(&reply, "text_limit");
    let reply = answered("/compile", &governed(1_000)).await;
    assert_eq!(reply.status, 200, "{}", String::from_utf8_lossy(&reply.body));
}

#[tokio::test]
async fn packs_that_differ_in_many_places_are_told_apart_in_short() {
    let server = warm_server().await;
    let publish = |version: &str, value: i32, items: usize| {
        let mut pack = minimal();
        pack["pack_meta"]["pack_version"] = json!(version);
        pack["pack_meta"]["environment_defaults"] =
            json!({"k".repeat(100_000): vec![value; items]});
        pack
    };
    for (version, value, items) in
        [("1.0.0", 1, 10_000), ("1.0.1", 2, 10_000), ("1.1.0", 1, 300_000), ("1.1.1", 2, 300_000)]
    {
        let reply = ask(&server, "/packs", &publish(version, value, items)).await;
        assert_eq!(reply.status, 201, "{}", String::from_utf8_lossy(&reply.body));
    }
    let reply = ask(&server, "/packs/diff", &json!({"from": "min@1.0.0", "to": "min@1.0.1"})).await;
    assert_eq!(reply.status, 200);
    assert!(reply.body.len() < 8 * MIB, "{}", reply.body.len());
    let reply = ask(&server, "/packs/diff", &json!({"from": "min@1.1.0", "to": "min@1.1.1"})).await;
    refused(&reply, "text_limit");
}

fn calls(schema: &Value, arguments: &Value, count: usize) -> Value {
    let call = |at: usize| {
        json!({"id": format!("c{at}"), "type": "function",
            "function": {"name": "t", "arguments": arguments.to_string()}})
    };
    json!({"source": "openai", "calls": (0..count).map(call).collect::<Vec<_>>(),
        "tools": [{"type": "function", "function": {"name": "t", "parameters": schema}}]})
}

#[tokio::test]
async fn a_schema_has_few_patterns() {
    let patterns: Vec<Value> =
        (0..40_000).map(|at| json!({"pattern": format!("(?:a?){{1300}}{at}")})).collect();
    let schema = json!({"type": "object", "properties": {"a": {"allOf": patterns}}});
    let reply = answered("/tools/calls", &calls(&schema, &json!({"a": "aaaa"}), 1)).await;
    refused(&reply, "invalid_request");
    assert!(reply.body.len() < 10_000);
    let some: Vec<Value> = (0..64).map(|at| json!({"pattern": format!("a|{at}")})).collect();
    let schema = json!({"type": "object", "properties": {"a": {"allOf": some}}});
    let reply = answered("/tools/calls", &calls(&schema, &json!({"a": "aaaa"}), 1)).await;
    assert_eq!(parsed(&reply)["results"][0]["decision"], "allow");
}

#[tokio::test]
async fn a_reason_quotes_little_of_a_schema() {
    let forms = [
        json!({"const": "v".repeat(5_000_000)}),
        json!({"enum": (0..50).map(|at| format!("{at}{}", "v".repeat(100_000))).collect::<Vec<_>>()}),
        json!({"pattern": format!("^{}$", "v".repeat(900))}),
        json!({"type": "object", "required": (0..50).map(|at| format!("{at}{}", "v".repeat(100_000))).collect::<Vec<_>>()}),
    ];
    for form in forms {
        let schema =
            json!({"type": "object", "properties": {"a": {"type": "array", "items": form}}});
        let items: Vec<String> = (0..40).map(|at| at.to_string()).collect();
        let body = calls(&schema, &json!({"a": items}), 16);
        let reply = answered("/tools/calls", &body).await;
        let results = parsed(&reply)["results"].as_array().expect("results").clone();
        assert_eq!(results.len(), 16);
        for result in results {
            let reason = result["reason"].as_str().expect("a reason");
            assert!(reason.len() < 6_000, "{}", reason.len());
        }
    }
}

#[tokio::test]
async fn one_artifact_that_is_read_many_times_is_refused_in_the_end() {
    let server = limited_server();
    let text = "0123456789abcde\n".repeat(MIB);
    let bytes = request("POST", "/artifacts", &[("content-type", "text/plain")], text.as_bytes());
    let kept = send(server.address, &bytes).await;
    assert_eq!(kept.status, 201, "{}", String::from_utf8_lossy(&kept.body));
    let id = parsed(&kept)["id"].as_str().expect("an id").to_owned();
    let arguments = json!({"id": id}).to_string();
    let call = |at: usize| {
        json!({"id": format!("c{at}"), "type": "function",
            "function": {"name": "context_read", "arguments": arguments}})
    };
    let body = json!({"source": "openai", "calls": (0..256).map(call).collect::<Vec<_>>()});
    let reply = ask(&server, "/tools/calls", &body).await;
    assert_eq!(reply.status, 200);
    assert!(reply.body.len() <= max_answer(body.to_string().len()), "{}", reply.body.len());
    let shown = parsed(&reply)["results"][255]["message"]["content"].to_string();
    assert!(shown.contains("too long to be read here"), "{}", &shown[..shown.len().min(200)]);
    assert!(
        parsed(&reply)["results"][0]["message"]["content"].to_string().contains("0123456789abcde")
    );
}

#[tokio::test]
async fn what_notations_decode_to_is_paid_for_as_it_is_written() {
    let shown = |times: usize| format!("§repeat 1 ×{times}\n{}", "\u{1}".repeat(9));
    let reply = answered("/expand", &json!({"text": shown(1_000_000)})).await;
    refused(&reply, "text_limit");
    let reply = answered("/expand", &json!({"text": shown(100)})).await;
    assert_eq!(parsed(&reply)["text"].as_str().map(str::len), Some(999));
    let call = |id: usize| {
        json!({"role": "assistant", "content": null, "tool_calls": [{"id": format!("c{id}"),
            "type": "function", "function": {"name": "t", "arguments": "{}"}}]})
    };
    let result = |id: usize, text: String| json!({"role": "tool", "tool_call_id": format!("c{id}"), "content": text});
    let references = "§= result 1\n".repeat(100);
    let list = json!({"messages": [call(0), result(0, "\u{1}".repeat(100_000)), call(1), result(1, references)]});
    let reply = answered("/expand", &list).await;
    refused(&reply, "text_limit");
    let message = |times: usize| {
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": "expand", "arguments": {"text": shown(times)}}})
    };
    // 23 MB as JSON, and the same again as a string of the protocol.
    let reply = answered("/mcp", &message(430_000)).await;
    assert_eq!(parsed(&reply)["result"]["isError"], true);
    let reply = answered("/mcp", &message(100)).await;
    assert_eq!(parsed(&reply)["result"]["isError"], false);
}

#[tokio::test]
async fn a_block_decodes_to_no_more_values_than_its_size_allows() {
    let rows = "1\n".repeat(20_000);
    let long = "z".repeat(100_000);
    let xml = format!("§xml 20002 indent 2 dots\nr:\n item[20000]{{@a{{b,c={long}}}}}\n{rows}");
    let yaml = format!("§yaml 20001 indent 2\na[20000]{{x,y={long}}}\n{rows}");
    for text in [xml, yaml] {
        let text = text.trim_end();
        answered("/expand", &json!({"text": text})).await;
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": "expand", "arguments": {"text": text}}});
        answered("/mcp", &call).await;
    }
}

#[tokio::test]
async fn a_denied_write_lists_few_of_the_keys_that_may_be_written() {
    let call = |at: usize| {
        json!({"id": format!("c{at}"), "type": "function", "function": {"name": "create_memory",
            "arguments": json!({"key": "zz", "value": "v"}).to_string()}})
    };
    let keys: Vec<String> = (0..1_000).map(|at| format!("k{at}{}", "x".repeat(200))).collect();
    let body = json!({"source": "openai", "calls": (0..256).map(call).collect::<Vec<_>>(),
        "allowed_keys": keys});
    let reply = answered("/tools/calls", &body).await;
    assert_eq!(reply.status, 200);
    assert!(reply.body.len() < 4 * MIB, "{}", reply.body.len());
}

#[tokio::test]
async fn lines_of_an_artifact_are_paid_for() {
    let server = limited_server();
    let text = "a\n".repeat(8 * MIB);
    let bytes = request("POST", "/artifacts", &[("content-type", "text/plain")], text.as_bytes());
    let id = parsed(&send(server.address, &bytes).await)["id"].as_str().expect("an id").to_owned();
    for bytes in [
        request(
            "GET",
            &format!("/artifacts/{id}?query=a"),
            &[("contexture-deadline-ms", "60000")],
            b"",
        ),
        request(
            "POST",
            "/v1/retrieve",
            &[("content-type", "application/json"), ("contexture-deadline-ms", "60000")],
            json!({"hash": id, "query": "a"}).to_string().as_bytes(),
        ),
    ] {
        refused(&send(server.address, &bytes).await, "text_limit");
    }
}

#[tokio::test]
async fn the_name_of_a_gateways_tool_costs_its_own_length_alone() {
    let text = "headroom_retrieve".repeat(15_000);
    let body = json!({"messages": [{"role": "user", "content": text}]});
    let started = std::time::Instant::now();
    let reply = answered("/v1/compress", &body).await;
    assert_eq!(reply.status, 200);
    let took = started.elapsed();
    // To go back to the beginning for each of them takes more than twice as long.
    assert!(took < std::time::Duration::from_secs(20), "{took:?}");
}

#[tokio::test]
async fn many_hooks_on_many_results_are_paid_for() {
    let hooks: Vec<Value> = (0..32)
        .map(|at| {
            json!({"id": format!("r{at}"), "point": "tool_result", "kind": "transform",
                "builtin": "redact", "config": {"patterns": ["email"]}})
        })
        .collect();
    let body =
        |results: usize| {
            let call = |at: usize| {
                json!({"id": format!("c{at}"), "type": "function",
                "function": {"name": "t", "arguments": "{}"}})
            };
            let calls: Vec<Value> = (0..results).map(call).collect();
            let mut messages = vec![
                json!({"role": "user", "content": "x"}),
                json!({"role": "assistant", "content": null, "tool_calls": calls}),
            ];
            messages.extend((0..results).map(
                |at| json!({"role": "tool", "tool_call_id": format!("c{at}"), "content": "x"}),
            ));
            json!({"target": "openai", "messages": messages, "hooks": hooks})
        };
    let reply = answered("/compile", &body(9_000)).await;
    refused(&reply, "text_limit");
    let reply = answered("/compile", &body(1_000)).await;
    assert_eq!(parsed(&reply)["report"]["hooks"].as_array().map(Vec::len), Some(32_000));
}
