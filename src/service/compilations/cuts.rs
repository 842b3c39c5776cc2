//! Messages of a compile that were shortened or left out.

use super::StoredRecord;
use super::replay::recompile;
use crate::domain::{Source, TokenizerName};
use crate::json::{self, Limits, Node};
use crate::pipeline::Deadline;
use crate::service::Services;

/// A message that was shortened or left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageCut {
    /// Index in the request's list.
    pub index: usize,
    pub action: String,
    pub rule: String,
    pub tokens_before: u64,
    pub tokens_after: u64,
}

/// The cuts of a record, from its report or else by compiling it again. Returns none if neither has
/// them.
pub fn cuts(
    services: &Services,
    record: &StoredRecord,
    deadline: &Deadline,
) -> Option<Vec<MessageCut>> {
    if record.is_of_gateway {
        return gateway_cuts(services, record);
    }
    let told = |report: &str| {
        let report = json::parse(report, Limits::default()).ok()?;
        let decisions = report.get("decisions")?.as_array()?.iter();
        decisions.map(read).collect::<Option<Vec<_>>>()
    };
    let all = told(record.report()).or_else(|| {
        let report = recompile(services, record, deadline).ok()?;
        told(&serde_json::to_string(&report).ok()?)
    })?;
    Some(all.into_iter().filter(|cut| cut.action != "kept").collect())
}

/// The messages that the gateway sent with forms of their texts.
fn gateway_cuts(services: &Services, record: &StoredRecord) -> Option<Vec<MessageCut>> {
    let body = json::parse(record.compilation.body.as_str(), Limits::default()).ok()?;
    let edits = body.get("gateway")?.get("edits")?.as_array()?;
    let request = json::parse(record.request.as_deref()?, Limits::default()).ok()?;
    let list = Source::LIST_KEYS.iter().find_map(|key| request.get(key)?.as_array());
    let cut = |edit: &Node<'_>| {
        let index = usize::try_from(edit.get("message")?.as_u64()?).ok()?;
        let saved = edit.get("saved_tokens")?.as_u64()?;
        let message = list?.get(index)?;
        let counter = &services.pipeline().counter;
        let tokens_before = counter.count(TokenizerName::O200kBase, message.raw);
        Some(MessageCut {
            index,
            action: "edited".to_owned(),
            // Records of earlier releases do not say.
            rule: edit.get("rule").and_then(Node::as_str).unwrap_or("on_arrival").to_owned(),
            tokens_before,
            tokens_after: tokens_before.saturating_sub(saved),
        })
    };
    edits.iter().map(cut).collect()
}

fn read(decision: &Node<'_>) -> Option<MessageCut> {
    let text = |key| decision.get(key).and_then(Node::as_str).map(str::to_owned);
    let number = |key| decision.get(key).and_then(Node::as_u64);
    Some(MessageCut {
        index: usize::try_from(number("index")?).ok()?,
        action: text("action")?,
        rule: text("rule")?,
        tokens_before: number("tokens_before")?,
        tokens_after: number("tokens_after")?,
    })
}
