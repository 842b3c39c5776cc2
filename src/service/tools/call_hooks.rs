//! The hooks that are asked about the calls of a model.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::domain::MemoryScope;
use crate::hook::{Hook, HookSet, MAX_ROUND_TIME};
use crate::pipeline::Deadline;
use crate::service::event_owner::EventOwner;
use crate::service::hook_runner::HookRunner;
use crate::service::{Services, StoreError};

/// The hooks that are asked about the calls of a model, with the session and the agent of the calls.
#[derive(Debug, Clone)]
pub(crate) struct CallHooks {
    pub(crate) set: Arc<HookSet>,
    pub(super) session: Option<Arc<str>>,
    pub(super) agent: Option<Arc<str>>,
}

impl CallHooks {
    /// The registered hooks, and those that the request brings. `subject` has the session and the
    /// agent.
    pub(crate) fn new(
        services: &Services,
        subject: &MemoryScope,
        inline: &[Arc<Hook>],
    ) -> Result<Self, StoreError> {
        let MemoryScope { session_id: session, agent, .. } = subject.clone();
        let set = services.hook_set(session.as_deref(), inline)?;
        Ok(Self { set, session, agent })
    }

    /// The owner of the events of these hooks.
    pub(super) fn owner(&self) -> EventOwner<'_> {
        EventOwner { session: self.session.as_ref(), ..EventOwner::default() }
    }

    /// A runner for these hooks, and the scope of their calls.
    pub(super) fn runner<'s>(&self, services: &'s Services) -> HookRunner<'s> {
        let scope = services.hook_scope(self.session.as_ref(), self.agent.as_ref());
        services.hook_runner(Arc::clone(&self.set), scope, &deadline(services))
    }
}

/// The deadline of hooks about calls. Their texts count against the request's allowance.
fn deadline(services: &Services) -> Deadline {
    let end = Instant::now() + MAX_ROUND_TIME.saturating_add(Duration::from_secs(1));
    Deadline::at(end).allowing(services.allowance())
}
