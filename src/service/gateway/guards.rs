//! Hooks about requests through the gateway: guards at `transform_context` see what is sent and may
//! deny it, observers are notified. Nothing that a hook says is put into a request.

use std::sync::Arc;

use super::GatewayRequest;
use crate::domain::{EventKind, GatewayMode, RecordLevel, Target};
use crate::gateway::ProviderEndpoint;
use crate::hook::{GuardDecision, HookInput, HookKind, HookRun, HookSet, MatchContext, Point};
use crate::json::{self, Limits};
use crate::pipeline::{self, Deadline, HookPort};
use crate::service::compile::Error;
use crate::service::effects::Effects;
use crate::service::event_data::HookDeniedData;
use crate::service::event_owner::EventOwner;
use crate::service::{Services, StoreError};

/// The point at which hooks see a request as it is sent.
const POINT: Point = Point::TransformContext;

/// Runs of hooks about a request, with their effects, which are stored with its event.
#[derive(Debug, Default)]
pub struct GuardRound {
    pub(super) effects: Effects,
    /// Why the request must not be sent; none if it may.
    pub refusal: Option<Error>,
}

impl GuardRound {
    pub(super) fn runs(&self) -> &[HookRun] {
        &self.effects.runs
    }
}

/// What of a request says which hooks see it.
#[derive(Debug, Clone, Copy)]
pub(super) struct HookedRequest<'r> {
    pub(super) mode: GatewayMode,
    pub(super) session: Option<&'r str>,
}

/// A request as it is sent, for the hooks that see it.
#[derive(Debug, Clone, Copy)]
pub struct GuardedRequest<'r> {
    pub request: &'r GatewayRequest,
    /// The session that it belongs to.
    pub session: Option<&'r Arc<str>>,
    /// The body as it is sent.
    pub body: &'r str,
}

/// The hooks that see a request. One that is only relayed is seen by mandatory ones.
pub(super) fn hooks_for(
    services: &Services,
    request: HookedRequest<'_>,
) -> Result<Arc<HookSet>, StoreError> {
    let HookedRequest { mode, session } = request;
    let set = match mode {
        GatewayMode::Off => services.mandatory_hook_set(session)?,
        _ => services.hook_set(session, &[])?,
    };
    Ok(seeing(&set))
}

/// The same, by what memory has of them: the store does not answer.
pub(super) fn known_hooks_for(services: &Services, mode: GatewayMode) -> Arc<HookSet> {
    seeing(&services.known_hooks(mode == GatewayMode::Off))
}

/// Whether any hook sees a request of this mode, in the session that its headers name.
pub fn has_guards(services: &Services, mode: GatewayMode, session: Option<&str>) -> bool {
    let set = hooks_for(services, HookedRequest { mode, session });
    !set.unwrap_or_else(|_| known_hooks_for(services, mode)).is_empty()
}

/// Whether any mandatory hook sees a request that is only relayed, if that is known without asking
/// the store.
pub fn recalls_guards(services: &Services, session: Option<&str>) -> Option<bool> {
    Some(!seeing(&services.recent_mandatory_hook_set(session)?).is_empty())
}

fn seeing(set: &Arc<HookSet>) -> Arc<HookSet> {
    if set.hooks_at(POINT).is_empty() {
        return Arc::default();
    }
    Arc::new(set.only(POINT, &[HookKind::Guard, HookKind::Observe]))
}

/// Asks the hooks about a request. Needs a seat in the pool, since hooks are waited for.
pub fn ask_guards(
    services: &Services,
    guarded: GuardedRequest<'_>,
    set: &Arc<HookSet>,
    deadline: &Deadline,
) -> GuardRound {
    let GuardedRequest { request, session, .. } = guarded;
    let scope = crate::service::compile::scope(services, &request.id, session);
    let mut runner = services
        .hook_runner(Arc::clone(set), scope.clone(), deadline)
        .keeping_inputs_if(request.record == RecordLevel::Full);
    let asked = ask(guarded, &mut runner);
    let mut effects = Effects::of_hooks(runner, scope);
    let owner = EventOwner { session, compilation: Some(&request.id) };
    for event in &mut effects.events_after {
        event.compilation_id = Some(Arc::clone(&request.id));
    }
    if let Err(Error::Denied(denial)) = &asked {
        // Without the reason: it may quote what was denied.
        let data = HookDeniedData {
            hook: &denial.hook,
            point: denial.point.as_str(),
            code: denial.code.as_deref(),
        };
        effects.events_after.push(owner.event(EventKind::HookDenied, &data));
    }
    GuardRound { effects, refusal: asked.err() }
}

fn ask(guarded: GuardedRequest<'_>, runner: &mut dyn HookPort) -> Result<(), Error> {
    let GuardedRequest { request, session, body } = guarded;
    let node = json::parse(body, Limits::default())?;
    let target = target_of(request.endpoint);
    let model = request.path_model.as_deref();
    let model = model.or_else(|| node.get("model")?.as_str());
    let input = pipeline::sent_input(&node, target, model);
    let facts = MatchContext { session: session.map(|id| &**id), ..MatchContext::default() };
    let at = HookInput { point: POINT, input: &input, facts };
    let changed = runner.change(at, &|_| Err("nothing of a request may be changed".to_owned()))?;
    if let Some(denial) = changed.denied {
        runner.observe(at, GuardDecision::Denied(&denial))?;
        return Err(Error::Denied(denial));
    }
    Ok(runner.observe(at, GuardDecision::Allowed)?)
}

/// The shape of requests of an endpoint.
pub(super) fn target_of(endpoint: ProviderEndpoint) -> Target {
    match endpoint {
        ProviderEndpoint::Messages => Target::Anthropic,
        ProviderEndpoint::ChatCompletions | ProviderEndpoint::Other => Target::Openai,
        ProviderEndpoint::Responses => Target::OpenaiResponses,
        ProviderEndpoint::GenerateContent => Target::Gemini,
    }
}
