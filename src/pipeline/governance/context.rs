//! The compiled context: until it is written, and in the shape of the published schema.
//!
//! The definitions of that schema allow no other members, so unknown members are left out. The hash
//! next to it remains that of the whole.

use serde_json::{Map, Value, json};

use super::canonical::{HashText, WrittenObject, WrittenValue};
use crate::domain::ContentHash;

/// Converts a compiled context from its JSON text, and returns JSON text.
pub fn published(context: &str) -> String {
    // A context is written by this process, so it can be read.
    let context: Value = serde_json::from_str(context).unwrap_or_default();
    published_value(&context).to_string()
}

fn published_value(context: &Value) -> Value {
    let get = |object: &Value, key: &str| object.get(key).cloned().unwrap_or_default();
    let pick = |object: &Value, keys: &[&str]| -> Value {
        keys.iter().map(|key| ((*key).to_owned(), get(object, key))).collect::<Map<_, _>>().into()
    };
    let prompt = get(context, "compiled_prompt");
    let mut told = pick(&prompt, &["system", "developer", "task"]);
    put(&mut told, "context_blocks", list(&prompt, "context_blocks").iter().map(block).collect());
    let manifests = get(context, "manifests");
    json!({
        "compiled_prompt": told,
        "manifests": {
            "policy_manifest": grouped(&manifests, "policy_manifest", ["bundle_id", "rule_id", "rule_ids"]),
            "tool_manifest":
                grouped(&manifests, "tool_manifest", ["adapter_id", "capability_id", "capabilities"]),
            "evidence_manifest": shown_evidence(&manifests),
        },
        "runtime_controls": pick(
            &get(context, "runtime_controls"),
            &["must_refuse", "must_escalate", "approval_gates_active", "redaction_rules_active"],
        ),
        "budget_report": pick(
            &get(context, "budget_report"),
            &["allocations", "used_at_compile", "bucket_truncations", "dropped_block_ids"],
        ),
        "context_ledger": pick(
            &get(context, "context_ledger"),
            &["pack", "request", "policy", "tool", "evidence", "memory", "budget", "hash"],
        ),
    })
}

/// Sets a member of an object.
fn put(object: &mut Value, key: &str, value: Value) {
    if let Some(members) = object.as_object_mut() {
        members.insert(key.to_owned(), value);
    }
}

fn list<'v>(object: &'v Value, key: &str) -> &'v [Value] {
    object.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn block(block: &Value) -> Value {
    let mut block = block.clone();
    let is_business = block.get("kind").is_some_and(|kind| kind == "non_negotiable");
    let is_tool = block.get("bucket").is_some_and(|bucket| bucket == "tools");
    if let Some(members) = block.as_object_mut() {
        members.remove("required");
        members.remove("redactions");
        let bucket = if is_business { Some("business") } else { is_tool.then_some("tool") };
        if let Some(bucket) = bucket {
            members.insert("bucket".to_owned(), json!(bucket));
        }
    }
    block
}

/// The evidence in the prompt: the published shape has no other.
fn shown_evidence(manifests: &Value) -> Value {
    let is_shown = |row: &&Value| row.get("in_prompt") == Some(&Value::Bool(true));
    list(manifests, "evidence_manifest").iter().filter(is_shown).map(evidence).collect()
}

fn evidence(row: &Value) -> Value {
    let id = row.get("id").and_then(Value::as_str).unwrap_or_default();
    let source = id.split(':').next().unwrap_or_default();
    json!({"evidence_ref": id, "source_id": source, "hash": row.get("payload_hash")})
}

/// Rows by one of their keys, each with what another key has in them.
fn grouped(manifests: &Value, manifest: &str, [by, item, items]: [&str; 3]) -> Value {
    let mut groups: Vec<(Value, Vec<Value>)> = Vec::new();
    for row in list(manifests, manifest) {
        let (Some(name), Some(own)) = (row.get(by), row.get(item)) else { continue };
        match groups.iter_mut().find(|(known, _)| known == name) {
            Some((_, list)) => list.push(own.clone()),
            None => groups.push((name.clone(), vec![own.clone()])),
        }
    }
    groups.into_iter().map(|(name, list)| json!({by: name, items: list})).collect()
}

/// The context of a governed payload, hashed when it is written.
#[derive(Debug)]
pub struct GovernedContext {
    /// All but the ledger.
    own: WrittenObject,
    /// All but its hash.
    ledger: WrittenObject,
}

impl GovernedContext {
    pub(super) fn new(own: WrittenObject, ledger: WrittenObject) -> Self {
        Self { own, ledger }
    }

    /// Appends it as JSON, with the runs of hooks after the stages; returns the hash over its
    /// canonical JSON.
    pub fn write(mut self, hooks: &[Value], out: &mut String) -> ContentHash {
        if !hooks.is_empty() {
            self.ledger.set("hooks", WrittenValue::new(hooks));
        }
        let own = self.ledger.hash();
        self.ledger.set("hash", WrittenValue::new(&HashText(own)));
        self.own.set("context_ledger", self.ledger.written());
        self.own.show(out);
        self.own.hash()
    }
}
