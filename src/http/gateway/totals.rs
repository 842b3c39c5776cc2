//! What all requests through the gateway saved since the start.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use crate::service::gateway::{ExchangeUsage, GatewaySavings};

/// Sums over all requests of a server. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct GatewayTotals(Arc<Sums>);

#[derive(Debug, Default)]
struct Sums {
    requests: AtomicU64,
    saved_tokens: AtomicU64,
    input_tokens: AtomicU64,
    cached_tokens: AtomicU64,
    cost_micros: AtomicU64,
    saved_micros: AtomicI64,
}

/// The sums at one time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GatewaySums {
    /// Requests for models.
    pub requests: u64,
    /// Tokens that these were sent with less.
    pub saved_tokens: u64,
    /// Tokens of their input, as providers counted them, and those of it that were read from caches.
    pub input_tokens: u64,
    pub cached_tokens: u64,
    /// Millionths of a dollar that this input cost, and that it cost less.
    pub cost_micros: u64,
    pub saved_micros: i64,
}

impl GatewayTotals {
    /// Counts a request for a model.
    pub(super) fn count_request(&self, savings: GatewaySavings) {
        self.0.requests.fetch_add(1, Ordering::Relaxed);
        self.0.saved_tokens.fetch_add(savings.tokens, Ordering::Relaxed);
    }

    /// Counts the usage of a response.
    pub(super) fn count_usage(&self, usage: &ExchangeUsage) {
        self.0.input_tokens.fetch_add(usage.tokens.input(), Ordering::Relaxed);
        self.0.cached_tokens.fetch_add(usage.tokens.read, Ordering::Relaxed);
        if let Some(cost) = &usage.cost {
            self.0.cost_micros.fetch_add(cost.payload_micros, Ordering::Relaxed);
            self.0.saved_micros.fetch_add(cost.saved_micros, Ordering::Relaxed);
        }
    }

    pub fn sums(&self) -> GatewaySums {
        let Sums { requests, saved_tokens, input_tokens, cached_tokens, cost_micros, saved_micros } =
            &*self.0;
        let read = |sum: &AtomicU64| sum.load(Ordering::Relaxed);
        GatewaySums {
            requests: read(requests),
            saved_tokens: read(saved_tokens),
            input_tokens: read(input_tokens),
            cached_tokens: read(cached_tokens),
            cost_micros: read(cost_micros),
            saved_micros: saved_micros.load(Ordering::Relaxed),
        }
    }
}
