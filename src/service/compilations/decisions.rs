//! What happened to each message of a recorded compile.

use serde_json::{Value, json};

use super::StoredRecord;
use super::replay::recompile;
use crate::domain::{Source, TokenizerName};
use crate::json::{self, Limits, Node};
use crate::pipeline::Deadline;
use crate::service::Services;

/// What a record tells of its compile beyond what is stored.
#[derive(Debug, Default)]
pub struct ExplainedCompile {
    /// The decisions about its messages as a JSON array; none if they are not known.
    pub decisions: Option<String>,
    /// Members of the response that its pack added, as JSON text: `,"compiled_context":…` and those
    /// after it. Empty without a pack, and if they are not known.
    pub governed: String,
}

/// Explains a record: by its report, or else by compiling it again. Of a request through the gateway,
/// the decisions are about edited messages.
pub fn explain(
    services: &Services,
    record: &StoredRecord,
    deadline: &Deadline,
) -> ExplainedCompile {
    if record.is_of_gateway {
        let decisions = gateway_edits(services, record).map(|edits| edits.to_string());
        return ExplainedCompile { decisions, ..ExplainedCompile::default() };
    }
    let told = |report: &str| {
        let report = json::parse(report, Limits::default()).ok()?;
        let decisions = report.get("decisions").filter(|decisions| !decisions.is_null())?;
        Some(decisions.raw.to_owned())
    };
    let stored = told(record.report());
    if stored.is_some() && !names_pack(record) {
        return ExplainedCompile { decisions: stored, ..ExplainedCompile::default() };
    }
    let Ok((report, governed)) = recompile(services, record, deadline) else {
        return ExplainedCompile { decisions: stored, ..ExplainedCompile::default() };
    };
    let again = || told(&serde_json::to_string(&report).ok()?);
    ExplainedCompile { decisions: stored.or_else(again), governed }
}

/// Whether the request of a record names a pack.
fn names_pack(record: &StoredRecord) -> bool {
    let request = record.request.as_deref();
    let node = request.and_then(|text| json::parse(text, Limits::default()).ok());
    node.is_some_and(|node| node.get("pack").is_some_and(|pack| !pack.is_null()))
}

/// The messages that the gateway sent with forms of their texts.
fn gateway_edits(services: &Services, record: &StoredRecord) -> Option<Value> {
    let body = json::parse(record.compilation.body.as_str(), Limits::default()).ok()?;
    let edits = body.get("gateway")?.get("edits")?.as_array()?;
    let request = json::parse(record.request.as_deref()?, Limits::default()).ok()?;
    let list = Source::LIST_KEYS.iter().find_map(|key| request.get(key)?.as_array());
    let decision = |edit: &Node<'_>| {
        let index = usize::try_from(edit.get("message")?.as_u64()?).ok()?;
        let saved = edit.get("saved_tokens")?.as_u64()?;
        let message = list?.get(index)?;
        let counter = &services.pipeline().counter;
        let tokens_before = counter.count(TokenizerName::O200kBase, message.raw);
        // Records of earlier releases do not say.
        let rule = edit.get("rule").and_then(Node::as_str).unwrap_or("on_arrival");
        Some(json!({
            "index": index,
            "id": format!("message {index}"),
            "action": "compressed",
            "rule": rule,
            "tokens_before": tokens_before,
            "tokens_after": tokens_before.saturating_sub(saved),
        }))
    };
    edits.iter().map(decision).collect()
}
