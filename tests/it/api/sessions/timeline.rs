//! The timeline of a session: what each row has of its record.

use serde_json::{Value, json};

use crate::support::compile::user;
use crate::support::{TestServer, problem};

#[tokio::test]
async fn a_timeline_has_a_row_for_each_compile_of_its_session() {
    let server = TestServer::spawn().await;
    let mut ids = Vec::new();
    for text in ["Where does the build fail?", "And why?", "Then mend it."] {
        let turn = json!({"append": [user(text)], "source": "openai"});
        let session = json!({"id": "a b/c", "defaults": {"model": "gpt-4o",
            "budget": {"context_window": 4000, "reserve_output": 500}}});
        server.post("/sessions", &session).await;
        let taken = server.post_ok("/sessions/a%20b%2Fc/turns", &turn).await;
        ids.push(taken["id"].as_str().unwrap().to_owned());
    }
    server.post_ok("/compile", &json!({"messages": [user("of no session")]})).await;
    server.post_ok("/compile", &json!({"messages": [], "session_id": "other"})).await;
    ids.reverse();

    let path = "/sessions/a%20b%2Fc/timeline";
    let timeline = server.get_json(path).await;
    let rows = timeline["items"].as_array().unwrap();
    let found: Vec<_> = rows.iter().map(|row| row["compilation_id"].as_str().unwrap()).collect();
    assert_eq!(
        (found, &timeline["next_cursor"]),
        (ids.iter().map(String::as_str).collect(), &Value::Null)
    );
    for row in rows {
        let id = row["compilation_id"].as_str().unwrap();
        let record = server.get_json(&format!("/compilations/{id}")).await;
        let report = &record["report"];
        for key in [
            "created_at",
            "model",
            "record",
            "status",
            "current",
            "tokens_before",
            "tokens_after",
            "fits",
        ] {
            assert_eq!(row[key], record[key], "{key}");
        }
        for key in ["budget", "parts", "actions", "unique_saved_tokens", "cost"] {
            assert!(!row[key].is_null(), "{key}");
            assert_eq!(row[key], report[key], "{key}");
        }
        for key in ["stable_tokens", "first_change"] {
            assert_eq!(row[key], report["cache"][key], "{key}");
        }
        assert_eq!(row["budget"], 3500);
    }

    let page = server.get_json(&format!("{path}?limit=2")).await;
    assert_eq!(page["items"].as_array().unwrap(), &rows[..2]);
    let cursor = page["next_cursor"].as_str().unwrap();
    let rest = server.get_json(&format!("{path}?limit=2&cursor={cursor}")).await;
    assert_eq!(
        (rest["items"].as_array().unwrap(), &rest["next_cursor"]),
        (&rows[2..].to_vec(), &Value::Null)
    );
    problem(server.get("/sessions/none/timeline").await, 404, "not_found").await;
    problem(server.get(&format!("{path}?limit=0")).await, 422, "invalid_request").await;
}

#[tokio::test]
async fn a_reported_cost_is_in_the_place_of_the_assumed_one() {
    let server = TestServer::spawn().await;
    let session =
        json!({"id": "s", "defaults": {"model": "claude-sonnet-4-5", "target": "anthropic"}});
    server.post("/sessions", &session).await;
    let turn = json!({"append": [user("Where does the build fail?")], "source": "openai"});
    server.post_ok("/sessions/s/turns", &turn).await;
    let row = async || server.get_json("/sessions/s/timeline").await["items"][0].clone();
    assert_eq!(row().await["cost"]["output_micros"], Value::Null);
    let usage = json!({"usage": {"input_tokens": 15, "output_tokens": 31}});
    server.post_ok("/sessions/s/usage", &usage).await;
    let cost = row().await["cost"].clone();
    assert_eq!(cost["cache"]["assumed"], "reported", "{cost}");
    assert_eq!(cost["output_micros"], 31 * 15, "{cost}");
}
