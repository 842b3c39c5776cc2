//! The payload that a compile is compared with: named by the request, or the last of its session.

use std::sync::Arc;

use bytes::Bytes;
use quick_cache::Weighter;

use super::Services;
use super::sessions::SessionHandle;
use crate::domain::{ContentHash, RawJson};
use crate::json::{self, Limits};
use crate::pipeline::PayloadBlocks;
use crate::provider::{MemberBlocks, WrittenPayload};
use crate::store::SentPayload;

/// A payload that this process wrote, with the places of its blocks.
#[derive(Debug, Clone)]
pub(crate) struct RememberedPayload {
    pub(crate) bytes: Bytes,
    pub(crate) blocks: Arc<[MemberBlocks]>,
}

impl RememberedPayload {
    /// Bytes of memory that it takes.
    fn weight(&self) -> u64 {
        let places: usize = self.blocks.iter().map(|member| member.places.len() * 16 + 48).sum();
        (self.bytes.len() + places) as u64
    }
}

/// Whose remembered payload it is: that of a session or a compile of a tenant.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct PayloadKey {
    tenant: Arc<str>,
    id: Arc<str>,
}

impl PayloadKey {
    pub(super) fn new(tenant: &Arc<str>, id: &Arc<str>) -> Self {
        Self { tenant: Arc::clone(tenant), id: Arc::clone(id) }
    }
}

/// Counts the bytes of what is remembered.
#[derive(Debug, Clone)]
pub(super) struct PayloadWeight;

impl Weighter<PayloadKey, RememberedPayload> for PayloadWeight {
    fn weight(&self, _: &PayloadKey, payload: &RememberedPayload) -> u64 {
        128 + payload.weight()
    }
}

/// An earlier payload, by its source.
#[derive(Debug)]
pub(crate) enum EarlierPayload<'r> {
    /// JSON text in the request.
    Request(&'r RawJson),
    Remembered(RememberedPayload),
    Stored(SentPayload),
}

impl EarlierPayload<'_> {
    /// The payload in its blocks; none if the request's is no JSON.
    pub(crate) fn blocks(&self) -> Option<PayloadBlocks<'_>> {
        match self {
            Self::Request(raw) => {
                let node = json::parse(raw.as_str(), Limits::default()).ok()?;
                Some(PayloadBlocks::from_node(node))
            }
            Self::Remembered(payload) => {
                let text = std::str::from_utf8(&payload.bytes).ok()?;
                Some(PayloadBlocks::from_written(text, &payload.blocks))
            }
            Self::Stored(sent) => {
                let mut texts = sent.blocks.iter().map(|(_, text)| &**text);
                let mut blocks = PayloadBlocks::default();
                for (name, count) in &sent.layout {
                    let own = texts.by_ref().take(count.unwrap_or(1));
                    blocks.push(name, count.is_some(), own);
                }
                Some(blocks)
            }
        }
    }
}

/// The payload in the form in which a session keeps it.
pub(super) fn to_sent(written: &WrittenPayload) -> SentPayload {
    let mut sent = SentPayload::default();
    for member in &written.blocks {
        let count = member.is_list.then_some(member.places.len());
        sent.layout.push((member.name.into(), count));
        let texts = member.texts(written.payload());
        sent.blocks.extend(texts.map(|text| (ContentHash::of(text), text.into())));
    }
    sent
}

/// The last payload of a session. If it cannot be read, the compile goes on without the comparison.
pub(super) fn last_sent(
    services: &Services,
    session: &SessionHandle,
) -> Option<EarlierPayload<'static>> {
    let sent = session.sent.as_ref()?;
    if let Some(remembered) = services.recall_payload(&sent.id) {
        return Some(EarlierPayload::Remembered(remembered));
    }
    match services.tenant().sent_payload(&session.id) {
        Ok(found) => found.map(EarlierPayload::Stored),
        Err(error) => {
            tracing::warn!(
                %error,
                "the last payload of a session could not be read; the report has no first_change"
            );
            None
        }
    }
}
