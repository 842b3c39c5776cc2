//! `openapi.yaml` is what the code serves. `UPDATE_OPENAPI=1 cargo test openapi` rewrites it.

use std::collections::BTreeSet;
use std::fs;

use contexture::hook::HOOK_KEYS;
use contexture::http::schema::{
    AdapterDefinition, Budget, CacheOptions, CompileRequest, CompressRequest, Compression,
    HookDefinition, MemoryOptions, Output, ProtectOptions, SkillChoice, ToolOptions,
};
use contexture::http::{ENUM_MEMBERS, ENUM_PARAMETERS};
use contexture::provider::CONVERSATION_KEYS;
use contexture::request::{ADAPTER_KEYS, COMPILE_KEYS, COMPRESS_KEYS, SECTIONS};
use serde_json::{Value, json};
use utoipa::PartialSchema;

use crate::support::TestServer;

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/openapi.yaml");

/// Every route of the API.
pub const ROUTES: &[(&str, &str)] = &[
    ("POST", "/compile"),
    ("POST", "/tokens"),
    ("GET", "/compilations"),
    ("GET", "/compilations/{id}"),
    ("POST", "/compilations/diff"),
    ("POST", "/compilations/{id}/replay"),
    ("POST", "/compress"),
    ("POST", "/expand"),
    ("POST", "/artifacts"),
    ("GET", "/artifacts/{id}"),
    ("GET", "/skills"),
    ("GET", "/skills/{name}"),
    ("PUT", "/skills/{name}"),
    ("POST", "/skills/{name}/render"),
    ("DELETE", "/skills/{name}"),
    ("POST", "/v1/compress"),
    ("GET", "/v1/retrieve/{hash}"),
    ("POST", "/v1/retrieve"),
    ("GET", "/health"),
    ("GET", "/stats"),
    ("DELETE", "/artifacts/{id}"),
    ("POST", "/artifacts/cleanup"),
    ("GET", "/adapters"),
    ("GET", "/adapters/{name}"),
    ("PUT", "/adapters/{name}"),
    ("DELETE", "/adapters/{name}"),
    ("POST", "/adapters/{name}/test"),
    ("POST", "/memory"),
    ("GET", "/memory"),
    ("PUT", "/memory/{key}"),
    ("GET", "/memory/{key}"),
    ("PATCH", "/memory/{key}"),
    ("GET", "/memory/{key}/versions"),
    ("POST", "/memory/{key}/restore"),
    ("POST", "/memory/{key}/retract"),
    ("POST", "/memory/{key}/promote"),
    ("DELETE", "/memory/{key}"),
    ("POST", "/memory/import"),
    ("POST", "/memory/recall"),
    ("POST", "/memory-candidates"),
    ("GET", "/memory-candidates"),
    ("GET", "/memory-candidates/events"),
    ("GET", "/memory-candidates/{id}"),
    ("DELETE", "/memory-candidates/{id}"),
    ("POST", "/memory-candidates/{id}/review"),
    ("POST", "/memory-candidates/{id}/promote"),
    ("POST", "/sessions"),
    ("GET", "/sessions"),
    ("GET", "/sessions/{id}"),
    ("PATCH", "/sessions/{id}"),
    ("DELETE", "/sessions/{id}"),
    ("POST", "/sessions/{id}/turns"),
    ("GET", "/sessions/{id}/timeline"),
    ("GET", "/inventory"),
    ("POST", "/sessions/{id}/usage"),
    ("POST", "/packs"),
    ("GET", "/packs"),
    ("POST", "/packs/lint"),
    ("POST", "/packs/diff"),
    ("GET", "/packs/{id}"),
    ("GET", "/packs/{id}/{version}"),
    ("PUT", "/packs/{id}/{version}/golden"),
    ("GET", "/packs/{id}/{version}/golden"),
    ("POST", "/packs/{id}/{version}/golden/run"),
    ("POST", "/policy/evaluate"),
    ("POST", "/sessions/{id}/delegations"),
    ("POST", "/sessions/{id}/switch"),
    ("POST", "/sessions/{id}/fork"),
    ("POST", "/sessions/{id}/restore"),
    ("POST", "/sessions/{id}/snapshots"),
    ("GET", "/sessions/{id}/snapshots"),
    ("GET", "/snapshots/{id}"),
    ("POST", "/tools/calls"),
    ("POST", "/tools/results"),
    ("POST", "/mcp"),
    ("POST", "/hooks"),
    ("GET", "/hooks"),
    ("GET", "/hooks/{id}"),
    ("PUT", "/hooks/{id}"),
    ("PATCH", "/hooks/{id}"),
    ("DELETE", "/hooks/{id}"),
    ("POST", "/hooks/{id}/diff"),
    ("POST", "/hooks/{id}/rotate-secret"),
    ("POST", "/hooks/test"),
    ("POST", "/hooks/{id}/test"),
    ("GET", "/hooks/{id}/deliveries"),
    ("POST", "/deliveries/{id}/retry"),
    ("GET", "/hook-points"),
    ("GET", "/hook-order"),
    ("PUT", "/hook-order"),
    ("GET", "/events"),
    ("POST", "/events/ticket"),
    ("GET", "/keys"),
    ("POST", "/keys"),
    ("PATCH", "/keys/{id}"),
    ("DELETE", "/keys/{id}"),
    ("GET", "/usage"),
    ("GET", "/settings"),
    ("GET", "/models"),
    ("GET", "/healthz"),
    ("GET", "/readyz"),
    ("GET", "/metrics"),
    ("GET", "/openapi.json"),
    ("GET", "/docs"),
    ("GET", "/docs/"),
    ("GET", "/docs/{file}"),
    ("GET", "/docs/guide"),
    ("GET", "/docs/guide/"),
    ("GET", "/docs/guide/{file}"),
    ("GET", "/problems"),
    ("GET", "/problems/{code}"),
    ("GET", "/"),
    ("GET", "/console/{file}"),
    ("POST", "/console/session"),
    ("GET", "/console/session"),
    ("DELETE", "/console/session"),
];

#[test]
fn openapi_yaml_is_current() {
    let document = contexture::http::openapi().to_yaml().expect("document serialises");
    let generated = contexture::http::portable_yaml(&document);
    if std::env::var_os("UPDATE_OPENAPI").is_some() {
        fs::write(PATH, &generated).expect("openapi.yaml is writable");
    }
    let committed = fs::read_to_string(PATH).unwrap_or_default();
    assert!(
        committed == generated,
        "openapi.yaml is stale: run UPDATE_OPENAPI=1 cargo test openapi"
    );
}

#[test]
fn every_route_is_described_and_every_description_is_a_route() {
    let document = serde_json::to_value(contexture::http::openapi()).expect("document serialises");
    let paths = document["paths"].as_object().expect("paths");
    let mut described: Vec<(String, String)> = Vec::new();
    for (path, methods) in paths {
        for method in methods.as_object().expect("methods").keys() {
            described.push((method.to_uppercase(), path.clone()));
        }
    }
    let mut wanted: Vec<(String, String)> =
        ROUTES.iter().map(|(method, path)| ((*method).into(), (*path).into())).collect();
    described.sort();
    wanted.sort();
    assert_eq!(described, wanted);
}

#[test]
fn every_route_has_a_row_that_says_who_may_use_it() {
    let document = serde_json::to_value(contexture::http::openapi()).expect("document serialises");
    let mut described: Vec<(String, String)> = Vec::new();
    for (path, methods) in document["paths"].as_object().expect("paths") {
        for method in methods.as_object().expect("methods").keys() {
            described.push((method.to_uppercase(), path.clone()));
        }
    }
    let mut rows: Vec<_> = contexture::http::ROUTES
        .iter()
        .map(|route| (route.method.to_owned(), route.path.to_owned()))
        .collect();
    described.sort();
    rows.sort();
    assert_eq!(described, rows);
}

#[test]
fn routes_are_added_with_their_description_only() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/http");
    let mut files = 0;
    for entry in fs::read_dir(folder).expect("readable folder") {
        let path = entry.expect("readable entry").path();
        if path.is_dir() {
            continue;
        }
        let text = fs::read_to_string(&path).expect("readable file");
        for bare in [".route(", ".nest(", ".route_service("] {
            assert!(!text.contains(bare), "{}: {bare} adds an undescribed route", path.display());
        }
        files += 1;
    }
    assert!(files > 10, "only {files} files are found");
}

#[tokio::test]
async fn every_described_route_is_served() {
    let secret = "s".repeat(32);
    let server = TestServer::with(&["--bootstrap-key", &secret]).await;
    let build = |method: &str, path: &str| server.build_json(method, path).bearer_auth(&secret);
    let make = async |path: &str, body: Value| -> Value {
        build("POST", path).json(&body).send().await.unwrap().json().await.unwrap()
    };
    let stored = make("/artifacts", json!({"text": "x".repeat(6000)})).await;
    let compiled = make("/compile", json!({"messages": [{"role": "user", "content": "hi"}]})).await;
    let key = make("/keys", json!({"scopes": ["compile"]})).await;
    let proposed = make("/memory-candidates", json!({"value": 1, "class": "preference"})).await;
    make("/packs", crate::support::pack::minimal()).await;
    for (method, path) in ROUTES {
        let owner = match path.split('/').nth(1) {
            Some("memory-candidates") => &proposed,
            Some("compilations") => &compiled,
            _ => &stored,
        };
        let adapter = json!({"detect": {"min_lines": 1}}).to_string();
        build("PUT", "/adapters/one").body(adapter).send().await.unwrap();
        let skill = json!({"description": "d", "instructions": "i"});
        build("PUT", "/skills/one").json(&skill).send().await.unwrap();
        build("PUT", "/memory/one").body("{\"value\":1}").send().await.unwrap();
        let hook = json!({"id": "scan", "point": "transform_context", "kind": "guard",
            "builtin": "secret_scan"});
        make("/hooks", hook).await;
        build("POST", "/sessions").body("{\"id\":\"one\"}").send().await.unwrap();
        // No delivery can be made here: it is served where its problem says of what there is none.
        if *path == "/deliveries/{id}/retry" {
            let absent = build(method, "/deliveries/none/retry").body("{}").send().await.unwrap();
            let absent: Value = absent.json().await.unwrap();
            assert_eq!(absent["detail"], "there is no delivery of this id");
            continue;
        }
        let taken = make("/sessions/one/snapshots", json!({})).await;
        let path = path
            .replace("/snapshots/{id}", &format!("/snapshots/{}", taken["id"].as_str().unwrap()))
            .replace("/hooks/{id}", "/hooks/scan")
            .replace("/sessions/{id}", "/sessions/one")
            .replace("/packs/{id}", "/packs/min")
            .replace("{version}", "1.0.0")
            .replace("/keys/{id}", &format!("/keys/{}", key["id"].as_str().unwrap()))
            .replace("{key}", "one")
            .replace("{name}", "one")
            .replace("{code}", "deadline")
            .replace("/console/{file}", "/console/console.js")
            .replace("/guide/{file}", "/guide/book.js")
            .replace("{file}", "swagger-ui.css")
            .replace("{hash}", stored["id"].as_str().unwrap())
            .replace("{id}", owner["id"].as_str().unwrap());
        let response = build(method, &path).body("{}").send().await.unwrap();
        assert!(![404, 405, 500].contains(&response.status().as_u16()), "{method} {path}");
    }
}

/// Generators of clients read the first media type of a response.
#[test]
fn json_is_the_first_media_type_of_a_response() {
    let document = serde_json::to_value(contexture::http::openapi()).expect("document serialises");
    let mut several = Vec::new();
    for methods in document["paths"].as_object().expect("paths").values() {
        for operation in methods.as_object().expect("methods").values() {
            for response in operation["responses"].as_object().expect("responses").values() {
                let Some(content) = response["content"].as_object() else { continue };
                let types: Vec<&str> = content.keys().map(String::as_str).collect();
                if types.contains(&"application/json") && types.len() > 1 {
                    assert_eq!(types[0], "application/json", "{}", operation["operationId"]);
                    several.push(operation["operationId"].as_str().expect("an id"));
                }
            }
        }
    }
    assert!(several.contains(&"read_events"), "{several:?}");
}

#[test]
fn every_operation_has_an_id_a_summary_and_a_tag() {
    let document = serde_json::to_value(contexture::http::openapi()).expect("document serialises");
    let mut ids = Vec::new();
    for (method, path) in ROUTES {
        let operation = &document["paths"][*path][method.to_lowercase()];
        for key in ["operationId", "summary"] {
            assert!(operation[key].is_string(), "{method} {path} has no {key}");
        }
        assert!(operation["tags"][0].is_string(), "{method} {path} has no tag");
        ids.push(operation["operationId"].clone());
    }
    let count = ids.len();
    ids.sort_by_key(ToString::to_string);
    ids.dedup();
    assert_eq!(ids.len(), count, "an operation id stands twice");
}

#[test]
fn every_table_of_words_is_an_enum_of_the_description() {
    let document = serde_json::to_value(contexture::http::openapi()).expect("document serialises");
    let words_of = |enums: Option<&Value>| -> Vec<String> {
        let words = enums.and_then(Value::as_array).into_iter().flatten();
        words.filter_map(|word| word.as_str().map(str::to_owned)).collect()
    };
    for row in ENUM_PARAMETERS {
        let methods = document["paths"][row.path].as_object().expect(row.path);
        let found = methods.values().filter_map(|operation| operation["parameters"].as_array());
        let found: Vec<_> = found.flatten().filter(|found| found["name"] == row.name).collect();
        assert!(!found.is_empty(), "no operation of {} has a parameter {}", row.path, row.name);
        for found in found {
            assert_eq!(words_of(found["schema"].get("enum")), (row.words)(), "{row:?}");
        }
    }
    for row in ENUM_MEMBERS {
        let schema = &document["components"]["schemas"][row.schema];
        let parts = schema["allOf"].as_array().into_iter().flatten().chain([schema]);
        let found: Vec<_> = parts.filter_map(|part| part["properties"].get(row.name)).collect();
        assert_eq!(found.len(), 1, "the schema {} has no member {}", row.schema, row.name);
        let reference = format!("#/components/schemas/{}", row.type_name);
        let either = found[0]["oneOf"].as_array().into_iter().flatten();
        let mut places = either.chain([found[0], &found[0]["items"]]);
        assert!(places.any(|place| place["$ref"] == *reference), "{row:?}");
        let words = document["components"]["schemas"][row.type_name].get("enum");
        assert_eq!(words_of(words), (row.words)(), "{row:?}");
    }
}

#[test]
fn no_place_has_two_tables_of_words() {
    let mut places: Vec<_> = ENUM_PARAMETERS.iter().map(|row| (row.path, row.name)).collect();
    places.extend(ENUM_MEMBERS.iter().map(|row| (row.schema, row.name)));
    let distinct: BTreeSet<_> = places.iter().collect();
    assert_eq!(distinct.len(), places.len(), "the second row of a place is never used");
}

fn properties<T: PartialSchema>() -> BTreeSet<String> {
    let schema = serde_json::to_value(T::schema()).unwrap();
    schema["properties"].as_object().unwrap().keys().cloned().collect()
}

#[test]
fn the_document_tells_the_keys_that_are_read() {
    let read = COMPILE_KEYS.iter().chain(CONVERSATION_KEYS).map(|key| (*key).to_owned());
    assert_eq!(properties::<CompileRequest>(), read.collect());
    let read = COMPRESS_KEYS.iter().chain(CONVERSATION_KEYS).map(|key| (*key).to_owned());
    assert_eq!(properties::<CompressRequest>(), read.collect());
    let read = ADAPTER_KEYS.iter().map(|key| (*key).to_owned());
    assert_eq!(properties::<AdapterDefinition>(), read.collect());
    let read = HOOK_KEYS.iter().map(|key| (*key).to_owned());
    assert_eq!(properties::<HookDefinition>(), read.collect());
    for (section, keys) in SECTIONS {
        let told = match *section {
            "budget" => properties::<Budget>(),
            "compression" => properties::<Compression>(),
            "protect" => properties::<ProtectOptions>(),
            "cache" => properties::<CacheOptions>(),
            "output" => properties::<Output>(),
            "memory" => properties::<MemoryOptions>(),
            "skill" => properties::<SkillChoice>(),
            "tools" => properties::<ToolOptions>(),
            other => panic!("no schema for {other}"),
        };
        assert_eq!(told, keys.iter().map(|key| (*key).to_owned()).collect(), "{section}");
    }
}
