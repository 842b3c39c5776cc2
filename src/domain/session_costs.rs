//! What the payloads of a session cost, and how much of its conversation was left out so far.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{CostFigures, Day, PayloadCost, Prices, ReportedTokens};

/// Models of a session whose last cost is remembered.
const MAX_PRICED_MODELS: usize = 16;

/// The costs of a session, as they are stored with it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionCosts {
    /// The most tokens that one of its compiles left out, before any factor. What a later compile
    /// leaves out beyond them, it is the first to leave out.
    #[serde(default)]
    pub removed: u64,
    /// The last payload of each model, the last compiled model at the end.
    #[serde(default)]
    pub sent: Vec<SentCost>,
}

/// The cost of a payload that was sent, and the row of the tenant's usage that it is counted in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentCost {
    /// The model's name in the calibration of the session.
    pub model: Arc<str>,
    pub row: UsageKey,
    /// The compile of the payload; none for payloads of earlier releases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compilation: Option<Arc<str>>,
    /// Its cost is replaced by that which was reported.
    pub figures: CostFigures,
}

/// What usage is counted by.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct UsageKey {
    pub day: Day,
    /// The hour of the day, 0 to 23; none for payloads of earlier releases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hour: Option<u8>,
    /// The id of the caller's key; empty for callers without one.
    pub key: Arc<str>,
    /// The model; empty if a request named none.
    pub model: Arc<str>,
}

/// The cost of a payload before and after its usage was reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportedCost {
    pub row: UsageKey,
    /// As [`SentCost::compilation`].
    pub compilation: Option<Arc<str>>,
    pub before: PayloadCost,
    pub after: PayloadCost,
}

impl SessionCosts {
    /// Notes that a payload was sent: what it cost, if that is known, and what it left out.
    pub fn note(&mut self, model: &str, removed: u64, cost: Option<SentCost>) {
        self.removed = self.removed.max(removed);
        self.sent.retain(|sent| *sent.model != *model);
        self.sent.extend(cost);
        let beyond = self.sent.len().saturating_sub(MAX_PRICED_MODELS);
        self.sent.drain(..beyond);
    }

    /// The cost of the last payload of a model.
    pub fn cost_of(&self, model: &str) -> Option<&SentCost> {
        self.sent.iter().find(|sent| *sent.model == *model)
    }

    /// The cost of the last payload.
    pub fn last(&self) -> Option<&PayloadCost> {
        self.sent.last().map(|sent| &sent.figures.cost)
    }

    /// Replaces the cost of the last payload of a model by that which its provider reported. None if
    /// no such cost is known.
    pub fn report(
        &mut self,
        model: &str,
        prices: &Prices,
        tokens: &ReportedTokens,
    ) -> Option<ReportedCost> {
        let sent = self.sent.iter_mut().find(|sent| *sent.model == *model)?;
        let (before, after) = (sent.figures.cost, sent.figures.reported(prices, tokens));
        sent.figures.cost = after;
        let (row, compilation) = (sent.row.clone(), sent.compilation.clone());
        Some(ReportedCost { row, compilation, before, after })
    }
}
