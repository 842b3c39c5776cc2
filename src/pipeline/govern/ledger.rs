//! Hashes of what each stage was given and what it gave.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::domain::{ContentHash, Stage};
use crate::json;

/// `sha256:` and 64 digits.
pub(super) fn shown(hash: &ContentHash) -> String {
    format!("sha256:{hash}")
}

/// The hash of a value's canonical JSON.
pub(super) fn hash(value: &Value) -> ContentHash {
    ContentHash::of(&json::jcs_value(value))
}

/// Sets a member of an object.
pub(super) fn put(object: &mut Value, key: &str, value: Value) {
    if let Some(members) = object.as_object_mut() {
        members.insert(key.to_owned(), value);
    }
}

/// A stage of a compile under a pack, as the ledger of a record has it.
#[derive(Debug, Clone)]
pub struct GovernedStage {
    pub stage: Stage,
    /// What reached it from outside, by name.
    pub parts: Vec<(String, ContentHash)>,
    pub output: ContentHash,
}

/// What begins the names of parts that are outputs of other stages.
const FROM_STAGE: &str = "stage.";

/// The lines of the stages so far.
#[derive(Debug, Default)]
pub(super) struct Stages {
    lines: Vec<Line>,
    chain: Option<[u8; 32]>,
}

#[derive(Debug)]
struct Line {
    name: &'static str,
    parts: BTreeMap<String, ContentHash>,
    input: ContentHash,
    output: ContentHash,
    chain: ContentHash,
}

impl Stages {
    /// Adds a stage: what it was given, by name, and what it gave.
    pub(super) fn push(
        &mut self,
        name: &'static str,
        parts: impl IntoIterator<Item = (&'static str, ContentHash)>,
        output: &Value,
    ) {
        let parts: BTreeMap<String, ContentHash> =
            parts.into_iter().map(|(name, hash)| (name.to_owned(), hash)).collect();
        let told: BTreeMap<&String, String> =
            parts.iter().map(|(name, hash)| (name, shown(hash))).collect();
        let input = hash(&json!(told));
        let output = hash(output);
        let mut hasher = Sha256::new();
        if let Some(before) = self.chain {
            hasher.update(before);
        }
        hasher.update(output.0);
        let chain: [u8; 32] = hasher.finalize().into();
        self.chain = Some(chain);
        self.lines.push(Line { name, parts, input, output, chain: ContentHash(chain) });
    }

    /// The output hash of a stage that is through.
    pub(super) fn output(&self, name: &str) -> ContentHash {
        let line = self.lines.iter().find(|line| line.name == name);
        line.map_or_else(|| ContentHash::of("null"), |line| line.output)
    }

    /// The lines under the names that stages have in records.
    pub(super) fn lines(&self) -> Vec<GovernedStage> {
        let governed = |line: &Line| {
            let stage = match line.name {
                "buckets" => Stage::Assemble,
                "manifests" => Stage::Manifest,
                name => Stage::parse(name)?,
            };
            let outside = line.parts.iter().filter(|(name, _)| !name.starts_with(FROM_STAGE));
            let parts = outside.map(|(name, hash)| (name.clone(), *hash)).collect();
            Some(GovernedStage { stage, parts, output: line.output })
        };
        self.lines.iter().filter_map(governed).collect()
    }

    pub(super) fn told(&self) -> Value {
        let lines = self.lines.iter().enumerate().map(|(at, line)| {
            let parts: BTreeMap<&String, String> =
                line.parts.iter().map(|(name, hash)| (name, shown(hash))).collect();
            json!({
                "n": at + 1,
                "name": line.name,
                "input_parts": parts,
                "input_hash": shown(&line.input),
                "output_hash": shown(&line.output),
                "chain_hash": shown(&line.chain),
            })
        });
        Value::Array(lines.collect())
    }
}
