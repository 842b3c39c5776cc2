//! The record of a request through the gateway. It has the columns of a compile, hashes of what was
//! sent, and no stage that could be run again.

use std::fmt::Write as _;
use std::sync::Arc;

use serde::Serialize;
use serde_json::{Value, json};

use super::body::stage;
use super::hooks::RecordTexts;
use super::texts::{request_members, take_apart};
use super::{ENGINE, NewRecord, hooks};
use crate::domain::{
    Compilation, CompilationStatus, ContentHash, Ledger, PayloadCost, RawJson, RecordLevel, Stage,
    Timestamp,
};
use crate::gateway::MemberHashes;
use crate::hook::HookRun;
use crate::json::{self, Limits};
use crate::service::Services;
use crate::store::Batch;

/// What is recorded of a request through the gateway.
#[derive(Debug)]
pub(crate) struct GatewayRecord<'r, R> {
    pub(crate) id: &'r Arc<str>,
    pub(crate) session: Option<&'r Arc<str>>,
    pub(crate) target: &'static str,
    /// Empty if the request names none.
    pub(crate) model: &'r str,
    pub(crate) payload_hash: ContentHash,
    /// As the provider counted them; 0 if it did not say.
    pub(crate) tokens_before: u64,
    pub(crate) tokens_after: u64,
    pub(crate) cost: Option<PayloadCost>,
    pub(crate) runs: &'r [HookRun],
    /// The blocks of what was sent.
    pub(crate) members: &'r [MemberHashes],
    /// The member `gateway` of the record.
    pub(crate) report: &'r R,
    /// The bodies, for a record in full.
    pub(crate) bodies: Option<RecordedBodies<'r>>,
}

/// The body of a request as it came, and as it was sent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RecordedBodies<'r> {
    pub(crate) came: &'r str,
    pub(crate) sent: &'r str,
}

impl NewRecord {
    /// Builds the record of a request through the gateway. Adds the texts of a full record to `batch`.
    pub(crate) fn of_gateway<R: Serialize>(
        services: &Services,
        own: &GatewayRecord<'_, R>,
        batch: &mut Batch,
    ) -> Self {
        let mut texts = Vec::new();
        let mut keep = |body: &str| {
            // It was read before it was sent.
            let node = json::parse(body, Limits::default()).ok()?;
            Some(take_apart(batch, &request_members(&node), &mut texts).to_string())
        };
        let full = own.bodies.and_then(|bodies| {
            let (request, payload) = (keep(bodies.came)?, keep(bodies.sent)?);
            Some(json!({"request": request, "payload": payload, "adapters": {}}))
        });
        let level = if full.is_some() { RecordLevel::Full } else { RecordLevel::Hashes };
        let ledger = own.ledger();
        let stages: Vec<Value> = ledger.stages().iter().map(stage).collect();
        let gateway = serde_json::to_string(own.report).unwrap_or_default();
        let own_texts =
            if full.is_some() { Some(RecordTexts { batch, hashes: &mut texts }) } else { None };
        let runs = hooks::runs_text(own.runs, own_texts);
        let mut body = format!(
            "{{\"stages\":{},\"report\":null,\"effects\":{{\"artifacts\":[],\"memory_expired\":[]}},\
             \"hooks\":{runs},\"gateway\":{gateway}",
            Value::from(stages)
        );
        if let Some(full) = full {
            let _ = write!(body, ",\"full\":{full}");
        }
        body.push('}');
        let record = Compilation {
            id: Arc::clone(own.id),
            created_at: Timestamp::default(),
            expires_at: Timestamp::default(),
            session_id: own.session.cloned(),
            target: own.target.into(),
            model: own.model.into(),
            level,
            status: CompilationStatus::Compiled,
            engine: ENGINE.into(),
            payload_hash: own.payload_hash,
            tokens_before: own.tokens_before,
            tokens_after: own.tokens_after,
            fits: true,
            body: RawJson::new(body),
            reported_cost: own
                .cost
                .and_then(|cost| serde_json::to_string(&cost).ok().map(RawJson::new)),
        };
        Self { record, texts, ttl: services.tenant().kept() }
    }
}

impl<R> GatewayRecord<'_, R> {
    /// What was sent, as the first and the last stage of a compile: the blocks, and the bytes.
    fn ledger(&self) -> Ledger {
        let hash = |member: &MemberHashes| {
            let blocks: Vec<String> = member.blocks.iter().map(ToString::to_string).collect();
            (format!("request.{}", member.name), ContentHash::of(&blocks.concat()))
        };
        let parts: Vec<(String, ContentHash)> = self.members.iter().map(hash).collect();
        let all: Vec<String> = parts.iter().map(|(_, hash)| hash.to_string()).collect();
        let mut ledger = Ledger::default();
        ledger.push(Stage::Ingest, parts, ContentHash::of(&all.concat()));
        ledger.push(Stage::Format, Vec::new(), self.payload_hash);
        ledger
    }
}
