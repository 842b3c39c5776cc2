//! The body of a record, as a JSON object.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::{Value, json};

use super::Inputs;
use crate::domain::{
    ArtifactId, CalibratedFactor, ContentHash, Family, Ledger, Model, ModelRow, RawJson,
    SentHistory, Stage, StageHashes, TokenizerName,
};
use crate::json::{self, Limits, Node};
use crate::request::{CompileRequest, RequestMemoryEntry};

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
    /// Whether it is of a request through the gateway, which has no stages to run again.
    pub(crate) is_of_gateway: bool,
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
                "sent": inputs.sent,
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
            is_of_gateway: node.get("gateway").is_some(),
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

pub(super) fn stage(line: &StageHashes) -> Value {
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

/// Writes a row of the catalogue of models as JSON text.
pub(super) fn model_text(model: &Model) -> String {
    serde_json::to_string(&ModelRow::from(model)).unwrap_or_default()
}

/// Reads the model of a full record.
pub(crate) fn model_of(raw: &RawJson) -> Option<Model> {
    let RecordedModel { model } = serde_json::from_str(raw.as_str()).ok()?;
    if model.get("factor_milli").is_some() {
        return early_model(&model);
    }
    let row: ModelRow = serde_json::from_value(model).ok()?;
    Model::try_from(row).ok()
}

#[derive(serde::Deserialize)]
struct RecordedModel {
    model: Value,
}

/// Reads a model as engines up to 8 recorded it.
fn early_model(model: &Value) -> Option<Model> {
    let flag = |key: &str| model.get(key).and_then(Value::as_bool);
    let number = |key: &str| model.get(key)?.as_u64();
    let family = Family::parse(model.get("family")?.as_str()?)?;
    let name = model.get("name")?.as_str()?;
    Some(Model {
        tokenizer: TokenizerName::parse(model.get("tokenizer")?.as_str()?)?,
        factor_milli: u32::try_from(number("factor_milli")?).ok()?,
        prefill: flag("prefill")?,
        // Records of earlier engines have no such member.
        system_messages: flag("system_messages").unwrap_or(false),
        // An earlier engine took them wherever it took system messages.
        tool_changes: flag("tool_changes").or_else(|| flag("system_messages")).unwrap_or(false),
        ..Model::new(name, family, number("context_window")?, number("max_output")?)
    })
}

/// The part of a request that its session added.
pub(crate) struct RecordedSession {
    pub(crate) calibration: Option<CalibratedFactor>,
    pub(crate) points: Vec<u64>,
    pub(crate) sent: Option<Arc<SentHistory>>,
}

impl RecordedSession {
    pub(crate) fn put_into(self, request: &mut CompileRequest) {
        let Self { calibration, points, sent } = self;
        (request.calibration, request.points, request.sent) = (calibration, points, sent);
    }
}

/// Reads what the session of a full record added.
pub(crate) fn session_of(raw: &RawJson) -> Option<RecordedSession> {
    let node = json::parse(raw.as_str(), Limits::default()).ok()?;
    let session = node.get("session")?;
    let milli = session.get("measured_milli").and_then(Node::as_u64);
    let milli = milli.and_then(|milli| u32::try_from(milli).ok());
    let may_drop = session.get("measured_may_drop").and_then(Node::as_bool).unwrap_or(true);
    let points = session.get("points")?.as_array()?.iter().map(Node::as_u64);
    // Records of earlier engines have no such member.
    let sent = session.get("sent").filter(|sent| !sent.is_null());
    Some(RecordedSession {
        calibration: milli.map(|milli| CalibratedFactor { milli, may_drop }),
        points: points.collect::<Option<_>>()?,
        sent: sent.map(|sent| serde_json::from_str(sent.raw)).transpose().ok()?.map(Arc::new),
    })
}
