//! What handlers share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::http::Extensions;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use super::problem::{Kind, Problem};
use crate::config::LimitsConfig;
use crate::domain::Principal;
use crate::limit::Allowance;
use crate::service::Services;
use crate::service::pool::Pool;
use crate::telemetry::Metrics;

/// Shared by all handlers of one server. Cheap to clone.
#[derive(Debug, Clone)]
pub struct AppState {
    services: Services,
    pub(super) pool: Pool,
    pub(super) metrics: Metrics,
    pub(super) memory: BodyMemory,
    pub(super) max_decoded_bytes: usize,
    /// Event streams that may be open yet.
    pub(super) streams: Arc<Semaphore>,
    ready: Arc<AtomicBool>,
    stopping: CancellationToken,
}

/// How many services like this one a request came through.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hops(pub(super) u8);

/// Event streams that may be open at once.
const MOST_STREAMS: usize = 4_096;

impl AppState {
    pub fn new(services: Services, pool: Pool, metrics: Metrics, limits: &LimitsConfig) -> Self {
        // A text is held about three times at once: as it was made, in its message, in the response.
        let allowance = Allowance::new(limits.max_decoded_bytes);
        Self {
            services: services.allowing(&allowance),
            pool,
            metrics,
            memory: BodyMemory::default(),
            max_decoded_bytes: limits.max_decoded_bytes,
            streams: Arc::new(Semaphore::new(MOST_STREAMS)),
            ready: Arc::default(),
            stopping: CancellationToken::new(),
        }
    }

    /// What a request works with: its caller's. No handler gets at services in another way.
    pub(super) fn services_for(&self, extensions: &Extensions) -> Result<Services, Problem> {
        let caller = extensions.get::<Arc<Principal>>();
        let caller = caller.ok_or_else(|| {
            tracing::error!("a route that is open to all asked for a caller");
            Problem::new(Kind::Internal)
        })?;
        let hops = extensions.get::<Hops>().map_or(0, |hops| hops.0);
        Ok(self.services.for_caller(caller).through(hops))
    }

    /// Services that are nobody's: to find out who a caller is, and for what all share.
    pub(super) fn shared(&self) -> &Services {
        &self.services
    }

    /// Whether new work should be sent here: from listening until the stop begins.
    pub fn is_ready(&self) -> bool {
        self.ready.load(Ordering::Relaxed)
    }

    pub fn set_ready(&self, ready: bool) {
        self.ready.store(ready, Ordering::Relaxed);
    }

    /// Cancelled when the stop begins: what has no end by itself ends then.
    pub fn stopping(&self) -> CancellationToken {
        self.stopping.clone()
    }
}

/// The memory that all bodies in flight may take together.
///
/// Counted in KiB, since a semaphore's permits are 32 bit wide.
#[derive(Debug, Clone)]
pub(super) struct BodyMemory {
    free: Arc<Semaphore>,
}

/// Memory that one body has taken; given back on drop.
#[derive(Debug)]
pub(super) struct MemoryPermit {
    free: Arc<Semaphore>,
    permit: Option<OwnedSemaphorePermit>,
    held: u32,
}

impl Default for BodyMemory {
    fn default() -> Self {
        Self { free: Arc::new(Semaphore::new(Self::TOTAL_KIB as usize)) }
    }
}

impl BodyMemory {
    /// 256 MiB a node.
    const TOTAL_KIB: u32 = 256 * 1024;
    /// What a body takes while it is read, parsed and answered, as a multiple of its bytes.
    const FACTOR: usize = 6;

    /// Takes room for a body of `bytes`, or says at once that there is none.
    pub(super) fn take(&self, bytes: usize) -> Result<MemoryPermit, Problem> {
        let mut share = MemoryPermit { free: Arc::clone(&self.free), permit: None, held: 0 };
        share.grow_to(bytes)?;
        Ok(share)
    }
}

impl MemoryPermit {
    /// Takes more, where the body turns out to be larger than it said.
    pub(super) fn grow_to(&mut self, bytes: usize) -> Result<(), Problem> {
        let kib = bytes.saturating_mul(BodyMemory::FACTOR).div_ceil(1024);
        // One body alone always passes: the size limits are there for that.
        let wanted = u32::try_from(kib).unwrap_or(u32::MAX).min(BodyMemory::TOTAL_KIB);
        let Some(missing) = wanted.checked_sub(self.held).filter(|missing| *missing > 0) else {
            return Ok(());
        };
        let more = Arc::clone(&self.free)
            .try_acquire_many_owned(missing)
            .map_err(|_| Problem::with_detail(Kind::Overloaded, "too many bytes in flight"))?;
        match &mut self.permit {
            Some(permit) => permit.merge(more),
            None => self.permit = Some(more),
        }
        self.held = wanted;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_share_the_memory_and_give_it_back() {
        let memory = BodyMemory::default();
        let first = memory.take(32 << 20).unwrap();
        assert_eq!(memory.take(32 << 20).unwrap_err().kind, Kind::Overloaded);
        let mut small = memory.take(1 << 20).unwrap();
        assert!(small.grow_to(11 << 20).is_err());
        drop(first);
        small.grow_to(11 << 20).unwrap();
        drop(small);
        assert_eq!(memory.free.available_permits(), BodyMemory::TOTAL_KIB as usize);
    }

    #[test]
    fn one_body_alone_always_passes() {
        assert!(BodyMemory::default().take(usize::MAX).is_ok());
    }
}
