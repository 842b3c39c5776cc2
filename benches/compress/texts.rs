//! Texts as tools print them, made of a seed: the same seed gives the same text.

use std::fmt::Write as _;

/// A small generator of its own, so that no text changes with a crate.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % below as u64).unwrap()
    }

    fn of<'w>(&mut self, words: &[&'w str]) -> &'w str {
        words[self.next(words.len())]
    }
}

pub(crate) type Line = fn(&mut Random, usize, &mut String);

/// A kind of text: its name, the MB/s asked of it without counting, what stands before and after
/// its lines, and a line.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    pub(crate) goal: Option<f64>,
    open: &'static str,
    line: Line,
    close: &'static str,
}

pub(crate) const KINDS: &[Kind] = &[
    kind("log", Some(150.0), "", log, ""),
    kind("tests", Some(150.0), "running 900 tests\n", test, ""),
    kind("search", Some(150.0), "", search, ""),
    kind("listing", None, "", listing, ""),
    kind("json python", Some(100.0), "[", json_python, "{}]"),
    kind("json compact", Some(100.0), "[", json_compact, "{}]"),
    kind("json pretty", Some(100.0), "[\n", json_pretty, "  {}\n]"),
    kind("ndjson", Some(100.0), "", ndjson, ""),
    kind("csv", None, "id,name,city,amount,ok\n", csv, ""),
    kind("diff", Some(150.0), "", diff, ""),
    kind("numbered", None, "", numbered, ""),
    kind("xml", None, "<items>\n", xml, "</items>\n"),
    kind("prose", None, "", prose, ""),
    kind("code", None, "", code, ""),
];

const fn kind(
    name: &'static str,
    goal: Option<f64>,
    open: &'static str,
    line: Line,
    close: &'static str,
) -> Kind {
    Kind { name, goal, open, line, close }
}

impl Kind {
    /// About so many bytes of it.
    pub(crate) fn text(&self, bytes: usize, random: &mut Random) -> String {
        let mut text = self.open.to_owned();
        let mut number = 0;
        while text.len() < bytes {
            number += 1;
            (self.line)(random, number, &mut text);
        }
        text.push_str(self.close);
        text
    }
}

const WORDS: &[&str] = &[
    "the",
    "build",
    "fails",
    "in",
    "module",
    "because",
    "a",
    "value",
    "moved",
    "into",
    "closure",
    "is",
    "used",
    "again",
    "server",
    "returns",
    "status",
    "unexpected",
    "token",
    "where",
    "we",
    "expected",
    "configuration",
    "file",
    "path",
    "request",
    "response",
    "retry",
    "timeout",
];
const FOLDERS: &[&str] = &["src/http", "src/store/sqlite", "src/pipeline", "tests/it/api", "docs"];

pub(crate) fn words(random: &mut Random, count: usize) -> String {
    (0..count).map(|_| random.of(WORDS)).collect::<Vec<_>>().join(" ")
}

fn log(random: &mut Random, number: usize, out: &mut String) {
    let (second, milli) = (number % 60, random.next(1000));
    let level = random.of(&["INFO", "INFO", "DEBUG", "WARN"]);
    let (worker, status, time) = (random.next(16), 200 + random.next(5), random.next(900));
    let _ = writeln!(
        out,
        "2024-05-01T12:{:02}:{second:02}.{milli:03}Z {level} worker-{worker} request {number} \
         GET /v1/items/{} status={status} duration_ms={time}",
        number / 60 % 60,
        random.next(9000)
    );
}

fn test(random: &mut Random, number: usize, out: &mut String) {
    let (area, what) = (random.of(WORDS), words(random, 4).replace(' ', "_"));
    let ends = if number.is_multiple_of(97) { "FAILED" } else { "ok" };
    let _ = writeln!(out, "test {area}::tests::{what}_{number} ... {ends}");
}

fn search(random: &mut Random, number: usize, out: &mut String) {
    let folder = FOLDERS[number / 40 % FOLDERS.len()];
    let _ = writeln!(
        out,
        "{folder}/{}.rs:{}:    let {} = {}(&{});",
        WORDS[number / 8 % WORDS.len()],
        number % 8 * 13 + 4,
        random.of(WORDS),
        random.of(WORDS),
        random.of(WORDS)
    );
}

fn listing(random: &mut Random, number: usize, out: &mut String) {
    let (folder, file) = (FOLDERS[number / 30 % FOLDERS.len()], random.of(WORDS));
    let _ = writeln!(out, "./{folder}/{file}_{number}.rs");
}

fn json_python(random: &mut Random, number: usize, out: &mut String) {
    let (name, value) = (words(random, 2), random.next(1 << 20));
    let _ = write!(
        out,
        "{{\"id\": {number}, \"name\": \"{name}\", \"amount\": {value}.5, \"tags\": [\"a\", \"{}\"], \
         \"ok\": true, \"parent\": null}}, ",
        random.of(WORDS)
    );
}

fn json_compact(random: &mut Random, number: usize, out: &mut String) {
    let mut line = String::new();
    json_python(random, number, &mut line);
    out.push_str(&line.replace(", ", ",").replace(": ", ":"));
}

fn json_pretty(random: &mut Random, number: usize, out: &mut String) {
    let (name, value) = (words(random, 2), random.next(1 << 20));
    let _ = write!(
        out,
        "  {{\n    \"id\": {number},\n    \"name\": \"{name}\",\n    \"amount\": {value},\n    \
         \"ok\": true,\n    \"parent\": null\n  }},\n"
    );
}

fn ndjson(random: &mut Random, number: usize, out: &mut String) {
    let level = random.of(&["info", "info", "warn"]);
    let _ = writeln!(
        out,
        "{{\"level\":\"{level}\",\"ts\":17000{number:05},\"msg\":\"{}\",\"code\":{}}}",
        words(random, 4),
        random.next(600)
    );
}

fn csv(random: &mut Random, number: usize, out: &mut String) {
    let (name, city) = (words(random, 2), random.of(&["Rome", "Oslo", "Lima"]));
    let _ = writeln!(out, "{number},{name},{city},{}.25,{}", random.next(9000), number % 2);
}

fn diff(random: &mut Random, number: usize, out: &mut String) {
    if number % 40 == 1 {
        let file = format!("{}/{}.rs", random.of(FOLDERS), random.of(WORDS));
        let _ = writeln!(
            out,
            "diff --git a/{file} b/{file}\n--- a/{file}\n+++ b/{file}\n@@ -{number},39 +{number},39 @@"
        );
    }
    // Minus and plus in pairs, so that the hunk's header holds.
    let sign = match number % 40 {
        10 | 20 => '-',
        11 | 21 => '+',
        _ => ' ',
    };
    let _ = writeln!(out, "{sign}    let {} = {};", random.of(WORDS), words(random, 3));
}

fn numbered(random: &mut Random, number: usize, out: &mut String) {
    let _ = write!(out, "{number:>6}\t");
    code(random, number, out);
}

fn xml(random: &mut Random, number: usize, out: &mut String) {
    let _ = writeln!(
        out,
        "  <item id=\"{number}\">\n    <name>{}</name>\n    <count>{}</count>\n  </item>",
        words(random, 2),
        random.next(500)
    );
}

fn prose(random: &mut Random, number: usize, out: &mut String) {
    let end = if number.is_multiple_of(9) { ".\n\n" } else { ".\n" };
    let _ = write!(out, "Then {}{end}", words(random, 14));
}

fn code(random: &mut Random, number: usize, out: &mut String) {
    match number % 6 {
        1 => writeln!(out, "pub fn {}_{number}(value: &str) -> usize {{", random.of(WORDS)),
        0 => writeln!(out, "}}"),
        _ => writeln!(
            out,
            "    let {} = {}.get({}).map(|{}| {});",
            random.of(WORDS),
            random.of(WORDS),
            random.next(90),
            random.of(WORDS),
            random.of(WORDS)
        ),
    }
    .unwrap();
}

/// An agent's conversation of about `tokens` tokens, as the body of a request.
pub(crate) fn conversation(tokens: usize, seed: u64, budget: Option<usize>) -> String {
    let mut random = Random(seed | 1);
    let mut messages = vec![serde_json::json!({"role": "user", "content": words(&mut random, 60)})];
    // Four bytes make a token of such texts.
    let mut left = tokens * 33 / 10;
    while left > 0 {
        let number = messages.len();
        let kind = &KINDS[random.next(KINDS.len())];
        let bytes = (600 + random.next(5_000)).min(left.max(200));
        let text = kind.text(bytes, &mut random);
        left = left.saturating_sub(text.len() + 150);
        let id = format!("call_{number}");
        let arguments = format!("{{\"command\":\"make {}\"}}", words(&mut random, 3));
        messages.push(serde_json::json!({
            "role": "assistant", "content": words(&mut random, 15),
            "tool_calls": [{"id": id, "type": "function", "function": {"name": "run", "arguments": arguments}}],
        }));
        messages.push(serde_json::json!({"role": "tool", "tool_call_id": id, "content": text}));
    }
    let mut body = serde_json::json!({"messages": messages, "model": "gpt-4o"});
    if let Some(budget) = budget {
        body["budget_tokens"] = budget.into();
    }
    body.to_string()
}

/// Texts of a megabyte that a parser may trip over.
pub(crate) fn hostile() -> Vec<(&'static str, String)> {
    const BYTES: usize = 1_000_000;
    let fill = |text: &str| text.repeat(BYTES / text.len());
    let deep: Vec<_> = (0..BYTES / 8).map(|at| format!("<n{:05}>", at % 100_000)).collect();
    let deep = deep.join("\n");
    let mut bomb = "a0: &a0 [x, x, x]\n".to_owned();
    for at in 1..BYTES / 40 {
        let one = at - 1;
        let _ = writeln!(bomb, "a{at}: &a{at} [*a{one}, *a{one}, *a{one}, *a{one}]");
    }
    bomb.truncate(BYTES);
    vec![
        ("a", fill("a")),
        ("spaces", fill(" ")),
        ("-", fill("-")),
        ("[", fill("[")),
        ("100 k open fences", "```rs\nx\n".repeat(100_000)),
        ("longer open fences", (3..1_400).map(|n| "`".repeat(n)).collect::<Vec<_>>().join("\n")),
        ("deep xml", deep),
        ("yaml aliases", bomb),
        ("lines <a>", fill("<a>\n")),
        ("lines [1,", fill("[1,\n")),
        ("lines <!--", fill("<!--\n")),
        ("lines {", fill("{\n")),
        ("lines a,b", fill("a,b\n")),
        ("quotes", fill("\"a\\")),
        ("bytes that differ", {
            let mut random = Random(9);
            (0..BYTES).map(|_| char::from(b' ' + u8::try_from(random.next(95)).unwrap())).collect()
        }),
    ]
}
