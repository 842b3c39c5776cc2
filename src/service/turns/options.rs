//! Options that a turn reads before its payload is compiled.

use crate::json::Node;
use crate::request::{self, CompileRequest, MemoryOptions};
use crate::service::Services;
use crate::service::compile::{Error, known_adapters, require_scope_for_urls};
use crate::service::defaults::add_absent;
use crate::service::sessions::SessionHandle;
use crate::service::tools::JudgedTools;

/// Options for judging and handling the calls of a turn.
#[derive(Debug, Default)]
pub(super) struct TurnOptions {
    /// Memory options, with the session in their scope; none if memory is off.
    pub(super) memory: Option<MemoryOptions>,
    pub(super) tools: JudgedTools,
}

/// A turn's request without its messages.
pub(super) struct TurnOptionsRequest {
    pub(super) request: CompileRequest,
    /// Whether the request or a default has tools.
    has_tools: bool,
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
    let request = request.map_err(Error::Invalid)?;
    let has_tools = node.get("tools").is_some_and(|tools| !tools.is_null());
    Ok(TurnOptionsRequest { request, has_tools })
}

/// Reads the options for judging and handling the calls of a turn.
pub(super) fn turn_options(
    services: &Services,
    node: Node<'_>,
    session: &SessionHandle,
) -> Result<TurnOptions, Error> {
    let TurnOptionsRequest { request, has_tools } = read_options(services, node, session)?;
    let memory = request.memory.map(|mut memory| {
        memory.scope.session_id.get_or_insert_with(|| session.id.clone());
        memory
    });
    let (list, options) = (request.conversation.tools, request.tools);
    let tools = JudgedTools { list, options, is_complete: has_tools, ..JudgedTools::default() };
    Ok(TurnOptions { memory, tools })
}
