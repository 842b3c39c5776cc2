//! Summaries in a record.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::domain::{AskedSummary, ContentHash, RawJson, Summary};
use crate::json::{self, Limits, Node};
use crate::service::StoreError;
use crate::store::Tenant;

/// Writes the outcomes of summaries as JSON text: with the texts if `full`, else with hashes alone.
pub(super) fn text(asked: &[AskedSummary], full: bool) -> String {
    let lines = asked.iter().map(|asked| {
        let (ask, key) = (asked.ask.to_string(), asked.key.to_string());
        match &asked.result {
            Ok(summary) => json!({
                "ask": ask, "key": key, "by": &*summary.by,
                "text_hash": ContentHash::of(&summary.text).to_string(),
                "text": full.then_some(&*summary.text),
            }),
            Err(why) => json!({"ask": ask, "key": key, "failure": &**why}),
        }
    });
    Value::from(lines.collect::<Vec<_>>()).to_string()
}

/// Reads the summaries of a record. Texts of which the record has only hashes come from the store.
/// Returns none if such a text is not stored.
pub(crate) fn summaries_of(
    raw: &RawJson,
    tenant: &Tenant,
) -> Result<Option<Vec<AskedSummary>>, StoreError> {
    let Ok(node) = json::parse(raw.as_str(), Limits::default()) else { return Ok(None) };
    let Some(lines) = node.get("summaries").and_then(Node::as_array) else {
        return Ok(Some(Vec::new()));
    };
    let mut found = Vec::with_capacity(lines.len());
    for line in lines {
        let text = |name: &str| line.get(name).and_then(Node::as_str);
        let hash = |name: &str| text(name).and_then(ContentHash::parse);
        let (Some(ask), Some(key)) = (hash("ask"), hash("key")) else { return Ok(None) };
        let result = match (text("failure"), text("by"), text("text")) {
            (Some(why), ..) => Err(Arc::from(why)),
            (None, Some(by), Some(own)) => Ok(Summary { text: own.into(), by: by.into() }),
            _ => match tenant.read(|tx| tx.find_summary(&key, ""))? {
                Some((summary, _)) if Some(ContentHash::of(&summary.text)) == hash("text_hash") => {
                    Ok(summary)
                }
                _ => return Ok(None),
            },
        };
        found.push(AskedSummary { ask, key, result });
    }
    Ok(Some(found))
}
