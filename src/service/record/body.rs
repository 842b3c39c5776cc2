//! The body of a record, as a JSON object.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::{Value, json};

use super::Inputs;
use crate::domain::{
    ArtifactId, CalibratedFactor, ContentHash, Family, Ledger, Model, RawJson, Stage, StageHashes,
    TokenizerName,
};
use crate::json::{self, Limits, Node};
use crate::request::RequestMemoryEntry;

/// The parts of a record that have no column.
#[derive(Debug)]
pub(crate) struct RecordBody {
    pub(crate) ledger: Ledger,
    /// JSON text of the report, including times.
    pub(crate) report: String,
    pub(crate) artifacts: Vec<ContentHash>,
    /// Keys of the expired memory entries that the compile removed.
    pub(crate) expired: Vec<String>,
    /// JSON text of the hook runs.
    pub(crate) hooks: String,
    /// The refusal, if the pack refused.
    pub(crate) refusal: Option<Value>,
    pub(crate) full: Option<FullRecord>,
}

/// The parts that only a full record has.
#[derive(Debug, Clone)]
pub(crate) struct FullRecord {
    /// Hashes of the plans by which [`super::RecordPlan`] restores request and payload.
    pub(crate) request: ContentHash,
    pub(crate) payload: Option<ContentHash>,
    /// Texts of adapter definitions by name.
    pub(crate) adapters: BTreeMap<Arc<str>, String>,
    /// JSON text of the hooks that the compile was pinned to; none if there were none.
    pub(crate) set: Option<String>,
}

impl RecordBody {
    pub(super) fn write(&self, inputs: &Inputs) -> String {
        let stages: Vec<Value> = self.ledger.stages().iter().map(stage).collect();
        let ids = self.artifacts.iter().map(|hash| ArtifactId::from(hash).to_string());
        let ids: Vec<String> = ids.collect();
        let effects = json!({"artifacts": ids, "memory_expired": self.expired});
        let mut text = format!(
            "{{\"stages\":{},\"report\":{},\"effects\":{effects},\"hooks\":{}",
            Value::from(stages),
            self.report,
            self.hooks
        );
        if !inputs.summaries.is_empty() {
            let summaries = super::summaries::text(&inputs.summaries, self.full.is_some());
            let _ = write!(text, ",\"summaries\":{summaries}");
        }
        if let Some(refusal) = &self.refusal {
            let _ = write!(text, ",\"refusal\":{refusal}");
        }
        if let (Some(recalled), Some(_)) = (&inputs.recalled, &self.full) {
            let _ = write!(text, ",\"recalled\":{}", recalled.text());
        }
        if let Some(full) = &self.full {
            let payload = full.payload.map(|hash| hash.to_string());
            if let Some(set) = &full.set {
                let _ = write!(text, ",\"hook_set\":{set}");
            }
            let full = json!({
                "request": full.request.to_string(), "payload": payload, "adapters": full.adapters,
            });
            let memory = inputs.memory.as_deref().map_or_else(|| "null".to_owned(), memory_text);
            let model = model_text(&inputs.model);
            let session = json!({
                "measured_milli": inputs.calibration.map(|own| own.milli),
                "measured_may_drop": inputs.calibration.map(|own| own.may_drop),
                "points": inputs.points,
            });
            let _ = write!(
                text,
                ",\"full\":{full},\"memory\":{memory},\"model\":{model},\"session\":{session}"
            );
        }
        text.push('}');
        text
    }

    /// Reads the text of [`Self::write`]. Returns none for other texts, such as the record of
    /// another release.
    pub(crate) fn read(raw: &RawJson) -> Option<Self> {
        let node = json::parse(raw.as_str(), Limits::default()).ok()?;
        let stages = node.get("stages")?.as_array()?.iter().map(read_stage);
        let effects = node.get("effects")?;
        let full = match node.get("full") {
            Some(full) => Some(FullRecord {
                request: hash(full.get("request"))?,
                payload: hash(full.get("payload")),
                adapters: full
                    .get("adapters")?
                    .as_object()?
                    .iter()
                    .map(|(name, text)| Some((name.as_ref().into(), text.as_str()?.to_owned())))
                    .collect::<Option<_>>()?,
                set: node.get("hook_set").map(|set| set.raw.to_owned()),
            }),
            None => None,
        };
        Some(Self {
            ledger: Ledger::from_lines(stages.collect::<Option<_>>()?),
            report: node.get("report")?.raw.to_owned(),
            artifacts: Vec::new(),
            expired: texts(effects.get("memory_expired")?),
            hooks: node.get("hooks")?.raw.to_owned(),
            refusal: match node.get("refusal") {
                Some(own) => Some(serde_json::from_str(own.raw).ok()?),
                None => None,
            },
            full,
        })
    }
}

fn texts(node: &Node<'_>) -> Vec<String> {
    let items = node.as_array().unwrap_or_default().iter();
    items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
}

fn hash(node: Option<&Node<'_>>) -> Option<ContentHash> {
    ContentHash::parse(node?.as_str()?)
}

fn stage(line: &StageHashes) -> Value {
    let parts: serde_json::Map<String, Value> = line
        .input_parts
        .iter()
        .map(|(name, hash)| (name.clone(), hash.to_string().into()))
        .collect();
    json!({
        "stage": line.stage.as_str(), "input_hash": line.input_hash.to_string(),
        "output_hash": line.output_hash.to_string(), "input_parts": parts,
    })
}

fn read_stage(node: &Node<'_>) -> Option<StageHashes> {
    let parts = node.get("input_parts")?.as_object()?.iter();
    let parts = parts.map(|(name, own)| Some((name.clone().into_owned(), hash(Some(own))?)));
    Some(StageHashes {
        stage: Stage::parse(node.get("stage")?.as_str()?)?,
        input_hash: hash(node.get("input_hash"))?,
        output_hash: hash(node.get("output_hash"))?,
        input_parts: parts.collect::<Option<_>>()?,
    })
}

/// Writes memory entries as JSON text.
pub(super) fn memory_text(entries: &[RequestMemoryEntry]) -> String {
    let entries = entries.iter().map(|entry| {
        json!({
            "key": &*entry.key, "value": &*entry.value,
            "description": entry.description.as_deref(), "place": entry.place,
        })
    });
    Value::from(entries.collect::<Vec<_>>()).to_string()
}

/// Reads the memory entries of a full record; none if it has none.
pub(crate) fn memory_of(raw: &RawJson) -> Option<Vec<RequestMemoryEntry>> {
    let node = json::parse(raw.as_str(), Limits::default()).ok()?;
    let entries = node.get("memory")?.as_array()?.iter().map(|entry| {
        Some(RequestMemoryEntry {
            key: entry.get("key")?.as_str()?.into(),
            value: entry.get("value")?.as_str()?.into(),
            description: entry.get("description").and_then(Node::as_str).map(Into::into),
            place: usize::try_from(entry.get("place")?.as_u64()?).ok()?,
        })
    });
    entries.collect()
}

/// Writes a row of the model table as JSON text.
pub(super) fn model_text(model: &Model) -> String {
    json!({
        "name": &*model.name, "family": model.family.as_str(),
        "context_window": model.context_window, "max_output": model.max_output,
        "tokenizer": model.tokenizer.as_str(), "factor_milli": model.factor_milli,
        "prefill": model.prefill, "system_messages": model.system_messages,
        "tool_changes": model.tool_changes,
    })
    .to_string()
}

/// Reads the model of a full record.
pub(crate) fn model_of(raw: &RawJson) -> Option<Model> {
    let node = json::parse(raw.as_str(), Limits::default()).ok()?;
    let model = node.get("model")?;
    let flag = |key: &str| model.get(key).and_then(Node::as_bool);
    Some(Model {
        name: model.get("name")?.as_str()?.into(),
        family: Family::parse(model.get("family")?.as_str()?)?,
        context_window: model.get("context_window")?.as_u64()?,
        max_output: model.get("max_output")?.as_u64()?,
        tokenizer: TokenizerName::parse(model.get("tokenizer")?.as_str()?)?,
        factor_milli: u32::try_from(model.get("factor_milli")?.as_u64()?).ok()?,
        prefill: model.get("prefill")?.as_bool()?,
        // Records of earlier engines have no such member.
        system_messages: flag("system_messages").unwrap_or(false),
        // An earlier engine took them wherever it took system messages.
        tool_changes: flag("tool_changes").or_else(|| flag("system_messages")).unwrap_or(false),
    })
}

/// Reads the token factor and the compaction points that the session of a full record added.
pub(crate) fn session_of(raw: &RawJson) -> Option<(Option<CalibratedFactor>, Vec<u64>)> {
    let node = json::parse(raw.as_str(), Limits::default()).ok()?;
    let session = node.get("session")?;
    let milli = session.get("measured_milli").and_then(Node::as_u64);
    let milli = milli.and_then(|milli| u32::try_from(milli).ok());
    let may_drop = session.get("measured_may_drop").and_then(Node::as_bool).unwrap_or(true);
    let factor = milli.map(|milli| CalibratedFactor { milli, may_drop });
    let points = session.get("points")?.as_array()?.iter().map(Node::as_u64);
    Some((factor, points.collect::<Option<_>>()?))
}
