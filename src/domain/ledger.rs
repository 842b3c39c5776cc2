//! The ledger of a compile: the inputs and the output of each stage, as hashes.
//!
//! A stage's input is everything before it and its external inputs, each under a name. Two ledgers
//! therefore show where two compiles diverged, and because of what.

use sha2::{Digest as _, Sha256};

use super::ContentHash;

/// The stages of a compile, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    Ingest,
    Intent,
    Policy,
    Tools,
    Evidence,
    Memory,
    Budget,
    Compress,
    Inject,
    Assemble,
    Transform,
    Manifest,
    Format,
}

impl Stage {
    pub const WORDS: &[(&str, Self)] = &[
        ("ingest", Self::Ingest),
        ("intent", Self::Intent),
        ("policy", Self::Policy),
        ("tools", Self::Tools),
        ("evidence", Self::Evidence),
        ("memory", Self::Memory),
        ("budget", Self::Budget),
        ("compress", Self::Compress),
        ("inject", Self::Inject),
        ("assemble", Self::Assemble),
        ("transform", Self::Transform),
        ("manifest", Self::Manifest),
        ("format", Self::Format),
    ];

    pub fn as_str(self) -> &'static str {
        super::word_of(Self::WORDS, self)
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(word, _)| *word == text).map(|(_, stage)| *stage)
    }
}

/// The line of a stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageHashes {
    pub stage: Stage,
    /// Over the output of every stage before it and all of `input_parts`.
    pub input_hash: ContentHash,
    pub output_hash: ContentHash,
    /// The external inputs of the stage, by name (`request.compression`, `store.memory`); in the
    /// order of the names.
    pub input_parts: Vec<(String, ContentHash)>,
}

/// The lines of a compile, in the order of the stages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ledger {
    stages: Vec<StageHashes>,
}

impl Ledger {
    /// From lines that were read back.
    pub fn from_lines(stages: Vec<StageHashes>) -> Self {
        Self { stages }
    }

    pub fn stages(&self) -> &[StageHashes] {
        &self.stages
    }

    /// Adds the next stage.
    pub fn push(
        &mut self,
        stage: Stage,
        mut input_parts: Vec<(String, ContentHash)>,
        output_hash: ContentHash,
    ) {
        input_parts.sort_unstable();
        // The line before includes everything before it in its own input.
        let before = self.stages.last();
        let mut hasher = Sha256::new();
        hasher.update(stage.as_str());
        for hash in before.iter().flat_map(|line| [&line.input_hash, &line.output_hash]) {
            hasher.update(hash.0);
        }
        for (name, hash) in &input_parts {
            // The length shows where a name ends.
            hasher.update((name.len() as u64).to_be_bytes());
            hasher.update(name);
            hasher.update(hash.0);
        }
        let input_hash = ContentHash(hasher.finalize().into());
        self.stages.push(StageHashes { stage, input_hash, output_hash, input_parts });
    }

    fn line(&self, stage: Stage) -> Option<&StageHashes> {
        self.stages.iter().find(|line| line.stage == stage)
    }
}

/// Stages in which two compiles diverged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drift {
    /// The earliest stage with another output; `None` if all are equal.
    pub first_divergent_stage: Option<Stage>,
    /// The stages that diverged for their own reasons, not because an earlier one did.
    pub root_stages: Vec<Stage>,
    pub stages: Vec<StageDrift>,
}

/// A stage of two compiles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageDrift {
    pub stage: Stage,
    pub input_equal: bool,
    pub output_equal: bool,
    /// The external inputs that differ, by name.
    pub changed_inputs: Vec<String>,
}

impl Drift {
    /// Compares the actual ledger with the expected one.
    pub fn between(expected: &Ledger, actual: &Ledger) -> Self {
        let mut stages: Vec<StageDrift> = Vec::new();
        let mut root_stages = Vec::new();
        for (_, stage) in Stage::WORDS {
            let (before, now) = (expected.line(*stage), actual.line(*stage));
            if before.is_none() && now.is_none() {
                continue;
            }
            let output_equal =
                before.map(|line| line.output_hash) == now.map(|line| line.output_hash);
            let changed_inputs = changed_parts(before, now);
            // Concerns the stage's own inputs: differences before it show in the lines before.
            let upstream_equal = stages.iter().all(|line| line.output_equal);
            let input_equal = upstream_equal && changed_inputs.is_empty();
            // With the same input it is the stage itself that gave something else.
            if !output_equal && (input_equal || !changed_inputs.is_empty()) {
                root_stages.push(*stage);
            }
            stages.push(StageDrift { stage: *stage, input_equal, output_equal, changed_inputs });
        }
        let first = stages.iter().find(|line| !line.output_equal).map(|line| line.stage);
        Self { first_divergent_stage: first, root_stages, stages }
    }

    /// Whether every stage gave the same.
    pub fn is_none(&self) -> bool {
        self.first_divergent_stage.is_none()
    }
}

/// The names of inputs that only one ledger has, or that have different hashes; sorted. Empty if
/// only one compile reached the stage: the cause is in a stage before.
fn changed_parts(before: Option<&StageHashes>, now: Option<&StageHashes>) -> Vec<String> {
    let (Some(before), Some(now)) = (before, now) else { return Vec::new() };
    let (before, now) = (&before.input_parts, &now.input_parts);
    let only = |these: &[(String, ContentHash)], those: &[(String, ContentHash)]| -> Vec<String> {
        these.iter().filter(|part| !those.contains(part)).map(|(name, _)| name.clone()).collect()
    };
    let mut names = only(before, now);
    names.extend(only(now, before));
    names.sort_unstable();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(text: &str) -> ContentHash {
        ContentHash::of(text)
    }

    /// Three stages: outputs, and one external input of the second.
    fn ledger(outputs: [&str; 3], part: &str) -> Ledger {
        let mut ledger = Ledger::default();
        ledger.push(Stage::Ingest, vec![("request.messages".into(), hash("m"))], hash(outputs[0]));
        let parts = vec![("request.b".into(), hash("b")), ("request.a".into(), hash(part))];
        ledger.push(Stage::Compress, parts, hash(outputs[1]));
        ledger.push(Stage::Format, Vec::new(), hash(outputs[2]));
        ledger
    }

    #[test]
    fn equal_compiles_have_equal_ledgers() {
        let drift = Drift::between(&ledger(["i", "c", "f"], "x"), &ledger(["i", "c", "f"], "x"));
        assert!(drift.is_none());
        assert!(drift.stages.iter().all(|line| line.input_equal && line.output_equal));
        assert_eq!(drift.root_stages, []);
    }

    #[test]
    fn a_part_from_outside_is_named_and_what_follows_is_no_root() {
        let drift = Drift::between(&ledger(["i", "c", "f"], "x"), &ledger(["i", "C", "F"], "y"));
        assert_eq!(drift.first_divergent_stage, Some(Stage::Compress));
        assert_eq!(drift.root_stages, [Stage::Compress]);
        assert_eq!(drift.stages[1].changed_inputs, ["request.a"]);
        assert!(!drift.stages[2].input_equal && drift.stages[2].changed_inputs.is_empty());
    }

    #[test]
    fn another_output_of_the_same_input_is_the_stage_itself() {
        let drift = Drift::between(&ledger(["i", "c", "f"], "x"), &ledger(["i", "C", "F"], "x"));
        assert_eq!(drift.root_stages, [Stage::Compress]);
        assert!(drift.stages[1].input_equal);
    }

    #[test]
    fn a_change_that_is_absorbed_is_no_divergence() {
        let drift = Drift::between(&ledger(["i", "c", "f"], "x"), &ledger(["i", "c", "f"], "y"));
        assert!(drift.is_none());
        assert_eq!(drift.root_stages, []);
        assert!(!drift.stages[1].input_equal && drift.stages[2].input_equal);
    }

    #[test]
    fn a_stage_that_only_one_has_is_a_divergence() {
        let mut longer = ledger(["i", "c", "f"], "x");
        longer.push(Stage::Policy, Vec::new(), hash("p"));
        let drift = Drift::between(&ledger(["i", "c", "f"], "x"), &longer);
        assert_eq!(drift.first_divergent_stage, Some(Stage::Policy));
    }

    #[test]
    fn an_input_hash_covers_all_before_it_and_every_part() {
        let one = ledger(["i", "c", "f"], "x");
        let last = |ledger: &Ledger| ledger.stages()[2].input_hash;
        assert_eq!(last(&one), last(&ledger(["i", "c", "other"], "x")));
        for other in [ledger(["I", "c", "f"], "x"), ledger(["i", "C", "f"], "x")] {
            assert_ne!(last(&one), last(&other));
        }
        assert_ne!(last(&one), last(&ledger(["i", "c", "f"], "y")));
        let names: Vec<&str> =
            one.stages()[1].input_parts.iter().map(|(name, _)| &**name).collect();
        assert_eq!(names, ["request.a", "request.b"]);
    }

    #[test]
    fn every_stage_has_its_word() {
        for (word, stage) in Stage::WORDS {
            assert_eq!((Stage::parse(word), stage.as_str()), (Some(*stage), *word));
        }
        assert_eq!(Stage::parse("Ingest"), None);
    }
}
