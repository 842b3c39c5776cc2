//! Each text goes to the adapter of its format: what it names, what its keys say and what went
//! wrong stay in sight.

#![expect(clippy::format_collect, reason = "the lines of a text are written where it is made")]

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::support::TestServer;
use crate::support::compress::Compressed;

/// Words of a person, several sentences of them, that differ by a number.
fn prose(number: usize) -> String {
    format!(
        "The boiler of house {number} in the cellar is lit before sunrise by whoever has the early \
         shift. It takes about half an hour until the water is warm enough for the kitchen. The \
         bread comes from the bakery in the next village, and it is brought by bicycle in summer. \
         Whoever sweeps the yard in the evening also feeds the hens and closes the gate. On \
         Sundays the table is laid in the garden as long as the weather allows it. The keys of the \
         workshop hang beside the door on the left. In winter the windows are covered with cloth \
         from the old theatre."
    )
}

async fn reduced(server: &TestServer, text: &str) -> Compressed {
    let body = json!({"text": text, "level": "reversible", "explain": "full"});
    let shown = server.compress(&body.to_string()).await;
    // What is shown is from this text, and the text comes back.
    let back = server.expand(&json!({"id": shown.id()}).to_string()).await;
    assert_eq!(back.answer["text"], text);
    shown
}

fn rule(shown: &Compressed) -> String {
    shown.decisions()[0]["rule"].as_str().expect("a rule").to_owned()
}

/// Asserts that an adapter shortened a text, and returns what is shown.
async fn by(server: &TestServer, adapter: &str, text: &str) -> String {
    let shown = reduced(server, text).await;
    let rule = rule(&shown);
    assert!(rule.starts_with(&format!("adapter:{adapter}")), "{rule} of\n{text}");
    assert!(shown.text().len() < text.len());
    shown.text().to_owned()
}

/// What is shown without its notations: a server that has no original decodes them.
async fn told(other: &TestServer, shown: &Compressed) -> String {
    let back = other.expand(&json!({"text": shown.text()}).to_string()).await;
    back.answer["text"].as_str().expect("a text").to_owned()
}

/// Whether a search was shortened as one, or is there with all of its lines.
fn is_search(rule: &str) -> bool {
    rule.starts_with("adapter:search") || rule.starts_with("lossless:")
}

/// Hits in many files, as `grep -rn` prints them.
fn hits() -> (Vec<String>, String) {
    let folders = ["store", "wire", "http", "cli", "domain", "hook"];
    let names = ["mod", "reader", "writer", "index", "limits", "session", "row"];
    let files: Vec<String> = folders
        .iter()
        .flat_map(|folder| names.iter().map(move |name| format!("src/{folder}/{name}.rs")))
        .collect();
    let words = ["lamp", "chair", "table", "clock", "mirror", "carpet", "kettle", "door", "roof"];
    let mut text = String::new();
    for (at, file) in files.iter().enumerate() {
        for line in 0..=at % 5 {
            let number = at * 7 + line * 13 + 1;
            let (one, two) = (words[number * 5 % 9], words[(at + line * 4) % 9]);
            let _ =
                writeln!(text, "{file}:{number}:    let {one} = self.{two}_of(&{one}, {two})?;");
        }
    }
    (files, text)
}

#[tokio::test]
async fn a_search_names_every_file_that_it_found() {
    let server = TestServer::spawn().await;
    let other = TestServer::spawn().await;
    let (files, numbered) = hits();
    let unnumbered: String = numbered
        .lines()
        .map(|line| {
            let (path, rest) = line.split_once(':').unwrap();
            format!("{path}:{}\n", rest.split_once(':').unwrap().1)
        })
        .collect();
    let coloured: String = numbered
        .lines()
        .map(|line| {
            let (path, rest) = line.split_once(':').unwrap();
            let (number, text) = rest.split_once(':').unwrap();
            let colon = "\u{1b}[36m\u{1b}[K:\u{1b}[m\u{1b}[K";
            format!(
                "\u{1b}[35m\u{1b}[K{path}\u{1b}[m\u{1b}[K{colon}\u{1b}[32m\u{1b}[K{number}\
                 \u{1b}[m\u{1b}[K{colon}{text}\n"
            )
        })
        .collect();
    let noted =
        format!("{numbered}Binary file target/app matches\ngrep: src/lost: Permission denied\n");
    for text in [&numbered, &unnumbered, &coloured, &noted, &format!("\u{feff}{numbered}")] {
        let shown = reduced(&server, text).await;
        assert!(is_search(&rule(&shown)), "{}", rule(&shown));
        let told = told(&other, &shown).await;
        for file in &files {
            assert!(told.contains(file.as_str()), "{file} in:\n{told}");
        }
        assert!(!text.contains("Binary") || told.contains("target/app"), "{told}");
    }
    // In one folder, names have no slash.
    let flat: String =
        (0..40).map(|at| format!("part_{}.py:    value = load(path_{at})\n", at / 4)).collect();
    let shown = reduced(&server, &flat).await;
    assert!(is_search(&rule(&shown)), "{}", rule(&shown));
    let told = told(&other, &shown).await;
    for part in 0..10 {
        assert!(told.contains(&format!("part_{part}.py")), "{told}");
    }
}

#[tokio::test]
async fn a_byte_order_mark_hides_no_format() {
    let server = TestServer::spawn().await;
    let rows: String =
        (0..90).map(|at| format!("{at},lamp {},{}\n", at * 7 % 11, at % 3)).collect();
    let list: Vec<Value> =
        (0..60).map(|at| json!({"id": at, "note": format!("n{}", at * 7 % 13)})).collect();
    let xml = format!("<?xml version=\"1.0\"?>\n<doc>\n <b/>\n <c>{}</c>\n</doc>\n", prose(1));
    let yaml = format!("name: a\nkind: b\nspec:\n  text: {}\n  port: 80\n", prose(1));
    let toml = format!("[a]\nname = \"b\"\ntext = \"{}\"\nport = 80\n", prose(1));
    let page = format!(
        "<!DOCTYPE html>\n<html><body><p>{}</p><p>{}</p></body></html>\n",
        prose(1),
        prose(2)
    );
    let document = format!("# One\n\n{}\n\n## Two\n\n{}\n", prose(1), prose(2));
    for (adapter, text) in [
        ("csv", format!("id,name,state\n{rows}")),
        ("json", serde_json::to_string_pretty(&list).unwrap()),
        ("xml", xml),
        ("yaml", yaml),
        ("settings", toml),
        ("html", page),
        ("markdown", document),
        ("prose", prose(3)),
    ] {
        by(&server, adapter, &text).await;
        by(&server, adapter, &format!("\u{feff}{text}")).await;
    }
}

#[tokio::test]
async fn a_document_in_xml_is_no_page_because_of_its_root() {
    let server = TestServer::spawn().await;
    let body = |root: &str| {
        let name = root.split(' ').next().unwrap();
        let sections: String = (0..5)
            .map(|at| {
                format!("  <sec id=\"s{at}\"><title>Part {at}</title><p>{}</p></sec>\n", prose(at))
            })
            .collect();
        format!("<{root}>\n{sections}</{name}>\n")
    };
    for text in [
        format!("<?xml version=\"1.0\"?>\n{}", body("article")),
        format!("<?xml version=\"1.0\"?>\n{}", body("section")),
        body("article xmlns:xlink=\"http://www.w3.org/1999/xlink\" article-type=\"research\""),
        body("table xmlns='urn:example:tables'"),
    ] {
        let shown = by(&server, "xml", &text).await;
        for at in 0..5 {
            assert!(shown.contains(&format!("Part {at}")), "{shown}");
        }
    }
    let page =
        format!("<?xml version=\"1.0\"?>\n{}", body("html xmlns=\"http://www.w3.org/1999/xhtml\""));
    by(&server, "html", &page).await;
    by(&server, "html", &body("article")).await;
}

const BUILD_FILE: &str = "# syntax=docker/dockerfile:1\n\
    # The image of the shop. It is built in two stages, so that no compiler is shipped.\n\
    FROM rust:1.95 AS build\n\n# Dependencies first. They change less often than the code.\n\
    WORKDIR /src\nCOPY Cargo.toml Cargo.lock ./\nRUN mkdir src \\\n    && cargo build --release\n\n\
    # Then the code, which changes all the time.\nCOPY . .\nRUN cargo build --release\n\n\
    # What is shipped has no shell. Nothing but the program and its certificates is in it.\n\
    FROM scratch\nCOPY --from=build /src/target/release/shop /shop\nENV PORT=8080\nEXPOSE 8080\n\
    USER 65532\nENTRYPOINT [\"/shop\"]\nCMD [\"serve\"]\n";
const SCRIPT: &str = "#!/usr/bin/env bash\n# Deploys the shop. It builds the image and pushes it.\n\
    # It waits until the shop is healthy, for five minutes at the most.\nset -euo pipefail\n\n\
    # Where we are.\ncd \"$(dirname \"$0\")\"\nenvironment=${1:?usage}\n\n\
    # Build it. This takes a while, because the compiler is slow and the machine is old.\n\
    docker build -t shop:latest .\ndocker push shop:latest\n\n\
    # Wait for it. Every five seconds it is asked whether it is there.\nfor i in $(seq 60); do\n  \
    if curl -fsS https://$environment.example.com/health; then\n    echo healthy\n    exit 0\n  fi\n  \
    sleep 5\ndone\nexit 1\n";
const MAKEFILE: &str = "# The targets of this project. Most people need only the first two of them.\n\
    .PHONY: all test\n\n# Builds everything there is. It is slow the first time.\nall: build test\n\n\
    build:\n\tcargo build --release\n\tcp target/release/app bin/\n\n\
    # Runs the tests. They need a database.\ntest: build\n\tcargo test --all\n\tscripts/check.sh\n\n\
    clean:\n\trm -rf target bin\n";

#[tokio::test]
async fn comments_of_scripts_are_no_headings() {
    let server = TestServer::spawn().await;
    for text in [BUILD_FILE, SCRIPT, MAKEFILE] {
        let shown = reduced(&server, text).await;
        let rule = rule(&shown);
        assert!(rule == "kept" || rule.starts_with("adapter:source"), "{rule} of\n{text}");
        assert!(!shown.text().contains("[…]"), "{}", shown.text());
        let first = text.lines().find(|line| !line.starts_with('#') && !line.is_empty()).unwrap();
        assert!(shown.text().contains(first), "{}", shown.text());
    }
    // And documents are documents, with scripts in them.
    let document =
        format!("# Shop\n\n{}\n\n```sh\ncd shop\nmake\n```\n\n## Use\n\n{}\n", prose(1), prose(2));
    by(&server, "markdown", &document).await;
}

#[tokio::test]
async fn a_short_script_is_not_a_mark_alone() {
    let server = TestServer::spawn().await;
    let lines = [
        "cd /srv/app",
        "source .env",
        "git pull",
        "npm ci",
        "npm run build",
        "npm test",
        "rsync -a dist/ web:/srv",
        "ssh web restart",
        "}",
        "fi",
        "done",
        "esac",
        "exit 0",
        "date",
    ];
    for first in ["", "#!/bin/sh\n", "# Builds and ships all of it.\n"] {
        for count in 11..=lines.len() {
            let text = format!("{first}{}\n", lines[..count].join("\n"));
            let shown = reduced(&server, &text).await;
            let solid = shown.text().lines().filter(|line| !line.trim().starts_with("[… "));
            assert!(solid.count() >= 2, "{}", shown.text());
        }
    }
}

#[tokio::test]
async fn settings_keep_every_key() {
    let (server, other) = (TestServer::spawn().await, TestServer::spawn().await);
    let keys = |count: usize, separator: &str| -> String {
        let key =
            |at: usize| format!("# {}\nsetting_{at}{separator}value-{}\n", prose(at), at * 7 % 101);
        (0..count).map(key).collect()
    };
    let env = keys(12, "=").replace("setting_", "SETTING_");
    let ini = format!("[main]\n{}", keys(12, " = ").replace('#', ";"));
    let toml = format!(
        "[package]\nname = \"shop\"\ndescription = \"{}\"\nkeywords = [\n  \"a\",\n  \"b\",\n]\n\n\
         [dependencies]\n{}",
        prose(99),
        keys(12, " = ").replace("value-", "").replace("setting_", "part_")
    );
    for text in [env, ini, toml] {
        let shown = reduced(&server, &text).await;
        assert!(rule(&shown).starts_with("adapter:settings"), "{}", rule(&shown));
        let shown = told(&other, &shown).await;
        let key = |line: &str| line.split_once('=').map(|(key, _)| key.trim().to_owned());
        let expected: Vec<String> = text.lines().filter_map(key).collect();
        assert!(expected.len() >= 12);
        assert_eq!(shown.lines().filter_map(key).collect::<Vec<_>>(), expected, "{shown}");
        let value = |line: &&str| line.contains('=') && !line.contains("description");
        let values: Vec<&str> = text.lines().filter(value).collect();
        assert_eq!(shown.lines().filter(value).collect::<Vec<_>>(), values, "{shown}");
    }
}

#[tokio::test]
async fn colours_and_old_line_ends_hide_no_format() {
    let server = TestServer::spawn().await;
    let entry = |at: usize| {
        let level = if at == 70 { "ERROR" } else { "INFO" };
        let took = at * at * 37 % 1013;
        format!(
            "2026-03-01T10:{:02}:{:02}Z {level} worker_{} took job {took}\n",
            at / 60,
            at % 60,
            at * 7 % 5
        )
    };
    let log: String = (0..160).map(entry).collect();
    for text in [
        log.lines().map(|line| format!("\u{1b}[32m{line}\u{1b}[0m\n")).collect::<String>(),
        log.replace('\n', "\r"),
    ] {
        let shown = reduced(&server, &text).await;
        assert!(shown.text().contains("ERROR worker_"), "{}", shown.text());
        assert!(shown.number("tokens_after") * 2 < shown.number("tokens_before"));
    }
    let result = json!({"exit_code": 1, "stdout": log.lines()
        .map(|line| format!("\u{1b}[32m{line}\u{1b}[0m\n")).collect::<String>()});
    let shown = by(&server, "json", &result.to_string()).await;
    let shown: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(shown["exit_code"], 1);
    let stdout = shown["stdout"].as_str().unwrap();
    assert!(stdout.contains("ERROR worker_") && stdout.contains("[… "), "{stdout}");
    assert!(!stdout.contains('\u{1b}'), "{stdout}");
    let rows: String =
        (0..90).map(|at| format!("{at},lamp {},{}\r", at * 7 % 11, at % 3)).collect();
    let table = by(&server, "csv", &format!("id,name,state\r{rows}")).await;
    assert!(table.starts_with("id,name,state\n"), "{table}");
    // Progress that overwrites itself, with what went wrong between.
    let step = |at: usize| format!("Downloading model: {at:>3}%|####    | {at}.5M/99M\r");
    let text = format!(
        "Collecting weights\n{}error: connection reset by peer\r{}\n",
        (0..60).map(step).collect::<String>(),
        (60..99).map(step).collect::<String>()
    );
    let shown = reduced(&server, &text).await;
    assert!(shown.text().contains("error: connection reset by peer"), "{}", shown.text());
    assert!(shown.text().len() * 2 < text.len());
}

#[tokio::test]
async fn padded_tables_are_tables() {
    let server = TestServer::spawn().await;
    let state = |at: usize| if at == 77 { "lost" } else { "open" };
    let three: String = (0..120)
        .map(|at| format!("part-{at:03},  {:>4}, {}\n", at * 37 % 101, state(at)))
        .collect();
    let two: String = (0..120).map(|at| format!("part-{}, {}\n", at * 7, at * 37 % 101)).collect();
    let quoted: String = (0..120)
        .map(|at| format!("{at:<4}, \"lamp, no {}\", {}\n", at * 37 % 101, state(at)))
        .collect();
    for text in [
        format!("name,   count, state\n{three}"),
        format!("name, count\n{two}"),
        format!("id  , name, state\n{quoted}"),
    ] {
        let shown = by(&server, "csv", &text).await;
        let head = text.lines().next().unwrap();
        assert!(shown.starts_with(head) || shown.starts_with('§'), "{shown}");
        assert!(!text.contains("lost") || shown.contains("lost"), "{shown}");
    }
    let words = "We went to the sea, and it was cold\nthe boats were out, the nets were dry\n\
        nobody was there, so we went home\nthe road was long, and it was late\n\
        then it rained, and we were wet\nthe house was dark, nobody had come\n";
    let shown = reduced(&server, words).await;
    assert!(!rule(&shown).contains("csv"), "{}", rule(&shown));
}

#[tokio::test]
async fn references_keep_their_spelling_and_sections_their_prose() {
    let server = TestServer::spawn().await;
    let words = prose(1).replacen("The boiler", "Th&#101; boil&#x65;r &amp; its pip&#101;", 1);
    let text = format!("<doc><a>1</a><b>{words} {}</b></doc>\n", prose(2));
    let shown = by(&server, "xml", &text).await;
    let count = |text: &str| text.matches("&#101;").count();
    assert!(
        count(&shown) <= 2 && count(&shown) == shown.matches("Th&#101;").count() * 2,
        "{shown}"
    );
    assert_eq!(shown.matches("&#x65;").count() * 2, count(&shown), "{shown}");
    for inside in [
        format!("{} {}", prose(1), prose(2)),
        format!("\n{}\n\n{}\n", prose(1), prose(2)),
        format!(
            "<p>{}</p><p>{} <a href=\"https://example.com/more\">more</a></p>",
            prose(1),
            prose(2)
        ),
    ] {
        let text = format!(
            "<?xml version=\"1.0\"?>\n<rss><channel><title>News</title><item><description>\
             <![CDATA[{inside}]]></description></item></channel></rss>\n"
        );
        let shown = by(&server, "xml", &text).await;
        assert!(shown.contains("<![CDATA[") && shown.contains("[…]"), "{shown}");
        assert!(shown.len() * 4 < text.len() * 3, "{shown}");
    }
}

#[tokio::test]
async fn code_on_one_line_is_no_prose() {
    let server = TestServer::spawn().await;
    let one = |at: usize| format!("e.f{at}=function(n){{return t.g{at}(n,{at})}};");
    let text = format!(
        "/*! lib v1 */\n!function(e,t){{{}}}(this,window);\n",
        (0..60).map(one).collect::<String>()
    );
    let shown = reduced(&server, &text).await;
    assert!(shown.text().contains("e.f59=function(n)"), "{}", shown.text());
}

#[tokio::test]
async fn lists_of_other_programs_are_texts() {
    let server = TestServer::spawn().await;
    let users: Vec<Value> = (0..40)
        .map(|at| json!({"id": at, "name": format!("User {at}"), "role": if at % 2 == 0 { "admin" } else { "user" }}))
        .collect();
    let slack: Vec<Value> = (0..40)
        .map(|at| json!({"type": "message", "user": format!("U{at}"), "text": format!("hello {at}")}))
        .collect();
    let objects: Vec<Value> =
        (0..40).map(|at| json!({"Key": format!("a/{at}.txt"), "Size": at * 37})).collect();
    let chat: String = (0..40)
        .map(|at| json!({"role": if at % 2 == 0 { "user" } else { "assistant" }, "content": format!("line {at}")}))
        .map(|line| format!("{line}\n"))
        .collect();
    for text in [
        json!(users).to_string(),
        json!({"ok": true, "messages": slack}).to_string(),
        json!({"Contents": objects, "Name": "bucket"}).to_string(),
        chat,
    ] {
        by(&server, "json", &text).await;
    }
}
