//! Queued calls of observe hooks: stored with their fact, made at least once unless too many are
//! queued for a hook.
//!
//! [`enqueue`] takes part in the transaction of the fact; a [`Worker`] claims due deliveries and
//! makes the calls. If a process ends before it has stored the outcome of a call, the call is made
//! again with the same `webhook-id`.

mod attempt;
mod list;
mod relay;
mod schedule;
mod worker;

use std::pin::Pin;

pub use self::list::{ListedDelivery, list_deliveries, retry};
pub(crate) use self::relay::follows;
pub use self::worker::Worker;
use crate::hook::{Call, CallScope, QueuedCall};
use crate::service::StoreError;
use crate::store::{DeliveryState, NewDelivery, Tx};
use crate::webhook::{CallContext, Exchange, Webhooks, new_id};

/// The words of a delivery's state.
pub const DELIVERY_STATES: &[(&str, DeliveryState)] = DeliveryState::WORDS;

/// Sends the call of one delivery. That of a running server uses the network.
pub trait DeliverySender: Send + Sync {
    fn send<'c>(&'c self, call: Call<'c>, delivery: CallContext) -> ExchangeFuture<'c>;
}

/// The future of a call.
pub type ExchangeFuture<'c> = Pin<Box<dyn Future<Output = Exchange> + Send + 'c>>;

impl DeliverySender for Webhooks {
    fn send<'c>(&'c self, call: Call<'c>, delivery: CallContext) -> ExchangeFuture<'c> {
        Box::pin(self.exchange(call, delivery))
    }
}

/// Queues the calls of a round, in the transaction of the fact.
pub fn enqueue(tx: &Tx<'_>, scope: &CallScope, calls: &[QueuedCall]) -> Result<(), StoreError> {
    for call in calls {
        tx.enqueue(&NewDelivery {
            id: &new_id(),
            hook: &call.hook.id,
            point: call.point.as_str(),
            session_id: scope.session_id.as_deref(),
            compilation_id: scope.compilation_id.as_deref(),
            agent: scope.agent.as_deref(),
            turn: scope.turn,
            hops: scope.hops,
            occurrence: call.occurrence,
            input: &call.input,
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
