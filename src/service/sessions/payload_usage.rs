//! The usage of a session's last payload: what it cost, and how long the provider keeps its prefix.

use std::sync::Arc;
use std::time::Duration;

use crate::domain::{
    ContentHash, ModelCalibration, Models, Notes, Prices, ReportedCost, ReportedTokens, Session,
    UsageReport,
};
use crate::service::StoreError;
use crate::store::{CachedPrefix, Tx};

/// The usage of a session's last payload, and what it changes in the payload's cost.
#[derive(Debug, Clone)]
pub(crate) struct PayloadUsage {
    /// The model's name in the calibration.
    pub(super) model: Arc<str>,
    /// None if they are not known.
    pub(super) prices: Option<Prices>,
    pub(super) tokens: ReportedTokens,
    /// None if the cost of the payload is not known.
    pub(super) cost: Option<ReportedCost>,
}

impl PayloadUsage {
    /// Notes the usage in a session: in the cost of its last payload, and in how long the provider
    /// keeps its prefix.
    pub(super) fn note(
        models: &Models,
        session: &mut Session,
        model: &Arc<str>,
        tokens: ReportedTokens,
    ) -> Self {
        let prices = models.find(model).and_then(|row| row.prices);
        let mut usage = Self { model: Arc::clone(model), prices, tokens, cost: None };
        usage.cost = usage.note_cost(session);
        usage
    }

    pub(super) fn note_cost(&self, session: &mut Session) -> Option<ReportedCost> {
        session.costs.report(&self.model, self.prices.as_ref()?, &self.tokens)
    }

    /// Stores a reported cost with the record of its payload.
    pub(super) fn note_record(tx: &Tx<'_>, cost: Option<&ReportedCost>) -> Result<(), StoreError> {
        let Some(cost) = cost else { return Ok(()) };
        let Some(id) = &cost.compilation else { return Ok(()) };
        // Numbers and words: writing them as JSON cannot fail.
        let text = serde_json::to_string(&cost.after).unwrap_or_default();
        tx.put_reported_cost(id, &text)
    }

    /// Notes that the provider has used the prefix of the session now, or that it has none.
    pub(super) fn note_cache(&self, tx: &Tx<'_>, session: &str) -> Result<(), StoreError> {
        let Some(prefix) = tx.cached_prefix(session)? else { return Ok(()) };
        if prefix.model != self.model {
            return Ok(());
        }
        if !self.tokens.is_cached() {
            return tx.forget_cached_prefix(session);
        }
        let expires_at = tx.now().after(Duration::from_secs(prefix.ttl_seconds));
        tx.put_cached_prefix(&CachedPrefix { expires_at, ..prefix })
    }
}

/// The prefix of a payload that its provider keeps from then on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PayloadPrefix {
    pub(crate) hash: ContentHash,
    pub(crate) tokens: u64,
    pub(crate) ttl_seconds: u64,
    /// As [`CachedPrefix::rewrite_micros`].
    pub(crate) rewrite_micros: Option<u64>,
}

/// Compares a provider's count with that of a model's last payload. Warns if the count is too far from
/// the count of this service, or if there is none.
pub(super) fn judged(
    models: &Models,
    measured: &ModelCalibration,
    tokens: u64,
    notes: &mut Notes,
) -> UsageReport {
    let report = measured.compare(tokens, models.calibrated(&measured.model).factor_milli);
    match report {
        UsageReport::Plausible(_) | UsageReport::Small => {}
        UsageReport::Implausible => {
            let detail = format!(
                "{tokens} tokens are reported for a payload of `{}` that is {} tokens before any \
                 factor: nothing is learnt from the report",
                measured.model, measured.raw
            );
            notes.warn("usage_implausible", "/usage".to_owned(), detail);
        }
        UsageReport::Uncounted => {
            let detail = "the tokens of the last payload were not counted";
            notes.warn("usage_unmatched", "/usage".to_owned(), detail);
        }
    }
    report
}
