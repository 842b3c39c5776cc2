//! The payload that a session was sent last: in memory where it is there, else from the store.

use bytes::Bytes;

use super::SessionHandle;
use crate::domain::ContentHash;
use crate::json::{self, Limits, Node};
use crate::service::Services;
use crate::store::SentPayload;

/// A payload in its blocks; none where it is no object.
pub(crate) fn blocks_of(payload: &str) -> Option<SentPayload> {
    let node = json::parse(payload, Limits::default()).ok()?;
    let mut sent = SentPayload::default();
    for (name, value) in node.as_object()? {
        let blocks = value.as_array();
        sent.layout.push((name.as_ref().into(), blocks.map(<[_]>::len)));
        let blocks = blocks.unwrap_or(std::slice::from_ref(value));
        sent.blocks.extend(blocks.iter().map(block));
    }
    Some(sent)
}

fn block(node: &Node<'_>) -> (ContentHash, std::sync::Arc<str>) {
    (ContentHash::of(node.raw), node.raw.into())
}

/// What the session was sent last. One that cannot be read is as if there were none: the comparison
/// is told and nothing else depends on it.
pub(crate) fn last_sent(services: &Services, session: &SessionHandle) -> Option<Bytes> {
    let sent = session.sent.as_ref()?;
    if let Some(known) = services.recall_payload(sent) {
        return Some(known);
    }
    match services.tenant().sent_payload(&session.id) {
        Ok(found) => found.map(Bytes::from),
        Err(error) => {
            tracing::warn!(%error, "what a session was sent last could not be read");
            None
        }
    }
}
