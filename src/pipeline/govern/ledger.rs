//! Hashes of what each stage was given and what it gave.

use std::collections::BTreeMap;

use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::canonical::{HashText, WrittenValue};
use crate::domain::{ContentHash, Stage};
use crate::json;
use crate::pack::Refusal;

/// The hash of a value's canonical JSON.
pub(super) fn hash<T: Serialize + ?Sized>(value: &T) -> ContentHash {
    ContentHash::of(&json::jcs_value(value))
}

/// The hash of a list of rows without an order: they are sorted by their text. `is_exact`: all
/// their numbers are shown in canonical form.
pub(super) fn hash_of_set<T: Serialize>(
    rows: impl Iterator<Item = T>,
    is_exact: bool,
) -> ContentHash {
    let mut hasher = Sha256::new();
    let mut add = |at: usize, text: &str| {
        hasher.update(if at > 0 { "," } else { "" });
        hasher.update(text);
    };
    add(0, "[");
    if is_exact {
        let mut rows: Vec<String> = rows.map(|row| json::jcs_value(&row)).collect();
        rows.sort_unstable();
        for (at, row) in rows.iter().enumerate() {
            add(at, row);
        }
    } else {
        let mut rows: Vec<WrittenValue> = rows.map(|row| WrittenValue::of(&row)).collect();
        rows.sort_unstable_by(|a, b| a.shown.cmp(&b.shown));
        for (at, row) in rows.iter().enumerate() {
            add(at, &row.canonical);
        }
    }
    add(0, "]");
    ContentHash(hasher.finalize().into())
}

/// Whether a number's canonical form is its digits.
pub(super) fn is_exact(number: u64) -> bool {
    number < 1 << 53
}

/// A stage of a compile under a pack, as the ledger of a record has it.
#[derive(Debug, Clone)]
pub struct GovernedStage {
    pub stage: Stage,
    /// Inputs from outside, by name.
    pub parts: Vec<(String, ContentHash)>,
    pub output: ContentHash,
}

/// The prefix of names of parts that are outputs of other stages.
const STAGE_PREFIX: &str = "stage.";

/// The lines of the stages so far.
#[derive(Debug, Default)]
pub(super) struct Stages {
    lines: Vec<LedgerStage>,
    chain: Option<[u8; 32]>,
}

#[derive(Debug)]
struct LedgerStage {
    name: &'static str,
    parts: BTreeMap<&'static str, HashText>,
    input: ContentHash,
    output: ContentHash,
    chain: ContentHash,
}

impl Stages {
    /// Adds a stage: what it was given, by name, and the hash of what it gave.
    pub(super) fn push(
        &mut self,
        name: &'static str,
        parts: impl IntoIterator<Item = (&'static str, ContentHash)>,
        output: ContentHash,
    ) {
        let parts: BTreeMap<_, _> =
            parts.into_iter().map(|(name, hash)| (name, HashText(hash))).collect();
        let input = hash(&parts);
        let mut hasher = Sha256::new();
        if let Some(before) = self.chain {
            hasher.update(before);
        }
        hasher.update(output.0);
        let chain: [u8; 32] = hasher.finalize().into();
        self.chain = Some(chain);
        self.lines.push(LedgerStage { name, parts, input, output, chain: ContentHash(chain) });
    }

    /// Adds a stage that refuses: what it gave is the refusal.
    pub(super) fn refuse(
        &mut self,
        name: &'static str,
        parts: impl IntoIterator<Item = (&'static str, ContentHash)>,
        refusal: Refusal,
    ) -> Refusal {
        self.push(name, parts, hash(&refusal.to_record()));
        refusal
    }

    /// The output hash of a stage that is through.
    pub(super) fn output(&self, name: &str) -> ContentHash {
        let line = self.lines.iter().find(|line| line.name == name);
        line.map_or_else(|| ContentHash::of("null"), |line| line.output)
    }

    /// The lines under the names that stages have in records.
    pub(super) fn lines(&self) -> Vec<GovernedStage> {
        let governed = |line: &LedgerStage| {
            let stage = match line.name {
                "buckets" => Stage::Assemble,
                "manifests" => Stage::Manifest,
                name => Stage::parse(name)?,
            };
            let outside = line.parts.iter().filter(|(name, _)| !name.starts_with(STAGE_PREFIX));
            let parts = outside.map(|(name, hash)| ((*name).to_owned(), hash.0)).collect();
            Some(GovernedStage { stage, parts, output: line.output })
        };
        self.lines.iter().filter_map(governed).collect()
    }

    pub(super) fn written(&self) -> WrittenValue {
        #[derive(Serialize)]
        struct Row<'l> {
            n: usize,
            name: &'static str,
            input_parts: &'l BTreeMap<&'static str, HashText>,
            input_hash: HashText,
            output_hash: HashText,
            chain_hash: HashText,
        }
        let rows = (1..).zip(&self.lines).map(|(n, line)| Row {
            n,
            name: line.name,
            input_parts: &line.parts,
            input_hash: HashText(line.input),
            output_hash: HashText(line.output),
            chain_hash: HashText(line.chain),
        });
        WrittenValue::of(&rows.collect::<Vec<_>>())
    }
}
