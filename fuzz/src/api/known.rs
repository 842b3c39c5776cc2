//! What a run knows of the things that its requests made, by the first part of their paths.

use std::collections::HashMap;

use serde_json::Value;

use super::Request;
use super::server::Reply;

/// Names that are kept of a kind.
const MAX_NAMES: usize = 32;
/// Names longer than this are texts.
const MAX_NAME_BYTES: usize = 100;

#[derive(Debug, Default)]
pub(super) struct Known {
    names: HashMap<String, Vec<String>>,
    /// The key that requests carry once there is one.
    pub(super) bearer: Option<String>,
}

impl Known {
    /// The names of a kind, the newest last.
    pub(super) fn names(&self, kind: &str) -> &[String] {
        self.names.get(kind).map_or(&[], Vec::as_slice)
    }

    pub(super) fn learn(&mut self, request: &Request, reply: &Reply) {
        if !(200..300).contains(&reply.status) {
            return;
        }
        let path = request.path.split(['?', '#']).next().unwrap_or_default();
        let mut parts = path.split('/').skip(1);
        let (kind, name) = (parts.next().unwrap_or_default(), parts.next());
        if let Some(name) = name.filter(|_| request.method == "PUT") {
            self.add(kind, name);
        }
        if let Some(etag) = &reply.etag {
            self.add("etag", etag);
        }
        if let Ok(body) = serde_json::from_slice::<Value>(&reply.body) {
            if kind == "keys" && request.method == "POST" {
                self.bearer = body["key"].as_str().map(str::to_owned);
            }
            self.walk(kind, "", &body);
        }
    }

    fn walk(&mut self, kind: &str, key: &str, value: &Value) {
        match value {
            Value::String(text) if text.len() <= MAX_NAME_BYTES => {
                let digits = text.bytes().all(|byte| byte.is_ascii_hexdigit());
                match key {
                    _ if text.starts_with("cmp_") => self.add("compilations", text),
                    _ if text.starts_with("ses_") => self.add("sessions", text),
                    _ if digits && text.len() == 24 => self.add("artifacts", text),
                    "next_cursor" => self.add("cursor", text),
                    "pack_ref" => self.add("pack_ref", text),
                    "version" if kind == "packs" => self.add("version", text),
                    "snapshot_id" => self.add("snapshots", text),
                    "id" | "key" | "name" => self.add(kind, text),
                    _ => {}
                }
            }
            Value::Array(items) => {
                items.iter().take(MAX_NAMES).for_each(|item| self.walk(kind, key, item));
            }
            Value::Object(members) => {
                for (key, value) in members.iter().take(2 * MAX_NAMES) {
                    // Payloads hold names that are none of ours.
                    if !matches!(&**key, "payload" | "messages" | "document") {
                        self.walk(kind, key, value);
                    }
                }
            }
            _ => {}
        }
    }

    fn add(&mut self, kind: &str, name: &str) {
        let names = self.names.entry(kind.to_owned()).or_default();
        if names.len() < MAX_NAMES && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
}
