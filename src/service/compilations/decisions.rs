//! What happened to each message of a recorded compile.

use serde_json::{Value, json};

use super::StoredRecord;
use super::replay::recompile;
use crate::domain::{Source, TokenizerName};
use crate::json::{self, Limits, Node};
use crate::pipeline::Deadline;
use crate::service::Services;

/// The decisions about the messages of a record as a JSON array: from its report or else by compiling
/// it again. Of a request through the gateway, those about edited messages. None if they are not known.
pub fn decisions(
    services: &Services,
    record: &StoredRecord,
    deadline: &Deadline,
) -> Option<String> {
    if record.is_of_gateway {
        return gateway_edits(services, record).map(|edits| edits.to_string());
    }
    let told = |report: &str| {
        let report = json::parse(report, Limits::default()).ok()?;
        let decisions = report.get("decisions").filter(|decisions| !decisions.is_null())?;
        Some(decisions.raw.to_owned())
    };
    told(record.report()).or_else(|| {
        let report = recompile(services, record, deadline).ok()?;
        told(&serde_json::to_string(&report).ok()?)
    })
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
