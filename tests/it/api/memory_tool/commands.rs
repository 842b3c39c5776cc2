//! The commands, their texts and their errors.

use serde_json::{Value, json};

use super::{
    command, create, delete, insert, keys, refused, rename, replace, run, run_all, tools, view,
};
use crate::support::TestServer;

const HEADER: &str = "Here're the files and directories up to 2 levels deep in";
const REST: &str = "excluding hidden items and node_modules:";

#[tokio::test]
async fn a_file_is_an_entry_of_the_key_below_the_root() {
    let server = TestServer::spawn().await;
    let text = run(&server, create("/memories/a/b.txt", "one\ntwo\n")).await;
    assert_eq!(text, "File created successfully at: /memories/a/b.txt");
    let entry = server.get_json("/memory/a%2Fb.txt").await;
    assert_eq!(entry["value"], "one\ntwo\n");
    assert_eq!(entry["status"], "captured");
    assert_eq!(
        run(&server, view("/memories/a/b.txt")).await,
        "Here's the content of /memories/a/b.txt with line numbers:\n     1\tone\n     2\ttwo"
    );
    let range = json!({"command": "view", "path": "/memories/a/b.txt", "view_range": [2, -1]});
    assert!(run(&server, range).await.ends_with(":\n     2\ttwo"));
    // What the application writes is a file, too.
    server.remember("plan.md", &json!({"value": "x"})).await;
    assert!(run(&server, view("/memories/plan.md")).await.ends_with("\n     1\tx"));
    let again = refused(&server, create("/memories/a/b.txt", "x")).await;
    assert_eq!(again, "Error: File /memories/a/b.txt already exists");
    assert_eq!(server.get_json("/memory/a%2Fb.txt").await["version"], 1);
}

#[tokio::test]
async fn a_directory_is_listed_two_levels_deep() {
    let server = TestServer::spawn().await;
    assert_eq!(
        run(&server, view("/memories")).await,
        format!("{HEADER} /memories, {REST}\n0B\t/memories")
    );
    for (key, size) in [
        ("b", 1),
        ("a/x/deep/er", 2),
        ("a/y", 1536),
        ("a.txt", 3),
        (".h", 9),
        ("a/.g/z", 9),
        ("node_modules/m", 9),
    ] {
        run(&server, create(&format!("/memories/{key}"), &"é".repeat(size / 2))).await;
    }
    run(&server, create("/memories/empty", "")).await;
    let root = run(&server, view("/memories/")).await;
    let lines: Vec<&str> = root.lines().skip(1).collect();
    assert_eq!(
        lines,
        [
            "1.5K\t/memories",
            "1.5K\t/memories/a",
            "2B\t/memories/a/x",
            "1.5K\t/memories/a/y",
            "2B\t/memories/a.txt",
            "0B\t/memories/b",
            "0B\t/memories/empty",
        ]
    );
    for path in ["/memories/a/x", "/memories/a/x/"] {
        assert_eq!(
            run(&server, view(path)).await,
            format!(
                "{HEADER} /memories/a/x, {REST}\n2B\t/memories/a/x\n2B\t/memories/a/x/deep\n\
                 2B\t/memories/a/x/deep/er"
            )
        );
    }
    for path in ["/memories/c", "/memories/b/", "/memories/a/x/dee"] {
        let text = refused(&server, view(path)).await;
        let shown = path.trim_end_matches('/');
        assert_eq!(text, format!("The path {shown} does not exist. Please provide a valid path."));
    }
}

#[tokio::test]
async fn a_text_is_edited_by_its_parts_and_lines() {
    let server = TestServer::spawn().await;
    run(&server, create("/memories/f", "a\nb\nc\na\n")).await;
    assert_eq!(
        run(&server, replace("/memories/f", "b\n", "B\n")).await,
        "The memory file has been edited. Here is the snippet showing the change (with line \
         numbers):\n     1\ta\n     2\tB\n     3\tc\n     4\ta"
    );
    assert_eq!(
        refused(&server, replace("/memories/f", "a", "x")).await,
        "No replacement was performed. Multiple occurrences of old_str `a` in lines: 1, 4. Please \
         ensure it is unique"
    );
    assert_eq!(
        refused(&server, replace("/memories/f", "z", "x")).await,
        "No replacement was performed, old_str `z` did not appear verbatim in /memories/f."
    );
    run(&server, json!({"command": "str_replace", "path": "/memories/f", "old_str": "c\n"})).await;
    assert_eq!(
        run(&server, insert("/memories/f", 0, "top")).await,
        "The file /memories/f has been edited."
    );
    run(&server, insert("/memories/f", 4, "end")).await;
    assert_eq!(server.get_json("/memory/f").await["value"], "top\na\nB\na\nend");
    for line in [-1, 6] {
        assert_eq!(
            refused(&server, insert("/memories/f", line, "x")).await,
            format!(
                "Error: Invalid `insert_line` parameter: {line}. It should be within the range of \
                 lines of the file: [0, 5]"
            )
        );
    }
    assert_eq!(
        refused(&server, replace("/memories/no", "a", "b")).await,
        "Error: The path /memories/no does not exist. Please provide a valid path."
    );
    assert_eq!(
        refused(&server, insert("/memories/no", 0, "b")).await,
        "Error: The path /memories/no does not exist"
    );
}

#[tokio::test]
async fn files_and_directories_are_renamed_and_deleted() {
    let server = TestServer::spawn().await;
    for key in ["d/1", "d/e/2", "dd", "f"] {
        run(&server, create(&format!("/memories/{key}"), key)).await;
    }
    let entry = json!({"value": "t", "importance": 0.9, "classification": "restricted",
        "description": "about", "tags": ["x"]});
    server.remember("d%2Ft", &entry).await;
    assert_eq!(
        run(&server, rename("/memories/d", "/memories/n/m")).await,
        "Successfully renamed /memories/d to /memories/n/m"
    );
    assert_eq!(keys(&server).await, ["dd", "f", "n/m/1", "n/m/e/2", "n/m/t"]);
    let moved = server.get_json("/memory/n%2Fm%2Ft").await;
    for (name, value) in entry.as_object().unwrap() {
        assert_eq!(moved[name], *value, "{name}");
    }
    assert_eq!(moved["status"], "captured");
    for (from, to, text) in [
        ("f", "dd", "Error: The destination /memories/dd already exists"),
        ("f", "n", "Error: The destination /memories/n already exists"),
        ("f", "f", "Error: The destination /memories/f already exists"),
        ("f", "dd/x", "Error: /memories/dd is not a directory"),
        ("n", "n/o", "Error: The destination /memories/n/o is inside of /memories/n"),
        ("no", "x", "Error: The path /memories/no does not exist"),
    ] {
        let (from, to) = (format!("/memories/{from}"), format!("/memories/{to}"));
        assert_eq!(refused(&server, rename(&from, &to)).await, text);
    }
    let root = "Cannot rename the /memories directory itself";
    assert_eq!(refused(&server, rename("/memories/", "/memories/x")).await, root);
    assert_eq!(
        run(&server, rename("/memories/f", "/memories/g")).await,
        "Successfully renamed /memories/f to /memories/g"
    );
    assert_eq!(run(&server, delete("/memories/n")).await, "Successfully deleted /memories/n");
    assert_eq!(run(&server, delete("/memories/g")).await, "Successfully deleted /memories/g");
    assert_eq!(keys(&server).await, ["dd"]);
    assert_eq!(
        refused(&server, delete("/memories/d")).await,
        "Error: The path /memories/d does not exist"
    );
    assert_eq!(
        refused(&server, delete("/memories")).await,
        "Cannot delete the /memories directory itself"
    );
}

#[tokio::test]
async fn paths_that_lead_elsewhere_are_refused_by_every_command() {
    let server = TestServer::spawn().await;
    server.remember("k", &json!({"value": "v"})).await;
    for path in [
        "/memoriesX",
        "/memoriesX/k",
        "/etc/passwd",
        "memories/k",
        "/memories/../k",
        "/memories/..",
        "/memories/a/../k",
        "/memories/..\\k",
        "/memories/%2e%2e/k",
        "/memories/%2E%2e%2fk",
        "/memories/%252e%252e/k",
        "/memories//k",
        "/memories/import",
        "/memories/k\u{0}",
    ] {
        for input in [
            view(path),
            create(path, "x"),
            replace(path, "v", "x"),
            insert(path, 0, "x"),
            delete(path),
            rename(path, "/memories/z"),
            rename("/memories/k", path),
        ] {
            let text = refused(&server, input.clone()).await;
            let is_path = ["Path ", "Error: /memories"].iter().any(|start| text.starts_with(start));
            assert!(is_path, "{input}: {text}");
        }
    }
    let long = format!("/memories/{}", "x".repeat(257));
    assert!(refused(&server, create(&long, "x")).await.contains("1 to 256 bytes"));
    assert_eq!(keys(&server).await, ["k"]);
    assert_eq!(server.get_json("/memory/k").await["version"], 1);
}

#[tokio::test]
async fn commands_that_lack_something_say_what() {
    let server = TestServer::spawn().await;
    run(&server, create("/memories/f", "a\n")).await;
    for (input, part) in [
        (json!({}), "`command`"),
        (json!({"command": "read", "path": "/memories/f"}), "view, create, str_replace"),
        (json!({"command": "view"}), "`path`"),
        (json!({"command": "create", "path": "/memories/x"}), "`file_text`"),
        (json!({"command": "insert", "path": "/memories/f", "insert_text": "x"}), "`insert_line`"),
        (json!({"command": "str_replace", "path": "/memories/f", "old_str": ""}), "`old_str`"),
        (json!({"command": "rename", "old_path": "/memories/f"}), "`new_path`"),
        (json!({"command": "view", "path": "/memories/f", "view_range": [0, 1]}), "`view_range`"),
        (json!({"command": "view", "path": "/memories/f", "view_range": [5, 9]}), "`view_range`"),
        (json!({"command": "view", "path": "/memories/f", "view_range": "1"}), "`view_range`"),
        (create("/memories", "x"), "is a directory"),
        (create("/memories/x/", "x"), "is a directory"),
        (create("/memories/f/x", "x"), "/memories/f is not a directory"),
    ] {
        let text = refused(&server, input.clone()).await;
        assert!(text.contains(part), "{input}: {text}");
    }
    assert_eq!(keys(&server).await, ["f"]);
}

#[tokio::test]
async fn values_that_are_no_texts_are_shown_and_not_edited() {
    let server = TestServer::spawn().await;
    server.remember("j", &json!({"value": {"a": [1, 2]}})).await;
    assert!(run(&server, view("/memories/j")).await.ends_with("\n     1\t{\"a\":[1,2]}"));
    for input in [replace("/memories/j", "1", "2"), insert("/memories/j", 0, "x")] {
        let text = refused(&server, input).await;
        assert_eq!(
            text,
            "Error: /memories/j is no text but a JSON value, which cannot be edited. Nothing was done."
        );
    }
    assert_eq!(server.get_json("/memory/j").await["value"], json!({"a": [1, 2]}));
    run(&server, rename("/memories/j", "/memories/i")).await;
    assert_eq!(server.get_json("/memory/i").await["value"], json!({"a": [1, 2]}));
    run(&server, delete("/memories/i")).await;
    assert!(keys(&server).await.is_empty());
}

#[tokio::test]
async fn results_are_in_the_shape_of_the_calls() {
    let server = TestServer::spawn().await;
    let input = view("/memories/none");
    let text = input.to_string();
    let reason = "The path /memories/none does not exist. Please provide a valid path.";
    for (call, place) in [
        (
            json!({"id": "c", "type": "function", "function": {"name": "memory", "arguments": text}}),
            "/content",
        ),
        (
            json!({"type": "function_call", "call_id": "c", "name": "memory", "arguments": text}),
            "/output",
        ),
        (command("c", &input), "/content/0/content"),
        (json!({"functionCall": {"name": "memory", "args": input}}), "/parts/0/functionResponse"),
    ] {
        let answer =
            server.post_ok("/tools/calls", &json!({"calls": [call], "tools": tools()})).await;
        let result = &answer["results"][0];
        assert_eq!((&result["for"], &result["decision"]), (&json!("service"), &json!("deny")));
        let shown = result["message"].pointer(place).map(Value::to_string).unwrap_or_default();
        assert!(shown.contains(reason), "{place}: {result}");
    }
}

#[tokio::test]
async fn only_a_tool_of_the_type_is_carried_out() {
    let server = TestServer::spawn().await;
    let call = command("c", &create("/memories/f", "x"));
    for tools in [
        Value::Null,
        json!([{"name": "memory", "input_schema": {"type": "object"}}]),
        json!([{"type": "memory_20260101", "name": "memory"}]),
        json!({"list": [{"type": "memory_20991231", "name": "memory"}]}),
    ] {
        let answer =
            server.post_ok("/tools/calls", &json!({"calls": [call], "tools": tools})).await;
        assert_eq!(answer["results"][0]["for"], "caller", "{tools}");
    }
    let body = json!({"calls": [call], "tools": {"list": tools(), "blocked": ["memory"]}});
    let answer = server.post_ok("/tools/calls", &body).await;
    assert_eq!(answer["results"][0]["decision"], "deny");
    assert!(keys(&server).await.is_empty());
    let body = json!({"calls": [call], "tools": {"list": tools()}});
    assert_eq!(server.post_ok("/tools/calls", &body).await["results"][0]["for"], "service");
    assert_eq!(keys(&server).await, ["f"]);
}

#[tokio::test]
async fn calls_of_one_message_see_those_before_them() {
    let server = TestServer::spawn().await;
    let inputs = [
        create("/memories/f", "a"),
        replace("/memories/f", "a", "b"),
        rename("/memories/f", "/memories/g/h"),
        view("/memories/g/h"),
        view("/memories/f"),
        delete("/memories/g"),
        view("/memories"),
    ];
    let done = run_all(&server, &inputs, &json!({})).await;
    let errors: Vec<bool> = done.iter().map(|said| said.is_error).collect();
    assert_eq!(errors, [false, false, false, false, true, false, false]);
    assert!(done[3].text.ends_with("     1\tb"), "{done:?}");
    assert!(keys(&server).await.is_empty());
}
