//! Texts that adapters shorten, made of a seed: formats with prose in them, and what tools print.

use std::fmt::Write as _;

use crate::texts::{KINDS, Random, words};

/// A text, the adapter that is to take it, and the MB/s asked of that without counting.
pub(crate) struct Format {
    pub(crate) adapter: &'static str,
    pub(crate) name: &'static str,
    pub(crate) goal: f64,
    make: fn(&mut Random, usize) -> String,
}

/// What is asked of text that is words, and of text that has a structure.
const PROSE: f64 = 60.0;
const STRUCTURED: f64 = 40.0;

pub(crate) const FORMATS: &[Format] = &[
    format("diff", "diff", STRUCTURED, |random, bytes| of_kind("diff", random, bytes)),
    format("stack_trace", "java trace", STRUCTURED, trace),
    format("log", "log", STRUCTURED, |random, bytes| of_kind("log", random, bytes)),
    format("log", "log of a build", STRUCTURED, build),
    format("log", "tests", STRUCTURED, |random, bytes| of_kind("tests", random, bytes)),
    format("search", "hits", STRUCTURED, |random, bytes| of_kind("search", random, bytes)),
    format("search", "listing", STRUCTURED, |random, bytes| of_kind("listing", random, bytes)),
    format("json", "json python", STRUCTURED, |random, bytes| {
        of_kind("json python", random, bytes)
    }),
    format("json", "json compact", STRUCTURED, |random, bytes| {
        of_kind("json compact", random, bytes)
    }),
    format("json", "json pretty", STRUCTURED, |random, bytes| {
        of_kind("json pretty", random, bytes)
    }),
    format("json", "ndjson", STRUCTURED, |random, bytes| of_kind("ndjson", random, bytes)),
    format("json", "json with prose", STRUCTURED, json),
    format("csv", "csv", STRUCTURED, |random, bytes| of_kind("csv", random, bytes)),
    format("xml", "xml with prose", STRUCTURED, xml),
    format("html", "page", STRUCTURED, page),
    format("yaml", "yaml with prose", STRUCTURED, yaml),
    format("settings", "settings with prose", STRUCTURED, settings),
    format("markdown", "document", PROSE, document),
    format("code", "fences", STRUCTURED, fences),
    format("source", "rust", STRUCTURED, source),
    format("structured_output", "report", STRUCTURED, report),
    format("blob", "data", STRUCTURED, blob),
    format("prose", "words", PROSE, |random, bytes| of_kind("prose", random, bytes)),
    format("prose", "sentences", PROSE, |random, bytes| text(random, bytes, sentence)),
    format("prose", "full of quotes", PROSE, |random, bytes| text(random, bytes, quoting)),
];

const fn format(
    adapter: &'static str,
    name: &'static str,
    goal: f64,
    make: fn(&mut Random, usize) -> String,
) -> Format {
    Format { adapter, name, goal, make }
}

impl Format {
    /// About so many bytes of it.
    pub(crate) fn text(&self, bytes: usize, random: &mut Random) -> String {
        (self.make)(random, bytes)
    }
}

fn of_kind(name: &str, random: &mut Random, bytes: usize) -> String {
    KINDS.iter().find(|kind| kind.name == name).unwrap().text(bytes, random)
}

/// Lines or sections, one behind the other, with what stands before and behind them.
fn filled(
    bytes: usize,
    open: &str,
    close: &str,
    mut section: impl FnMut(usize, &mut String),
) -> String {
    let mut out = open.to_owned();
    let mut number = 0;
    while out.len() < bytes {
        number += 1;
        section(number, &mut out);
    }
    out + close
}

fn sentence(random: &mut Random, out: &mut String) {
    let head = ["The", "This", "Then the", "However, a", "In short, the", "No"][random.next(6)];
    let (many, few) = (6 + random.next(12), random.next(900));
    let _ = match random.next(5) {
        0 => {
            write!(out, "{head} {} takes {few} ms, e.g. in src/http/body.rs.", words(random, many))
        }
        1 => write!(out, "{head} {} must never be read twice.", words(random, many)),
        _ => write!(out, "{head} {}, and {}.", words(random, many), words(random, 4)),
    };
}

fn quoting(random: &mut Random, out: &mut String) {
    let said = words(random, 4);
    let _ = match random.next(3) {
        0 => write!(
            out,
            "She said \"{said}. It is so.\" and didn't go on with {}.",
            words(random, 7)
        ),
        1 => write!(out, "Set `max_retries = 3` where '{said}' is meant; {}.", words(random, 9)),
        _ => write!(
            out,
            "See https://example.org/a/{}?b=1 for it: {}.",
            said.len(),
            words(random, 9)
        ),
    };
}

fn text(random: &mut Random, bytes: usize, write: fn(&mut Random, &mut String)) -> String {
    filled(bytes, "", "", |number, out| {
        write(random, out);
        out.push_str(if number % 6 == 0 { "\n\n" } else { " " });
    })
}

/// Some sentences.
fn paragraph(random: &mut Random, count: usize) -> String {
    let mut out = String::new();
    for _ in 0..count {
        let write = if random.next(4) == 0 { quoting } else { sentence };
        write(random, &mut out);
        out.push(' ');
    }
    out.pop();
    out
}

fn trace(random: &mut Random, bytes: usize) -> String {
    let of = ["com.acme.shelf.Store", "org.webframe.aop.Proxy", "java.base/java.lang.Thread"];
    filled(bytes, "java.lang.IllegalStateException: no slot\n", "", |number, out| {
        if number % 30 == 0 {
            let _ = writeln!(out, "Caused by: java.io.IOException: lost {number}");
        }
        let (name, line) = (of[number / 6 % 3], random.next(900));
        let _ = writeln!(out, "\tat {name}.step{}(Store.java:{line})", random.next(40));
    })
}

fn build(random: &mut Random, bytes: usize) -> String {
    filled(bytes, "", "", |number, out| {
        let _ = match number % 50 {
            7 => writeln!(out, "warning: unused variable `a{number}`\n  --> src/a.rs:{number}:5"),
            8 => writeln!(out, "error[E0308]: mismatched types of {number}\n  --> src/b.rs:3:5"),
            _ => writeln!(out, "   Compiling part{} v1.{number}.0", random.next(900)),
        };
    })
}

fn json(random: &mut Random, bytes: usize) -> String {
    filled(bytes, "{\"items\": [\n", "  {}\n]}\n", |number, out| {
        let text = serde_json::Value::from(paragraph(random, 4));
        let _ =
            writeln!(out, "  {{\"id\": {number}, \"name\": \"item {number}\", \"text\": {text}}},");
    })
}

fn xml(random: &mut Random, bytes: usize) -> String {
    filled(bytes, "<?xml version=\"1.0\"?>\n<items>\n", "</items>\n", |number, out| {
        let text = paragraph(random, 4).replace('&', "&amp;");
        let _ = writeln!(
            out,
            "  <item id=\"{number}\">\n    <name>item {number}</name>\n    <text>{text}</text>\n  </item>"
        );
    })
}

fn page(random: &mut Random, bytes: usize) -> String {
    let open = "<!doctype html>\n<html><head><title>Items</title><style>p { margin: 0 }</style>\
                </head>\n<body><nav><a href=\"/\">home</a></nav>\n";
    filled(bytes, open, "</body></html>\n", |number, out| {
        let _ = writeln!(
            out,
            "<div class=\"box\"><h2 id=\"a{number}\">Item {number}</h2>\n<p class=\"text\">{}</p>\n\
             <ul><li>one <a href=\"/{number}\">{number}</a></li><li>two</li></ul></div>",
            paragraph(random, 4)
        );
    })
}

fn yaml(random: &mut Random, bytes: usize) -> String {
    filled(bytes, "items:\n", "", |number, out| {
        let text = paragraph(random, 4).replace(": ", " ").replace(['"', '\'', '`', '#'], "");
        let _ = writeln!(
            out,
            "  - id: {number}\n    name: item {number}\n    labels: [a, b]\n    text: >-\n      {text}"
        );
    })
}

fn settings(random: &mut Random, bytes: usize) -> String {
    filled(bytes, "[items]\n", "", |number, out| {
        let text = paragraph(random, 4).replace(['"', '\'', '\\', '\n'], " ");
        let _ = writeln!(out, "# {text}\nname_{number} = \"item {number}\"\nport_{number} = 80");
    })
}

fn document(random: &mut Random, bytes: usize) -> String {
    filled(bytes, "# Items\n\n", "", |number, out| {
        let _ = writeln!(
            out,
            "## Item {number}\n\n{}\n\n- one: {}\n- two\n\n| a | b |\n|---|---|\n| 1 | {number} |\n",
            paragraph(random, 5),
            paragraph(random, 2)
        );
    })
}

fn fences(random: &mut Random, bytes: usize) -> String {
    let source = source(random, bytes.saturating_sub(200));
    format!("{}\n\n```rust\n{source}```\n", paragraph(random, 2))
}

fn source(random: &mut Random, bytes: usize) -> String {
    filled(bytes, "use std::fmt;\n\n", "", |number, out| {
        let _ = writeln!(
            out,
            "/// {}\npub fn {}_{number}(value: &str) -> Result<usize, Error> {{",
            paragraph(random, 1),
            words(random, 1)
        );
        for line in 0..12 {
            let _ = writeln!(
                out,
                "    let {} = value.get({line}..{}).ok_or(Error::{number})?; // {}",
                words(random, 1),
                random.next(90),
                words(random, 3)
            );
        }
        out.push_str("    Ok(value.len())\n}\n\n");
    })
}

fn report(random: &mut Random, bytes: usize) -> String {
    filled(bytes, "", "", |number, out| {
        let what = words(random, 6);
        let _ = match number % 4 {
            0 => writeln!(out, "lint/rules.ts:{number}: {what}"),
            1 => writeln!(out, "PASS {what} in good time"),
            2 => writeln!(out, "  step: {what}"),
            _ => writeln!(out, "- {what} ({})", random.next(90)),
        };
    })
}

fn blob(random: &mut Random, bytes: usize) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    filled(bytes, "", "", |number, out| {
        let _ = write!(out, "Picture {number} of the page: data:image/png;base64,");
        out.extend((0..4096).map(|_| char::from(LETTERS[random.next(64)])));
        out.push('\n');
    })
}
