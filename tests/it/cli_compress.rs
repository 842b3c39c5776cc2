//! `contexture compress`, `expand` and `prove`: the built program on files.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Output, Stdio};

use serde_json::{Value, json};

use crate::support::{Folder, ServerProcess};

fn run(arguments: &[&str]) -> Output {
    ServerProcess::command().args(arguments).output().expect("the program runs")
}

fn piped(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = ServerProcess::command()
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("standard input");
    stdin.write_all(input).expect("the program reads");
    drop(stdin);
    child.wait_with_output().expect("the program ends")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The output of a run that went well.
fn good(output: Output) -> Vec<u8> {
    assert!(output.status.success(), "{}", text(&output.stderr));
    output.stdout
}

fn log() -> String {
    let mut log = String::new();
    for at in 0..80 {
        let ms = (at * 37) % 113;
        let _ = writeln!(log, "2026-03-01T10:00:{at:02} INFO worker handled order {at} in {ms} ms");
        if at == 40 {
            log.push_str("2026-03-01T10:00:40 ERROR order 40 was refused: card_declined\n");
        }
    }
    log
}

fn table() -> Value {
    let row = |at: usize| {
        json!({"id": 4000 + at, "name": format!("item_{at}"), "path": format!("src/part_{at}.rs"),
               "state": if at.is_multiple_of(3) { "ready" } else { "waiting" }})
    };
    (0..30).map(row).collect()
}

/// A session with a table, a numbered file and a log that is in colour.
fn messages() -> Value {
    let mut file = String::new();
    for at in 1..40 {
        let _ = writeln!(file, "{at:>6}\tlet value_{at} = read(\"config/{at}.toml\")?;");
    }
    let colour = |(at, line): (usize, &str)| {
        line.replace("INFO", &format!("\u{1b}[3{}mINFO\u{1b}[0m", at % 7)) + "\n"
    };
    let coloured: Vec<String> = log().lines().enumerate().map(colour).collect();
    let results = [
        serde_json::to_string_pretty(&table()).expect("a table"),
        file,
        format!("Running   \r\n{}", coloured.concat()),
    ];
    let mut messages = vec![json!({"role": "user", "content": "Why was the order refused?"})];
    for (at, result) in results.into_iter().enumerate() {
        let id = format!("call_{at}");
        messages.push(json!({"role": "assistant", "content": null, "tool_calls": [{"id": id,
            "type": "function", "function": {"name": "read", "arguments": format!("{{\"n\":{at}}}")}}]}));
        messages.push(json!({"role": "tool", "tool_call_id": id, "content": result}));
    }
    messages.push(json!({"role": "assistant", "content": "The card was declined."}));
    messages.into()
}

#[test]
fn a_text_comes_back_byte_for_byte() {
    let files = Folder::new();
    let rows: Vec<String> = (0..60).map(|at| format!("{at},item_{at},ready\n")).collect();
    let csv = format!("id,name,state\n{}", rows.concat());
    let texts = [
        log(),
        csv,
        table().to_string(),
        format!("\u{1b}[31m{}\u{1b}[0m  \r\n", log()),
        "§json 3\nnot ours\n".to_owned(),
        "no line end".to_owned(),
        String::new(),
    ];
    for text in texts {
        let file = files.write("x.log", &text);
        let shown = good(run(&["compress", &file, "--originals", "none"]));
        let back = good(piped(&["expand", "-"], &shown));
        assert!(back == text.as_bytes(), "{text}\nwas shown as\n{}", self::text(&shown));
    }
    let file = files.write("x.log", log());
    let shown = run(&["compress", &file, "--notations", "computed"]);
    assert!(shown.stdout.len() < log().len() / 2, "{}", text(&shown.stdout));
    assert!(text(&shown.stdout).contains("ERROR order 40 was refused: card_declined"));
    assert!(text(&shown.stderr).contains(" tokens. "), "{}", text(&shown.stderr));
}

#[test]
fn messages_come_back_from_their_notations() {
    let files = Folder::new();
    let list = messages();
    let file = files.write("session.json", list.to_string());
    let computed = ["--notations", "computed"];
    let shown = good(run(&[&["compress", &file, "--originals", "none"][..], &computed].concat()));
    assert!(shown.len() < list.to_string().len() / 2);
    let back: Value = serde_json::from_slice(&good(piped(&["expand", "-"], &shown))).unwrap();
    assert_eq!(back, list);
}

#[test]
fn originals_bring_back_what_notations_do_not() {
    let files = Folder::new();
    let list = messages();
    let file = files.write("session.json", list.to_string());
    let full = good(run(&["compress", &file, "--full"]));
    let answer: Value = serde_json::from_slice(&full).unwrap();
    let originals = answer["originals"].as_object().unwrap();
    assert_eq!(originals.keys().filter(|name| !name.starts_with("shown:")).count(), 3);
    let bare = good(run(&["compress", &file]));
    let back: Value = serde_json::from_slice(&good(piped(&["expand", "-"], &bare))).unwrap();
    assert_ne!(back, list);

    let kept = files.write("answer.json", &full);
    let kept = ["expand", "-", "--originals", &kept];
    for (arguments, input) in [(&kept[..2], &full), (&kept[..], &bare)] {
        let back = good(piped(arguments, input));
        assert_eq!(serde_json::from_slice::<Value>(&back).unwrap(), list);
    }
}

#[test]
fn what_was_left_out_comes_back_from_the_whole_answer_alone() {
    let files = Folder::new();
    let line = |at: usize| format!("   Compiling part_{at} v0.{at}\n");
    let build = (0..200).map(line).collect::<String>() + "error: part_7 does not build\n";
    let list = messages();
    for (name, content) in [("build.log", build.clone()), ("session.json", list.to_string())] {
        let file = files.write(name, &content);
        let full = good(run(&["compress", &file, "--level", "reversible", "--full"]));
        let back = good(piped(&["expand", "-"], &full));
        if name == "build.log" {
            assert_eq!(text(&back), build);
        } else {
            assert_eq!(serde_json::from_slice::<Value>(&back).unwrap(), list);
        }
    }
    // Without the originals, what was left out is missing.
    let file = files.write("build.log", &build);
    let bare = good(run(&["compress", &file, "--level", "reversible"]));
    let output = piped(&["expand", "-"], &bare);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("1 missing"), "{}", text(&output.stderr));
}

#[test]
fn a_session_of_any_make_is_read() {
    let files = Folder::new();
    let session = json!({"id": "s-1", "source": "recorder", "messages": messages()});
    let file = files.write("session.json", session.to_string());
    let output = run(&["compress", &file]);
    assert!(text(&output.stderr).contains("ignored: id, source"), "{}", text(&output.stderr));
    let shown: Value = serde_json::from_slice(&good(output)).unwrap();
    assert_eq!(shown.as_array().map(Vec::len), messages().as_array().map(Vec::len));

    let lines = [
        json!({"type": "summary", "summary": "x"}),
        json!({"type": "user", "message": {"role": "user", "content": "Look"}}),
        json!({"type": "assistant", "message": {"id": "m1", "role": "assistant", "model": "m",
            "content": [{"type": "text", "text": "I will."}]}}),
        json!({"type": "assistant", "message": {"id": "m1", "role": "assistant", "model": "m",
            "content": [{"type": "tool_use", "id": "t1", "name": "run", "input": {}}]}}),
        json!({"type": "user", "message": {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t1", "content": log()}]}}),
    ];
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    let lines = lines.join("\n");
    let proved = run(&["prove", &files.write("session.jsonl", lines)]);
    let table = text(&good(proved));
    assert!(table.starts_with("3 messages from JSON Lines, "), "{table}");
    assert!(table.contains("3 of 3"), "{table}");

    let lines: Vec<String> = messages().as_array().unwrap().iter().map(Value::to_string).collect();
    let proved = |lines: &[String]| {
        let file = files.write("messages.jsonl", lines.join("\n"));
        text(&good(run(&["prove", &file])))
    };
    let table = proved(&lines);
    let count = lines.len();
    assert!(table.starts_with(&format!("{count} messages from JSON Lines, ")), "{table}");
    assert!(table.contains(&format!("{count} of {count}")), "{table}");
    let table = proved(&[json!({"level": "info"}).to_string()]);
    assert!(table.starts_with("one text (its lines of JSON are no messages), "), "{table}");
}

/// A session as Codex logs it, without the end of its last line.
fn rollout() -> String {
    let item = |payload: Value| json!({"timestamp": "2026-03-01T10:00:00Z", "type": "response_item", "payload": payload});
    let other = |kind: &str, payload: Value| json!({"timestamp": "2026-03-01T10:00:00Z", "type": kind, "payload": payload});
    let mut lines: Vec<String> = [
        other("session_meta", json!({"id": "s", "cwd": "/w", "instructions": null})),
        item(json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Look"}]})),
        other("event_msg", json!({"type": "user_message", "message": "Look"})),
        other("turn_context", json!({"model": "gpt-5-codex"})),
        item(json!({"type": "reasoning", "summary": [], "encrypted_content": "abc"})),
        item(json!({"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c1"})),
        item(json!({"type": "function_call_output", "call_id": "c1", "output": log()})),
        item(json!({"type": "ghost_snapshot", "ghost_commit": {"id": "a"}})),
        other("event_msg", json!({"type": "token_count", "info": null})),
        item(json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Order 40 failed."}]})),
    ]
    .map(|line| line.to_string())
    .into();
    lines.push(r#"{"timestamp":"2026-03-01T10:00:09Z","type":"response_item","payl"#.to_owned());
    lines.join("\n")
}

#[test]
fn a_log_of_codex_is_a_conversation() {
    let files = Folder::new();
    let file = files.write("rollout.jsonl", rollout());
    let proved = run(&["prove", &file, "--json"]);
    assert!(
        text(&proved.stderr).contains("left out: line 11, which is cut off"),
        "{}",
        text(&proved.stderr)
    );
    let figures: Value = serde_json::from_slice(&good(proved)).unwrap();
    assert_eq!((&figures["kind"], &figures["messages"]), (&json!("messages"), &json!(5)));
    let lossless = &figures["levels"][0];
    assert_eq!((&lossless["restored"], &lossless["lost"]), (&json!(5), &json!(0)));
    let [before, after] =
        ["tokens_before", "tokens_after_computed"].map(|key| lossless[key].as_u64());
    assert!(before > after && after > Some(0), "{lossless}");

    let compressed = run(&["compress", &file]);
    assert!(text(&compressed.stderr).contains("left out: line 11"), "{}", text(&compressed.stderr));
    let shown: Value = serde_json::from_slice(&good(compressed)).unwrap();
    let kinds: Vec<_> =
        shown.as_array().unwrap().iter().map(|item| item["type"].as_str()).collect();
    let wanted = ["message", "reasoning", "function_call", "function_call_output", "message"];
    assert_eq!(kinds, wanted.map(Some));
}

#[test]
fn input_that_is_piped_in_needs_no_name() {
    let list = messages().to_string();
    let named = good(piped(&["compress", "-"], list.as_bytes()));
    assert_eq!(good(piped(&["compress"], list.as_bytes())), named);
    assert_eq!(good(piped(&["expand"], &named)), good(piped(&["expand", "-"], &named)));
    let proved = text(&good(piped(&["prove"], list.as_bytes())));
    assert!(proved.starts_with("8 messages, "), "{proved}");
    let compiled = piped(&["compile", "--target", "openai"], list.as_bytes());
    assert!(serde_json::from_slice::<Value>(&good(compiled)).unwrap()["messages"].is_array());
}

#[test]
fn lines_that_are_not_understood_are_named() {
    let files = Folder::new();
    for (lines, why) in [
        ("{\"role\":\"user\",\"content\":\"a\"}\n{\"level\":\"info\"}\n", "line 2 is no message"),
        ("{\"role\":\"user\",\"content\":\"a\"}\nwords\n{\"b\":1}", "line 2 is not JSON"),
        (
            "{\"timestamp\":\"t\",\"type\":\"session_meta\",\"payload\":{}}\n",
            "line 1 is no message",
        ),
    ] {
        let output = run(&["prove", &files.write("x.jsonl", lines)]);
        let told = text(&output.stderr);
        assert!(told.contains("x.jsonl is read as one text: ") && told.contains(why), "{told}");
        assert!(text(&good(output)).starts_with("one text"));
    }
    let told = text(&run(&["prove", &files.write("build.log", log())]).stderr);
    assert!(!told.contains("is read as one text"), "{told}");
    // An agent that is still writing.
    let cut = "{\"role\":\"user\",\"content\":\"a\"}\n{\"role\":\"assistant\",\"cont";
    let output = run(&["prove", &files.write("cut.jsonl", cut)]);
    assert!(text(&output.stderr).contains("left out: line 2, which is cut off"));
    assert!(text(&good(output)).starts_with("1 message from JSON Lines"));
}

#[test]
fn flags_win_over_the_file() {
    let files = Folder::new();
    let request = json!({"messages": messages(), "level": "nonsense", "budget_tokens": 1});
    let file = files.write("request.json", request.to_string());
    let refused = run(&["compress", &file]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("/level"), "{}", text(&refused.stderr));
    let answer = good(run(&["compress", &file, "--level", "drop", "--budget", "400", "--full"]));
    let answer: Value = serde_json::from_slice(&answer).unwrap();
    assert_eq!(answer["report"]["budget"], 400);
}

#[test]
fn expanding_what_cannot_be_followed_fails() {
    let text = b"\xc2\xa7= result 7\n";
    let output = piped(&["expand", "-"], text);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(output.stdout, text);
    assert!(self::text(&output.stderr).contains("1 missing"));
}

#[test]
fn prove_measures_a_session() {
    let files = Folder::new();
    let file = files.write("session.json", messages().to_string());
    let output = run(&["prove", &file]);
    let time = text(&output.stderr);
    assert!(time.contains(" ms") && time.contains(" MB/s"), "{time}");
    let table = text(&good(output));
    assert!(table.lines().all(|line| line.chars().count() <= 100), "{table}");
    assert!(!table.contains('\u{1b}'), "{table}");
    let row = |name: &str| {
        let line = table.lines().find(|line| line.trim_start().starts_with(name));
        let line = line.unwrap_or_else(|| panic!("no row `{name}` in\n{table}"));
        line.trim_start().trim_start_matches(name).split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(table.starts_with("8 messages, "), "{table}");
    assert_eq!(row("given back by /expand"), "8 of 8 8 of 8 8 of 8");
    assert_eq!(row("byte for byte"), "yes yes yes");
    // The log lost its colours and nothing else; how the table is written is not fixed here.
    let first = |name: &str| row(name).split(' ').next().and_then(|word| word.parse::<u8>().ok());
    let (equal, equivalent) =
        (first("decoded with no store: equal"), first("equal after normalisation"));
    assert!(matches!((equal, equivalent), (Some(7), Some(1)) | (Some(6), Some(2))), "{table}");
    assert!(row("only in the store").starts_with('0'), "{table}");
    assert_eq!(row("JSON"), "1 0 1 1");
    // The one line, and in the order: there, shown, and what chance leaves.
    assert!(row("error lines").starts_with("1 100.0 %"), "{table}");
    assert!(row("paths").contains(" 100.0 % "), "{table}");
    assert!(row("message 6").contains("clean"), "{table}");
    let saved = |name: &str| row(name).trim_end_matches(" %").parse::<f64>().unwrap();
    assert!(saved("saved, computed values") > saved("saved, plain values"), "{table}");
    assert_eq!(table, text(&good(run(&["prove", &file]))), "the table is the same each time");
}

#[test]
fn prove_measures_a_text() {
    let files = Folder::new();
    let table = text(&good(run(&["prove", &files.write("build.log", log())])));
    assert!(table.starts_with("one text, ") && table.contains("1 of 1"), "{table}");
}

#[test]
fn prove_says_what_is_wrong_with_a_file() {
    let files = Folder::new();
    let whole = messages().to_string();
    let cut = files.write("cut.json", &whole[..whole.len() / 2]);
    let bent = files.write("bent.json", r#"{"messages": [{"role": "nobody", "content": 5}]}"#);
    let binary = files.write("binary.log", b"\xff\xfe\x00");
    for (file, words) in
        [(cut, "is not JSON"), (bent, "/messages/0"), (binary, "UTF-8"), ("/no/such".into(), "/no")]
    {
        let output = run(&["prove", &file]);
        assert_eq!(output.status.code(), Some(1), "{file}");
        let told = text(&output.stderr);
        assert!(told.contains(words) && output.stdout.is_empty(), "{file}: {told}");
    }
}

#[test]
fn lists_of_other_programs_are_texts() {
    let files = Folder::new();
    let users: Vec<Value> = (0..40)
        .map(|at| json!({"id": at, "name": format!("User {at}"), "role": if at % 2 == 0 { "admin" } else { "user" }}))
        .collect();
    let slack: Vec<Value> = (0..30)
        .map(|at| json!({"type": "message", "user": format!("U{at}"), "text": format!("hello {at}")}))
        .collect();
    let stored: Vec<Value> =
        (0..30).map(|at| json!({"Key": format!("a/{at}.txt"), "Size": at * 37})).collect();
    let lines = |line: &dyn Fn(usize) -> Value| -> String {
        let own = |at: usize| format!("{}\n", line(at));
        (0..30).map(own).collect()
    };
    let role = |at: usize| ["user", "assistant"][at % 2];
    for text in [
        json!(users).to_string(),
        json!({"ok": true, "messages": slack, "has_more": false}).to_string(),
        json!({"Contents": stored, "Name": "bucket"}).to_string(),
        json!({"contents": stored, "name": "bucket"}).to_string(),
        lines(&|at| json!({"role": role(at), "content": format!("line {at}")})),
        lines(&|at| json!({"messages": [{"role": role(at), "content": format!("line {at}")}]})),
        lines(
            &|at| json!({"model": "m", "message": {"role": "assistant", "content": format!("w{at}")}, "done": false}),
        ),
    ] {
        let file = files.write("x.json", &text);
        let shown = good(run(&["compress", &file, "--originals", "none"]));
        let back = good(piped(&["expand", "-"], &shown));
        assert!(back == text.as_bytes(), "{text}\nwas shown as\n{}", self::text(&shown));
        let shown = good(run(&["compress", &file, "--level", "reversible", "--full"]));
        let shown: Value = serde_json::from_slice(&shown).unwrap();
        assert!(shown["text"].is_string(), "{shown}");
    }
}
