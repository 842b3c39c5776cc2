//! Scenarios K01, K02 and K04 to K07 of the study of ContextChef's skills.

use serde_json::{Value, json};

use crate::support::compile::user;
use crate::support::{TestServer, problem};

async fn put(server: &TestServer, name: &str, skill: &Value) {
    let request = server.build("PUT", &format!("/skills/{name}")).json(skill);
    assert_eq!(request.send().await.expect("an answer").status(), 201);
}

fn compile_with(skill: &Value) -> Value {
    let messages = json!([{"role": "system", "content": "S"}, user("u")]);
    json!({"messages": messages, "target": "neutral", "skill": skill})
}

#[tokio::test]
async fn a_skill_is_taken_by_name_by_itself_or_not_at_all() {
    let server = TestServer::spawn().await;
    put(&server, "one", &json!({"description": "d", "instructions": "I"})).await;
    let named = server.compile(&compile_with(&json!("one"))).await;
    assert_eq!(named.said(1), "I");
    let object = json!({"name": "two", "instructions": "J"});
    assert_eq!(server.compile(&compile_with(&object)).await.said(1), "J");
    let none = server.compile(&compile_with(&Value::Null)).await;
    assert_eq!(none.roles(), ["system", "user"]);
    let unknown = server.post("/compile", &compile_with(&json!("on"))).await;
    let unknown = problem(unknown, 422, "invalid_request").await;
    assert_eq!(unknown["errors"][0]["pointer"], "/skill");
    let detail = unknown["errors"][0]["detail"].as_str().expect("a text");
    assert!(detail.contains("`on`") && detail.contains("one"), "{detail}");
    let empty = TestServer::spawn().await;
    let unknown =
        problem(empty.post("/compile", &compile_with(&json!("x"))).await, 422, "invalid_request")
            .await;
    assert!(unknown["errors"][0]["detail"].as_str().unwrap().contains("(none)"));
}

#[tokio::test]
async fn instructions_stand_behind_the_system_text_and_are_told() {
    let server = TestServer::spawn().await;
    put(&server, "one", &json!({"description": "d", "instructions": "I"})).await;
    let mut body = compile_with(&json!("one"));
    body["memory"] = json!({"entries": [{"key": "k", "value": "v"}], "placement": "system"});
    let compiled = server.compile(&body).await;
    assert_eq!(compiled.roles(), ["system", "system", "system", "user"]);
    assert_eq!((compiled.said(0).as_str(), compiled.said(1).as_str()), ("S", "I"));
    assert_eq!(compiled.report["skill"], "one");
    assert!(compiled.report["parts"]["skill"].as_u64().unwrap() > 0);
    body.as_object_mut().unwrap().shift_remove("skill");
    let without = server.compile(&body).await;
    assert_eq!(without.report["skill"], Value::Null);
    assert!(!without.text.contains("\"I\""));
}

#[tokio::test]
async fn instructions_of_white_space_are_none() {
    let server = TestServer::spawn().await;
    put(&server, "blank", &json!({"description": "d", "instructions": " \n\t "})).await;
    let compiled = server.compile(&compile_with(&json!("blank"))).await;
    assert_eq!(compiled.roles(), ["system", "user"]);
}

#[tokio::test]
async fn allowed_tools_change_nothing() {
    let server = TestServer::spawn().await;
    put(&server, "free", &json!({"description": "d", "instructions": "I"})).await;
    put(
        &server,
        "bound",
        &json!({"description": "d", "instructions": "I", "allowed_tools": ["b"]}),
    )
    .await;
    let compile = async |name: &str| {
        let mut body = compile_with(&json!(name));
        body["tools"] = json!([{"name": "a", "description": "a"}]);
        server.compile(&body).await.text
    };
    assert_eq!(compile("free").await, compile("bound").await);
}

#[tokio::test]
async fn places_in_instructions_are_filled() {
    let server = TestServer::spawn().await;
    let render = async |text: &str, given: Value| {
        let skill = json!({"description": "d", "instructions": text});
        server.put("/skills/one", &skill).await;
        let answer = server.post_ok("/skills/one/render", &given).await;
        answer["instructions"].as_str().unwrap().to_owned()
    };
    let args = json!({"args": "\"hello world\" x"});
    assert_eq!(render("$0|$1", args.clone()).await, "hello world|x");
    assert_eq!(render("${NOPE}", json!({"vars": {"A": "b"}})).await, "${NOPE}");
    assert_eq!(render("Do it.", args.clone()).await, "Do it.\n\nARGUMENTS: \"hello world\" x");
    let mut kept = args;
    kept["append_args_if_no_placeholder"] = json!(false);
    assert_eq!(render("Do it.", kept).await, "Do it.");
}

#[tokio::test]
async fn skills_are_listed_for_a_model() {
    let server = TestServer::spawn().await;
    let text =
        async |query: &str| server.get(&format!("/skills?{query}")).await.text().await.unwrap();
    assert_eq!(text("format=plain").await, "");
    assert_eq!(text("format=xml").await, "<skills></skills>");
    put(
        &server,
        "a",
        &json!({"description": "x < y & \"z\" > 0", "instructions": "I", "when_to_use": "now"}),
    )
    .await;
    put(&server, "b", &json!({"description": "plain", "instructions": "I"})).await;
    assert_eq!(text("format=plain").await, "- a: x < y & \"z\" > 0 (when: now)\n- b: plain");
    assert_eq!(
        text("format=xml").await,
        "<skills>\n  <skill name=\"a\" when=\"now\">x &lt; y &amp; &quot;z&quot; &gt; 0</skill>\n  \
         <skill name=\"b\">plain</skill>\n</skills>"
    );
    assert_eq!(text("format=plain&max_chars=8").await, "- a: ...");
    assert_eq!(text("format=plain&max_chars=3").await, "- a");
    assert_eq!(text("format=plain&max_chars=0").await, "");
}
