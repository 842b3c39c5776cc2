//! Requests by the description: which members there are, and what they hold, is chosen by bytes.

use arbitrary::{Result, Unstructured};
use serde_json::{Map, Value, json};

use super::description::{Description, Operation};
use super::distort::distort;
use super::known::Known;
use super::leaf::{self, chance, many};
use super::{KIB, MIB, Request};

/// Bytes of most bodies, and of some.
const MAX_BODY_BYTES: usize = 256 * KIB;
const MAX_LARGE_BYTES: usize = 2 * MIB;
const MAX_DEPTH: usize = 8;
/// Names that requests put things under, so that one finds what another has made.
const NAMES: [&str; 5] = ["a", "chat", "ledger", "color", "json"];
/// What is worth the most requests: what stores or reads nothing of a caller's is rarely asked.
const HEAVY: [&str; 12] = [
    "/compile",
    "/compress",
    "/expand",
    "/sessions/{id}/turns",
    "/tools/calls",
    "/tools/results",
    "/packs",
    "/packs/lint",
    "/policy/evaluate",
    "/mcp",
    "/v1/compress",
    "/adapters/{name}/test",
];

pub(super) struct Generator<'a> {
    description: &'a Description,
    known: &'a Known,
    u: Unstructured<'a>,
    /// Bytes that the body may still grow by.
    room: usize,
}

impl<'a> Generator<'a> {
    pub(super) fn new(
        description: &'a Description,
        known: &'a Known,
        mut u: Unstructured<'a>,
    ) -> Self {
        let is_large = u.int_in_range(0..=15).is_ok_and(|chosen| chosen == 15);
        let room = if is_large { MAX_LARGE_BYTES } else { MAX_BODY_BYTES };
        Self { description, known, u, room }
    }

    /// None where the body is larger than is asked for.
    pub(super) fn request(mut self) -> Result<Option<Request>> {
        let most = self.room;
        let operations = &self.description.operations;
        let operation = match chance(&mut self.u, 1, 2)? {
            true => {
                let path = *self.u.choose(&HEAVY)?;
                let is_heavy = |one: &&Operation| one.path == path && one.method == "POST";
                operations.iter().find(is_heavy)
            }
            false => Some(self.u.choose(operations)?),
        };
        let Some(operation) = operation else { return Ok(None) };
        let (path, mut headers) = self.address(operation)?;
        headers.push(("host".to_owned(), "localhost".to_owned()));
        let body = match &operation.body {
            Some(body) => {
                headers.push(("content-type".to_owned(), body.media.clone()));
                self.body(operation, &body.schema)?
            }
            None => String::new(),
        };
        if let Some(key) = &self.known.bearer {
            headers.push(("authorization".to_owned(), format!("Bearer {key}")));
        }
        let method = operation.method.clone();
        let request = Request { method, path, headers, body: body.into_bytes() };
        Ok((request.body.len() <= most + most / 4).then_some(request))
    }

    fn address(&mut self, operation: &Operation) -> Result<(String, Vec<(String, String)>)> {
        let kind = operation.path.split('/').nth(1).unwrap_or_default();
        let mut path = operation.path.clone();
        let mut query = Vec::new();
        let mut headers = Vec::new();
        for parameter in &operation.parameters {
            let name = &parameter.name;
            if parameter.place == "path" {
                let kind = if name == "version" { "version" } else { kind };
                let value = self.name(kind)?;
                path = path.replace(&format!("{{{name}}}"), &escaped(&value));
                continue;
            }
            // Revisions that are not there and keys that repeat refuse most requests.
            let is_rare = matches!(&**name, "If-Match" | "If-None-Match" | "Idempotency-Key");
            if !chance(&mut self.u, 1, if is_rare { 12 } else { 4 })? {
                continue;
            }
            let value = match (&**name, self.known.names(&name.to_ascii_lowercase())) {
                ("If-Match" | "If-None-Match", _) if !self.known.names("etag").is_empty() => {
                    self.u.choose(self.known.names("etag"))?.clone()
                }
                (_, [_, ..]) => self.u.choose(self.known.names(name))?.clone(),
                _ => match self.value(&parameter.schema, name, 6)? {
                    Value::String(text) => text,
                    other => other.to_string(),
                },
            };
            let value: String = value.chars().take(2_000).collect();
            match &*parameter.place {
                "query" => query.push(format!("{name}={}", escaped(&value))),
                _ if value.bytes().all(|byte| (b' '..=b'~').contains(&byte)) => {
                    headers.push((name.clone(), value));
                }
                _ => {}
            }
        }
        if !query.is_empty() {
            path = format!("{path}?{}", query.join("&"));
        }
        if path == "/mcp" {
            headers.push(("accept".to_owned(), "application/json, text/event-stream".to_owned()));
        }
        if path.starts_with("/compilations/") && chance(&mut self.u, 1, 2)? {
            headers.push(("accept".to_owned(), "text/html".to_owned()));
        }
        Ok((path, headers))
    }

    /// A name of this kind: mostly one that is there.
    fn name(&mut self, kind: &str) -> Result<String> {
        let names = self.known.names(kind);
        Ok(match self.u.int_in_range(0..=9)? {
            0..=6 if !names.is_empty() => self.u.choose(names)?.clone(),
            9 if chance(&mut self.u, 1, 3)? => leaf::text(&mut self.u, self.known, 300)?,
            _ => (*self.u.choose(&NAMES)?).to_owned(),
        })
    }

    fn body(&mut self, operation: &Operation, schema: &Value) -> Result<String> {
        let shapes = self.description.shapes(&operation.path);
        let mut value = match !shapes.is_empty() && chance(&mut self.u, 2, 3)? {
            true => self.u.choose(shapes)?.clone(),
            false => self.value(schema, "", 0)?,
        };
        self.choose_conversation(operation, &mut value)?;
        self.fill(&mut value)?;
        let count = self.u.int_in_range(0..=3)?;
        if count > 0 {
            distort(&mut self.u, self.known, &mut value, self.room, count)?;
        }
        Ok(match (&value, &*operation.path) {
            (Value::Array(rows), "/memory/import") => {
                rows.iter().map(|row| format!("{row}\n")).collect()
            }
            _ => value.to_string(),
        })
    }

    /// Leaves one of the members that stand for a conversation, of which there may be only one.
    fn choose_conversation(&mut self, operation: &Operation, value: &mut Value) -> Result<()> {
        const TALKS: [&str; 4] = ["/compile", "/compress", "/expand", "/tokens"];
        const FORMS: [&str; 6] = ["messages", "text", "input", "contents", "id", "artifact"];
        let Some(members) = value.as_object_mut().filter(|_| TALKS.contains(&&*operation.path))
        else {
            return Ok(());
        };
        if chance(&mut self.u, 1, 16)? {
            return Ok(());
        }
        let mut forms = FORMS.to_vec();
        forms.retain(|form| members.contains_key(*form));
        let chosen = if forms.is_empty() { "messages" } else { *self.u.choose(&forms)? };
        members.retain(|name, _| name == chosen || !FORMS.contains(&&**name));
        if forms.is_empty() {
            let shapes = self.description.shapes(chosen);
            members.insert(chosen.to_owned(), self.u.choose(shapes)?.clone());
        }
        Ok(())
    }

    /// Puts names of what there is in the places of shapes that ask for them.
    fn fill(&mut self, value: &mut Value) -> Result<()> {
        match value {
            Value::String(text) if text.starts_with('$') => {
                let names = match &**text {
                    "$artifact" => self.known.names("artifacts"),
                    "$compilation" => self.known.names("compilations"),
                    _ => &[],
                };
                if !names.is_empty() {
                    *text = self.u.choose(names)?.clone();
                }
            }
            Value::String(text) if text.contains("$artifact") => {
                if let Some(name) = self.known.names("artifacts").last() {
                    *text = text.replace("$artifact", name);
                }
            }
            Value::Array(items) => {
                for item in items {
                    self.fill(item)?;
                }
            }
            Value::Object(members) => {
                for (_, member) in members.iter_mut() {
                    self.fill(member)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn value(&mut self, schema: &Value, name: &str, depth: usize) -> Result<Value> {
        if chance(&mut self.u, 1, 160)? {
            return self.any();
        }
        let (title, schema) = self.description.resolve(schema);
        let shapes = title.map_or(&[][..], |title| self.description.shapes(title));
        let shapes = if shapes.is_empty() { self.description.shapes(name) } else { shapes };
        if !shapes.is_empty() && !chance(&mut self.u, 1, 6)? {
            return self.shaped(shapes);
        }
        if let Some(example) = schema.get("example").filter(|_| depth == 0)
            && chance(&mut self.u, 1, 3)?
        {
            return Ok(example.clone());
        }
        if let Some(values) = schema["enum"].as_array().filter(|values| !values.is_empty()) {
            return Ok(self.u.choose(values)?.clone());
        }
        if let Some(forms) = schema["oneOf"].as_array() {
            let is_null = |form: &&Value| form["type"] == "null";
            let some: Vec<&Value> = forms.iter().filter(|form| !is_null(form)).collect();
            let form = if some.is_empty() {
                Ok(&schema["oneOf"][0])
            } else {
                self.u.choose(&some).copied()
            };
            return self.value(form?, name, depth);
        }
        if let Some(parts) = schema["allOf"].as_array() {
            let mut all = Map::new();
            for part in parts {
                if let Value::Object(members) = self.value(part, name, depth)? {
                    all.extend(members);
                }
            }
            return Ok(all.into());
        }
        let form = match &schema["type"] {
            Value::Array(forms) => forms.iter().find(|form| *form != "null"),
            form => Some(form),
        };
        match form.and_then(Value::as_str) {
            Some("object") if schema["properties"].is_object() => self.object(schema, depth),
            Some("array") => self.list(schema, name, depth),
            Some("string") => self.text(schema, name),
            Some("integer" | "number") => self.number(schema),
            Some("boolean") => Ok(self.u.arbitrary::<bool>()?.into()),
            _ => self.any(),
        }
    }

    fn shaped(&mut self, shapes: &[Value]) -> Result<Value> {
        let mut value = self.u.choose(shapes)?.clone();
        if chance(&mut self.u, 1, 4)? {
            distort(&mut self.u, self.known, &mut value, self.room / 4, 1)?;
        }
        Ok(self.pay(value))
    }

    fn any(&mut self) -> Result<Value> {
        let value = leaf::any(&mut self.u, self.known, self.room / 4, 0)?;
        Ok(self.pay(value))
    }

    fn object(&mut self, schema: &Value, depth: usize) -> Result<Value> {
        let required = schema["required"].as_array();
        let mut members = Map::new();
        for (name, member) in schema["properties"].as_object().into_iter().flatten() {
            let is_required = required.into_iter().flatten().any(|one| *one == **name);
            if !is_required && (depth >= MAX_DEPTH || !chance(&mut self.u, 1, 4)?) {
                continue;
            }
            let value = self.value(member, name, depth + 1)?;
            members.insert(name.clone(), value);
        }
        Ok(members.into())
    }

    fn list(&mut self, schema: &Value, name: &str, depth: usize) -> Result<Value> {
        let mut items = Vec::new();
        for _ in 0..self.u.int_in_range(0..=2)? {
            items.push(self.value(&schema["items"], name, depth + 1)?);
        }
        if let Some(item) = items.last().cloned()
            && chance(&mut self.u, 1, 6)?
        {
            let size = item.to_string().len() + 2;
            items.extend(vec![item; many(&mut self.u, (self.room / 2 / size).max(1))?]);
        }
        Ok(self.pay(Value::Array(items)))
    }

    fn text(&mut self, schema: &Value, name: &str) -> Result<Value> {
        // Members that name something name what is there, most of the time.
        let kind = match name {
            "session_id" | "new_session_id" | "parent_session_id" => "sessions",
            "a" | "b" | "id" | "payload_hash" => "compilations",
            "from" | "to" | "against" => "pack_ref",
            "artifact" | "hash" => "artifacts",
            "key" => "memory",
            "skill" | "name" => "skills",
            _ => "",
        };
        if !kind.is_empty() && !chance(&mut self.u, 1, 5)? {
            return Ok(self.name(kind)?.into());
        }
        let is_short = schema["maxLength"].as_u64().is_some_and(|most| most <= 1_000);
        let room = if is_short && !chance(&mut self.u, 1, 8)? { 16 } else { self.room / 4 };
        let text = leaf::text(&mut self.u, self.known, room)?;
        Ok(self.pay(text.into()))
    }

    fn number(&mut self, schema: &Value) -> Result<Value> {
        if schema["type"].to_string().contains("number") {
            return Ok(json!(*self.u.choose(&[0.5, 0.0, 1.0, 0.01, 1e300])?));
        }
        let value = leaf::integer(&mut self.u)?;
        let least = schema["minimum"].as_i64().unwrap_or(i64::MIN);
        let most = schema["maximum"].as_i64().unwrap_or(i64::MAX);
        let is_wild = chance(&mut self.u, 1, 20)?;
        Ok(if is_wild { value } else { value.clamp(least, most) }.into())
    }

    /// Takes the bytes of a value from the room that is left.
    fn pay(&mut self, value: Value) -> Value {
        self.room = self.room.saturating_sub(value.to_string().len()).max(KIB);
        value
    }
}

/// Text in a path or a query.
fn escaped(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string()
}
