//! Tools in a compile and the calls of a model, in every provider's shape.

use serde_json::{Value, json};

use crate::support::compile::user;
use crate::support::{TestServer, pointers, problem};

const SCHEMA: &str = r#"{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
    "title": "Read file", "properties": {"path": {"type": "string", "title": "Path", "minLength": 1},
    "lines": {"type": "integer", "minimum": 1}}, "required": ["path"], "additionalProperties": false}"#;

fn schema() -> Value {
    serde_json::from_str(SCHEMA).expect("JSON")
}

/// The same call in the shape of each provider, and the same tool.
fn shapes(arguments: &Value) -> Vec<(&'static str, Value, Value)> {
    let text = arguments.to_string();
    vec![
        (
            "openai",
            json!({"id": "c", "type": "function", "function": {"name": "read_file", "arguments": text}}),
            json!({"type": "function", "function": {"name": "read_file", "parameters": schema()}}),
        ),
        (
            "openai_responses",
            json!({"type": "function_call", "call_id": "c", "name": "read_file", "arguments": text}),
            json!({"type": "function", "name": "read_file", "parameters": schema()}),
        ),
        (
            "anthropic",
            json!({"type": "tool_use", "id": "c", "name": "read_file", "input": arguments}),
            json!({"name": "read_file", "input_schema": schema()}),
        ),
        (
            "gemini",
            json!({"functionCall": {"name": "read_file", "args": arguments}}),
            json!({"functionDeclarations": [{"name": "read_file", "parametersJsonSchema": schema()}]}),
        ),
    ]
}

async fn results(server: &TestServer, body: &Value) -> Vec<Value> {
    let answer = server.post_json("/tools/calls", 200, body).await;
    answer["results"].as_array().expect("results").clone()
}

#[tokio::test]
async fn arguments_are_held_to_the_schema_in_every_shape() {
    let server = TestServer::spawn().await;
    for (arguments, decision, part) in [
        (json!({"path": "a", "lines": 3}), "allow", ""),
        (json!({"lines": 0}), "deny", "path"),
        (json!({"path": "", "more": 1}), "deny", "more"),
    ] {
        for (source, call, tool) in shapes(&arguments) {
            let body = json!({"calls": [call], "tools": [tool], "source": source});
            let result = &results(&server, &body).await[0];
            assert_eq!(result["decision"], decision, "{source}: {result}");
            assert_eq!(result["for"], "caller");
            if decision == "allow" {
                assert_eq!(result["arguments"], arguments, "{source}");
                continue;
            }
            let reason = result["reason"].as_str().expect("a reason");
            assert!(reason.contains(part), "{source}: {reason}");
            // The message is what the provider takes as the call's result.
            let message = &result["message"];
            let told = match source {
                "openai" => (&message["tool_call_id"], &message["content"]),
                "openai_responses" => (&message["call_id"], &message["output"]),
                "anthropic" => {
                    let block = &message["content"][0];
                    assert_eq!(block["is_error"], true);
                    (&block["tool_use_id"], &block["content"])
                }
                _ => (&message["parts"][0]["functionResponse"]["name"], message),
            };
            assert!(told.0 == "c" || told.0 == "read_file", "{source}: {message}");
            assert!(told.1.to_string().contains("are not what it takes"), "{source}: {message}");
        }
    }
}

#[tokio::test]
async fn without_tools_nothing_is_held_to_anything() {
    let server = TestServer::spawn().await;
    for (_, call, _) in shapes(&json!({"anything": [1]})) {
        let result = &results(&server, &json!({"calls": [call]})).await[0];
        assert_eq!(result["decision"], "allow");
        assert_eq!(result["arguments"], json!({"anything": [1]}));
    }
}

#[tokio::test]
async fn a_tool_is_called_by_the_name_that_its_provider_lets_it_have() {
    let server = TestServer::spawn().await;
    let tools = json!([{"name": "fs.read", "parameters": schema()}]);
    let body = json!({"messages": [user("Read it.")], "tools": tools, "target": "openai"});
    let shown = server.compile(&body).await.payload["tools"][0]["function"]["name"].clone();
    assert_ne!(shown, "fs.read");
    let call = |arguments: &str| {
        json!([{"id": "c1", "type": "function",
            "function": {"name": shown, "arguments": arguments}}])
    };
    let asked = json!({"tools": tools, "calls": call("{}")});
    assert_eq!(results(&server, &asked).await[0]["decision"], "deny", "its schema holds");
    let asked = json!({"tools": tools, "calls": call(r#"{"path": "a"}"#)});
    let [result] = results(&server, &asked).await.try_into().expect("one");
    assert_eq!(result["decision"], "allow", "{result}");
    assert_eq!(result["name"], "fs.read");
    let options = json!({"list": tools, "blocked": ["fs.read"]});
    let asked = json!({"tools": options, "calls": call(r#"{"path": "a"}"#)});
    assert_eq!(results(&server, &asked).await[0]["decision"], "deny");
}

#[tokio::test]
async fn results_come_one_each_in_the_order_of_the_calls() {
    let server = TestServer::spawn().await;
    let call = |id: &str, name: &str, input: Value| json!({"type": "tool_use", "id": id, "name": name, "input": input});
    let body = json!({
        "calls": [
            call("a", "read_file", json!({"path": 1})),
            call("b", "create_memory", json!({"key": "k", "value": "v"})),
            call("c", "read_file", json!({"path": "x"})),
            call("d", "load_toolkit", json!({"toolkit_name": "more"})),
            call("e", "create_memory", json!({"key": "no key"})),
        ],
        "tools": {"list": [{"name": "read_file", "input_schema": schema()}],
                  "toolkits": [{"name": "more", "tools": [{"name": "other", "description": "o"}]}]},
    });
    let results = results(&server, &body).await;
    let told = |key: &str| {
        results.iter().map(|one| one[key].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(told("id"), ["a", "b", "c", "d", "e"]);
    assert_eq!(told("for"), ["caller", "service", "caller", "service", "service"]);
    assert_eq!(told("decision"), ["deny", "allow", "allow", "allow", "deny"]);
    assert_eq!(server.get("/memory/k").await.status(), 200);
}

#[tokio::test]
async fn a_schema_that_cannot_be_used_is_named_and_nothing_is_done() {
    let server = TestServer::spawn().await;
    let call = |name: &str, input: Value| json!({"type": "tool_use", "id": "a", "name": name, "input": input});
    let large = json!({"type": "object", "properties": {"a": {"pattern": "((a{200}){200}){200}"}}});
    let body = json!({
        "calls": [call("odd", json!({"a": "b"})), call("create_memory", json!({"key": "k", "value": "v"}))],
        "tools": [{"name": "fine", "description": "f"}, {"name": "odd", "input_schema": large}],
    });
    let refused = problem(server.post("/tools/calls", &body).await, 422, "invalid_request").await;
    assert_eq!(refused["errors"][0]["pointer"], "/tools/1");
    assert_eq!(server.get("/memory/k").await.status(), 404);
}

#[tokio::test]
async fn the_report_tells_what_each_tool_costs() {
    let server = TestServer::spawn().await;
    let tools = json!([{"name": "read_file", "input_schema": schema()}, {"name": "ask", "description": "Asks."}]);
    let body =
        json!({"messages": [user("u")], "target": "openai", "model": "gpt-4o", "tools": tools});
    let compiled = server.compile(&body).await;
    let surfaced = compiled.report["tools"]["surfaced"].as_array().expect("a list");
    let sum: u64 = surfaced.iter().map(|tool| tool["tokens"].as_u64().unwrap()).sum();
    assert_eq!(sum, compiled.report["parts"]["tools"].as_u64().unwrap());
    assert_eq!(surfaced[1]["name"], "ask");
    assert!(surfaced[0]["tokens"].as_u64() > surfaced[1]["tokens"].as_u64());
    let bare = server.compile(&json!({"messages": [user("u")]})).await;
    assert!(bare.report.get("tools").is_none());
}

#[tokio::test]
async fn minified_schemas_take_less_and_are_the_same_bytes_each_time() {
    let server = TestServer::spawn().await;
    let tools = json!({"list": [{"name": "read_file", "input_schema": schema()}]});
    let mut body = json!({"messages": [user("u")], "target": "anthropic", "tools": tools});
    let whole = server.compile(&body).await;
    assert_eq!(whole.payload["tools"][0]["input_schema"], schema());
    body["tools"]["minify"] = json!(true);
    let less = server.compile(&body).await;
    assert!(less.report["parts"]["tools"].as_u64() < whole.report["parts"]["tools"].as_u64());
    let shown = &less.payload["tools"][0]["input_schema"];
    assert!(shown.get("$schema").is_none() && shown["properties"]["path"].get("title").is_none());
    assert_eq!(shown["required"], json!(["path"]));
    assert_eq!(shown["additionalProperties"], false);
    assert_eq!(server.compile(&body).await.text, less.text);
}

#[tokio::test]
async fn faults_of_the_options_are_named_together() {
    let server = TestServer::spawn().await;
    let body = json!({"messages": [user("u")], "tools": {
        "list": [{"name": "load_toolkit", "description": "mine"}, {"name": "a", "description": "a"}],
        "prunes": {},
        "prune": {"strategy": "both", "allow": "a"},
        "namespaces": [{"name": "a", "tools": []}, {"tools": []}, {"name": "b"}],
        "toolkits": [{"name": "kit", "tools": [{"name": "a", "description": "a"}]}, {"name": "KIT", "tools": []}],
        "minify": "yes",
    }});
    let refused = problem(server.post("/compile", &body).await, 422, "invalid_request").await;
    let pointers = pointers(&refused);
    for pointer in [
        "/tools/prunes",
        "/tools/prune/strategy",
        "/tools/prune/allow",
        "/tools/list",
        "/tools/namespaces/0/name",
        "/tools/namespaces/1/name",
        "/tools/namespaces/2/tools",
        "/tools/toolkits/0/tools/0/name",
        "/tools/toolkits/1/name",
        "/tools/minify",
    ] {
        assert!(pointers.contains(&pointer), "{pointer}: {pointers:?}");
    }
    assert_eq!(refused["errors"][0]["did_you_mean"], "prune");
}

#[tokio::test]
async fn a_session_s_tools_stand_in_for_those_that_are_not_given() {
    let server = TestServer::spawn().await;
    let tools =
        json!({"list": [{"name": "read_file", "input_schema": schema()}], "blocked": ["rm"]});
    let session = json!({"id": "s", "defaults": {"tools": tools}});
    assert_eq!(server.post("/sessions", &session).await.status(), 201);
    let call = |name: &str, input: Value| json!({"type": "tool_use", "id": "a", "name": name, "input": input});
    let calls = json!([
        call("read_file", json!({"lines": 1})),
        call("rm", json!({})),
        call("x", json!({}))
    ]);
    let body = json!({"calls": calls, "session_id": "s"});
    let denied = results(&server, &body).await;
    assert_eq!(denied.len(), 3, "{denied:?}");
    assert!(denied.iter().all(|result| result["decision"] == "deny"), "{denied:?}");
    let free = results(&server, &json!({"calls": calls, "session_id": "s", "tools": null})).await;
    assert_eq!(free.len(), 3, "{free:?}");
    assert!(free.iter().all(|result| result["decision"] == "allow"), "{free:?}");
    let compiled = server.compile(&json!({"messages": [user("u")], "session_id": "s"})).await;
    assert_eq!(compiled.payload["tools"][0]["function"]["name"], "read_file");
}

#[tokio::test]
async fn an_action_s_arguments_are_never_lost() {
    let server = TestServer::spawn().await;
    let log = json!({"name": "log", "parameters": {"type": "object",
        "properties": {"lines": {"type": "integer"}}}});
    let tools = json!({"namespaces": [{"name": "git", "tools": [log]}]});
    let asked = async |arguments: Value| {
        let call = json!({"type": "tool_use", "id": "a", "name": "git", "input": arguments});
        results(&server, &json!({"calls": [call], "tools": tools})).await.remove(0)
    };
    for (arguments, read) in [
        (json!({"action": "log", "args": {"lines": 5}}), json!({"lines": 5})),
        (json!({"action": "log", "args": "{\"lines\": 5}"}), json!({"lines": 5})),
        (json!({"action": "log", "args": null}), json!({})),
        (json!({"action": "log"}), json!({})),
    ] {
        let result = asked(arguments.clone()).await;
        assert_eq!(result["decision"], "allow", "{arguments}: {result}");
        assert_eq!(result["arguments"], read, "{arguments}");
    }
    for (arguments, part) in [
        (json!({"action": "log", "args": [5]}), "not an array"),
        (json!({"action": "log", "args": 5}), "not a number"),
        (json!({"action": "log", "args": "[5]"}), "a string that holds an array"),
        (json!({"action": "log", "args": "lines=5"}), "not a string"),
        (json!({"action": "log", "lines": 5}), "`lines` must be in the object `args`"),
        (json!({"action": "log", "args": {}, "lines": 5}), "`lines`"),
        // What a text holds is held to the schema as well.
        (json!({"action": "log", "args": "{\"lines\": \"x\"}"}), "/lines"),
    ] {
        let result = asked(arguments.clone()).await;
        assert_eq!(result["decision"], "deny", "{arguments}: {result}");
        let reason = result["reason"].as_str().expect("a reason");
        assert!(reason.contains(part), "{arguments}: {reason}");
    }
}

#[tokio::test]
async fn gemini_s_schemas_hold_for_other_targets_too() {
    let server = TestServer::spawn().await;
    let own = json!({"type": "OBJECT", "properties": {
        "default": {"type": "STRING", "nullable": true},
        "rows": {"type": "ARRAY", "minItems": "1", "items": {"type": "INTEGER"}}}});
    let tools = json!([{"functionDeclarations": [{"name": "f", "parameters": own}]}]);
    let plain = json!({"type": "object", "properties": {
        "default": {"type": ["string", "null"]},
        "rows": {"type": "array", "minItems": 1, "items": {"type": "integer"}}}});
    let payload = async |target: &str| {
        let body = json!({"messages": [user("u")], "target": target, "tools": tools});
        server.compile(&body).await.payload["tools"][0].clone()
    };
    assert_eq!(payload("openai").await["function"]["parameters"], plain);
    assert_eq!(payload("anthropic").await["input_schema"], plain);
    let back = &payload("gemini").await["functionDeclarations"][0]["parameters"];
    assert_eq!(back["properties"]["default"]["nullable"], true);
    assert_eq!(back["properties"]["rows"]["minItems"], "1");
    for (args, decision) in [
        (json!({"default": null, "rows": [1]}), "allow"),
        (json!({"default": "x"}), "allow"),
        (json!({"default": 5}), "deny"),
        (json!({"rows": []}), "deny"),
    ] {
        let call = json!({"functionCall": {"name": "f", "args": args}});
        let result = &results(&server, &json!({"calls": [call], "tools": tools})).await[0];
        assert_eq!(result["decision"], decision, "{args}: {result}");
    }
}

#[tokio::test]
async fn a_tool_of_the_caller_s_by_a_name_of_ours_is_the_caller_s() {
    let server = TestServer::spawn().await;
    let note = json!({"type": "object", "properties": {"note": {"type": "string"}},
        "required": ["note"]});
    let tools = json!([{"name": "create_memory", "input_schema": note},
        {"name": "context_read", "input_schema": note}]);
    let body = json!({"messages": [user("u")], "target": "anthropic", "tools": tools,
        "memory": true, "compression": {"read_tool": true}});
    let compiled = server.compile(&body).await;
    let shown = compiled.payload["tools"].as_array().expect("tools");
    assert_eq!(shown.len(), 2, "{shown:?}");
    assert!(shown.iter().all(|tool| tool["input_schema"] == note), "{shown:?}");
    assert_eq!(compiled.report["service_tools"], json!([]));
    assert_eq!(compiled.codes("warnings"), ["tool_name_taken", "tool_name_taken"]);
    assert_eq!(compiled.report["warnings"][0]["pointer"], "/tools/0");
    assert_eq!(compiled.report["warnings"][1]["pointer"], "/tools/1");

    let call = |input: Value| json!([{"type": "tool_use", "id": "a", "name": "create_memory", "input": input}]);
    let asked = json!({"calls": call(json!({"note": "n"})), "tools": tools});
    let result = &results(&server, &asked).await[0];
    assert_eq!((&result["for"], &result["decision"]), (&json!("caller"), &json!("allow")));
    let ours = json!({"key": "k", "value": "v"});
    let result = &results(&server, &json!({"calls": call(ours.clone()), "tools": tools})).await[0];
    assert_eq!((&result["for"], &result["decision"]), (&json!("caller"), &json!("deny")));
    assert_eq!(server.get("/memory/k").await.status(), 404);

    // Ours stay ours where they come back with a payload.
    let body = json!({"messages": [user("u")], "target": "anthropic", "memory": true,
        "compression": {"read_tool": true}});
    let first = server.compile(&body).await;
    let mut again = body.clone();
    again["tools"] = first.payload["tools"].clone();
    let again = server.compile(&again).await;
    assert_eq!(again.payload["tools"], first.payload["tools"]);
    assert_eq!(again.report["service_tools"], first.report["service_tools"]);
    assert!(again.codes("warnings").is_empty());
    let asked = json!({"calls": call(ours), "tools": first.payload["tools"]});
    assert_eq!(results(&server, &asked).await[0]["for"], "service");
    assert_eq!(server.get("/memory/k").await.status(), 200);
}

#[tokio::test]
async fn nul_reaches_no_payload() {
    let server = TestServer::spawn().await;
    let tool = json!({"name": "go", "description": "g\u{0}o", "parameters": {"type": "object"}});
    let group = |name: &str| json!({"name": name, "description": "d\u{0}", "tools": [tool]});
    let body = json!({"messages": [user("u")], "target": "anthropic", "model": "claude-sonnet-4-5",
        "skill": {"name": "s", "instructions": "do \u{0} this"},
        "implicit_context": "found \u{0}",
        "output": {"prefill": "P\u{0}P"},
        "tools": {"namespaces": [group("git")], "toolkits": [
            {"name": "k\u{0}t", "description": "d\u{0}", "tools": []}]}});
    let compiled = server.compile(&body).await;
    assert!(
        !compiled.text.contains("\\u0000") && !compiled.text.contains('\0'),
        "{}",
        compiled.text
    );
    let repairs = compiled.report["repairs"].as_array().expect("repairs");
    assert!(repairs.iter().all(|note| note["code"] == "nul_replaced"), "{repairs:?}");
    let mut places: Vec<&str> =
        repairs.iter().map(|note| note["pointer"].as_str().expect("a pointer")).collect();
    places.sort_unstable();
    assert_eq!(
        places,
        [
            "/implicit_context",
            "/output/prefill",
            "/skill/instructions",
            "/tools/namespaces/0/description",
            "/tools/namespaces/0/tools/0/description",
            "/tools/toolkits/0/description",
            "/tools/toolkits/0/name",
        ]
    );
}

#[tokio::test]
async fn tags_that_say_nothing_are_a_fault() {
    let server = TestServer::spawn().await;
    let list = json!([{"name": "a", "description": "a", "tags": 5}]);
    let body = json!({"messages": [user("u")], "tools": {"list": list, "prune": {"task": "t"}}});
    let refused = problem(server.post("/compile", &body).await, 422, "invalid_request").await;
    assert_eq!(pointers(&refused), ["/tools/list/0/tags"]);
}
