//! Requests that are written by hand, for seeds and for what was found.
//!
//! After [`MARK`] requests stand one after the other with a line `---` between them: a line with
//! method and path, then the body. In a body `{"$repeat": [text, n]}` is a text n times,
//! `{"$list": [value, n]}` a list of n values whose texts have their number for `{n}`,
//! `{"$nest": [value, n]}` lists around a value, `{"$shape": [name, n]}` the nth shape of a name,
//! `{"$concat": [list, list]}` one list, `{"$merge": [value, patch]}` a value with a merge patch, `{"$json": value}` its JSON as a text.
//! `<sessions>` in a path or a text is the last name that is known of this kind. `{"$lines": [...]}`
//! as the whole body is a line a value.

use serde_json::{Value, json};

use super::Request;
use super::known::Known;

pub(super) const MARK: &[u8] = b"#requests\n";

pub(super) struct Step<'a> {
    text: &'a str,
}

pub(super) fn steps(text: &str) -> impl Iterator<Item = Step<'_>> {
    text.split("\n---\n").take(64).map(|text| Step { text: text.trim() })
}

impl Step<'_> {
    pub(super) fn request(&self, known: &Known) -> Option<Request> {
        let (head, body) = self.text.split_once('\n').unwrap_or((self.text, ""));
        let (method, path) = head.split_once(' ')?;
        let body = if body.trim().is_empty() {
            String::new()
        } else {
            match expanded(serde_json::from_str(body).ok()?, known, &mut 0)? {
                Value::Object(mut members) if members.contains_key("$lines") => {
                    let rows = members.remove("$lines")?;
                    rows.as_array()?.iter().map(|row| format!("{row}\n")).collect()
                }
                value => value.to_string(),
            }
        };
        let media =
            if path == "/memory/import" { "application/x-ndjson" } else { "application/json" };
        let headers = [
            ("host", "localhost"),
            ("content-type", media),
            ("contexture-deadline-ms", "60000"),
            ("accept", "application/json, text/event-stream, text/html"),
        ];
        Some(Request {
            method: method.to_owned(),
            path: named(path, known),
            headers: headers.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
            body: body.into_bytes(),
        })
    }
}

/// Bytes that a script may make of its few.
const MAX_BYTES: usize = 4 << 20;

fn expanded(value: Value, known: &Known, made: &mut usize) -> Option<Value> {
    Some(match value {
        Value::String(text) => named(&text, known).into(),
        Value::Array(items) => items
            .into_iter()
            .map(|item| expanded(item, known, made))
            .collect::<Option<Vec<_>>>()?
            .into(),
        Value::Object(members) => {
            if let Some((name, given)) = members.iter().next()
                && name.starts_with('$')
                && name != "$lines"
            {
                return made_of(name, given, known, made);
            }
            let members = members.into_iter();
            let members = members.map(|(name, value)| Some((name, expanded(value, known, made)?)));
            Value::Object(members.collect::<Option<_>>()?)
        }
        other => other,
    })
}

fn made_of(name: &str, given: &Value, known: &Known, made: &mut usize) -> Option<Value> {
    let first = given.get(0).cloned().unwrap_or_default();
    let count = usize::try_from(given.get(1).and_then(Value::as_u64).unwrap_or(0)).ok()?;
    let mut pay = |bytes: usize| {
        *made += bytes;
        (*made <= MAX_BYTES).then_some(())
    };
    Some(match name {
        "$repeat" => {
            let text = first.as_str()?;
            pay(text.len().checked_mul(count)?)?;
            text.repeat(count).into()
        }
        "$list" => {
            let item = expanded(first, known, made)?;
            let size = item.to_string().len();
            *made += size.checked_mul(count)?;
            (*made <= MAX_BYTES).then_some(())?;
            (0..count).map(|at| numbered(&item, &at.to_string())).collect::<Vec<_>>().into()
        }
        "$nest" => {
            pay(count)?;
            (0..count).fold(first, |inner, _| json!([inner]))
        }
        "$shape" => {
            let shapes: Value =
                serde_json::from_str(include_str!("../../shapes/shapes.json")).ok()?;
            shapes.get(first.as_str()?)?.get(count)?.clone()
        }
        "$merge" => {
            let mut value = expanded(first, known, made)?;
            merge(&mut value, expanded(given.get(1)?.clone(), known, made)?);
            value
        }
        "$concat" => {
            let lists = expanded(given.clone(), known, made)?;
            let lists = lists.as_array()?.iter();
            lists.map(|list| list.as_array().cloned()).collect::<Option<Vec<_>>>()?.concat().into()
        }
        "$json" => expanded(given.clone(), known, made)?.to_string().into(),
        _ => return None,
    })
}

fn merge(value: &mut Value, patch: Value) {
    match patch {
        Value::Object(members) => {
            if !value.is_object() {
                *value = json!({});
            }
            for (name, member) in members {
                merge(&mut value[name], member);
            }
        }
        other => *value = other,
    }
}

fn numbered(value: &Value, number: &str) -> Value {
    match value {
        Value::String(text) => text.replace("{n}", number).into(),
        Value::Array(items) => items.iter().map(|item| numbered(item, number)).collect(),
        Value::Object(members) => Value::Object(
            members
                .iter()
                .map(|(name, value)| (name.replace("{n}", number), numbered(value, number)))
                .collect(),
        ),
        other => other.clone(),
    }
}

/// Names of what there is in the place of `<kind>`.
fn named(text: &str, known: &Known) -> String {
    let mut text = text.to_owned();
    for kind in ["sessions", "artifacts", "compilations", "snapshots", "memory-candidates", "hooks"]
    {
        if let Some(name) = known.names(kind).last() {
            text = text.replace(&format!("<{kind}>"), name);
        }
    }
    text
}
