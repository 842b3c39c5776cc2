//! `/skills`, and skills in a compile.

use serde_json::{Value, json};

use crate::support::compile::user;
use crate::support::{TestServer, json_of, problem};

const TEXT: &str = "---\nname: review\ndescription: Reads <code> & \"more\"\nwhen-to-use: before a merge\n\
                    arguments: [file, base]\n---\n\nLook at $file against ${BRANCH}.\n";

async fn put_text(server: &TestServer, name: &str, text: &str) -> reqwest::Response {
    let request =
        server.build("PUT", &format!("/skills/{name}")).header("content-type", "text/plain");
    request.body(text.to_owned()).send().await.expect("an answer")
}

#[tokio::test]
async fn a_skill_is_stored_read_replaced_and_deleted() {
    let server = TestServer::spawn().await;
    let made = put_text(&server, "review", TEXT).await;
    assert_eq!(made.status(), 201);
    assert_eq!(made.headers()["etag"], "\"1\"");
    let made = json_of(made, 201).await;
    assert_eq!(made["instructions"], "Look at $file against ${BRANCH}.");
    assert_eq!(made["when_to_use"], "before a merge");
    assert_eq!(made["metadata"]["arguments"], json!(["file", "base"]));
    assert_eq!(made["source"], "stored");
    assert_eq!(put_text(&server, "review", TEXT).await.status(), 200);
    let read = server.get("/skills/review").await;
    assert_eq!(read.headers()["etag"], "\"1\"");
    assert_eq!(json_of(read, 200).await, made);

    let body = json!({"description": "d", "instructions": "i", "allowed_tools": ["a"]});
    let stale = server.build("PUT", "/skills/review").header("if-match", "\"7\"").json(&body);
    problem(stale.send().await.unwrap(), 412, "precondition_failed").await;
    let changed = server.build("PUT", "/skills/review").header("if-match", "\"1\"").json(&body);
    let changed = changed.send().await.unwrap();
    assert_eq!(json_of(changed, 200).await["version"], 2);

    let delete = || server.build("DELETE", "/skills/review");
    let stale = delete().header("if-match", "\"1\"").send().await.unwrap();
    problem(stale, 412, "precondition_failed").await;
    assert_eq!(delete().send().await.unwrap().status(), 204);
    problem(delete().send().await.unwrap(), 404, "not_found").await;
    problem(server.get("/skills/review").await, 404, "not_found").await;
}

#[tokio::test]
async fn what_is_no_skill_is_refused_with_every_fault() {
    let server = TestServer::spawn().await;
    let refused = put_text(&server, "review", "---\nname: other\ndescription: d\n---\nx").await;
    let refused = problem(refused, 422, "invalid_request").await;
    assert_eq!(refused["errors"][0]["pointer"], "/name");
    let refused =
        problem(put_text(&server, "review", "---\nfoo: 1\n---\n").await, 422, "invalid_request")
            .await;
    assert_eq!(refused["errors"].as_array().unwrap().len(), 2);
    let body = json!({"descripton": "d", "allowed_tools": "a", "metadata": 1});
    let refused = problem(server.put_skill("review", &body).await, 422, "invalid_request").await;
    assert_eq!(refused["errors"].as_array().unwrap().len(), 5, "{refused}");
    assert_eq!(refused["errors"][0]["did_you_mean"], "description");
    let body = json!({"description": "d", "instructions": "i"});
    problem(server.put_skill("a%20b", &body).await, 422, "invalid_request").await;
    let list = server.get_json("/skills").await;
    assert_eq!(list, json!({"items": [], "next_cursor": null, "errors": []}));
}

#[tokio::test]
async fn skills_are_listed_in_pages_and_as_texts() {
    let server = TestServer::spawn().await;
    for name in ["b", "a", "c"] {
        let body = json!({"description": format!("does {name}"), "instructions": "i", "when_to_use": "now"});
        assert_eq!(server.put_skill(name, &body).await.status(), 201);
    }
    let first = server.get_json("/skills?limit=2").await;
    assert_eq!(first["items"][0]["name"], "a");
    assert_eq!(first["items"].as_array().unwrap().len(), 2);
    assert!(first["items"][0].get("instructions").is_none());
    let cursor = first["next_cursor"].as_str().expect("more");
    let second = server.get_json(&format!("/skills?limit=2&cursor={cursor}")).await;
    assert_eq!(second["items"][0]["name"], "c");
    assert_eq!(second["next_cursor"], Value::Null);
    let plain = server.get("/skills?format=plain&include_when_to_use=false").await;
    assert_eq!(plain.headers()["content-type"], "text/plain; charset=utf-8");
    assert_eq!(plain.text().await.unwrap(), "- a: does a\n- b: does b\n- c: does c");
    problem(server.get("/skills?format=yaml").await, 422, "invalid_request").await;
}

#[tokio::test]
async fn folders_are_read_at_the_start_and_their_errors_are_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        std::fs::create_dir_all(folder.path().join(name)).unwrap();
        std::fs::write(folder.path().join(name).join("SKILL.md"), text).unwrap();
    };
    write("review", TEXT);
    write("broken", "no head");
    write("zeta", "---\nname: zeta\ndescription: last\n---\nZ");
    std::fs::create_dir_all(folder.path().join("empty")).unwrap();
    let path = folder.path().to_str().unwrap().to_owned();
    let server =
        TestServer::with(&["--skills-dir", &path, "--skills-dir", "/nowhere/at/all"]).await;
    let list = server.get_json("/skills").await;
    let names: Vec<&str> =
        list["items"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["review", "zeta"]);
    assert_eq!(list["items"][0]["source"], "folder");
    let errors = list["errors"].as_array().expect("errors");
    assert_eq!(errors.len(), 2);
    assert_eq!(errors[0]["path"], "broken/SKILL.md");
    assert!(!list.to_string().contains(&path), "{list}");
    // A stored one stands in the place of the folder's, which is back when that is gone.
    let body = json!({"description": "mine", "instructions": "own"});
    assert_eq!(server.put_skill("review", &body).await.status(), 201);
    assert_eq!(server.get_json("/skills/review").await["instructions"], "own");
    server.delete("/skills/review").await;
    assert_eq!(server.get_json("/skills/review").await["source"], "folder");
    let gone = server.delete("/skills/review").await;
    problem(gone, 404, "not_found").await;
    let rendered = json!({"include_base_dir": true, "args": "a"});
    let rendered = server.post_ok("/skills/zeta/render", &rendered).await;
    let text = rendered["instructions"].as_str().unwrap();
    assert!(text.contains("zeta\n\nZ\n\nARGUMENTS: a"), "{text}");
}

#[tokio::test]
async fn a_compile_takes_a_skill_with_its_arguments() {
    let server = TestServer::spawn().await;
    put_text(&server, "review", TEXT).await;
    let mut body =
        json!({"messages": [{"role": "system", "content": "S"}, user("u")], "target": "neutral"});
    body["skill"] = json!({"name": "review", "args": "\"a b.rs\" x", "vars": {"BRANCH": "main"}});
    let compiled = server.compile(&body).await;
    assert_eq!(compiled.roles(), ["system", "system", "user"]);
    assert_eq!(compiled.said(1), "Look at a b.rs against main.");
    assert_eq!(compiled.report["skill"], "review");
    let rendered = json!({"args": "\"a b.rs\" x", "vars": {"BRANCH": "main"}});
    let rendered = server.post_ok("/skills/review/render", &rendered).await;
    assert_eq!(rendered["instructions"], compiled.said(1));
    body["skill"] = json!({"name": "mine", "instructions": "Do $0.", "args": "it"});
    assert_eq!(server.compile(&body).await.said(1), "Do it.");
    body["skill"] = json!({"name": "review", "args": 1, "vars": {"A": 2}, "arg": "x"});
    let refused = problem(server.post("/compile", &body).await, 422, "invalid_request").await;
    assert_eq!(refused["errors"].as_array().unwrap().len(), 3);
    problem(server.post("/skills/none/render", &json!({})).await, 404, "not_found").await;
}
