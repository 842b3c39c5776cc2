//! Schemas of earlier drafts, of other providers' strict tools, and of the part of JSON Schema that a
//! provider takes.

use serde_json::{Value, json};

use super::valid;
use crate::support::TestServer;
use crate::support::compile::{Compiled, user};

fn with_schema(schema: &Value) -> Value {
    json!({"messages": [user("q")], "tools": [{"name": "rec", "input_schema": schema}]})
}

/// The schema of the first tool of a payload.
fn schema_of(compiled: &Compiled) -> &Value {
    let tool = &compiled.payload["tools"][0];
    let declared = &tool["functionDeclarations"][0];
    let places = [
        &tool["input_schema"],
        &tool["function"]["parameters"],
        &tool["parameters"],
        &declared["parameters"],
        &declared["parametersJsonSchema"],
    ];
    places.into_iter().find(|schema| !schema.is_null()).expect("a schema")
}

fn detail<'c>(compiled: &'c Compiled, code: &str) -> &'c str {
    let notes = compiled.report["degraded"].as_array().unwrap();
    let note = notes.iter().find(|note| note["code"] == code).expect("a note");
    note["detail"].as_str().unwrap()
}

const TARGETS: [&str; 4] = ["anthropic", "openai", "openai_responses", "gemini"];

#[tokio::test]
async fn earlier_drafts_are_brought_to_the_present_one() {
    let schema = json!({"type": "object", "properties": {
        "ttl": {"type": "integer", "minimum": 0, "exclusiveMinimum": true},
        "pair": {"type": "array", "items": [{"type": "string"}, {"type": "number"}]},
        "a": {"type": "string", "required": true},
        "b": {"type": "any", "description": null},
        "c": {"type": "String", "pattern": "["},
        "d": {"$ref": "#/definitions/gone", "title": "D"},
        "e": null}});
    for target in TARGETS {
        let compiled = valid(target, with_schema(&schema)).await;
        let mut pair = json!({"type": "array",
            "prefixItems": [{"type": "string"}, {"type": "number"}]});
        if target.starts_with("openai") {
            pair["items"] = json!({});
        }
        let wanted = json!({"type": "object", "properties": {
            "ttl": {"type": "integer", "exclusiveMinimum": 0}, "pair": pair,
            "a": {"type": "string"}, "b": {}, "c": {"type": "string"}, "d": {"title": "D"},
            "e": {}}, "required": ["a"]});
        assert_eq!(*schema_of(&compiled), wanted, "{target}");
        let keywords = "rec: brought to JSON Schema 2020-12 ($ref, description, exclusiveMinimum, \
            items, minimum, pattern, properties, required, type)";
        assert!(detail(&compiled, "schema_rewritten").starts_with(keywords), "{}", compiled.report);
    }
}

#[tokio::test]
async fn arguments_of_any_type_become_an_object() {
    for kind in [json!(["object", "null"]), json!("array"), json!("string"), json!(null)] {
        let schema = json!({"type": kind, "properties": {"a": {"type": "string"}}});
        for target in TARGETS {
            let compiled = valid(target, with_schema(&schema)).await;
            assert_eq!(schema_of(&compiled)["type"], "object", "{target} {kind}");
            assert_eq!(schema_of(&compiled)["properties"]["a"]["type"], "string");
        }
    }
}

#[tokio::test]
async fn calls_are_checked_against_the_schema_that_was_sent() {
    let server = TestServer::spawn().await;
    let tools = json!([{"name": "rec", "input_schema": {"type": "object", "properties": {
        "ttl": {"type": "integer", "minimum": 0, "exclusiveMinimum": true},
        "b": {"type": "any"}, "c": {"$ref": "#/definitions/gone"}}}}]);
    for (input, decision) in
        [(json!({"ttl": 1, "b": [], "c": 2}), "allow"), (json!({"ttl": 0}), "deny")]
    {
        let calls = json!([{"type": "tool_use", "id": "t", "name": "rec", "input": input}]);
        let done = server.post_ok("/tools/calls", &json!({"calls": calls, "tools": tools})).await;
        assert_eq!(done["results"][0]["decision"], decision, "{done}");
    }
}

#[tokio::test]
async fn references_follow_properties_that_are_joined_or_renamed() {
    let schema = json!({"type": "object", "properties": {"$top": {"type": "integer"},
        "skip": {"$ref": "#/properties/$top"}}, "oneOf": [{"required": ["skip"]},
        {"properties": {"x": {"$ref": "#/oneOf/1/properties/y"}, "y": {"type": "string"}}}]});
    for target in ["anthropic", "openai", "openai_responses"] {
        let compiled = valid(target, with_schema(&schema)).await;
        let sent = schema_of(&compiled);
        for (name, kind) in [("skip", "integer"), ("x", "string")] {
            let reference = sent["properties"][name]["$ref"].as_str().unwrap();
            let found = sent.pointer(reference.strip_prefix('#').unwrap()).unwrap();
            assert_eq!(*found, json!({"type": kind}), "{target} {name}");
        }
    }
}

#[tokio::test]
async fn gemini_gets_definitions_enums_and_cycles_that_it_takes() {
    let schema = json!({"type": "object", "properties": {
            "headers": {"type": "object", "additionalProperties": {"type": "string"}},
            "more": {"$ref": "#/properties/headers", "title": "M", "description": "d"},
            "tree": {"$ref": "#/definitions/node"},
            "mode": {"type": ["string", "null"], "enum": ["", "a", null]},
            "loop": {"$ref": "#/$defs/ring"}},
        "required": ["tree", "loop"],
        "definitions": {"node": {"type": "object", "properties": {
            "children": {"type": "array", "items": {"$ref": "#/definitions/node"}}}}},
        "$defs": {"ring": {"type": "object", "properties": {"next": {"$ref": "#/$defs/ring"},
            "name": {"type": "string"}}, "required": ["next", "name"]}}});
    let compiled = valid("gemini", with_schema(&schema)).await;
    let sent = schema_of(&compiled);
    let more = &sent["properties"]["more"];
    let name = more["$ref"].as_str().unwrap().strip_prefix("#/$defs/").unwrap();
    assert_eq!(*more, json!({"$ref": format!("#/$defs/{name}"), "description": "d"}));
    assert_eq!(sent["$defs"][name], schema["properties"]["headers"]);
    assert_eq!(sent["properties"]["tree"], json!({"$ref": "#/$defs/node"}));
    assert_eq!(sent["$defs"]["node"]["properties"]["children"]["items"]["$ref"], "#/$defs/node");
    assert_eq!(sent["properties"]["mode"]["enum"], json!(["a"]));
    assert_eq!(sent["$defs"]["ring"]["required"], json!(["name"]));
    assert_eq!(sent["required"], json!(["tree", "loop"]));
    assert!(sent.get("definitions").is_none());
    // Programs write the schema of all arguments as a reference, too.
    let schema = json!({"$ref": "#/definitions/all", "definitions": {"all": {"type": "object",
        "properties": {"a": {"type": "string"}}, "required": ["a"]}}});
    let compiled = valid("gemini", with_schema(&schema)).await;
    let sent = schema_of(&compiled);
    assert_eq!(sent["properties"], json!({"a": {"type": "string"}}));
    assert_eq!((&sent["type"], &sent["required"]), (&json!("object"), &json!(["a"])));
    // In the other form of a schema, an empty string is refused, too.
    let plain = json!({"type": "object", "properties": {"a": {"type": "string",
        "enum": ["", "b"]}}});
    let compiled = valid("gemini", with_schema(&plain)).await;
    assert_eq!(schema_of(&compiled)["properties"]["a"]["enum"], json!(["b"]));
}

fn strict(schema: &Value, source: &str) -> Value {
    let tool = if source == "anthropic" {
        json!({"name": "run", "strict": true, "input_schema": schema})
    } else {
        json!({"type": "function", "function": {"name": "run", "strict": true,
            "parameters": schema}})
    };
    json!({"source": source, "messages": [user("q")], "tools": [tool]})
}

/// Whether the only tool is strict.
fn is_strict(compiled: &Compiled) -> bool {
    let tool = &compiled.payload["tools"][0];
    tool["strict"] == true || tool["function"]["strict"] == true
}

#[tokio::test]
async fn strict_stays_where_the_schema_is_one_of_the_target_s_strict_ones() {
    let object = |properties: Value, required: Value| {
        json!({"type": "object", "properties": properties, "required": required,
            "additionalProperties": false})
    };
    let bounded = object(json!({"n": {"type": "integer", "minimum": 1}}), json!(["n"]));
    let optional = object(json!({"a": {"type": "string"}}), json!([]));
    let address = object(json!({"a": {"type": "string", "format": "uri"}}), json!(["a"]));
    let items = object(
        json!({"a": {"type": "array", "items": {"type": "string"}, "minItems": 2}}),
        json!(["a"]),
    );
    let open = json!({"type": "object", "properties": {"a": {"type": "string"}},
        "required": ["a"]});
    let ahead = object(json!({"a": {"type": "string", "pattern": "^(?=a)"}}), json!(["a"]));
    let mut ring = object(json!({"a": {"$ref": "#/$defs/r"}}), json!(["a"]));
    ring["$defs"] = json!({"r": {"anyOf": [{"$ref": "#/$defs/r"}, {"type": "null"}]}});
    let plain = object(json!({"a": {"type": ["string", "null"]}}), json!(["a"]));
    for (source, target, schema, misfit) in [
        ("openai", "anthropic", &bounded, "`minimum`"),
        ("openai", "anthropic", &items, "`minItems: 2`"),
        ("openai", "anthropic", &open, "an object without `additionalProperties: false`"),
        ("openai", "anthropic", &ahead, "`pattern: \"^(?=a)\"`"),
        ("openai", "anthropic", &ring, "a schema that contains itself"),
        ("anthropic", "openai", &optional, "`a` is not required"),
        ("anthropic", "openai_responses", &optional, "`a` is not required"),
        ("anthropic", "openai", &address, "`format: \"uri\"`"),
    ] {
        let compiled = valid(target, strict(schema, source)).await;
        assert!(!is_strict(&compiled), "{}", compiled.payload);
        assert_eq!(detail(&compiled, "strict_dropped"), format!("run: {misfit}"));
    }
    for (source, target, schema) in [
        ("openai", "anthropic", &plain),
        ("openai", "anthropic", &optional),
        ("openai", "anthropic", &address),
        ("anthropic", "openai", &plain),
        ("anthropic", "openai", &bounded),
        ("anthropic", "openai_responses", &items),
        ("anthropic", "openai_responses", &ring),
    ] {
        let compiled = valid(target, strict(schema, source)).await;
        assert!(is_strict(&compiled), "{}", compiled.payload);
        assert!(compiled.codes("degraded").is_empty(), "{}", compiled.report);
    }
}

#[tokio::test]
async fn strict_of_the_same_provider_is_the_caller_s() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string", "minLength": 1}}});
    for source in ["openai", "anthropic"] {
        let request = strict(&schema, source);
        let mut request = request;
        request["target"] = json!(source);
        let compiled = crate::support::compile::compile(&request).await;
        assert!(is_strict(&compiled));
        assert!(compiled.codes("degraded").is_empty());
    }
}
