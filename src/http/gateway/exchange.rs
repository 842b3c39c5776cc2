//! A request for a model until its response has ended.

use std::time::Instant;

use crate::service::Services;
use crate::service::gateway::{
    ExchangeEnd, ExchangeUsage, GatewayExchange, GatewayJournal, GuardRound, JournalEntry,
};

/// A request that is not in the journal yet.
pub(super) struct OpenExchange {
    pub(super) journal: GatewayJournal,
    pub(super) services: Services,
    pub(super) exchange: GatewayExchange,
    pub(super) guards: GuardRound,
    /// When the request came.
    pub(super) started: Instant,
}

impl OpenExchange {
    /// Notes the request with the status of its response and, if that is an error of ours, its code.
    pub(super) fn end(self, status: u16, code: Option<&'static str>, usage: Option<ExchangeUsage>) {
        let Self { journal, services, exchange, guards, started } = self;
        let duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let end = ExchangeEnd { status, code, duration_ms };
        journal.note(JournalEntry { services, exchange, guards, usage, end });
    }
}
