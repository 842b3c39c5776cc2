//! What is stored about a request through the gateway after its response: the event, the record, calls
//! of hooks. No response waits for it; if too much is to be stored, the oldest wait and the newest are
//! lost.

use std::sync::Arc;

use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;

use super::EditSkip;
use super::exchange::{ExchangeEnd, ExchangeUsage, GatewayExchange};
use super::guards::{GuardRound, target_of};
use super::report::GatewayReport;
use crate::domain::{EventKind, RecordLevel};
use crate::service::Services;
use crate::service::effects::Effects;
use crate::service::event_data::GatewayRequestData;
use crate::service::event_owner::EventOwner;
use crate::service::record::{GatewayRecord, NewRecord, RecordedBodies};
use crate::store::Batch;

/// Requests that may wait to be stored.
const MAX_WAITING: usize = 4_096;
/// Requests that are taken at once.
const MAX_TAKEN: usize = 64;

/// Takes requests whose responses have ended. Cheap to clone.
#[derive(Debug, Clone)]
pub struct GatewayJournal(mpsc::Sender<JournalEntry>);

/// The requests that are to be stored.
#[derive(Debug)]
pub struct JournalReader(mpsc::Receiver<JournalEntry>);

/// A request whose response has ended.
#[derive(Debug)]
pub struct JournalEntry {
    pub services: Services,
    pub exchange: GatewayExchange,
    pub guards: GuardRound,
    /// What the provider counted; none if it did not say.
    pub usage: Option<ExchangeUsage>,
    pub end: ExchangeEnd,
}

impl GatewayJournal {
    pub fn new() -> (Self, JournalReader) {
        let (sender, receiver) = mpsc::channel(MAX_WAITING);
        (Self(sender), JournalReader(receiver))
    }

    /// Notes a request. Does not block.
    pub fn note(&self, entry: JournalEntry) {
        if let Err(TrySendError::Full(entry)) = self.0.try_send(entry) {
            tracing::warn!(request.id = %entry.exchange.id, "a request could not be recorded");
        }
    }
}

impl JournalReader {
    /// Waits for the next requests; none once nobody can note any more.
    pub async fn next(&mut self) -> Vec<JournalEntry> {
        let mut taken = Vec::new();
        self.0.recv_many(&mut taken, MAX_TAKEN).await;
        taken
    }

    /// Takes what still waits, and lets nobody note any more.
    pub fn rest(&mut self) -> Vec<JournalEntry> {
        self.0.close();
        std::iter::from_fn(|| self.0.try_recv().ok()).take(MAX_TAKEN).collect()
    }
}

impl JournalEntry {
    /// Stores the event and the record of a request. If the store cannot be written, they are lost.
    pub fn store(self) {
        let services = self.services.clone();
        let mut batch = Batch::default();
        let effects = self.into_effects(&mut batch);
        if let Err(error) = effects.commit(&services, batch) {
            tracing::debug!(%error, "a request through the gateway could not be recorded");
        }
    }

    fn into_effects(self, batch: &mut Batch) -> Effects {
        let Self { services, exchange, guards, usage, end } = self;
        let id = &exchange.id;
        let report = GatewayReport::new(&exchange, usage.as_ref(), end);
        let sent = exchange.sent.as_ref().filter(|_| end.code.is_none());
        let level = sent.map_or(RecordLevel::None, |sent| sent.level);
        let record = sent.filter(|sent| sent.level.is_kept()).map(|sent| {
            let input = usage.map_or(0, |usage| usage.tokens.input());
            let own = GatewayRecord {
                id,
                session: exchange.session.as_ref(),
                target: target_of(exchange.endpoint).as_str(),
                model: exchange.model.as_deref().unwrap_or_default(),
                payload_hash: sent.payload_hash,
                tokens_before: input.saturating_add(exchange.savings.tokens),
                tokens_after: input,
                cost: usage.and_then(|usage| usage.cost),
                runs: guards.runs(),
                members: &sent.blocks,
                report: &report,
                bodies: sent
                    .texts
                    .as_ref()
                    .map(|texts| RecordedBodies { came: &texts.came, sent: &texts.sent }),
            };
            NewRecord::of_gateway(&services, &own, batch)
        });
        let owner = EventOwner { session: exchange.session.as_ref(), compilation: Some(id) };
        let data = GatewayRequestData {
            wire: exchange.wire.as_str(),
            endpoint: exchange.endpoint.as_str(),
            upstream: &exchange.upstream,
            model: exchange.model.as_deref(),
            mode: exchange.mode.as_str(),
            skipped: exchange.skipped.map(EditSkip::as_str),
            saved_tokens: exchange.savings.tokens,
            unique_saved_tokens: exchange.savings.new_tokens,
            compacted: exchange.is_compacted,
            observed_tokens: exchange.savings.observed_tokens,
            added_tokens: exchange.savings.added_tokens,
            tokens: report.tokens,
            cost: usage.and_then(|usage| usage.cost),
            key: services.caller().key.as_deref(),
            payload_hash: exchange.sent.as_ref().map(|sent| sent.payload_hash.to_string()),
            status: end.status,
            code: end.code,
            duration_ms: end.duration_ms,
            record: level.as_str(),
        };
        let mut effects = guards.effects;
        effects.scope.compilation_id = Some(Arc::clone(id));
        effects.scope.session_id.clone_from(&exchange.session);
        effects.record = record;
        effects.events_after.push(owner.event(EventKind::GatewayRequest, &data));
        effects
    }
}
