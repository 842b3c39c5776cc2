//! State that all handlers share.

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

/// State of one server that all handlers share. Cheap to clone.
#[derive(Debug, Clone)]
pub struct AppState {
    services: Services,
    pub(super) pool: Pool,
    pub(super) metrics: Metrics,
    pub(super) memory: BodyMemory,
    pub(super) max_decoded_bytes: usize,
    /// A permit for each event stream that may still be opened.
    pub(super) streams: Arc<Semaphore>,
    ready: Arc<AtomicBool>,
    stopping: CancellationToken,
}

/// The number of services like this one that a request has passed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hops(pub(super) u8);

/// Event streams that may be open at once.
const MAX_STREAMS: usize = 4_096;

impl AppState {
    pub fn new(services: Services, pool: Pool, metrics: Metrics, limits: &LimitsConfig) -> Self {
        // As much as a body may have, because a text is in memory about three times at once: on its
        // own, in its message and in the response.
        let allowance = Allowance::new(limits.max_decoded_bytes);
        Self {
            services: services.allowing(&allowance),
            pool,
            metrics,
            memory: BodyMemory::default(),
            max_decoded_bytes: limits.max_decoded_bytes,
            streams: Arc::new(Semaphore::new(MAX_STREAMS)),
            ready: Arc::default(),
            stopping: CancellationToken::new(),
        }
    }

    /// Returns the services for the caller of a request. Handlers have no other way to the services
    /// of a tenant.
    pub(super) fn services_for(&self, extensions: &Extensions) -> Result<Services, Problem> {
        let caller = extensions.get::<Arc<Principal>>();
        let caller = caller.ok_or_else(|| {
            tracing::error!("an open route requested the services of a caller");
            Problem::new(Kind::Internal)
        })?;
        let hops = extensions.get::<Hops>().map_or(0, |hops| hops.0);
        Ok(self.services.for_caller(caller).through(hops))
    }

    /// Returns services without a caller: for authentication, and for data that all tenants share.
    pub(super) fn shared_services(&self) -> &Services {
        &self.services
    }

    /// Checks whether the server takes new work: from when it listens until it begins to stop.
    pub fn is_ready(&self) -> bool {
        self.ready.load(Ordering::Relaxed)
    }

    pub fn set_ready(&self, ready: bool) {
        self.ready.store(ready, Ordering::Relaxed);
    }

    /// Returns a token that is cancelled when the server begins to stop. It ends work that has no
    /// end of its own, such as streams.
    pub fn stopping(&self) -> CancellationToken {
        self.stopping.clone()
    }
}

/// The memory that all request bodies may use together.
///
/// Counted in KiB, because permits of a semaphore are acquired as a `u32`.
#[derive(Debug, Clone)]
pub(super) struct BodyMemory {
    free: Arc<Semaphore>,
}

/// The memory that is reserved for one body; released on drop.
#[derive(Debug)]
pub(super) struct MemoryPermit {
    free: Arc<Semaphore>,
    permit: Option<OwnedSemaphorePermit>,
    reserved_kib: u32,
}

impl Default for BodyMemory {
    fn default() -> Self {
        Self { free: Arc::new(Semaphore::new(Self::MAX_KIB as usize)) }
    }
}

impl BodyMemory {
    /// 256 MiB for each node.
    const MAX_KIB: u32 = 256 * 1024;
    /// The memory that a request needs until its response is written, as a multiple of the body's
    /// bytes.
    const MEMORY_PER_BYTE: usize = 6;

    /// Reserves memory for a body of `bytes`, or fails at once if there is none left.
    pub(super) fn take(&self, bytes: usize) -> Result<MemoryPermit, Problem> {
        let mut permit =
            MemoryPermit { free: Arc::clone(&self.free), permit: None, reserved_kib: 0 };
        permit.grow_to(bytes)?;
        Ok(permit)
    }
}

impl MemoryPermit {
    /// Reserves more memory if the body is larger than it declared.
    pub(super) fn grow_to(&mut self, bytes: usize) -> Result<(), Problem> {
        let kib = bytes.saturating_mul(BodyMemory::MEMORY_PER_BYTE).div_ceil(1024);
        // A single body always gets its memory: the limits on size are checked elsewhere.
        let wanted = u32::try_from(kib).unwrap_or(u32::MAX).min(BodyMemory::MAX_KIB);
        let Some(missing) = wanted.checked_sub(self.reserved_kib).filter(|missing| *missing > 0)
        else {
            return Ok(());
        };
        let more = Arc::clone(&self.free)
            .try_acquire_many_owned(missing)
            .map_err(|_| Problem::with_detail(Kind::Overloaded, "too many bytes in flight"))?;
        match &mut self.permit {
            Some(permit) => permit.merge(more),
            None => self.permit = Some(more),
        }
        self.reserved_kib = wanted;
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
        assert_eq!(memory.free.available_permits(), BodyMemory::MAX_KIB as usize);
    }

    #[test]
    fn one_body_alone_always_passes() {
        assert!(BodyMemory::default().take(usize::MAX).is_ok());
    }
}
