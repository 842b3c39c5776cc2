//! Options that a turn reads before its payload is compiled.

use std::sync::Arc;

use crate::hook::Hook;
use crate::json::Node;
use crate::provider;
use crate::request::{self, CompileRequest, MemoryOptions};
use crate::service::Services;
use crate::service::compile::{
    Error, inline_hooks, known_adapters, require_scope_for_urls, with_pack_faults,
};
use crate::service::defaults::add_absent;
use crate::service::sessions::SessionHandle;
use crate::service::tools::{JudgedTools, MemoryLimits, parse_all};

/// Options for judging and handling the calls of a turn.
#[derive(Debug, Default)]
pub(super) struct TurnOptions {
    /// Memory options; none if memory is off.
    pub(super) memory: Option<MemoryOptions>,
    /// Memory that the calls may write, by the defaults of the session and the key.
    pub(super) limits: MemoryLimits,
    pub(super) tools: JudgedTools,
    /// Hooks in the request, which are asked about the calls like registered hooks.
    pub(super) hooks: Vec<Arc<Hook>>,
}

/// A turn's request without its messages.
pub(super) struct TurnOptionsRequest {
    pub(super) request: CompileRequest,
    /// Whether the request or a default has tools.
    has_tools: bool,
    /// Whether memory is off, not only absent.
    memory_is_off: bool,
}

/// Reads a turn's request, which has no messages yet, with the defaults of its session and key.
pub(super) fn read_options(
    services: &Services,
    node: Node<'_>,
    session: &SessionHandle,
) -> Result<TurnOptionsRequest, Error> {
    let defaults = services.caller().defaults.clone();
    // A new binding, since a node with defaults lives no longer than the defaults.
    let mut node = node;
    require_scope_for_urls(services, &node)?;
    for defaults in [session.defaults(), defaults.as_deref()] {
        defaults.map_or(Ok(()), |defaults| add_absent(&mut node, defaults))?;
    }
    let (adapters, _) = known_adapters(services, node.get("compression"))?;
    let check_url = |url: &str| services.check_hook_url(url);
    let request = request::read_compile_options(&node, services.models(), &adapters, &check_url);
    let request =
        request.map_err(|faults| Error::Invalid(with_pack_faults(services, &node, faults)))?;
    let has_tools = node.get("tools").is_some_and(|tools| !tools.is_null());
    let memory_is_off = node.get("memory").and_then(Node::as_bool) == Some(false);
    Ok(TurnOptionsRequest { request, has_tools, memory_is_off })
}

/// Reads the options for judging and handling the calls of a turn.
pub(super) fn turn_options(
    services: &Services,
    node: Node<'_>,
    session: &SessionHandle,
) -> Result<TurnOptions, Error> {
    let TurnOptionsRequest { request, has_tools, memory_is_off } =
        read_options(services, node, session)?;
    let list = provider::with_namespace_functions(request.conversation.tools);
    let options = request.tools;
    let tools = JudgedTools {
        list,
        options,
        is_complete: has_tools,
        runs_memory_tool: !memory_is_off,
        ..JudgedTools::default()
    };
    let own = session.defaults().map(Arc::from);
    let defaults: Vec<Arc<str>> =
        own.into_iter().chain(services.caller().defaults.clone()).collect();
    let limits = MemoryLimits::read(&parse_all(&defaults)?);
    let hooks = inline_hooks(services, &request.hooks);
    Ok(TurnOptions { memory: request.memory, limits, tools, hooks })
}
