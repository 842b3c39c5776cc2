//! Leaves that amplify: texts that repeat, placeholders, marks of ours, patterns, rules.

use arbitrary::{Result, Unstructured};
use serde_json::{Value, json};

use super::known::Known;

/// What texts are made of; `{n}` is the number of the repetition.
const UNITS: [&str; 58] = [
    "a",
    "ab ",
    "word{n} ",
    "\n",
    "line {n}\n",
    "error: job {n} failed\n",
    "2024-01-02 03:04:05 INFO worker took job {n} in 20 ms\n",
    "$ARGUMENTS ",
    "$ARGUMENTS[{n}] ",
    "${NAME}",
    "${a}${b}",
    "$1",
    "§= result 1\n",
    "§= result {n}\n",
    "§= result 1 lines 1-3\n",
    "§= call 1 content\n",
    "§repeat 1 ×1000\nwaiting\n",
    "§repeat 2 ×999999999\na\nb\n",
    "§tree 2 \">\"\nsrc/\n>main.rs\n",
    "§numbered 2 from 41 \"\\t\" width 6\na\nb\n",
    "§table 2\na|b\n1|2\n",
    "§",
    "{{kept}}{{summary}}",
    "{",
    "[",
    "{\"a\":",
    "[{\"a\":1},",
    "{\"id\":{n},\"text\":\"words that say something\"}\n",
    "<a>",
    "<a b=\"c\">text {n}</a>",
    "</memory></implicit_context>",
    "&<>\"'",
    "\\",
    "\"",
    "/",
    "~1~0",
    "/a",
    "a.b.",
    "é",
    "漢",
    "😀",
    "e\u{301}",
    "\u{0}",
    "\u{1b}[31m",
    "0",
    "9",
    "-",
    "- item {n}\n",
    "# heading {n}\n\nSome words here.\n\n",
    "```rs\nfn a{n}() {}\n```\n",
    "| a | b |\n",
    "{n},b,c\n",
    "key{n}: value\n",
    "@@ -1,3 +1,3 @@\n a\n-b{n}\n+c\n d\n",
    "  at com.example.A.b(A.java:{n})\n",
    "ann{n}@example.com ",
    "4111 1111 1111 1111 ",
    "AKIAIOSFODNN7EXAMPLE ",
];

const PATTERNS: [&str; 16] = [
    "a",
    ".",
    "",
    "x*",
    "(?:a?){1000}",
    "(?:[a-z]{90}){40}",
    r"(?:\w{100}){100}",
    r"\p{L}{200}",
    "(a|b|ab)*c",
    "(?i)é+",
    "^.*$",
    "(?s).*",
    "(((((((((a)*)*)*)*)*)*)*)*)*",
    "[^a]",
    r"\b",
    "(",
];

const WORDS: [&str; 28] = [
    "a",
    "b",
    "x",
    "id",
    "name",
    "chat",
    "ann",
    "color",
    "json",
    "ledger",
    "openai",
    "anthropic",
    "gemini",
    "neutral",
    "claude-sonnet-4-5",
    "gpt-4o",
    "bytes4",
    "read_file",
    "git.log",
    "pack.coding-agent@1.0.0",
    "deploy.production",
    "1.0.0",
    "1-",
    "2-5",
    "*",
    "W/\"1\"",
    "2026-01-01T00:00:00Z",
    "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
];

/// Operators of rules that take a list and a rule for its items.
const LIST_OPERATORS: [&str; 6] = ["map", "filter", "reduce", "all", "none", "some"];
const OPERATORS: [&str; 27] = [
    "var",
    "missing",
    "missing_some",
    "if",
    "==",
    "===",
    "!=",
    "!==",
    "!",
    "!!",
    "and",
    "or",
    ">",
    ">=",
    "<",
    "<=",
    "max",
    "min",
    "+",
    "-",
    "*",
    "/",
    "%",
    "merge",
    "in",
    "cat",
    "substr",
];
const VARIABLES: [&str; 7] =
    ["xs", "", "current", "accumulator", "t", "request.context.amount", "t.1000000"];
const MAX_RULE_DEPTH: usize = 7;

/// Whether something of `n` chances in `of` happens; never once the bytes are used up.
pub(super) fn chance(u: &mut Unstructured<'_>, n: u8, of: u8) -> Result<bool> {
    Ok(u.int_in_range(0..=of - 1)? >= of - n)
}

/// A number of things, of any magnitude up to `most`.
pub(super) fn many(u: &mut Unstructured<'_>, most: usize) -> Result<usize> {
    let magnitude = u.int_in_range(0..=most.max(1).ilog2())?;
    let least = 1_usize << magnitude;
    Ok(u.int_in_range(least..=2 * least - 1)?.min(most))
}

/// A text of at most about `room` bytes.
pub(super) fn text(u: &mut Unstructured<'_>, known: &Known, room: usize) -> Result<String> {
    Ok(match u.int_in_range(0..=9)? {
        0..=2 => (*u.choose(&WORDS)?).to_owned(),
        3 => (*u.choose(&PATTERNS)?).to_owned(),
        4 => match u.choose(&["artifacts", "compilations", "sessions", "packs", "memory"]) {
            Ok(kind) if !known.names(kind).is_empty() => u.choose(known.names(kind))?.clone(),
            _ => "574a963fe4c28cab63d90746".to_owned(),
        },
        5 => format!("{}{}", u.choose(&UNITS)?, u.choose(&UNITS)?),
        _ => long(u, room)?,
    })
}

/// One text or two, again and again.
pub(super) fn long(u: &mut Unstructured<'_>, room: usize) -> Result<String> {
    let unit = *u.choose(&UNITS)?;
    let mixed = match chance(u, 1, 3)? {
        true => format!("{unit}{}", u.choose(&UNITS)?),
        false => unit.to_owned(),
    };
    let times = many(u, (room / mixed.len()).max(1))?;
    if !mixed.contains("{n}") {
        return Ok(mixed.repeat(times));
    }
    let mut out = String::new();
    for at in 0..times {
        out.push_str(&mixed.replace("{n}", &at.to_string()));
    }
    out.truncate(out.floor_char_boundary(room));
    Ok(out)
}

pub(super) fn integer(u: &mut Unstructured<'_>) -> Result<i64> {
    let usual = [0, 1, 2, 3, 10, 64, 100, 1_000, 4_096, 100_000, 1 << 31, (1 << 53) - 1, -1];
    Ok(if chance(u, 1, 4)? { u.arbitrary()? } else { *u.choose(&usual)? })
}

/// Any value.
pub(super) fn any(
    u: &mut Unstructured<'_>,
    known: &Known,
    room: usize,
    depth: usize,
) -> Result<Value> {
    Ok(match u.int_in_range(0..=10)? {
        0 => Value::Null,
        1 => u.arbitrary::<bool>()?.into(),
        2 => integer(u)?.into(),
        3 => json!(*u.choose(&[0.5, 1e300, 5e-324, -0.0, 0.1])?),
        4 | 5 => text(u, known, room)?.into(),
        6 => rule(u, 0)?,
        7 => {
            let levels = many(u, 120)?;
            let inner = text(u, known, 16)?.into();
            nested(u.arbitrary()?, levels, inner)
        }
        _ if depth > 3 => Value::Null,
        8 => {
            let item = any(u, known, room / 8, depth + 1)?;
            let times = many(u, room / 64 + 1)?;
            Value::Array(vec![item; if depth == 0 { times } else { times.min(8) }])
        }
        _ => {
            let mut members = serde_json::Map::new();
            for _ in 0..u.int_in_range(1..=4)? {
                let name = text(u, known, 40)?;
                members.insert(name, any(u, known, room / 8, depth + 1)?);
            }
            members.into()
        }
    })
}

pub(super) fn nested(lists: bool, levels: usize, inner: Value) -> Value {
    (0..levels).fold(inner, |value, _| match lists {
        true => json!([value]),
        false => json!({"a": value}),
    })
}

/// A rule of all operators.
pub(super) fn rule(u: &mut Unstructured<'_>, depth: usize) -> Result<Value> {
    if depth >= MAX_RULE_DEPTH {
        return Ok(json!({"var": *u.choose(&VARIABLES)?}));
    }
    Ok(match u.int_in_range(0..=5)? {
        0 | 1 => json!({"var": *u.choose(&VARIABLES)?}),
        2 => match u.int_in_range(0..=3)? {
            0 => json!("ab"),
            1 => json!(1),
            2 => json!([1, "b", null]),
            _ => Value::Array(vec![json!(0); many(u, 64)?]),
        },
        3 => {
            let operator = *u.choose(&LIST_OPERATORS)?;
            let mut arguments = vec![rule(u, depth + 1)?, rule(u, depth + 1)?];
            if operator == "reduce" {
                arguments.push(rule(u, depth + 1)?);
            }
            json!({operator: arguments})
        }
        _ => {
            let operator = *u.choose(&OPERATORS)?;
            let mut arguments = Vec::new();
            for _ in 0..u.int_in_range(1..=3)? {
                arguments.push(rule(u, depth + 1)?);
            }
            json!({operator: arguments})
        }
    })
}
