//! Hashes of what each stage was given and what it gave.

use std::collections::BTreeMap;

use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::canonical::{HashText, WrittenValue};
use crate::domain::{ContentHash, Stage};
use crate::json;
use crate::pack::Refusal;
use crate::pipeline::stage::pack_name;

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
        let mut rows: Vec<WrittenValue> = rows.map(|row| WrittenValue::new(&row)).collect();
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
    stage: Stage,
    parts: BTreeMap<&'static str, HashText>,
    input: ContentHash,
    output: ContentHash,
    chain: ContentHash,
}

impl Stages {
    /// Adds a stage with its inputs by name and the hash of its output.
    pub(super) fn push(
        &mut self,
        stage: Stage,
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
        self.lines.push(LedgerStage { stage, parts, input, output, chain: ContentHash(chain) });
    }

    /// Adds a stage that refuses: its output is the refusal.
    pub(super) fn refuse(
        &mut self,
        stage: Stage,
        parts: impl IntoIterator<Item = (&'static str, ContentHash)>,
        refusal: Refusal,
    ) -> Refusal {
        self.push(stage, parts, hash(&refusal.to_record()));
        refusal
    }

    /// The output hash of a stage that has run.
    pub(super) fn output(&self, stage: Stage) -> ContentHash {
        let line = self.lines.iter().find(|line| line.stage == stage);
        line.map_or_else(|| ContentHash::of("null"), |line| line.output)
    }

    /// The lines for the ledger of a record.
    pub(super) fn lines(&self) -> Vec<GovernedStage> {
        let governed = |line: &LedgerStage| {
            let outside = line.parts.iter().filter(|(name, _)| !name.starts_with(STAGE_PREFIX));
            let parts = outside.map(|(name, hash)| ((*name).to_owned(), hash.0)).collect();
            GovernedStage { stage: line.stage, parts, output: line.output }
        };
        self.lines.iter().map(governed).collect()
    }

    /// The ledger as a compiled context publishes it.
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
            name: pack_name(line.stage),
            input_parts: &line.parts,
            input_hash: HashText(line.input),
            output_hash: HashText(line.output),
            chain_hash: HashText(line.chain),
        });
        WrittenValue::new(&rows.collect::<Vec<_>>())
    }
}
